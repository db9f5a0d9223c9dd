# SPDX-License-Identifier: Apache-2.0
"""One look at a process by a GDB without us, with a core file of the same stop; and how long a
process stands, as the kernel tells it."""

from __future__ import annotations

import contextlib
import json
import subprocess
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Iterator, NamedTuple, Sequence

import machine
from programs import state
from sessions import PATIENCE

SCRIPT = Path(__file__).with_name("plain_gdb.py")
STOPPED = "Tt"


@dataclass
class Standing:
    """When it stood, by the monotonic clock: from, to."""

    intervals: list[tuple[float, float]] = field(default_factory=list)

    @property
    def seconds(self) -> float:
        return sum(to - since for since, to in self.intervals)


@contextlib.contextmanager
def watched(pid: int) -> Iterator[Standing]:
    """What is asked inside stops it."""
    standing, over = Standing(), threading.Event()
    thread = threading.Thread(target=_watch, args=(pid, standing, over))
    thread.start()
    try:
        yield standing
    finally:
        over.set()
        thread.join()


def _watch(pid: int, standing: Standing, over: threading.Event) -> None:
    since = None
    while not over.wait(0.001):
        now, stands = time.monotonic(), state(pid) in STOPPED
        if stands and since is None:
            since = now
        elif not stands and since is not None:
            standing.intervals.append((since, now))
            since = None


class Mapping(NamedTuple):
    start: int
    end: int
    executable: bool
    path: str


@dataclass
class Plain:
    """What GDB alone tells of one moment. stacks: of each LWP, the innermost frame first."""

    stacks: dict[int, list[tuple[int, str | None]]]
    maps: list[Mapping]
    core: Path
    seconds: float  # the process stood for `thread apply all bt'


def mappings(text: str) -> list[Mapping]:
    found = []
    for line in text.splitlines():
        words = line.split(None, 5)
        start, end = (int(word, 16) for word in words[0].split("-"))
        found.append(Mapping(start, end, "x" in words[1], words[5] if len(words) == 6 else ""))
    return found


def module(maps: Sequence[Mapping], pc: int) -> str:
    """What code is executed there."""
    return next((one.path for one in maps if one.start <= pc < one.end and one.executable), "")


def plain(pid: int, folder: Path) -> Plain:
    told, core = folder / "plain.json", folder / f"core.{pid}"
    steps = ["set debuginfod enabled off"] if _has_debuginfod() else []
    steps += [f"source {SCRIPT}", f"attach {pid}", "thread apply all bt"]
    steps += [f"plain-stacks {told}", f"generate-core-file {core}", "detach"]
    with watched(pid) as standing:
        done = subprocess.run(
            [machine.gdb("gdb"), "-nx", "-q", "-batch", *(w for s in steps for w in ("-ex", s))],
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=PATIENCE,
            check=False,
        )
    assert core.exists() and told.exists(), done.stdout.decode(errors="replace")
    found = json.loads(told.read_text(encoding="utf-8"))
    return Plain(
        {int(lwp): [(pc, name) for pc, name in stack] for lwp, stack in found["stacks"].items()},
        mappings(found["maps"]),
        core,
        found["finished"] - standing.intervals[0][0],
    )


def _has_debuginfod() -> bool:
    """GDB 10 knows no such setting, and would stop at it."""
    shown = machine.run(machine.gdb("gdb"), "-nx", "-q", "-batch", "-ex", "show debuginfod")
    return "nabled" in shown
