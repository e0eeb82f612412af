"""nvidia-smi on a simulated node. Tables are compared whole with the layout of driver 580 captures (gpu.md 6)."""

from __future__ import annotations

from typing import Any

import pytest

from labsim.commands.nvidia_smi import call, program, summary
from labsim.commands.nvidia_smi.options import Refused
from labsim.commands.nvidia_smi.view import View
from labsim.hardware import h100, mig
from labsim.hardware.machine import Machine, gpus, new_machine, with_driver, with_gpu, with_xid

NOW = 1785351170000  # Wed Jul 29 18:52:50 2026
UUID = "GPU-0d0831da-0c98-2717-6446-8acd91d39b65"


def one_gpu() -> Machine:
    """One GPU at the bus id of the captures."""
    machine = new_machine("host", 1, driver_version="580.173.02")
    gpu = {**gpus(machine)[0], "uuid": UUID, "busId": "00000000:00:09.0"}
    return {**machine, "status": {**machine["status"], "gpus": [gpu]}}


def layout(machine: Machine, index: int, *profiles: tuple[int, int | None, int | None]) -> Machine:
    """GPU `index` with MIG on and these (GI profile id, placement, CI profile id)."""
    gpu = mig.set_mode(gpus(machine)[index], True, busy=False)
    for profile, start, ci in profiles:
        gpu, made = mig.create_gi(gpu, h100.BY_ID[profile], start)
        gpu, _ = mig.create_ci(gpu, made["giId"], h100.CI_BY_ID[ci] if ci is not None else None)
    return with_gpu(machine, gpu)


def captured_mix() -> Machine:
    return layout(one_gpu(), 0, (19, None, None), (9, 0, 0), (20, None, None))


def process(pid: int, name: str, uuid: str, used: int) -> dict[str, Any]:
    return {"pid": pid, "name": name, "uuid": uuid, "usedMiB": used}


def view(machine: Machine, *processes: dict[str, Any], **more: Any) -> View:
    return View(machine, processes=processes, now=NOW, **more)


def smi(seen: View, line: str) -> tuple[str, int]:
    result = program.run(seen, line.split())
    return result.text, result.code


MIX = """\
Wed Jul 29 18:52:50 2026       
+-----------------------------------------------------------------------------------------+
| NVIDIA-SMI 580.173.02             Driver Version: 580.173.02     CUDA Version: 13.0     |
+-----------------------------------------+------------------------+----------------------+
| GPU  Name                 Persistence-M | Bus-Id          Disp.A | Volatile Uncorr. ECC |
| Fan  Temp   Perf          Pwr:Usage/Cap |           Memory-Usage | GPU-Util  Compute M. |
|                                         |                        |               MIG M. |
|=========================================+========================+======================|
|   0  NVIDIA H100 80GB HBM3          On  |   00000000:00:09.0 Off |                   On |
| N/A   62C    P0            237W /  700W |   12657MiB /  81559MiB |     N/A      Default |
|                                         |                        |              Enabled |
+-----------------------------------------+------------------------+----------------------+

+-----------------------------------------------------------------------------------------+
| MIG devices:                                                                            |
+------------------+----------------------------------+-----------+-----------------------+
| GPU  GI  CI  MIG |              Shared Memory-Usage |        Vol|        Shared         |
|      ID  ID  Dev |                Shared BAR1-Usage | SM     Unc| CE ENC  DEC  OFA  JPG |
|                  |                                  |        ECC|                       |
|==================+==================================+===========+=======================|
|  0    1   0   0  |           12627MiB / 40448MiB    | 16      0 |  3   0    3    0    3 |
|                  |               0MiB / 24740MiB    |           |                       |
+------------------+----------------------------------+-----------+-----------------------+
|  0   11   0   1  |              15MiB /  9984MiB    | 16      0 |  1   0    1    1    1 |
|                  |               0MiB /  6185MiB    |           |                       |
+------------------+----------------------------------+-----------+-----------------------+
|  0   13   0   2  |              15MiB /  9984MiB    | 16      0 |  1   0    1    0    1 |
|                  |               0MiB /  6185MiB    |           |                       |
+------------------+----------------------------------+-----------+-----------------------+

+-----------------------------------------------------------------------------------------+
| Processes:                                                                              |
|  GPU   GI   CI              PID   Type   Process name                        GPU Memory |
|        ID   ID                                                               Usage      |
|=========================================================================================|
|    0    1    0            23804      C   /tmp/loadgen                           4188MiB |
|    0    1    0            23806      C   /tmp/loadgen                           4188MiB |
|    0    1    0            23808      C   /tmp/ghost                             4188MiB |
+-----------------------------------------------------------------------------------------+
"""  # noqa: W291 - the time stamp has blanks behind it


