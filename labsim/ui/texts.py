"""What both faces say: the ticket, the checklist, the debrief, as plain lines. Marks come first, colour is extra."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from labsim.lab import Lab
from labsim.sim.clock import rfc3339
from labsim.tickets.grading import Grade, Judged


def mark(judged: Judged) -> str:
    """[x] true, [ ] not true, [~] still converging, [!] cannot be judged."""
    if judged.verdict.status == "error":
        return "[!]"
    if judged.verdict.holds:
        return "[x]"
    return "[~]" if judged.pending else "[ ]"


def checklist(items: list[Judged]) -> list[str]:
    lines = []
    for judged in items:
        lines.append(f"{mark(judged)} {judged.title} ({judged.points})")
        if judged.verdict.status == "error":
            lines.append(f"      cannot be judged: {judged.verdict.found}")
        elif judged.pending:
            lines.append("      still converging")
    return lines


def ticket(found: dict[str, Any]) -> list[str]:
    lines = [found["title"], "", *found["story"].rstrip("\n").split("\n")]
    for question in found["questions"]:
        lines += ["", f"Question {question['id']}: {question['ask']}"]
        lines += [f"  {option['id']}) {option['text']}" for option in question["options"]]
    objectives = (
        ", ".join(f"{o['exam']} {o['objective']}" for o in found["blueprint"]) or "context only, no exam objective"
    )
    return [*lines, "", f"Level {found['level']}, about {found['target_seconds'] // 60} minutes; {objectives}."]


def debrief(lab: Lab, grade: Grade) -> list[str]:
    """What was reached, what was harmed and by which line, what the answer was."""
    assert lab.ticket is not None
    lines = [f"Score {grade.score} of 100"]
    lines.append(f"goals {round(grade.correctness * 100)} %, safety factor {grade.safety:g}, hints -{grade.cost}")
    explain = {part["id"]: part["explain"].strip() for part in (*lab.ticket["goals"], *lab.ticket["guards"])}
    apart = True  # a blank line after the head and after each item that says more
    for judged in (*grade.goals, *grade.guards):
        verdict = judged.verdict
        tail = (
            f" ({judged.points} point{'s' * (judged.points != 1)})" if judged.points else f" (guard, {judged.severity})"
        )
        lines += ["", f"{mark(judged)} {judged.title}{tail}"] if apart else [f"{mark(judged)} {judged.title}{tail}"]
        apart = not verdict.holds
        if not verdict.holds:
            lines.append(f"    read:     {verdict.read}")
            lines.append(f"    expected: {verdict.expected}")
            lines.append(f"    found:    {verdict.found}")
            if judged.cause is not None:
                cause = judged.cause
                lines.append(f"    since:    input {cause.input}, {rfc3339(cause.time)}, {cause.what}")
                lines.append(f"              {typed(lab, cause.input)}")
        if explain[judged.id] and not verdict.holds:
            lines.append(f"    {explain[judged.id]}")
    answer = lab.ticket["answers"][0]
    lines += ["", f"One way: {answer['title'] or answer['id']}"]
    for step in answer["steps"]:
        ((kind, value),) = [(k, v) for k, v in step.items() if v is not None]
        shown = value if kind == "line" else f"({kind} {value['path'] if kind == 'edit' else value})"
        lines += [f"    {part}" for part in str(shown).rstrip("\n").split("\n")]
    for reference in lab.ticket["references"]:
        lines.append(
            f"See: {reference['title']} {reference['url']} (checked {reference['checked']})".replace("  ", " ")
        )
    return lines


def typed(lab: Lab, number: int) -> str:
    """The input of that number as the learner typed it."""
    entry = lab.past_input(number)
    if entry is None:
        return ""
    return "$ " + str(entry["line"]).split("\n")[0] if entry["kind"] == "line" else f"({entry['kind']})"


def remaining(screen: Iterable[tuple[str, str]], shown: Mapping[str, str]) -> list[tuple[str, str]]:
    """A line's output in its order, without what was already shown (per stream) while it ran."""
    pieces = list(screen)
    left = {}
    for stream, seen in shown.items():
        whole = "".join(text for of, text in pieces if of == stream)
        left[stream] = len(seen) if whole.startswith(seen) else 0
    rest = []
    for stream, text in pieces:
        cut = min(len(text), left.get(stream, 0))
        left[stream] = left.get(stream, 0) - cut
        if text[cut:]:
            rest.append((stream, text[cut:]))
    return rest
