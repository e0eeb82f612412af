"""kubectl set env."""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

from labsim.commands.kubectl import setting
from labsim.commands.kubectl.builder import Info
from labsim.commands.kubectl.errors import Failure, not_simulated
from labsim.commands.kubectl.flags import Flag
from labsim.commands.kubectl.templates_change import NotChanged, with_containers, with_pod_spec
from labsim.kube.objects import Object, get_in

if TYPE_CHECKING:
    from labsim.commands.kubectl.session import Kubectl

USAGE = "set env RESOURCE/NAME KEY_1=VAL_1 ... KEY_N=VAL_N"
ABOUT = """Change environment variables of a pod template.

 KEY=VALUE sets, KEY- removes a variable. --list shows them. --from takes the keys of a ConfigMap or Secret."""
EXAMPLES = """  kubectl set env deployment/web STORAGE_DIR=/data
  kubectl set env deployment/web --list
  kubectl set env --from=configmap/settings deployment/web"""
SPEC = (
    *setting.SPEC,
    Flag("containers", "c", default="*", help="Names of the containers, with wildcards"),
    Flag("env", "e", kind="array", help="A variable to set: NAME=VALUE"),
    Flag("from", help="ConfigMap or Secret whose keys become variables"),
    Flag("keys", kind="slice", help="Only these keys of --from"),
    Flag("list", kind="bool", help="Show the variables, change nothing"),
    Flag("overwrite", kind="bool", default=True, help="Variables that exist may be changed"),
    Flag("prefix", help="Put before the names of --from"),
    Flag("resolve", kind="bool", help="With --list: show the values that references lead to", refused=True),
)


def run(kubectl: Kubectl) -> int:
    flags = kubectl.flags
    words: list[str] = []
    pairs: list[str] = list(flags["env"])
    for text in kubectl.args:
        if ("=" in text and text[0] != "=") or (text.endswith("-") and text != "-"):
            pairs.append(text)
        elif pairs and not flags["env"]:
            raise Failure(f"all resources must be specified before environment changes: {text}")
        else:
            words.append(text)
    setting.check(kubectl, words)
    if flags["list"] and pairs:
        raise not_simulated("kubectl set env --list with changes")
    if flags["list"]:
        return _list(kubectl, words)
    new, gone = _parse(pairs)
    if flags["from"]:
        new = {**_from(kubectl), **new}
    errors: list[Exception] = []

    def change(info: Info) -> Object:
        def on(container: Object) -> Object:
            if not fnmatchcase(container["name"], flags["containers"]):
                return container
            have = list(container.get("env") or ())
            if not flags["overwrite"]:
                taken = [e["name"] for e in have if e["name"] in new]
                if taken:
                    raise NotChanged(
                        f"'{taken[0]}' already has a value ({get_value(have, taken[0])}), and --overwrite is false"
                    )
            kept = [new.get(e["name"], e) for e in have if e["name"] not in gone]
            names = {e["name"] for e in have}
            kept += [entry for name, entry in new.items() if name not in names]
            return {**{k: v for k, v in container.items() if k != "env"}, **({"env": kept} if kept else {})}

        return with_pod_spec(
            info.obj, lambda spec: with_containers(with_containers(spec, "containers", on), "initContainers", on)
        )

    return setting.change(kubectl, words, change, "env updated", "env update", errors)


def get_value(env: list[Object], name: str) -> str:
    return next((str(e.get("value", "")) for e in env if e["name"] == name), "")


def _parse(pairs: list[str]) -> tuple[dict[str, Object], set[str]]:
    from labsim.kube.validation import env_var_name

    new: dict[str, Object] = {}
    gone: set[str] = set()
    for text in pairs:
        if "=" in text:
            name, _, value = text.partition("=")
            problems = env_var_name(name)
            if problems:
                raise Failure(f'"{name}" is not a valid key name: {";".join(problems)}')
            new[name] = {"name": name, "value": value} if value else {"name": name}
        elif text.endswith("-"):
            gone.add(text[:-1])
        else:
            raise Failure(f"unknown env spec: {text}")
    return new, gone


def _from(kubectl: Kubectl) -> dict[str, Object]:
    infos = kubectl.resources([kubectl.flags["from"]]).all_infos()
    wanted = set(kubectl.flags["keys"])
    found: dict[str, Object] = {}
    for info in infos:
        kind = {"configmaps": "configMapKeyRef", "secrets": "secretKeyRef"}.get(info.resource.key)
        if kind is None:
            raise Failure(f"unsupported resource specified in --from: {info.kind_name}")
        for key in sorted(get_in(info.obj, "data", default={})):
            if wanted and key not in wanted:
                continue
            name = "".join(c if c.isalnum() else "_" for c in key).upper()
            if name != key:
                kubectl.err(f"Warning: key {key} transferred to {name}\n")
            name = kubectl.flags["prefix"] + name
            source: Any = {kind: {"name": info.name, "key": key}}
            found[name] = {"name": name, "valueFrom": source}
    return found


def _list(kubectl: Kubectl, words: list[str]) -> int:
    from labsim.commands.kubectl.templates_change import pod_spec_path

    for info in setting.infos_of(kubectl, words):
        spec = get_in(info.obj, *pod_spec_path(info.obj), default={})
        chosen = [c for c in spec.get("containers") or () if fnmatchcase(c["name"], kubectl.flags["containers"])]
        for container in chosen:
            kubectl.out(f"# {info.resource.kind} {info.name}, container {container['name']}\n")
            for entry in container.get("env") or ():
                kubectl.out(_shown(entry))
    return 0


def _shown(entry: Object) -> str:
    source = entry.get("valueFrom")
    if not source:
        return f"{entry['name']}={entry.get('value', '')}\n"
    if "configMapKeyRef" in source:
        ref = source["configMapKeyRef"]
        return f"# {entry['name']} from configmap {ref['name']}, key {ref['key']}\n"
    if "secretKeyRef" in source:
        ref = source["secretKeyRef"]
        return f"# {entry['name']} from secret {ref['name']}, key {ref['key']}\n"
    if "fieldRef" in source:
        return f"# {entry['name']} from field path {source['fieldRef']['fieldPath']}\n"
    ref = source.get("resourceFieldRef") or {}
    container = f", container {ref['containerName']}" if ref.get("containerName") else ""
    return f"# {entry['name']} from resource field path {ref.get('resource')}{container}\n"