def test_summary_of_a_busy_mixed_gpu() -> None:
    machine = captured_mix()
    uuid = mig.mig_devices(gpus(machine)[0])[0].uuid
    names = ((23804, "/tmp/loadgen"), (23808, "/tmp/ghost"), (23806, "/tmp/loadgen"))
    seen = view(machine, *(process(pid, name, uuid, 4188) for pid, name in names))
    assert smi(seen, "") == (MIX, 0)
    assert smi(seen, "-i 00000000:00:09.0") == (MIX, 0)


def test_summary_without_mig() -> None:
    lines = summary.render_default(view(one_gpu(), process(4559, "/tmp/loadgen", UUID, 4618))).splitlines()
    assert lines[8:11] == [
        "|   0  NVIDIA H100 80GB HBM3          On  |   00000000:00:09.0 Off |                    0 |",
        "| N/A   66C    P0            355W /  700W |    4627MiB /  81559MiB |    100%      Default |",
        "|                                         |                        |             Disabled |",
    ]
    assert lines[-2] == "|    0   N/A  N/A            4559      C   /tmp/loadgen                           4618MiB |"
    idle = summary.render_default(view(new_machine("n", 1)))
    assert "|  No running processes found                                                             |" in idle
    assert "MIG devices" not in idle
    assert {len(line) for line in idle.splitlines()[1:] if line} == {91}
    empty = summary.render_default(view(layout(one_gpu(), 0)))
    assert "|  No MIG devices found                                                                   |" in empty
    pending = with_gpu(one_gpu(), mig.set_mode(gpus(one_gpu())[0], True, busy=True))
    assert f"| {'Enabled*':>20} |" in summary.render_default(view(pending))


def test_list() -> None:
    machine = captured_mix()
    ids = [device.uuid for device in mig.mig_devices(gpus(machine)[0])]
    assert smi(view(machine), "-L") == (
        f"GPU 0: NVIDIA H100 80GB HBM3 (UUID: {UUID})\n"
        f"  MIG 1c.3g.40gb  Device  0: (UUID: {ids[0]})\n"
        f"  MIG 1g.10gb     Device  1: (UUID: {ids[1]})\n"
        f"  MIG 1g.10gb     Device  2: (UUID: {ids[2]})\n",
        0,
    )


def test_what_a_container_sees() -> None:
    machine = layout(new_machine("n", 1), 2, (19, None, None), (19, None, None))
    device = mig.mig_devices(gpus(machine)[2])[1]
    pod = view(machine, visible=frozenset({device.uuid}), admin=False)
    assert smi(pod, "-L") == (
        f"GPU 0: NVIDIA H100 80GB HBM3 (UUID: {gpus(machine)[2]['uuid']})\n"
        f"  MIG 1g.10gb     Device  0: (UUID: {device.uuid})\n",
        0,
    )
    assert smi(view(machine, visible=frozenset()), "") == ("No devices were found\n", 6)
    assert smi(pod, "mig -lci") == ("Failed to display compute instances: Insufficient Permissions\n", 4)
    assert smi(pod, "-mig 0")[1] == 4
    two = frozenset({gpus(machine)[4]["uuid"], gpus(machine)[7]["uuid"]})
    text, _ = smi(view(machine, visible=two), "--query-gpu=index,pci.bus_id --format=csv,noheader")
    assert text == "0, 00000000:9D:00.0\n1, 00000000:DF:00.0\n"


