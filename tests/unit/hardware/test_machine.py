from __future__ import annotations

from labsim.hardware import dgx, mig
from labsim.hardware.machine import (
    cuda_version,
    gpus,
    new_machine,
    rebooted,
    with_driver,
    with_gpu,
    with_xid,
)


def test_a_new_machine() -> None:
    machine = new_machine("gpu-node2", 7)
    assert machine["spec"]["product"] == "DGXH100"
    assert [gpu["busId"][9:11] for gpu in gpus(machine)] == ["1B", "43", "52", "61", "9D", "C3", "D1", "DF"]
    assert machine == new_machine("gpu-node2", 7)
    other = new_machine("gpu-node3", 7)
    assert not {g["uuid"] for g in gpus(machine)} & {g["uuid"] for g in gpus(other)}
    assert len({g["serial"] for m in (machine, other) for g in gpus(m)}) == 16
    assert cuda_version(machine) == "13.0"
    host = new_machine("kadmin", 7, product="R650")
    assert gpus(host) == [] and host["status"]["driver"]["loaded"] is False


def test_changes_copy() -> None:
    machine = new_machine("gpu-node2", 7)
    text = repr(machine)
    on = with_gpu(machine, mig.set_mode(gpus(machine)[3], True, busy=False))
    assert [mig.enabled(g) for g in gpus(on)] == [False] * 3 + [True] + [False] * 4
    lost = with_xid(on, 3, 79, 1000, lost=True)
    assert gpus(lost)[3]["lost"] and gpus(lost)[3]["xids"] == [{"code": 79, "time": 1000}]
    back = rebooted(lost, "boot-2", 5000)
    assert back["spec"]["bootID"] == "boot-2"
    assert not gpus(back)[3]["lost"] and not mig.enabled(gpus(back)[3]) and gpus(back)[3]["xids"] == []
    assert back["status"]["driver"]["loaded"] is False and back["status"]["bootedAt"] == 5000
    unloaded = with_driver(on, False)
    assert not any(mig.enabled(g) for g in gpus(unloaded))
    assert with_driver(unloaded, True, "595.91.07")["status"]["driver"] == {"loaded": True, "version": "595.91.07"}
    assert repr(machine) == text


def test_topology() -> None:
    assert [next(n for n in range(12) if dgx.gpu_nic_link(g, n) == "PXB") for g in range(8)] == list(dgx.GPU_NIC)
    assert dgx.gpu_nic_link(0, 5) == "NODE" and dgx.gpu_nic_link(0, 6) == "SYS" and dgx.gpu_nic_link(7, 5) == "SYS"
    assert dgx.nic_nic_link(2, 1) == "PIX" and dgx.nic_nic_link(0, 1) == "NODE" and dgx.nic_nic_link(0, 11) == "SYS"
    assert dgx.cpu_affinity(3) == "0-55,112-167" and dgx.cpu_affinity(4) == "56-111,168-223"
