"""The prompt: prompt-toolkit on a terminal, plain reading of lines when standard input is none."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable
from typing import Any

from labsim.lab import Lab
from labsim.ui.repl import words
from labsim.ui.repl.face import PlainFace
from labsim.ui.repl.keys import keys

Read = Callable[[str], str]


def run(lab: Lab) -> int:
    """Until :quit, the end of input, or `exit` in the lowest session."""
    interactive = sys.stdin.isatty()
    face = PlainFace(interactive)
    lab.pace.face = face
    lab.pace.interrupted = lambda: face.stopped
    read = _terminal(lab) if interactive else _pipe
    if interactive:
        print("\n".join(words.run(lab, ":ticket")))
        print(":help lists the words of this prompt.")
        if lab.resumed:
            print(f"labsim: {lab.resumed}")
    before = signal.signal(signal.SIGINT, face.stop)
    try:
        while True:
            try:
                text = _read_whole(lab, read)
            except EOFError:
                if not interactive:
                    break
                # Ctrl-D leaves the session it is typed in, which is seldom the lowest one.
                print("exit")
                text = "exit"
            except KeyboardInterrupt:
                continue
            if words.is_word(text):
                try:
                    print("\n".join(words.run(lab, text.strip())))
                except words.Quit:
                    break
                continue
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
    if face.stopped:
        print()  # the terminal has shown ^C
    face.show(outcome.screen)
    # A change of the checklist is announced, so that nobody has to look for it.
    for old, judged in zip(before, lab.checklist()):
        if judged.verdict.holds != old:
            print(f"{'[x] reached' if judged.verdict.holds else '[ ] no longer'}: {judged.title}")
    return outcome.ended


def _read_whole(lab: Lab, read: Read) -> str:
    text = read(lab.shell.prompt())
    while not words.is_word(text) and not lab.shell.complete_line(text):
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
    from prompt_toolkit.history import InMemoryHistory

    history: Any = InMemoryHistory(list(lab.shell.history))
    session: PromptSession[str] = PromptSession(history=history, key_bindings=keys(lab), enable_history_search=False)
    return lambda prompt: session.prompt(prompt)
