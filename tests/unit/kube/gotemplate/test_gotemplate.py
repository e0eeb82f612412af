from typing import Any

import pytest

from labsim.kube.gotemplate import Template, TemplateError, parse_error

POD: dict[str, Any] = {
    "kind": "Pod",
    "metadata": {"name": "web-0", "labels": {"app": "web", "nvidia.com/gpu.count": "8"}},
    "spec": {"containers": [{"name": "c1", "ports": [80, 443]}, {"name": "c2"}], "priority": 1000000, "nul": None},
    "half": 0.5,
    "b64": "aGk=",
}

OUTPUT = {
    "plain": "plain",
    '{{.metadata.name}}{{"\\n"}}': "web-0\n",
    "{{.none}} {{.none.deeper}} {{.spec.nul}}": "<no value> <no value> <no value>",
    "{{.metadata.labels}}": "map[app:web nvidia.com/gpu.count:8]",
    '{{index .metadata.labels "nvidia.com/gpu.count"}}': "8",
    "{{.spec.priority}} {{.half}} {{(index .spec.containers 0).ports}}": "1000000 0.5 [80 443]",
    "{{range .spec.containers}}{{.name}} {{end}}": "c1 c2 ",
    "{{range $i, $c := .spec.containers}}{{if $i}}, {{end}}{{$i}}={{$c.name}}{{end}}": "0=c1, 1=c2",
    "{{range $k, $v := .metadata.labels}}{{$k}}={{$v}};{{end}}": "app=web;nvidia.com/gpu.count=8;",
    "{{range .none}}x{{else}}none{{end}}": "none",
    "{{range 3}}{{.}}{{end}}": "012",
    "{{range .spec.containers}}{{if not .ports}}{{continue}}{{end}}{{.name}}{{break}}{{end}}": "c1",
    "{{if .none}}a{{else if .kind}}b{{else}}c{{end}}": "b",
    "{{with .metadata}}{{.name}}/{{$.kind}}{{end}}": "web-0/Pod",
    "{{$n := 1}}{{if true}}{{$n = 2}}{{end}}{{$n}}": "2",
    "{{len .spec.containers}} {{len .kind}}": "2 3",
    '{{.kind | len | printf "%03d"}}': "003",
    '{{printf "%-8s|%6.2f|%x|%q|%v" .kind .half 255 "a" .metadata.labels}}': (
        'Pod     |  0.50|ff|"a"|map[app:web nvidia.com/gpu.count:8]'
    ),
    '{{printf "%s %d" .spec.priority .half}}': "%!s(int64=1000000) %!d(float64=0.5)",
    '{{printf "%d" 1 2}}{{printf "%d"}}': "1%!(EXTRA int=2)%!d(MISSING)",
    "{{print 1 2 .kind 3}}": "1 2Pod3",
    '{{eq .kind "Node" "Pod"}} {{ne .spec.priority 1}} {{lt .half 0.6}}': "true true true",
    "{{and .kind .none}} {{or .none .kind}} {{not .none}}": "<no value> Pod true",
    "{{slice .kind 1 2}}": "o",
    "{{base64decode .b64}}": "hi",
    '{{exists .metadata "name"}} {{exists .metadata "none"}}': "true false",
    "a {{- .kind -}} \n b{{/* gone */}}": "aPodb",
    '{{define "t"}}<{{.}}>{{end}}{{template "t" .kind}}': "<Pod>",
    '{{block "b" .kind}}[{{.}}]{{end}}': "[Pod]",
    '{{html "<a>"}} {{js "\'"}} {{urlquery "a b"}}': "&lt;a&gt; \\' a+b",
}

