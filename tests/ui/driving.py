"""Driving the full screen from a test: keys in, plain text out."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from textual.events import Paste
from textual.pilot import Pilot

from labsim.lab import Lab
from labsim.ui.tui.app import LabsimApp
from labsim.ui.tui.labscreen import LabScreen

NAMES = {
    " ": "space", "-": "minus", "/": "slash", ".": "full_stop", "|": "vertical_line", "=": "equals_sign", "\n": "enter",
    "\t": "tab", "$": "dollar_sign", ";": "semicolon", ":": "colon", ">": "greater_than_sign", "<": "less_than_sign",
    "'": "apostrophe", '"': "quotation_mark", "_": "underscore", "&": "ampersand",
}  # fmt: skip


class Driver:
    """One app under a Pilot. `screen` is the lab's."""

    def __init__(self, app: LabsimApp, pilot: Pilot[Any]) -> None:
        self.app, self.pilot = app, pilot

    @property
    def screen(self) -> LabScreen:
        return next(one for one in self.app.screen_stack if isinstance(one, LabScreen))

    async def ready(self) -> None:
        """Until nothing runs and everything is drawn."""
        await self.until(lambda: not self.screen.work.running)
        await self.pilot.pause()

    async def until(self, holds: Callable[[], bool]) -> None:
        for _ in range(400):
            if holds():
                return
            await self.pilot.pause(0.02)
        raise AssertionError("it did not come to that")

    async def type(self, text: str) -> None:
        await self.pilot.press(*(NAMES.get(char, char) for char in text))

    async def run(self, line: str) -> str:
        """Paste a line (typing takes 20 ms a key), Enter; what stands in the terminal after it."""
        before = len(self.text())
        self.screen.terminal.post_message(Paste(line))
        await self.pilot.press("enter")
        await self.ready()
        return self.text()[before:]

    async def press(self, *keys: str) -> None:
        await self.pilot.press(*keys)
        await self.pilot.pause()

    def text(self) -> str:
        return self.screen.terminal.text()

    def panel(self, name: str) -> str:
        return self.screen.query_one(f"#{name}").text()  # type: ignore[attr-defined, no-any-return]

    def drawn(self) -> str:
        """The whole screen as a person sees it, without colours."""
        return drawn(self.app)


def drawn(app: LabsimApp) -> str:
    height = app.size.height
    rows = app.screen._compositor.render_strips()
    return "\n".join("".join(segment.text for segment in row).rstrip() for row in rows[:height])


def drive(
    scenario: Callable[[Driver], Awaitable[None]],
    lab: Lab | None = None,
    *,
    size: tuple[int, int] = (160, 45),
    packs: str = "",
) -> None:
    """Run a scenario; waits of the lab take no real time."""

    async def whole() -> None:
        app = LabsimApp(packs, lab)
        async with app.run_test(size=size) as pilot:
            driver = Driver(app, pilot)
            await pilot.pause()
            if lab is not None:
                driver.screen.face.hurry = True
            await scenario(driver)
        assert app.faults == []

    asyncio.run(whole())


TICKET = """\
schema: labsim.ticket/v1
id: mark-a-node
revision: 1
title: Mark gpu-node2
level: quick
target_seconds: 120
blueprint: [{exam: NCP-AII, objective: "2.2"}]
world: dgx-h100
seeds: {deployed: [1, 2]}
story: |
  gpu-node2 wants the label
  team=vision. Leave the rest.
goals:
  - id: marked
    title: gpu-node2 carries the label
    points: 3
    when: now
    check:
      object: {resource: nodes, name: gpu-node2, path: '{.metadata.labels.team}', value: vision}
  - id: told
    title: The question is answered
    points: 1
    when: now
    check: {answer: {id: gpus, values: [b]}}
questions:
  - id: gpus
    ask: How many GPUs does gpu-node2 have?
    options: [{id: a, text: four}, {id: b, text: eight}]
hints:
  - {text: "Labels are set with kubectl label.", cost: 5}
answers:
  - id: label
    title: Set it
    steps:
      - kubectl label node gpu-node2 team=vision
      - answer: {id: gpus, value: b}
rejects: []
"""
