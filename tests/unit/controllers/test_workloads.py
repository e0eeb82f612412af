"""Rollouts step by step: Deployments, DaemonSets, StatefulSets, Jobs, garbage, namespaces."""

from __future__ import annotations

from typing import Any

from labsim.kube.objects import annotations_of, condition_of, get_in, labels_of
from tests.support.small import START, Lab, deployment, pod


def scalings(lab: Lab) -> list[str]:
    return [message for reason, message, _ in lab.events() if reason == "ScalingReplicaSet"]


def test_a_deployment_rolls_with_surge_and_unavailable_of_a_quarter() -> None:
    lab = Lab("gpu-node1", "gpu-node2")
    lab.create("deployments.apps", deployment("w", 4))
    lab.settle()
    (old,) = lab.admin.list("replicasets.apps", "default")
    image = {"spec": {"template": {"spec": {"containers": [{"name": "main", "image": "nginx:1.28"}]}}}}
    lab.admin.patch("deployments.apps", "w", image, namespace="default")
    lab.settle()
    new = next(
        r for r in lab.admin.list("replicasets.apps", "default") if r["metadata"]["name"] != old["metadata"]["name"]
    )
    first, second = old["metadata"]["name"], new["metadata"]["name"]
    said = scalings(lab)
    assert said[0] == f"Scaled up replica set {first} from 0 to 4"
    assert said[1:4] == [
        f"Scaled up replica set {second} from 0 to 1",
        f"Scaled down replica set {first} from 4 to 3",
        f"Scaled up replica set {second} from 1 to 2",
    ]
    assert said[-1] == f"Scaled down replica set {first} from 1 to 0"
    assert annotations_of(new)["deployment.kubernetes.io/revision"] == "2"
    status = lab.get("deployments.apps", "w")["status"]
    assert (status["updatedReplicas"], status["availableReplicas"]) == (4, 4)
    progressing = condition_of(lab.get("deployments.apps", "w"), "Progressing")
    assert progressing is not None
    assert progressing["message"] == f'ReplicaSet "{second}" has successfully progressed.'


def test_going_back_to_an_old_template_reuses_its_replicaset() -> None:
    lab = Lab("gpu-node1")
    lab.create("deployments.apps", deployment("w", 1))
    lab.settle()
    (first,) = lab.admin.list("replicasets.apps", "default")
    for image in ("nginx:1.28", "nginx:1.27"):
        patch = {"spec": {"template": {"spec": {"containers": [{"name": "main", "image": image}]}}}}
        lab.admin.patch("deployments.apps", "w", patch, namespace="default")
        lab.settle()
    sets = lab.admin.list("replicasets.apps", "default")
    assert len(sets) == 2
    again = lab.get("replicasets.apps", first["metadata"]["name"])
    assert annotations_of(again)["deployment.kubernetes.io/revision"] == "3"
    assert annotations_of(again)["deployment.kubernetes.io/revision-history"] == "1"
    assert get_in(again, "status", "readyReplicas") == 1


def test_recreate_waits_for_the_last_old_pod() -> None:
    lab = Lab("gpu-node1")
    body = deployment("w", 2, strategy={"type": "Recreate"})
    body["spec"]["template"]["spec"]["containers"][0]["command"] = ["sleep", "1000000"]
    lab.create("deployments.apps", body)
    lab.run(5)
    lab.admin.patch(
        "deployments.apps", "w", {"spec": {"template": {"metadata": {"annotations": {"x": "1"}}}}}, namespace="default"
    )
    lab.run(20)  # sleep does not act on SIGTERM: 30 seconds
    assert all(p["metadata"].get("deletionTimestamp") for p in lab.pods())
    lab.run(20)
    assert [p["status"]["phase"] for p in lab.pods()] == ["Running", "Running"]


