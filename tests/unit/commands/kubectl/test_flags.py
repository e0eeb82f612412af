"""pflag's grammar and its errors."""

from __future__ import annotations

import pytest

from labsim.commands.kubectl.flags import Flag, FlagError, duration, parse

FLAGS = (
    Flag("namespace", "n"),
    Flag("output", "o"),
    Flag("watch", "w", kind="bool"),
    Flag("stdin", "i", kind="bool"),
    Flag("all", "A", kind="bool"),
    Flag("filename", "f", kind="slice"),
    Flag("arg", kind="array"),
    Flag("tail", kind="int", default=-1),
    Flag("timeout", kind="duration"),
    Flag("dry-run", default="none", bare="unchanged"),
)


@pytest.mark.parametrize(
    ("words", "values", "args"),
    [
        ("-n x pods", {"namespace": "x"}, ["pods"]),
        ("pods -n=x", {"namespace": "x"}, ["pods"]),
        ("-nx pods", {"namespace": "x"}, ["pods"]),
        ("--namespace x --namespace=y", {"namespace": "y"}, []),
        ("-wo wide", {"watch": True, "output": "wide"}, []),
        ("-wi", {"watch": True, "stdin": True}, []),
        ("-A=false", {"all": False}, []),
        ("-f a,b -f c", {"filename": ("a", "b", "c")}, []),
        ("--arg a,b --arg c", {"arg": ("a,b", "c")}, []),
        ("--tail 5", {"tail": 5}, []),
        ("--timeout 1m30s", {"timeout": 90_000}, []),
        ("--dry-run x", {"dry-run": "unchanged"}, ["x"]),
        ("--dry-run=client", {"dry-run": "client"}, []),
        ("a -- -w b", {"watch": False}, ["a", "-w", "b"]),
        ("-", {}, ["-"]),
    ],
)
def test_values(words: str, values: dict, args: list[str]) -> None:
    parsed = parse(words.split(), FLAGS)
    assert {name: parsed.values[name] for name in values} == values
    assert parsed.args == args


@pytest.mark.parametrize(
    ("words", "text"),
    [
        ("--nope", "unknown flag: --nope"),
        ("-x", "unknown shorthand flag: 'x' in -x"),
        ("-wx", "unknown shorthand flag: 'x' in -x"),
        ("-n", "flag needs an argument: 'n' in -n"),
        ("--namespace", "flag needs an argument: --namespace"),
        (
            "--watch=maybe",
            'invalid argument "maybe" for "-w, --watch" flag: strconv.ParseBool: parsing "maybe": invalid syntax',
        ),
        ("--tail=x", 'invalid argument "x" for "--tail" flag: strconv.ParseInt: parsing "x": invalid syntax'),
        ("--timeout=5", 'invalid argument "5" for "--timeout" flag: time: missing unit in duration "5"'),
        ("--=x", "bad flag syntax: --=x"),
    ],
)
def test_errors(words: str, text: str) -> None:
    with pytest.raises(FlagError) as caught:
        parse(words.split(), FLAGS)
    assert str(caught.value) == text


@pytest.mark.parametrize(("text", "ms"), [("0", 0), ("1h", 3_600_000), ("-1s", -1000), ("1.5s", 1500), ("300ms", 300)])
def test_durations(text: str, ms: int) -> None:
    assert duration(text) == ms
