"""Several hands at once: API clients, typed lines, a running clock, undo; the kept inputs replay to the same hash."""

from __future__ import annotations

import json
import threading
import time
from pathlib import Path

from labsim.api import server
from labsim.api.times import Sessions, moved
from labsim.lab import Lab


def request(method: str, path: str, body: object, media: str = "application/json") -> dict[str, object]:
    return {
        "kind": "api", "session": "", "method": method, "path": path, "query": {}, "type": media, "body": body,
    }  # fmt: skip


def test_clients_and_typed_lines_at_once_replay_to_the_same_hash(tmp_path: Path) -> None:
    lab = Lab.open("dgx-h100", seed=3)
    lab.save(tmp_path / "lab.jsonl")
    running = server.start(lab, clock="tick:20")
    codes: list[int] = []
    lines: list[int] = []
    end = time.monotonic() + 2

    def client(number: int) -> None:
        count = 0
        while time.monotonic() < end:
            count += 1
            labels = {"metadata": {"labels": {f"c{number}": f"v{count}"}}}
            merge = "application/merge-patch+json"
            codes.append(lab.hands.request(request("PATCH", "/api/v1/nodes/gpu-node1", labels, merge)).code)
            body = {"metadata": {"name": f"m{number}-{count}"}}
            codes.append(lab.hands.request(request("POST", "/api/v1/namespaces/default/configmaps", body)).code)
            time.sleep(0.01)

    def typist() -> None:
        while time.monotonic() < end:
            lines.append(lab.run("kubectl get nodes --show-labels").exit_code)
            lines.append(lab.run("sleep 30").exit_code)
            if len(lines) % 6 == 0:
                lab.undo()

    hands = [threading.Thread(target=client, args=(number,)) for number in range(3)]
    hands.append(threading.Thread(target=typist))
    for hand in hands:
        hand.start()
    for hand in hands:
        hand.join()
    running.stop()
    assert len(codes) > 20 and set(codes) <= {200, 201}
    assert len(lines) > 4 and set(lines) == {0}
    assert lab.hands.faults == []
    again = Lab.resume(tmp_path / "lab.jsonl")
    assert (again.resumed, again.state_hash()) == ("", lab.state_hash())


def test_a_lab_file_with_time_at_its_end_resumes_twice(tmp_path: Path) -> None:
    lab = Lab.open("dgx-h100", seed=1)
    lab.hands.pass_time(2500)
    lab.hands.request(request("POST", "/api/v1/namespaces", {"metadata": {"name": "a"}}))
    lab.hands.pass_time(61_000)
    lab.save(tmp_path / "lab.jsonl")
    first = Lab.resume(tmp_path / "lab.jsonl")
    second = Lab.resume(tmp_path / "lab.jsonl")
    assert lab.state_hash() == first.state_hash() == second.state_hash()
    kinds = [json.loads(line).get("kind") for line in (tmp_path / "lab.jsonl").read_text().splitlines()[1:]]
    assert kinds == ["pass", "api", "pass"]


def test_times_are_moved_where_they_are_times() -> None:
    body = {
        "metadata": {"creationTimestamp": "2024-01-01T00:00:00Z", "annotations": {"note": "2024-01-01T00:00:00Z"}},
        "status": {"conditions": [{"lastProbeTime": "2024-01-01T00:00:00.250000Z", "message": "on 2024-01-01"}]},
        "data": {"when": "2024-01-01T00:00:00Z"},
        "spec": {"odd": "2024-13-01T00:00:00Z"},
    }  # fmt: skip
    there = moved(body, 90)
    assert there == {
        "metadata": {"creationTimestamp": "2024-01-01T00:01:30Z", "annotations": {"note": "2024-01-01T00:00:00Z"}},
        "status": {"conditions": [{"lastProbeTime": "2024-01-01T00:01:30.250000Z", "message": "on 2024-01-01"}]},
        "data": {"when": "2024-01-01T00:00:00Z"},
        "spec": {"odd": "2024-13-01T00:00:00Z"},
    }  # fmt: skip
    assert moved(there, -90) == body
    sessions = Sessions()
    assert sessions.offset("", 0) == 0
    assert sessions.offset("a", 0) == sessions.offset("a", 10**12) > 0
