"""GET pods/NAME/log: once, or followed until the container ends."""

from __future__ import annotations

from collections.abc import Callable

from labsim.commands.kubectl.loglines import container_ended, server_log
from labsim.kube.client import Client
from labsim.kube.errors import bad_request, invalid, invalid_value
from labsim.kube.rest.paths import Target
from labsim.sim.clock import parse_time, rfc3339

_LEAST = {"tailLines": 0, "sinceSeconds": 1, "limitBytes": 1}


def options(target: Target, query: dict[str, str], now: int) -> dict[str, str]:
    """PodLogOptions with a fixed start. Raises 400 for what is no number or time, 422 for one out of range."""
    found = dict(query)
    wrong = []
    for name, least in _LEAST.items():
        text = query.get(name, "")
        if not text:
            continue
        if not (text.isascii() and text.lstrip("-").isdecimal() and len(text) < 16):
            raise bad_request(f'strconv.ParseInt: parsing "{text}": invalid syntax')
        if int(text) < least:
            detail = f"must be greater than {'or equal to 0' if least == 0 else '0'}"
            wrong.append(invalid_value(name, int(text), detail))
    if wrong:
        raise invalid("PodLogOptions", target.name, wrong)
    if query.get("sinceTime"):
        try:
            parse_time(query["sinceTime"])
        except ValueError:
            raise bad_request(f'parsing time "{query["sinceTime"]}": no RFC 3339 time') from None
    if query.get("sinceSeconds"):
        found["sinceTime"] = rfc3339(max(now - int(found.pop("sinceSeconds")) * 1000, 0))
    for name in ("timestamps", "previous", "follow"):
        found[name] = "true" if query.get(name) in ("true", "1") else "false"
    return found


def once(client: Client, target: Target, query: dict[str, str]) -> str:
    return server_log(client, target.namespace, target.name, query)


def follower(client: Client, target: Target, query: dict[str, str]) -> Callable[[], tuple[str, bool]]:
    """A function that gives what came since its last call, and whether that was the end."""
    whole = {k: v for k, v in query.items() if k not in ("tailLines", "limitBytes")}
    seen: str | None = None

    def more() -> tuple[str, bool]:
        nonlocal seen
        text = once(client, target, whole)
        if seen is None:
            seen, new = text, once(client, target, query)
        elif text.startswith(seen):
            new, seen = text[len(seen) :], text
        else:
            return "", True  # another attempt of the container has begun
        return new, container_ended(client, target.namespace, target.name, query.get("container", ""))

    return more
