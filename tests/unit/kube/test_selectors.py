import pytest

from labsim.kube import selectors

KEY = (
    "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric"
    " character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is"
    " '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"
)
VALUE = (
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start"
    " and end"
    " with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is"
    " '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"
)
OPERATORS = "in, notin, =, ==, !=, gt, lt"

PRINTED = {
    "": "",
    " ": "",
    "a=b": "a=b",
    "a==b": "a==b",
    " a != b ": "a!=b",
    "a": "a",
    "! a": "!a",
    "b,a": "a,b",
    "x in (c,a,b)": "x in (a,b,c)",
    "x notin ()": "x notin ()",
    "x in (,a,,)": "x in (,a)",
    "in in (in,notin)": "in in (in,notin)",
    "notin": "notin",
    "a=": "a=",
    "a=,b": "a=,b",
    "nvidia.com/gpu.count>4,a<9": "a<9,nvidia.com/gpu.count>4",
}
ERRORS = {
    "a=b,": "found '', expected: identifier after ','",
    "a=b,,c": "found ',', expected: identifier after ','",
    ",a": "found ',', expected: !, identifier, or 'end of string'",
    "=": "found '=', expected: !, identifier, or 'end of string'",
    "(a)": "found '(', expected: !, identifier, or 'end of string'",
    "!": "unable to parse requirement: found '', expected: identifier",
    "a b": f"unable to parse requirement: found 'b', expected: {OPERATORS}",
    "a!b": f"unable to parse requirement: found '!', expected: {OPERATORS}",
    "a=>b": "unable to parse requirement: found '>', expected: identifier",
    "a==b=c": "found '=', expected: ',' or 'end of string'",
    "!a=b": "found '=', expected: ',' or 'end of string'",
    "a=b c": "found 'c', expected: ',' or 'end of string'",
    "a in b": "unable to parse requirement: found 'b' expected: '('",
    "a in": "unable to parse requirement: found '' expected: '('",
    "a in (b c)": "unable to parse requirement: found 'c', expected: ',' or ')'",
    "a in (b": "unable to parse requirement: found '', expected: ',' or ')'",
    "a in (b,": "unable to parse requirement: found '', expected: ',', or identifier",
    "a in (=": "unable to parse requirement: found '=', expected: ',', ')' or identifier",
    "a in (,=)": "unable to parse requirement: found '=', expected: ',', or identifier",
    "a_=b": f'unable to parse requirement: <nil>: Invalid value: "a_": {KEY}',
    "a=b_": f'unable to parse requirement: values[0][a]: Invalid value: "b_": {VALUE}',
    "a in (-,b,_)": (
        f'unable to parse requirement: [values[0][a]: Invalid value: "-": {VALUE},'
        f' values[1][a]: Invalid value: "_": {VALUE}]'
    ),
    "a>b": (
        "unable to parse requirement: values[0]: Invalid value: \"b\": for 'Gt', 'Lt' operators, the value must be an"
        " integer"
    ),
    "a>99999999999999999999": (
        "unable to parse requirement: values[0]: Invalid value: \"99999999999999999999\": for 'Gt', 'Lt' operators, the"
        " value must be an integer"
    ),
}


@pytest.mark.parametrize(("text", "printed"), PRINTED.items())
def test_printed(text: str, printed: str) -> None:
    assert str(selectors.parse_label(text)) == printed


@pytest.mark.parametrize(("text", "message"), ERRORS.items())
def test_errors(text: str, message: str) -> None:
    with pytest.raises(ValueError) as caught:
        selectors.parse_label(text)
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("text", "hits"),
    [
        ("", "abcd"), ("app=web", "ab"), ("app!=web", "cd"), ("app", "abc"), ("!app", "d"), ("app in (web,db)", "abc"),
        ("app notin (web)", "cd"), ("n>1", "b"), ("n<2", "a"), ("n>1,app=db", ""), ("app=web,n<5", "ab"), ("app=", ""),
        ("n>x1", None), ("m>0", ""),
    ],
)  # fmt: skip
def test_matches(text: str, hits: str | None) -> None:
    pods = {
        "a": {"app": "web", "n": "1"},
        "b": {"app": "web", "n": "2"},
        "c": {"app": "db", "m": "x"},
        "d": {},
    }
    if hits is None:
        with pytest.raises(ValueError, match="must be an integer"):
            selectors.parse_label(text)
        return
    selector = selectors.parse_label(text)
    assert "".join(name for name, labels in pods.items() if selector.matches(labels)) == hits


