"""Whatever is typed as a template, it prints something or is refused in the proper way."""

from typing import Any

from hypothesis import example, given, settings
from hypothesis import strategies as st

from labsim.kube.customcolumns import parse_spec, print_objects
from labsim.kube.gotemplate import Template as GoTemplate
from labsim.kube.gotemplate import TemplateError
from labsim.kube.jsonpath import JSONPathError, Template
from labsim.kube.sorting import SortError, sort_objects

OBJECT: dict[str, Any] = {"a": [1, 2.5, "x", None, {"b": [[], {}]}], "b": {"a": "é", "c": True}, "n": None}
PATH_PARTS = [
    "{", "}", ".", "..", "[", "]", "*", "a", "b", "[?(", ")]", "@", "$", "==", "<", '"', "'", "0", "-1", ":", ",", " ",
    "range ", "end", "\\", "\n", "{.a}", "{.b.a}", "{range .a[*]}", "{end}", "x", "1.5", "true", "é", "\0",
]  # fmt: skip
GO_PARTS = [
    "{{", "}}", "{{- ", " -}}", ".a", ".b", ".", "$", "$x", " := ", " = ", "|", "(", ")", "range ", "if ", "with ",
    "else", "end", "{{end}}", "index ", "len ", "printf ", '"%d %s"', " 1", " -2", "1.5", "'a'", "nil", "true", "`",
    '"', "\n", " ", "eq ", "slice ", "/*", "*/", "define ", "template ", "break", "é", "\0",
]  # fmt: skip


def texts(parts: list[str]) -> st.SearchStrategy[str]:
    return st.lists(st.sampled_from(parts), max_size=12).map("".join)


@settings(max_examples=400, deadline=None)
@given(texts(PATH_PARTS))
def test_jsonpath(text: str) -> None:
    try:
        assert isinstance(Template.parse(text).execute(OBJECT), str)
    except JSONPathError as error:
        assert str(error)


@settings(max_examples=400, deadline=None)
@given(texts(GO_PARTS))
@example('{{range .a}}{{printf "%[2]*[1]d" . 5}}{{end}}')
def test_go_templates(text: str) -> None:
    try:
        template = GoTemplate.parse(text)
    except TemplateError as error:
        assert str(error).startswith("template: output:")
        return
    stdout, error_text = template.output(OBJECT)
    assert bool(error_text) == ("Error executing template: template: output:" in stdout)


@settings(max_examples=200, deadline=None)
@given(texts(PATH_PARTS))
def test_columns_and_sorting(text: str) -> None:
    try:
        print_objects(parse_spec(f"A:{text}"), [OBJECT, {}])
    except ValueError as error:
        assert str(error)
    try:
        assert len(sort_objects([OBJECT, {}, OBJECT], text)) == 3
    except SortError as error:
        assert str(error)


@settings(max_examples=200, deadline=None)
@given(st.text(alphabet="a'\"\\\n\té\0😀", max_size=8))
def test_strings_of_a_template_print_as_they_are(value: str) -> None:
    quoted = value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    if "\\" not in value:  # to client-go a quote after any backslash is escaped, also after an escaped one
        assert Template.parse(f'{{"{quoted}"}}').execute({}) == value
    assert GoTemplate.parse(f'{{{{"{quoted}"}}}}').execute({}) == value
