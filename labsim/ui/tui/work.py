"""One job of the lab at a time, on a thread of its own; the screen goes on being drawn."""

from __future__ import annotations

import threading
import traceback
from collections.abc import Callable
from typing import Any

from labsim.lab import Lab, LabError
from labsim.ui.tui.face import TuiFace
from labsim.ui.tui.view import View, build_view

Done = Callable[[Any], None]


class Work:
    """`post` runs a call on the UI thread and may be used from any thread.

    A fault of labsim itself does not end the screen: the lab has taken the input back (Lab.run), the traceback is kept
    in `faults` and printed when the screen is left.
    """

    def __init__(self, lab: Lab, face: TuiFace, post: Callable[[Callable[[], None]], None]) -> None:
        self.lab, self.face, self.post = lab, face, post
        self.running = ""
        self.steps = 0
        self.faults: list[str] = []

    def start(
        self, what: str, job: Callable[[], Any], done: Done, failed: Done, always: Callable[[View], None]
    ) -> None:
        """`done(result)` or `failed(one line)`, then `always(view)`, all on the UI thread."""
        self.running, self.steps = what, 0
        self.face.begin()
        arguments = (job, done, failed, always)
        threading.Thread(target=self._run, args=arguments, name=f"lab: {what}", daemon=True).start()

    def _run(self, job: Callable[[], Any], done: Done, failed: Done, always: Callable[[View], None]) -> None:
        told: Done = done
        try:
            result = job()
        except (LabError, ValueError) as error:
            told, result = failed, str(error)
        except Exception as error:
            self.faults.append(traceback.format_exc())
            told, result = failed, f"a fault of labsim, the input was taken back: {type(error).__name__}: {error}"
        with self.lab.lock:
            view = build_view(self.lab)

        def finish() -> None:
            self.running = ""
            told(result)
            always(view)

        self.post(finish)
