from __future__ import annotations

import pytest

from labsim.operators.gpu.migparted import config, layouts

HEAD = "version: v1\nmig-configs:\n  x:\n"
GOOD_ITEM = "  - devices: all\n    mig-enabled: true\n    mig-devices: {1g.10gb: 7}\n"

BAD = [
    ("mig-configs: {}", "unable to parse with missing 'version' field"),
    ("", "unknown version: "),
    ("version: v2", "unknown version: v2"),
    ("version: 1", "json: cannot unmarshal number into Go value of type string"),
    ("version: v1\nfoo: 1", "unexpected field: foo"),
    ("version: v1\nmig-configs: {}", "at least one entry in 'mig-configs' is required"),
    ("version: v1\nmig-configs: {x: []}", "at least one entry in 'x' is required"),
    (HEAD + "  - mig-enabled: false", "missing required field: devices"),
    (HEAD + "  - devices: all", "missing required field: mig-enabled"),
    (HEAD + "  - {devices: some, mig-enabled: false}", "invalid string input for 'devices': some"),
    (
        HEAD + "  - {devices: 3, mig-enabled: false}",
        "(json: cannot unmarshal number into Go value of type string, "
        "json: cannot unmarshal number into Go value of type []int)",
    ),
    (HEAD + "  - {devices: all, mig-enabled: 'yes'}", "json: cannot unmarshal string into Go value of type bool"),
    (HEAD + "  - {devices: all, mig-enabled: true}", "missing required field 'mig-devices' when 'mig-enabled' is true"),
    (
        HEAD + "  - {devices: all, mig-enabled: false, mig-devices: {1g.10gb: 1}}",
        "MIG devices included when 'mig-enabled' is false",
    ),
    (HEAD + "  - {devices: all, mig-enabled: true, mig-devices: {1g.10gb: 0}}",
     "error validating values in 'mig-devices' field: all counts for all MigProfiles are 0"),
    (HEAD + "  - {devices: all, mig-enabled: true, mig-devices: {1g.10gb: -1}}",
     "error validating values in 'mig-devices' field: invalid count for '-1': <nil>"),
    (HEAD + "  - {devices: all, mig-enabled: true, mig-devices: {1g.10: 1}}",
     "error validating values in 'mig-devices' field: invalid format for '1g.10': cannot parse fields of '1g.10': "
     "missing 'gb' from '%dgb'"),
    (HEAD + "  - {devices: all, mig-enabled: true, mig-devices: {small: 1}}",
     "error validating values in 'mig-devices' field: invalid format for 'small': cannot parse fields of 'small': "
     "parsed wrong number of fields, expected 2 or 3"),
    (HEAD + "  - {devices: all, mig-enabled: true, mig-devices: {1g.10gb+: 1}}",
     "error validating values in 'mig-devices' field: invalid format for '1g.10gb+': cannot parse attributes of "
     "'1g.10gb+': empty attribute in list"),
    (HEAD + "  - {devices: all, mig-enabled: true, mig-devices: {1g.10gb: x}}",
     "json: cannot unmarshal string into Go value of type int"),
    (HEAD + "  - {devices: all, mig-enabled: false, extra: 1}", "unexpected field: extra"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "message"), BAD)
def test_bad_files(text: str, message: str) -> None:
    with pytest.raises(config.ConfigError) as caught:
        config.parse(text)
    assert str(caught.value) == "unmarshal error: " + message


def test_broken_yaml_names_the_line() -> None:
    with pytest.raises(config.ConfigError, match=r"^unmarshal error: error converting YAML to JSON: yaml: line 3: "):
        config.parse("version: v1\nmig-configs:\n\t- x")


def test_selection() -> None:
    one = config.parse(HEAD + GOOD_ITEM)
    assert config.select(one, "") == one["x"] == config.select(one, "x")
    assert one["x"][0].mig_devices == {"1g.10gb": 7}
    two = config.parse(HEAD + GOOD_ITEM + "  y:\n" + GOOD_ITEM)
    with pytest.raises(config.ConfigError, match=r"^missing required flag 'selected-config' when more than one config"):
        config.select(two, "")
    with pytest.raises(config.ConfigError, match=r"^selected mig-config not present: all-1g\.10gbb$"):
        config.select(two, "all-1g.10gbb")


def test_device_filters() -> None:
    def item(text: str) -> config.Item:
        return config.parse(HEAD + f"  - {{device-filter: {text}, devices: [1, 2], mig-enabled: false}}")["x"][0]

    assert item('"0x233010DE"').matches(1)
    assert item('["0x20B210DE", "0x233010de"]').matches(2)
    assert item('"0x233010DE:0x16C110DE"').matches(2)
    assert not item('"0x233010DE:0x16C010DE"').matches(2)
    assert not item('"0x20B210DE"').matches(1)
    assert not item('"0x233010DE"').matches(0)


@pytest.mark.parametrize("text", [layouts.generated_text(), layouts.stock_text()])
def test_both_stock_files_hold_the_ten_layouts(text: str) -> None:
    spec = config.parse(text)
    assert {name: (layout[0].enabled, dict(layout[0].mig_devices)) for name, layout in spec.items()} == {
        "all-disabled": (False, {}),
        "all-enabled": (True, {}),
        "all-1g.10gb": (True, {"1g.10gb": 7}),
        "all-1g.10gb.me": (True, {"1g.10gb+me": 1}),
        "all-1g.20gb": (True, {"1g.20gb": 4}),
        "all-2g.20gb": (True, {"2g.20gb": 3}),
        "all-3g.40gb": (True, {"3g.40gb": 2}),
        "all-4g.40gb": (True, {"4g.40gb": 1}),
        "all-7g.80gb": (True, {"7g.80gb": 1}),
        "all-balanced": (True, {"1g.10gb": 2, "2g.20gb": 1, "3g.40gb": 1}),
    }


def test_marshalled_form() -> None:
    text = layouts.to_yaml(
        {"b": (config.Item((0, 1), True, {"3g.40gb": 2}, ("0x1",)),), "a": (config.Item("all", False),)}
    )
    assert text == (
        "version: v1\nmig-configs:\n"
        "  a:\n  - devices: all\n    mig-enabled: false\n    mig-devices: {}\n"
        '  b:\n  - device-filter: ["0x1"]\n    devices: [0, 1]\n    mig-enabled: true\n'
        "    mig-devices:\n      3g.40gb: 2\n"
    )
