"""The real kubectl on a served lab: what it prints, what becomes of the lab, and that the kept inputs replay."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from served import Served, kubectl_path, serve

from labsim.lab import Lab

pytestmark = pytest.mark.skipif(kubectl_path() is None, reason="kubectl: the real one cannot be had")

SETTINGS = """\
apiVersion: v1
kind: ConfigMap
metadata: {name: settings}
data: {when: "2024-01-02T03:04:05Z", size: "3"}
"""


@pytest.fixture
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("served")
    with serve(folder) as found:
        yield found
        live = found.lab.state_hash()
    again = Lab.resume(folder / "lab.jsonl")
    assert (again.resumed, again.state_hash()) == ("", live)


def test_reading(served: Served) -> None:
    assert served.kubectl("get", "nodes").splitlines()[1].split() == ["gpu-node1", "Ready", "<none>", "31d", "v1.35.2"]
    assert "Server Version: v1.35.2" in served.kubectl("version")
    # Ages in describe are the client's arithmetic: the time shift makes them simulated ones.
    pods = served.kubectl("describe", "node", "gpu-node2").split("Non-terminated Pods:")[1].split("Allocated")[0]
    assert pods.count("31d") == 11
    assert served.kubectl("get", "clusterpolicies", "-o", "name") == "clusterpolicy.nvidia.com/cluster-policy\n"
    assert served.kubectl("top", "nodes").startswith("NAME        CPU(cores)")
    assert served.kubectl("auth", "can-i", "delete", "pods") == "yes\n"
    assert served.kubectl("explain", "pod.spec.nodeName").startswith("KIND:       Pod\n")
    assert "machines" not in served.kubectl("api-resources")
    told = served.kubectl("get", "pods", "no-such", code=1)
    assert told == 'Error from server (NotFound): pods "no-such" not found\n'
    assert served.lab.inputs == 0


def test_writing(served: Served) -> None:
    assert served.kubectl("label", "node", "gpu-node2", "rack=7") == "node/gpu-node2 labeled\n"
    assert served.lab.client.get("nodes", "gpu-node2")["metadata"]["labels"]["rack"] == "7"
    assert served.kubectl("apply", "-f", "-", stdin=SETTINGS) == "configmap/settings created\n"
    assert served.kubectl("apply", "-f", "-", stdin=SETTINGS) == "configmap/settings unchanged\n"
    changed = SETTINGS.replace('"3"', '"4"')
    assert served.kubectl("apply", "--dry-run=server", "-f", "-", stdin=changed).endswith("(server dry run)\n")
    assert served.lab.client.get("configmaps", "settings")["data"] == {"when": "2024-01-02T03:04:05Z", "size": "3"}
    assert served.kubectl("apply", "--server-side", "--force-conflicts", "-f", "-", stdin=changed) == (
        "configmap/settings serverside-applied\n"
    )
    assert served.kubectl("create", "secret", "generic", "s", "--from-literal=a=b") == "secret/s created\n"
    bad = SETTINGS.replace("\ndata:", "\ndada:")
    assert 'unknown field "dada"' in served.kubectl("apply", "-f", "-", stdin=bad, code=1)
    assert served.lab.inputs == 4
    served.lab.undo()
    assert served.lab.client.find("secrets", "s") is None
    served.lab.redo()
    assert served.lab.client.find("secrets", "s") is not None


def test_a_deployment_from_birth_to_end(served: Served) -> None:
    served.kubectl("create", "namespace", "shop")
    served.kubectl("create", "deployment", "web", "--image=nginx", "--replicas=2", "-n", "shop")
    told = served.kubectl("rollout", "status", "-n", "shop", "deployment/web", "--timeout=20s")
    assert told.endswith('deployment "web" successfully rolled out\n')
    ready = served.kubectl("wait", "-n", "shop", "--for=condition=Ready", "pod", "-l", "app=web", "--timeout=20s")
    assert ready.count("condition met") == 2
    assert "start up" in served.kubectl("logs", "-n", "shop", "-l", "app=web")
    assert served.kubectl("scale", "-n", "shop", "deployment/web", "--replicas=1") == "deployment.apps/web scaled\n"
    # All requests of one command are one input: drain cordons and evicts, one undo takes it all back.
    before = served.lab.inputs
    node = served.lab.client.list("pods", "shop", label_selector="app=web")[0]["spec"]["nodeName"]
    told = served.kubectl("drain", node, "--ignore-daemonsets", "--delete-emptydir-data", "--force", "--timeout=30s")
    assert told.count(f"node/{node} drained") == 1 and "evicted" in told
    assert served.lab.inputs == before + 1
    served.lab.undo()
    assert "unschedulable" not in served.lab.client.get("nodes", node)["spec"]
    assert served.kubectl("delete", "namespace", "shop", "--timeout=30s") == 'namespace "shop" deleted\n'
    assert served.lab.client.find("namespaces", "shop") is None


def test_watching_ends_with_410_when_history_is_taken_back(served: Served) -> None:
    import http.client

    served.kubectl("label", "node", "gpu-node1", "a=b")
    connection = http.client.HTTPConnection("127.0.0.1", served.running.port, timeout=10)
    query = "watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true"
    connection.request("GET", f"/api/v1/nodes?{query}")
    stream = connection.getresponse()
    events = [json.loads(stream.readline()) for _ in range(4)]
    assert [e["type"] for e in events] == ["ADDED", "ADDED", "ADDED", "BOOKMARK"]
    assert events[3]["object"]["metadata"]["annotations"] == {"k8s.io/initial-events-end": "true"}
    served.lab.undo()
    while (event := json.loads(stream.readline()))["type"] != "ERROR":
        pass
    assert (event["object"]["code"], event["object"]["reason"]) == (410, "Expired")
    assert stream.readline() == b""
    connection.close()


def test_a_request_during_a_wait_of_a_typed_line(served: Served) -> None:
    import threading

    typed = "kubectl wait --for=create configmap/later --timeout=600s"
    done: list[str] = []
    gate = threading.Event()
    served.lab.pace.face.step = lambda steps: (gate.set(), threading.Event().wait(0.05))  # type: ignore[method-assign]
    line = threading.Thread(target=lambda: done.append(served.lab.run(typed).stdout))
    line.start()
    gate.wait(10)
    body = json.dumps({"metadata": {"name": "later"}, "data": {}}).encode()
    assert served.send("POST", "/api/v1/namespaces/default/configmaps", body)[0] == 201
    line.join(20)
    assert done == ["configmap/later condition met\n"]
    assert served.lab.inputs == 1
    assert "meanwhile" in [entry["kind"] for entry in served.lab.recipe.inputs]


def test_exec_runs_the_programs_of_the_terminal(served: Served) -> None:
    pods = served.lab.client.list("pods", "gpu-operator", label_selector="app=nvidia-driver-daemonset")
    at = ("exec", "-n", "gpu-operator", pods[0]["metadata"]["name"])
    typed = served.lab.fork().run(f"kubectl {' '.join(at)} -- nvidia-smi -L").stdout
    assert typed.count("NVIDIA H100") == 8
    assert typed == served.kubectl(*at, "--", "nvidia-smi", "-L")
    assert served.kubectl(*at, "--", "sh", "-c", "exit 3", code=3) == "command terminated with exit code 3\n"
    assert served.kubectl(*at, "-i", "--", "cat", stdin="one\ntwo\n") == "one\ntwo\n"
    missing = served.kubectl(*at, "--", "no-such-program", code=1)
    assert 'exec: "no-such-program": executable file not found in $PATH' in missing
    assert served.lab.shell.history == []
