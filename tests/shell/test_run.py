# SPDX-License-Identifier: Apache-2.0
"""Is a program the same under `ompd run' as alone, and is it reported on when it crashes or is
interrupted?"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import command
import machine
import pytest
from command import OMPD, Answer, is_an_error, ompd
from ompd_cli import outcome
from ompd_cli.outcome import FAILED, FOUND, LATE, NOT_EXECUTABLE, NOT_FOUND
from sessions import PATIENCE

HOG = """\
#include <stdlib.h>
#include <string.h>
int main(void)
{
    for (;;)
        memset(malloc(1 << 20), 1, 1 << 20);
}
"""


def test_same_as_alone(folder: Path) -> None:
    """Arguments, environment, streams, descriptors, signals, status."""
    echo = folder / "echo"
    machine.run("gcc", machine.PROGRAMS / "echo.c", "-o", echo)
    words = [str(echo), "two words", "it's", 'a "b"', "a\nline", "$HOME `ls` \\n *", "", "--json"]
    env = {"PATH": os.environ["PATH"], "ODD": "a\nb 'c'", "SHELL": "/bin/false", "LINES": "3"}
    seen = []
    for before in ([], [sys.executable, str(OMPD), "run", "--"]):
        done = subprocess.run(
            [*before, *words],
            input=b"typed\n",
            env=env,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            timeout=PATIENCE,
            check=False,
            preexec_fn=_as_nohup,
        )
        seen.append((done.returncode, done.stdout, done.stderr))
    assert seen[0] == seen[1]
    assert seen[0][0] == 7


def _as_nohup() -> None:
    signal.signal(signal.SIGHUP, signal.SIG_IGN)


@pytest.mark.parametrize("status", [0, 1, 77])
def test_own_status(status: int, folder: Path) -> None:
    env = command.environment(folder)
    answer = ompd("run", "--", command.program(), str(status), folder=folder, environment=env)
    assert answer == Answer(status, "", "")


def test_ended_by_a_signal(folder: Path) -> None:
    answer = ompd("run", "--", "/bin/sh", "-c", "kill -TERM $$", folder=folder)
    assert answer == Answer(128 + signal.SIGTERM, "", "")


@pytest.mark.parametrize(
    ("how", "number", "words"),
    [
        ("kill -KILL $$", signal.SIGKILL, "SIGKILL, which the program itself, somebody, or"),
        ("ulimit -St 1; while :; do :; done", signal.SIGXCPU, "SIGXCPU: its processor time is"),
        ("ulimit -f 1; exec head -c 9999 /dev/zero >much", signal.SIGXFSZ, "SIGXFSZ: a file"),
    ],
)
def test_ended_by_the_kernel(how: str, number: int, words: str, folder: Path) -> None:
    answer = ompd("run", "--", "/bin/sh", "-c", how, folder=folder)
    assert answer.status == 128 + number and answer.text == ""
    assert answer.errors.startswith(f"ompd: The program was ended by {words}"), answer.errors
    assert len(answer.errors.splitlines()) == 1


def test_ended_for_want_of_memory(folder: Path) -> None:
    """In a control group of its own, whose limit GDB keeps to."""
    group, limit = Path(f"/sys/fs/cgroup/ompd-{os.getpid()}"), "memory.max"
    if (group.parent / "memory").exists():
        group, limit = group.parent / "memory" / group.name, "memory.limit_in_bytes"
    try:
        group.mkdir()
    except OSError as error:
        pytest.skip(f"no control group can be made: {error}")
    (folder / "hog.c").write_text(HOG, encoding="ascii")
    machine.run("gcc", folder / "hog.c", "-o", folder / "hog")
    try:
        if not (group / limit).exists():
            pytest.skip("its parent does not control memory")
        (group / limit).write_text(str(512 << 20), encoding="ascii")
        inside = f"echo $$ >{group}/cgroup.procs && exec {OMPD} run -- {folder}/hog"
        done = subprocess.run(
            ["/bin/sh", "-c", inside],
            stderr=subprocess.PIPE,
            text=True,
            timeout=PATIENCE,
            check=False,
        )
    finally:
        group.rmdir()
    assert done.returncode == 128 + signal.SIGKILL, done.stderr
    assert done.stderr == (
        "ompd: The program was ended by SIGKILL, most likely for want of memory: its control group"
        " counted an OOM kill, and may have 512 MB.\n"
    )


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGALRM])
@pytest.mark.parametrize(("how", "status"), [("exit", 7), ("_exit", 7), ("return", 5)])
def test_own_handler(how: str, status: int, number: int, folder: Path) -> None:
    """A thread of a team ends the program, while GDB is busy with its other threads."""
    program = machine.compiled("handlers")
    answer = ompd("run", "--", program, str(int(number)), how, folder=folder)
    assert answer == Answer(status, "", "")


def test_crash(folder: Path) -> None:
    env = command.environment(folder)
    words = ("run", "--", command.program(), "unmapped")
    answer = ompd(*words, folder=folder, environment=env)
    line, address, _ = command.truth(folder)
    assert answer.status == FOUND and answer.text == ""
    first = " ".join(answer.errors.split("Threads :")[0].split())
    assert first.startswith(
        f"Odd : The program crashed: SIGSEGV (no memory is mapped at {address:#x}"
    )
    assert "R1.2 (T" in first and f"crashes.c:{line}" in first
    out = folder / "report.json"
    answer = ompd("run", "--json", "-o", out, *words[1:], folder=folder, environment=env)
    assert (answer.status, answer.text, answer.errors) == (FOUND, "", "")
    told = Answer(0, out.read_text(encoding="utf-8"), "").document
    assert told["signal"]["name"] == "SIGSEGV" and told["inferior"]["kind"] == "live"


def running_in(folder: Path) -> list[str]:
    """The processes there: others may run the same program elsewhere."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if (process / "cwd").resolve() == folder.resolve():
                found.append(process.name)
    return found


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("how", ["state", "wait"])
def test_interrupted(how: str, number: int, folder: Path) -> None:
    """As by Ctrl-C, or by a batch system, which reach ompd alone."""
    env = {**os.environ, **command.environment(folder)}
    program, sign = [str(command.program()), "wait"], folder / "truth"
    if how == "state":
        program = [str(machine.compiled("states")), "deadlock"]
        env["OMPD_TRUTH_STOP"] = "park"
    with subprocess.Popen(
        [OMPD, "run", "--", *program], env=env, stderr=subprocess.PIPE, cwd=folder
    ) as process:
        end = time.monotonic() + PATIENCE
        while not sign.exists() and time.monotonic() < end:
            time.sleep(0.01)
        process.send_signal(number)
        _, errors = process.communicate(timeout=PATIENCE)
    command.check(errors.decode())
    if how == "state":
        assert process.returncode == FOUND
        assert "None of 3 OpenMP threads can go on" in errors.decode()
    else:
        assert process.returncode == 128 + number
        assert "R1.2" in errors.decode()
    assert not running_in(folder), "the program is still there"


