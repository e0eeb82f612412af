"""`kubectl apply` of generated files against a loopback server: the PATCH body it sends is the one we compute."""

from __future__ import annotations

import copy
import json
import random
from pathlib import Path
from typing import Any

import pytest
from binary import kubectl, kubectl_path
from server import Server, running

from labsim.kube.codec import dump_compact
from labsim.kube.patch import create_three_way_strategic, strategic_merge, three_way_merge_json
from labsim.kube.schema import load

pytestmark = [
    pytest.mark.oracle,
    pytest.mark.skipif(kubectl_path() is None, reason="the real kubectl is not here"),
]

LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"
WIDGET = {"type": "object", "properties": {"spec": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}}}
NAMES = ["a", "b", "c", "d", "e"]


def some(chance: random.Random, items: list[Any]) -> list[Any]:
    picked = [item for item in items if chance.random() < 0.6]
    if chance.random() < 0.3:
        chance.shuffle(picked)
    return picked


def maybe(chance: random.Random, **fields: Any) -> dict[str, Any]:
    return {key: value for key, value in fields.items() if chance.random() < 0.6}


def container(chance: random.Random, name: str) -> dict[str, Any]:
    ports = [
        {"containerPort": port, **maybe(chance, name=f"p{port}", protocol="TCP")}
        for port in some(chance, [80, 443, 8080])
    ]
    return {
        "name": name,
        "image": chance.choice(["i:1", "i:2"]),
        **maybe(
            chance,
            args=some(chance, ["x", "y", "z"]),
            env=[{"name": n, **maybe(chance, value=chance.choice("12"))} for n in some(chance, ["E", "F", "G"])],
            ports=ports,
            resources=maybe(chance, limits=maybe(chance, cpu="1", memory="1Gi"), requests=maybe(chance, cpu="500m")),
            volumeMounts=[{"name": n, "mountPath": f"/{n}"} for n in some(chance, ["v", "w"])],
            stdin=chance.random() < 0.5,
        ),
    }


def pod_spec(chance: random.Random) -> dict[str, Any]:
    return {
        "containers": [container(chance, name) for name in some(chance, NAMES[:3]) or ["a"]],
        **maybe(
            chance,
            nodeSelector=maybe(chance, a="1", b="2"),
            tolerations=[{"key": n, "operator": "Exists"} for n in some(chance, NAMES[:3])],
            volumes=[
                {"name": n, **chance.choice([{"emptyDir": {}}, {"hostPath": {"path": "/x"}}])} for n in some(chance,
                 ["v", "w"])
            ],
            imagePullSecrets=[{"name": n} for n in some(chance, ["s", "t"])],
            hostNetwork=chance.random() < 0.5,
            priorityClassName="p",
        ),
    }  # fmt: skip


