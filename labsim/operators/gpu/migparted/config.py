"""Reading a mig-parted config file: the form, the choice of one layout, and every error text (gpu.md 1.5)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from labsim.hardware import h100
from labsim.operators.gpu.migparted import profile

VERSION = "v1"


class ConfigError(Exception):
    """The file cannot be used, or has no such layout; `str()` is the whole message below the caller's own prefix."""


@dataclass(frozen=True)
class Item:
    """One list entry of a layout."""

    devices: str | tuple[int, ...]  # "all" or GPU indexes
    enabled: bool
    mig_devices: Mapping[str, int] = field(default_factory=dict)
    device_filter: str | tuple[str, ...] = ""

    def matches(self, index: int) -> bool:
        """Whether this entry is about GPU `index` (every GPU of this lab is the same H100)."""
        if self.device_filter and not any(_is_h100(text) for text in self.filters()):
            return False
        return self.devices == "all" or index in self.devices

    def filters(self) -> tuple[str, ...]:
        return (self.device_filter,) if isinstance(self.device_filter, str) else self.device_filter


def _is_h100(text: str) -> bool:
    """A device-filter value: `0x<device><vendor>`, perhaps with a `:0x<subsystem>` behind it."""
    device, _, subsystem = text.partition(":")
    try:
        return int(device, 16) == h100.PCI_DEVICE_ID and (not subsystem or int(subsystem, 16) == h100.PCI_SUBSYSTEM_ID)
    except ValueError:
        return False


Layout = tuple[Item, ...]
Spec = dict[str, Layout]


@lru_cache(maxsize=32)
def parse(text: str) -> Spec:
    """The layouts of a file by name, in the file's order. Raises ConfigError ("unmarshal error: ...").

    A run reads the same text eight times, so the answer is kept; callers must not change it.
    """
    import yaml

    try:
        document = yaml.load(text, Loader=yaml.SafeLoader)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f"line {mark.line + 1}: " if mark else ""
        problem = getattr(error, "problem", None) or str(error)
        raise ConfigError(f"unmarshal error: error converting YAML to JSON: yaml: {where}{problem}") from None
    try:
        return _spec(document)
    except ConfigError as error:
        raise ConfigError(f"unmarshal error: {error}") from None


def unreadable(path: str) -> ConfigError:
    """The error for a file that does not exist."""
    return ConfigError(f"read error: open {path}: no such file or directory")


def select(spec: Spec, name: str) -> Layout:
    """The layout called `name`; "" is allowed when there is only one. Raises ConfigError."""
    if not name:
        if len(spec) > 1:
            raise ConfigError("missing required flag 'selected-config' when more than one config available")
        name = next(iter(spec), "")
    if name not in spec:
        raise ConfigError(f"selected mig-config not present: {name}")
    return spec[name]


def _spec(document: Any) -> Spec:
    if document is None:
        document = {}
    _expect(document, dict, "map[string]json.RawMessage")
    if document and "version" not in document:
        raise ConfigError("unable to parse with missing 'version' field")
    version = document.get("version", "")
    _expect(version, str, "string")
    if version != VERSION:
        raise ConfigError(f"unknown version: {version}")
    spec: Spec = {}
    for key, value in document.items():
        if key == "version":
            continue
        if key != "mig-configs":
            raise ConfigError(f"unexpected field: {_key(key)}")
        _expect(value if value is not None else {}, dict, "map[string]v1.MigConfigSpecSlice")
        for name, items in (value or {}).items():
            _expect(items if items is not None else [], list, "v1.MigConfigSpecSlice")
            spec[_key(name)] = tuple(_item(item) for item in items or ())
        if not spec:
            raise ConfigError(f"at least one entry in '{key}' is required")
        for name, layout in spec.items():
            if not layout:
                raise ConfigError(f"at least one entry in '{name}' is required")
    return spec


def _item(raw: Any) -> Item:
    _expect(raw, dict, "map[string]json.RawMessage")
    for required in ("devices", "mig-enabled"):
        if required not in raw:
            raise ConfigError(f"missing required field: {required}")
    devices: str | tuple[int, ...] = ()
    enabled = False
    mig_devices: dict[str, int] | None = None
    device_filter: str | tuple[str, ...] = ""
    for key, value in raw.items():
        if key == "device-filter":
            device_filter = _strings(value)
        elif key == "devices":
            devices = _devices(value)
        elif key == "mig-enabled":
            _expect(value, bool, "bool")
            enabled = value
        elif key == "mig-devices":
            mig_devices = _counts(value)
        else:
            raise ConfigError(f"unexpected field: {_key(key)}")
    if enabled and mig_devices is None:
        raise ConfigError("missing required field 'mig-devices' when 'mig-enabled' is true")
    if not enabled and mig_devices:
        raise ConfigError("MIG devices included when 'mig-enabled' is false")
    return Item(devices, enabled, mig_devices or {}, device_filter)


def _devices(value: Any) -> str | tuple[int, ...]:
    if isinstance(value, str):
        if value != "all":
            raise ConfigError(f"invalid string input for 'devices': {value}")
        return value
    if isinstance(value, list) and all(_kind(v) == "number" and isinstance(v, int) for v in value):
        return tuple(value)
    raise ConfigError(f"({_mismatch(value, 'string')}, {_mismatch(value, '[]int', 'int')})")


def _strings(value: Any) -> str | tuple[str, ...]:
    if isinstance(value, str):
        return value
    if isinstance(value, list) and all(isinstance(v, str) for v in value):
        return tuple(value)
    raise ConfigError(f"({_mismatch(value, 'string')}, {_mismatch(value, '[]string', 'string')})")


def _counts(value: Any) -> dict[str, int]:
    _expect(value if value is not None else {}, dict, "types.MigConfig")
    counts: dict[str, int] = {}
    for name, count in (value or {}).items():
        _expect(count, int, "int")
        counts[_key(name)] = count
    try:
        _check_counts(counts)
    except ConfigError as error:
        raise ConfigError(f"error validating values in 'mig-devices' field: {error}") from None
    return counts


def _check_counts(counts: Mapping[str, int]) -> None:
    if not counts:
        return
    for name, count in counts.items():
        try:
            profile.parse(name)
        except profile.ProfileError as error:
            raise ConfigError(f"invalid format for '{name}': {error}") from None
        if count < 0:
            raise ConfigError(f"invalid count for '{count}': <nil>")
    if not any(counts.values()):
        raise ConfigError("all counts for all MigProfiles are 0")


def _key(key: Any) -> str:
    """A mapping key as the YAML to JSON conversion writes it."""
    if isinstance(key, bool):
        return str(key).lower()
    return str(key)


def _kind(value: Any) -> str:
    """The JSON type in encoding/json's error texts."""
    if isinstance(value, bool):
        return "bool"
    if isinstance(value, (int, float)):
        return "number"
    if isinstance(value, list):
        return "array"
    return "object" if isinstance(value, dict) else "string"


def _mismatch(value: Any, go_type: str, item_type: str = "") -> str:
    if item_type and isinstance(value, list):
        wrong = next((v for v in value if _kind(v) != ("number" if item_type == "int" else "string")), 0.5)
        text = f"number {wrong}" if isinstance(wrong, float) else _kind(wrong)
        return f"json: cannot unmarshal {text} into Go value of type {item_type}"
    return f"json: cannot unmarshal {_kind(value)} into Go value of type {go_type}"


def _expect(value: Any, kind: type, go_type: str) -> None:
    if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        raise ConfigError(_mismatch(value, go_type))
