"""kubectl annotate (kubectl.md 4.1)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from labsim.commands.kubectl import metadata_changes
from labsim.commands.kubectl.errors import Failure
from labsim.commands.kubectl.writing import CHANGE_CAUSE

if TYPE_CHECKING:
    from labsim.commands.kubectl.session import Kubectl

USAGE = "annotate [--overwrite] (-f FILENAME | TYPE NAME) KEY_1=VAL_1 ... KEY_N=VAL_N [--resource-version=version]"
ABOUT = """Change the annotations of objects.

 KEY=VALUE sets an annotation, KEY- takes it away. An annotation that exists is changed only with --overwrite. Values
may be of any text, unlike those of labels."""
EXAMPLES = """  # Say why
  kubectl annotate deployment web kubernetes.io/change-cause='image of May'

  # Take an annotation away
  kubectl annotate node gpu-node1 maintenance-"""
SPEC = metadata_changes.spec("annotate", "annotation")


def run(kubectl: Kubectl) -> int:
    return metadata_changes.run(
        kubectl, metadata_changes.Style("annotation", parse, _check_new, lambda *_: "annotated")
    )


def parse(pairs: Sequence[str]) -> tuple[dict[str, str], list[str]]:
    """cmdutil.ParsePairs: (set, remove)."""
    new: dict[str, str] = {}
    gone: list[str] = []
    for text in pairs:
        if "=" in text and text[0] != "=":
            key, _, value = text.partition("=")
            new[key] = value
        else:
            gone.append(text[:-1])
    return new, gone


def _check_new(new: metadata_changes.Pairs, have: metadata_changes.Pairs) -> None:
    found = [
        f"'{key}' already has a value ({have[key]})"
        for key, value in new.items()
        if key in have and have[key] != value and key != CHANGE_CAUSE
    ]
    if found:
        raise Failure(f"--overwrite is false but found the following declared annotation(s): {'; '.join(found)}")
