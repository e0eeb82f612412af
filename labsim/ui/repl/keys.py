"""Tab at the plain prompt, as bash does it: no menu that redraws the screen."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

from labsim.lab import Lab
from labsim.shell.completion import Completion
from labsim.ui import tabbing
from labsim.ui.repl import words

if TYPE_CHECKING:
    from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent


def keys(lab: Lab) -> KeyBindings:
    from prompt_toolkit.application import run_in_terminal
    from prompt_toolkit.key_binding import KeyBindings

    bindings = KeyBindings()
    asked = ""

    @bindings.add("tab")
    def complete(event: KeyPressEvent) -> None:
        nonlocal asked
        buffer = event.current_buffer
        found = candidates(lab, buffer.text, buffer.cursor_position)
        current = buffer.text[found.start : buffer.cursor_position]
        before, asked = asked, ""
        if not found.candidates:
            event.app.output.bell()
            return
        alone = len(found.candidates) == 1
        put = tabbing.ended(found.candidates[0]) if alone else tabbing.common(found.candidates)
        if alone or len(put) > len(current):
            buffer.delete_before_cursor(len(current))
            buffer.insert_text(put)
        elif before != buffer.text:
            event.app.output.bell()
            asked = buffer.text
        else:
            asked = buffer.text
            shown = "\n".join(tabbing.columns(found.candidates, shutil.get_terminal_size().columns))
            run_in_terminal(lambda: print(shown))

    return bindings


def candidates(lab: Lab, text: str, cursor: int) -> Completion:
    """Words of the prompt begin with a colon; all else is the shell's."""
    if text.startswith(":"):
        names = (f":{name}" for name in words.ACTIONS)
        return Completion(0, tuple(sorted(n for n in names if n.startswith(text[:cursor]))))
    return lab.shell.complete(text, cursor)