def test_interrupted_twice(folder: Path) -> None:
    """Then without a report. Slurm sends several at once: those are one."""
    scratch = folder / "scratch"
    scratch.mkdir()
    env = {**os.environ, **command.environment(folder), "TMPDIR": str(scratch)}
    with subprocess.Popen(
        [OMPD, "run", "--", command.program(), "wait"], env=env, stderr=subprocess.PIPE, cwd=folder
    ) as process:
        end = time.monotonic() + PATIENCE
        while not (folder / "truth").exists() and time.monotonic() < end:
            time.sleep(0.01)
        for number in running_in(folder):
            if Path(f"/proc/{number}/comm").read_text(encoding="utf-8") == "gdb\n":
                os.kill(int(number), signal.SIGSTOP)  # it would be ready before
        first = time.monotonic()
        process.send_signal(signal.SIGTERM)
        while not list(scratch.glob(f"*/{outcome.ASKED}")):
            assert process.poll() is None and time.monotonic() < end
            time.sleep(0.01)
        asked = time.monotonic()
        process.send_signal(signal.SIGTERM)
        while process.poll() is None and time.monotonic() < asked + outcome.AT_ONCE:
            time.sleep(0.01)
        if process.poll() is None:
            process.send_signal(signal.SIGTERM)
        _, errors = process.communicate(timeout=PATIENCE)
        ended = time.monotonic()
    assert ended - first >= outcome.AT_ONCE, "the second came at once with the first"
    assert (process.returncode, errors) == (128 + signal.SIGTERM, b"")
    while running_in(folder):
        assert time.monotonic() < end, "the program is still there"
        time.sleep(0.05)


