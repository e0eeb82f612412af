"""Requests of any content get a Status, leave the lab consistent, and are never a fault of labsim."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from served import Served, serve

POD = "/api/v1/namespaces/default/pods"
NODE = "/api/v1/nodes/gpu-node1"
CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
CLASSES = "/apis/storage.k8s.io/v1/storageclasses"
JSON_PATCH = {"Content-Type": "application/json-patch+json"}
MERGE = {"Content-Type": "application/merge-patch+json"}
STRATEGIC = {"Content-Type": "application/strategic-merge-patch+json"}
APPLY = {"Content-Type": "application/apply-patch+yaml"}
PROTOBUF = {"Content-Type": "application/vnd.kubernetes.protobuf"}

# method, path, body, headers, code, reason
TABLE: list[tuple[str, str, bytes | None, dict[str, str], int, str]] = [
    ("POST", POD, b"{", {}, 400, "BadRequest"),
    ("POST", POD, b"", {}, 400, "BadRequest"),
    ("POST", POD, b"[]", {}, 400, "BadRequest"),
    ("POST", POD, b"null", {}, 400, "BadRequest"),
    ("POST", POD, b'{"a": NaN}', {}, 400, "BadRequest"),
    ("POST", POD, b'{"a": 1e999}', {}, 400, "BadRequest"),
    ("POST", POD, b'{"a": ' + b"9" * 5000 + b"}", {}, 400, "BadRequest"),
    ("POST", POD, b"\xff\xfe", {}, 400, "BadRequest"),
    ("POST", POD, b"[" * 100_000, {}, 400, "BadRequest"),
    ("POST", POD, b'{"a":' * 500 + b"1" + b"}" * 500, {}, 400, "BadRequest"),
    ("POST", POD, b" " * (3 * 1024 * 1024 + 1), {}, 413, "RequestEntityTooLarge"),
    ("POST", POD, b'{"metadata": 5}', {}, 400, "BadRequest"),
    ("POST", POD, b'{"metadata": {"name": 5}}', {}, 400, "BadRequest"),
    ("POST", POD, b'{"metadata": {"labels": []}}', {}, 400, "BadRequest"),
    ("POST", POD, b'{"metadata": {"ownerReferences": [1]}}', {}, 400, "BadRequest"),
    ("POST", POD, b'{"metadata": {"name": "a"}, "spec": []}', {}, 400, "BadRequest"),
    ("POST", POD, b'{"metadata": {"name": "a"}, "spec": {"containers": 1}}', {}, 400, "BadRequest"),
    ("POST", POD, b'{"metadata": {"name": "\\ud800"}, "spec": {"containers": []}}', {}, 422, "Invalid"),
    ("POST", POD, b'{"metadata": {"namespace": "other", "name": "a"}}', {}, 400, "BadRequest"),
    ("POST", POD, b"a: [", {"Content-Type": "application/yaml"}, 400, "BadRequest"),
    ("POST", POD, b"x", {"Content-Type": "text/html"}, 415, "UnsupportedMediaType"),
    ("POST", POD, b"no magic", PROTOBUF, 400, "BadRequest"),
    ("POST", POD, b"k8s\0\x0a\xff\xff\xff", PROTOBUF, 400, "BadRequest"),
    ("POST", POD, b"k8s\0\x0a\x09\x0a\x02v1\x12\x03Odd", PROTOBUF, 415, "UnsupportedMediaType"),
    ("POST", "/api/v1/pods", b"{}", {}, 405, "MethodNotAllowed"),
    ("POST", NODE, b"{}", {}, 405, "MethodNotAllowed"),
    ("POST", POD + "?dryRun=Some", b"{}", {}, 400, "BadRequest"),
    ("POST", POD + "?fieldValidation=Maybe", b"{}", {}, 400, "BadRequest"),
    (
        "POST",
        "/api/v1/nodes",
        b'{"metadata": {"name": "n"}, "status": {"capacity": {"cpu": "x"}}}',
        {},
        400,
        "BadRequest",
    ),
    ("POST", CRDS, b'{"metadata": null, "spec": {}}', {}, 422, "Invalid"),
    ("PATCH", CLASSES + "/none", b'[{"op": "replace", "path": "/metadata", "value": 1}]', JSON_PATCH, 404, "NotFound"),
    ("PUT", POD, b"{}", {}, 405, "MethodNotAllowed"),
    ("PUT", NODE, b'{"metadata": {"name": "other"}}', {}, 400, "BadRequest"),
    ("PUT", NODE, b'{"metadata": {"name": "gpu-node1", "resourceVersion": "1"}}', {}, 409, "Conflict"),
    ("PATCH", NODE, b"{}", {}, 415, "UnsupportedMediaType"),
    ("PATCH", NODE, b"{}", JSON_PATCH, 400, "BadRequest"),
    ("PATCH", NODE, b"[]", MERGE, 400, "BadRequest"),
    ("PATCH", NODE, b"5", STRATEGIC, 400, "BadRequest"),
    ("PATCH", NODE, b"{}", APPLY, 400, "BadRequest"),
    ("PATCH", NODE, b'[{"op": "test", "path": "/metadata/name", "value": "x"}]', JSON_PATCH, 422, "Invalid"),
    ("PATCH", NODE, b'[{"op": "spin", "path": "/metadata"}]', JSON_PATCH, 422, ""),
    ("PATCH", NODE, b"[1]", JSON_PATCH, 400, ""),
    ("PATCH", NODE, b'[{"op": "replace", "path": "/metadata", "value": 1}]', JSON_PATCH, 400, ""),
    ("PATCH", NODE, b'[{"op": "replace", "path": "", "value": 1}]', JSON_PATCH, 422, "Invalid"),
    ("PATCH", NODE, b'{"metadata": {"labels": {"a": {"$patch": "x"}}}}', STRATEGIC, 400, ""),
    ("PATCH", NODE, b'{"spec": {"taints": {"a": 1}}}', MERGE, 400, ""),
    ("PATCH", NODE, b'{"spec": {"taints": [1]}}', STRATEGIC, 400, ""),
    ("DELETE", "/api/v1/pods", None, {}, 405, "MethodNotAllowed"),
    ("DELETE", NODE, b'{"gracePeriodSeconds": "soon"}', {}, 400, "BadRequest"),
    ("DELETE", NODE, b'{"propagationPolicy": "Sideways"}', {}, 422, "Invalid"),
    ("DELETE", NODE, b'{"preconditions": {"uid": "other"}}', {}, 409, "Conflict"),
    ("DELETE", NODE, b'{"preconditions": 7}', {}, 400, "BadRequest"),
    ("DELETE", NODE + "/status", None, {}, 405, "MethodNotAllowed"),
    ("OPTIONS", NODE, None, {}, 405, "MethodNotAllowed"),
    ("BREW", NODE, None, {}, 405, "MethodNotAllowed"),
    ("GET", "/", None, {}, 404, "NotFound"),
    ("GET", "/api/v1/nodes/../secrets", None, {}, 404, "NotFound"),
    ("GET", "/api/v1//nodes", None, {}, 404, "NotFound"),
    ("GET", "/api/v1/nodes/%2e%2e", None, {}, 404, "NotFound"),
    ("GET", "/api/v1/nodes/%00", None, {}, 404, "NotFound"),
    ("GET", "/api/v1/nodes/%ff", None, {}, 404, "NotFound"),
    ("GET", "/api/v1/pods/web-0", None, {}, 404, "NotFound"),
    ("GET", "/api/v1/namespaces/default/nodes", None, {}, 404, "NotFound"),
    ("GET", "/api/v2/nodes", None, {}, 404, "NotFound"),
    ("GET", "/apis/hardware.labsim/v1/machines", None, {}, 404, "NotFound"),
    ("GET", "/apis/runtime.labsim/v1/containers", None, {}, 404, "NotFound"),
    ("GET", "/openapi/v2", None, {}, 404, "NotFound"),
    ("GET", "/openapi/v3/apis/hardware.labsim/v1", None, {}, 404, "NotFound"),
    ("GET", NODE + "/teapot", None, {}, 404, "NotFound"),
    ("GET", "/api/v1/nodes?labelSelector=((", None, {}, 400, "BadRequest"),
    ("GET", "/api/v1/nodes?fieldSelector=spec.colour%3Dred", None, {}, 400, "BadRequest"),
    ("GET", "/api/v1/nodes?resourceVersion=abc", None, {}, 400, "BadRequest"),
    ("GET", "/api/v1/nodes?watch=1&resourceVersion=-1", None, {}, 400, "BadRequest"),
    ("GET", "/api/v1/nodes?watch=1&resourceVersion=999999999", None, {}, 410, "Expired"),
    ("GET", "/api/v1/nodes?watch=1&timeoutSeconds=x", None, {}, 400, "BadRequest"),
    ("GET", "/api/v1/nodes", None, {"Accept": "text/html"}, 406, "NotAcceptable"),
    ("GET", "/api/v1/nodes", None, {"Host": "evil.example"}, 403, "Forbidden"),
    ("GET", "/api/v1/nodes", None, {"Impersonate-User": "system:node:gpu-node1"}, 403, "Forbidden"),
    ("GET", "/api/v1/nodes", None, {"Impersonate-Group": "system:masters"}, 403, "Forbidden"),
    ("DELETE", NODE, None, {"Origin": "http://evil.example"}, 403, "Forbidden"),
    ("GET", POD + "/none/log?tailLines=x", None, {}, 400, "BadRequest"),
    ("GET", POD + "/none/log", None, {}, 404, "NotFound"),
    ("GET", POD + "/none/exec", None, {}, 400, "BadRequest"),
    ("POST", POD + "/none/exec", None, {}, 405, "MethodNotAllowed"),
    ("POST", POD + "/none/eviction", b'{"deleteOptions": 1}', {}, 400, "BadRequest"),
    ("POST", POD + "/none/binding", b'{"target": 1}', {}, 404, "NotFound"),
    ("PATCH", "/apis/apps/v1/namespaces/x/deployments/y/scale", b'{"spec": {"replicas": 1}}', MERGE, 404, "NotFound"),
]


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serve(tmp_path_factory.mktemp("hostile"), "frozen") as found:
        yield found


@pytest.mark.parametrize("row", TABLE, ids=lambda row: f"{row[0]} {row[1][-40:]} {str(row[2])[:30]}")
def test_a_hostile_request_gets_a_status(served: Served, row: tuple[Any, ...]) -> None:
    method, path, body, headers, code, reason = row
    before = served.lab.cluster.store.hash()
    found, answer, _ = served.send(method, path, body, headers)
    assert found == code, answer
    assert (answer["kind"], answer["status"], answer["code"]) == ("Status", "Failure", code)
    assert not reason or answer["reason"] == reason
    assert served.lab.hands.faults == []
    assert served.lab.cluster.store.hash() == before


def test_the_lab_answers_after_all_that_and_replays(served: Served, tmp_path: Path) -> None:
    from labsim.lab import Lab

    assert served.send("GET", NODE)[0] == 200
    served.lab.save(tmp_path / "kept.jsonl")
    assert Lab.resume(tmp_path / "kept.jsonl").state_hash() == served.lab.state_hash()
