# SPDX-License-Identifier: Apache-2.0
"""Does a hang name the tasks that are left, where each was made, and who has it? Compared with what
the program recorded of its threads, and with its source."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, Tuple

import looks
import machine
import pytest
from agreement import Stop
from test_guilty import ACTIVE, Cell, Truth, program_of, truth_of

PASSIVE = (("OMP_WAIT_POLICY", "passive"),)
RUNTIMES = ["libomp-19", "libomp-14", "libgomp-12"]
KINDS = ["attach", "live", "gcore"]
Settings = Tuple[Tuple[str, str], ...]
MADE = r"(t\d+) \(made in (\w+) \(\) at guilty_tasks\.c:(\d+)\)"


def line_of(function: str, text: str) -> int:
    """Where the first such text stands in it."""
    lines = (machine.PROGRAMS / "guilty_tasks.c").read_text(encoding="utf-8").splitlines()
    begin = next(i for i, line in enumerate(lines) if re.match(rf"static .*\b{function}\(", line))
    return next(i for i, line in enumerate(lines) if i > begin and text in line) + 1


def made_at(waits: dict[str, Any], task: str) -> int:
    """By the document."""
    (found,) = (one["created"]["line"] for one in waits["tasks"] if one["id"] == task)
    return int(found)


def said(
    scenario: str, kind: str, runtime: str, settings: Settings, folder: Path
) -> tuple[str, Stop, dict[str, int], Truth]:
    """And what the program recorded."""
    cell = Cell(scenario, True, kind, "debug", runtime, machine.is_gnus(runtime), settings)
    program = program_of(cell, folder)
    (stop,) = looks.by_gdb(kind, program, 1, 1, folder)
    lwps = {name: thread["lwp"] for name, (thread, _) in stop.threads().items()}
    return " ".join(stop.text("ompd").split()), stop, lwps, truth_of(program)


NOT_ENDING = [
    "child_never_ends",
    "group_never_ends",
    "predecessor_never_ends",
]
DETACHED = ["detached_at_taskwait", "detached_at_taskgroup", "detached_predecessor"]


@pytest.mark.each("scenario")
@pytest.mark.parametrize("settings", [ACTIVE, PASSIVE], ids=["active", "passive"])
@pytest.mark.parametrize("runtime", RUNTIMES)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("scenario", NOT_ENDING)
def test_task_that_does_not_end(
    scenario: str, kind: str, runtime: str, settings: Settings, folder: Path
) -> None:
    text, stop, lwps, truth = said(scenario, kind, runtime, settings, folder)
    assert [one["code"] for one in stop.findings] == ["standstill"], stop.texts
    found = re.findall(rf"{MADE}, which (R1\.\d) executes", text)
    executors = {lwps[who] for *_, who in found}
    assert truth.stuck <= executors, f"{text}\n{truth}"
    for _, function, line, _ in found:
        begin = line_of(function, "#pragma omp task")
        assert int(line) in range(begin, begin + 6), text


@pytest.mark.parametrize("runtime, kind", [("libgomp-12", "attach"), ("libomp-19", "gcore")])
def test_task_that_nobody_takes(runtime: str, kind: str, folder: Path) -> None:
    text, stop, _, _ = said("queued_for_nobody", kind, runtime, PASSIVE, folder)
    assert [one["code"] for one in stop.findings] == ["standstill"], stop.texts
    found = re.search(rf"Task {MADE} is queued, and nobody comes to take it", text)
    assert found, text
    begin = line_of("queued_for_nobody", "#pragma omp task")
    assert int(found[3]) in (begin, begin + 1), text
    waits = stop.documents["ompd report"]["deadlock"]
    assert waits["queued"] == [found[1]] and made_at(waits, found[1]) == int(found[3])


@pytest.mark.each("scenario")
@pytest.mark.parametrize("settings", [ACTIVE, PASSIVE], ids=["active", "passive"])
@pytest.mark.parametrize("runtime", RUNTIMES)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("scenario", DETACHED)
def test_detached_task(
    scenario: str, kind: str, runtime: str, settings: Settings, folder: Path
) -> None:
    text, stop, lwps, truth = said(scenario, kind, runtime, settings, folder)
    assert [one["code"] for one in stop.findings] == ["standstill"], stop.texts
    found = re.search(rf"(R1\.\d): task\w+ .*?, for detached task {MADE}: nobody has", text)
    assert found, text
    who, task, function, line = found.groups()
    assert lwps[who] in truth.stuck, f"{text}\n{truth}"
    assert int(line) == line_of(function, "detach(event)"), text
    waits = stop.documents["ompd report"]["deadlock"]
    (group,) = (one for one in waits["waits"] if one["events"])
    assert group["events"] == [task] and made_at(waits, task) == int(line)
