"""The lab's editor, questions and live output on a plain terminal."""

from __future__ import annotations

import sys

from labsim.commands.base import NoTerminal, Stream


class PlainFace:
    """`shown` is what was emitted while the line ran, so that it is not printed twice."""

    def __init__(self, interactive: bool) -> None:
        self.interactive = interactive
        self.shown = {"stdout": "", "stderr": ""}

    def begin(self) -> None:
        self.shown = {"stdout": "", "stderr": ""}

    def emit(self, text: str, stream: Stream) -> None:
        self.shown[stream] += text
        out = sys.stdout if stream == "stdout" else sys.stderr
        out.write(text)
        out.flush()

    def rest(self, text: str, stream: Stream) -> str:
        """What of a line's whole output is still to be printed."""
        shown = self.shown[stream]
        return text[len(shown) :] if text.startswith(shown) else text

    def step(self, steps: int) -> None:
        pass

    def ask(self, prompt: str) -> str:
        if not self.interactive:
            raise NoTerminal
        return input(prompt)

    def edit(self, name: str, text: str) -> str | None:
        """A multi-line buffer: Esc then Enter saves, Ctrl-C cancels."""
        if not self.interactive:
            raise NoTerminal
        from prompt_toolkit import PromptSession

        print(f"--- {name}: Esc then Enter saves, Ctrl-C leaves without saving")
        session: PromptSession[str] = PromptSession(multiline=True, prompt_continuation="")
        try:
            return session.prompt("", default=text)
        except (KeyboardInterrupt, EOFError):
            return None
