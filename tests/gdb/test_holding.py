# SPDX-License-Identifier: Apache-2.0
"""Does the code tell who holds what? Each thread of the program wrote down what it holds, and most
could hold something else on another way through the same code."""

from __future__ import annotations

import json
import shutil
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import machine
import pytest
import truth
from sessions import Target, ask, target

TELL = f"source {Path(__file__).with_name('tell_holdings.py')}"
RUNTIME = "libomp-19"
KINDS, FLAVOURS = ["live", "core"], ["att", "intel", "att"]
GDBS = ["gdb", "gdb-16", "gdb-10", "gdb-18"]
Cell = tuple[str, str, tuple[str, ...]]  # build, compiler, further flags
CELLS: list[Cell] = [
    (build, compiler, ())
    for build in ("debug", "optimised", "plain")
    for compiler in (machine.CLANG, "clang-19", "gcc")
]
CELLS += [
    ("optimised", machine.CLANG, ("-fno-plt", "-fPIC")),
    ("optimised", "gcc", ("-fno-plt", "-fPIC", "-fcf-protection")),
    ("debug", "gcc", ("-Os",)),
    ("debug", machine.CLANG, ("-O1", "-no-pie")),
]
Json = dict[str, Any]
Object = tuple[str, str]  # kind, and address or name

# What is held, and cannot be told: who knows why.
CANNOT_BE_TOLD = {
    "taken_by_callee",  # the function that acquired has returned
    "locks_in_turn",  # one call acquired several
    "not_given_up_elsewhere",  # the frame has made way for the last call of its function
    "held_when_caught",  # in a part of a function whose begin only debug information tells
    "guarded",  # as taken_by_callee, where the constructor is not inlined
    "lock_chosen",  # an address that is in no register any more
}


@dataclass
class TrueThread:
    scenario: str
    wants: str = "nothing"
    holds: set[Object] = field(default_factory=set)


def true_holdings(made: Target) -> dict[int, TrueThread]:
    found: dict[int, TrueThread] = {}
    for line in Path(f"{made.record}.holds").read_text(encoding="utf-8").splitlines():
        tid, scenario, kind, what = line.split()
        thread = found.setdefault(int(tid), TrueThread(scenario))
        if kind == "wants":
            thread.wants = what
        else:
            thread.holds.add((kind, what))
    return found


def name_of(one: Json) -> str | None:
    """As the program calls it; None: not told."""
    if one["kind"] == "ordered":
        return "-"
    if one["kind"] == "critical":
        return (one["name"] or "(unnamed)") if one["name"] is not None or one["exact"] else None
    return hex(one["address"]) if one["address"] is not None else None


@dataclass
class Figures:
    held: int = 0
    found: int = 0
    for_certain: int = 0  # always, and the address is in the code
    suspected: int = 0  # on some ways only, and not held on the one that was taken


def judge(told: list[Json], true: dict[int, TrueThread]) -> Figures:
    figures = Figures()
    by_lwp = {thread["lwp"]: thread for thread in told}
    for tid, thread in true.items():
        seen = set()
        for one in by_lwp[tid]["held"]:
            name = name_of(one)
            is_held = (one["kind"], name) in thread.holds
            if one["always"] and name is not None:
                assert is_held, f"{thread.scenario} is accused of {one}"
                figures.for_certain += one["exact"]
            if one["always"] and name is None:
                assert thread.holds, f"{thread.scenario} is accused of {one}"
            if is_held:
                seen.add((one["kind"], name))
            elif name is not None:
                figures.suspected += 1
            truth.compared += 1
        missed = thread.holds - seen
        assert not missed or thread.scenario in CANNOT_BE_TOLD, f"{thread.scenario}: {missed}"
        figures.held += len(thread.holds)
        figures.found += len(seen)
    return figures


def check_waits(told: list[Json], true: dict[int, TrueThread]) -> None:
    for thread in told:
        wants = true[thread["lwp"]].wants if thread["lwp"] in true else "nothing"
        waits = thread["waits"]
        if wants == "nothing":
            assert waits is None
        elif waits is not None:
            name = hex(waits["address"]) if wants.startswith("0x") else waits["name"]
            assert name == wants


def compiled(program: str, build: str, compiler: str, flags: tuple[str, ...]) -> Path:
    if compiler == "clang-19":
        # It comes without OpenMP's header and library.
        include = machine.BUILD / "tests" / "include"
        include.mkdir(parents=True, exist_ok=True)
        header = machine.run(machine.CLANG, "-print-file-name=include/omp.h").strip()
        shutil.copy2(header, include / "omp.h")
        flags = (*flags, "-isystem", str(include), f"-L{machine.cached(RUNTIME)}")
    return machine.compiled(program, build, link=flags, compiler=compiler)


def asked(
    program: str, cell: Cell, kind: str, turn: int, folder: Path
) -> tuple[list[Json], dict[int, TrueThread]]:
    build, compiler, flags = cell
    executable = compiled(program, build, compiler, flags)
    runtime = machine.cached(RUNTIME)
    if compiler in ("gcc", "g++"):
        runtime = machine.as_libgomp(runtime, folder / "lib")
    with target(kind, executable, (), runtime, folder) as made:
        before = [*made.before, f"set disassembly-flavor {FLAVOURS[turn % 3]}"]
        answer = ask(GDBS[turn % len(GDBS)], [TELL], before, made.files, folder=folder)
        return json.loads(answer.text.splitlines()[-1]), true_holdings(made)


# By default each build is looked at in one way, of the two.
PAIRS = [
    (number, kind)
    for number in range(len(CELLS))
    for turn, kind in enumerate(KINDS)
    if machine.FULL or (number + turn) % 2 == 0
]


@pytest.mark.parametrize("number, kind", PAIRS)
def test_holders(number: int, kind: str, folder: Path) -> None:
    turn = number + KINDS.index(kind)
    told, true = asked("holding", CELLS[number], kind, turn, folder)
    figures = judge(told, true)
    check_waits(told, true)
    print(figures)
    assert figures.found >= 0.85 * figures.held


@pytest.mark.parametrize("build", ["debug", "optimised", "plain"])
@pytest.mark.parametrize("compiler", [machine.CLANG, "g++"])
def test_exceptions(compiler: str, build: str, folder: Path) -> None:
    told, true = asked("holding_exceptions", (build, compiler, ()), "live", 0, folder)
    print(judge(told, true))