LGIP_HEAD = """\
+-------------------------------------------------------------------------------+
| GPU instance profiles:                                                        |
| GPU   Name               ID    Instances   Memory     P2P    SM    DEC   ENC  |
|                                Free/Total   GiB              CE    JPEG  OFA  |
|===============================================================================|
|   0  MIG 1g.10gb         19     1/7        9.75       No     16     1     0   |
|                                                               1     1     0   |
+-------------------------------------------------------------------------------+
|   0  MIG 1g.10gb+me      20     0/1        9.75       No     16     1     0   |
|                                                               1     1     1   |
+-------------------------------------------------------------------------------+
"""
LGIP_LAST = """\
|   0  MIG 7g.80gb          0     0/1        79.25      No     132    7     0   |
|                                                               8     7     1   |
+-------------------------------------------------------------------------------+
"""
LGI = """\
+---------------------------------------------------------+
| GPU instances:                                          |
| GPU   Name               Profile  Instance   Placement  |
|                            ID       ID       Start:Size |
|=========================================================|
|   0  MIG 1g.10gb           19       13          6:1     |
+---------------------------------------------------------+
|   0  MIG 3g.40gb            9        1          0:4     |
+---------------------------------------------------------+
|   0  MIG 1g.10gb+me        20       11          4:1     |
+---------------------------------------------------------+
"""
LCI = """\
+--------------------------------------------------------------------+
| Compute instances:                                                 |
| GPU     GPU       Name             Profile   Instance   Placement  |
|       Instance                       ID        ID       Start:Size |
|         ID                                                         |
|====================================================================|
|   0     13       MIG 1g.10gb          0         0          0:1     |
+--------------------------------------------------------------------+
|   0      1       MIG 1c.3g.40gb       0         0          2:1     |
+--------------------------------------------------------------------+
|   0     11       MIG 1g.10gb          0         0          0:1     |
+--------------------------------------------------------------------+
"""
LCIP_OF_GI_1 = """\
+--------------------------------------------------------------------------------------+
| Compute instance profiles:                                                           |
| GPU     GPU       Name             Profile  Instances   Exclusive       Shared       |
|       Instance                       ID     Free/Total     SM       DEC   ENC   OFA  |
|         ID                                                          CE    JPEG       |
|======================================================================================|
|   0      1       MIG 1c.3g.40gb       0      2/3           16        3     0     0   |
|                                                                      3     3         |
+--------------------------------------------------------------------------------------+
|   0      1       MIG 2c.3g.40gb       1      1/1           32        3     0     0   |
|                                                                      3     3         |
+--------------------------------------------------------------------------------------+
|   0      1       MIG 3g.40gb          2*     0/1           60        3     0     0   |
|                                                                      3     3         |
+--------------------------------------------------------------------------------------+
"""


def test_mig_listings() -> None:
    seen = view(captured_mix())
    profiles, code = smi(seen, "mig -lgip")
    assert profiles.startswith(LGIP_HEAD) and profiles.endswith(LGIP_LAST) and code == 0
    assert smi(seen, "mig -lgi") == (LGI, 0)
    assert smi(seen, "mig -lci") == (LCI, 0)
    assert smi(seen, "mig -lcip -gi 1") == (LCIP_OF_GI_1, 0)
    assert smi(seen, "mig -lgipp")[0].splitlines() == [
        "GPU  0 Profile ID 19 Placements: {0,1,2,3,4,5,6}:1",
        "GPU  0 Profile ID 20 Placements: {0,1,2,3,4,5,6}:1",
        "GPU  0 Profile ID 15 Placements: {0,2,4,6}:2",
        "GPU  0 Profile ID 14 Placements: {0,2,4}:2",
        "GPU  0 Profile ID  9 Placements: {0,4}:4",
        "GPU  0 Profile ID  5 Placement : {0}:4",
        "GPU  0 Profile ID  0 Placement : {0}:8",
    ]
    off = view(new_machine("n", 1))
    assert len(smi(off, "mig -lgip")[0].splitlines()) == 5 + 8 * 7 * 3
    for action in ("-lgi", "-lci", "-lcip", "-cgi 19", "-dgi", "-dci", "-cci"):
        assert smi(off, f"mig {action}") == ("No MIG-enabled devices found.\n", 6)
    bare = view(layout(one_gpu(), 0))
    assert smi(bare, "mig -lgi") == ("No GPU instances found: Not Found\n", 6)
    assert smi(bare, "mig -lci") == ("No compute instances found: Not Found\n", 6)


