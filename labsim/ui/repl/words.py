"""Words of the plain face. They start with a colon, so that no shell command is hidden; they cost no time."""

from __future__ import annotations

import re
from collections.abc import Callable

from labsim.lab import Lab, LabError
from labsim.ui import texts

HELP = """\
:ticket      read the ticket again          :hint        the next hint (it costs points)
:checklist   what is reached so far         :step [N]    let N steps pass
:undo :redo  take a line back, do it again  :reset       back to the start
:answer ID VALUE   answer a question        :changes     what the last line changed
:submit      hand in and see the debrief    :quit        leave (the lab is kept)"""


_WORD = re.compile(r":[a-z]+(\s|$)")


def is_word(text: str) -> bool:
    """`:undo`, but not `: > file` or `:(){ :|:& };:`, which are the shell's."""
    return _WORD.match(text) is not None


class Quit(Exception):
    """Leave the prompt."""


def run(lab: Lab, text: str) -> list[str]:
    """Do what the word says; the lines to print. Raises Quit."""
    name, *words = text[1:].split()
    action = ACTIONS.get(name)
    if action is None:
        return [f"no word :{name}; :help lists them"]
    try:
        return action(lab, words)
    except (LabError, ValueError) as error:
        return [str(error)]


def _ticket(lab: Lab, words: list[str]) -> list[str]:
    return texts.ticket(lab.ticket) if lab.ticket is not None else [f"A free lab: {lab.settings.title}."]


def _checklist(lab: Lab, words: list[str]) -> list[str]:
    return texts.checklist(lab.checklist()) or ["A free lab has no checklist."]


def _hint(lab: Lab, words: list[str]) -> list[str]:
    found = lab.hint()
    return [f"Hint: {found}" if found is not None else "There is no further hint."]


def _step(lab: Lab, words: list[str]) -> list[str]:
    steps = int(words[0]) if words else 1
    if not 1 <= steps <= 360:
        raise ValueError("between 1 and 360 steps")
    outcome = lab.advance(steps)
    return [f"Step {outcome.step}, {outcome.time}."]


def _undo(lab: Lab, words: list[str]) -> list[str]:
    outcome = lab.undo()
    return [outcome.stderr.strip() or f"Back at step {outcome.step}, {outcome.time}."]


def _redo(lab: Lab, words: list[str]) -> list[str]:
    outcome = lab.redo()
    return [part for part in (outcome.stdout + outcome.stderr).rstrip("\n").split("\n") if part] or ["Done again."]


def _reset(lab: Lab, words: list[str]) -> list[str]:
    lab.reset()
    return ["Back at the start."]


def _answer(lab: Lab, words: list[str]) -> list[str]:
    if len(words) < 2:
        raise ValueError(":answer takes the question's id and the answer")
    lab.answer(words[0], " ".join(words[1:]))
    return ["Noted."]


def _changes(lab: Lab, words: list[str]) -> list[str]:
    return lab.last_changes() or ["Nothing was changed."]


def _submit(lab: Lab, words: list[str]) -> list[str]:
    return texts.debrief(lab, lab.submit())


def _help(lab: Lab, words: list[str]) -> list[str]:
    return HELP.split("\n")


def _quit(lab: Lab, words: list[str]) -> list[str]:
    raise Quit


ACTIONS: dict[str, Callable[[Lab, list[str]], list[str]]] = {
    "ticket": _ticket, "checklist": _checklist, "hint": _hint, "step": _step, "undo": _undo, "redo": _redo,
    "reset": _reset, "answer": _answer, "changes": _changes, "submit": _submit, "help": _help, "quit": _quit,
    "q": _quit,
}  # fmt: skip
