"""The ticket: its story, and its questions to be answered."""

from __future__ import annotations

import re
from typing import Any

from rich.text import Text
from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.message import Message
from textual.widgets import Input, OptionList, Static

from labsim.lab import Lab
from labsim.ui import texts


def flowing(text: str) -> str:
    """Paragraphs without their own line ends, so that they fill the panel; lists and indented blocks stay."""
    parts = text.split("\n\n")
    return "\n\n".join(p if re.search(r"(?m)^(\s|[-*] |\d+[.)] )", p) else p.replace("\n", " ") for p in parts)


def _options(question: dict[str, Any], chosen: str) -> list[Text]:
    return [Text(f"{'(x)' if o['id'] == chosen else '( )'} {o['id']}) {o['text']}") for o in question["options"]]


class TicketPanel(VerticalScroll):
    """Questions with options are lists, others a field. An answer is an input of the lab: it can be changed, undone."""

    DEFAULT_CSS = "TicketPanel .question, TicketPanel .question:focus { height: auto; border: none; padding: 0; }"

    class Answered(Message):
        def __init__(self, question: str, value: str) -> None:
            super().__init__()
            self.question, self.value = question, value

    def __init__(self, lab: Lab) -> None:
        super().__init__(id="ticket")
        self.ticket = lab.ticket
        self.world = lab.settings.title
        self.answers: dict[str, str] = {}

    def compose(self) -> ComposeResult:
        if self.ticket is None:
            yield Static(Text(f"A free lab: {self.world}.\n\nTry what you like; F5 takes it back."), classes="page")
            return
        title, *story = texts.ticket({**self.ticket, "questions": []})
        page = Text(title, style="bold")
        page.append("\n\n" + flowing("\n".join(story).strip("\n")), style="not bold")
        yield Static(page, classes="page")
        for number, question in enumerate(self.ticket["questions"]):
            yield Static(Text(f"\nQuestion {question['id']}: {question['ask']}"), classes="page")
            yield self._field(number, question)

    def _field(self, number: int, question: dict[str, Any]) -> OptionList | Input:
        if question["options"]:
            return OptionList(*_options(question, ""), id=f"question-{number}", classes="question")
        return Input(placeholder="the answer, then Enter", id=f"question-{number}")

    def _question(self, widget_id: str | None) -> dict[str, Any]:
        assert self.ticket is not None and widget_id is not None
        found: dict[str, Any] = self.ticket["questions"][int(widget_id.rpartition("-")[2])]
        return found

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        question = self._question(event.option_list.id)
        self.post_message(self.Answered(question["id"], question["options"][event.option_index]["id"]))

    def on_input_submitted(self, event: Input.Submitted) -> None:
        self.post_message(self.Answered(self._question(event.input.id)["id"], event.value))

    def show(self, answers: tuple[tuple[str, str], ...]) -> None:
        """After an answer, undo or a word of the prompt the fields follow the lab."""
        if dict(answers) == self.answers or self.ticket is None:
            return
        self.answers = dict(answers)
        for number, question in enumerate(self.ticket["questions"]):
            value = self.answers.get(question["id"], "")
            widget = self.query_one(f"#question-{number}")
            if isinstance(widget, Input):
                widget.value = value
            elif isinstance(widget, OptionList):
                for index, prompt in enumerate(_options(question, value)):
                    widget.replace_option_prompt_at_index(index, prompt)

    def text(self) -> str:
        return "\n".join(str(page.visual) for page in self.query(Static) if page.has_class("page"))
