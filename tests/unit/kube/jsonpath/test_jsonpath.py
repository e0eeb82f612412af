import json
from typing import Any

import pytest

from labsim.kube.jsonpath import JSONPathError, Template, parse_error, relaxed, run_error

PODS: dict[str, Any] = {
    "kind": "List",
    "items": [
        {
            "metadata": {"name": "a", "labels": {"nvidia.com/gpu.count": "8"}},
            "spec": {"nodeName": "n1", "priority": 5, "containers": [{"name": "c1"}, {"name": "c2"}]},
            "status": {"phase": "Running", "html": "<x>"},
        },
        {
            "metadata": {"name": "b", "labels": None},
            "spec": {"priority": 10, "containers": [{"name": "c3"}]},
            "status": {"phase": "Pending"},
        },
    ],
    "nums": [1, 2, 3, 10, -4],
    "matrix": [[1, 2], [], [3]],
    "odd": [1, "x", None, True, 1e6, {"k": [1.5]}],
}

OUTPUT = {
    "": "",
    "no braces .items": "no braces .items",
    "{.items[*].metadata.name}": "a b",
    "{.items[*].metadata.name}{'\\n'}": "a b\n",
    "{$.kind}{@.kind}": "ListList",
    "{.}": "",
    "{.items[0].status}": '{"html":"\\u003cx\\u003e","phase":"Running"}',
    "{.items[0].status.html}": "<x>",
    r"{.items[0].metadata.labels.nvidia\.com/gpu\.count}": "8",
    r"{.items[0].metadata.labels['nvidia\.com/gpu\.count']}": "8",
    "{.items[0].metadata.labels['nvidia.com/gpu.count']}": "",
    "{.items[*]['metadata.name','status.phase']}": "a b Running Pending",
    "{.items[1].metadata.labels}": "null",
    "{.items[*].spec.nodeName}": "n1",
    "{.missing.field[0]}": "",
    "{.nums[-1]} {.nums[1:3]} {.nums[::2]} {.nums[0,2]} {.nums}": "-4 2 3 1 3 -4 1 3 [1,2,3,10,-4]",
    # an empty list ends a wildcard
    "{.matrix[*][*]}": "1 2",
    "{.odd[*]}": '1 x null true 1e+06 {"k":[1.5]}',
    '{.items[?(@.status.phase=="Running")].metadata.name}': "a",
    "{.items[?(@.status.phase!='Running')].metadata.name}": "b",
    "{.items[?(@.spec.priority>5)].metadata.name}": "b",
    "{.items[?(@.spec.priority>=5)].metadata.name}": "a b",
    "{.items[?(@.spec.nodeName)].metadata.name}": "a",
    '{.items[?(@.spec.nodeName!="n1")].metadata.name}': "",
    "{..name}": "a c1 c2 b c3",
    '{range .items[*]}{.metadata.name}={.spec.nodeName}{"\\n"}{end}end': "a=n1\nb=\nend",
    "{range .items[*]}{range .spec.containers[*]}{.name},{end};{end}": "c1,c2,;c3,;",
    "{range .items[*]}{.metadata.name} ": "a b  ",
    "{range .none[*]}{.x}{end}after": "after",
    "{range .nums[*]}{.}{@},{end}": "1,2,3,10,-4,",
    "{range .odd[*]}{@},{end}": '1,x,<no value>,true,1e+06,{"k":[1.5]},',
    "{true} {1} {-2.50}": "true 1 -2.5",
    "{.kind}}{.kind}": "List}List",
    '{"a" "b"}': "b",
}

PARSE_ERRORS = {
    "{.a": "unclosed action",
    "{.a\n}": "unclosed action",
    "{.a[0": "unterminated array",
    "{.a[?(@.b": "unterminated filter",
    "{.a[?(@.b)x": "unclosed array expect ]",
    '{"abc}': "unterminated quoted string",
    r'{"\q"}': r'unquote string "\q" error invalid syntax',
    '{.a["n"]}': 'invalid array index "n"',
    "{.a[x]}": "invalid array index x",
    "{.a[-]}": "array index - is not a number",
    "{.a & b}": "unrecognized character in action: U+0026 '&'",
    "{\t.a}": "unrecognized character in action: U+0009",
    "{....a}": "invalid multiple recursive descent",
    "{1.2.3}": "cannot parse number 1.2.3",
}

