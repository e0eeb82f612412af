"""The editor loop of edit and create --edit (cmd/util/editor): header, cancelled, reopened with the errors."""

from __future__ import annotations

from typing import TYPE_CHECKING

from labsim.commands.base import NoTerminal
from labsim.commands.kubectl.errors import Failure

if TYPE_CHECKING:
    from labsim.commands.kubectl.session import Kubectl

HEADER = """# Please edit the object below. Lines beginning with a '#' will be ignored,
# and an empty file will abort the edit. If an error occurs while saving this file will be
# reopened with the relevant failures.
#
"""


def header(reasons: list[tuple[str, list[str]]]) -> str:
    """The comment on top of the file, with what was wrong with the last try."""
    text = HEADER
    for head, others in reasons:
        text += "".join(f"# {line}\n" if line else "#\n" for line in f"{head}:".split("\n"))
        text += "".join(f"# * {line}\n" for other in others for line in other.split("\n"))
        text += "#\n"
    return text


def edit(kubectl: Kubectl, text: str, suffix: str) -> tuple[str, str]:
    """(the file's text as left, its path). $KUBE_EDITOR or $EDITOR is run if there is one, else the lab's editor opens.

    Raises Failure where there is no editor.
    """
    ctx = kubectl.ctx
    number = ctx.services.number("kubectl-edit", 100_000_000, 4_294_967_295)
    path = f"/tmp/kubectl-edit-{number}{suffix}"
    program = ctx.env.get("KUBE_EDITOR") or ctx.env.get("EDITOR") or ""
    if program and program.split()[0] not in ("vi", "vim", "nano"):
        if not ctx.fs.is_dir("/tmp"):
            ctx.fs.mkdir("/tmp", parents=True)
        ctx.fs.write_text(path, text)
        result = ctx.spawn(f"{program} {path}")
        kubectl.out(result.stdout)
        kubectl.err(result.stderr)
        if result.exit_code:
            raise Failure(f'there was a problem with the editor "{program}"')
        left = ctx.fs.read_text(path)
        return left, path
    try:
        edited = ctx.edit(path, text)
    except NoTerminal:
        raise Failure(f'there was a problem with the editor "{program or "vi"}"') from None
    return (text if edited is None else edited), path


def forget(kubectl: Kubectl, path: str) -> None:
    if kubectl.ctx.fs.exists(path):
        kubectl.ctx.fs.remove(path)


def without_comments(text: str) -> str:
    """Lines that begin with # are taken away, and space at both ends."""
    return "\n".join(line for line in text.split("\n") if not line.lstrip().startswith("#")).strip()
