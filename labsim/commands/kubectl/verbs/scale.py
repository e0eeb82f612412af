"""kubectl scale (kubectl.md 4.5)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from labsim.commands.kubectl.builder import Info, raise_all
from labsim.commands.kubectl.errors import Failure
from labsim.commands.kubectl.flags import Flag
from labsim.commands.kubectl.global_flags import FILENAME, OUTPUT, SELECTOR
from labsim.commands.kubectl.writing import ALL, DRY_RUN, RESOURCE_VERSION, dry_run, report, wait
from labsim.kube.errors import ApiError
from labsim.kube.objects import Object, get_in, meta

if TYPE_CHECKING:
    from labsim.commands.kubectl.session import Kubectl

USAGE = "scale [--resource-version=version] [--current-replicas=count] --replicas=COUNT (-f FILENAME | TYPE NAME)"
ABOUT = """Set the number of replicas of a Deployment, ReplicaSet, StatefulSet or replication controller.

 With --current-replicas or --resource-version the change is made only if they still hold."""
EXAMPLES = """  # Four replicas
  kubectl scale --replicas=4 deployment/web

  # Only if there are three now
  kubectl scale --current-replicas=3 --replicas=4 deployment/web"""
SPEC = (
    *OUTPUT,
    *FILENAME,
    SELECTOR,
    ALL,
    DRY_RUN,
    RESOURCE_VERSION,
    Flag("current-replicas", kind="int", default=-1, help="Only if this is the number now; -1 for any"),
    Flag("replicas", kind="int", shown="0", help="The new number (needed)"),
    Flag("timeout", kind="duration", help="How long to wait until the number is reached; zero does not wait"),
)


def run(kubectl: Kubectl) -> int:
    flags = kubectl.flags
    if not kubectl.given("replicas"):
        raise Failure('required flag(s) "replicas" not set')
    dry = dry_run(kubectl)
    wanted, current = int(flags["replicas"]), int(flags["current-replicas"])
    if wanted < 0:
        raise Failure("The --replicas=COUNT flag is required, and COUNT must be greater than or equal to 0")
    if current < -1:
        raise Failure("The --current-replicas must specify an integer of -1 or greater")
    result = kubectl.resources(select_all=flags["all"], all_without_selector=False)
    infos = result.all_infos()
    if len(infos) > 1 and flags["resource-version"]:
        raise Failure("cannot use --resource-version with multiple resources")
    errors: list[Exception] = []
    for info in infos:
        try:
            if dry != "client":
                _change(kubectl, info, wanted, current, dry == "server")
                if flags["timeout"] and dry == "none":
                    _wait(kubectl, info, wanted, int(flags["timeout"]))
            report(kubectl, info.obj, "scaled", dry)
        except (ApiError, Failure) as error:
            errors.append(error)
    raise_all(errors)
    if not infos:
        raise Failure("no objects passed to scale")
    return 0


def _change(kubectl: Kubectl, info: Info, wanted: int, current: int, dry: bool) -> None:
    """PATCH of the Scale; with a precondition it is read first and its version is sent along."""
    body: Object = {"spec": {"replicas": wanted}}
    if current != -1 or kubectl.flags["resource-version"]:
        now = kubectl.client.get_scale(info.resource.key, info.name, info.namespace)
        replicas, version = int(get_in(now, "spec", "replicas", default=0)), str(meta(now).get("resourceVersion", ""))
        if current not in (-1, replicas):
            raise Failure(f"Expected replicas to be {current}, was {replicas}")
        expected = kubectl.flags["resource-version"]
        if expected and version != expected:
            raise Failure(f"Expected resource version to be {expected}, was {version}")
        body["metadata"] = {"resourceVersion": version}
    kubectl.client.patch_scale(info.resource.key, info.name, body, info.namespace, dry_run=dry)


def _wait(kubectl: Kubectl, info: Info, wanted: int, timeout: int) -> None:
    def there() -> bool:
        now = kubectl.client.find(info.resource.key, info.name, info.namespace)
        observed = get_in(now, "status", "observedGeneration", default=0) >= get_in(
            now, "metadata", "generation", default=0
        )
        return now is None or (observed and get_in(now, "status", "replicas", default=0) == wanted)

    if not wait(kubectl, there, timeout):
        raise Failure("timed out waiting for the condition")
