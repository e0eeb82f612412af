import pytest

from labsim.kube import quantity

CANONICAL = {
    "0": "0", "00": "0", "0Gi": "0", "0m": "0", "+": "0", "1000m": "1", "1500m": "1500m", "0.5": "500m", "1.5": "1500m",
    "1024Ki": "1Mi", "1025Ki": "1025Ki", "1536Mi": "1536Mi", "2113302Mi": "2113302Mi", "1048576Mi": "1Ti",
    "0.5Ki": "512", "0.0001Ki": "102400u", "1.0005Gi": "1074278694912m", "1.5Gi": "1536Mi", "1000k": "1M",
    "12E6": "12E6", "1e3": "1e3", "1e4": "10e3", "1e-3": "1e-3", "0.1n": "1n", "1.1n": "2n", "1e-30": "1e-9",
    "-0.1n": "-1n", "-1024Ki": "-1Mi", "10000": "10k", "1.500": "1.500", "0.500": "500m", "007": "007", "+5": "+5",
    "1000E": "1", "Ki": "0",
    "9223372036854775807Ki": "9223372036854775807", "8Ei": "9223372036854775807", "224": "224",
}  # fmt: skip


@pytest.mark.parametrize(("text", "printed"), CANONICAL.items())
def test_canonical(text: str, printed: str) -> None:
    assert quantity.canonical(text) == printed


@pytest.mark.parametrize("text", ["", "abc", "1 ", "1..2", "1KI", "0x10", "1.1.1", "1Gi1x", "1\n", "١"])
def test_malformed(text: str) -> None:
    with pytest.raises(ValueError) as caught:
        quantity.parse(text)
    assert str(caught.value) == (
        "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"
    )


@pytest.mark.parametrize(
    "text", ["1K", "--1", "1i", "1mi", "1e", "1e-", "1ee3", "1Gi1", "1e99999999999999999999", "1Em"]
)
def test_bad_suffix(text: str) -> None:
    with pytest.raises(ValueError, match=f"^{quantity.SUFFIX_ERROR}$"):
        quantity.parse(text)


@pytest.mark.parametrize("text", ["Pi", "-.Pi", ".e-12", "+e-30"])
def test_no_digits(text: str) -> None:
    with pytest.raises(ValueError, match=f"^{quantity.NUMBER_ERROR}$"):
        quantity.parse(text)


@pytest.mark.parametrize(
    ("text", "whole", "thousandths"),
    [
        ("250m", 1, 250), ("1", 1, 1000), ("1Gi", 2**30, 2**30 * 1000), ("1001u", 1, 2), ("-1500m", -2, -1500),
        ("0", 0, 0), ("1n", 1, 1), ("1e30", 2**63 - 1, 2**63 - 1), ("1e999999999", 2**63 - 1, 2**63 - 1),
        ("100k", 100_000, 100_000_000),
    ],
)  # fmt: skip
def test_values(text: str, whole: int, thousandths: int) -> None:
    assert (quantity.value(text), quantity.milli(text)) == (whole, thousandths)


@pytest.mark.parametrize(
    ("left", "right", "total", "rest"),
    [
        ("250m", "1", "1250m", "-750m"), ("512Mi", "2Gi", "2560Mi", "-1536Mi"), ("0", "1Gi", "1Gi", "-1Gi"),
        ("1", "1Gi", "1073741825", "-1073741823"), ("1Gi", "0.5", "1073741824500m", "1073741823500m"),
        ("1.500", "0", "1500m", "1500m"), ("1Gi", "1Gi", "2Gi", "0"), ("1e3", "1k", "2e3", "0"),
    ],
)  # fmt: skip
def test_sums(left: str, right: str, total: str, rest: str) -> None:
    assert (str(quantity.add(left, right)), str(quantity.subtract(left, right))) == (total, rest)


def test_compare() -> None:
    order = ["-1", "0", "1n", "100m", "0.5", "1", "1000", "1Ki", "1M", "1Mi", "1e9", "1Gi"]
    for i, left in enumerate(order):
        for j, right in enumerate(order):
            assert quantity.compare(left, right) == (i > j) - (i < j)
    assert quantity.compare("1000m", quantity.parse("1")) == 0


def test_of_milli() -> None:
    assert str(quantity.of_milli(1250)) == "1250m"
    assert str(quantity.of_milli(2**30 * 1000, quantity.BINARY_SI)) == "1Gi"