def build(chance: random.Random, kind: str, name: str) -> dict[str, Any]:
    metadata = {
        "name": name,
        "namespace": "default",
        **maybe(
            chance, labels=maybe(chance, a="1", b="2", c=chance.choice("xy")), annotations=maybe(chance, n="1", m="2")
        ),
        **maybe(chance, finalizers=some(chance, ["f/a", "f/b", "f/c"])),
    }
    if kind == "ConfigMap":
        return {
            "apiVersion": "v1",
            "kind": kind,
            "metadata": metadata,
            **maybe(chance, data=maybe(chance, k="v", l="<&>")),
        }
    if kind == "Widget":
        spec = {
            **maybe(chance, a=1, b=[1, {"x": 1}], c={}, d=maybe(chance, e=1, f=maybe(chance, g=1, h=2))),
            "z": chance.choice([1, True, "1"]),
        }
        return {"apiVersion": "example.com/v1", "kind": kind, "metadata": metadata, "spec": spec}
    if kind == "Service":
        ports = [{"port": p, "targetPort": chance.choice([p, "web"])} for p in some(chance, [80, 443]) or [80]]
        return {
            "apiVersion": "v1",
            "kind": kind,
            "metadata": metadata,
            "spec": {"ports": ports, **maybe(chance, selector={"a": "1"})},
        }
    strategy = chance.choice(
        [{"type": "Recreate"}, {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": chance.choice([1, "25%"])}}]
    )
    spec = {
        "template": {"metadata": maybe(chance, labels={"a": "b"}), "spec": pod_spec(chance)},
        **maybe(chance, replicas=chance.randint(1, 3), strategy=strategy),
    }
    return {"apiVersion": "apps/v1", "kind": kind, "metadata": metadata, "spec": spec}


def mixed(chance: random.Random, a: Any, b: Any) -> Any:
    """Something between two versions: what the server may hold after others have changed it."""
    if isinstance(a, dict) and isinstance(b, dict):
        out: dict[str, Any] = {}
        for key in [*a, *(key for key in b if key not in a)]:
            if key in a and key in b:
                out[key] = mixed(chance, a[key], b[key])
            elif chance.random() < 0.5:
                out[key] = a.get(key, b.get(key))
        return out
    return chance.choice([a, b])


@pytest.mark.parametrize("seed", range(3))
def test_apply_sends_our_patch(seed: int, tmp_path: Path) -> None:
    schema = load().with_crd("example.com", "v1", "Widget", WIDGET)
    server = Server(schema)
    chance = random.Random(seed)
    expected: dict[str, Any] = {}
    files = []
    for number in range(60):
        kind = chance.choice(["ConfigMap", "Service", "Widget", "Deployment", "Deployment", "Deployment"])
        name = f"o{number}"
        original, modified, other = (build(chance, kind, name) for _ in range(3))
        if chance.random() < 0.5:
            modified = mixed(chance, original, modified)
        current = mixed(chance, original, other)
        for obj in (modified, current):
            obj["metadata"].update({"name": name, "namespace": "default"})
        if chance.random() < 0.9:
            last = copy.deepcopy(original)
            last["metadata"].setdefault("annotations", {})
            current["metadata"] = {**current["metadata"]}
            current["metadata"]["annotations"] = {
                **(current["metadata"].get("annotations") or {}), LAST_APPLIED: dump_compact(last) + "\n",
            }  # fmt: skip
        else:
            original = {}
            current["metadata"].get("annotations", {}).pop(LAST_APPLIED, None)
        current["metadata"]["uid"] = name
        server.put(current)
        files.append(modified)
        wanted = copy.deepcopy(modified)
        wanted["metadata"].setdefault("annotations", {})
        text = dump_compact(wanted) + "\n"
        wanted["metadata"]["annotations"][LAST_APPLIED] = text
        if original:
            original["metadata"].setdefault("annotations", {})
        if kind == "Widget":
            patch = three_way_merge_json(original, wanted, current)
        else:
            patch = create_three_way_strategic(original, wanted, current, schema.for_object(wanted))
        expected[name] = patch
    source = tmp_path / "all.json"
    source.write_text("\n".join(json.dumps(obj) for obj in files))
    with running(server, tmp_path) as config:
        done = kubectl("apply", "-f", str(source), kubeconfig=config)
    sent = {path.rpartition("/")[2]: body for path, _, body in server.patches}
    assert done.stderr == "" or "missing the kubectl.kubernetes.io/last-applied-configuration" in done.stderr, (
        done.stderr
    )
    for name, patch in expected.items():
        assert json.dumps(sent.get(name, {}), sort_keys=True) == json.dumps(patch, sort_keys=True), name
    for path, media, body in server.patches:
        assert ("strategic" in media) == ("widgets" not in path)
        if "strategic" in media:
            before = json.dumps(server.objects[path], sort_keys=True)
            strategic_merge(server.objects[path], body, schema.for_object(server.objects[path]))
            assert json.dumps(server.objects[path], sort_keys=True) == before
