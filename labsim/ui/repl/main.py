"""The prompt: prompt-toolkit on a terminal, plain reading of lines when standard input is none."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Callable, Iterable
from typing import Any

from labsim.lab import Lab
from labsim.ui.repl import words
from labsim.ui.repl.face import PlainFace

Read = Callable[[str], str]


def run(lab: Lab) -> int:
    """Until :quit, the end of input, or `exit` in the lowest session."""
    interactive = sys.stdin.isatty()
    face = PlainFace(interactive)
    lab.pace.face = face
    stop = threading.Event()
    lab.pace.interrupted = stop.is_set
    read = _terminal(lab) if interactive else _pipe
    if interactive:
        print("\n".join(words.run(lab, ":ticket")))
        print(":help lists the words of this prompt.")
        if lab.resumed:
            print(f"labsim: {lab.resumed}")
    before = signal.signal(signal.SIGINT, lambda number, frame: stop.set())
    try:
        while True:
            try:
                text = _read_whole(lab, read)
            except EOFError:
                break
            except KeyboardInterrupt:
                continue
            if text.startswith(":") and text.strip() != ":":
                try:
                    print("\n".join(words.run(lab, text.strip())))
                except words.Quit:
                    break
                continue
            stop.clear()
            if _line(lab, face, text):
                break
    finally:
        signal.signal(signal.SIGINT, before)
    lab.recipe.close()
    return 0


def _line(lab: Lab, face: PlainFace, text: str) -> bool:
    """Run one line and print what it printed; True when the lowest session ended."""
    face.begin()
    before = [j.verdict.holds for j in lab.checklist()]
    outcome = lab.run(text)
    sys.stdout.write(face.rest(outcome.stdout, "stdout"))
    sys.stdout.flush()
    sys.stderr.write(face.rest(outcome.stderr, "stderr"))
    sys.stderr.flush()
    # A change of the checklist is announced, so that nobody has to look for it.
    for old, judged in zip(before, lab.checklist()):
        if judged.verdict.holds != old:
            print(f"{'[x] reached' if judged.verdict.holds else '[ ] no longer'}: {judged.title}")
    return outcome.ended


def _read_whole(lab: Lab, read: Read) -> str:
    text = read(lab.shell.prompt())
    while not text.startswith(":") and not lab.shell.complete_line(text):
        try:
            text += "\n" + read("> ")
        except EOFError:
            break
    return text


def _pipe(prompt: str) -> str:
    line = sys.stdin.readline()
    if not line:
        raise EOFError
    return line.rstrip("\n")


def _terminal(lab: Lab) -> Read:
    from prompt_toolkit import PromptSession
    from prompt_toolkit.completion import CompleteEvent, Completer, Completion
    from prompt_toolkit.document import Document
    from prompt_toolkit.history import InMemoryHistory

    class LabCompleter(Completer):
        def get_completions(self, document: Document, complete_event: CompleteEvent) -> Iterable[Completion]:
            text = document.text_before_cursor
            if text.startswith(":"):
                names = [f":{name}" for name in words.ACTIONS]
                yield from (Completion(n, start_position=-len(text)) for n in names if n.startswith(text))
                return
            found = lab.shell.complete(document.text, document.cursor_position)
            for candidate in found.candidates:
                yield Completion(candidate, start_position=found.start - document.cursor_position)

    history: Any = InMemoryHistory(list(lab.shell.history))
    session: PromptSession[str] = PromptSession(
        history=history, completer=LabCompleter(), complete_while_typing=False, enable_history_search=False
    )

    def read(prompt: str) -> str:
        return session.prompt(prompt)

    return read
