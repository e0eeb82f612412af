"""Tab on programs, aliases, files and a program's own candidates."""

from __future__ import annotations

import pytest

from labsim.commands import registry
from labsim.commands.base import Context
from tests.fakes.hooks import shell


def candidates(text: str, *before: str) -> tuple[int, tuple[str, ...]]:
    sh, _ = shell(
        start_files={"/root/pod one.yaml": "", "/root/pods.txt": "", "/root/deep/er/x": "", "/root/.hidden": ""}
    )
    for line in before:
        sh.run(line)
    found = sh.complete(text, len(text))
    return found.start, found.candidates


def test_programs_builtins_aliases_and_functions() -> None:
    assert candidates("kube")[1] == ("kubectl",)
    assert "history" in candidates("hist")[1]
    assert candidates("mine", "minefun() { :; }", "alias minealias=ls")[1] == ("minealias", "minefun")
    assert candidates("ls | gre")[1] == ("grep",)
    assert candidates("sudo nvidia-s")[1] == ("nvidia-smi",)


def test_files() -> None:
    assert candidates("cat po") == (4, ("pod\\ one.yaml", "pods.txt"))
    assert candidates("cat 'po") == (4, ("'pod one.yaml", "'pods.txt"))
    assert candidates("cat de")[1] == ("deep/",)
    assert candidates("cat deep/er/")[1] == ("deep/er/x",)
    assert candidates("cat .h")[1] == (".hidden",)
    assert ".hidden" not in candidates("cat ")[1]
    assert candidates("echo x > po")[1] == ("pod\\ one.yaml", "pods.txt")
    assert candidates("cat ~/pods")[1] == ("~/pods.txt",)
    assert candidates("cat nope/")[1] == ()


def test_a_programs_own(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[tuple[list[str], int]] = []

    def complete(ctx: Context, words: list[str], index: int) -> list[str]:
        seen.append((words, index))
        return ["nodes", "namespaces"]

    monkeypatch.setattr(registry, "completer", lambda name: complete if name == "kubectl" else None)
    assert candidates("echo a; k get n") == (14, ("namespaces", "nodes"))
    assert seen == [(["kubectl", "get", "n"], 2)]
