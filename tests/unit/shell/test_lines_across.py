"""What bash keeps between lines, limits, interrupts, sessions, undo: the rules of the shell, one by one."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from labsim.commands import registry
from labsim.commands.base import Context, Interrupted, NoTerminal, SessionSpec
from labsim.shell import engine
from labsim.shell.shell import Shell
from tests.fakes.hooks import FakeHooks, shell


class Nodes:
    """A client that knows three nodes."""

    api = None

    def find(self, resource: str, name: str, namespace: str = "") -> dict[str, object] | None:
        known = name in ("gpu-node1", "gpu-node2", "gpu-node3")
        return {"status": {"capacity": {"cpu": "224"}}} if known else None


@pytest.fixture
def program(monkeypatch: pytest.MonkeyPatch) -> Callable[[str, Callable[[Context], int]], None]:
    """Replaces a program of the registry."""
    mine: dict[str, Callable[[Context], int]] = {}
    real = registry.load
    monkeypatch.setattr(registry, "load", lambda name: mine.get(name) or real(name))
    return mine.__setitem__


def play(sh: Shell, *typed: str) -> list[tuple[str, str, int]]:
    out = []
    for line in typed:
        result = sh.run(line)
        out.append((result.stdout, result.stderr, result.exit_code))
    return out


# Each case: lines typed one after the other, and what the last one prints and leaves.
ACROSS: list[tuple[list[str], str, int]] = [
    (["false", "echo $?"], "1\n", 0),
    (["(exit 5)", "echo $?"], "5\n", 0),
    (["echo )", "echo $?"], "2\n", 0),
    (["nosuch", "echo $?"], "127\n", 0),
    (["false", "", "# only a remark", "echo $?"], "1\n", 0),
    (["set -o pipefail", "false | true"], "", 1),
    (["set -o pipefail", "set +o pipefail", "false | true"], "", 0),
    (["set -f", "echo *"], "*\n", 0),
    (["x=3; export y=4; arr=(a b c)", "echo $x $y ${arr[2]}"], "3 4 c\n", 0),
    (["declare -A m=([k]=v)", "echo ${m[k]}"], "v\n", 0),
    (["f() { echo in $1; return 6; }", "f x"], "in x\n", 6),
    (["cd /tmp", "pwd"], "/tmp\n", 0),
    (["alias hi='echo hello'", "hi you"], "hello you\n", 0),
    (["unalias k", "k version"], "", 127),
    (["umask 027", "umask"], "0027\n", 0),
    (["set -u; echo $nope", "echo $?"], "127\n", 0),
    (["echo ${nope:?gone}", "echo $?"], "127\n", 0),
    (["echo a > f; chmod 600 f", "stat -c '%a %s %Y' f"], "600 2 1794303660\n", 0),
    (["cat <<EOF > f\na $((1+1))\nEOF", "cat f"], "a 2\n", 0),
    (["echo one two", "echo !$"], "two\n", 0),
    (["echo one", "^one^two"], "two\n", 0),
    (["echo a b c", "echo !!:1-2"], "a b\n", 0),
    (["echo first", "echo second", "!1"], "first\n", 0),
    (["echo first", "echo second", "!echo\\ f", "!?fir?"], "first\n", 0),
]


@pytest.mark.parametrize(
    ("typed", "stdout", "code"), ACROSS, ids=[c[0][-1][:30] + str(i) for i, c in enumerate(ACROSS)]
)
def test_across_lines(typed: list[str], stdout: str, code: int) -> None:
    sh, _ = shell()
    last = play(sh, *typed)[-1]
    assert (last[0], last[2]) == (stdout, code), last


WORDS = [
    ("foo", "bash: foo: command not found\n", 127),
    ("assert x", "bash: assert: command not found\n", 127),
    ("runai list", "labsim: runai is not simulated here\n", 1),
    ("python3 -c 1", "labsim: python3 is not simulated here\n", 1),
    ("apt update", "labsim: apt is not simulated here\n", 1),
    ("k9s", "labsim: k9s is not simulated here\n", 1),
    ("curl http://example.com", "labsim: curl is not simulated here\n", 1),
    ("sort -R f", "labsim: sort -R is not simulated here\n", 1),
    ("find . -mmin -5", "labsim: find -mmin is not simulated here\n", 1),
    ("cat nope", "cat: nope: No such file or directory\n", 1),
    ("cd /nope", "bash: cd: /nope: No such file or directory\n", 1),
    ("ls nope", "ls: cannot access 'nope': No such file or directory\n", 2),
    ("date -d nonsense", "date: invalid date ‘nonsense’\n", 1),
    ("sleep x", "sleep: invalid time interval ‘x’\nTry 'sleep --help' for more information.\n", 1),
    ("echo )", "bash: syntax error near unexpected token `)'\n", 2),
    ("if true; then", "bash: syntax error: unexpected end of file\n", 2),
    ("!nosuch", "bash: !nosuch: event not found\n", 0),
    ("ssh nowhere", "ssh: Could not resolve hostname nowhere: Name or service not known\n", 255),
    ("vi f", "Vim: Error reading input, exiting...\n", 1),
]


@pytest.mark.parametrize(("line", "stderr", "code"), WORDS, ids=[w[0] for w in WORDS])
def test_words(line: str, stderr: str, code: int) -> None:
    sh, _ = shell(client=Nodes())
    result = sh.run(line)
    assert (result.stdout, result.stderr, result.exit_code) == ("", stderr, code)


LEAKS = [
    "echo $RANDOM $RANDOM $SRANDOM",
    "echo $SECONDS $EPOCHSECONDS $EPOCHREALTIME $$ $BASHPID $PPID",
    'echo $((SECONDS + 1)) ${EPOCHSECONDS} "$EPOCHREALTIME"',
    "printf '%(%F %T)T\\n' -1; printf '%(%s)T\\n'",
    "date; date +%N; date -d tomorrow",
    "touch a; ls -l a; stat -c '%y %Y' a; ls --full-time",
    "touch b; date -r b",
    "mktemp; mktemp -d; mktemp -u XXXX",
    "shuf -i 1-50; uuidgen; uuidgen",
    "head -c 16 /dev/urandom | od -c; head -c 4 /dev/random | od -c",
    "awk 'BEGIN{srand(); print rand(), srand(), systime(), strftime(\"%F %T\")}'",
    "jq -n 'now'",
    "jq -n 'now | floor'; time true",
    "cat /proc/uptime /proc/sys/kernel/random/uuid; uptime; ps; free; df; hostid; who",
    "uname -a; hostname; whoami; id; nproc",
    "cat /etc/os-release; bash --version; env; set | sort",
    "tar cf t.tar a; md5sum t.tar; diff -u a b; gzip -c a | md5sum",
    "for i in 1 2 3; do echo $RANDOM; done; (echo $RANDOM); bash -c 'echo $RANDOM'",
    "ssh gpu-node2 'date; echo $RANDOM; mktemp'",
    "declare -p | sort; ls -la / /root /tmp",
]

_SCRIPT = """
from tests.fakes.hooks import shell
from tests.unit.shell.test_lines_across import LEAKS, Nodes
sh, _ = shell(client=Nodes())
for line in LEAKS * 2:
    result = sh.run(line)
    print(repr((line, result.stdout, result.stderr, result.exit_code)))
