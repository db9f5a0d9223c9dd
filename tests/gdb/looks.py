# SPDX-License-Identifier: Apache-2.0
"""How is a program looked at that does not help? It runs by itself, and is stopped from outside: by
a GDB that started it or attaches, by gcore, by the shell's ompd; once or again and again."""

from __future__ import annotations

import contextlib
import json
import os
import resource
import signal
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Iterator, Sequence

import agreement
import machine
import schema
from agreement import Stop
from sessions import FORBIDDEN, PATIENCE, need_kernel_cores, sourcing, started

FINDING, CANNOT_TELL = 1, 3  # exit statuses
OMPD = machine.ROOT / "gdb-plugin" / "bin" / "ompd"
SCRIPT = Path(__file__).with_name("look_often.py")


@dataclass
class Program:
    """What is looked at: where it says that it has begun, and what it is started with."""

    executable: Path
    args: Sequence[str | Path]
    environment: dict[str, str]
    begun: Path


class NotBegun(AssertionError):
    """The program has not come to what is to be looked at."""


@contextlib.contextmanager
def running(program: Program, folder: Path) -> Iterator[int]:
    with subprocess.Popen(
        machine.in_background(program.executable, *program.args),
        env={**os.environ, **program.environment},
        cwd=folder,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        stdin=subprocess.DEVNULL,
    ) as process:
        try:
            end = time.monotonic() + PATIENCE
            while not has_begun(program):
                assert process.poll() is None, f"the program ended with {process.returncode}"
                if time.monotonic() > end:
                    raise NotBegun(f"{program.args} did not begin")
                time.sleep(0.005)
            yield process.pid
            assert process.poll() is None, f"the program ended with {process.returncode}"
        finally:
            machine.kill(process)


def has_begun(program: Program) -> bool:
    return program.begun.exists() and bool(program.begun.read_bytes().strip(b"\0"))


def wait_for_threads(pid: int, count: int) -> None:
    end = time.monotonic() + PATIENCE
    while len(os.listdir(f"/proc/{pid}/task")) < count:
        assert time.monotonic() < end, f"it has not begun {count} threads"
        time.sleep(0.05)


def by_gdb(
    kind: str, program: Program, looks: int, seed: int, folder: Path, gdb: str = "gdb"
) -> list[Stop]:
    """kind: live, attach, gcore, core; what was told at each of several moments."""
    program.begun.unlink(missing_ok=True)
    if kind == "live":
        _run(gdb, "live", program, looks, seed, folder, 0)
    elif kind == "core":
        assert looks == 1, "a program leaves one core"
        quit_by_user(program, folder).rename(folder / "core.0")
        _run(gdb, "core", program, looks, seed, folder, 0)
    else:
        with running(program, folder) as pid:
            _run(gdb, kind, program, looks, seed, folder, pid)
        if kind == "gcore":
            _run(gdb, "core", program, looks, seed, folder, 0)
    return [_told(folder / f"look.{number}.json") for number in range(looks)]


def attached(program: Program, pid: int, looks: int, seed: int, folder: Path) -> list[Stop]:
    """A process that runs already, and goes on afterwards."""
    _run("gdb", "attach", program, looks, seed, folder, pid)
    return [_told(folder / f"look.{number}.json") for number in range(looks)]


def gcore(pid: int, folder: Path) -> Path:
    machine.run("gcore", "-o", folder / "gcore", str(pid))
    return folder / f"gcore.{pid}"


def quit_by_user(program: Program, folder: Path) -> Path:
    """As he ends a program that hangs, by Ctrl-\\: the core that the kernel writes."""
    with contextlib.suppress(_Ended), running(program, folder) as pid:
        left = core_of(pid, folder)
        raise _Ended
    return left


def core_of(pid: int, folder: Path) -> Path:
    """That the kernel writes of a process of ours in its folder."""
    need_kernel_cores()
    resource.prlimit(pid, resource.RLIMIT_CORE, (resource.RLIM_INFINITY,) * 2)
    os.kill(pid, signal.SIGQUIT)
    os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
    (left,) = folder.glob("core*")
    return left


class _Ended(Exception):
    """As it should."""


def _run(
    gdb: str, kind: str, program: Program, looks: int, seed: int, folder: Path, pid: int
) -> None:
    wishes: dict[str, Any] = {
        "kind": kind,
        "looks": looks,
        "seed": seed,
        "pid": pid,
        "begun": str(program.begun),
        "commands": agreement.COMMANDS,
        "texts": agreement.TEXTS,
    }
    steps = sourcing()
    steps += [f"set environment {name} {value}" for name, value in program.environment.items()]
    steps.append(f"source {SCRIPT}")
    words = started(gdb, "-batch")
    words += [word for step in steps for word in ("-ex", step)]
    words += ["--args", str(program.executable), *map(str, program.args)]
    done = subprocess.run(
        words,
        env={**os.environ, "OMPD_LOOKS": json.dumps(wishes)},
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        timeout=max(PATIENCE, 60 * looks),
        check=False,
    )
    met = FORBIDDEN.search(done.stdout)
    assert done.returncode == 0 and met is None, done.stdout


def _told(path: Path) -> Stop:
    found = json.loads(path.read_text(encoding="utf-8"))
    path.unlink()
    for document in found["documents"].values():
        schema.check(document)
    return Stop(found["documents"], found["texts"], found["stacks"])


@dataclass
class Answer:
    """The shell's ompd's."""

    status: int
    text: str


def by_shell(*words: str | Path, folder: Path) -> Answer:
    done = subprocess.run(
        [OMPD, *map(str, words)],
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        timeout=PATIENCE,
        check=False,
    )
    assert FORBIDDEN.search(done.stdout) is None, done.stdout
    return Answer(done.returncode, done.stdout)