def test_the_progress_deadline_is_reported() -> None:
    lab = Lab("gpu-node1")
    lab.create("deployments.apps", deployment("w", 1, image="nginx:9.99", progressDeadlineSeconds=60))
    lab.run(59)
    progressing = condition_of(lab.get("deployments.apps", "w"), "Progressing")
    assert progressing is not None and progressing["reason"] != "ProgressDeadlineExceeded"
    lab.run(5)
    progressing = condition_of(lab.get("deployments.apps", "w"), "Progressing")
    assert progressing is not None
    assert (progressing["status"], progressing["reason"]) == ("False", "ProgressDeadlineExceeded")
    assert lab.cluster.loop.quiet()


def test_deleting_a_deployment_takes_its_replicasets_and_pods() -> None:
    lab = Lab("gpu-node1")
    lab.create("deployments.apps", deployment("w", 2))
    lab.settle()
    lab.admin.delete("deployments.apps", "w", "default")
    lab.settle()
    assert lab.pods() == [] and lab.admin.list("replicasets.apps", "default") == []


def test_orphaned_pods_stay_and_are_adopted() -> None:
    lab = Lab("gpu-node1")
    lab.create("deployments.apps", deployment("w", 2))
    lab.settle()
    lab.admin.delete("deployments.apps", "w", "default", propagation="Orphan")
    lab.settle()
    (rs,) = lab.admin.list("replicasets.apps", "default")
    assert "ownerReferences" not in rs["metadata"] and len(lab.pods()) == 2
    lab.create("deployments.apps", deployment("w", 2))
    lab.settle()
    assert len(lab.pods()) == 2
    assert [r["metadata"]["name"] for r in lab.admin.list("replicasets.apps", "default")] == [rs["metadata"]["name"]]


def test_foreground_deletion_keeps_the_owner_until_the_pods_are_gone() -> None:
    lab = Lab("gpu-node1")
    lab.create("deployments.apps", deployment("w", 1))
    lab.settle()
    lab.admin.delete("deployments.apps", "w", "default", propagation="Foreground")
    lab.run(0.1)
    assert lab.admin.find("deployments.apps", "w", "default") is not None
    lab.settle()
    assert lab.admin.find("deployments.apps", "w", "default") is None and lab.pods() == []


def daemonset(**spec: Any) -> dict[str, Any]:
    template = {
        "metadata": {"labels": {"app": "d"}},
        "spec": {"nodeSelector": {"x": "y"}, "containers": [{"name": "m", "image": "nginx:1.27"}]},
    }
    return {
        "apiVersion": "apps/v1",
        "kind": "DaemonSet",
        "metadata": {"name": "d"},
        "spec": {"selector": {"matchLabels": {"app": "d"}}, "template": template, **spec},
    }


def test_a_daemonset_follows_node_labels() -> None:
    lab = Lab("gpu-node1", "gpu-node2")
    lab.create("daemonsets.apps", daemonset())
    lab.settle()
    assert lab.pods() == [] and lab.get("daemonsets.apps", "d")["status"]["desiredNumberScheduled"] == 0
    lab.admin.patch("nodes", "gpu-node1", {"metadata": {"labels": {"x": "y"}}})
    lab.settle()
    (found,) = lab.pods()
    assert found["spec"]["nodeName"] == "gpu-node1"
    assert lab.get("daemonsets.apps", "d")["status"]["numberReady"] == 1
    lab.admin.patch("nodes", "gpu-node1", {"metadata": {"labels": {"x": None}}})
    lab.cluster.loop.drain()
    assert lab.pods()[0]["metadata"].get("deletionTimestamp")
    lab.settle()
    assert lab.pods() == []


