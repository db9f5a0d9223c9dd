# SPDX-License-Identifier: Apache-2.0
"""A program on LLVM's runtime with a library on GNU's: whose regions are the threads in, and is a
deadlock that leads through both ever denied?"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import machine
import pytest
import truth
from machine import PROGRAMS
from sessions import Answer, Target, ask, target
from test_outside import codes, lwps, waits_of

ASK = ["ompd deadlock -json", "ompd threads -json", "ompd locks -json", "ompd -json"]
TEXTS = ["ompd deadlock", "ompd", "ompd status", "ompd threads"]
KINDS = ["live", "core", "attach", "gcore"]
HANGING = ["lock_order", "critical_order", "lock_order_apart", "lock_and_barrier"]
# Where the code tells who holds what.
FOUND = ["critical_order"]


def look(scenario: str, kind: str, folder: Path) -> tuple[Answer, Target]:
    part = folder / "mixed_part.so"
    machine.run("gcc", "-g", "-fopenmp", "-shared", "-fPIC", PROGRAMS / "mixed_part.c", "-o", part)
    executable, home = machine.compiled("mixed"), machine.cached("libomp-19")
    settings = {"OMPD_SECOND_PART": str(part)}
    with target(kind, executable, (scenario,), home, folder, settings) as made:
        return ask("gdb", [*ASK, *TEXTS], made.before, made.files, folder=folder), made


def kinds_of(document: Any) -> dict[int, str]:
    names = {"llvm": "ours", "gomp": "theirs"}
    return {one["id"]: names[one["kind"]] for one in document["runtimes"]}


@pytest.mark.parametrize("kind", ["live", "core"])
@pytest.mark.parametrize("scenario", ["within", "apart"])
def test_regions(scenario: str, kind: str, folder: Path) -> None:
    """Each thread under its runtime, and one that is in both under both."""
    answer, made = look(scenario, kind, folder)
    lines = Path(f"{made.record}.members").read_text(encoding="utf-8").splitlines()
    true = {
        (int(tid), which, int(num), int(level)) for tid, which, num, level in map(str.split, lines)
    }
    document = answer.document(ASK[1])
    runtime = kinds_of(document)
    told = {
        (thread["lwp"], runtime[one["runtime"]], one["thread_num"], one["level"])
        for thread in document["threads"]
        for one in thread["openmp"]
        if one["level"]
    }
    assert told == true, answer.everything
    truth.compared += len(true)
    sizes = {one["team_size"] for t in document["threads"] for one in t["openmp"] if one["level"]}
    assert sizes == ({2} if scenario == "within" else {2, 3})
    for text in answer.texts[len(ASK) + 1 : len(ASK) + 3]:
        assert "2 OpenMP runtimes" in " ".join(text.split())


@pytest.mark.parametrize("scenario", HANGING)
@pytest.mark.parametrize("kind", ["live", "core"])
def test_circle_of_both(kind: str, scenario: str, folder: Path) -> None:
    answer, made = look(scenario, kind, folder)
    found = answer.document(ASK[0])["deadlock"]
    holds, wants = waits_of(made)
    numbers = lwps(answer)
    if scenario in FOUND:
        (circle,) = found["cycles"]
        assert len(circle) == 2 and codes(answer) == {"deadlock"}, answer.everything
        for edge in circle:
            wanted = wants[numbers[edge["thread"]]]
            assert holds[wanted] == numbers[edge["waits_for"]], answer.everything
            truth.compared += 1
    else:
        assert found["verdict"] == "unknown", answer.everything
        assert "No deadlock" not in answer.texts[len(ASK)]
    told = {
        thread["lwp"]: one["wait"]["name"] or one["wait"]["kind"]
        for thread in answer.document(ASK[1])["threads"]
        for one in thread["openmp"]
        if one["wait"] is not None
    }
    assert told == wants, answer.everything
    waiting = {
        w: lock["name"] for lock in answer.document(ASK[2])["locks"] for w in lock["waiters"]
    }
    assert {numbers[who]: name for who, name in waiting.items()}.items() <= wants.items()


@pytest.mark.parametrize("kind", KINDS[2:])
def test_same_order(kind: str, folder: Path) -> None:
    answer, _ = look("in_order", kind, folder)
    found = answer.document(ASK[0])["deadlock"]
    assert found["verdict"] == "none" and not codes(answer), answer.everything


def test_one_is_only_loaded(folder: Path) -> None:
    """And serves locks, for which it needs no threads."""
    answer, _ = look("lock_order", "live", folder)
    assert "More than one OpenMP runtime is loaded." in " ".join(answer.texts[-2].split())
    assert "the program has not used OpenMP" not in answer.everything