class Shell:
    """Calls one after the other on the same machine."""

    def __init__(self, machine: Machine) -> None:
        self.view = view(machine)

    def __call__(self, line: str) -> tuple[list[str], int]:
        result = program.run(self.view, line.split())
        if result.machine is not None:
            self.view = self.view.with_machine(result.machine)
        return result.text.splitlines(), result.code


def test_creating_and_destroying() -> None:
    sh = Shell(one_gpu())
    assert sh("-i 0 -mig 1") == (["Enabled MIG Mode for GPU 00000000:00:09.0", "All done."], 0)
    assert sh("mig -cgi 19 -C") == (
        [
            "Successfully created GPU instance ID 13 on GPU  0 using profile MIG 1g.10gb (ID 19)",
            "Successfully created compute instance ID  0 on GPU  0 GPU instance ID 13 "
            "using profile MIG 1g.10gb (ID  0)",
        ],
        0,
    )
    assert sh("mig -dgi") == (
        [
            "Unable to destroy GPU instance ID 13 from GPU  0: In use by another client",
            "Failed to destroy GPU instances: In use by another client",
        ],
        19,
    )
    assert sh("mig -dci") == (["Successfully destroyed compute instance ID  0 from GPU  0 GPU instance ID 13"], 0)
    assert sh("mig -dgi -gi 13") == (["Successfully destroyed GPU instance ID 13 from GPU  0"], 0)
    assert sh("mig -dgi") == (["No GPU instances found: Not Found"], 6)
    assert sh("mig -cgi 19,1g.10gb,14,9") == (
        [
            "Successfully created GPU instance ID 13 on GPU  0 using profile MIG 1g.10gb (ID 19)",
            "Successfully created GPU instance ID 11 on GPU  0 using profile MIG 1g.10gb (ID 19)",
            "Successfully created GPU instance ID  3 on GPU  0 using profile MIG 2g.20gb (ID 14)",
            "Unable to create a GPU instance on GPU  0 using profile 9: Insufficient Resources",
            "Failed to create GPU instances: Insufficient Resources",
        ],
        23,
    )
    assert len(gpus(sh.view.machine)[0]["instances"]) == 3
    assert sh("mig -cci 0 -gi 3") == (
        [
            "Successfully created compute instance ID  0 on GPU  0 GPU instance ID  3 "
            "using profile MIG 1c.2g.20gb (ID  0)"
        ],
        0,
    )
    assert sh("mig -cgi 5g.40gb")[0][-1] == "Failed to create GPU instances: Invalid Argument"
    assert sh("mig -cgi 19:5 -i 0") == (
        ["Successfully created GPU instance ID 12 on GPU  0 using profile MIG 1g.10gb (ID 19)"],
        0,
    )
    assert sh("-mig 0") == (["Disabled MIG Mode for GPU 00000000:00:09.0", "All done."], 0)
    assert gpus(sh.view.machine)[0]["instances"] == []


