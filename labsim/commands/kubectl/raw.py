"""kubectl get --raw: what the server answers at a path. Only the paths that labsim has an answer for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from labsim.commands.kubectl.errors import Failure, UsageFailure, not_simulated
from labsim.commands.kubectl.mapping import visible
from labsim.kube.codec import dump_compact
from labsim.kube.errors import no_such_path
from labsim.kube.objects import Object

if TYPE_CHECKING:
    from labsim.commands.kubectl.session import Kubectl


def get_raw(kubectl: Kubectl) -> int:
    path = kubectl.flags["raw"]
    if kubectl.args:
        raise UsageFailure(
            kubectl.path, f"arguments may not be passed when --raw is specified: {kubectl.args}".replace("'", "")
        )
    plain, _, query = path.partition("?")
    if query:
        raise not_simulated("kubectl get --raw with a query")
    if plain in ("/healthz", "/livez", "/readyz"):
        kubectl.out("ok")
        return 0
    if not plain.startswith("/"):
        raise Failure("the server could not find the requested resource")
    kubectl.out(dump_compact(_answer(kubectl, [p for p in plain.split("/") if p])))
    return 0


def _answer(kubectl: Kubectl, parts: list[str]) -> Object:
    client = kubectl.client
    if parts == ["version"]:
        from labsim.commands.kubectl.versions import server_version

        return server_version(client)
    if parts[:1] == ["api"] and len(parts) > 2:
        group, version, rest = "", parts[1], parts[2:]
    elif parts[:1] == ["apis"] and len(parts) > 3:
        group, version, rest = parts[1], parts[2], parts[3:]
    else:
        raise not_simulated("kubectl get --raw /" + "/".join(parts))
    namespace = ""
    if rest[0] == "namespaces" and len(rest) >= 3:
        namespace, rest = rest[1], rest[2:]
    res = next((r for r in visible(client) if (r.group, r.version, r.plural) == (group, version, rest[0])), None)
    if res is None or len(rest) > 2:
        raise no_such_path()
    if len(rest) == 2:
        return client.get(res.key, rest[1], namespace)
    items = client.list(res.key, namespace)
    metadata = {"resourceVersion": str(client.api.store.journal.revision)}
    return {"kind": f"{res.kind}List", "apiVersion": res.api_version, "metadata": metadata, "items": items}
