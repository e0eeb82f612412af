"""The kubeconfig file in the simulated home: reading, merging, and what it means for a request."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from labsim.commands.base import Context
from labsim.commands.kubectl.errors import Failure

Entry = dict[str, Any]
_LISTS = (("clusters", "cluster"), ("contexts", "context"), ("users", "user"))


@dataclass(frozen=True)
class Settings:
    """What a request goes by: the context's namespace unless -n was typed, and the server of its cluster."""

    context: str
    cluster: Entry
    namespace: str
    user: str

    @property
    def server(self) -> str:
        return str(self.cluster.get("server") or "http://localhost:8080")

    def check(self) -> None:
        """Raises Failure when no cluster is configured (client-go falls back to localhost:8080)."""
        if not self.cluster.get("server"):
            raise Failure(
                "The connection to the server localhost:8080 was refused - did you specify the right host or port?",
                prefix=False,
            )


class Kubeconfig:
    """The merged files, with `files` telling where each stanza came from and `path` where new ones go."""

    def __init__(self, ctx: Context, paths: list[str], files: dict[str, Entry]) -> None:
        self._ctx, self.paths, self.files = ctx, paths, files

    @classmethod
    def load(cls, ctx: Context, explicit: str = "") -> Kubeconfig:
        """--kubeconfig, else $KUBECONFIG (several, the first one wins), else ~/.kube/config. Raises Failure."""
        from labsim.kube.codec import load

        home = ctx.env.get("HOME", "/root")
        listed = [explicit] if explicit else [p for p in ctx.env.get("KUBECONFIG", "").split(":") if p]
        paths = listed or [f"{home}/.kube/config"]
        files: dict[str, Entry] = {}
        for path in paths:
            try:
                text = ctx.fs.read_text(path)
            except FileNotFoundError:
                if explicit:
                    raise Failure(f"stat {path}: no such file or directory") from None
                continue
            except OSError as error:
                text_of = (error.strerror or str(error)).lower()
                raise Failure(f'error loading config file "{path}": open {path}: {text_of}') from None
            try:
                content = load(text) or {}
            except ValueError as error:
                raise Failure(f'error loading config file "{path}": {error}') from None
            if not isinstance(content, dict):
                raise Failure(
                    f'error loading config file "{path}": couldn\'t get version/kind; json parse error: json: cannot '
                    "unmarshal string into Go value of type struct { APIVersion string "
                    '"json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }'
                )
            files[path] = content
        return cls(ctx, paths, files)

    # -- reading -----------------------------------------------------------------------------------------------------

    def merged(self) -> Entry:
        """{apiVersion, kind, current-context, clusters, contexts, users} with entries sorted by name."""
        out: Entry = {"apiVersion": "v1", "kind": "Config", "current-context": ""}
        for content in self.files.values():
            out["current-context"] = out["current-context"] or content.get("current-context") or ""
            for key, value in content.items():
                if key not in ("apiVersion", "kind", "current-context", "preferences", *(p for p, _ in _LISTS)):
                    out.setdefault(key, value)
        for plural, _ in _LISTS:
            entries = self.entries(plural)
            out[plural] = [entries[name] for name in sorted(entries)] or None
        return out

    def entries(self, plural: str) -> dict[str, Entry]:
        """The entries of one list by name; the first file that has a name wins."""
        found: dict[str, Entry] = {}
        for content in self.files.values():
            for entry in content.get(plural) or ():
                found.setdefault(str(entry.get("name", "")), entry)
        return found

    @property
    def current(self) -> str:
        return str(self.merged()["current-context"])

    def body(self, plural: str, name: str) -> Entry | None:
        singular = dict(_LISTS)[plural]
        entry = self.entries(plural).get(name)
        return None if entry is None else (entry.get(singular) or {})

    def settings(self, flags: Mapping[str, Any]) -> Settings:
        """Raises Failure for a context, cluster or user that does not exist."""
        wanted = flags["context"]
        name = wanted or self.current
        context = self.body("contexts", name) if name else None
        if wanted and context is None:
            raise Failure(
                f"Error in configuration: context was not found for specified context: {wanted}", prefix=False
            )
        context = context or {}
        cluster_name = flags["cluster"] or context.get("cluster", "")
        cluster = self.body("clusters", cluster_name)
        if flags["cluster"] and cluster is None:
            raise Failure(f'no server found for cluster "{cluster_name}"')
        # `create rolebinding --user` hides the global flag: a list, and no entry of the kubeconfig.
        given = flags["user"] if isinstance(flags["user"], str) else ""
        user = given or context.get("user", "")
        if given and self.body("users", user) is None:
            raise Failure(f'auth info "{user}" does not exist')
        namespace = flags["namespace"] or context.get("namespace") or "default"
        return Settings(name, cluster or {}, namespace, user)

    # -- writing -----------------------------------------------------------------------------------------------------

    def home_of(self, plural: str, name: str) -> str:
        """The file that holds an entry, else the one where new entries go."""
        for path, content in self.files.items():
            if any(str(e.get("name", "")) == name for e in content.get(plural) or ()):
                return path
        return self.default_file

    @property
    def default_file(self) -> str:
        return next(iter(self.files), self.paths[-1])

    def put(self, plural: str, name: str, body: Entry | None) -> None:
        """Write one entry (None: remove it) into its file."""
        path = self.home_of(plural, name)
        content = dict(self.files.get(path) or {})
        entries = [e for e in content.get(plural) or () if str(e.get("name", "")) != name]
        if body is not None:
            entries.append({"name": name, dict(_LISTS)[plural]: body})
        content[plural] = sorted(entries, key=lambda e: str(e.get("name", ""))) or None
        self.save(path, content)

    def use(self, context: str) -> None:
        path = next((p for p, c in self.files.items() if c.get("current-context")), self.default_file)
        self.save(path, {**(self.files.get(path) or {}), "current-context": context})

    def save(self, path: str, content: Entry) -> None:
        from labsim.kube.codec import dump_yaml

        whole = {"apiVersion": "v1", "kind": "Config", "clusters": None, "contexts": None, "users": None}
        whole = {**whole, "current-context": "", **content}
        whole.pop("preferences", None)
        directory = path.rpartition("/")[0]
        if directory and not self._ctx.fs.is_dir(directory):
            self._ctx.fs.mkdir(directory, parents=True)
        self._ctx.fs.write_text(path, dump_yaml(whole))
        self._ctx.fs.chmod(path, 0o600)
        self.files[path] = whole
