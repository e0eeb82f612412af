"""Text and objects: YAML and JSON as kubectl reads and prints them.

The parts are imported when first asked for (PEP 562): most lines print no YAML and read none.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from labsim.kube.codec.gojson import dump_compact, dump_json
    from labsim.kube.codec.kyaml import dump_kyaml
    from labsim.kube.codec.read import DecodeError, load, load_all
    from labsim.kube.codec.yamlout import dump_yaml

__all__ = ["DecodeError", "dump_compact", "dump_json", "dump_kyaml", "dump_yaml", "load", "load_all"]

_PARTS = {
    "dump_compact": "gojson", "dump_json": "gojson", "dump_kyaml": "kyaml", "dump_yaml": "yamlout",
    "DecodeError": "read", "load": "read", "load_all": "read",
}  # fmt: skip


def __getattr__(name: str) -> Any:
    if name not in _PARTS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{_PARTS[name]}"), name)
    globals()[name] = value
    return value
