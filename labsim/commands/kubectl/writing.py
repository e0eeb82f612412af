"""What the verbs that change objects share: dry runs, their flags, and the line or object they print."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal

from labsim.commands.base import WaitEnd
from labsim.commands.kubectl import printers
from labsim.commands.kubectl.builder import Result
from labsim.commands.kubectl.errors import Exit, Failure
from labsim.commands.kubectl.flags import Flag
from labsim.kube.objects import Object, name_of
from labsim.kube.scheme import Resource

if TYPE_CHECKING:
    from labsim.commands.kubectl.session import Kubectl

DryRun = Literal["none", "client", "server"]

DRY_RUN = Flag(
    "dry-run",
    bare="unchanged",
    default="none",
    help="none, server or client: client only prints the object that would be sent, server sends it without storing it",
)
VALIDATE = Flag(
    "validate",
    default="strict",
    bare="strict",
    help="strict (true), warn or ignore (false): what to do about unknown and duplicate fields",
)
ALL = Flag("all", kind="bool", help="All objects of the kinds in the namespace")
LOCAL = Flag("local", kind="bool", help="Work on the files only, do not contact the server")
RESOURCE_VERSION = Flag("resource-version", help="Change the object only if this is its resource version")
# Removed from the help of the real one, still accepted with a note (kubectl 1.35).
RECORD = Flag("record", kind="bool", help="Record the command line in the annotation kubernetes.io/change-cause")
CHANGE_CAUSE = "kubernetes.io/change-cause"


def field_manager(name: str) -> Flag:
    return Flag("field-manager", default=name, help="Name of the manager that owns the fields")


def dry_run(kubectl: Kubectl) -> DryRun:
    """Raises Failure for a value that is none; the old boolean forms mean client and say so."""
    value = str(kubectl.flags["dry-run"])
    if value in ("none", "client", "server"):
        return value  # type: ignore[return-value]
    if value == "unchanged":
        _klog(kubectl, 719, "--dry-run is deprecated and can be replaced with --dry-run=client.")
        return "client"
    if value in ("1", "t", "T", "true", "TRUE", "True"):
        text = f"--dry-run={value} is deprecated (boolean value) and can be replaced with --dry-run=client."
        _klog(kubectl, 733, text)
        return "client"
    if value in ("0", "f", "F", "false", "FALSE", "False"):
        text = f"--dry-run={value} is deprecated (boolean value) and can be replaced with --dry-run=none."
        _klog(kubectl, 736, text)
        return "none"
    raise Failure(f'Invalid dry-run value ({value}). Must be "none", "server", or "client".')


def _klog(kubectl: Kubectl, line: int, text: str) -> None:
    """A warning of klog; its process id is the only part that is made up: 1."""
    from labsim.sim.clock import rfc3339

    now = rfc3339(kubectl.now())  # 2026-11-10T09:41:00Z
    stamp = f"{now[5:7]}{now[8:10]} {now[11:19]}.{kubectl.now() % 1000:03d}000"
    kubectl.err(f"W{stamp}       1 helpers.go:{line}] {text}\n")


def record(kubectl: Kubectl) -> bool:
    """Whether --record was given; tells that it is deprecated, as pflag does for each use."""
    if kubectl.given("record"):
        kubectl.err("Flag --record has been deprecated, --record will be removed in the future\n")
    return bool(kubectl.flags["record"])


def change_cause(kubectl: Kubectl) -> str:
    """What --record writes: the command with its arguments first, then its flags in long form."""
    flags = (f"--{name}={text}" for name, text in kubectl.flags.typed)
    return " ".join((kubectl.path, *kubectl.args, *flags))


def validation(kubectl: Kubectl) -> str:
    """--validate as the server's fieldValidation. Raises Failure."""
    value = str(kubectl.flags["validate"])
    known = {"strict": "Strict", "true": "Strict", "warn": "Warn", "ignore": "Ignore", "false": "Ignore"}
    if value.lower() not in known and value not in ("1", "0", "t", "f", "T", "F"):
        raise Failure(f'invalid - validate option "{value}"; must be one of: strict (or true), warn, ignore (or false)')
    return known.get(value.lower()) or ("Strict" if value in ("1", "t", "T") else "Ignore")


def report(kubectl: Kubectl, obj: Object, operation: str, dry: DryRun = "none", res: Resource | None = None) -> None:
    """`kind.group/name OPERATION`, or what -o asks for. `obj` has apiVersion and kind unless `res` is given."""
    kubectl.out(result_text(kubectl, obj, operation, dry, res))


def result_text(
    kubectl: Kubectl, obj: Object, operation: str, dry: DryRun = "none", res: Resource | None = None
) -> str:
    output = str(kubectl.flags.get("output", ""))
    if res is not None and not (obj.get("kind") and obj.get("apiVersion")):
        obj = {"apiVersion": res.api_version, "kind": res.kind, **obj}
    if output or kubectl.flags.get("template"):
        return printers.printer(kubectl)(obj)
    group = str(obj.get("apiVersion", "")).rpartition("/")[0]
    name = f"{str(obj.get('kind', '')).lower()}{'.' + group if group else ''}/{name_of(obj) or '<unknown>'}"
    return f"{name} {operation}{suffix(dry)}\n"


def suffix(dry: DryRun) -> str:
    return {"client": " (dry run)", "server": " (server dry run)"}.get(dry, "")


def check_output(kubectl: Kubectl) -> None:
    """Raises Failure for an -o that this verb has not, before anything is done."""
    if kubectl.flags["output"] or kubectl.flags["template"]:
        printers.printer(kubectl)


def one_item(kubectl: Kubectl, result: Result) -> bool:
    """The real one's IntoSingleItemImplied: one name, or one file whatever it holds."""
    paths = kubectl.flags.get("filename") or ()
    if not paths:
        return result.single
    return len(paths) == 1 and paths[0] != "-" and not kubectl.ctx.fs.is_dir(paths[0])


def patch(kubectl: Kubectl, res: Resource, name: str, namespace: str, body: Any, kind: str, **options: Any) -> Object:
    """Send a patch; the server's warnings are printed. The answer has apiVersion and kind."""
    warnings: list[str] = []
    answer = kubectl.client.patch(res.key, name, body, kind, namespace, warnings=warnings, **options)
    kubectl.warn(warnings)
    return {"apiVersion": res.api_version, "kind": res.kind, **answer}


def wait(kubectl: Kubectl, until: Callable[[], bool], timeout_ms: int | None = None) -> bool:
    """Let time pass until the condition holds; False when `timeout_ms` went by first."""
    end = kubectl.ctx.advance(until, timeout_ms)
    if end not in (WaitEnd.DONE, WaitEnd.TIMEOUT):
        raise Exit(130)
    return end is WaitEnd.DONE
