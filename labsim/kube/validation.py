"""Syntax of names, labels and ports with the texts of apimachinery v0.35. A check returns its complaints; none is"
" good."""

from __future__ import annotations

import re
from collections.abc import Sequence

LABEL_FORMAT = "[a-z0-9]([-a-z0-9]*[a-z0-9])?"
SUBDOMAIN_FORMAT = rf"{LABEL_FORMAT}(\.{LABEL_FORMAT})*"
KEY_FORMAT = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]"
VALUE_FORMAT = f"({KEY_FORMAT})?"
_DNS_1035_FORMAT = "[a-z]([-a-z0-9]*[a-z0-9])?"
_WILDCARD_FORMAT = rf"\*\.{SUBDOMAIN_FORMAT}"
_C_IDENTIFIER_FORMAT = "[A-Za-z_][A-Za-z0-9_]*"
_ENV_FORMAT = "[-._a-zA-Z][-._a-zA-Z0-9]*"
_CONFIG_KEY_FORMAT = "[-._a-zA-Z0-9]+"
_PERCENT_FORMAT = "[0-9]+%"

NAME_LENGTH, SUBDOMAIN_LENGTH, PORT_NAME_LENGTH = 63, 253, 15
_EDGES = "must start and end with an alphanumeric character"


def dns1123_label(value: str) -> list[str]:
    found = too_long(value, NAME_LENGTH)
    if _fits(LABEL_FORMAT, value):
        return found
    if _fits(SUBDOMAIN_FORMAT, value):
        return [*found, "must not contain dots"]
    text = f"a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and {_EDGES}"
    return [*found, pattern_error(text, LABEL_FORMAT, ("my-name", "123-abc"))]


def dns1123_subdomain(value: str, unit: str = "characters") -> list[str]:
    text = (
        f"a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and {_EDGES}"
    )
    return too_long(value, SUBDOMAIN_LENGTH, unit) + _pattern(value, text, SUBDOMAIN_FORMAT, ("example.com",))


def dns1035_label(value: str) -> list[str]:
    text = (
        "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic"
        " character,"
        " and end with an alphanumeric character"
    )
    return too_long(value, NAME_LENGTH) + _pattern(value, text, _DNS_1035_FORMAT, ("my-name", "abc-123"))


def wildcard_subdomain(value: str) -> list[str]:
    text = (
        "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of"
        " lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character"
    )
    return too_long(value, SUBDOMAIN_LENGTH) + _pattern(value, text, _WILDCARD_FORMAT, ("*.example.com",))


def qualified_name(value: str) -> list[str]:
    """A label key: [prefix/]name."""
    text = f"must consist of alphanumeric characters, '-', '_' or '.', and {_EDGES}"
    wrong = pattern_error(text, KEY_FORMAT, ("MyName", "my.name", "123-abc"))
    prefix, slash, name = value.rpartition("/")
    if "/" in prefix:
        return [f"a valid label key {wrong} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"]
    found: list[str] = []
    if slash:
        found = [f"prefix part {e}" for e in (dns1123_subdomain(prefix, "bytes") if prefix else ["must be non-empty"])]
    if not name:
        found.append("name part must be non-empty")
    found += [f"name part {e}" for e in too_long(name, NAME_LENGTH, "bytes")]
    return found if _fits(KEY_FORMAT, name) else [*found, f"name part {wrong}"]


def annotation_key(value: str) -> list[str]:
    """As a label key, whatever its case."""
    return qualified_name(value.lower())


def label_value(value: str) -> list[str]:
    text = f"a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and {_EDGES}"
    return too_long(value, NAME_LENGTH, "bytes") + _pattern(value, text, VALUE_FORMAT, ("MyValue", "my_value", "12345"))


def c_identifier(value: str) -> list[str]:
    text = (
        "a valid C identifier must start with alphabetic character or '_', followed by a string of alphanumeric"
        " characters or '_'"
    )
    return _pattern(value, text, _C_IDENTIFIER_FORMAT, ("my_name", "MY_NAME", "MyName"))


def env_var_name(value: str) -> list[str]:
    """What kubectl demands; the server is laxer (`env_var_name_relaxed`)."""
    text = (
        "a valid environment variable name must consist of alphabetic characters, digits, '_', '-', or '.', and must"
        " not start with a digit"
    )
    found = _pattern(value, text, _ENV_FORMAT, ("my.env-name", "MY_ENV.NAME", "MyEnvName1"))
    return found + _not_upwards(value)


def env_var_name_relaxed(value: str) -> list[str]:
    """The server's rule since 1.34 (RelaxedEnvironmentVariableValidation)."""
    if not value:
        return ["environment variable name must be non-empty"]
    if all(" " <= char <= "~" and char != "=" for char in value):
        return []
    return ["a valid environment variable name must consist only of printable ASCII characters other than '='"]


def config_map_key(value: str) -> list[str]:
    text = "a valid config key must consist of alphanumeric characters, '-', '_' or '.'"
    found = _pattern(value, text, _CONFIG_KEY_FORMAT, ("key.name", "KEY_NAME", "key-name"))
    return too_long(value, SUBDOMAIN_LENGTH) + found + _not_upwards(value)


def port_number(value: int) -> list[str]:
    return in_range(value, 1, 65535)


def port_name(value: str) -> list[str]:
    found = too_long(value, PORT_NAME_LENGTH)
    if not _fits("[-a-z0-9]+", value):
        found.append("must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)")
    if not re.search("[a-z]", value):
        found.append("must contain at least one letter (a-z)")
    if "--" in value:
        found.append("must not contain consecutive hyphens")
    if value.startswith("-") or value.endswith("-"):
        found.append("must not begin or end with a hyphen")
    return found


def percent(value: str) -> list[str]:
    text = "a valid percent string must be a numeric string followed by an ending '%'"
    return _pattern(value, text, _PERCENT_FORMAT, ("1%", "93%"))


def path_segment(value: str) -> list[str]:
    """A name that only has to fit into a URL path (roles, bindings)."""
    if value in (".", ".."):
        return [f"may not be '{value}'"]
    return [f"may not contain '{part}'" for part in ("/", "%") if part in value]


def in_range(value: int, low: int, high: int) -> list[str]:
    return [] if low <= value <= high else [f"must be between {low} and {high}, inclusive"]


def too_long(value: str, length: int, unit: str = "characters") -> list[str]:
    """Bytes of UTF-8 are counted, as in Go; 1.35 says so for label keys and values only."""
    return [f"must be no more than {length} {unit}"] if len(value.encode()) > length else []


def generate_name_prefix(value: str) -> str:
    """What a generateName is checked as: its last dash will be followed by something."""
    return value[:-2] + "a" if len(value) > 1 and value.endswith("-") else value


def pattern_error(text: str, pattern: str, examples: Sequence[str]) -> str:
    shown = " or ".join(f"'{example}', " for example in examples)
    return f"{text} (e.g. {shown}regex used for validation is '{pattern}')"


def _fits(pattern: str, value: str) -> bool:
    return re.fullmatch(pattern, value, re.ASCII) is not None


def _pattern(value: str, text: str, pattern: str, examples: Sequence[str]) -> list[str]:
    return [] if _fits(pattern, value) else [pattern_error(text, pattern, examples)]


def _not_upwards(value: str) -> list[str]:
    if value in (".", ".."):
        return [f"must not be '{value}'"]
    return ["must not start with '..'"] if value.startswith("..") else []
