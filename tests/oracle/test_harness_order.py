"""What the comparison without order still tells apart."""

from __future__ import annotations

import pytest

from tests.oracle.harness import in_any_order

FORCE, LOCAL = "cannot delete Pods that declare no controller", "cannot delete Pods with local storage"
SAME = [
    (f"error: x: [{FORCE}: a/b, {LOCAL}: c/d, e/f], next",
     f"error: x: [{LOCAL}: e/f, c/d, {FORCE}: a/b], next"),
    ("Warning: deleting Pods with local storage: a/b; ignoring DaemonSet-managed Pods: c/d, e/f",
     "Warning: ignoring DaemonSet-managed Pods: e/f, c/d; deleting Pods with local storage: a/b"),
    ("one\ntwo", "two\none"),
]  # fmt: skip
DIFFERENT = [
    (f"error: x: [{FORCE}: a/b, {LOCAL}: c/d]", f"error: x: [{FORCE}: c/d, {LOCAL}: a/b]"),
    (f"{FORCE}: a/b\n{LOCAL}: c/d", f"{FORCE}: c/d\n{LOCAL}: a/b"),
    ("Warning: deleting Pods with local storage: a/b", "Warning: ignoring DaemonSet-managed Pods: a/b"),
    ("a, b", "b, a"),
]


@pytest.mark.parametrize(("a", "b"), SAME)
def test_the_order_does_not_count(a: str, b: str) -> None:
    assert in_any_order(a) == in_any_order(b)


@pytest.mark.parametrize(("a", "b"), DIFFERENT)
def test_a_reason_on_another_pod_or_line_counts(a: str, b: str) -> None:
    assert in_any_order(a) != in_any_order(b)
