"""Reading manifests: the values and error texts were seen with kubectl 1.35 (`label --local -f - -o json`)."""

from __future__ import annotations

import pytest

from labsim.kube.codec import DecodeError, load, load_all

SCALARS = [
    ("y", True), ("n", False), ("yes", True), ("NO", False), ("on", True), ("Off", False), ("true", True),
    ("tRue", "tRue"), ("~", None), ("null", None), ("", None), ("nULL", "nULL"), ("010", 8), ("0o10", 8), ("0x1F", 31),
    ("0b11", 3), ("+010", 8), ("08", 8), ("-08", -8), ("1e3", 1000), ("1.0", 1), ("1.5", 1.5), (".5", 0.5), ("-0", 0),
    ("1_000", 1000), ("_1", "_1"), ("0x_1F", 31), ("0o8", "0o8"), ("1e400", "1e400"), ("1.", 1), ("1e21", 1e21),
    ("2026-01-01", "2026-01-01"), ("12:30:00", "12:30:00"), ("2001-12-14T21:59:43Z", "2001-12-14T21:59:43Z"),
    ("9223372036854775807", 2**63 - 1), ("9223372036854775808", 2.0**63), ("18446744073709551616", 2.0**64),
    ("4611686018427387904.0", 4611686018427388000), ("'2'", "2"), ('"null"', "null"), ("!!str 123", "123"),
    ("!!float 3", 3), ("!!binary aGk=", "hi"), ("!foo 12", "12"), ("0x1p3", "0x1p3"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "value"), SCALARS)
def test_scalar(text: str, value: object) -> None:
    found = load(f"v: {text}\n")["v"]
    assert found == value
    assert type(found) is type(value)


@pytest.mark.parametrize(
    ("text", "key"),
    [("n", "false"), ("y", "true"), ("010", "8"), ("1.0", "1"), ("1e21", "1e+21"), ("2026-01-01", "2026-01-01"),
     ("0.1", "0.1"), ("1234567.5", "1.2345675e+06"), ("'<<'", "<<"), (".inf", ".inf")],
)  # fmt: skip
def test_keys_become_strings(text: str, key: str) -> None:
    assert load(f"{text}: a\n") == {key: "a"}


@pytest.mark.parametrize(
    ("text", "documents"),
    [
        ("a: 1\na: 2\n", [{"a": 2}]),
        ("---\na: 1\n---\n---\n# nothing\n---\nb: 2\n", [{"a": 1}, {"b": 2}]),
        ('{"a": 1}{"b": 1.0}\n{"c": 1e2}', [{"a": 1}, {"b": 1}, {"c": 100}]),
        ('{"a": 1}\n---\nb: 2\n', [{"a": 1}, {"b": 2}]),
        ("{a: b}\n", [{"a": "b"}]),
        ("a: &x {k: 1}\nb: *x\nc: {<<: *x, d: 2}\n", [{"a": {"k": 1}, "b": {"k": 1}, "c": {"k": 1, "d": 2}}]),
        ("v: {a: 0, <<: [{a: 1, b: 1}, {b: 2}]}\n", [{"v": {"a": 1, "b": 1}}]),
        ("v: a\r\nw: b\r\n", [{"v": "a", "w": "b"}]),
        ("", []),
        ("# only a comment\n", []),
    ],
)
def test_documents(text: str, documents: list[object]) -> None:
    assert load_all(text) == documents


YAML = "error parsing f.yaml: error converting YAML to JSON: "
ERRORS = [
    ("a: 1\nv: [1, 2\n", YAML + "yaml: line 2: did not find expected ',' or ']'"),
    ("v: a: b\n", YAML + "yaml: mapping values are not allowed in this context"),
    ("a: 1\nv: a: b\n", YAML + "yaml: line 2: mapping values are not allowed in this context"),
    ("a: 1\nv:\n\t- a\n", YAML + "yaml: line 3: found character that cannot start any token"),
    ("a: 1\nv: 'abc\n", YAML + "yaml: line 3: found unexpected end of stream"),
    ("v: *x\n", YAML + "yaml: unknown anchor 'x' referenced"),
    ("v: &x [*x]\n", YAML + "yaml: anchor 'x' value contains itself"),
    ("v: {<<: 3}\n", YAML + "yaml: map merge requires map or sequence of maps as the value"),
    ("v: !!int abc\n", YAML + "yaml: cannot decode !!str `abc` as a !!int"),
    ("v: !!binary '@'\n", YAML + "yaml: !!binary value contains invalid base64 data"),
    ("v: .nan\n", YAML + "json: unsupported value: NaN"),
    ("v: {~: 1}\n", YAML + "unsupported map key of type: %!s(<nil>), key: <nil>, value: 1"),
    ("v: {[a]: 1}\n", YAML + 'yaml: invalid map key: []interface {}{"a"}'),
    ("v: \x01\n", YAML + "yaml: control characters are not allowed"),
    ("a: 1\n---foo\n", "error parsing f.yaml: invalid Yaml document separator: foo"),
    ("a: 1\n---\nx: 1\nb: [\n", YAML + "yaml: line 2: did not find expected node content"),
    ('{"a": [1 2}', "error parsing f.yaml: json: offset 10: invalid character '2' after array element"),
    ('{"a": 1', "error parsing f.yaml: unexpected EOF"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "message"), ERRORS)
def test_errors(text: str, message: str) -> None:
    with pytest.raises(DecodeError) as caught:
        load_all(text, "f.yaml")
    assert str(caught.value) == message


def test_alias_bombs_are_refused() -> None:
    rows = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    rows += [f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 10)}]" for i in range(1, 9)]
    with pytest.raises(DecodeError, match="excessive aliasing"):
        load_all("\n".join(rows))


@pytest.mark.parametrize("text", ["[" * 50_000, "{a: " * 50_000, "- " * 50_000 + "a"])
def test_deep_nesting_is_refused(text: str) -> None:
    with pytest.raises(DecodeError, match="depth"):
        load_all("v: \n  " + text)
