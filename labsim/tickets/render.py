"""Parameters: drawn by the seed, and the only source of names in text, set-up, checks and answers."""

from __future__ import annotations

import re
from typing import Any

from labsim.sim import names

_SLOT = re.compile(r"\{\{\s*([A-Za-z_][\w.]*)\s*\}\}")


class UnknownParam(Exception):
    """`{{x}}` names nothing; the message is the name."""


def draw(ticket_id: str, params: dict[str, dict[str, Any]], seed: int) -> dict[str, Any]:
    """The values of one seed. Independent draws: adding a parameter does not change the others."""
    values: dict[str, Any] = {}
    for name, param in params.items():
        if param.get("choice") is not None:
            options = param["choice"]
            values[name] = options[names.number(seed, 0, len(options) - 1, "param", ticket_id, name)]
        elif param.get("range") is not None:
            values[name] = names.number(seed, *param["range"], "param", ticket_id, name)
        else:
            values[name] = param["value"]
    # A parameter's value may itself mention other parameters, one level deep.
    return {name: fill(value, values) for name, value in values.items()}


def fill(value: Any, values: dict[str, Any]) -> Any:
    """`value` with every `{{name}}` or `{{name.field}}` replaced. A string that is one slot keeps the value's type."""
    if isinstance(value, str):
        whole = _SLOT.fullmatch(value)
        if whole:
            return lookup(whole[1], values)
        return _SLOT.sub(lambda m: str(lookup(m[1], values)), value)
    if isinstance(value, list):
        return [fill(item, values) for item in value]
    if isinstance(value, dict):
        return {fill(k, values): fill(v, values) for k, v in value.items()}
    return value


def lookup(path: str, values: dict[str, Any]) -> Any:
    found: Any = values
    for part in path.split("."):
        if not isinstance(found, dict) or part not in found:
            raise UnknownParam(path)
        found = found[part]
    return found
