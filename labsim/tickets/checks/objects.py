"""`object` and `objects`: a field of one object, or of every object of a selection."""

from __future__ import annotations

from typing import Any

from labsim.kube.objects import Object, name_of, namespace_of
from labsim.tickets.checks.compare import expected_text, find, satisfied, show
from labsim.tickets.scene import CheckError, Scene, Verdict, verdict


def object_(spec: dict[str, Any], scene: Scene) -> Verdict:
    obj = scene.get(spec["resource"], spec["namespace"], spec["name"])
    read = f"{spec['resource']}/{spec['name']}" + (f" -n {spec['namespace']}" if spec["namespace"] else "")
    op, path = spec["op"], spec["path"]
    if not path:
        if op not in ("exists", "absent"):
            raise CheckError(f"object check of {read} has op {op} but no path")
        return verdict((obj is not None) == (op == "exists"), read, expected_text(op, None), _presence(obj))
    read += f" {path}"
    if obj is None:
        # A field of an object that is not there is absent; nothing else can be said of it.
        return verdict(op == "absent", read, expected_text(op, spec["value"]), "no such object")
    values = find(obj, path)
    holds = satisfied(values, op, spec["value"])
    return verdict(holds, read, expected_text(op, spec["value"]), _values(values))


def objects(spec: dict[str, Any], scene: Scene) -> Verdict:
    found = scene.list(spec["resource"], spec["namespace"], spec["selector"], spec["field_selector"])
    read = _selection(spec)
    op, value, path, quantifier = spec["op"], spec["value"], spec["path"], spec["quantifier"]
    if quantifier == "count":
        if path:
            raise CheckError("a count looks at no path; select with selector or field_selector")
        return verdict(satisfied([len(found)], op, value), read, expected_text(op, value) + " objects", str(len(found)))
    if not found and not spec["allow_empty"]:
        raise CheckError(f"{read}: nothing is selected")
    if not path:
        raise CheckError(f"{read}: {quantifier} needs a path")
    matching = [obj for obj in found if satisfied(find(obj, path), op, value)]
    others = [obj for obj in found if obj not in matching]
    expected = f"{quantifier} {path} {expected_text(op, value)}"
    if quantifier == "every":
        return verdict(not others, read, expected, _listing(others, path) if others else f"all {len(found)}")
    if quantifier == "any":
        return verdict(bool(matching), read, expected, _listing(found, path))
    return verdict(not matching, read, expected, _listing(matching, path) if matching else "none")


def _presence(obj: Object | None) -> str:
    return "absent" if obj is None else "present"


def _values(values: list[Any]) -> str:
    return ", ".join(show(v) for v in values) if values else "absent"


def _selection(spec: dict[str, Any]) -> str:
    parts = [spec["resource"]]
    if spec["namespace"]:
        parts.append(f"-n {spec['namespace']}")
    if spec["selector"]:
        parts.append(f"-l {spec['selector']}")
    if spec["field_selector"]:
        parts.append(f"--field-selector {spec['field_selector']}")
    return " ".join(parts)


def _listing(found: list[Object], path: str) -> str:
    names = []
    for obj in found[:4]:
        place = f"{namespace_of(obj)}/" if namespace_of(obj) else ""
        names.append(f"{place}{name_of(obj)}: {_values(find(obj, path))}")
    more = f" and {len(found) - 4} more" if len(found) > 4 else ""
    return "; ".join(names) + more if names else "none"
