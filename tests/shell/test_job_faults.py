# SPDX-License-Identifier: Apache-2.0
"""What can go wrong while a job is looked at: is it told in a sentence, of the one whom it hit, and
are the others told as ever? Nothing that a rank can choose is shown raw."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, Iterator

import command
import machine
import pytest
from command import CANNOT_READ, NOTHING_ODD, OMPD, Answer, is_an_error, ompd
from ompd_cli import guardian
from sessions import PATIENCE
from test_pid import Counting, as_nobody, children

ESCAPES = "\x1b]0;mine\x07\x1b[31m\x9b\r\n"
# Ranks that wait spin: two jobs beside each other take for ever.
pytestmark = pytest.mark.xdist_group("ranks")


@contextlib.contextmanager
def counting(
    folder: Path, name: str, executable: Path | None = None, number: int = 1
) -> Iterator[Counting]:
    """name: of what it records. It is a rank as a launcher would start it."""
    rank = {"OMPI_COMM_WORLD_RANK": str(number), "OMPI_COMM_WORLD_SIZE": "3"}
    rank["SECRET"] = "of nobody's"
    env = {**os.environ, **command.environment(folder), **rank}
    words = machine.in_background(executable or machine.compiled("counting"), 32, folder / name)
    with subprocess.Popen(words, env=env, cwd=folder) as process:
        made = Counting(process, folder / name)
        try:
            assert made.runs()
            yield made
        finally:
            machine.kill(process)


def told(document: Any) -> dict[int, bool]:
    return {one["pid"]: one["failed"] for one in document["reports"]}


def test_a_rank_that_ends_meanwhile(folder: Path) -> None:
    """In the hands of GDB."""
    with counting(folder, "a") as dies, counting(folder, "b") as lives:
        words = [OMPD, "job", "--at-once", "2", "--json", "-o", "answer.json"]
        with subprocess.Popen(
            [*words, "--pid", str(dies.pid), str(lives.pid)],
            cwd=folder,
            env={**os.environ, "TMPDIR": str(folder)},
            stderr=subprocess.PIPE,
        ) as asking:
            while not dies.traced():
                assert asking.poll() is None
                time.sleep(0.001)
            os.kill(dies.pid, signal.SIGKILL)
            assert asking.wait(PATIENCE) == CANNOT_READ
        text = (folder / "answer.json").read_text(encoding="utf-8")
        command.check(text)
        document = Answer(0, text, "").document
        assert told(document) == {dies.pid: True, lives.pid: False}
        (why,) = document["unavailable"]
        assert f"Process {dies.pid} has ended" in f"{why['message']} {why['hint']}"
        assert lives.runs()


def test_a_full_disk(folder: Path) -> None:
    """Of the node, where GDB's report goes; and of whoever asks."""
    if os.geteuid() != 0:
        raise machine.Missing("Only root can make a small disk: run it as root.")
    (folder / "small").mkdir()
    with counting(folder, "a") as rank:
        for size in ("4k", "16k"):
            script = f'mount -t tmpfs -o size={size} none small && TMPDIR=$PWD/small exec "$@"'
            ask = [OMPD, "job", "--json", "--pid", str(rank.pid)]
            done = subprocess.run(
                ["unshare", "--mount", "sh", "-c", script, "sh", *ask],
                cwd=folder,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                check=False,
            )
            answer = Answer(done.returncode, done.stdout.decode(), done.stderr.decode())
            command.check(answer.text + answer.errors)
            assert answer.status == CANNOT_READ
            (why,) = answer.document["unavailable"]
            assert "No space left on device" in why["message"], why
            assert rank.runs()
        answer = ompd("job", "--pid", str(rank.pid), "-o", "/dev/full", folder=folder)
        is_an_error(answer, "/dev/full", "No space left on device")
        assert rank.runs()


@pytest.mark.full
def test_another_users_rank(folder: Path) -> None:
    with counting(folder, "a") as rank:
        ask = machine.installed(folder) / "bin" / "ompd"
        done = subprocess.run(
            as_nobody(ask, "job", "--json", "--pid", str(rank.pid), folder=folder),
            cwd=folder,
            env={"PATH": os.environ["PATH"], "TMPDIR": str(folder)},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            check=False,
        )
        answer = Answer(done.returncode, done.stdout.decode(), done.stderr.decode())
        assert answer.status == CANNOT_READ, answer
        (why,) = answer.document["unavailable"]
        assert why["code"] == "not_permitted" and "belongs to user root" in why["message"]
        assert rank.runs()


def claim(pid: int, number: int) -> None:
    """A program that writes into its own environment, as many do to be told apart by `ps'."""
    text = Path(f"/proc/{pid}/stat").read_text(encoding="ascii", errors="replace")
    at = int(text.rpartition(")")[2].split()[47])  # env_start
    with open(f"/proc/{pid}/mem", "r+b", buffering=0) as memory:
        memory.seek(at)
        name = b"OMPI_COMM_WORLD_RANK="
        memory.seek(at + memory.read(1 << 16).index(name) + len(name))
        memory.write(b"%d" % number)


