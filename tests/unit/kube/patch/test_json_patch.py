"""JSON patch: results and the patch library's words (seen in its version for API server 1.35)."""

from __future__ import annotations

from typing import Any

import pytest

from labsim.kube.patch import PatchError, json_patch

DOC = {"a": 1, "b": {"c": [1, 2, 3], "d/e": "x", "n": None}}

GOOD: list[tuple[list[dict[str, Any]], Any]] = [
    ([{"op": "add", "path": "/z", "value": 1}], {**DOC, "z": 1}),
    ([{"op": "add", "path": "/b/c/-", "value": 4}], {"a": 1, "b": {**DOC["b"], "c": [1, 2, 3, 4]}}),
    ([{"op": "add", "path": "/b/c/1", "value": 9}], {"a": 1, "b": {**DOC["b"], "c": [1, 9, 2, 3]}}),
    ([{"op": "add", "path": "/b/c/-1", "value": 9}], {"a": 1, "b": {**DOC["b"], "c": [1, 2, 3, 9]}}),
    ([{"op": "replace", "path": "/nope", "value": 1}], {**DOC, "nope": 1}),
    ([{"op": "replace", "path": "/b/c/-1", "value": 9}], {"a": 1, "b": {**DOC["b"], "c": [1, 2, 9]}}),
    ([{"op": "replace", "path": "", "value": {"x": 1}}], {"x": 1}),
    ([{"op": "remove", "path": "/b"}], {"a": 1}),
    ([{"op": "remove", "path": "/b/d~1e"}], {"a": 1, "b": {"c": [1, 2, 3], "n": None}}),
    ([{"op": "move", "from": "/a", "path": "/b/a"}], {"b": {**DOC["b"], "a": 1}}),
    ([{"op": "copy", "from": "/b/c/0", "path": "/a"}], DOC),
    ([{"op": "test", "path": "/b/n", "value": None}, {"op": "test", "path": "/b/gone"}], DOC),
]


@pytest.mark.parametrize(("patch", "result"), GOOD)
def test_applies(patch: list[dict[str, Any]], result: Any) -> None:
    before = {"a": 1, "b": {"c": [1, 2, 3], "d/e": "x", "n": None}}
    found = json_patch(DOC, patch)
    assert found == result
    assert before == DOC


BAD: list[tuple[Any, int, str]] = [
    ({}, 400, "error decoding patch: json: cannot unmarshal object into Go value of type []handlers.jsonPatchOp"),
    ([1], 400, "error decoding patch: json: cannot unmarshal number into Go value of type handlers.jsonPatchOp"),
    ([{"op": "test", "path": "/a", "value": True}], 422, "testing value /a failed: test failed"),
    ([{"op": "test", "path": "/a", "value": "1"}], 422, "testing value /a failed: test failed"),
    ([{"op": "test", "path": "/x/y", "value": 1}], 422,
     "test operation does not apply: is missing path: /x/y: missing value"),
    ([{"op": "remove", "path": "/x"}], 422,
     "error in remove for path: '/x': Unable to remove nonexistent key: x: missing value"),
    ([{"op": "remove", "path": "/x/y"}], 422,
     'remove operation does not apply: doc is missing path: "/x/y": missing value'),
    ([{"op": "add", "path": "/x/y", "value": 1}], 422,
     'add operation does not apply: doc is missing path: "/x/y": missing value'),
    ([{"op": "add", "path": "/b/c/9", "value": 1}], 422,
     "error in add for path: '/b/c/9': Unable to access invalid index: 9: invalid index referenced"),
    ([{"op": "replace", "path": "/x/y", "value": 1}], 422,
     "replace operation does not apply: doc is missing path: /x/y: missing value"),
    ([{"op": "replace", "path": "/b/c/9", "value": 1}], 422,
     "replace operation does not apply: doc is missing key: /b/c/9: missing value"),
    ([{"op": "frob", "path": "/x"}], 422, "Unexpected kind: frob"),
    ([{"op": "add", "path": "/x", "value": 1}] * 10_001, 413,
     "The allowed maximum operations in a JSON patch is 10000, got 10001"),
]  # fmt: skip


@pytest.mark.parametrize(("patch", "code", "message"), BAD)
def test_refuses(patch: Any, code: int, message: str) -> None:
    with pytest.raises(PatchError) as caught:
        json_patch(DOC, patch)
    assert (caught.value.code, str(caught.value)) == (code, message)
    if code == 422:
        assert caught.value.shown == "the server rejected our request due to an error in our request"
