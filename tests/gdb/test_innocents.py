# SPDX-License-Identifier: Apache-2.0
"""Is a healthy program ever accused? Those of innocents.c wait for each other in every way there
is, and are looked at at random moments, by every command and by the shell's ompd. Whatever they are
told to be, no two outputs of one moment may contradict each other."""

from __future__ import annotations

import os
import re
import struct
import time
import zlib
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import looks
import machine
import pytest
from agreement import Stop, score
from looks import Program
from sessions import ask

KINDS = ("live", "attach", "gcore", "pid")
# How many moments of each scenario, in --full.
MOMENTS = int(os.environ.get("OMPD_MOMENTS", "50"))
MANY = {"live": MOMENTS, "attach": MOMENTS, "gcore": MOMENTS // 5, "pid": MOMENTS // 5}
LOOKS = MANY if machine.FULL else {}
FEW = {"live": 2, "attach": 2, "gcore": 1, "pid": 1}
RUNTIMES = ("libomp-14", "libomp-19", "libomp-19-ompd")
# Taken by what gcc compiles.
GNUS = ("libgomp-12", "libgomp-10")
BUILDS = ("debug", "release", "optimised")
SETTINGS: tuple[dict[str, str], ...] = (
    {},
    {"KMP_BLOCKTIME": "0"},
    {"KMP_BLOCKTIME": "infinite"},
    {"OMP_WAIT_POLICY": "active"},
    {"OMP_WAIT_POLICY": "passive"},
)
LOCK_KINDS = ("tas", "futex", "ticket", "queuing", "drdpa")
GDBS = ("gdb", "gdb-16")
# LLVM's runtime does not do for GNU's compilers what these need.
OF_CLANG_ONLY = {"task_detached", "cancelled_loops", "cancelled_regions"}
# Before release 19 LLVM's runtime keeps what such a task waits for on the waiting thread's stack,
# and writes there once more when the wait is over (LLVM's issue 85963): the program itself is
# aborted then, now and then.
OF_NEWER_LLVM = {"task_at_once"}


def scenarios_of(program: str, ending: str) -> list[str]:
    text = (machine.PROGRAMS / f"{program}.{ending}").read_text(encoding="utf-8")
    return re.findall(r"\bSCENARIO\((\w+)\)", text)


SCENARIOS = {
    name: program
    for program, ending in (("innocents", "c"), ("innocents_cxx", "cc"))
    for name in scenarios_of(program, ending)
}


@dataclass(frozen=True)
class Cell:
    scenario: str
    kind: str
    build: str
    runtime: str
    gcc: bool
    settings: tuple[tuple[str, str], ...]
    gdb: str

    def __str__(self) -> str:
        words = [self.scenario, self.kind, self.build, self.runtime, self.gdb]
        words += ["gcc"] if self.gcc else []
        return "-".join([*words, *(f"{name}={value}" for name, value in self.settings)])


def dealt(scenario: str, i: int, k: int) -> Cell:
    """The choices for a scenario in one kind of session: any two meet somewhere."""
    turn = i + k
    settings = dict(SETTINGS[(turn // 2) % len(SETTINGS)])
    if re.search("lock|chain|mixture", scenario):
        settings["KMP_LOCK_KIND"] = LOCK_KINDS[(i + 2 * k) % len(LOCK_KINDS)]
    gcc = turn % 4 == 3 and scenario not in OF_CLANG_ONLY
    # In each kind of session, and under each of its settings.
    gnus = (i // 4 + k) % 4 == 1 and scenario not in OF_CLANG_ONLY
    runtimes = RUNTIMES[1:] if scenario in OF_NEWER_LLVM else RUNTIMES
    return Cell(
        scenario,
        KINDS[k],
        BUILDS[(i // 3 + k) % len(BUILDS)],
        GNUS[i % len(GNUS)] if gnus else runtimes[turn % len(runtimes)],
        gcc or gnus,
        tuple(settings.items()),
        GDBS[(i // 2 + k) % 2],
    )


def cells() -> list[Any]:
    found = []
    for i, scenario in enumerate(SCENARIOS):
        # By default one kind for each, so that each kind meets every fourth.
        for k in range(len(KINDS)) if machine.FULL else [i % len(KINDS)]:
            found.append(pytest.param(cell := dealt(scenario, i, k), id=str(cell)))
    return found


def built(
    source: str,
    build: str,
    runtime: str,
    gcc: bool,
    settings: tuple[tuple[str, str], ...],
    folder: Path,
) -> Program:
    """Compiled by clang, or by gcc for GNU's runtime, whose part LLVM's then plays."""
    cxx = source.endswith("cxx")
    gnu = "g++" if cxx else "gcc"
    link = ("-std=c++20",) if cxx else ()
    home = machine.under_gcc(runtime, folder) if gcc else machine.cached(runtime)
    return Program(
        machine.compiled(source, build, link=link, compiler=gnu if gcc else machine.CLANG),
        [],
        {"LD_LIBRARY_PATH": str(home), **dict(settings), **machine.settings_of(runtime)},
        folder / "rounds",
    )


def program_of(cell: Cell, folder: Path) -> Program:
    source = SCENARIOS[cell.scenario]
    made = built(source, cell.build, cell.runtime, cell.gcc, cell.settings, folder)
    return replace(made, args=[cell.scenario, made.begun])


def rounds(program: Program) -> int:
    (found,) = struct.unpack("Q", program.begun.read_bytes())
    return int(found)


@pytest.mark.each("scenario")
@pytest.mark.parametrize("cell", cells())
def test_innocent(cell: Cell, folder: Path) -> None:
    program = program_of(cell, folder)
    number = (LOOKS or FEW)[cell.kind]
    if cell.kind == "pid":
        check_by_shell(program, number, folder)
    else:
        check(str(cell), cell.kind, program, number, cell.gdb, folder)


def check(name: str, kind: str, program: Program, number: int, gdb: str, folder: Path) -> None:
    """At some moments, each with all that GDB's commands tell."""
    stops = looks.by_gdb(kind, program, number, zlib.crc32(name.encode()), folder, gdb)
    wrong = []
    for moment, stop in enumerate(stops):
        found = [*score.judge_innocent(stop), *score.compare(stop)]
        if found:
            wrong.append(
                "\n".join([f"moment {moment}:", *found, *stop.texts.values(), stop.stacks])
            )
    unknown = sum(stop.deadlock["verdict"] == "unknown" for stop in stops)
    print(f"{name}: {unknown} of {len(stops)} cannot tell: {reasons(stops)}")
    assert not wrong, "\n".join(wrong)


def reasons(stops: list[Stop]) -> str:
    """Why it could not be told, without the names of threads."""
    found = {re.sub(r"\b[RTLt][\d.,-]+", "_", r) for s in stops for r in s.deadlock["unknown"]}
    return "; ".join(sorted(found))


def check_by_shell(program: Program, number: int, folder: Path) -> None:
    program.begun.unlink(missing_ok=True)
    with looks.running(program, folder) as pid:
        for _ in range(number):
            before = rounds(program)
            answer = looks.by_shell("pid", str(pid), folder=folder)
            score.judge_status(answer.status)
            assert answer.status in (0, looks.CANNOT_TELL), answer.text
            assert "Odd     :" not in answer.text, answer.text
            until_it_goes_on(program, before)


def until_it_goes_on(program: Program, before: int) -> None:
    """What does not go on is no innocent."""
    end = time.monotonic() + looks.PATIENCE
    while rounds(program) == before:
        assert time.monotonic() < end, "it stands still: it is not healthy"
        time.sleep(0.001)


def test_a_barrier_that_is_being_left(folder: Path) -> None:
    """One thread is at the region's end, the next one still sleeps at the barrier before."""
    executable = machine.compiled("leaving", "debug")
    before = [f"source {machine.ROOT / 'tests/gdb/walk_leaving.py'}"]
    settings = {"OMP_WAIT_POLICY": "passive", "LD_LIBRARY_PATH": machine.cached("libomp-19-ompd")}
    before += [f"set environment {name} {value}" for name, value in settings.items()]
    before += ["set breakpoint pending on", "walk-leaving"]
    answer = ask("gdb", ["ompd", "ompd barriers"], before, ["--args", executable], folder=folder)
    assert answer.texts[0].startswith("No problems found"), answer.everything
    table = [line.split() for line in answer.texts[1].splitlines()]
    assert [row[-2:] for row in table[1:3]] == [["0-1", "2?"], ["2", "0-1"]], answer.everything