def test_daemon_pods_stay_on_a_cordoned_node_and_roll_one_at_a_time() -> None:
    lab = Lab("gpu-node1", "gpu-node2")
    for node in ("gpu-node1", "gpu-node2"):
        lab.admin.patch("nodes", node, {"metadata": {"labels": {"x": "y"}}})
    lab.create("daemonsets.apps", daemonset())
    lab.settle()
    lab.admin.patch("nodes", "gpu-node2", {"spec": {"unschedulable": True}})
    lab.settle()
    assert len(lab.pods()) == 2
    before = {p["metadata"]["name"] for p in lab.pods()}
    lab.admin.patch(
        "daemonsets.apps", "d", {"spec": {"template": {"metadata": {"annotations": {"r": "1"}}}}}, namespace="default"
    )
    lab.run(0.5)
    assert len({p["metadata"]["name"] for p in lab.pods()} & before) == 1
    lab.settle()
    assert not {p["metadata"]["name"] for p in lab.pods()} & before
    assert [r["revision"] for r in lab.admin.list("controllerrevisions.apps", "default")] in ([1, 2], [2, 1])


def test_on_delete_waits_for_the_hand() -> None:
    lab = Lab("gpu-node1")
    lab.admin.patch("nodes", "gpu-node1", {"metadata": {"labels": {"x": "y"}}})
    lab.create("daemonsets.apps", daemonset(updateStrategy={"type": "OnDelete"}))
    lab.settle()
    (old,) = lab.pods()
    lab.admin.patch(
        "daemonsets.apps", "d", {"spec": {"template": {"metadata": {"annotations": {"r": "1"}}}}}, namespace="default"
    )
    lab.settle()
    assert [p["metadata"]["name"] for p in lab.pods()] == [old["metadata"]["name"]]
    assert "updatedNumberScheduled" not in lab.get("daemonsets.apps", "d")["status"]
    lab.admin.delete("pods", old["metadata"]["name"], "default")
    lab.settle()
    assert lab.get("daemonsets.apps", "d")["status"]["updatedNumberScheduled"] == 1


def statefulset(**spec: Any) -> dict[str, Any]:
    template = {"metadata": {"labels": {"app": "s"}}, "spec": {"containers": [{"name": "m", "image": "nginx:1.27"}]}}
    return {
        "apiVersion": "apps/v1",
        "kind": "StatefulSet",
        "metadata": {"name": "s"},
        "spec": {
            "replicas": 3,
            "serviceName": "s",
            "selector": {"matchLabels": {"app": "s"}},
            "template": template,
            **spec,
        },
    }


def test_a_statefulset_goes_up_in_order_and_down_from_the_end() -> None:
    lab = Lab("gpu-node1")
    lab.create("statefulsets.apps", statefulset())
    lab.cluster.loop.drain()
    assert [p["metadata"]["name"] for p in lab.pods()] == ["s-0"]
    lab.settle()
    assert [p["metadata"]["name"] for p in lab.pods()] == ["s-0", "s-1", "s-2"]
    assert lab.get("statefulsets.apps", "s")["status"]["readyReplicas"] == 3
    lab.admin.patch("statefulsets.apps", "s", {"spec": {"replicas": 1}}, namespace="default")
    lab.cluster.loop.drain()
    assert [bool(p["metadata"].get("deletionTimestamp")) for p in lab.pods()] == [False, False, True]
    lab.settle()
    assert [p["metadata"]["name"] for p in lab.pods()] == ["s-0"]


def test_a_partition_holds_back_the_lower_ordinals() -> None:
    lab = Lab("gpu-node1")
    strategy = {"type": "RollingUpdate", "rollingUpdate": {"partition": 2}}
    lab.create("statefulsets.apps", statefulset(updateStrategy=strategy))
    lab.settle()
    lab.admin.patch(
        "statefulsets.apps", "s", {"spec": {"template": {"metadata": {"annotations": {"r": "1"}}}}}, namespace="default"
    )
    lab.settle()
    status = lab.get("statefulsets.apps", "s")["status"]
    hashes = [labels_of(p)["controller-revision-hash"] for p in lab.pods()]
    assert hashes == [status["currentRevision"], status["currentRevision"], status["updateRevision"]]
    assert (status["currentReplicas"], status["updatedReplicas"]) == (2, 1)


