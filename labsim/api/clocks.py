"""How simulated time passes while clients talk to the lab: tick:F, step or frozen."""

from __future__ import annotations

import threading
import time

from labsim.lab import Lab

MODES = "tick[:F], step or frozen"
_TICK = 0.1  # real seconds between two ticks
_WAIT = 0.05  # a waiting request moves the clock by one step so often
_FACTOR = 10.0
_MAX_FACTOR = 3600.0


class Clock:
    """`tick:F`: F simulated seconds a real one. `step`: one step of the world for each new session of kubectl, and one
    each 50 ms while a request waits. `frozen`: only typed lines take time.
    """

    def __init__(self, lab: Lab, mode: str) -> None:
        """Raises ValueError for a mode that is none."""
        self.lab = lab
        self.mode, _, factor = mode.partition(":")
        if self.mode not in ("tick", "step", "frozen") or (factor and self.mode != "tick"):
            raise ValueError(f"--clock takes {MODES}, not {mode!r}")
        try:
            self.factor = float(factor) if factor else _FACTOR
        except ValueError:
            self.factor = 0.0
        if not 0 < self.factor <= _MAX_FACTOR:
            raise ValueError(f"--clock tick takes a factor above 0 and up to {_MAX_FACTOR:.0f}, not {factor!r}")
        self._stop = threading.Event()
        self._waited = 0.0
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        if self.mode == "tick":
            self._thread = threading.Thread(target=self._tick, name="labsim-clock", daemon=True)
            self._thread.start()

    def stop(self) -> None:
        self._stop.set()
        if self._thread is not None:
            self._thread.join()

    def _tick(self) -> None:
        while not self._stop.wait(_TICK):
            self.lab.hands.pass_time(int(_TICK * 1000 * self.factor))

    def new_session(self) -> None:
        if self.mode == "step":
            self.lab.hands.pass_time(self.lab.settings.step)

    def waiting(self) -> None:
        """A request is waiting for something to happen; several that wait together share the steps."""
        if self.mode != "step":
            return
        with self.lab.lock:
            now = time.monotonic()
            if now - self._waited >= _WAIT:
                self._waited = now
                self.lab.hands.pass_time(self.lab.settings.step)
