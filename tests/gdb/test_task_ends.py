# SPDX-License-Identifier: Apache-2.0
"""What does `ompd bt' show where a task's code has just been left? Truth: the program counts in how
many tasks' code each thread is."""

from __future__ import annotations

import re
from pathlib import Path

import machine
import pytest
from sessions import ask

STOPS = 9
BUILDS = ["debug", "light-debug", "optimised", "plain-debug", "plain"]


@pytest.mark.parametrize("scenario", ["parts", "self"])
@pytest.mark.parametrize("build", BUILDS)
@pytest.mark.parametrize("compiler", [machine.CLANG, "gcc"])
def test_a_tasks_end(compiler: str, build: str, scenario: str, folder: Path) -> None:
    executable = machine.compiled("task_ends", build, compiler=compiler)
    runtime = machine.cached("libomp-14")
    if compiler == "gcc":
        runtime = machine.as_libgomp(runtime, folder / "lib")
    before = [f"set environment LD_LIBRARY_PATH {runtime}", "ompd break task end", "run"]
    asked = ["ompd bt -json", "output depth[$_omp_thread_num()]", "continue"]
    if build == "plain":
        asked[1] = "output ((int *) &depth)[$_omp_thread_num()]"
    files = ["--args", executable, scenario]
    answer = ask("gdb", asked * STOPS, before, files, folder=folder)
    told = 0
    for stop in range(STOPS):
        stack = answer.document("ompd bt -json", stop)["stacks"][0]
        own = [frame for frame in stack["frames"] if frame["thread"] == stack["gdb"]]
        tasks = [at for at, frame in enumerate(own) if frame["construct"] == "task"]
        if any("position" in own[at].get("doubts", {}) for at in tasks):
            continue  # it says that it does not know
        told += 1
        assert tasks and own[tasks[0]]["ended"], answer.everything
        assert len(tasks) - 1 == int(answer.texts[3 * stop + 1]), answer.everything
    assert told >= (STOPS if build != "plain" and scenario == "parts" else 1), answer.everything
    assert not re.search(r"no call on the stack", answer.everything)
