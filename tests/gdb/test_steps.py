# SPDX-License-Identifier: Apache-2.0
"""Do `ompd step', `ompd next' and `ompd finish' lead where the program's author wrote?"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Sequence

import machine
import pytest
import sessions
from sessions import Answer, ask

SOURCE = machine.PROGRAMS / "steps.c"
DRIVER = f"source {machine.ROOT / 'tests' / 'gdb' / 'record_steps.py'}"
HIDDEN = re.compile(r"^-\d+ +breakpoint", re.MULTILINE)
LOCKING = ("replay", "off", "step", "on")


@dataclass(frozen=True)
class Walk:
    name: str
    compiler: str  # or "any"
    thread: int
    begin: int  # a line
    commands: tuple[str, ...]
    ends: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.name}-{self.compiler}"


def _walks() -> list[Walk]:
    text = SOURCE.read_text(encoding="utf-8")
    places = {
        name: number
        for number, line in enumerate(text.splitlines(), 1)
        for name in re.findall(r"PLACE (\w+) \*/", line)
    }

    def with_line(end: str) -> str:
        return re.sub(r"@(\w+)", lambda match: f"@{places[match.group(1)]}", end)

    comments = re.sub(r"\n \*", " ", text)
    found = []
    for match in re.finditer(r"STEPS (\w+) (\w+) (\d)@(\w+):(.*?)(?=STEPS|\*/)", comments, re.S):
        steps = [step.split(None, 1) for step in match.group(5).split(";")]
        found.append(
            Walk(
                match.group(1),
                match.group(2),
                int(match.group(3)),
                places[match.group(4)],
                tuple("ompd " + command.replace("_", " ") for command, _ in steps),
                tuple(" ".join(with_line(end).split()) for _, end in steps),
            )
        )
    return found


WALKS = _walks()
OF_CLANG = [walk for walk in WALKS if walk.compiler != "gcc"]
OF_GCC = [walk for walk in WALKS if walk.compiler != "clang"]


def told(file: Path) -> tuple[tuple[str, ...], set[int]]:
    """Where the thread came to, and which threads these were, by GDB's number."""
    steps: list[dict[str, Any]] = json.loads(file.read_text(encoding="utf-8"))
    ends = []
    for step in steps:
        name = step.get("function") or ""
        name = "body" if "omp_" in name else name
        ends.append("error" if "error" in step else f"{name}@{step['line']} {step['id']}")
    return tuple(ends), {step["thread"] for step in steps if "thread" in step}


def walk_through(
    walk: Walk, executable: Path, runtime: Path, folder: Path, locking: str, gdb: str = "gdb"
) -> Answer:
    file = folder / "steps"
    commands = [
        f"record-steps {file} {', '.join(walk.commands)}",
        "show scheduler-locking",
        "maint info breakpoints",
    ]
    before = [
        f"set environment LD_LIBRARY_PATH {runtime}",
        DRIVER,
        f"tbreak steps.c:{walk.begin} if $_omp_thread_num() == {walk.thread}",
        "run",
        f"set scheduler-locking {locking}",
    ]
    answer = ask(gdb, commands, before, [executable], folder=folder)
    ends, threads = told(file)
    assert ends == walk.ends, answer.everything
    assert len(threads) <= 1, "the thread has changed"
    assert f'"{locking}"' in answer.texts[1]
    assert not HIDDEN.search(answer.text), "breakpoints were left behind"
    return answer


@pytest.mark.parametrize("walk", OF_CLANG, ids=str)
def test_walks(walk: Walk, folder: Path) -> None:
    locking = LOCKING[OF_CLANG.index(walk) % len(LOCKING)]
    executable, runtime = machine.compiled("steps"), machine.cached("libomp-19")
    walk_through(walk, executable, runtime, folder, locking)


@pytest.mark.parametrize("walk", OF_GCC, ids=str)
def test_entry_points_of_gnu(walk: Walk, folder: Path) -> None:
    locking = LOCKING[-1 - OF_GCC.index(walk) % len(LOCKING)]
    runtime = machine.as_libgomp(machine.cached("libomp-19"), folder / "runtime")
    walk_through(walk, machine.compiled("steps", compiler="gcc"), runtime, folder, locking)
