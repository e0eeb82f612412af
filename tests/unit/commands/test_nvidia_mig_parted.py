from __future__ import annotations

import pytest

from labsim.commands.nvidia_mig_parted import Refused, Result, run
from labsim.hardware import mig
from labsim.hardware.machine import Machine, gpus, new_machine
from labsim.operators.gpu.migparted import layouts

NOW = 1785351170000  # 2026-07-29T18:52:50Z
FILES = {"/cfg": layouts.generated_text()}


def call(machine: Machine, line: str, users: object = None, env: dict[str, str] | None = None) -> Result:
    return run(machine, line.split(), FILES.get, users or {}, NOW, env)  # type: ignore[arg-type]


def test_apply_assert_export() -> None:
    machine = new_machine("n", 1)
    assert call(machine, "assert -f /cfg -c all-1g.10gb").code == 1
    assert call(machine, "assert -f /cfg -c all-1g.10gb").stderr == (
        'time="2026-07-29T18:52:50Z" level=fatal '
        'msg="Assertion failure: selected configuration not currently applied"\n'
    )
    done = call(machine, "apply --config-file=/cfg --selected-config all-1g.10gb")
    assert (done.stdout, done.stderr, done.code) == ("MIG configuration applied successfully\n", "", 0)
    assert done.machine is not None and 20_000 < done.ms < 60_000
    checked = call(done.machine, "assert -c all-1g.10gb", env={"MIG_PARTED_CONFIG_FILE": "/cfg"})
    assert (checked.stdout, checked.code) == ("Selected MIG configuration currently applied\n", 0)
    assert call(done.machine, "export -l mine").stdout.startswith(
        "version: v1\nmig-configs:\n  mine:\n  - devices: all\n    mig-enabled: true\n"
    )
    assert call(machine, "-d assert -a -f /cfg -c all-1g.10gb").stderr == (
        'time="2026-07-29T18:52:50Z" level=debug msg="Parsing config file..."\n'
        'time="2026-07-29T18:52:50Z" level=debug msg="Selecting specific MIG config..."\n'
    )


def test_a_failed_apply_keeps_what_it_did() -> None:
    machine = call(new_machine("n", 1), "apply -f /cfg -c all-7g.80gb").machine
    assert machine is not None
    holder = {4: [{"pid": 1, "uuid": mig.mig_devices(gpus(machine)[4])[0].uuid}]}
    failed = call(machine, "apply -f /cfg -c all-1g.10gb", holder)
    assert failed.code == 1 and failed.stdout == ""
    assert failed.stderr.splitlines()[-1].endswith('error attempting multiple config orderings: all orderings failed"')
    assert failed.machine is not None
    assert [len(gpu["instances"]) for gpu in gpus(failed.machine)] == [7, 7, 7, 7, 1, 1, 1, 1]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("apply -c x", "Missing required flags 'config-file'"),
        ("apply -f /cfg", "Error selecting MIG config: missing required flag 'selected-config' when more than one"),
        ("apply -f /none -c x", "Error parsing config file: read error: open /none: no such file or directory"),
        ("apply --frob", "Flag provided but not defined: -frob"),
        ("export -o xml", "Unrecognized 'output-format': xml"),
    ],
)
def test_wrong_calls(line: str, message: str) -> None:
    result = call(new_machine("n", 1), line)
    assert result.code == 1 and f'level=fatal msg="{message}' in result.stderr


@pytest.mark.parametrize("line", ["checkpoint", "apply -f /cfg -c x -k /hooks.yaml"])
def test_refused(line: str) -> None:
    with pytest.raises(Refused):
        call(new_machine("n", 1), line)
