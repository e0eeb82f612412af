"""`file`, `answer`, `history`, `unchanged`: what the learner wrote, answered, did, and left alone."""

from __future__ import annotations

import re
from typing import Any

from labsim.kube.objects import Object, labels_of, name_of, namespace_of
from labsim.kube.selectors import parse_label
from labsim.sim.journal import Write
from labsim.tickets.checks.compare import find, same, show
from labsim.tickets.ignored import comparable
from labsim.tickets.scene import LEARNERS, CheckError, Scene, Verdict, verdict


def file(spec: dict[str, Any], scene: Scene) -> Verdict:
    text = scene.read_file(spec["path"])
    read = f"file {spec['path']}"
    if spec["absent"] is not None:
        return verdict((text is None) == spec["absent"], read, "absent" if spec["absent"] else "present",
                       "absent" if text is None else "present")  # fmt: skip
    if spec["equals"] is not None:
        want = f"exactly {spec['equals'].strip()[:80]!r}"
        holds = text is not None and text.rstrip() == spec["equals"].rstrip()
    elif spec["contains"] is not None:
        want = f"containing {spec['contains']!r}"
        holds = text is not None and spec["contains"] in text
    else:
        want = f"matching /{spec['matches']}/"
        holds = text is not None and re.search(spec["matches"], text, re.MULTILINE) is not None
    return verdict(holds, read, want, "no such file" if text is None else f"{text.strip()[:80]!r}")


def answer(spec: dict[str, Any], scene: Scene) -> Verdict:
    given = scene.answers.get(spec["id"])
    holds = given is not None and any(given.strip().casefold() == v.strip().casefold() for v in spec["values"])
    # The right value is never shown: the debrief does that after submit.
    return verdict(holds, f"answer to {spec['id']}", "the right answer", "no answer" if given is None else given)


def history(spec: dict[str, Any], scene: Scene) -> Verdict:
    read = "writes to " + _target(spec)
    wanted = spec["verb"] or "write"
    by = "the learner" if spec["actor"] == "learner" else "anyone"
    change = f" of {spec['path']}" if spec["path"] else ""
    expected = f"a {wanted}{change} by {by}"
    for write in scene.writes:
        if _write_fits(spec, write, scene):
            return verdict(True, read, expected, f"{write.verb} of {write.name} in input {write.input}")
    return verdict(False, read, expected, "none")


def _write_fits(spec: dict[str, Any], write: Write, scene: Scene) -> bool:
    if write.resource != scene.key(spec["resource"]):
        return False
    if spec["actor"] == "learner" and write.actor not in LEARNERS:
        return False
    if spec["verb"] and not _verb_fits(spec["verb"], write):
        return False
    if (spec["name"] and write.name != spec["name"]) or (spec["namespace"] and write.namespace != spec["namespace"]):
        return False
    shown = write.after if write.after is not None else write.before
    if shown is None or (spec["selector"] and not parse_label(spec["selector"]).matches(labels_of(shown))):
        return False
    if not spec["path"]:
        return True
    old = find(write.before, spec["path"]) if write.before is not None else []
    new = find(write.after, spec["path"]) if write.after is not None else []
    if old == new:
        return False
    return _value_fits(spec["before"], old) and _value_fits(spec["after"], new)


def _verb_fits(verb: str, write: Write) -> bool:
    """A graceful delete is an update that sets deletionTimestamp; to the learner it is the delete."""
    begun = (
        write.before is not None and write.after is not None
        and "deletionTimestamp" in write.after["metadata"] and "deletionTimestamp" not in write.before["metadata"]
    )  # fmt: skip
    if verb == "delete":
        return write.verb == "delete" or begun
    return write.verb == verb and not begun


def _value_fits(wanted: Any, values: list[Any]) -> bool:
    if wanted is None:
        return True
    if wanted == "absent":
        return not values
    return bool(values) and same(values[0] if len(values) == 1 else values, wanted)


def _target(spec: dict[str, Any]) -> str:
    return f"{spec['resource']}" + (f"/{spec['name']}" if spec["name"] else "") + (
        f" -n {spec['namespace']}" if spec["namespace"] else "") + (
        f" -l {spec['selector']}" if spec["selector"] else "")  # fmt: skip


def unchanged(spec: dict[str, Any], scene: Scene) -> Verdict:
    key = scene.key(spec["resource"])
    before = {_place(o): o for o in scene.at(scene.baseline).list(key, spec["namespace"], spec["selector"])}
    after = {_place(o): o for o in scene.reader.list(key, spec["namespace"])}
    if spec["names"]:
        missing = [n for n in spec["names"] if n not in {place[1] for place in before}]
        if missing:
            raise CheckError(f"unchanged: the baseline has no {spec['resource']} {', '.join(missing)}")
    places = [p for p in before if _wanted(spec, p[1])]
    if not places and not spec["selector"]:
        raise CheckError(f"unchanged: the baseline has no {spec['resource']} to compare")
    read = f"{_target({**spec, 'name': ','.join(spec['names'])})} against the start"
    for place in places:
        if place not in after:
            return verdict(False, read, "unchanged", f"{'/'.join(p for p in place if p)} is gone")
        difference = _difference(key, before[place], after[place], spec["paths"])
        if difference:
            return verdict(False, read, "unchanged", f"{place[1]}: {difference}")
    if not spec["allow_new"] and not spec["names"]:
        now = {_place(o) for o in scene.list(key, spec["namespace"], spec["selector"])}
        new = sorted(p for p in now if p not in before and _wanted(spec, p[1]))
        if new:
            return verdict(False, read, "nothing new", f"{'/'.join(p for p in new[0] if p)} is new")
    return verdict(True, read, "unchanged", "unchanged")


def _wanted(spec: dict[str, Any], name: str) -> bool:
    return (not spec["names"] or name in spec["names"]) and name not in spec["except_names"]


def _place(obj: Object) -> tuple[str, str]:
    return namespace_of(obj), name_of(obj)


def _difference(key: str, before: Object, after: Object, paths: list[str]) -> str:
    """The first difference as `path: old -> new`, or ''."""
    if paths:
        for path in paths:
            old, new = find(before, path), find(after, path)
            if old != new:
                return f"{path}: {_short(old)} -> {_short(new)}"
        return ""
    return _walk(comparable(key, before), comparable(key, after), "")


def _walk(old: Any, new: Any, path: str) -> str:
    if isinstance(old, dict) and isinstance(new, dict):
        for name in sorted({**old, **new}):
            found = _walk(old.get(name), new.get(name), f"{path}.{name}")
            if found:
                return found
        return ""
    return "" if old == new else f"{path}: {_short(old)} -> {_short(new)}"


def _short(value: Any) -> str:
    if value is None or value == []:
        return "absent"
    text = show(value)
    return text if len(text) <= 60 else text[:57] + "..."
