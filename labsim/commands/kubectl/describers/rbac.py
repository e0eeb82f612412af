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
    """One row a resource or URL; rules for the same one without names are merged; in the order of their Go strings."""
    rows: dict[tuple[str, str, str, str], list[str]] = {}
    for rule in rules:
        verbs, names = rule.get("verbs") or (), " ".join(rule.get("resourceNames") or ())
        pairs = [(g, r, "") for g in rule.get("apiGroups") or ("",) for r in rule.get("resources") or ()]
        for group, resource, url in [*pairs, *(("", "", u) for u in rule.get("nonResourceURLs") or ())]:
            merged = rows.setdefault((group, resource, names, url), [])
            merged += [verb for verb in verbs if verb not in merged]

    def go_string(item: tuple[tuple[str, str, str, str], list[str]]) -> str:
        (group, resource, names, url), verbs = item
        groups = "[]" if url else f"[{group}]"
        return f"[{' '.join(verbs)}],APIGroups:{groups},Resources:[{resource}],ResourceNames:[{names}],URLs:[{url}]"

    out = []
    for (group, resource, names, url), verbs in sorted(rows.items(), key=go_string):
        plural, slash, sub = resource.partition("/")
        shown = f"{plural}.{group}{slash}{sub}" if group else resource
        out.append((shown, f"[{url}]", f"[{names}]", f"[{' '.join(verbs)}]"))
    return out


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