def test_what_is_in_use() -> None:
    machine = layout(one_gpu(), 0, (19, None, None), (19, None, None))
    device = mig.mig_devices(gpus(machine)[0])[0]
    sh = Shell(machine)
    sh.view = view(machine, process(77, "python", device.uuid, 512))
    assert sh("mig -dci") == (
        [
            "Unable to destroy compute instance ID  0 from GPU  0 GPU instance ID 11: In use by another client",
            "Failed to destroy compute instances: In use by another client",
        ],
        19,
    )
    assert sh("mig -dci -gi 13")[1] == 0
    lines, code = sh("-mig 0")
    assert lines[0] == (
        "Warning: MIG mode is in pending disable state for GPU 00000000:00:09.0:In use by another client"
    )
    assert lines[1].startswith("00000000:00:09.0 is currently being used by one or more other processes (e.g. CUDA")
    assert (lines[-1], code) == ("All done.", 0)
    assert gpus(sh.view.machine)[0]["mig"] == {"current": "Enabled", "pending": "Disabled"}
    lines, code = sh("-i 0 --gpu-reset")
    assert lines[:2] == ["The following GPUs could not be reset:", "  GPU 00000000:00:09.0: In use by another client"]
    assert code == 255
    sh.view = view(sh.view.machine)
    assert sh("-i 0 -r") == (["GPU 00000000:00:09.0 was successfully reset.", "All done."], 0)
    assert gpus(sh.view.machine)[0]["mig"] == {"current": "Disabled", "pending": "Disabled"}


def test_persistence() -> None:
    sh = Shell(one_gpu())
    assert sh("-pm 1") == (["Persistence mode is already Enabled for GPU 00000000:00:09.0.", "All done."], 0)
    assert sh("-pm 0") == (["Disabled persistence mode for GPU 00000000:00:09.0.", "All done."], 0)
    assert "|   0  NVIDIA H100 80GB HBM3         Off  |" in "\n".join(sh("")[0])


def test_queries() -> None:
    machine = captured_mix()
    uuid = mig.mig_devices(gpus(machine)[0])[0].uuid
    seen = view(machine, process(23804, "/tmp/loadgen", uuid, 4188))
    assert smi(seen, "--query-gpu=pci.bus_id,mig.mode.current --format=csv") == (
        "pci.bus_id, mig.mode.current\n00000000:00:09.0, Enabled\n",
        0,
    )
    assert smi(seen, "--query-gpu=gpu_name,memory.total,memory.used,utilization.gpu,power.draw --format=csv") == (
        "name, memory.total [MiB], memory.used [MiB], utilization.gpu [%], power.draw [W]\n"
        "NVIDIA H100 80GB HBM3, 81559 MiB, 4269 MiB, [N/A], 171.29 W\n",
        0,
    )
    assert smi(seen, "--query-gpu=memory.total --format=csv,noheader,nounits") == ("81559\n", 0)
    assert smi(seen, "--query-compute-apps=gpu_uuid,pid,process_name,used_memory --format=csv,noheader,nounits") == (
        f"{UUID}, 23804, /tmp/loadgen, 4188\n",
        0,
    )
    assert smi(seen, "--query-gpu=cuda_version --format=csv") == (
        'Field "cuda_version" is not a valid field to query.\n',
        2,
    )
    assert smi(seen, "--query-gpu=name")[0].startswith('"--format=" switch is missing.')


def test_full_query() -> None:
    machine = layout(new_machine("n", 1), 0, (9, None, None))
    text, code = smi(view(machine), "-q")
    assert code == 0
    assert text.startswith(
        "\n==============NVSMI LOG==============\n\n"
        "Timestamp                                              : Wed Jul 29 18:52:50 2026\n"
        "Driver Version                                         : 580.126.20\n"
        "CUDA Version                                           : 13.0\n\n"
        "Attached GPUs                                          : 8\n"
        "GPU 00000000:1B:00.0\n"
        "    Product Name                                       : NVIDIA H100 80GB HBM3\n"
    )
    assert (
        "    MIG Mode\n"
        "        Current                                        : Enabled\n"
        "        Pending                                        : Enabled\n"
        "    MIG Device\n"
        "        Index                                          : 0\n"
        "        GPU Instance ID                                : 2\n"
        "        Compute Instance ID                            : 0\n"
        "        Device Attributes\n"
        "            Shared\n"
        "                Multiprocessor count                   : 60\n"
    ) in text
    blocks = text.split("\nGPU 0000")
    assert len(blocks) == 9
    assert [len(block.splitlines()) for block in blocks[2:]] == [245] * 6 + [246]
    assert text.endswith("    Capabilities\n        EGM                                            : disabled\n\n")
    memory, _ = smi(view(one_gpu()), "-q -d MEMORY -i 0")
    assert memory.endswith(
        "GPU 00000000:00:09.0\n"
        "    FB Memory Usage\n"
        "        Total                                          : 81559 MiB\n"
        "        Reserved                                       : 480 MiB\n"
        "        Used                                           : 0 MiB\n"
        "        Free                                           : 81080 MiB\n"
        "    BAR1 Memory Usage\n"
        "        Total                                          : 131072 MiB\n"
        "        Used                                           : 1 MiB\n"
        "        Free                                           : 131071 MiB\n"
        "    Conf Compute Protected Memory Usage\n"
        "        Total                                          : 0 MiB\n"
        "        Used                                           : 0 MiB\n"
        "        Free                                           : 0 MiB\n"
        "\n"
    )
    pids, _ = smi(view(one_gpu(), process(5, "python", UUID, 9)), "-q -d PIDS")
    assert "        Process ID                        : 5\n            Type                          : C\n" in pids
    assert smi(view(one_gpu()), "-q -d MIG")[1] == 2


