"""Printing a quantity and reading it back loses nothing; sums do not depend on the order."""

from hypothesis import given, settings
from hypothesis import strategies as st

from labsim.kube import quantity

SUFFIXES = ["", "n", "u", "m", "k", "M", "G", "T", "Ki", "Mi", "Gi", "Ti", "e3", "E-3", "e6"]
NUMBERS = st.builds(
    lambda sign, whole, fraction: f"{sign}{whole}{fraction}",
    st.sampled_from(["", "-"]),
    st.integers(0, 10**7),
    st.sampled_from(["", ".5", ".25", ".125", ".001", ".0"]),
)
TEXTS = st.builds(lambda number, suffix: number + suffix, NUMBERS, st.sampled_from(SUFFIXES))


@settings(max_examples=300, deadline=None)
@given(TEXTS)
def test_printing_keeps_the_value(text: str) -> None:
    printed = quantity.canonical(text)
    assert quantity.compare(printed, text) == 0
    assert str(quantity.parse(printed)) == printed


@settings(max_examples=200, deadline=None)
@given(TEXTS, TEXTS)
def test_sums(left: str, right: str) -> None:
    total = quantity.add(left, right)
    assert total.value == quantity.add(right, left).value
    assert quantity.compare(quantity.subtract(total, right), left) == 0
    assert abs(quantity.milli(left)) >= abs(quantity.parse(left).value) * 1000
