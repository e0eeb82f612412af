"""The pages of checklist, timeline and keys as lines."""

from __future__ import annotations

from rich.text import Text

from labsim.ui.tui.view import Change, View

KEYS = """\
F1        these keys                  F2   the next hint (it costs points)
F3        let a step pass             F4   next page; Shift-F4 the one before
F5        undo the last line          F6   redo it
F7        reset the lab (asks)        F8   submit (asks), then the debrief
F9        keyboard to the page on the right and back
F10       leave (the lab is kept)
Escape    back to the terminal

In the terminal
Tab       complete; twice lists       Up, Down    history
Ctrl-R    search the history          Ctrl-C      give up the line, or stop what waits
Ctrl-L    clear                       Ctrl-D      end of input, or exit
PageUp    scroll back                 Ctrl-A E K U W Y  Alt-B F D .  as in bash
Mark with the mouse, Ctrl-C copies; Shift and mouse is the terminal's own.

Where function keys do not arrive: :help :hint :step [N] :undo :redo :reset :submit :quit
:ticket :checklist :answer ID VALUE :changes"""


def checklist(view: View, free: bool) -> list[Text]:
    if free:
        return [Text("A free lab has no checklist.")]
    lines = [Text(f"{view.reached} of {len(view.goals)} reached", style="bold"), Text()]
    for line in view.checklist:
        lines.append(Text(line, style="bold" if line.startswith("[x]") else ""))
    lines += [Text(), Text("[x] true now   [ ] not yet   [~] still converging", style="italic")]
    lines.append(Text("It shows this moment; the grade is taken when you submit (F8).", style="italic"))
    return lines


def timeline(view: View) -> list[Text]:
    lines: list[Text] = []
    for change in view.changes:
        lines += [*_change(change), Text()]
    return lines or [Text("Nothing was changed yet. Each line that changes something is listed here.")]


def _change(change: Change) -> list[Text]:
    lines = [Text(f"{change.number}  {change.title}", style="bold")]
    who = ("", "")
    for time, actor, what in change.writes:
        if (time, actor) != who:
            lines.append(Text(f"   {time} {actor}", style="italic"))
            who = (time, actor)
        lines.append(Text(f"      {what}"))
    if change.more:
        lines.append(Text(f"      and {change.more} more before"))
    return lines


def keys() -> list[Text]:
    return [Text(line) for line in KEYS.split("\n")]
