"""Applying a layout: a plan of steps, each with its log lines, the GPU it changed and how long it takes.

Order and lines: gpu.md 2.5, cmd/nvidia-mig-parted/apply. GPUs are done in index order and what was changed before an
error stays changed. A step is plain JSON, so that a process can keep its plan and play it over simulated time:
`{"lines": [[level, text], ...], "gpu": changed GPU or None, "ms": int, "code": None, or 0/1 on the last step}`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from labsim.hardware import mig
from labsim.hardware.machine import Machine, gpus, with_gpu
from labsim.hardware.reset import reset_report
from labsim.operators.gpu.migparted import check, geometry
from labsim.operators.gpu.migparted.config import Item, Layout
from labsim.operators.gpu.migparted.log import DEBUG, ERROR, FATAL, STDOUT, Line, capitalize

Users = Mapping[int, list[mig.Process]]
Step = dict[str, Any]

# How long things take [U]: gpu.md 2.7 infers 1-3 s a GPU for the mode and 2-4 s for seven instances from logs.
START_MS = 500
MODE_MS = 2000
CLEAR_MS = 500
INSTANCE_MS = 400
RESET_MS = 8000

PREFIX = "error applying MIG configuration with hooks: "


class ApplyError(Exception):
    """The run ends here; `gpu` is the GPU that was being changed, if any."""

    def __init__(self, text: str, gpu: dict[str, Any] | None = None) -> None:
        super().__init__(text)
        self.gpu = gpu


def after(machine: Machine, step: Step) -> Machine:
    """The machine once `step` has run."""
    return with_gpu(machine, step["gpu"]) if step["gpu"] is not None else machine


def plan(
    machine: Machine, layout: Layout, users: Users, mode_only: bool = False, skip_reset: bool = False
) -> Iterator[Step]:
    """The steps of one run on `machine`, on which `users` hold GPUs (index -> processes with the `uuid` they hold)."""
    run = _Run(machine, layout, users)
    run.say("Running apply-start hook")
    try:
        yield from run.everything(mode_only, skip_reset)
    except (ApplyError, check.CheckError) as error:
        run.say("Running apply-exit hook")
        run.lines.append((FATAL, capitalize(PREFIX + str(error))))
        yield run.step(0, getattr(error, "gpu", None), code=1)
        return
    run.say("Running apply-exit hook")
    run.lines.append((STDOUT, "MIG configuration applied successfully"))
    yield run.step(0, code=0)


class _Run:
    def __init__(self, machine: Machine, layout: Layout, users: Users) -> None:
        self.machine, self.layout, self.users = machine, layout, users
        self.lines: list[Line] = []

    def say(self, text: str) -> None:
        self.lines.append((DEBUG, text))

    def step(self, ms: int, gpu: dict[str, Any] | None = None, code: int | None = None) -> Step:
        """Hands out the lines so far as one step."""
        made = {"lines": [list(line) for line in self.lines], "gpu": gpu, "ms": ms, "code": code}
        self.lines.clear()  # the same list stays in the hands of a walk under way
        self.machine = after(self.machine, made)
        return made

    def everything(self, mode_only: bool, skip_reset: bool) -> Iterator[Step]:
        self.say("Checking current MIG mode...")
        if not self._holds(check.assert_mode):
            self.say("Running pre-apply-mode hook")
            self.say("Applying MIG mode change...")
            yield self.step(START_MS)
            yield from self._mode(skip_reset)
        if mode_only:
            return
        self.say("Checking current MIG device configuration...")
        if not self._holds(check.assert_config):
            self.say("Running pre-apply-config hook")
            self.say("Applying MIG device configuration...")
            yield self.step(START_MS)
            yield from self._config()

    def _holds(self, assertion: Any) -> bool:
        """An assertion that fails for whatever reason only means that there is something to do."""
        try:
            assertion(self.machine, self.layout, self.lines)
        except check.CheckError:
            return False
        return True

    def _mode(self, skip_reset: bool) -> Iterator[Step]:
        check.need_nvml(self.machine)
        pending = False
        for item, old in check.walk(self.machine, self.layout, self.lines):
            gpu = gpus(self.machine)[old["index"]]  # an earlier entry of the layout may have changed it
            processes = self.users.get(gpu["index"], [])
            self.say("    MIG capable: true\n")
            self.say(f"    Current MIG mode: {gpu['mig']['current']}")
            if mig.enabled(gpu):
                self.say("    Clearing existing MIG configuration")
                try:
                    gpu = geometry.clear(gpu, mig.busy_instances(gpu, processes))
                except geometry.GeometryError as error:
                    raise ApplyError(f"error clearing existing MIG configurations: {error}", error.gpu) from None
            self.say(f"    Updating MIG mode: {mig.ENABLED if item.enabled else mig.DISABLED}")
            gpu = mig.set_mode(gpu, item.enabled, mig.is_busy(gpu, processes))
            self.say(f"    Mode change pending: {str(mig.mode_pending(gpu)).lower()}")
            pending = pending or mig.mode_pending(gpu)
            yield self.step(MODE_MS, gpu)
        if pending and not skip_reset:
            yield from self._reset()

    def _reset(self) -> Iterator[Step]:
        self.say("At least one mode change pending")
        self.say("Resetting all GPUs...")
        busy = [gpu for gpu in gpus(self.machine) if mig.is_busy(gpu, self.users.get(gpu["index"], []))]
        output = reset_report([gpu["busId"] for gpu in gpus(self.machine)], [gpu["busId"] for gpu in busy])
        if busy:
            self.lines.append((ERROR, "\n" + output))
            raise ApplyError("error resetting all GPUs: exit status 255")
        self.say("\n" + output)
        yield self.step(RESET_MS)
        for gpu in gpus(self.machine):
            yield self.step(0, mig.reset(gpu))

    def _config(self) -> Iterator[Step]:
        check.need_nvml(self.machine)
        for item, old in check.walk(self.machine, self.layout, self.lines):
            gpu = gpus(self.machine)[old["index"]]
            self.say("    MIG capable: true\n")
            changed = self._geometry(item, gpu)
            if changed is not None:
                made = sum(len(gi["compute"]) for gi in changed["instances"])
                yield self.step(CLEAR_MS + made * INSTANCE_MS, changed)

    def _geometry(self, item: Item, gpu: dict[str, Any]) -> dict[str, Any] | None:
        if item.enabled and not mig.enabled(gpu):
            raise ApplyError("unable to apply MIG config with MIG mode disabled")
        if not item.enabled and mig.enabled(gpu):
            raise ApplyError("MIG mode is currently enabled, but the configuration specifies it should be disabled")
        if not item.enabled:
            self.say("    Skipping MIG config -- MIG disabled")
            return None
        wanted = dict(item.mig_devices)
        self.say(f"    Updating MIG config: {check.go_map(wanted)}")
        if geometry.current(gpu) == wanted:
            self.say("    Skipping -- already set to desired value")
            return None
        held = mig.busy_instances(gpu, self.users.get(gpu["index"], []))
        try:
            changed, lines = geometry.set_geometry(gpu, wanted, held)
        except geometry.GeometryError as error:
            self.lines += error.lines
            raise ApplyError(f"error setting MIGConfig: {error}", error.gpu) from None
        self.lines += lines
        return changed