def test_requirements() -> None:
    found = selectors.parse_label("b!=1,a=x,c in (y,z),d,!e,f>3").requirements
    assert found == (
        ("a", "in", ("x",)),
        ("b", "notin", ("1",)),
        ("c", "in", ("y", "z")),
        ("d", "exists", ()),
        ("e", "!", ()),
        ("f", "gt", ("3",)),
    )


def test_objects() -> None:
    spec = {
        "matchLabels": {"b": "2", "a": "1"},
        "matchExpressions": [
            {"key": "c", "operator": "NotIn", "values": ["y", "x"]},
            {"key": "d", "operator": "Exists"},
            {"key": "e", "operator": "DoesNotExist"},
        ],
    }
    selector = selectors.from_object(spec)
    assert str(selector) == "a=1,b=2,c notin (x,y),d,!e"
    assert selector.matches({"a": "1", "b": "2", "d": ""})
    assert not selector.matches({"a": "1", "b": "2", "c": "x", "d": ""})
    assert selectors.from_object({}).matches({"a": "1"})
    assert not selectors.from_object(None).matches({})


@pytest.mark.parametrize(
    ("expression", "message"),
    [
        ({"key": "a", "operator": "Foo"}, '"Foo" is not a valid label selector operator'),
        (
            {"key": "a", "operator": "In"},
            "values: Invalid value: null: for 'in', 'notin' operators, values set can't be empty",
        ),
        (
            {"key": "a", "operator": "Exists", "values": ["x", "y"]},
            'values: Invalid value: ["x","y"]: values set must be empty for exists and does not exist',
        ),
        ({"key": "a_", "operator": "Exists"}, f'key: Invalid value: "a_": {KEY}'),
    ],
)
def test_bad_objects(expression: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError) as caught:
        selectors.from_object({"matchExpressions": [expression]})
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("", ()),
        (",,", ()),
        ("status.phase=Running", (("status.phase", "=", "Running"),)),
        ("b!=1,a==2,", (("a", "=", "2"), ("b", "!=", "1"))),
        (r"a=x\,y\=z\\", (("a", "=", r"x,y=z" + "\\"),)),
        ("a=", (("a", "=", ""),)),
        ("=a", (("", "=", "a"),)),
        (" a = b ", ((" a ", "=", " b "),)),
    ],
)
def test_fields(text: str, found: tuple[tuple[str, str, str], ...]) -> None:
    assert selectors.parse_field(text).requirements == found


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a", "invalid selector: 'a'; can't understand 'a'"),
        ("b=1,a", "invalid selector: 'b=1,a'; can't understand 'a'"),
        ("a=b=c", "invalid field selector: unescaped character in value: 61"),
        ("a===b", "invalid field selector: unescaped character in value: 61"),
        (r"a=\x", r"invalid field selector: invalid escape sequence: \x"),
        ("a=b\\", "invalid field selector: invalid escape sequence: \\"),
    ],
)
def test_bad_fields(text: str, message: str) -> None:
    with pytest.raises(ValueError) as caught:
        selectors.parse_field(text)
    assert str(caught.value) == message


def test_field_matching_and_printing() -> None:
    selector = selectors.parse_field(r"a!=1,b=x\,y")
    assert str(selector) == r"a!=1,b=x\,y"
    assert selector.matches({"a": "2", "b": "x,y"})
    assert not selector.matches({"a": "1", "b": "x,y"})
    assert not selector.matches({})
