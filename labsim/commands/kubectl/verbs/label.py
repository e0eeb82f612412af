"""kubectl label (kubectl.md 4.1)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from labsim.commands.kubectl import metadata_changes
from labsim.commands.kubectl.errors import Failure, Failures
from labsim.kube.objects import Object

if TYPE_CHECKING:
    from labsim.commands.kubectl.session import Kubectl

USAGE = "label [--overwrite] (-f FILENAME | TYPE NAME) KEY_1=VAL_1 ... KEY_N=VAL_N [--resource-version=version]"
ABOUT = """Change the labels of objects.

 KEY=VALUE sets a label, KEY- takes it away. A label that has another value already is changed only with --overwrite.
With --resource-version the change is refused if the object has been changed since."""
EXAMPLES = """  # Ask for a MIG layout on a node
  kubectl label node gpu-node2 nvidia.com/mig.config=all-1g.10gb --overwrite

  # Take a label away
  kubectl label pod web-0 tier-

  # All pods of the namespace
  kubectl label pods --all team=vision"""
SPEC = metadata_changes.spec("label", "label")


def run(kubectl: Kubectl) -> int:
    return metadata_changes.run(kubectl, metadata_changes.Style("label", _parse, _check_new, _done))


def _parse(pairs: Sequence[str]) -> tuple[dict[str, str], list[str]]:
    from labsim.kube.validation import label_value

    new: dict[str, str] = {}
    gone: list[str] = []
    for text in pairs:
        if "=" in text:
            key, *rest = text.split("=")
            if len(rest) != 1:
                raise Failure(f"invalid label spec: {text}")
            problems = label_value(rest[0])
            if problems:
                raise Failure(f"invalid label value: {metadata_changes._quoted(text)}: {';'.join(problems)}")
            new[key] = rest[0]
        else:
            gone.append(text[:-1])
    return new, gone


def _check_new(new: metadata_changes.Pairs, have: metadata_changes.Pairs) -> None:
    problems = [
        Failure(f"'{key}' already has a value ({have[key]}), and --overwrite is false")
        for key, value in new.items()
        if key in have and have[key] != value
    ]
    if len(problems) == 1:
        raise problems[0]
    if problems:
        raise Failures(problems)


def _done(before: Object, after: Object, overwrite: bool) -> str:
    if before == after:
        return "not labeled"
    shorter = metadata_changes.length(after) < metadata_changes.length(before)
    return "unlabeled" if shorter and not overwrite else "labeled"