def test_topology_and_links() -> None:
    text, code = smi(view(new_machine("n", 1)), "topo -m")
    rows = text.splitlines()
    assert code == 0
    head = "\t" + "\t".join([f"GPU{i}" for i in range(8)] + [f"NIC{i}" for i in range(12)])
    assert rows[0] == head + "\tCPU Affinity\tNUMA Affinity\tGPU NUMA ID"
    nodes, far = "\t".join(["NODE"] * 5), "\t".join(["SYS"] * 6)
    assert rows[1] == "GPU0\t X \t" + "\t".join(["NV18"] * 7) + f"\tPXB\t{nodes}\t{far}\t0-55,112-167\t0\t\tN/A"
    # The row of the storage adapter, captured.
    assert rows[11] == (
        "NIC2\t"
        + "\t".join(["NODE"] * 4 + ["SYS"] * 4 + ["NODE", "PIX", " X "] + ["NODE"] * 3 + ["SYS"] * 6)
        + "\t" * 4
    )
    assert "  NIC11: mlx5_11" in rows
    links, _ = smi(view(one_gpu()), "nvlink -s")
    assert links.splitlines()[0] == f"GPU 0: NVIDIA H100 80GB HBM3 (UUID: {UUID})"
    assert links.splitlines()[1:] == [f"\t Link {i}: 26.562 GB/s" for i in range(18)]


FAILURES: list[tuple[str, str, int]] = [
    ("-i 8", "No devices were found\n", 6),
    ("--frobnicate", "Invalid combination of input arguments. Please run 'nvidia-smi -h' for help.\n", 2),
    ("-L -q", "Invalid combination of input arguments. Please run 'nvidia-smi -h' for help.\n", 2),
    ("-mig 7", "Invalid combination of input arguments. Please run 'nvidia-smi -h' for help.\n", 2),
    ("mig -lgi -lci", "Invalid combination of input arguments. Please run 'nvidia-smi -h' for help.\n", 2),
    ("frobnicate", "Invalid combination of input arguments. Please run 'nvidia-smi -h' for help.\n", 2),
]


@pytest.mark.parametrize(("line", "text", "code"), FAILURES)
def test_wrong_lines(line: str, text: str, code: int) -> None:
    assert smi(view(new_machine("n", 1)), line) == (text, code)


@pytest.mark.parametrize("line", ["dmon", "-q -x", "-pl 400", "topo -p", "nvlink -e", "vgpu -q", "--ecc-config=0"])
def test_what_is_not_played_is_refused(line: str) -> None:
    with pytest.raises(Refused):
        program.run(view(new_machine("n", 1)), line.split())


