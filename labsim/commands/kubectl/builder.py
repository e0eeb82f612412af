"""What objects a line means (cli-runtime's resource.Builder): `type name`, `type/name`, lists, -l, --all, -f.

Grammar and texts: kubectl.md 8 and 4.8. `build` only reads the words; `Result.fetch` talks to the server.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from labsim.commands.kubectl.errors import Failure, Failures, not_simulated
from labsim.commands.kubectl.mapping import expand_categories, kind_name, resource_for
from labsim.kube.errors import ApiError
from labsim.kube.objects import Object, name_of, namespace_of
from labsim.kube.scheme import Resource

if TYPE_CHECKING:
    from labsim.commands.kubectl.session import Kubectl


@dataclass
class Info:
    """One object that is meant. `obj` is what the server has (or, from a file, what the file says)."""

    resource: Resource
    namespace: str
    name: str
    obj: Object
    source: str = ""

    @property
    def kind_name(self) -> str:
        return kind_name(self.resource, self.name)


@dataclass
class Found:
    """The answer for one type (a list request) or one name: its objects, in the server's order."""

    resource: Resource
    objects: list[Object]
    is_list: bool
    document: Info | None = None  # an object of a file that was not asked for

    def infos(self) -> list[Info]:
        if self.document is not None:
            return [self.document]
        return [Info(self.resource, namespace_of(obj), name_of(obj), obj) for obj in self.objects]


@dataclass
class Result:
    """`fetch()` asks the server: (answers, errors). `single` says that exactly one named object is meant."""

    kubectl: Kubectl
    single: bool
    _requests: list[Callable[[], Found]] = field(default_factory=list)

    def answered(self, found: list[Found]) -> Result:
        """The same question with these answers."""

        def known(answer: Found) -> Callable[[], Found]:
            return lambda: answer

        return Result(self.kubectl, self.single, [known(answer) for answer in found])

    def fetch(self) -> tuple[list[Found], list[Exception]]:
        found: list[Found] = []
        errors: list[Exception] = []
        for request in self._requests:
            try:
                found.append(request())
            except (ApiError, Failure) as error:
                errors.append(error)
        return found, errors

    def infos(self) -> tuple[list[Info], list[Exception]]:
        """All objects flat. Objects of files come as the file has them unless they are fetched."""
        found, errors = self.fetch()
        return [info for answer in found for info in answer.infos()], errors

    def visit(self, act: Callable[[Info], None]) -> None:
        """`act` on each object as it is found; what fails is told at the end and does not stop the others."""
        errors: list[Exception] = []
        for request in self._requests:
            try:
                infos = request().infos()
            except (ApiError, Failure) as error:
                errors.append(error)
                continue
            for info in infos:
                try:
                    act(info)
                except (ApiError, Failure, Failures) as error:
                    errors.append(error)
        raise_all(errors)

    def all_infos(self) -> list[Info]:
        """Like infos; raises the errors (one alone, several as Failures)."""
        infos, errors = self.infos()
        raise_all(errors)
        return infos


def raise_all(errors: Sequence[Exception]) -> None:
    if len(errors) == 1:
        raise errors[0]
    if errors:
        raise Failures(errors)


def build(
    kubectl: Kubectl,
    words: Sequence[str],
    *,
    all_without_selector: bool = True,
    select_all: bool = False,
    fetch_files: bool = True,
    selector: str | None = None,
    require_object: bool = True,
    need_one: bool = True,
) -> Result:
    """`all_without_selector`: a type alone means all its objects (get, describe). `fetch_files`: objects of -f are
    read from the server; else their documents are handed on. Without `require_object` named objects are not read: their
    `obj` is empty. Raises Failure for what cannot be understood.
    """
    flags = kubectl.flags
    everywhere = bool(flags.get("all-namespaces", False))
    namespace = "" if everywhere else kubectl.namespace
    labels = flags.get("selector", "") if selector is None else selector
    fields = flags.get("field-selector", "")
    result = Result(kubectl, False)
    if flags.get("kustomize"):
        raise not_simulated(f"{kubectl.path} -k")
    if flags.get("filename"):
        if words:
            raise Failure(
                "when paths, URLs, or stdin is provided as input, you may not specify resource arguments as well"
            )
        return _from_files(kubectl, result, fetch_files, labels)
    if flags.get("recursive") and not flags.get("filename") and kubectl.given("recursive"):
        raise Failure("must specify one of -f and -k")
    pairs = _combined(kubectl, words)
    if pairs is not None:
        if labels or fields or select_all:
            raise Failure("selectors and the all flag cannot be used when passing resource/name arguments")
        for kind, name in pairs:
            res = resource_for(kubectl.client, kind)
            _by_name(kubectl, result, res, name, namespace, everywhere, require_object)
        result.single = len(pairs) == 1
        return result
    types, names = _types_and_names(kubectl, words)
    resources = [resource_for(kubectl.client, text) for text in types]
    selecting = bool(labels or fields or select_all)
    if names:
        if selecting:
            raise Failure("name cannot be provided when a selector is specified")
        for res in resources:
            for name in names:
                _by_name(kubectl, result, res, name, namespace, everywhere, require_object)
        result.single = len(names) == len(resources) == 1
        return result
    if not resources:
        if selecting:
            raise Failure("at least one resource must be specified to use a selector")
        raise Failure(
            "You must provide one or more resources by argument or filename.\n"
            "Example resource specifications include:\n"
            "   '-f rsrc.yaml'\n   '--filename=rsrc.json'\n   '<resource> <name>'\n   '<resource>'"
        )
    if not selecting and not all_without_selector:
        raise Failure("resource(s) were provided, but no name was specified")
    for res in resources:
        result._requests.append(_list_request(kubectl, res, namespace, labels, fields))
    return result


