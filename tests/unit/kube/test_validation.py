from collections.abc import Callable

import pytest

from labsim.kube import validation as v

LABEL = (
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end"
    " with an"
    " alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is"
    " '[a-z0-9]([-a-z0-9]*[a-z0-9])?')"
)
SUBDOMAIN = (
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start"
    " and end"
    " with an alphanumeric character (e.g. 'example.com', regex used for validation is"
    r" '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
)
KEY = (
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character"
    " (e.g."
    " 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"
)
VALUE = (
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start"
    " and end"
    " with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is"
    " '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"
)
ENV = (
    "a valid environment variable name must consist of alphabetic characters, digits, '_', '-', or '.', and must not"
    " start"
    " with a digit (e.g. 'my.env-name',  or 'MY_ENV.NAME',  or 'MyEnvName1', regex used for validation is"
    " '[-._a-zA-Z][-._a-zA-Z0-9]*')"
)
CONFIG_KEY = (
    "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or"
    " 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')"
)
RELAXED = "a valid environment variable name must consist only of printable ASCII characters other than '='"
LONG = "a" * 64

CASES: list[tuple[Callable[[str], list[str]], str, list[str]]] = [
    (v.dns1123_label, "my-name", []),
    (v.dns1123_label, "0", []),
    (v.dns1123_label, "a.b", ["must not contain dots"]),
    (v.dns1123_label, "Web", [LABEL]),
    (v.dns1123_label, "web\n", [LABEL]),
    (v.dns1123_label, "", [LABEL]),
    (v.dns1123_label, LONG, ["must be no more than 63 characters"]),
    (v.dns1123_label, LONG + "-", ["must be no more than 63 characters", LABEL]),
    (v.dns1123_subdomain, "a.b-c.d", []),
    (v.dns1123_subdomain, "a..b", [SUBDOMAIN]),
    (v.dns1123_subdomain, "gpu_node", [SUBDOMAIN]),
    (v.dns1123_subdomain, "a" * 254, ["must be no more than 253 characters"]),
    (v.dns1035_label, "1a", [
        "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic"
        " character,"
        " and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is"
        " '[a-z]([-a-z0-9]*[a-z0-9])?')"]),
    (v.wildcard_subdomain, "*.example.com", []),
    (v.wildcard_subdomain, "*.*.com", [
        "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist"
        " of lower"
        " case alphanumeric characters, '-' or '.' and end with an alphanumeric character (e.g. '*.example.com',"
        " regex used"
        r" for validation is '\*\.[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"]),
    (v.qualified_name, "nvidia.com/mig.config", []),
    (v.qualified_name, "a_", ["name part " + KEY]),
    (v.qualified_name, "/a", ["prefix part must be non-empty"]),
    (v.qualified_name, "", ["name part must be non-empty", "name part " + KEY]),
    (v.qualified_name, "A.b/", ["prefix part " + SUBDOMAIN, "name part must be non-empty", "name part " + KEY]),
    (v.qualified_name, "a/b/c", [
        f"a valid label key {KEY} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"]),
    (v.qualified_name, LONG, ["name part must be no more than 63 bytes"]),
    (v.qualified_name, "a" * 254 + "/a", ["prefix part must be no more than 253 bytes"]),
    (v.annotation_key, "Example.COM/a", []),
    (v.label_value, "", []),
    (v.label_value, "all-1g.10gb", []),
    (v.label_value, "-x", [VALUE]),
    (v.label_value, LONG, ["must be no more than 63 bytes"]),
    (v.env_var_name, "MY.VAR-1", []),
    (v.env_var_name, "1A", [ENV]),
    (v.env_var_name, "..", ["must not be '..'"]),
    (v.env_var_name, "..a", ["must not start with '..'"]),
    (v.env_var_name_relaxed, "1 A:", []),
    (v.env_var_name_relaxed, "a=b", [RELAXED]),
    (v.env_var_name_relaxed, "é", [RELAXED]),
    (v.env_var_name_relaxed, "", ["environment variable name must be non-empty"]),
    (v.config_map_key, "config.yaml", []),
    (v.config_map_key, "a b", [CONFIG_KEY]),
    (v.config_map_key, ".", ["must not be '.'"]),
    (v.port_name, "http-80", []),
    (v.port_name, "80", ["must contain at least one letter (a-z)"]),
    (v.port_name, "-a--B", [
        "must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)", "must not contain consecutive"
        " hyphens",
        "must not begin or end with a hyphen"]),
    (v.port_name, "a" * 16, ["must be no more than 15 characters"]),
    (v.percent, "25%", []),
    (v.percent, "25", [
        "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used"
        " for"
        " validation is '[0-9]+%')"]),
    (v.path_segment, "system:node", []),
    (v.path_segment, "..", ["may not be '..'"]),
    (v.path_segment, "a/b%", ["may not contain '/'", "may not contain '%'"]),
    (v.c_identifier, "my_name", []),
    (v.c_identifier, "1a", [
        "a valid C identifier must start with alphabetic character or '_', followed by a string of alphanumeric"
        " characters"
        " or '_' (e.g. 'my_name',  or 'MY_NAME',  or 'MyName', regex used for validation is"
        " '[A-Za-z_][A-Za-z0-9_]*')"]),
]  # fmt: skip


@pytest.mark.parametrize(("check", "value", "complaints"), CASES)
def test_complaints(check: Callable[[str], list[str]], value: str, complaints: list[str]) -> None:
    assert check(value) == complaints


def test_numbers() -> None:
    assert v.port_number(1) == v.port_number(65535) == []
    assert v.port_number(0) == v.port_number(65536) == ["must be between 1 and 65535, inclusive"]


def test_generate_name() -> None:
    assert [v.generate_name_prefix(name) for name in ("job-", "-", "job")] == ["joa", "-", "job"]
