"""less and more without a screen: they print. The faces may page what a line printed."""

from __future__ import annotations

from labsim.commands.base import Context
from labsim.commands.host.words import reason


def main(ctx: Context) -> int:
    names = [w for w in ctx.args if not w.startswith(("-", "+"))]
    if not names:
        if ctx.stdin_is_tty:
            usage = (
                'Missing filename ("less --help" for help)\n'
                if ctx.name == "less"
                else "more: bad usage\nTry 'more --help' for more information.\n"
            )
            ctx.err(usage)
            return 1
        ctx.out(ctx.stdin)
        return 0
    code = 0
    for name in names:
        try:
            ctx.out(ctx.fs.read_text(name))
        except IsADirectoryError:
            ctx.err(f"{name} is a directory\n")
            code = 1
        except OSError as error:
            ctx.err(
                f"{name}: {reason(error)}\n" if ctx.name == "less" else f"more: cannot open {name}: {reason(error)}\n"
            )
            code = 1
    return code
