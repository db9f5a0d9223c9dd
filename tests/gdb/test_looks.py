# SPDX-License-Identifier: Apache-2.0
"""How often is it not known whether a healthy program goes on: at one look, that of a core, and at
two? All scenarios of innocents.c, counted together."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path

import looks
import machine
import pytest
import test_innocents as innocents
from agreement import score
from looks import CANNOT_TELL
from test_innocents import BUILDS, OF_CLANG_ONLY, OF_NEWER_LLVM, SCENARIOS, SETTINGS, Cell

RUNTIMES = ("libgomp-12", "libgomp-10", "libomp-14", "libomp-19")
AT_ONE, AT_TWO = 0.15, 0.02  # of all looks, at most
LOOKS = int(os.environ.get("OMPD_MOMENTS", "2"))  # at each scenario


@dataclass
class Count:
    """How many looks there were, and how many of them left it open."""

    looks: int = 0
    two: int = 0
    cores: int = 0
    one: int = 0


def cell_of(i: int, scenario: str, runtime: str) -> Cell | None:
    """None: the runtime cannot execute it."""
    gnus = machine.is_gnus(runtime)
    lacks = OF_CLANG_ONLY if gnus else OF_NEWER_LLVM if runtime == "libomp-14" else set()
    if scenario in lacks:
        return None
    settings = tuple(SETTINGS[i % len(SETTINGS)].items())
    return Cell(scenario, "pid", BUILDS[i // 2 % len(BUILDS)], runtime, gnus, settings, "gdb")


@pytest.mark.full
@pytest.mark.parametrize("runtime", RUNTIMES)
def test_cannot_tell(runtime: str, folder: Path) -> None:
    count, left_open = Count(), []
    cells = (cell_of(i, scenario, runtime) for i, scenario in enumerate(SCENARIOS))
    for cell in filter(None, cells):
        texts = look_at(cell, LOOKS, count, folder)
        left_open += [f"{cell}: {text}" for text in texts]
    print(f"{runtime}: {count}", *left_open, sep="\n")
    assert count.two <= AT_TWO * count.looks, left_open
    assert count.one <= AT_ONE * count.cores, count


@pytest.mark.each("scenario")
@pytest.mark.parametrize(
    "scenario, runtime, build",
    [
        ("task_at_once", "libgomp-12", "release"),  # who waits is in code that made way for a call
        ("two_roots", "libgomp-12", "optimised"),
        ("conditions_from_outside", "libomp-14", "debug"),
    ],
)
def test_told(scenario: str, runtime: str, build: str, folder: Path) -> None:
    """Two looks see these go on."""
    cell = Cell(scenario, "pid", build, runtime, machine.is_gnus(runtime), (), "gdb")
    assert not look_at(cell, 1, Count(), folder)


def look_at(cell: Cell, number: int, count: Count, folder: Path) -> list[str]:
    """Why two looks left it open; as often as they did."""
    program, found = innocents.program_of(cell, folder), []
    program.begun.unlink(missing_ok=True)
    with looks.running(program, folder) as pid:
        for _ in range(number):
            before = innocents.rounds(program)
            text = by_two_looks(pid, count, folder)
            found += [text] if text is not None else []
            innocents.until_it_goes_on(program, before)
        core = looks.gcore(pid, folder)
    answer = looks.by_shell("core", core, folder=folder)
    core.unlink()
    score.judge_status(answer.status)
    assert answer.status in (0, CANNOT_TELL), f"{cell}:\n{answer.text}"
    count.cores += 1
    count.one += answer.status == CANNOT_TELL
    return found


def by_two_looks(pid: int, count: Count, folder: Path) -> str | None:
    """The second is taken where the first one leaves it open, or somebody waits for another."""
    answer = looks.by_shell("pid", "--json", str(pid), folder=folder)
    score.judge_status(answer.status)
    assert answer.status in (0, CANNOT_TELL), answer.text
    report = json.loads(answer.text)
    second = report["deadlock"]["second_look"]
    count.looks += 1
    if answer.status == 0:
        return None
    count.two += 1
    text = str(report["deadlock"]["unknown"])
    assert second is None or "gone on since" not in second, f"{second} {text}"
    return text
