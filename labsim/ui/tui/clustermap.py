"""The cluster map as lines: each node, its GPUs, their slices by size, and which pods hold them."""

from __future__ import annotations

from collections import Counter

from rich.cells import cell_len, set_cell_size
from rich.text import Text

from labsim.ui.tui.view import GpuView, NodeView, Slice, View

MEMORY_SLICES = 8
LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
_LEAD = 7  # "0 MIG  "
HELD = "bold #ffffff on #1f5fa8"  # readable on either theme; letters and names say the same without colour


def cluster_map(view: View, width: int) -> list[Text]:
    lines: list[Text] = []
    for node in view.nodes:
        lines += _node(node, width)
        lines.append(Text())
    if not lines:
        return [Text("This world has no GPU nodes.")]
    lines.append(Text("A letter or name marks who holds it, . is free, ? an instance without device.", style="italic"))
    return lines


def _node(node: NodeView, width: int) -> list[Text]:
    head = Text(node.name, style="bold")
    head.append("  " + node.status, style="bold" if node.status != "Ready" else "")
    if not node.driver:
        head.append("  driver not loaded", style="bold")
    lines = [head]
    if node.config or node.state:
        lines.append(Text(f"  mig.config {node.config or '-'}, state {node.state or '-'}"))
    parts = [
        f"{name.removeprefix('nvidia.com/')} {have}" + (f" (capacity {most})" if most != have else "")
        for name, have, most in node.allocatable
    ]
    lines.append(Text("  Allocatable " + (", ".join(parts) or "no nvidia.com resource")))
    counted = Counter(one.name for gpu in node.gpus for one in gpu.slices)
    if counted:
        held = sum(bool(one.users) for gpu in node.gpus for one in gpu.slices)
        sizes = ", ".join(f"{many} x {name}" for name, many in sorted(counted.items()))
        lines.append(Text(f"  MIG devices {sizes}; {held} held"))
    letters = _letters(node)
    for gpu in node.gpus:
        lines.append(_gpu(gpu, letters, width))
    for pod, letter in letters.items():
        lines.append(Text(f"  {letter} = {pod}"))
    return lines


def _letters(node: NodeView) -> dict[str, str]:
    """Pods that hold slices get a letter each (a slice is too narrow for a name); the last one stands for the rest."""
    pods = sorted({user for gpu in node.gpus for one in gpu.slices for user in one.users})
    return {pod: LETTERS[min(number, len(LETTERS) - 1)] for number, pod in enumerate(pods)}


def _gpu(gpu: GpuView, letters: dict[str, str], width: int) -> Text:
    each = max(3, min(7, (width - _LEAD - 1) // MEMORY_SLICES - 1))
    room = each * MEMORY_SLICES + MEMORY_SLICES - 1
    line = Text(f"{gpu.index} ")
    if gpu.lost:
        line.append("LOST ", style="bold")
    else:
        line.append({"MIG": "MIG  ", "whole": "whole", "pending": "reset"}[gpu.mode])
    tail = "".join(f" Xid {code}" for code in gpu.xids[-2:])
    if gpu.slices:
        line.append_text(_slices(gpu.slices, letters, each))
    else:
        free = {"MIG": "no instances", "pending": "mode change waits for a reset", "whole": "."}[gpu.mode]
        text = ", ".join(gpu.users) or free
        line.append("|").append(_fit(text, room), style=HELD if gpu.users else "").append("|")
    if tail:
        line.append(tail, style="bold")
    return line


def _slices(slices: tuple[Slice, ...], letters: dict[str, str], each: int) -> Text:
    line, place = Text("|"), 0
    for one in slices:
        if one.start < place:  # several compute instances in one GPU instance: they stand in it one after the other
            continue
        if one.start > place:
            line.append(_fit("", _span(one.start - place, each)) + "|")
        mates = [other for other in slices if other.start == one.start]
        users = "".join(letters[user] for mate in mates for user in mate.users)
        name = one.name if len(mates) == 1 else f"{len(mates)}x{one.name}"
        span = _span(one.size, each)
        line.append(_fit(_label(name, users or ".", span), span), style=HELD if users else "")
        line.append("|")
        place = one.start + one.size
    if place < MEMORY_SLICES:
        line.append(" " * _span(MEMORY_SLICES - place, each) + "|")
    return line


def _span(slices: int, each: int) -> int:
    return slices * each + slices - 1


def _label(name: str, users: str, span: int) -> str:
    """As much of the profile's name as fits beside the mark."""
    for shown in (name, name.partition(".")[0] + name[name.find("+") :] * ("+" in name), name.partition("g")[0]):
        if cell_len(shown) + len(users) + 1 <= span:
            return f"{shown} {users}"
    return f"{name.partition('g')[0]}{users}"


def _fit(text: str, width: int) -> str:
    """Exactly so many cells; what is cut ends in `~`."""
    if cell_len(text) > width:
        return set_cell_size(text, width - 1) + "~"
    return set_cell_size(text, width)