@pytest.mark.full
def test_two_that_say_that_they_are_one_rank(folder: Path) -> None:
    """None of them is lost, and neither is called that rank. By the launcher, here this process,
    and by name."""
    with counting(folder, "a", number=0) as good, counting(folder, "b", number=1) as true:
        with counting(folder, "c", number=2) as liar:
            pids = {good.pid, true.pid, liar.pid}
            claim(liar.pid, 1)
            named = ["--pid", *map(str, pids)]
            for words in (["--mpirun", str(os.getpid())], named):
                answer = ompd("job", *words, "--json", folder=folder)
                document = answer.document
                assert told(document) == {pid: False for pid in pids}
                (note,) = [one for one in document["notes"] if "Several reports" in one]
                both = sorted((true.pid, liar.pid))
                assert "of one rank (1; " in note and all(f":{pid}" in note for pid in both)
                (one,) = document["classes"]
                host = os.uname().nodename
                apart = "-" if both[1] == both[0] + 1 else ","
                assert one["ranks"] == f"0 {host}:{both[0]}{apart}{both[1]}"
                assert document["absent"] == "2"
                assert answer.status == (NOTHING_ODD if words is named else CANNOT_READ)
            assert good.runs() and true.runs() and liar.runs()


def test_a_rank_and_what_it_has_started(folder: Path) -> None:
    """They are one: the program is meant, and not the shell that has started it."""
    wrapper = folder / "wrapper"
    program = machine.compiled("counting")
    wrapper.write_text(f'#!/bin/sh\nsleep 600 &\n{program} "$@" & wait\n', encoding="ascii")
    wrapper.chmod(0o755)
    with counting(folder, "a", wrapper) as shell:
        below = {pid for pid in children(shell.pid)}
        answer = ompd("job", "--mpirun", str(os.getpid()), "--json", folder=folder)
        (one,) = answer.document["reports"]
        assert one["rank"] == 1 and one["pid"] in below and not one["failed"]
        assert Path(f"/proc/{one['pid']}/exe").resolve() == program.resolve()
        for pid in below:
            os.kill(pid, signal.SIGKILL)


HOST = """\
import os, socket, sys
socket.sethostname(bytes.fromhex(sys.argv[1]))
os.execvp(sys.argv[2], sys.argv[2:])
"""


@pytest.mark.parametrize("host", (ESCAPES.encode(), b"\xff\x9b\xed\xa0\x80", b"<b>$(id)`id`;</b>"))
def test_a_hosts_name(folder: Path, host: bytes) -> None:
    """Its administrator's choice; a container's, anybody's."""
    if os.geteuid() != 0:
        raise machine.Missing("Only root can name a host: run it as root.")
    with counting(folder, "a") as one, counting(folder, "b") as other:
        for words in ((), ("--json",)):
            done = subprocess.run(
                ["unshare", "--uts", sys.executable, "-c", HOST, host.hex(), OMPD, "job", *words]
                + ["--html", "page.html", "--pid", str(one.pid), str(other.pid)],
                cwd=folder,
                env={**os.environ, "TMPDIR": str(folder), "PYTHONIOENCODING": "utf-8"},
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                check=False,
            )
            # Both are rank 1, so that they are named by their host.
            assert done.returncode == NOTHING_ODD, done.stderr
            page = (folder / "page.html").read_text(encoding="utf-8")
            for text in (done.stdout.decode(), done.stderr.decode(), page):
                command.check(text)
            assert "$(id)" in page or host[:1] != b"<"
            assert "<b>$" not in page


@pytest.mark.full
def test_names_of_files_and_threads(folder: Path) -> None:
    """Of the source, as its debug information has it; of the executable, from which each thread
    has its own."""
    source = folder / f"s{ESCAPES}<blink>.c"
    text = (machine.PROGRAMS / "counting.c").read_text(encoding="utf-8")
    naming = 'prctl(PR_SET_NAME, (unsigned long)"t\\033[31m\\233\\r\\n<b>", 0, 0, 0);'
    text = "#include <sys/prctl.h>\n" + text.replace("for (;;) {", "for (;;) { " + naming)
    source.write_bytes(text.encode())
    program = folder / f"p{ESCAPES.strip()}<blink>"
    words = [machine.CLANG, "-g", "-fopenmp", source, "-o", program]
    subprocess.run(words, check=True, stderr=subprocess.PIPE)
    with counting(folder, "a", program) as rank:
        comm = Path(f"/proc/{rank.pid}/comm").read_bytes()
        assert comm.startswith(b"t\x1b[31m\x9b")
        for words in ((), ("--json",)):
            out, page = folder / "answer", folder / "page.html"
            asked = ("-o", out, "--html", page, "--pid", str(rank.pid))
            answer = ompd("job", *words, *asked, folder=folder)
            assert answer.status == NOTHING_ODD, answer
            assert "]0;mine" in out.read_text(encoding="utf-8")
            for path in (out, page):
                command.check(path.read_text(encoding="utf-8"))
            assert "<blink>" not in page.read_text(encoding="utf-8")
        # GDB reads the first line.
        alone = ompd("pid", "--json", str(rank.pid), folder=folder)
        assert "t\x1b[31m\\x9b\r" in {one["name"] for one in alone.document["threads"]}
        assert rank.runs()


def test_nothing_raw(folder: Path) -> None:
    """The program's name is its own choice. And only OpenMP's variables leave the process."""
    strange = folder / f"a{ESCAPES.strip()}<b>"
    shutil.copy2(machine.compiled("counting"), strange)
    with counting(folder, "a", strange) as rank:
        for words in ((), ("--json",)):
            out, page = folder / "answer", folder / "page.html"
            asked = ("-o", out, "--html", page, "--pid", str(rank.pid))
            answer = ompd("job", *words, *asked, folder=folder)
            assert answer.status == NOTHING_ODD, out.read_text(encoding="utf-8")
            for path in (out, page):
                assert path.stat().st_mode & 0o777 == 0o600
                text = path.read_text(encoding="utf-8")
                assert "of nobody's" not in text and "SECRET" not in text
                assert not set(text) & set("\x1b\x07\x9b\r")
                path.unlink()
        assert not guardian.is_stopped(rank.pid) and rank.runs()
