from typing import Any

import pytest

from labsim.kube.customcolumns import Column, parse_file, parse_spec, print_objects

PODS: list[dict[str, Any]] = [
    {
        "metadata": {"name": "web-0"},
        "spec": {"nodeName": "gpu-node1", "tags": ["a", "b"]},
        "nul": None,
        "m": {"b": 1, "a": []},
    },
    {"metadata": {"name": "web-long-name"}, "spec": {"tags": ["c"]}, "text": "a\x1b[31m\rb"},
]


def lines(spec: str, headers: bool = True) -> tuple[list[str], str]:
    text, error = print_objects(parse_spec(spec), PODS, headers)
    return text.split("\n"), error


@pytest.mark.parametrize(
    ("spec", "printed"),
    [
        (
            "NAME:.metadata.name,Node:spec.nodeName",
            ["NAME            Node", "web-0           gpu-node1", "web-long-name   <none>", ""],
        ),
        (":.metadata.name", ["", "web-0", "web-long-name", ""]),
        ("A:,B:{.kind}", ["A        B", "<none>   <none>", "<none>   <none>", ""]),
        ("TAGS:.spec.tags[*],L:.spec.tags", ["TAGS   L", "a,b    [a b]", "c      [c]", ""]),
        ("N:.nul,M:.m", ["N        M", "<nil>    map[a:[] b:1]", "<none>   <none>", ""]),
        ("T:.text", ["T", "<none>", "a^[[31m\\rb", ""]),
    ],
)
def test_tables(spec: str, printed: list[str]) -> None:
    assert lines(spec) == (printed, "")


def test_without_headers() -> None:
    assert lines("NAME:.metadata.name,T:.spec.tags[0]", headers=False)[0] == [
        "web-0           a",
        "web-long-name   c",
        "",
    ]


def test_what_was_printed_before_an_error_stays() -> None:
    assert lines("N:.metadata.name,T:.spec.tags[1]") == (
        ["N       T", "web-0   b", ""],
        "array index out of bounds: index 1, length 1",
    )
    assert lines("N:.x[") == (["N", ""], "unterminated array")


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("", "custom-columns format specified but no custom columns given"),
        ("NAME", "unexpected custom-columns spec: NAME, expected <header>:<json-path-expr>"),
        ("A:.a,", "unexpected custom-columns spec: , expected <header>:<json-path-expr>"),
        ("A:.a[0,1]", "unexpected custom-columns spec: 1], expected <header>:<json-path-expr>"),
        (
            "A:{.a}{.b}",
            "unexpected path string, expected a 'name1.name2' or '.name1.name2' or '{name1.name2}' or '{.name1.name2}'",
        ),
    ],
)
def test_bad_specs(spec: str, message: str) -> None:
    with pytest.raises(ValueError) as caught:
        parse_spec(spec)
    assert str(caught.value) == message


def test_files() -> None:
    assert parse_file("NAME  NODE\nmetadata.name {.spec.nodeName}\n") == [
        Column("NAME", "{.metadata.name}"),
        Column("NODE", "{.spec.nodeName}"),
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "",
            "invalid template, missing header line. Expected format is one line of space separated headers, one line"
            " of space"
            " separated column specs.",
        ),
        (
            "NAME\n",
            "invalid template, missing spec line. Expected format is one line of space separated headers, one line"
            " of space"
            " separated column specs.",
        ),
        ("A B\n.a\n", "number of headers (2) and field specifications (1) don't match"),
    ],
)
def test_bad_files(text: str, message: str) -> None:
    with pytest.raises(ValueError) as caught:
        parse_file(text)
    assert str(caught.value) == message
