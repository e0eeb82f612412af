import pytest

from labsim.kube.duration import format_go_duration, human_duration, parse_go_duration

M, H, D = 60, 3600, 86400
Y = 365 * D

AGES = {
    -2: "<invalid>", -1: "0s", 0: "0s", 1: "1s", 70: "70s", 119: "119s", 2 * M: "2m", 2 * M + 1: "2m1s",
    10 * M - 1: "9m59s", 10 * M: "10m", 10 * M + 59: "10m", 3 * H - 1: "179m", 3 * H: "3h", 3 * H + 59: "3h",
    3 * H + M: "3h1m", 8 * H - 1: "7h59m", 8 * H: "8h", 8 * H + 59 * M: "8h", 2 * D - 1: "47h", 2 * D: "2d",
    2 * D + H - 1: "2d", 2 * D + H: "2d1h", 8 * D - 1: "7d23h", 8 * D: "8d", 8 * D + 23 * H: "8d", 31 * D: "31d",
    Y: "365d", 2 * Y - 1: "729d", 2 * Y: "2y", 2 * Y + D: "2y1d", 3 * Y - 1: "2y364d", 8 * Y - 1: "7y364d", 8 * Y: "8y",
    9 * Y + 364 * D: "9y", 300 * Y: "300y",
}  # fmt: skip


@pytest.mark.parametrize(("seconds", "text"), AGES.items())
def test_human_duration(seconds: int, text: str) -> None:
    assert human_duration(seconds) == text


@pytest.mark.parametrize(
    ("text", "ms"),
    [
        ("0", 0), ("0s", 0), ("+0", 0), ("30s", 30_000), ("1m30s", 90_000), ("-1.5h", -5_400_000), (".5s", 500),
        ("1.s", 1_000), ("100ms", 100), ("1us", 0), ("1500µs", 1), ("1500μs", 1), ("1h1h", 7_200_000),
        ("1.0000000001s", 1_000), ("2562047h47m16.854775807s", 9_223_372_036_854),
        ("-2562047h47m16.854775808s", -9_223_372_036_854),
    ],
)  # fmt: skip
def test_parse(text: str, ms: int) -> None:
    assert parse_go_duration(text) == ms


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", 'time: invalid duration ""'),
        ("-", 'time: invalid duration "-"'),
        ("s", 'time: invalid duration "s"'),
        (".s", 'time: invalid duration ".s"'),
        ("1 s", 'time: unknown unit " s" in duration "1 s"'),
        ("3", 'time: missing unit in duration "3"'),
        ("1h3", 'time: missing unit in duration "1h3"'),
        ("1d", 'time: unknown unit "d" in duration "1d"'),
        ("1é", r'time: unknown unit "\xc3\xa9" in duration "1\xc3\xa9"'),
        ("--1s", 'time: invalid duration "--1s"'),
        ("+-1s", 'time: invalid duration "+-1s"'),
        ('1"', r'time: unknown unit "\"" in duration "1\""'),
        ("2562048h", 'time: invalid duration "2562048h"'),
        ("9" * 30 + "s", f'time: invalid duration "{"9" * 30}s"'),
    ],
)
def test_refused(text: str, message: str) -> None:
    with pytest.raises(ValueError) as caught:
        parse_go_duration(text)
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("ms", "text"),
    [
        (0, "0s"), (1, "1ms"), (999, "999ms"), (1000, "1s"), (1500, "1.5s"), (3143, "3.143s"), (10_010, "10.01s"),
        (60_000, "1m0s"), (90_500, "1m30.5s"), (3_600_000, "1h0m0s"), (86_400_000, "24h0m0s"), (-1500, "-1.5s"),
    ],
)  # fmt: skip
def test_format(ms: int, text: str) -> None:
    assert format_go_duration(ms) == text
    assert parse_go_duration(text) == ms