def test_all_are_asked(folder: Path) -> None:
    """Slurm's SIGTERM reaches GDB and the program too."""
    env = {**os.environ, **command.environment(folder)}
    with subprocess.Popen(
        [OMPD, "run", "--", command.program(), "wait"], env=env, stderr=subprocess.PIPE, cwd=folder
    ) as process:
        end = time.monotonic() + PATIENCE
        while not (folder / "truth").exists() and time.monotonic() < end:
            time.sleep(0.01)
        for number in [*running_in(folder), process.pid]:
            os.kill(int(number), signal.SIGTERM)
        _, errors = process.communicate(timeout=PATIENCE)
    assert process.returncode == 128 + signal.SIGTERM and "R1.2" in errors.decode()
    assert not running_in(folder), "the program is still there"


def test_after_a_time(folder: Path) -> None:
    """It hangs, as far as anybody can tell."""
    env = {**command.environment(folder), "OMPD_TRUTH_STOP": "park"}
    states = machine.compiled("states")
    for seconds in (2, 10, 40):
        words = ("run", "--timeout", str(seconds), "--", states, "deadlock")
        answer = ompd(*words, folder=folder, environment=env)
        if answer.status == FOUND:
            break  # it had the time to get there
    assert answer.status == FOUND and "None of 3 OpenMP threads can go on" in answer.errors


def test_time_is_over(folder: Path) -> None:
    """And nothing odd: that is not the program's own status, nor a finding."""
    env = command.environment(folder)
    for seconds in (2, 10, 40):
        words = ("run", "--timeout", str(seconds), "--", command.program(), "wait")
        answer = ompd(*words, folder=folder, environment=env)
        if answer.status == LATE:
            break  # it had the time to get there
    assert answer.status == LATE and answer.errors.startswith("No problems found"), answer
    answer = ompd("run", "--timeout", "0.5", "--", "/bin/sleep", "600", folder=folder)
    assert answer.status == FAILED, "of a program without OpenMP nothing is known"
    assert "has no OpenMP runtime loaded" in answer.errors


def test_what_cannot_be_run(folder: Path) -> None:
    script, text, foreign = folder / "script", folder / "text", folder / "foreign"
    for path in (script, text):
        path.write_text("#!/bin/sh\n", encoding="utf-8")
    script.chmod(0o755)
    whole = bytearray(Path("/bin/true").read_bytes())
    whole[18:20] = b"\x16\x00"  # e_machine: S/390
    foreign.write_bytes(whole)
    foreign.chmod(0o755)
    for words, status, said in (
        ((), FAILED, "Which program?"),
        (("--nosuch", "--", script), FAILED, "--nosuch"),
        (("--timeout", "-1", "--", script), FAILED, "--timeout"),
        (("--gdb", "no-such-gdb", "--", "/bin/true"), FAILED, "no-such-gdb"),
        (("-o", folder, "--timeout", "0.5", "--", "/bin/sleep", "600"), FAILED, "be written"),
        (("--", script), NOT_EXECUTABLE, "script"),
        (("--", text), NOT_EXECUTABLE, "chmod +x"),
        (("--", foreign), NOT_EXECUTABLE, "Exec format error"),
        (("--", "no-such-program"), NOT_FOUND, "no-such-program"),
        (("--", folder / "none"), NOT_FOUND, "none"),
    ):
        is_an_error(ompd("run", *words, folder=folder), said, status=status)