PARSE_ERRORS = {
    "{{.kind": "1: unclosed action",
    "{{if .kind}}x": "1: unexpected EOF",
    "{{foo .kind}}": '1: function "foo" not defined',
    "{{$x}}": '1: undefined variable "$x"',
    "{{end}}": "1: unexpected {{end}}",
    "{{}}": "1: missing value for command",
    "{{range}}{{end}}": "1: missing value for range",
    "{{break}}": "1: {{break}} outside {{range}}",
    '{{"abc}}': "1: unterminated quoted string",
    "a\n{{.a-b}}": "2: bad character U+002D '-'",
    "{{(.kind}}": "1: unclosed left paren",
    "{{.kind)}}": "1: unexpected right paren",
    "{{.kind & .kind}}": '1: unexpected "&" in operand',
    "{{1 | 2}}": "1: non executable command in pipeline stage 2",
    "{{if .kind}}\n{{end\n": "3: unclosed action started at output:2",
}

RUN_ERRORS = {
    "{{.spec.nul.x}}": '1:7: executing "output" at <.spec.nul.x>: nil pointer evaluating interface {}.x',
    "\n {{.kind.x}}": '2:8: executing "output" at <.kind.x>: can\'t evaluate field x in type interface {}',
    "{{index .spec.containers 9}}": (
        '1:2: executing "output" at <index .spec.containers 9>: error calling index: index out of range: 9'
    ),
    "{{eq .spec.priority 1.5}}": (
        '1:2: executing "output" at <eq .spec.priority 1.5>: error calling eq: incompatible types for comparison:'
        " int64 and float64"
    ),
    "{{len .spec.priority}}": '1:2: executing "output" at <len .spec.priority>: error calling len: len of type int64',
    "{{range .kind}}{{end}}": '1:8: executing "output" at <.kind>: range can\'t iterate over Pod',
    '{{template "x"}}': '1:11: executing "output" at <{{template "x"}}>: template "x" not defined',
    "{{base64decode .none}}": '1:15: executing "output" at <.none>: invalid value; expected string',
    "{{not}}": '1:2: executing "output" at <not>: wrong number of args for not: want 1 got 0',
}


@pytest.mark.parametrize(("text", "printed"), OUTPUT.items())
def test_output(text: str, printed: str) -> None:
    assert Template.parse(text).output(POD) == (printed, "")


@pytest.mark.parametrize(("text", "message"), PARSE_ERRORS.items())
def test_parse_errors(text: str, message: str) -> None:
    with pytest.raises(TemplateError) as caught:
        Template.parse(text)
    assert str(caught.value) == f"template: output:{message}"
    assert parse_error(text, caught.value) == f"error parsing template {text}, template: output:{message}"


@pytest.mark.parametrize(("text", "message"), RUN_ERRORS.items())
def test_run_errors(text: str, message: str) -> None:
    with pytest.raises(TemplateError) as caught:
        Template.parse(text).execute(POD)
    assert str(caught.value) == f"template: output:{message}"


def test_missing_keys_can_be_refused() -> None:
    with pytest.raises(TemplateError) as caught:
        Template.parse("{{.none}}", allow_missing=False).execute(POD)
    assert str(caught.value) == 'template: output:1:2: executing "output" at <.none>: map has no entry for key "none"'


def test_an_error_prints_help_to_stdout() -> None:
    stdout, error = Template.parse("a{{.x.y}}").output({"x": None, "n": 1.0, "h": "<"})
    message = 'template: output:1:5: executing "output" at <.x.y>: nil pointer evaluating interface {}.y'
    assert error == f'error executing template "a{{{{.x.y}}}}": {message}'
    assert stdout == (
        f"aError executing template: {message}. Printing more information for debugging the template:\n"
        '\ttemplate was:\n\t\ta{{.x.y}}\n\traw data was:\n\t\t{"h":"\\u003c","n":1,"x":null}\n'
        "\tobject given to template engine was:\n\t\tmap[h:< n:1 x:<nil>]\n\n"
    )


def test_endless_templates_end() -> None:
    with pytest.raises(TemplateError, match=r"exceeded maximum template depth \(100000\)"):
        Template.parse('{{define "r"}}{{template "r"}}{{end}}{{template "r"}}').execute({})
    with pytest.raises(TemplateError, match="labsim stops a template after 200000 steps"):
        Template.parse("{{range 999999999}}{{range 999999999}}x{{end}}{{end}}").execute({})