RUN_ERRORS = {
    "{.nums[9]}": "array index out of bounds: index 9, length 5",
    "{.nums[1:9]}": "array index out of bounds: index 8, length 5",
    "{.nums[-9]}": "array index out of bounds: index -4, length 5",
    "{.nums[3:1]}": "starting index 3 is greater than ending index 1",
    "{.nums[::0]}": "step must be > 0",
    "{foo}": "unrecognized identifier foo",
    "{end}": "not in range, nothing to end",
    "{.kind[0]}": "string is not array or slice",
    "{.items[0].spec[*]}": "map[string]interface {} is not array or slice",
    '{.kind[?(@.x=="y")]}': "List is not array or slice and cannot be filtered",
    '{.items[?(@.spec.priority=="5")]}': "incompatible types for comparison",
    "{.items[?(@.spec.priority>1.5)]}": "incompatible types for comparison",
    "{.items[?(@.spec>1)]}": "invalid type for comparison",
    '{.items[?(@.metadata.name=="a" && @.kind=="x")]}': "unrecognized character in action: U+0026 '&'",
    '{.items[?(@.metadata.name="a")]}': "unrecognized filter operator =",
    "{.items[?(@.spec.containers[*].name=='c1')]}": "can only compare one element at a time",
}


@pytest.mark.parametrize(("text", "printed"), OUTPUT.items())
def test_output(text: str, printed: str) -> None:
    assert Template.parse(text).execute(PODS) == printed


@pytest.mark.parametrize(("text", "message"), PARSE_ERRORS.items())
def test_parse_errors(text: str, message: str) -> None:
    with pytest.raises(JSONPathError) as caught:
        Template.parse(text)
    assert str(caught.value) == message
    assert parse_error(text, caught.value) == f"error parsing jsonpath {text}, {message}"


@pytest.mark.parametrize(("text", "message"), RUN_ERRORS.items())
def test_run_errors(text: str, message: str) -> None:
    with pytest.raises(JSONPathError) as caught:
        Template.parse(text).execute(PODS)
    assert str(caught.value) == message


def test_missing_keys_can_be_refused() -> None:
    with pytest.raises(JSONPathError, match="none is not found"):
        Template.parse("{.items[*].none}", allow_missing=False).execute(PODS)
    assert Template.parse("{.items[*].spec.nodeName}", allow_missing=False).execute(PODS) == "n1"


def test_run_error_shows_the_object_as_go_source() -> None:
    obj = {"b": [1, None, 'q"\n'], "a": {"x": True, "y": 1.0}}
    with pytest.raises(JSONPathError) as caught:
        Template.parse("{.b[5]}").execute(obj)
    assert run_error("{.b[5]}", obj, caught.value) == (
        'error executing jsonpath "{.b[5]}": Error executing template: array index out of bounds: index 5, length 3.'
        " Printing more information for debugging the template:\n\ttemplate was:\n\t\t{.b[5]}\n"
        "\tobject given to jsonpath engine was:\n\t\t"
        'map[string]interface {}{"a":map[string]interface {}{"x":true, "y":1},'
        ' "b":[]interface {}{1, interface {}(nil), "q\\"\\n"}}\n\n\n'
    )


def test_as_json() -> None:
    assert Template.parse("{.nums[0:2]}{.none}").execute_json(PODS) == "[\n    1,\n    2\n]\n[]\n"


def test_find() -> None:
    assert Template.parse("{.items[*].metadata.name}x{.none}").find(PODS) == [["a", "b"], ["x"], []]


def test_the_object_is_left_alone() -> None:
    before = json.dumps(PODS)
    for text in OUTPUT:
        Template.parse(text).find(PODS)
    assert json.dumps(PODS) == before


@pytest.mark.parametrize(
    ("path", "full"),
    [
        ("", ""), ("metadata.name", "{.metadata.name}"), (".metadata.name", "{.metadata.name}"),
        ("{metadata.name}", "{.metadata.name}"), ("{.metadata.name}", "{.metadata.name}"), ("[0]", "{.[0]}"),
        (".", "{..}"),
    ],
)  # fmt: skip
def test_relaxed(path: str, full: str) -> None:
    assert relaxed(path) == full


@pytest.mark.parametrize("path", ["{.a}{.b}", "{.a", "a}", "{}", "{{.a}}"])
def test_relaxed_refuses(path: str) -> None:
    with pytest.raises(JSONPathError) as caught:
        relaxed(path)
    assert str(caught.value) == (
        "unexpected path string, expected a 'name1.name2' or '.name1.name2' or '{name1.name2}' or '{.name1.name2}'"
    )