print(sh.hash())
"""


def test_time_and_chance_come_from_the_simulation() -> None:
    """Every line twice, in two processes more than a second apart: equal bytes."""
    root = Path(__file__).parents[3]
    seen = []
    for hash_seed in ("1", "2"):
        env = {"PYTHONHASHSEED": hash_seed, "PYTHONPATH": str(root)}
        done = subprocess.run([sys.executable, "-c", _SCRIPT], cwd=root, capture_output=True, text=True, env=env)
        assert done.returncode == 0, done.stderr
        seen.append(done.stdout)
        time.sleep(1.1)
    first, second = seen
    for one, two in zip(first.splitlines(), second.splitlines()):
        assert one == two
    assert first == second
    assert "ashkit" not in first
    assert time.strftime("%Y-%m-%d") not in first


def test_seconds_move_inside_a_line() -> None:
    sh, hooks = shell()
    result = sh.run("a=$SECONDS; sleep 65; echo $((SECONDS - a)); date +%T")
    assert result.stdout == "66\n09:42:06\n"
    assert [call[0] for call in hooks.calls] == ["sleep", "date"]


def test_until_loop_ends(program: Callable[[str, Callable[[Context], int]], None]) -> None:
    sh, _ = shell()

    def kubectl(ctx: Context) -> int:
        ctx.out("success\n" if ctx.now() > 1794303660_000 + 60_000 else "pending\n")
        return 0

    program("kubectl", kubectl)
    result = sh.run("until kubectl get node gpu-node2 | grep -q success; do sleep 5; done; echo done $?")
    assert (result.stdout, result.exit_code) == ("done 0\n", 0)


def test_endless_waits_end() -> None:
    sh, _ = shell()
    result = sh.run("echo a; while true; do sleep 100; done; echo b")
    assert (result.stdout, result.stderr, result.exit_code) == (
        "a\n",
        "labsim: wait ended: 360 steps in one line\n",
        130,
    )
    assert sh.run("echo $?").stdout == "130\n"


def test_interrupt_ends_the_line_at_a_program_call() -> None:
    sh, hooks = shell()
    hooks.interrupt_at = 3
    result = sh.run("for i in 1 2 3 4 5 6; do hostname; done; echo after")
    assert (result.stdout, result.stderr, result.exit_code) == ("kadmin\n" * 3, "", 130)
    hooks.interrupt_at = -1
    assert sh.run("echo usable").stdout == "usable\n"


def test_what_an_interrupted_program_had_printed_is_kept(
    program: Callable[[str, Callable[[Context], int]], None],
) -> None:
    sh, hooks = shell()

    def kubectl(ctx: Context) -> int:
        ctx.emit("tick\n")
        ctx.emit("tock\n")
        raise Interrupted

    program("kubectl", kubectl)
    result = sh.run("kubectl get pods -w")
    assert (result.stdout, result.exit_code) == ("tick\ntock\n", 130)
    assert hooks.emitted == ["tick\n", "tock\n"]
    assert sh.run("kubectl get pods -w | cat").exit_code == 130
    assert hooks.emitted == ["tick\n", "tock\n"], "inside a pipe nothing is shown live"


def test_an_exception_of_a_program_is_not_swallowed(program: Callable[[str, Callable[[Context], int]], None]) -> None:
    sh, _ = shell()

    def kubectl(ctx: Context) -> int:
        raise ZeroDivisionError

    program("kubectl", kubectl)
    with pytest.raises(ZeroDivisionError):
        sh.run("kubectl get pods")
    assert sh.run("echo usable").stdout == "usable\n"


def test_programs_run_on_the_calling_thread_three_shells_deep(
    program: Callable[[str, Callable[[Context], int]], None],
) -> None:
    import threading

    threads: list[threading.Thread] = []

    def kubectl(ctx: Context) -> int:
        threads.append(threading.current_thread())
        depth = int(ctx.args[0])
        if depth:
            result = ctx.spawn(f"x={depth}; echo level $x; kubectl {depth - 1}")
            ctx.out(result.stdout)
            return result.exit_code
        ctx.fs.write_text("deep.txt", "from below\n")
        return 9

    program("kubectl", kubectl)
    sh, _ = shell()
    result = sh.run("kubectl 3 | cat; echo ${PIPESTATUS[0]}; cat deep.txt")
    assert result.stdout == "level 3\nlevel 2\nlevel 1\n9\nfrom below\n"
    assert set(threads) == {threading.main_thread()}
    assert len(threads) == 4


def test_sessions() -> None:
    sh, _ = shell(client=Nodes())
    assert sh.prompt() == "root@kadmin:~# "
    assert play(sh, "cd /tmp")[0][2] == 0
    assert sh.prompt() == "root@kadmin:/tmp# "
    sh.run("ssh gpu-node2")
    assert sh.prompt() == "root@gpu-node2:~# "
    assert play(sh, "hostname", "echo x > note") == [("gpu-node2\n", "", 0), ("", "", 0)]
    assert play(sh, "exit 4") == [("", "logout\nConnection to gpu-node2 closed.\n", 4)]
    assert sh.prompt() == "root@kadmin:/tmp# "
    assert play(sh, "echo $?", "ssh gpu-node2 cat note", "ssh gpu-node2 'exit 3'; echo $?") == [
        ("4\n", "", 0),
        ("x\n", "", 0),
        ("3\n", "", 0),
    ]
    assert sh.run("exit").ended
    assert sh.prompt() == "root@kadmin:/tmp# "


def test_undo_takes_back_everything_the_shell_holds() -> None:
    sh, _ = shell(client=Nodes())
    steps = [
        "x=1", "f() { :; }", "alias a=b", "mkdir -p d/e; echo hi > d/e/f", "cd d", "chmod 700 e/f", "rm -r e",
        "set -o pipefail",
        "ssh gpu-node1", "echo far > away", "exit", "unset -f f", "false", "sudo -i", "umask 077", "ln -s nowhere link",
    ]  # fmt: skip
    marks, hashes = [], []
    for line in steps:
        marks.append(sh.mark())
        hashes.append(sh.hash())
        sh.run(line)
    end = sh.hash()
    last = sh.mark()
    assert len(set(hashes)) == len(hashes), "every line of these changes the hash"
    for mark, before in zip(reversed(marks), reversed(hashes)):
        sh.rewind(mark)
        assert sh.hash() == before
    sh.rewind(last)
    assert sh.hash() == end
    assert sh.run("history").stdout.count("\n") == len(steps) + 1


def test_read_only_lines_keep_the_hash() -> None:
    sh, _ = shell()
    before = sh.hash()
    for line in ["ls -la", "date", "echo hi | wc", "cat /etc/hostname", "history"]:
        sh.run(line)
    assert sh.hash() == before


HOSTILE = [
    "'",
    '"',
    "`",
    "$(",
    "${",
    "((",
    "[[ a",
    "case x in",
    "\\",
    "|",
    "&&",
    ";;",
    ")",
    "}",
    "<",
    "> ",
    "<<EOF",
    "a=(1 2",
    "\0\1\2\x7f",
    "\ud800",
    "é\u202e\U0001f600",
    "echo " + "x" * 1_000_000,
    "x" * 1_000_000,
    "(" * 5000,
    "$(" * 500,
    "{" * 5000,
    ":(){ :|:& };:",
    "f(){ f; }; f",
    "while :; do :; done",
    "yes",
    "cat /dev/zero",
    "echo {1..99999999}",
    "exec 3<>/dev/tcp/1.1.1.1/80",
    "cat /etc/shadow /proc/self/environ ../../../../etc/passwd",
    "kill -9 $$",
    "kill -9 1",
    "exec bash",
    "trap '' INT TERM",
    "!",
    "!!!!",
    "^",
    "^^",
    "^a",
    "rm -rf / --no-preserve-root",
    "export PATH=; ls",
    "unset HOME; cd",
    "set -e; false",
    "readonly x=1; x=2",
    "ulimit -n 0",
    "a() { eval a; }; eval 'eval \"eval echo x\"'",
    "printf '%*s' 100000000 x | wc -c",
    "[ $(( 2**63 )) -lt 0 ]",
]


@pytest.mark.parametrize("line", HOSTILE, ids=[f"{i}-{h[:16]!a}" for i, h in enumerate(HOSTILE)])
def test_hostile_lines(line: str) -> None:
    sh, _ = shell()
    before = time.monotonic()
    result = sh.run(line)
    assert time.monotonic() - before < 15
    assert "ashkit" not in result.stdout + result.stderr
    assert "panick" not in result.stderr
    assert isinstance(result.exit_code, int)
    assert not result.void
    while len(sh.sessions) > 1:
        sh.run("exit")
    assert sh.run("\\builtin echo usable").stdout == "usable\n"


def test_fuse_takes_the_line_back(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "FUSE_SECONDS", 0.2)
    sh, _ = shell()
    sh.run("x=1; echo one > f")
    before = sh.hash()
    monkeypatch.setattr(registry, "load", lambda name: lambda ctx: time.sleep(0.3) or 0)
    result = sh.run("x=2; echo two > f; hostname; hostname; hostname")
    monkeypatch.undo()
    assert result.void
    assert sh.hash() == before
    assert sh.run("echo $x; cat f").stdout == "1\none\n"


def test_a_waiting_program_in_the_background_is_refused() -> None:
    sh, _ = shell()
    result = sh.run("sleep 100 &")
    assert "background is not simulated" in result.stderr
    assert sh.run("hostname &").stdout == "kadmin\n"


def test_push_session_needs_the_line_for_itself(program: Callable[[str, Callable[[Context], int]], None]) -> None:
    refused = []

    def kubectl(ctx: Context) -> int:
        try:
            ctx.push_session(SessionSpec("pod", "root", "/root", "root@pod:\\w# ", files="uid-1", cwd="/"))
        except NoTerminal:
            refused.append(True)
        return 0

    program("kubectl", kubectl)
    sh, _ = shell()
    sh.run("kubectl exec | cat")
    sh.run("kubectl exec; true")
    assert len(refused) == 2
    sh.run("kubectl exec -it")
    assert sh.prompt() == "root@pod:/# "
    sh.run("kubectl exec -it")
    assert len(sh.sessions) == 3


def test_fakes_share_the_hook_shape() -> None:
    assert {"before_program", "after_program", "advance", "emit", "edit", "ask"} <= set(dir(FakeHooks))
