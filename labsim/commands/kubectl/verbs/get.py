"""kubectl get: tables and every other form of output, and -w (kubectl.md 1)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from labsim.commands.kubectl import printers
from labsim.commands.kubectl.builder import Found, Result, raise_all
from labsim.commands.kubectl.errors import Failure, UsageFailure, not_simulated
from labsim.commands.kubectl.flags import Flag
from labsim.commands.kubectl.global_flags import ALL_NAMESPACES, CHUNK_SIZE, FIELD_SELECTOR, FILENAME, OUTPUT, SELECTOR
from labsim.commands.kubectl.printers import table
from labsim.kube.errors import ApiError, no_such_path
from labsim.kube.objects import Object, name_of, namespace_of

if TYPE_CHECKING:
    from labsim.commands.kubectl.session import Kubectl

USAGE = (
    "get [(-o|--output=)FORMAT] (TYPE[.VERSION][.GROUP] [NAME | -l label] | TYPE[.VERSION][.GROUP]/NAME ...) [flags]"
)
ABOUT = """Show one or many objects.

 A table has one line an object; the server decides on its columns. Without -n or -A only the namespace of the current
context is looked at. Kinds without namespace ignore it."""
EXAMPLES = """  # The pods of the current namespace, then those of all
  kubectl get pods
  kubectl get pods -A -o wide

  # One object as YAML, one field of many
  kubectl get node gpu-node1 -o yaml
  kubectl get nodes -o custom-columns=NAME:.metadata.name,GPUS:'.status.allocatable.nvidia\\.com/gpu'"""
SPEC = (
    *OUTPUT,
    *FILENAME,
    SELECTOR,
    FIELD_SELECTOR,
    ALL_NAMESPACES,
    CHUNK_SIZE,
    Flag("ignore-not-found", kind="bool", help="A missing object is no error"),
    Flag("label-columns", "L", kind="slice", help="Labels to show as columns (comma-separated, may be repeated)"),
    Flag("no-headers", kind="bool", help="Print no column heads"),
    Flag("output-watch-events", kind="bool", help="With -w: print which event each line is"),
    Flag("raw", help="Print what the server answers at this path"),
    Flag("server-print", kind="bool", default=True, help="Let the server make the table (false is not simulated)"),
    Flag("show-kind", kind="bool", help="Put the kind before each name"),
    Flag("show-labels", kind="bool", help="All labels in the last column"),
    Flag("sort-by", help="Order of a list: a JSONPath expression of the field, such as .metadata.creationTimestamp"),
    Flag("subresource", help="Show this subresource of the object (status or scale)"),
    Flag("watch", "w", kind="bool", help="After the list, go on with changes"),
    Flag("watch-only", kind="bool", help="Only changes, no list"),
)
_NOTHING_ASKED = (
    'You must specify the type of resource to get. Use "kubectl api-resources" for a complete list of supported '
    "resources.\n\n"
)


def run(kubectl: Kubectl) -> int:
    flags = kubectl.flags
    if flags["raw"]:
        from labsim.commands.kubectl.raw import get_raw

        return get_raw(kubectl)
    if not flags["server-print"]:
        raise Failure("labsim: kubectl get --server-print=false is not simulated", prefix=False)
    watching = flags["watch"] or flags["watch-only"]
    if not kubectl.args and not flags["filename"] and not flags["kustomize"]:
        kubectl.err(_NOTHING_ASKED)
        raise UsageFailure(
            kubectl.path,
            'Required resource not specified.\nUse "kubectl explain <resource>" for a detailed description of that '
            "resource (e.g. kubectl explain pods).",
        )
    if flags["show-labels"] and flags["output"] not in ("", "wide"):
        raise Failure(f"--show-labels option cannot be used with {flags['output'].partition('=')[0]} printer")
    if flags["output-watch-events"] and not watching:
        raise UsageFailure(kubectl.path, "--output-watch-events option can only be used with --watch or --watch-only")
    if watching:
        from labsim.commands.kubectl.watching import watch

        return watch(kubectl)
    result = kubectl.resources()
    if flags["subresource"]:
        result = _subresource(kubectl, result)
    if is_table(kubectl):
        return _tables(kubectl, result)
    return _generic(kubectl, result)


def _subresource(kubectl: Kubectl, result: Result) -> Result:
    """status is the object itself, scale its Scale (not as a table). Raises Failure, ApiError for unknown ones."""
    wanted = kubectl.flags["subresource"]
    found, errors = result.fetch()
    if any(answer.is_list for answer in found):
        raise Failure("subresource cannot be used when bulk resources are specified")
    raise_all(errors)
    for answer in found:
        if wanted not in answer.resource.subresources:
            raise no_such_path()
        if wanted == "scale":
            obj = answer.objects[0]
            answer.objects = [kubectl.client.get_scale(answer.resource.key, name_of(obj), namespace_of(obj))]
    if wanted != "status" and (wanted != "scale" or is_table(kubectl)):
        raise not_simulated(f"kubectl get --subresource={wanted}" + (" as a table" if wanted == "scale" else ""))
    return result.answered(found)


def is_table(kubectl: Kubectl) -> bool:
    return kubectl.flags["output"] in ("", "wide") and not kubectl.flags["template"]


def look_of(kubectl: Kubectl, with_kind: bool) -> table.Look:
    flags = kubectl.flags
    return table.Look(
        wide=flags["output"] == "wide",
        namespace=flags["all-namespaces"],
        with_kind=with_kind,
        label_columns=tuple(flags["label-columns"]),
        show_labels=flags["show-labels"],
        headers=not flags["no-headers"],
    )


def _missing(error: Exception) -> bool:
    return isinstance(error, ApiError) and error.code == 404 and error.reason == "NotFound"


def _tables(kubectl: Kubectl, result: Result) -> int:
    flags = kubectl.flags
    found, errors = result.fetch()
    if flags["ignore-not-found"]:
        errors = [error for error in errors if not _missing(error)]
    text = tables_text(kubectl, found)
    kubectl.out(text)
    if not text and not flags["ignore-not-found"] and not errors:
        kubectl.err(nothing_found(kubectl, found))
    raise_all(errors)
    return 0


def nothing_found(kubectl: Kubectl, found: list[Found]) -> str:
    if not kubectl.flags["all-namespaces"] and all(answer.resource.namespaced for answer in found):
        return f"No resources found in {kubectl.namespace} namespace.\n"
    return "No resources found\n"


def tables_text(kubectl: Kubectl, found: list[Found]) -> str:
    """One table a kind, in the order asked for; kinds that follow each other share a table."""
    many = len({answer.resource.key for answer in found}) > 1
    look = look_of(kubectl, kubectl.flags["show-kind"] or many)
    parts: list[str] = []
    at = 0
    while at < len(found):
        res, objects = found[at].resource, []
        while at < len(found) and found[at].resource is res:
            objects += found[at].objects
            at += 1
        objects = _sorted(kubectl, objects, in_table=True)
        if not objects:
            continue
        heads, rows = table.head_and_rows(kubectl.client, res, objects, kubectl.now(), look)
        parts.append(table.render([heads, *rows] if look.headers else rows))
    return ("\n" if look.headers else "").join(parts)


def _sorted(kubectl: Kubectl, objects: list[Object], in_table: bool) -> list[Object]:
    expression = kubectl.flags["sort-by"]
    if not expression:
        return objects
    from labsim.commands.kubectl.printers.templates import sort_objects

    return sort_objects(objects, expression, in_table=in_table)


def _generic(kubectl: Kubectl, result: Result) -> int:
    found, errors = result.fetch()
    if result.single and errors:
        if kubectl.flags["ignore-not-found"] and all(map(_missing, errors)):
            return 0
        raise_all(errors)
    objects = [obj for answer in found for obj in answer.objects]
    if kubectl.flags["ignore-not-found"]:
        errors = [error for error in errors if not _missing(error)]
        if not found and not errors:
            return 0
    show = printers.printer(kubectl, printers.GET_FORMATS)
    if result.single and len(objects) == 1:
        kubectl.out(show(objects[0]))
    else:
        kubectl.out(show(list_object(_sorted(kubectl, objects, in_table=False))))
    raise_all(errors)
    return 0


def list_object(objects: list[Object]) -> Object:
    return {"apiVersion": "v1", "kind": "List", "metadata": {"resourceVersion": ""}, "items": objects}