def _combined(kubectl: Kubectl, words: Sequence[str]) -> list[tuple[str, str]] | None:
    """`type/name` words as pairs; None when no word has a slash."""
    slashed = [word for word in words if "/" in word]
    if not slashed:
        return None
    if len(slashed) != len(words):
        raise Failure(
            "there is no need to specify a resource type as a separate argument when passing arguments in "
            "resource/name form (e.g. 'kubectl get resource/<resource_name>' instead of "
            "'kubectl get resource resource/<resource_name>'"
        )
    pairs: list[tuple[str, str]] = []
    for word in words:
        kind, _, name = word.partition("/")
        if "/" in name:
            raise Failure("arguments in resource/name form may not have more than one slash")
        if not kind or not name or len([k for k in kind.split(",") if k]) != 1:
            raise Failure("arguments in resource/name form must have a single resource and name")
        pairs.append((kind, name))
    return pairs


def _types_and_names(kubectl: Kubectl, words: Sequence[str]) -> tuple[list[str], list[str]]:
    if not words:
        return [], []
    types = [text for text in words[0].split(",") if text]
    types = list(dict.fromkeys(types))
    if any(text.isalpha() for text in types):
        types = expand_categories(kubectl.client, types)
    return types, list(words[1:])


def _by_name(
    kubectl: Kubectl, result: Result, res: Resource, name: str, namespace: str, everywhere: bool, require: bool = True
) -> None:
    if everywhere and res.namespaced:
        raise Failure("a resource cannot be retrieved by name across all namespaces")
    scope = namespace if res.namespaced else ""

    def request() -> Found:
        if not require:
            return Found(res, [], False, Info(res, scope, name, {}))
        return Found(res, [with_kind(res, kubectl.client.get(res.key, name, scope))], False)

    result._requests.append(request)


def _list_request(kubectl: Kubectl, res: Resource, namespace: str, labels: str, fields: str) -> Callable[[], Found]:
    def request() -> Found:
        scope = namespace if res.namespaced else ""
        try:
            objects = kubectl.client.list(res.key, scope, label_selector=labels, field_selector=fields)
        except ApiError as error:
            if error.code != 400:
                raise
            group_version = f"{res.group}/{res.version}" if res.group else f"/{res.version}"
            raise ApiError(
                400,
                error.reason,
                f'Unable to find "{group_version}, Resource={res.plural}" that match label selector "{labels}", '
                f'field selector "{fields}": {error.message}',
                error.details,
            ) from None
        return Found(res, [with_kind(res, obj) for obj in objects], True)

    return request


def with_kind(res: Resource, obj: Object) -> Object:
    """The object with apiVersion and kind, which items of a list lack."""
    if obj.get("kind") and obj.get("apiVersion"):
        return obj
    return {"apiVersion": res.api_version, "kind": res.kind, **obj}


# -- files -----------------------------------------------------------------------------------------------------------


