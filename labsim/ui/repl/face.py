"""The lab's editor, questions and live output on a plain terminal."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable

from labsim.commands.base import NoTerminal, Stream
from labsim.ui.texts import remaining

# Real time of a simulated step while a line waits.
STEP_SECONDS, HURRIED_SECONDS, HURRY_AFTER = 0.06, 0.02, 40


class PlainFace:
    """`stopped`: Ctrl-C was pressed since the line began. `shown` is what was emitted while the line ran, so that it is
    not printed twice."""

    def __init__(self, interactive: bool) -> None:
        self.interactive = interactive
        self.stopped = False
        self.shown = {"stdout": "", "stderr": ""}

    def begin(self) -> None:
        self.stopped = False
        self.shown = {"stdout": "", "stderr": ""}

    def emit(self, text: str, stream: Stream) -> None:
        self.shown[stream] += text
        out = sys.stdout if stream == "stdout" else sys.stderr
        out.write(text)
        out.flush()

    def show(self, screen: Iterable[tuple[str, str]]) -> None:
        """Print what of a line's output is still to be printed."""
        for stream, text in remaining(screen, self.shown):
            out = sys.stdout if stream == "stdout" else sys.stderr
            out.write(text)
            out.flush()

    def step(self, steps: int) -> None:
        """At a terminal a wait takes a little while, so that it can be read and stopped; long ones hurry."""
        if self.interactive and not self.stopped:
            time.sleep(STEP_SECONDS if steps <= HURRY_AFTER else HURRIED_SECONDS)

    def stop(self, *signal: object) -> None:
        """Ctrl-C; a plain flag, for a signal may come anywhere."""
        self.stopped = True

    def ask(self, prompt: str) -> str:
        if not self.interactive:
            raise NoTerminal
        self.shown["stdout"] += prompt
        return input(prompt)

    def edit(self, name: str, text: str) -> str | None:
        """A multi-line buffer: Esc then Enter saves, Ctrl-C cancels."""
        if not self.interactive:
            raise NoTerminal
        from prompt_toolkit import PromptSession

        print(f"--- {name}: Esc then Enter saves, Ctrl-C leaves without saving")
        session: PromptSession[str] = PromptSession(multiline=True, prompt_continuation="")
        try:
            # A final newline is the end of the last line, not an empty line after it.
            edited = session.prompt("", default=text.removesuffix("\n"))
            if edited == text.removesuffix("\n"):
                return text
            return edited if not edited or edited.endswith("\n") else edited + "\n"
        except (KeyboardInterrupt, EOFError):
            return None
