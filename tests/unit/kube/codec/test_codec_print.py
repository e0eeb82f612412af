"""Printed forms, as kubectl 1.35 prints them."""

from __future__ import annotations

import pytest

from labsim.kube.codec import dump_compact, dump_json, dump_kyaml, dump_yaml
from labsim.kube.codec.scalars import go_float, json_float
from labsim.kube.codec.yamlout import sort_keys

STRINGS = [
    ("plain", "plain"), ("y", '"y"'), ("N", '"N"'), ("1", '"1"'), ("null", '"null"'), ("~", '"~"'), ("1e3", '"1e3"'),
    ("", '""'), ("12:30:00", '"12:30:00"'), ("2026-01-01", '"2026-01-01"'), ("a: b", "'a: b'"), ("a:b", "a:b"),
    ("a #b", "'a #b'"), ("a#b", "a#b"), ("- a", "'- a'"), ("-a", "-a"), ("@x", "'@x'"), ("it's", "it's"),
    ("'q'", "'''q'''"), (" a", "' a'"), ("a\tb", '"a\\tb"'), ("é", "é"), ("😀", '"\\U0001F600"'), ("a\\b", "a\\b"),
    ("{}", "'{}'"), ("---", "'---'"), ("100m", "100m"), ("0x1F", '"0x1F"'), ("0o8", "0o8"), ("1_000", '"1_000"'),
    ("<<", "<<"), ("=", "="), ("?", "'?'"), ("a\n", "|\n  a"), ("a\nb", "|-\n  a\n  b"), ("a\n\n", "|+\n  a\n"),
    ("\n", "|2+\n"), ("  a\nb\n", "|2\n    a\n  b"), ("a \nb", '"a \\nb"'), ("a\n\nb\n", "|\n  a\n\n  b"),
]  # fmt: skip


@pytest.mark.parametrize(("value", "shown"), STRINGS)
def test_yaml_strings(value: str, shown: str) -> None:
    assert dump_yaml({"v": value, "w": 1}) == f"v: {shown}\nw: 1\n"


def test_yaml_structure() -> None:
    obj = {
        "b": [{"y": "1", "x": [1, [2, 3], []]}, {}, "s"],
        "a": {"e": {}, "n": None, "t": True, "f": 1.5},
        "k" * 129: "long",
        "m": ["a\nb\n"],
    }
    assert dump_yaml(obj) == (
        'a:\n  e: {}\n  f: 1.5\n  "n": null\n  t: true\nb:\n'
        '- x:\n  - 1\n  - - 2\n    - 3\n  - []\n  "y": "1"\n- {}\n- s\n'
        f"? {'k' * 129}\n: long\nm:\n- |\n  a\n  b\n"
    )


def test_yaml_folds_long_lines_as_go_yaml_does() -> None:
    text = "word " * 30 + "end"
    assert dump_yaml({"v": text}) == (
        "v: word word word word word word word word word word word word word word word word\n"
        "  word word word word word word word word word word word word word word end\n"
    )


@pytest.mark.parametrize("text", ["a\x7fb", "a\x9fb"])
def test_yaml_refuses_what_kubectl_refuses(text: str) -> None:
    with pytest.raises(ValueError, match="yaml: control characters are not allowed"):
        dump_yaml({"v": text})


def test_yaml_key_order_is_natural() -> None:
    keys = ["a10", "a9", "a.b", "ab", "A", "a-b", "nvidia.com/gpu.count", "nvidia.com/gpu", "a01", "1", "_"]
    assert sort_keys(keys) == [
        "_",
        "1",
        "A",
        "a-b",
        "a.b",
        "a01",
        "a9",
        "a10",
        "ab",
        "nvidia.com/gpu",
        "nvidia.com/gpu.count",
    ]


def test_json() -> None:
    obj = {"b": "<a&b>\u2028é", "a": [1, {}, [], None, 1e21, 0.1, 3.0], "\t": "\x01\x08\x7f"}
    assert dump_json(obj) == (
        '{\n    "\\t": "\\u0001\\b\x7f",\n    "a": [\n        1,\n        {},\n        [],\n        null,\n'
        '        1e+21,\n        0.1,\n        3\n    ],\n    "b": "\\u003ca\\u0026b\\u003e\\u2028é"\n}\n'
    )
    assert dump_compact({"b": "<", "a": [1, 1e-7]}) == '{"a":[1,1e-7],"b":"\\u003c"}'


@pytest.mark.parametrize(
    ("number", "in_yaml", "in_json"),
    [(1.5, "1.5", "1.5"), (1234567.25, "1.23456725e+06", "1234567.25"), (1e20, "1e+20", "100000000000000000000"),
     (1e21, "1e+21", "1e+21"), (1e-5, "1e-05", "0.00001"), (1e-7, "1e-07", "1e-7"), (5e-324, "5e-324", "5e-324")],
)  # fmt: skip
def test_floats(number: float, in_yaml: str, in_json: str) -> None:
    assert (go_float(number), json_float(number)) == (in_yaml, in_json)


def test_kyaml() -> None:
    obj = {"a": ["x", 1], "n": {"y": "a\n  b\n", "k-1": None}, "l": [{"a": 1}, {}], "e": []}
    assert dump_kyaml(obj) == (
        '---\n{\n  a: [\n    "x",\n    1,\n  ],\n  e: [],\n  l: [{\n    a: 1,\n  }, {}],\n  "n": {\n    k-1: null,\n'
        '    "y": "\\\n       a\\n\\\n      \\  b\\n\\\n      ",\n  },\n}\n'
    )