def test_broken_drivers() -> None:
    machine = new_machine("n", 1)
    for line in ("", "-L", "mig -lgi", "topo -m"):
        text, code = smi(view(with_driver(machine, False)), line)
        assert text.startswith("NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver.")
        assert code == 9
    driver = {**machine["status"]["driver"], "library": "595.91.07"}
    stale = {**machine, "status": {**machine["status"], "driver": driver}}
    assert smi(view(stale), "") == (
        "Failed to initialize NVML: Driver/library version mismatch\nNVML library version: 595.91\n",
        18,
    )
    assert smi(view(with_driver(machine, False)), "-h")[1] == 0


def test_a_gpu_off_the_bus() -> None:
    machine = with_xid(new_machine("n", 1), 3, 79, 0, lost=True)
    text, code = smi(view(machine), "")
    assert code == 15 and text.startswith("Unable to determine the device handle for GPU3: 0000:61:00.0: GPU is lost.")
    assert smi(view(machine), "-i 2")[1] == 0
    lines = smi(view(machine), "-L")[0].splitlines()
    assert len(lines) == 8 and lines[3].startswith("Unable to determine") and lines[4].startswith("GPU 4: NVIDIA")


def test_the_machine_is_not_changed_in_place() -> None:
    machine = captured_mix()
    before: Any = repr(machine)
    for line in ("mig -dci", "mig -cgi 19", "-mig 0", "--gpu-reset", "-pm 0"):
        program.run(view(machine), line.split())
    assert repr(machine) == before
    assert h100.PRODUCT in smi(view(machine), "")[0]


class Store:
    """The two verbs of a client that `call` uses, over one Machine and its node's containers."""

    now = NOW

    def __init__(self, machine: Machine, *containers: dict[str, Any]) -> None:
        self.machine, self.containers = machine, list(containers)

    def find(self, resource: str, name: str) -> Machine | None:
        return self.machine if name == "n" else None

    def by_index(self, resource: str, index: str, value: str) -> list[dict[str, Any]]:
        return self.containers

    def update(self, resource: str, machine: Machine) -> None:
        self.machine = machine


def runtime(app: str, devices: list[str], *command: str) -> dict[str, Any]:
    return {
        "metadata": {"name": f"{app}.main", "namespace": "default", "labels": {"app": app}},
        "spec": {"pod": app, "pid": 700, "devices": {"nvidia.com/gpu": devices}, "command": list(command)},
        "status": {"state": "running"},
    }


def test_call_by_place() -> None:
    ids = [gpu["uuid"] for gpu in gpus(new_machine("n", 1))]
    train, driver = runtime("train", ids[3:5], "python"), runtime("nvidia-driver-daemonset", [])
    store: Any = Store(new_machine("n", 1), train, driver, runtime("web", []))
    said: list[str] = []
    assert call(store, "n", train, ["-L"], said.append) == 0
    assert said.pop() == "".join(f"GPU {n}: {h100.PRODUCT} (UUID: {ids[3 + n]})\n" for n in range(2))
    assert call(store, "n", runtime("web", []), [], said.append) is None
    assert call(store, "elsewhere", None, [], said.append) is None
    assert call(store, "n", driver, ["-i", "0", "-mig", "1"], said.append) == 0
    assert mig.enabled(gpus(store.machine)[0])
    assert call(store, "n", driver, ["-i", "3", "-mig", "1"], said.append) == 0
    assert gpus(store.machine)[3]["mig"] == {"current": "Disabled", "pending": "Enabled"}
    assert call(store, "n", train, ["-i", "0", "-mig", "0"], said.append) == 4


def test_repeating_and_files() -> None:
    store: Any = Store(new_machine("n", 1))
    waited: list[int] = []
    said: list[str] = []

    def wait(ms: int) -> bool:
        waited.append(ms)
        return len(waited) < 3

    assert call(store, "n", None, ["-L", "-l", "2"], said.append, wait=wait) == 130
    assert waited == [2000] * 3 and len(said) == 3
    files: dict[str, str] = {}
    assert call(store, "n", None, ["-L", "-f", "out.txt"], said.append, write=files.__setitem__) == 0
    assert files == {"out.txt": said[0]} and len(said) == 3
    for line in (["-L", "-l"], ["-L", "-f", "x"]):
        with pytest.raises(Refused):
            call(store, "n", None, line, said.append)
