"""`-o`: json, yaml, kyaml, name, jsonpath*, go-template*, custom-columns* (kubectl.md 1.1, 6); tables: table.py."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from labsim.commands.kubectl.errors import Failure
from labsim.kube.objects import Object, drop_in, get_in, name_of

if TYPE_CHECKING:
    from labsim.commands.kubectl.session import Kubectl

Print = Callable[[Object], str]

STRUCTURED = ("json", "kyaml", "yaml")
TEMPLATES = (
    "go-template",
    "go-template-file",
    "jsonpath",
    "jsonpath-as-json",
    "jsonpath-file",
    "template",
    "templatefile",
)
# Formats of verbs that print results (label, apply, wait ...) and of `get`.
RESULT_FORMATS = (*STRUCTURED, "name", *TEMPLATES)
GET_FORMATS = (*RESULT_FORMATS, "custom-columns", "custom-columns-file", "wide")


def printer(kubectl: Kubectl, formats: Sequence[str] = RESULT_FORMATS, *, in_order: bool = False) -> Print:
    """What `-o` asks for, as a function from an object (or List) to text. Raises Failure for what it cannot be.

    `in_order`: JSON keeps the order of the keys, as for Go structs; objects from the server are sorted.
    Call it only when -o (or --template) was given with a format that is no table.
    """
    output, template = kubectl.flags["output"], kubectl.flags.get("template", "")
    if not output and template:
        output = "go-template"
    kind, equals, argument = output.partition("=")
    lowered = output.lower()
    if lowered in STRUCTURED and lowered in formats:
        return _structured(kubectl, lowered, in_order)
    if lowered == "name" and "name" in formats:
        return _name
    if kind in TEMPLATES and kind in formats:
        return _template(kubectl, kind, argument if equals else template)
    if kind in ("custom-columns", "custom-columns-file") and kind in formats:
        return _columns(kubectl, kind, argument if equals else template)
    raise unknown_format(output, formats)


def unknown_format(output: str, formats: Sequence[str]) -> Failure:
    listed = ",".join(sorted(formats))
    return Failure(
        f'unable to match a printer suitable for the output format "{output}", allowed formats are: {listed}'
    )


def _structured(kubectl: Kubectl, kind: str, in_order: bool) -> Print:
    from labsim.kube import codec

    keep = kubectl.flags.get("show-managed-fields", False)
    dump = {"json": codec.dump_json, "yaml": codec.dump_yaml, "kyaml": codec.dump_kyaml}[kind]
    if kind == "json" and in_order:
        return lambda obj: go_struct(obj, 4)
    printed = 0

    def show(obj: Object) -> str:
        nonlocal printed
        printed += 1
        text = dump(obj if keep else without_managed_fields(obj))
        if kind == "kyaml" and not text.startswith("---"):
            text = "---\n" + text
        return "---\n" + text if kind == "yaml" and printed > 1 else text

    return show


def go_struct(obj: Object, indent: int) -> str:
    """JSON of a Go struct: its own order of keys."""
    import json

    text = json.dumps(obj, indent=indent, ensure_ascii=False)
    for char, escaped in (("<", "\\u003c"), (">", "\\u003e"), ("&", "\\u0026")):
        text = text.replace(char, escaped)
    return text + "\n"


def without_managed_fields(obj: Object) -> Object:
    if "items" in obj and str(obj.get("kind", "")).endswith("List"):
        return {**obj, "items": [without_managed_fields(item) for item in obj["items"]]}
    if get_in(obj, "metadata", "managedFields") is None:
        return obj
    return drop_in(obj, ("metadata", "managedFields"))


def _name(obj: Object) -> str:
    if "items" in obj and str(obj.get("kind", "")).endswith("List"):
        return "".join(_name(item) for item in obj["items"])
    group = str(obj.get("apiVersion", "")).rpartition("/")[0]
    kind = str(obj.get("kind", "")).lower()
    name = name_of(obj) or "<unknown>"
    return f"{kind}.{group}/{name}\n" if group else f"{kind}/{name}\n"


def _template(kubectl: Kubectl, kind: str, text: str) -> Print:
    from labsim.commands.kubectl.printers import templates

    if not text:
        raise Failure("template format specified but no template given")
    if kind in ("jsonpath-file", "go-template-file", "templatefile"):
        try:
            text = kubectl.read_file(text)
        except Failure as error:
            raise Failure(f"error reading --template {text}, {error.text}\n") from None
    allow = kubectl.flags.get("allow-missing-template-keys", True)
    if kind.startswith("jsonpath"):
        return templates.jsonpath(text, as_json=kind == "jsonpath-as-json", allow_missing=allow)
    return templates.go_template(text, allow_missing=allow)


def _columns(kubectl: Kubectl, kind: str, spec: str) -> Print:
    from labsim.commands.kubectl.printers import templates

    headers = not kubectl.flags.get("no-headers", False)
    if kind == "custom-columns-file" and spec:
        try:
            spec = kubectl.read_file(spec)
        except Failure as error:
            raise Failure(f"error reading template {spec}, {error.text}\n") from None
    return templates.custom_columns(spec, headers=headers, file=kind == "custom-columns-file")
