"""Is a line complete? Cases decided by bash's own prompt."""

from __future__ import annotations

import pytest

from tests.fakes.hooks import shell

COMPLETE = [
    "",
    "ls",
    "echo 'a b'",
    'echo "a $(date) b"',
    "echo a \\\\",
    "cat <<EOF\nhi\nEOF",
    "cat <<-EOF\n\thi\n\tEOF",
    "cat <<'E O'\n$x\nE O",
    "cat <<< word",
    "if true; then echo; fi",
    "for i in 1 2; do echo $i; done",
    "case x in a) echo;; esac",
    "f() { echo; }",
    "a=(1 2)",
    "echo $((1 << 2))",
    "echo ${x:-'}'}",
    "echo a # it's",
    'echo "it\'s"',
    "echo `date`",
    "echo )",
    "fi",
    "(a; b) | c",
    'a=$(echo "b)")',
    "kubectl patch x -p '{\"a\": [1, 2]}'",
    "cat <<A <<B\n1\nA\n2\nB",
    "echo \\\n done",
    "x=`echo 'a'`",
    "[[ a == b ]] && echo c",
]
OPEN = [
    "echo 'a",
    'echo "a',
    "echo \\",
    "ls |",
    "ls &&",
    "ls ||",
    "cat <<EOF",
    "cat <<EOF\nhi",
    "cat <<EOF\nEOF2",
    "cat <<A <<B\n1\nA\n2",
    "if true",
    "if true; then",
    "for i in 1",
    "while true; do",
    "case x in",
    "f() {",
    "a=(1 2",
    "echo $(date",
    "echo ${x",
    "echo `date",
    "echo $((1 +",
    "(ls",
    "{ ls",
    "[[ a",
    "kubectl patch x -p '{",
    "ls | # then",
    'echo "$(echo \'a)"',
    "until kubectl get x; do\nsleep 5",
]


@pytest.mark.parametrize("text", COMPLETE)
def test_complete(text: str) -> None:
    assert shell()[0].complete_line(text)


@pytest.mark.parametrize("text", OPEN)
def test_open(text: str) -> None:
    sh, _ = shell()
    assert not sh.complete_line(text)


def test_continued_lines_run_as_one() -> None:
    sh, _ = shell()
    typed = "for i in 1 2; do"
    for more in ("cat <<EOF", "n $i", "EOF", "done"):
        assert not sh.complete_line(typed)
        typed += "\n" + more
    assert sh.complete_line(typed)
    assert sh.run(typed).stdout == "n 1\nn 2\n"
    assert sh.run("echo a \\\n  b").stdout == "a b\n"
