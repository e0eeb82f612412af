"""JSON merge patch: the examples of RFC 7386's appendix, and kubectl's three-way form."""

from __future__ import annotations

from typing import Any

import pytest

from labsim.kube.patch import PatchError, create_merge_patch, merge_patch, three_way_merge_json


@pytest.mark.parametrize(
    ("document", "patch", "result"),
    [
        ({"a": "b"}, {"a": "c"}, {"a": "c"}),
        ({"a": "b"}, {"b": "c"}, {"a": "b", "b": "c"}),
        ({"a": "b"}, {"a": None}, {}),
        ({"a": "b", "b": "c"}, {"a": None}, {"b": "c"}),
        ({"a": ["b"]}, {"a": "c"}, {"a": "c"}),
        ({"a": "c"}, {"a": ["b"]}, {"a": ["b"]}),
        ({"a": {"b": "c"}}, {"a": {"b": "d", "c": None}}, {"a": {"b": "d"}}),
        ({"a": [{"b": "c"}]}, {"a": [1]}, {"a": [1]}),
        ({"e": None}, {"a": 1}, {"e": None, "a": 1}),
        ({}, {"a": {"bb": {"ccc": None}}}, {"a": {"bb": {}}}),
        ({}, {"a": [{"b": None, "c": 1}]}, {"a": [{"c": 1}]}),
    ],
)
def test_merge(document: Any, patch: Any, result: Any) -> None:
    assert merge_patch(document, patch) == result


@pytest.mark.parametrize("patch", [[], "x", None, 1])
def test_not_a_patch(patch: Any) -> None:
    with pytest.raises(PatchError, match="Invalid JSON Patch") as caught:
        merge_patch({"a": 1}, patch)
    assert caught.value.code == 400


@pytest.mark.parametrize(
    ("original", "modified", "patch"),
    [
        ({"a": 1}, {"a": 1}, {}),
        ({"a": 1}, {"a": True}, {"a": True}),
        ({"a": {"b": 1, "c": 2}}, {"a": {"b": 1}}, {"a": {"c": None}}),
        ({"a": [1, 2]}, {"a": [2, 1]}, {"a": [2, 1]}),
        ({"a": {"b": 1}}, {"a": {}}, {"a": {"b": None}}),
        ({"a": 1}, {"a": {}}, {"a": {}}),
    ],
)
def test_create(original: Any, modified: Any, patch: Any) -> None:
    assert create_merge_patch(original, modified) == patch


def test_three_way_keeps_what_others_set() -> None:
    original = {"spec": {"a": 1, "b": 2, "gone": 1}}
    current = {"spec": {"a": 1, "b": 3, "gone": 1, "others": 1}, "status": {}}
    assert three_way_merge_json(original, {"spec": {"a": 5, "b": 2}}, current) == {
        "spec": {"a": 5, "b": 2, "gone": None}
    }


def test_three_way_refuses_another_name() -> None:
    with pytest.raises(PatchError, match="At least one of apiVersion, kind and name was changed"):
        three_way_merge_json({}, {"metadata": {"name": "b"}}, {"metadata": {"name": "a"}})
