# SPDX-License-Identifier: Apache-2.0
"""Is it told who has to let a thread go, where the C and C++ libraries record it, or a stack shows
it? With and without the libraries' debug information, which most users do not have. Who is never
accused is in test_guilty.py, by each program's innocent twin."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import looks
import machine
import pytest
from sessions import ask
from test_guilty import Cell, program_of


@dataclass(frozen=True)
class Told:
    verdict: str
    words: str  # in the finding
    sentences: tuple[str, ...] = ()  # of the graph
    certainty: str = "certain"


_STATIC = "initialiser of static variable `(anonymous namespace)::"
FOUND = {
    "static_begins_region": Told(
        "deadlock",
        f"The {_STATIC}table()::made' waits for a thread that needs it: run it before any region",
        (f"R1.1 (T2) waits for the {_STATIC}table()::made'", "which R1.0 (T1) executes."),
    ),
    "static_needs_itself": Told(
        "deadlock",
        f"The {_STATIC}recursive(int)::made' needs what it initialises.",
        ("which it executes itself.",),
    ),
    "once_begins_region": Told(
        "deadlock",
        "The initialiser of once flag",
        ("R1.1 (T2) waits for the initialiser of once flag", "which R1.0 (T1) executes."),
    ),
    "once_and_mutex": Told(
        "deadlock",
        "waits for a thread that needs it",
        ("waits for the initialiser of once flag", "waits for mutex"),
    ),
    "stream_at_barrier": Told(
        "deadlock",
        "Whoever has the lock of the stream on file descriptor",
        ("R1.1 (T2) waits for the lock of the stream on file", "which R1.0 (T1) holds."),
    ),
    "stream_and_critical": Told(
        "deadlock",
        "Whoever has the lock of the stream stdout must not wait for a thread that prints.",
        ("R1.1 (T2) waits for the lock of the stream stdout", "which R1.0 (T1) holds."),
        "likely",  # who has the critical construct is told by the code
    ),
    "stream_of_the_dead": Told(
        "never_released", "The lock of the stream on file descriptor", ("and its owner is gone.",)
    ),
    "malloc_in_handler": Told(
        "deadlock",
        "in the handler of SIGUSR1. A signal has interrupted malloc (), and its handler may not",
        ("R1.1 (T2) waits for malloc's lock in", "which it holds itself."),
    ),
    "reader_writes": Told(
        "deadlock",
        "A thread that has read-write lock `table' for reading must unlock it before it writes.",
        ("R1.1 (T2) waits for read-write lock `table'", "which it holds itself."),
        "likely",
    ),
    "readers_at_barrier": Told(
        "deadlock",
        "DEADLOCK (likely): 2 threads: R1.0 (T1), R1.1 (T2).",
        (
            "R1.0 (T1) waits for read-write lock `table'",
            "1 more thread waits for these",
            "For certain nobody can go on: ",
        ),
        "likely",
    ),
    "barrier_of_more": Told("standstill", "(3 of 4 have come, and the process has 3 threads)", ()),
    "semaphore_missing": Told("standstill", "(its count is 0, 1 thread waits)"),
    "condition_missing": Told("standstill", "condition' (1 thread waits)"),
    "latch_of_more": Told("standstill", "(1 more to arrive)"),
    "latch_of_more_yet": Told("standstill", "(1 more to arrive)"),
    "std_barrier_of_more": Told("standstill", "R1.0-1: a std::barrier"),
    "nobody_releases": Told("standstill", "(its count is 0)"),
    "promise_unkept": Told("standstill", "R1.0: a future"),
}
# Runtime, build, and is the libraries' debug information there?
WAYS = [
    ("libomp-19", "debug", True),
    ("libgomp-12", "optimised", False),
    ("libomp-14", "release", False),
    ("libomp-16", "optimised", True),
]


def cells() -> list[object]:
    found = []
    for i, scenario in enumerate(FOUND):
        for way in WAYS if machine.FULL else [WAYS[i % len(WAYS)]]:
            found.append(pytest.param(scenario, *way, id="-".join([scenario, *map(str, way)])))
    return found


# Which ways do without them is said above.
@pytest.mark.debug_files
@pytest.mark.each("scenario")
@pytest.mark.parametrize("scenario, runtime, build, has_debug_files", cells())
def test_found(
    scenario: str, runtime: str, build: str, has_debug_files: bool, folder: Path
) -> None:
    told = FOUND[scenario]
    cell = Cell(scenario, True, "attach", build, runtime, machine.is_gnus(runtime), ())
    before = [] if has_debug_files else ["set debug-file-directory /nowhere"]
    with looks.running(program_of(cell, folder), folder) as pid:
        commands = ["ompd -json", "ompd deadlock -json", "ompd deadlock"]
        answer = ask("gdb", commands, [*before, f"attach {pid}"], folder=folder)
    found = answer.document("ompd deadlock -json")["deadlock"]
    assert found["verdict"] == told.verdict, answer.everything
    assert found["certainty"] == told.certainty, answer.everything
    findings = answer.document("ompd -json")["summary"]["findings"]
    assert any(told.words in one["text"] for one in findings), answer.everything
    # The place is the user's own, also where no line tells it from the C++ library's headers.
    assert not any(re.search(r" in (\w+ )?std::", one["text"]) for one in findings)
    sentences = " ".join(answer.texts[2].split())
    for sentence in told.sentences:
        assert sentence in sentences, answer.everything
