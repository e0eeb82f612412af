"""The terminal pane: keys and the state of the line; labsim/ui/tui/pane.py draws it."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future

from textual import events
from textual.message import Message

from labsim.shell.completion import Completion
from labsim.ui import tabbing
from labsim.ui.tui.pane import TerminalPane

PS2 = "> "


class Terminal(TerminalPane):
    """Set `complete`, `is_whole` and `prompt` before use. While `busy`, keys are kept and typed afterwards."""

    class Entered(Message):
        """A whole line (several joined by newlines when it was continued)."""

        def __init__(self, text: str) -> None:
            super().__init__()
            self.text = text

    class Interrupted(Message):
        """Ctrl-C while a line runs."""

    class Ended(Message):
        """Ctrl-D on an empty line."""

    def __init__(self) -> None:
        super().__init__()
        self.pending = ""  # the lines before, when bash asks for more with `> `
        self.first_prompt = ""  # the prompt that the continued line began at
        self.complete: Callable[[str, int], Completion] = lambda text, cursor: Completion(cursor)
        self.is_whole: Callable[[str], bool] = lambda text: True
        self._ahead: list[events.Key | events.Paste] = []
        self._tabbed = ""

    # State of the line

    def start(self) -> None:
        """The line runs now: it becomes part of the scrollback, keys wait."""
        self.rows.begin()
        self.busy = True
        self._changed(True)

    def ready(self, prompt: str) -> None:
        """The line has ended; keys typed meanwhile come now."""
        self.busy = False
        self.prompt = prompt
        self._changed(self.following)
        self._replay()

    def _replay(self) -> None:
        ahead, self._ahead = self._ahead, []
        for number, event in enumerate(ahead):
            if self.busy:
                self._ahead = ahead[number:] + self._ahead
                return
            if isinstance(event, events.Paste):
                self._paste(event.text)
            else:
                self._key(event.key, event.character)

    def ask(self, prompt: str, reply: Future[str]) -> None:
        """A running program asks: the next line typed is the answer."""
        self._question = (prompt, reply)
        self._changed(True)
        self._replay()

    def _answer(self, text: str | None) -> None:
        assert self._question is not None
        prompt, reply = self._question
        self._question = None
        self.rows.write(f"{prompt}{text if text is not None else ''}\n")
        self._changed(True)
        reply.set_result(text or "")

    # Keys

    async def _on_key(self, event: events.Key) -> None:
        if event.key in ("f1", "f2", "f3", "f4", "f5", "f6", "f7", "f8", "f9", "f10", "shift+f4"):
            return
        event.stop()
        event.prevent_default()
        if self._scrolled(event.key):
            return
        self.scroll_to(y=self.max_scroll_y, animate=False, immediate=True, force=True)
        if self.busy and self._question is None:
            if event.key == "ctrl+c":
                self._ahead.clear()
                self.post_message(self.Interrupted())
            else:
                self._ahead.append(event)
            return
        self._key(event.key, event.character)

    def _on_paste(self, event: events.Paste) -> None:
        event.stop()
        event.prevent_default()
        if self.busy and self._question is None:
            self._ahead.append(event)
        else:
            self._paste(event.text)

    def _paste(self, text: str) -> None:
        """A bracketed paste goes into the line as it is; nothing runs before Enter."""
        text = text.replace("\r\n", "\n").replace("\r", "\n").removesuffix("\n").replace("\0", "")
        self.editor.insert(text.split("\n")[0] if self._question is not None else text)
        self._changed(True)

    def _scrolled(self, key: str) -> bool:
        if key in ("pageup", "shift+pageup"):
            self.scroll_relative(y=-(self.size.height - 1), animate=False)
        elif key in ("pagedown", "shift+pagedown"):
            self.scroll_relative(y=self.size.height - 1, animate=False)
        elif key in ("ctrl+up", "shift+up"):
            self.scroll_relative(y=-1, animate=False)
        elif key in ("ctrl+down", "shift+down"):
            self.scroll_relative(y=1, animate=False)
        elif key == "ctrl+home":
            self.scroll_home(animate=False)
        else:
            return False
        return True

    def _key(self, key: str, character: str | None) -> None:
        editor = self.editor
        tabbed, self._tabbed = self._tabbed, ""
        if self._question is not None:
            self._question_key(key, character)
        elif editor.search is not None and editor.search_key(key, character):
            pass
        elif key in ("enter", "ctrl+j", "ctrl+m"):
            self._enter()
            return
        elif key == "tab":
            self._complete(tabbed)
        elif key == "ctrl+c":
            self._cancel()
        elif key == "ctrl+d" and not editor.text:
            self._end()
            return
        elif key == "ctrl+d":
            editor.delete()
        elif key == "ctrl+l":
            self.rows.begin()
            self.rows.clear()
        elif not editor.key(key) and character and character.isprintable():
            editor.insert(character)
        self._changed(True)

    def _question_key(self, key: str, character: str | None) -> None:
        if key in ("enter", "ctrl+j", "ctrl+m"):
            self._answer(self.editor.take())
        elif key in ("ctrl+c", "ctrl+d"):
            self.editor.take()
            if key == "ctrl+c":
                self.post_message(self.Interrupted())
            self._answer(None)
        elif key in ("up", "down", "ctrl+r", "ctrl+p", "ctrl+n") or self.editor.key(key):
            pass
        elif character and character.isprintable():
            self.editor.insert(character)

    def _enter(self) -> None:
        prompt, text = self._shown_prompt(), self.editor.take()
        self.rows.write(f"{prompt}{text}\n", "typed")
        self.pending = f"{self.pending}\n{text}" if self.prompt == PS2 else text
        if self.is_whole(self.pending):
            self._hand_over()
        else:
            if self.prompt != PS2:
                self.first_prompt = self.prompt
            self.prompt = PS2
            self._changed(True)

    def _hand_over(self) -> None:
        text, self.pending = self.pending, ""
        self.editor.remember(text)
        self.start()
        self.post_message(self.Entered(text))

    def _cancel(self) -> None:
        """Ctrl-C on a typed line: it stays to be read, marked as bash does, and a new prompt comes."""
        if self.screen.get_selected_text():
            self.screen.action_copy_text()
            self.screen.clear_selection()
            return
        self.rows.write(f"{self._shown_prompt()}{self.editor.take()}^C\n", "typed")
        if self.prompt == PS2:
            self.pending, self.prompt = "", self.first_prompt

    def _end(self) -> None:
        """Ctrl-D: the end of a continued line, or of the session."""
        if self.prompt == PS2:
            self.rows.write(PS2 + "\n", "typed")
            self._hand_over()
        else:
            self.post_message(self.Ended())

    def _complete(self, tabbed: str) -> None:
        editor, before = self.editor, f"{self.pending}\n" if self.prompt == PS2 else ""
        found = self.complete(before + editor.text, len(before) + editor.cursor)
        candidates, start = found.candidates, max(found.start - len(before), 0)
        current = editor.text[start : editor.cursor]
        if not candidates:
            self.app.bell()
        elif len(candidates) == 1:
            editor.replace(start, tabbing.ended(candidates[0]))
        elif len(longest := tabbing.common(candidates)) > len(current):
            editor.replace(start, longest)
        elif tabbed != editor.text:
            self.app.bell()
            self._tabbed = editor.text
        else:
            self._tabbed = editor.text
            self.rows.write(f"{self._shown_prompt()}{editor.text}\n", "typed")
            self.rows.write("".join(f"{line}\n" for line in tabbing.columns(candidates, self.rows.width)))
