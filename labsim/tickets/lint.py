"""What `labsim ticket lint` asks beyond the schema (peers-and-tickets.md 4): of the file, or of the fresh world.

A finding is a DocumentError that is not raised: file, line, field, and what was expected. `static` needs the file only;
`fresh` opens the ticket once a seed and looks at the world as a learner gets it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path
from typing import Any

from labsim.documents import Document, DocumentError, Place, read
from labsim.tickets.checks import evaluate
from labsim.tickets.grading import Gradable, grade
from labsim.tickets.render import draw, fill

SHARED = 120  # characters that a hint may not have in common with an answer
KINDS = ("no-op", "shortcut", "wrong-target")
# Values that say nothing of a ticket's own, so that a story need not name them.
_COMMON = {"true", "false", "success", "Running", "Pending", "Enabled", "Disabled"}
# `never` is the honest word for a page nobody has opened yet.
_DATE = re.compile(r"(\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])|never)$")
_RENDERED = ("title", "story", "goals", "guards", "hints", "answers", "rejects", "symptom", "setup", "files")


def static(path: Path) -> list[DocumentError]:
    """The findings that the file alone shows. The file must have passed the schema (`load.compile_ticket`)."""
    document = read(path)
    found = [
        *_literals(document), *_rejects(document), *_dead(document), *_dates(document), *_hints(document),
        *_pinned(document), *_twins(document),
    ]  # fmt: skip
    return sorted(found, key=lambda error: error.line)


def fresh(path: Path, ticket: dict[str, Any], lab: Gradable) -> list[DocumentError]:
    """The findings of one seed: a goal that holds, a guard that is tripped, a symptom or check that cannot be judged.

    `ticket` is the rendered ticket of an untouched `lab`.
    """
    document, found = read(path), []
    judged = grade(ticket, lab)
    for part, rows in (("goals", judged.goals), ("guards", judged.guards)):
        for index, row in enumerate(rows):
            place = (part, index, "check")
            said = f"(seed {ticket['seed']}, {row.verdict.read}: {row.verdict.found})"
            if row.verdict.status == "error":
                found.append(document.error(place, f"a check that can be judged {said}"))
            elif part == "goals" and row.verdict.holds:
                found.append(document.error(place, f"a goal that is not yet true at the start {said}"))
            elif part == "guards" and not row.verdict.holds:
                found.append(document.error(place, f"a guard that holds at the start {said}"))
    for index, check in enumerate(ticket["symptom"]):
        verdict = evaluate(check, lab.scene())
        if not verdict.holds:
            said = f"(seed {ticket['seed']}, {verdict.read}: {verdict.found})"
            found.append(document.error(("symptom", index), f"a symptom that shows at the start {said}"))
    return found


def strings(value: Any, place: Place = ()) -> Iterator[tuple[Place, str]]:
    """Every string below `value` with its place."""
    if isinstance(value, str):
        yield place, value
    elif isinstance(value, dict):
        for key, part in value.items():
            yield from strings(part, (*place, key))
    elif isinstance(value, list):
        for index, part in enumerate(value):
            yield from strings(part, (*place, index))


def _seeds(data: dict[str, Any]) -> list[int]:
    return [*data["seeds"]["deployed"], *data["seeds"].get("exam_only", [])]


def _values(data: dict[str, Any], seed: int) -> dict[str, Any]:
    return draw(str(data["id"]), data.get("params") or {}, seed)


def _literals(document: Document) -> Iterator[DocumentError]:
    """A drawn name that a text or a check spells out is right for one seed and wrong for the others."""
    data = document.data
    drawn: dict[str, str] = {}
    for name, param in (data.get("params") or {}).items():
        for options in (param.get("choice") or [])[:50] if len(param.get("choice") or []) > 1 else []:
            for place, text in strings(options):
                field = ".".join([name, *map(str, place)])  # of a mapping, the key whose values are drawn
                # Short words and numbers mean other things elsewhere.
                if len(text) >= 5 and "{{" not in text and not text.replace(".", "").isdigit() and text not in _COMMON:
                    drawn.setdefault(text, field)
    for part in ("title", "story", "goals", "guards", "hints", "questions", "symptom"):
        entries = data.get(part) if isinstance(data.get(part), list) else [data.get(part)]
        for place, text in strings(data.get(part), (part,)):
            entry = str(entries[int(place[1])] if len(place) > 1 else entries[0])
            for value, field in drawn.items():
                # An entry that names every value of a parameter goes through them all on purpose.
                if _names(text, value) and not all(_names(entry, v) for v, f in drawn.items() if f == field):
                    said = f"{{{{{field}}}}} in place of the literal {value}, which a seed may change"
                    yield document.error(place, said)


def _names(text: str, value: str) -> bool:
    plain = re.sub(r"\{\{.*?\}\}", "", text)
    return re.search(rf"(?<![\w./-]){re.escape(value)}(?![\w-]|\.\w|/)", plain) is not None


def _rejects(document: Document) -> Iterator[DocumentError]:
    have = {reject["kind"] for reject in document.data.get("rejects") or []}
    for kind in KINDS:
        if kind not in have:
            yield document.error(("rejects",), f"at least one reject of kind {kind}")
    for index, reject in enumerate(document.data.get("rejects") or []):
        if reject["kind"] == "no-op" and any(_acts(step) for step in reject.get("steps") or []):
            yield document.error(
                ("rejects", index, "steps"), "no step in a reject of kind no-op but waiting and looking"
            )


def _acts(step: Any) -> bool:
    """A line that may write, or an edit; reading, waiting and answering are no acts."""
    line = step if isinstance(step, str) else step.get("line")
    if line is None:
        return isinstance(step, dict) and "edit" in step
    return not re.match(r"\s*kubectl\s+(get|describe|logs|events|explain|top|version)\b", line)


def _dead(document: Document) -> Iterator[DocumentError]:
    rejects = document.data.get("rejects") or []
    for part, word in (("goals", "fails"), ("guards", "trips")):
        named = {one for reject in rejects for one in reject.get(word) or []}
        for index, entry in enumerate(document.data.get(part) or []):
            if entry["id"] not in named:
                said = f"a reject that {word} {entry['id']} (else the check is dead)"
                yield document.error((part, index, "id"), said)


def _dates(document: Document) -> Iterator[DocumentError]:
    known = {reference["id"] for reference in document.data.get("references") or []}
    for index, reference in enumerate(document.data.get("references") or []):
        if not _DATE.match(str(reference["checked"])):
            yield document.error(("references", index, "checked"), "the date of the last look, as YYYY-MM-DD, or never")
    for index, goal in enumerate(document.data["goals"]):
        for number, one in enumerate(goal.get("references") or []):
            if one not in known:
                yield document.error(("goals", index, "references", number), f"the id of a reference (no {one})")


def _hints(document: Document) -> Iterator[DocumentError]:
    """A hint leads; it does not hand out the line."""
    data = document.data
    values = _values(data, _seeds(data)[0])
    lines = [" ".join(text.split()) for text in _commands(fill(data.get("answers") or [], values))]
    for index, hint in enumerate(data.get("hints") or []):
        text = " ".join(str(fill(hint["text"], values)).split())
        for line in lines:
            if len(line.split()) >= 3 and line in text:
                said = f"a hint without a whole command of an answer ({line[:60]})"
                yield document.error(("hints", index, "text"), said)
                break
            if _share(text, line):
                yield document.error(
                    ("hints", index, "text"), f"a hint with less than {SHARED} characters of an answer"
                )
                break


def _commands(routes: Any) -> Iterator[str]:
    for route in routes:
        for step in route.get("steps") or []:
            line = step if isinstance(step, str) else step.get("line")
            if line:
                yield line
                yield from (part for part in re.split(r"\s*(?:&&|\|\||;|\n)\s*", line) if part != line)


def _share(one: str, other: str) -> bool:
    """A common run of SHARED characters."""
    if min(len(one), len(other)) < SHARED:
        return False
    return any(one[at : at + SHARED] in other for at in range(len(one) - SHARED + 1))


def _pinned(document: Document) -> Iterator[DocumentError]:
    """`==` with one value that neither title, story, files nor the goal's own title names: a guess of the author's."""
    data = document.data
    values = _values(data, _seeds(data)[0])
    told = " ".join(str(fill(data.get(part) or "", values)) for part in ("title", "story"))
    told += " ".join(text for _, text in strings(fill(list((data.get("files") or {}).values()), values)))
    for index, goal in enumerate(data["goals"]):
        here = f"{told} {fill(goal['title'], values)}".casefold()
        for place, spec in _specs(goal["check"], ("goals", index, "check")):
            value = fill(spec.get("value"), values)
            if spec.get("op", "==") != "==" or isinstance(value, (bool, list, dict)) or value is None:
                continue
            text = str(value)
            if text in _COMMON or _named(text, here):
                continue
            yield document.error((*place, "value"), f"a value that the story or the goal's title names, found {text}")


_NUMBERS = dict(zip("2345678", ("two", "three", "four", "five", "six", "seven", "eight")))


def _named(text: str, told: str) -> bool:
    words = (text.casefold(), _NUMBERS.get(text))
    # One replica of one Deployment need not be counted out.
    return text in ("0", "1") or any(w and re.search(rf"(?<!\w){re.escape(w)}(?!\w)", told) for w in words)


def _specs(check: dict[str, Any], place: Place) -> Iterator[tuple[Place, dict[str, Any]]]:
    """The leaves of a check that compare a value."""
    for kind, spec in check.items():
        if kind in ("all", "any"):
            for index, part in enumerate(spec):
                yield from _specs(part, (*place, kind, index))
        elif kind == "not":
            yield from _specs(spec, (*place, kind))
        elif kind in ("object", "objects", "allocatable"):
            yield (*place, kind), spec


def _twins(document: Document) -> Iterator[DocumentError]:
    """Two seeds that draw the same are one seed."""
    data = document.data
    parts = {part: data.get(part) for part in _RENDERED}
    rendered = {seed: fill(parts, _values(data, seed)) for seed in dict.fromkeys(_seeds(data))}
    for one, other in combinations(rendered, 2):
        if rendered[one] == rendered[other]:
            yield document.error(("seeds",), f"seeds that differ (seeds {one} and {other} render the same ticket)")