def job(name: str, command: list[str], **spec: Any) -> dict[str, Any]:
    container = {"name": "m", "image": "busybox:1.36", "command": command}
    template = {"spec": {"restartPolicy": "Never", "containers": [container]}}
    return {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": name}, "spec": {"template": template, **spec}}


def test_a_job_counts_completions_and_hides_no_finalizer_at_the_end() -> None:
    lab = Lab("gpu-node1")
    lab.create("jobs.batch", job("j", ["sleep", "5"], completions=3, parallelism=2))
    lab.run(3)
    assert lab.get("jobs.batch", "j")["status"]["active"] == 2
    lab.settle()
    status = lab.get("jobs.batch", "j")["status"]
    assert status["succeeded"] == 3 and "active" not in status
    assert [c["type"] for c in status["conditions"]] == ["SuccessCriteriaMet", "Complete"]
    assert all("finalizers" not in p["metadata"] for p in lab.pods())
    assert ("Completed", "Job completed", "job-controller") in lab.events("j")


def test_a_job_gives_up_after_its_backoff_limit() -> None:
    lab = Lab("gpu-node1")
    lab.create("jobs.batch", job("j", ["false"], backoffLimit=2))
    lab.settle()
    status = lab.get("jobs.batch", "j")["status"]
    assert status["failed"] == 3
    assert [(c["type"], c["reason"]) for c in status["conditions"]] == [
        ("FailureTarget", "BackoffLimitExceeded"),
        ("Failed", "BackoffLimitExceeded"),
    ]
    assert lab.now - START >= 30_000  # 10 s and 20 s of back-off


def test_an_indexed_job_runs_each_index_once() -> None:
    lab = Lab("gpu-node1")
    lab.create("jobs.batch", job("j", ["true"], completions=4, parallelism=2, completionMode="Indexed"))
    lab.settle()
    assert lab.get("jobs.batch", "j")["status"]["completedIndexes"] == "0-3"
    assert sorted(annotations_of(p)["batch.kubernetes.io/job-completion-index"] for p in lab.pods()) == list("0123")


def test_a_job_is_deleted_after_its_ttl_and_a_suspended_one_does_nothing() -> None:
    lab = Lab("gpu-node1")
    lab.create("jobs.batch", job("j", ["true"], ttlSecondsAfterFinished=60))
    lab.create("jobs.batch", job("k", ["true"], suspend=True))
    lab.settle()
    assert lab.admin.find("jobs.batch", "j", "default") is not None
    lab.run(70)
    assert lab.admin.find("jobs.batch", "j", "default") is None and lab.pods() == []
    lab.admin.patch("jobs.batch", "k", {"spec": {"suspend": False}}, namespace="default")
    lab.settle()
    assert lab.get("jobs.batch", "k")["status"]["succeeded"] == 1


def test_a_cronjob_runs_when_due() -> None:
    lab = Lab("gpu-node1")
    template = {"spec": job("x", ["true"])["spec"]}
    body = {
        "apiVersion": "batch/v1",
        "kind": "CronJob",
        "metadata": {"name": "c"},
        "spec": {"schedule": "*/5 * * * *", "jobTemplate": template},
    }
    lab.create("cronjobs.batch", body)
    lab.run(239)
    assert lab.admin.list("jobs.batch", "default") == []
    lab.run(5 * 60 + 10)
    assert len(lab.admin.list("jobs.batch", "default")) == 2
    assert lab.get("cronjobs.batch", "c")["status"]["lastScheduleTime"] == "2026-11-10T09:50:00Z"


def test_a_namespace_goes_with_its_contents() -> None:
    lab = Lab("gpu-node1")
    lab.create("namespaces", {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "team"}})
    lab.settle()
    assert [o["metadata"]["name"] for o in lab.admin.list("serviceaccounts", "team")] == ["default"]
    assert [o["metadata"]["name"] for o in lab.admin.list("configmaps", "team")] == ["kube-root-ca.crt"]
    lab.create("deployments.apps", deployment("w", 2), "team")
    lab.create("configmaps", {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c"}}, "team")
    lab.settle()
    lab.admin.delete("namespaces", "team")
    lab.cluster.loop.drain()
    assert lab.get("namespaces", "team")["status"]["phase"] == "Terminating"
    lab.settle()
    assert lab.admin.find("namespaces", "team") is None
    assert lab.admin.list("pods", "team") == [] and lab.admin.list("events", "team") == []


def test_endpoints_and_slices_follow_readiness() -> None:
    lab = Lab("gpu-node1")
    spec = {"selector": {"app": "web"}, "ports": [{"port": 80, "targetPort": 8080}]}
    lab.create("services", {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "web"}, "spec": spec})
    lab.create("pods", pod("web"))
    lab.settle()
    address = lab.get("pods", "web")["status"]["podIP"]
    (subset,) = lab.get("endpoints", "web")["subsets"]
    assert [a["ip"] for a in subset["addresses"]] == [address]
    assert subset["ports"] == [{"port": 8080, "protocol": "TCP"}]
    (piece,) = lab.admin.list("endpointslices.discovery.k8s.io", "default")
    assert piece["endpoints"][0]["conditions"] == {"ready": True, "serving": True, "terminating": False}
    lab.admin.delete("pods", "web", "default")
    lab.settle()
    assert "subsets" not in lab.get("endpoints", "web")


def test_a_budget_allows_what_is_spare() -> None:
    lab = Lab("gpu-node1")
    lab.create("deployments.apps", deployment("w", 3))
    spec = {"minAvailable": "50%", "selector": {"matchLabels": {"app": "w"}}}
    body = {"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": {"name": "b"}, "spec": spec}
    lab.create("poddisruptionbudgets.policy", body)
    lab.settle()
    status = lab.get("poddisruptionbudgets.policy", "b")["status"]
    assert (
        status["expectedPods"],
        status["currentHealthy"],
        status["desiredHealthy"],
        status["disruptionsAllowed"],
    ) == (3, 3, 2, 1)


def test_a_quota_is_kept_up_to_date() -> None:
    lab = Lab("gpu-node1")
    hard = {"pods": "10", "requests.cpu": "4", "requests.memory": "8Gi"}
    lab.create(
        "resourcequotas",
        {"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "q"}, "spec": {"hard": hard}},
    )
    lab.cluster.loop.drain()
    lab.create("pods", pod("a", resources={"requests": {"cpu": "1500m", "memory": "2Gi"}}))
    lab.settle()
    assert lab.get("resourcequotas", "q")["status"]["used"] == {
        "pods": "1",
        "requests.cpu": "1500m",
        "requests.memory": "2Gi",
    }
    lab.admin.delete("pods", "a", "default")
    lab.settle()
    assert lab.get("resourcequotas", "q")["status"]["used"] == {
        "pods": "0",
        "requests.cpu": "0",
        "requests.memory": "0",
    }


def test_refused_creates_come_to_rest_and_the_first_refusal_stays_in_the_status() -> None:
    lab = Lab("gpu-node1")
    quota = {"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "q"}, "spec": {"hard": {"pods": "1"}}}
    lab.admin.create("resourcequotas", quota, "default")
    lab.settle()
    lab.create("deployments.apps", deployment("w", 3))
    lab.settle()
    failure = condition_of(lab.get("deployments.apps", "w"), "ReplicaFailure")
    assert failure is not None
    assert failure["reason"] == "FailedCreate"
    assert "is forbidden: exceeded quota: q, requested: pods=1, used: pods=1, limited: pods=1" in failure["message"]
    refused = [message for reason, message, _ in lab.events() if reason == "FailedCreate"]
    assert len(refused) >= 2
    assert failure["message"] == refused[0].removeprefix("Error creating: ")
    lab.admin.patch("resourcequotas", "q", {"spec": {"hard": {"pods": "5"}}}, namespace="default")
    lab.settle()
    lab.run(600)
    assert lab.get("deployments.apps", "w")["status"]["readyReplicas"] == 3
    assert condition_of(lab.get("deployments.apps", "w"), "ReplicaFailure") is None
