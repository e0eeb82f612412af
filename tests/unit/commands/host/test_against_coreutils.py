"""Programs that replace the engine's, judged by the real ones on this machine: stdout, stderr and exit code."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.fakes.context import START
from tests.fakes.hooks import shell

FILES = {
    "a.txt": "one two\nthree\n",
    "b.txt": "one two\nthreE\n",
    "empty": "",
    "big.bin": "x" * 5000,
    "sub/in.txt": "hi\n",
    "c d.txt": "1\n",
    "noeol": "abc",
    "Upper": "x\n",
    ".dot": "x\n",
}

LINES = [
    *(
        f"date -u -d '2026-11-10 09:41:00 UTC {words}' '+%F %T'"
        for words in (
            "+1 day",
            "2 days ago",
            "next week",
            "last month",
            "+3 months",
            "1 year ago",
            "tomorrow",
            "yesterday",
            "+90 minutes",
            "-1 week +2 days",
        )
    ),
    "date -u -d @1794303660",
    "date -u -d @1794303660 +%s",
    "date -u -d '2026-01-31 +1 month' +%F",
    "date -u -d '2026-11-10T09:41:00Z' +%c",
    "date -u -d '2026-11-10T09:41:00+02:00' +%FT%TZ",
    "date -u -d '10 Nov 2026 09:41' -R",
    "date -u -d 'Nov 10 2026' -Iseconds",
    "date -u -d 2026-03-05 '+%j %U %V %G %u %w %a %A %b %B %d %e %y %C %p %I %l %k %H %M %S'",
    "date -u -d 2026-03-05 '+%N %z %Z %D %R %T %r %x %X %%'",
    "date -u -d 2026-03-05 '+%-d %_d %-m %^a %10Y %3N'",
    "date -u -d 2026-11-10 --rfc-3339=seconds",
    "date -d nonsense",
    "date -d",
    "date --nope",
    "date -u -d '2026-11-10' --iso-8601=minutes",
    "date +a +b",
    "wc a.txt",
    "wc -l a.txt b.txt",
    "wc nope a.txt",
    "wc -c big.bin",
    "wc -L a.txt",
    "wc sub",
    "wc -m empty",
    "cat a.txt | wc",
    "cat a.txt | wc -l",
    "cat a.txt | wc -lc",
    "wc -x",
    "wc a.txt empty noeol",
    "cat a.txt | wc -l - a.txt",
    "cmp a.txt b.txt",
    "cmp a.txt a.txt",
    "cmp a.txt nope",
    "cmp -s a.txt b.txt",
    "cmp -l a.txt b.txt",
    "cmp a.txt noeol",
    "cmp empty a.txt",
    "cmp",
    "printf 'one ' | cmp - a.txt",
    "printf 'one two\\n' | cmp - a.txt",
    "ls",
    "ls -1",
    "ls -a",
    "ls -A sub",
    "ls -d sub",
    "ls sub a.txt",
    "ls nope",
    "ls -F",
    "ls -p",
    "ls -r",
    "ls -S",
    "ls -R",
    "ls -C",
    "ls *.txt",
    "ls -l",
    "ls -lh",
    "ls -la sub",
    "ls -ltr a.txt sub",
    "ls -ld sub",
    "ls --full-time a.txt",
    "ls -l nope a.txt",
    "ls -n a.txt",
    "ls -g a.txt",
    "ls -o a.txt",
    "ls --nope",
    "ls -lS",
    "ls -1 --group-directories-first",
    "stat -c '%n %s %F %A %a %U %u' a.txt sub empty",
    "stat -c %Y a.txt",
    "stat -c %y a.txt",
    "stat nope",
    "stat",
    "stat --printf '%s\\n' a.txt",
    "sleep",
    "sleep x",
    "sleep 0",
    "whoami x",
    "id -u",
    "id -un",
    "id -n",
    "id nobodyhere",
    "uname",
    "uname -s",
    "uname -o",
    "uname -m",
    "uname x",
    "shuf -i 5-5",
    "shuf -n 0 a.txt",
    "shuf nope",
    "shuf -i x",
    "printf 'a\\n' | shuf",
    "mktemp XX",
    "mktemp -u a b",
    "timeout 5 echo hi",
    "timeout 5 false",
    "timeout",
    "timeout x true",
    "timeout 5 nosuchprogram",
    "uname -q",
    "stat -c %n 'c d.txt'",
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("files")
    for name, text in FILES.items():
        (path / name).parent.mkdir(exist_ok=True)
        (path / name).write_text(text)
    for entry in sorted(path.rglob("*"), reverse=True):
        entry.chmod(0o755 if entry.is_dir() else 0o644)
        os.utime(entry, (START / 1000, START / 1000))
    path.chmod(0o755)
    os.utime(path, (START / 1000, START / 1000))
    return path


@pytest.mark.skipif(os.geteuid() != 0 or shutil.which("bash") is None, reason="names of owners are compared as root")
@pytest.mark.parametrize("line", LINES)
def test_as_the_real_one(line: str, folder: Path) -> None:
    env = {"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8", "TZ": "UTC", "HOME": "/root"}
    real = subprocess.run(["bash", "-c", line], cwd=folder, env=env,
                          capture_output=True, text=True)  # fmt: skip
    sh, _ = shell(start_files={f"/root/w/{name}": text for name, text in FILES.items()})
    sh.run("cd w")
    mine = sh.run(f"{{ {line}\n}} > /tmp/out")
    stdout = sh.files("kadmin").handle.read_file("/tmp/out").decode()
    assert (stdout, mine.stderr, mine.exit_code) == (
        real.stdout,
        real.stderr.replace("bash: line 1: ", "bash: "),
        real.returncode,
    )
