"""vi, vim and nano: the lab's editor on a file."""

from __future__ import annotations

from labsim.commands.base import Context, NoTerminal
from labsim.commands.host.words import reason
from labsim.commands.notsimulated import not_simulated


def main(ctx: Context) -> int:
    options = [w for w in ctx.args if w.startswith(("-", "+"))]
    names = [w for w in ctx.args if w not in options]
    if options:
        return not_simulated(ctx, f"{ctx.name} {options[0]}")
    if len(names) != 1:
        return not_simulated(ctx, f"{ctx.name} without exactly one file")
    name = names[0]
    try:
        text = ctx.fs.read_text(name) if ctx.fs.exists(name) else ""
        edited = ctx.edit(name, text)
        if edited is not None and (edited != text or not ctx.fs.exists(name)):
            ctx.fs.write_text(name, edited)
    except NoTerminal:
        ctx.err(
            "Vim: Error reading input, exiting...\n" if ctx.name != "nano" else "Standard input is not a terminal\n"
        )
        return 1
    except OSError as error:
        ctx.err(f"{ctx.name}: {name}: {reason(error)}\n")
        return 1
    return 0
