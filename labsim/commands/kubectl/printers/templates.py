"""jsonpath, go-template, custom-columns and --sort-by: the engines of labsim.kube with kubectl's error texts."""

from __future__ import annotations

from collections.abc import Callable

from labsim.commands.kubectl.errors import Failure
from labsim.kube.objects import Object

Print = Callable[[Object], str]


def jsonpath(text: str, *, as_json: bool = False, allow_missing: bool = True) -> Print:
    from labsim.kube.jsonpath import JSONPathError, Template, parse_error, run_error

    try:
        template = Template.parse(text, allow_missing)
    except JSONPathError as error:
        raise Failure(parse_error(text, error)) from None

    def show(obj: Object) -> str:
        try:
            return template.execute_json(obj) if as_json else template.execute(obj)
        except JSONPathError as error:
            raise Failure(run_error(text, obj, error)) from None

    return show


def go_template(text: str, *, allow_missing: bool = True) -> Print:
    from labsim.kube.gotemplate import Template, TemplateError, parse_error

    try:
        template = Template.parse(text, allow_missing)
    except TemplateError as error:
        raise Failure(parse_error(text, error)) from None

    def show(obj: Object) -> str:
        output = template.output(obj)
        if output.error:
            raise Failure(output.error, shown=output.stdout)
        return output.stdout

    return show


def custom_columns(spec: str, *, headers: bool = True, file: bool = False) -> Print:
    """`spec` is the argument, or with `file` the text of the file that it names."""
    from labsim.kube import customcolumns

    try:
        columns = customcolumns.parse_file(spec) if file else customcolumns.parse_spec(spec)
    except ValueError as error:
        raise Failure(str(error)) from None
    first = True

    def show(obj: Object) -> str:
        nonlocal first
        listed = "items" in obj and str(obj.get("kind", "")).endswith("List")
        printed = customcolumns.print_objects(columns, obj["items"] if listed else [obj], headers and first)
        first = False
        if printed.error:
            raise Failure(printed.error, shown=printed.text)
        return printed.text

    return show


def sort_objects(objects: list[Object], expression: str, *, in_table: bool) -> list[Object]:
    """Ascending by the first match of the expression. Raises Failure for one that finds nothing (outside tables)."""
    from labsim.kube import sorting

    try:
        if in_table:
            return sorting.sort_rows(objects, expression, lambda obj: obj)
        return sorting.sort_objects(objects, expression)
    except sorting.UnsortableError as error:
        raise Failure(f"F0101 00:00:00.000000       1 {error.source}] {error}", 1, prefix=False) from None
    except sorting.SortError as error:
        if in_table:
            return []
        raise Failure(str(error)) from None
