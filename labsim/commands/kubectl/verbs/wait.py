"""kubectl wait (kubectl.md 4.6)."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from labsim.commands.kubectl import printers
from labsim.commands.kubectl.builder import Info, build, raise_all
from labsim.commands.kubectl.errors import Failure
from labsim.commands.kubectl.flags import Flag
from labsim.commands.kubectl.global_flags import ALL_NAMESPACES, FIELD_SELECTOR, FILENAME, OUTPUT, SELECTOR
from labsim.commands.kubectl.waiting import wait_until
from labsim.kube.errors import ApiError
from labsim.kube.objects import Object, get_in, uid_of

if TYPE_CHECKING:
    from labsim.commands.kubectl.session import Kubectl

USAGE = (
    "wait ([-f FILENAME] | resource.group/resource.name | resource.group [(-l label | --all)]) "
    "[--for=create|--for=delete|--for condition=available|--for=jsonpath='{}'[=value]]"
)
ABOUT = """Wait until objects meet a condition, have a value in a field, exist or are gone.

 Without --timeout it waits for 30 seconds for each object."""
EXAMPLES = """  # Until a pod is ready, until a node's MIG manager is done, until a pod is gone
  kubectl wait --for=condition=Ready pod/web-0 --timeout=2m
  kubectl wait --for=jsonpath='{.metadata.labels.nvidia\\.com/mig\\.config\\.state}'=success node/gpu-node2
  kubectl wait --for=delete pod/web-0"""
SPEC = (
    *OUTPUT,
    FILENAME[0],
    Flag("recursive", "R", kind="bool", default=True, help="Read directories of -f with all below them"),
    SELECTOR,
    FIELD_SELECTOR,
    ALL_NAMESPACES,
    Flag("all", kind="bool", help="All objects of the kind in the namespace"),
    Flag("for", help="create, delete, condition=NAME[=VALUE] or jsonpath='{PATH}'[=VALUE]"),
    Flag("local", kind="bool", help="Do not ask the server", refused=True),
    Flag("timeout", kind="duration", default=30_000, help="How long to wait; 0 looks once, negative is a week"),
)
_WEEK = 7 * 24 * 3600 * 1000

Test = Callable[[Object | None], bool]


def run(kubectl: Kubectl) -> int:
    condition, test = condition_for(kubectl.flags["for"])
    show = printers.printer(kubectl) if kubectl.flags["output"] or kubectl.flags["template"] else None
    timeout = kubectl.flags["timeout"]
    timeout = _WEEK if timeout < 0 else timeout
    deadline = kubectl.now() + timeout
    if condition == "create":
        _until_created(kubectl, deadline)
    result = build(
        kubectl,
        kubectl.args,
        all_without_selector=False,
        select_all=kubectl.flags["all"],
        selector=kubectl.flags["selector"],
    )
    infos, errors = result.infos()
    if condition == "delete":
        errors = [e for e in errors if not (isinstance(e, ApiError) and e.code == 404)]
    elif not infos and not errors:
        raise Failure("no matching resources found")
    raise_all(errors)
    failed: list[Exception] = []
    for info in infos:
        final = _wait(kubectl, info, condition, test, deadline, timeout)
        if isinstance(final, Exception):
            failed.append(final)
        elif show is not None:
            kubectl.emit(show(final))
        else:
            kubectl.emit(f"{info.kind_name} condition met\n")
    raise_all(failed)
    return 0


def _wait(kubectl: Kubectl, info: Info, condition: str, test: Test, deadline: int, timeout: int) -> Object | Exception:
    res = info.resource
    uid = uid_of(info.obj)

    def present() -> Object | None:
        return kubectl.client.find(res.key, info.name, info.namespace)

    def met() -> bool:
        found = present()
        if condition == "delete":
            return found is None or uid_of(found) != uid
        return test(found) if found is not None else False

    if timeout == 0 and not met():
        return Failure(f"condition not met for {res.plural}/{info.name}")
    if not wait_until(kubectl, met, deadline):
        return Failure(f"timed out waiting for the condition on {res.plural}/{info.name}")
    return present() or info.obj


def _until_created(kubectl: Kubectl, deadline: int) -> None:
    if kubectl.flags["timeout"] == 0:
        raise Failure("--for=create requires a timeout value greater than 0")
    if kubectl.flags["all"] or kubectl.flags["selector"]:
        return

    def created() -> bool:
        result = build(kubectl, kubectl.args, all_without_selector=False)
        infos, errors = result.infos()
        return bool(infos) and not errors

    if not wait_until(kubectl, created, deadline):
        raise Failure("timed out waiting for the condition")


def condition_for(text: str) -> tuple[str, Test]:
    """(delete, create or condition, what must hold of the object). Raises Failure."""
    lowered = text.lower()
    if lowered in ("delete", "create"):
        return lowered, lambda obj: obj is not None
    if text.startswith("condition="):
        name, equals, value = text.removeprefix("condition=").partition("=")
        wanted = value if equals else "true"
        return "condition", lambda obj: _condition(obj or {}, name, wanted)
    if text.startswith("jsonpath="):
        return "jsonpath", _jsonpath(text.removeprefix("jsonpath="))
    raise Failure(f'unrecognized condition: "{text}"')


def _condition(obj: Object, name: str, wanted: str) -> bool:
    for condition in get_in(obj, "status", "conditions", default=()):
        if str(condition.get("type", "")).lower() != name.lower():
            continue
        generation = get_in(obj, "metadata", "generation")
        observed = condition.get("observedGeneration", get_in(obj, "status", "observedGeneration"))
        if generation is not None and observed is not None and observed < generation:
            return False
        return str(condition.get("status", "")).casefold() == wanted.casefold()
    return False


def _jsonpath(text: str) -> Test:
    from labsim.kube.jsonpath import JSONPathError, Template, relaxed

    path, equals, value = _split(text)
    if equals and not value.strip("'\""):
        raise Failure(
            "jsonpath wait has to have a value after equal sign, like --for=jsonpath='{.status.readyReplicas}'=3"
        )
    wanted = value[1:-1] if len(value) > 1 and value[0] == value[-1] and value[0] in "'\"" else value
    try:
        template = Template.parse(relaxed(path))
    except JSONPathError as error:
        raise Failure(str(error)) from None

    def holds(obj: Object | None) -> bool:
        try:
            found = template.find(obj)
        except JSONPathError as error:
            raise Failure(str(error)) from None
        values = [v for group in found for v in group]
        if not values:
            return False
        if not equals:
            return True
        if len(values) > 1:
            raise Failure(
                "given jsonpath expression matches more than one value"
                if len(found) == 1
                else "given jsonpath expression matches more than one list"
            )
        if isinstance(values[0], dict | list):
            raise Failure("jsonpath leads to a nested object or list which is not supported")
        from labsim.kube.gofmt import plain

        return plain(values[0]).strip() == wanted.strip()

    return holds


def _split(text: str) -> tuple[str, str, str]:
    """`{expression}=value`: the sign that parts them stands outside braces and quotes."""
    depth = 0
    for at, char in enumerate(text):
        depth += {"{": 1, "}": -1}.get(char, 0)
        if char == "=" and depth == 0:
            return text[:at], "=", text[at + 1 :]
    return text, "", ""
