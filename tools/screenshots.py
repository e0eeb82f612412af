"""Draw the screenshots of the README from the real application: `make screenshots`.

Each picture is taken after real keys and lines in a real lab, so it cannot show what labsim does not do.
"""

from __future__ import annotations

import asyncio
import os
import re
import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "docs" / "screenshots"
sys.path.insert(0, str(ROOT))


async def main() -> None:
    from textual.widgets import OptionList

    from labsim.lab import Lab
    from labsim.ui.tui.app import LabsimApp
    from labsim.ui.tui.labscreen import LabScreen

    FOLDER.mkdir(parents=True, exist_ok=True)

    def lab(ticket: str) -> LabsimApp:
        return LabsimApp("", Lab.open(ticket=ticket, seed=1))

    app = LabsimApp()
    async with app.run_test(size=(100, 30)) as pilot:
        await pilot.pause()
        chooser = app.screen.query_one(OptionList)
        chooser.highlighted = next(i for i, o in enumerate(chooser.options) if "mig-slice-a-node" in str(o.prompt))
        await pilot.pause()
        take(app, "picker")

    app = lab("mig-slice-a-node")
    async with app.run_test(size=(160, 45)) as pilot:
        screen = app.screen
        assert isinstance(screen, LabScreen)
        screen.face.hurry = True
        await pilot.press("f4")
        await line(pilot, screen, "kubectl label node gpu-node2 nvidia.com/mig.config=all-1g.10gb")
        await line(pilot, screen, "helm list")
        await line(pilot, screen, "nvidia-smi")
        take(app, "refused")
        await line(pilot, screen, "clear")
        await line(pilot, screen, "kubectl drain gpu-node2 --ignore-daemonsets")
        await line(pilot, screen, "kubectl get pods -n team-llm -o wide")
        take(app, "solving")
        await pilot.press("f4")
        await line(pilot, screen, "clear")
        await line(pilot, screen, "kubectl label node gpu-node2 nvidia.com/mig.config=all-1g.10gb --overwrite")
        while not any(gpu.slices for node in screen.view.nodes for gpu in node.gpus):
            await pilot.press("f3")
            await idle(pilot, screen)
        await line(pilot, screen, "kubectl logs -n gpu-operator ds/nvidia-mig-manager --tail=8")
        take(app, "map")
        await line(pilot, screen, "kubectl get node gpu-node2 -w -L nvidia.com/mig.config.state")
        await line(pilot, screen, "kubectl uncordon gpu-node2")
        await pilot.resize_terminal(80, 24)
        await pilot.pause()
        take(app, "narrow")
        await pilot.resize_terminal(160, 45)
        await pilot.press("f8", "y")
        for _ in range(300):
            await pilot.pause(0.02)
            if app.screen.query("#debrief"):
                break
        await pilot.pause()
        take(app, "debrief")

    app = lab("mig-mixed-own-layout")
    async with app.run_test(size=(100, 30)) as pilot:
        screen = app.screen
        assert isinstance(screen, LabScreen)
        await line(pilot, screen, "ls")
        name = re.findall(r"^(\S+\.yaml)$", screen.terminal.text(), re.MULTILINE)[0]
        await line(pilot, screen, f"vi {name}", wait=False)
        for _ in range(300):
            await pilot.pause(0.02)
            if app.screen.query("#editor"):
                break
        await pilot.press(*["down"] * 14)
        await pilot.pause()
        take(app, "editor")
        await pilot.press("escape")
        await idle(pilot, screen)


async def idle(pilot: Any, screen: Any) -> None:
    while screen.work.running:
        await pilot.pause(0.02)
    await pilot.pause()


async def line(pilot: Any, screen: Any, text: str, wait: bool = True) -> None:
    from textual.events import Paste

    screen.terminal.post_message(Paste(text))
    await pilot.press("enter")
    if wait:
        await idle(pilot, screen)


def take(app: Any, name: str) -> None:
    """Without the web fonts that the exporter names: a page that shows the picture loads nothing from elsewhere."""
    svg = re.sub(r"@font-face \{.*?\}\s*", "", app.export_screenshot(title="labsim"), flags=re.DOTALL)
    path = FOLDER / f"{name}.svg"
    path.write_text("\n".join(part.rstrip() for part in svg.split("\n")), "utf-8")
    print(path.relative_to(ROOT))


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as data:
        os.environ["XDG_DATA_HOME"] = data
        os.environ.pop("NO_COLOR", None)
        asyncio.run(main())
