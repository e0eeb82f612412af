"""Profile names as mig-parted reads them: `1g.10gb`, `1c.3g.40gb`, `1g.10gb+me`. Texts: go-nvlib mig_profile.go."""

from __future__ import annotations

import re

from labsim.hardware import h100
from labsim.hardware.h100 import ComputeInstanceProfile, GpuInstanceProfile

_MEDIA = ("me",)


class ProfileError(ValueError):
    """The name is not of the form of a profile."""


def parse(name: str) -> tuple[int, int, int, tuple[str, ...], bool]:
    """(compute slices, GPU slices, GB, attributes, attributes negated). Raises ProfileError."""
    if name == "":
        raise ProfileError("profile is the empty string")
    if "+" in name and "-" in name:
        raise ProfileError(f"profile '{name}' contains both '+/-' attributes")
    negative = "-" in name
    fields, found, attributes = name.partition("-" if negative else "+")
    try:
        c, g, gb = _fields(fields)
    except ProfileError as error:
        raise ProfileError(f"cannot parse fields of '{name}': {error}") from None
    if not found:
        return c, g, gb, (), False
    try:
        return c, g, gb, _attributes(attributes), negative
    except ProfileError as error:
        raise ProfileError(f"cannot parse attributes of '{name}': {error}") from None


def resolve(name: str) -> tuple[GpuInstanceProfile, ComputeInstanceProfile] | None:
    """The profiles of an H100 that a name means, or None when it has none such."""
    try:
        c, g, gb, attributes, negative = parse(name)
    except ProfileError:
        return None
    if negative or attributes not in ((), _MEDIA):
        return None
    for profile in h100.PROFILES:
        size = int(profile.plain_name.partition(".")[2].removesuffix("gb"))
        if (profile.g, size, profile.media_extensions) == (g, gb, attributes == _MEDIA):
            for ci in h100.CI_PROFILES:
                if ci.cores == c and ci.id in h100.CI_MAX[g]:
                    return profile, ci
    return None


def sort_key(name: str) -> tuple[object, ...]:
    """Largest first, as mig-parted orders a layout: slices, compute slices, then attributes. Upstream leaves the
    order of 1g.10gb and 1g.20gb to chance; here the bigger one comes first."""
    c, g, gb, attributes, _ = parse(name)
    return (-g, -c, tuple(-ord(char) for char in ",".join(attributes)) or (0,), -gb)


def _fields(text: str) -> tuple[int, int, int]:
    parts = text.split(".", 2)
    if len(parts) == 3:
        return _field(parts[0], "c"), _field(parts[1], "g"), _field(parts[2], "gb")
    if len(parts) == 2:
        g, gb = _field(parts[0], "g"), _field(parts[1], "gb")
        return g, g, gb
    raise ProfileError("parsed wrong number of fields, expected 2 or 3")


def _field(text: str, unit: str) -> int:
    if text.strip() != text:
        raise ProfileError(f"leading or trailing spaces on '%d{unit}'")
    if not text.endswith(unit):
        raise ProfileError(f"missing '{unit}' from '%d{unit}'")
    number = text.removesuffix(unit)
    if not re.fullmatch(r"[+-]?[0-9]{1,18}", number):
        raise ProfileError(f"malformed number in '%d{unit}'")
    return int(number)


def _attributes(text: str) -> tuple[str, ...]:
    found: list[str] = []
    for attribute in text.split(","):
        if attribute in found:
            raise ProfileError("non unique attribute in list")
        if attribute == "":
            raise ProfileError("empty attribute in list")
        if attribute.strip() != attribute:
            raise ProfileError("leading or trailing spaces in attribute")
        if attribute[0] in "0123456789":
            raise ProfileError("attribute begins with a number")
        if attribute[0] == "." or attribute[-1] == ".":
            raise ProfileError("attribute begins/ends with a dot")
        if not re.fullmatch(r"[A-Za-z0-9.]+", attribute):
            raise ProfileError("non alpha-numeric character or digit in attribute")
        found.append(attribute)
    return tuple(sorted(found))