def _from_files(kubectl: Kubectl, result: Result, fetch: bool, labels: str) -> Result:
    from labsim.kube.objects import labels_of
    from labsim.kube.selectors import parse_label

    try:
        chosen = parse_label(labels)
    except ValueError as error:
        raise Failure(f'the provided selector "{labels}" is not valid: {error}') from None
    items = list(_items(kubectl))
    if not items:
        raise Failure("no objects passed to " + kubectl.command.name)
    result.single = len(items) == 1
    for item in items:
        if isinstance(item, Failure):
            result._requests.append(_failing(item))
        elif labels and not chosen.matches(labels_of(item.obj)):
            continue
        elif fetch:
            _by_name(kubectl, result, item.resource, item.name, item.namespace, False)
        else:
            result._requests.append(_given(item))
    return result


def _failing(error: Failure) -> Callable[[], Found]:
    def request() -> Found:
        raise error

    return request


def _given(info: Info) -> Callable[[], Found]:
    return lambda: Found(info.resource, [info.obj], False, info)


def documents(kubectl: Kubectl) -> Iterator[Info]:
    """Every object of the -f files: several documents, JSON or YAML, `List` kinds flattened. Raises Failure."""
    for item in _items(kubectl):
        if isinstance(item, Failure):
            raise item
        yield item


def _items(kubectl: Kubectl) -> Iterator[Info | Failure]:
    """Objects, and in their places the errors of those that cannot be read: the others are still acted on."""
    from labsim.kube.codec import DecodeError, load_all

    names = [name for path in kubectl.flags["filename"] for name in _files(kubectl, path)]
    for name in names:
        shown = "STDIN" if name == "-" else name
        try:
            found = load_all(kubectl.read_file(name), shown)
        except DecodeError as error:
            yield Failure(str(error), prefix=not _reading(kubectl))
            continue
        for obj in found:
            for item in _flatten(obj):
                try:
                    yield _document(kubectl, item, shown)
                except Failure as error:
                    yield error


def _reading(kubectl: Kubectl) -> bool:
    """get and describe collect what goes wrong in files and print it without `error: `."""
    return kubectl.command.name in ("get", "describe")


def _files(kubectl: Kubectl, path: str) -> list[str]:
    if path == "-":
        return ["-"]
    if path.startswith(("http://", "https://")):
        raise not_simulated(f"reading {path}")
    fs = kubectl.ctx.fs
    if any(c in path for c in "*?["):
        raise Failure(f'the path "{path}" does not exist')
    if not fs.exists(path):
        raise Failure(f'the path "{path}" does not exist')
    if not fs.is_dir(path):
        return [path]
    out: list[str] = []
    for entry in sorted(fs.listdir(path)):
        whole = f"{path.rstrip('/')}/{entry}"
        if fs.is_dir(whole):
            if kubectl.flags.get("recursive"):
                out += _files(kubectl, whole)
        elif entry.endswith((".json", ".yaml", ".yml")):
            out.append(whole)
    if not out:
        raise Failure(f"error reading [{path}]: recognized file extensions are [.json .yaml .yml]")
    return out


def _flatten(obj: Any) -> Iterator[Object]:
    if isinstance(obj, dict) and str(obj.get("kind", "")).endswith("List") and isinstance(obj.get("items"), list):
        for item in obj["items"]:
            yield from _flatten(item)
    else:
        yield obj


def _document(kubectl: Kubectl, obj: Object, source: str) -> Info:
    api_version, kind = str(obj.get("apiVersion") or ""), str(obj.get("kind") or "")
    where = "STDIN" if source == "STDIN" else source
    if not kind:
        raise Failure(f"unable to decode \"{where}\": Object 'Kind' is missing in '{_compact(obj)}'")
    if not api_version:
        raise Failure(f"unable to decode \"{where}\": Object 'apiVersion' is missing in '{_compact(obj)}'")
    res = kubectl.client.scheme.for_kind(api_version, kind)
    name, namespace = name_of(obj), namespace_of(obj)
    if res is None or res.hidden:
        raise Failure(
            f'resource mapping not found for name: "{name}" namespace: "{namespace}" from "{where}": '
            f'no matches for kind "{kind}" in version "{api_version}"\nensure CRDs are installed first',
            prefix=not _reading(kubectl),
        )
    if not res.namespaced:
        return Info(res, "", name, obj, source)
    if namespace and kubectl.namespace_given and namespace != kubectl.namespace:
        raise Failure(
            f'the namespace from the provided object "{namespace}" does not match the namespace '
            f"\"{kubectl.namespace}\". You must pass '--namespace={namespace}' to perform this operation."
        )
    return Info(res, namespace or kubectl.namespace, name, obj, source)


def _compact(obj: Object) -> str:
    from labsim.kube.codec import dump_compact

    return dump_compact(obj)
