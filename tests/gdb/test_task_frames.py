# SPDX-License-Identifier: Apache-2.0
"""Are the frames that `ompd bt' tells to be a task's those of the task? A runtime that tracks
states records for tools where each task's code was entered and left, which `ompd bt' does not use:
where the program itself calls the code, it is a frame of the runtime's that is gone."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Iterator

import machine
import pytest
from sessions import ask, target

ALL = "ompd bt * -json"
DRIVER = f"source {machine.ROOT / 'tests' / 'gdb' / 'record_frames.py'}"
PROGRAMS = [
    ("stacks", machine.CLANG, "nested"),
    ("stacks", machine.CLANG, "tasks"),
    ("stacks", machine.CLANG, "waits"),
    ("stacks", machine.CLANG, "recursion 3"),
    ("stacks", "gcc", "nested"),
    ("stacks", "gcc", "tasks"),
    ("constructs", machine.FLANG, "nested"),
    ("constructs", machine.FLANG, "contained"),
    ("constructs", machine.FLANG, "tasks"),
    ("constructs", machine.FLANG, "grouped"),
]
BUILDS = ["debug", "optimised", "plain"]
RUNTIMES = ["libomp-16", "libomp-19-ompd", "libomp-19-debug"]
# The runtime's word is a frame pointer, or a stack pointer at a call: two words beside the frame.
BESIDE = 16


def tasks_frames(stack: Any) -> Iterator[list[int]]:
    """The levels of the frames of each task, as far as they are on the thread's own stack."""
    levels: list[int] = []
    for frame in stack["frames"]:
        if frame["kind"] == "construct":
            yield levels
            levels = []
        elif frame["thread"] != stack["gdb"]:
            return
        elif frame["level"] is not None:
            levels.append(frame["level"])
    yield levels


@pytest.mark.parametrize("build", BUILDS)
@pytest.mark.parametrize("program, compiler, scenario", PROGRAMS)
def test_boundaries(program: str, compiler: str, scenario: str, build: str, folder: Path) -> None:
    turn = PROGRAMS.index((program, compiler, scenario)) + BUILDS.index(build)
    executable = machine.compiled(program, build, compiler=compiler)
    runtime = machine.cached(RUNTIMES[turn % 3])
    if compiler == "gcc":
        runtime = machine.as_libgomp(runtime, folder / "lib")
    commands = [ALL, f"record-frames {folder / 'frames'}"]
    tracking = {"OMP_DEBUG": "enabled"}
    with target("live", executable, scenario.split(), runtime, folder, tracking) as made:
        answer = ask("gdb", commands, [*made.before, DRIVER], made.files, folder=folder)
    recorded = json.loads((folder / "frames").read_text(encoding="utf-8"))
    compared = 0
    for stack in answer.document(ALL)["stacks"]:
        of_thread = recorded[stack["gdb"].rpartition(".")[2]]
        tasks = of_thread["tasks"]
        for at, (levels, task) in enumerate(zip(tasks_frames(stack), tasks)):
            entered, left = task["exit"], task["enter"]  # OMPT's words are the runtime's view
            if at + 1 < len(tasks) and entered == tasks[at + 1]["enter"]:
                entered = 0
            if at and left == tasks[at - 1]["exit"]:
                left = 0
            if not levels:
                continue
            inner, outer = (of_thread["frames"][level] for level in (levels[0], levels[-1]))
            assert not left or left - BESIDE < inner[1], answer.everything
            assert not entered or outer[1] <= entered + BESIDE, answer.everything
            compared += bool(left) + bool(entered)
    assert compared, answer.everything
