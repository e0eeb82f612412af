"""describe for roles and role bindings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from labsim.kube.objects import Object, name_of

if TYPE_CHECKING:
    from labsim.commands.kubectl.describers.base import Page


def describe_role(page: Page, obj: Object, events: bool) -> None:
    page.field("Name", name_of(obj))
    page.labels_and_annotations(obj)
    page.line(0, "PolicyRule:")
    page.line(1, "Resources\tNon-Resource URLs\tResource Names\tVerbs")
    page.line(1, "---------\t-----------------\t--------------\t-----")
    for row in rule_rows(obj.get("rules") or ()):
        page.line(1, "\t".join(row))


def rule_rows(rules: list[Object] | tuple[Object, ...]) -> list[tuple[str, str, str, str]]:
    """One row a resource and name or URL, rules with the same target merged (rbac compact and break-down)."""
    rows: dict[tuple[str, str, str], list[str]] = {}
    for rule in rules:
        names = rule.get("resourceNames") or ()
        shown_names = "[" + " ".join(names) + "]"
        for resource in rule.get("resources") or ():
            for group in rule.get("apiGroups") or ("",):
                plural, slash, sub = resource.partition("/")
                text = f"{plural}.{group}{slash}{sub}" if group else resource
                target = rows.setdefault((text, "[]", shown_names), [])
                target += [v for v in rule.get("verbs") or () if v not in target]
        for url in rule.get("nonResourceURLs") or ():
            target = rows.setdefault(("", f"[{url}]", "[]"), [])
            target += [v for v in rule.get("verbs") or () if v not in target]
    return [(a, b, c, "[" + " ".join(verbs) + "]") for (a, b, c), verbs in sorted(rows.items())]


def describe_binding(page: Page, obj: Object, events: bool) -> None:
    page.field("Name", name_of(obj))
    page.labels_and_annotations(obj)
    ref = obj.get("roleRef") or {}
    page.line(0, "Role:")
    page.line(1, f"Kind:\t{ref.get('kind', '')}")
    page.line(1, f"Name:\t{ref.get('name', '')}")
    page.line(0, "Subjects:")
    page.line(1, "Kind\tName\tNamespace")
    page.line(1, "----\t----\t---------")
    for subject in obj.get("subjects") or ():
        page.line(1, f"{subject.get('kind', '')}\t{subject.get('name', '')}\t{subject.get('namespace', '')}")
