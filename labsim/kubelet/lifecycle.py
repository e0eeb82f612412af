"""How workloads behave: world/lifecycle/*.yaml, matched by image and command.

`images`: {name, tags (regular expression), size in bytes}; `managed`: images whose programs are controllers of labsim;
`stages`: {image, command (patterns), and what then happens}. Times are in ms. The first stage that matches is taken.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cached_property
from pathlib import Path
from typing import Any

from labsim.kube.objects import Object, get_in
from labsim.kubelet import script
from labsim.kubelet.images import Reference

Data = Mapping[str, Any]


def read(directory: Path | None = None) -> dict[str, Any]:
    """The files of a directory merged into one: lists are joined in the order of file names, other values replaced."""
    import yaml

    merged: dict[str, Any] = {}
    for path in sorted((directory or Path(__file__).parents[2] / "world" / "lifecycle").glob("*.yaml")):
        for key, value in (yaml.safe_load(path.read_text(encoding="utf-8")) or {}).items():
            merged[key] = [*merged.get(key, []), *value] if isinstance(value, list) else value
    return merged


# A shell without a script.
_SHELL = re.compile(r"(\S*/)?(ba|da|a)?sh( -[il]+)*")


@dataclass(frozen=True)
class Behaviour:
    """What a container does after its start. Times in ms after it."""

    managed: bool = False
    ready: int = 0
    exit_after: int | None = None
    code: int = 0
    reason: str = ""
    message: str = ""
    lines: tuple[tuple[int, str, str], ...] = ()
    chatter: Mapping[str, Any] | None = None
    stop_after: int = 300
    stop_code: int = 0
    deaf: bool = False  # lives on until SIGKILL
    gpu_process: Mapping[str, Any] | None = None  # {name, usedMiB}: see hardware/usage.py
    listens: tuple[int, ...] | None = None
    probes: Mapping[str, str] | None = None  # kind of probe -> failure text


class Lifecycle:
    """The compiled data. `programs`: name -> function(container object, argv) for what can print on a node."""

    def __init__(self, data: Data | None = None) -> None:
        self._data = data
        self.programs: dict[str, Callable[[Object, Sequence[str]], tuple[list[str], int]]] = {}

    @cached_property
    def data(self) -> Data:
        return self._data if self._data is not None else read()

    @cached_property
    def images(self) -> dict[str, Data]:
        return {str(image["name"]): image for image in self.data.get("images", ())}

    @cached_property
    def _stages(self) -> list[tuple[str, re.Pattern[str], Data]]:
        return [
            (str(stage.get("image", "*")), re.compile(str(stage.get("command", ""))), stage)
            for stage in self.data.get("stages", ())
        ]

    def delay(self, name: str) -> int:
        return int(self.data["delays"][name])

    def is_managed(self, image: str) -> bool:
        name = Reference.parse(image).repository
        return any(fnmatchcase(name, pattern) for pattern in self.data.get("managed", ()))

    def behaviour(self, container: Object, env: Mapping[str, str]) -> Behaviour:
        spec = container["spec"]
        if self.is_managed(spec["image"]):
            return Behaviour(managed=True, stop_after=self.delay("stop"))
        argv = [str(word) for word in [*(spec.get("command") or ()), *(spec.get("args") or ())]]
        command = " ".join(argv)
        reference = Reference.parse(spec["image"])
        stage: Data = {}
        for pattern, expression, found in self._stages:
            names = (reference.repository, reference.familiar)
            if any(fnmatchcase(name, pattern) for name in names) and expression.search(command):
                if found.get("bare") and spec.get("command"):
                    continue  # speaks of the image's own entry point only
                stage = found
                break
        if spec.get("interactive") and (stage.get("bare") or _SHELL.fullmatch(command)):
            return Behaviour(stop_after=self.delay("stop"))  # a shell at a terminal waits for what is typed
        without = stage.get("withoutDevices")
        if without is not None and not spec.get("devices"):
            stage = {**stage, **without}

        def program(words: Sequence[str]) -> tuple[list[str], int] | None:
            simulated = self.programs.get(words[0].rsplit("/", 1)[-1])
            return simulated(container, words) if simulated is not None else None

        if "exit" not in stage and "runs" not in stage:
            planned = script.plan(argv, env, program)
            if planned is not None:
                return Behaviour(
                    ready=int(stage.get("ready", 0)),
                    exit_after=planned.exit_after,
                    code=planned.code,
                    lines=tuple(planned.lines),
                    chatter=planned.chatter,
                    deaf=planned.deaf,
                    stop_after=self.delay("stop"),
                    listens=None,
                    probes=stage.get("probes"),
                )
        ending = stage.get("exit") or {}
        every = stage.get("every")
        listens = stage.get("listens")
        return Behaviour(
            ready=int(stage.get("ready", 0)),
            exit_after=int(ending["after"]) if ending else None,
            code=int(ending.get("code", 0)),
            reason=str(ending.get("reason", "")),
            message=str(ending.get("message", "")),
            lines=tuple(_line(entry) for entry in stage.get("log", ())),
            chatter={"after": every.get("after", every["every"]), **every} if every else None,
            stop_after=int(get_in(stage, "stop", "after", default=self.delay("stop"))),
            stop_code=int(get_in(stage, "stop", "code", default=0)),
            deaf=bool(get_in(stage, "stop", "deaf", default=False)),
            gpu_process=stage.get("gpuProcess"),
            listens=tuple(int(port) for port in listens) if listens is not None else None,
            probes=stage.get("probes"),
        )


def _line(entry: Any) -> tuple[int, str, str]:
    if isinstance(entry, Mapping):
        return int(entry.get("after", 0)), str(entry.get("stream", "stdout")), str(entry["line"])
    return 0, "stdout", str(entry)
