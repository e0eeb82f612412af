"""man: a program's own --help stands in for its page; where there is none, there is no page."""

from __future__ import annotations

from labsim.commands import registry
from labsim.commands.base import Context
from labsim.commands.notsimulated import not_simulated

WITH_HELP = ("kubectl", "nvidia-smi")


def main(ctx: Context) -> int:
    names = [w for w in ctx.args if not w.startswith("-") and not w.isdigit()]
    if not names:
        ctx.err("What manual page do you want?\nFor example, try 'man man'.\n")
        return 1
    name = names[0].split("-")[0] if names[0].startswith("kubectl-") else names[0]
    if name in WITH_HELP:
        words = names[0].split("-")[1:] + list(names[1:]) if name == "kubectl" else []
        result = ctx.spawn([name, *words, "--help"])
        ctx.out(result.stdout)
        ctx.err(result.stderr)
        return result.exit_code
    if registry.location(name) is None:
        ctx.err(f"No manual entry for {name}\n")
        return 16
    return not_simulated(ctx, f"the manual page of {name}")
