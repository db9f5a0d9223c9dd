# SPDX-License-Identifier: Apache-2.0
"""Does GDB show what the program recorded of itself, in every session, with every runtime?"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import cells
import machine
import pytest
import sessions
import truth
from cells import Cell
from sessions import Answer, Target

QUESTIONS = [
    "ompd threads -json",
    "ompd parallel -json",
    "ompd -json",
    "ompd status -json",
    "ompd threads -all",
    "ompd parallel -all",
    "ompd",
    "ompd status",
    "ompd threads",
    "ompd parallel",
]


# What no published descriptor covers, and so is unknown of a build that no shipped record fits.
ONLY_IN_RECORDS = re.compile(r"R\d+ construct's line|task |doubts$")
TELLS_NOTHING: list[Any] = [None, "unknown", True, ["task"]]


def told_truth(
    record: Any,
    answer: Answer,
    *,
    time: int = 0,
    has_lines: bool = True,
    has_record: bool = True,
) -> Any:
    """Fails with every mismatch, one per line. Returns the threads' document."""
    threads = answer.document("ompd threads -json", time)
    parallel = answer.document("ompd parallel -json", time)
    found = truth.mismatches(record, threads, parallel, has_lines=has_lines)
    if not has_record:
        found = [
            one
            for one in found
            if not ONLY_IN_RECORDS.match(one.fact) or one.told not in TELLS_NOTHING
        ]
    assert not found, truth.report(found) + answer.everything
    return threads


@pytest.mark.each("case")
@pytest.mark.parametrize("cell", cells.cells(), ids=str)
def test_cell(cell: Cell, folder: Path) -> None:
    executable = machine.built_for(cell.runtime, cell.case.source, cell.build)
    runtime = machine.cached(cell.runtime)
    settings = machine.settings_of(cell.runtime)
    with sessions.target(
        cell.kind, executable, cell.case.args, runtime, folder, settings
    ) as target:
        answer = sessions.ask(cell.gdb, QUESTIONS, target.before, target.files, folder=folder)
        record = target.truth()
        if cell.kind == "gcore" and has_zeros(answer.document("ompd threads -json")):
            return
        if machine.is_gnus(cell.runtime):
            record = truth.as_gnus(record, answer.document("ompd threads -json"))
        threads = told_truth(record, answer, has_lines=cell.build == "debug")
    check_runtime(threads, cell)
    check_inferior(threads, cell, target)
    texts = dict(zip(QUESTIONS, answer.texts))
    parallel = answer.document("ompd parallel -json")
    found = []
    for tree in ("ompd parallel -all", "ompd parallel"):
        found += truth.text_mismatches(threads, texts["ompd threads -all"], texts[tree], parallel)
    assert not found, truth.report(found) + answer.everything
    silent = [question for question, text in texts.items() if not text and "-json" not in question]
    assert not silent, f"these printed nothing: {silent}\n{answer.everything}"


def has_zeros(document: dict[str, Any]) -> bool:
    """Has gcore, on a new system, left out threads' stacks? Then all those are unknown, and it is
    said why."""
    said = [note for note in document["notes"] if "The core file has zeros" in note]
    unknown = sum("kind" in thread.get("doubts", {}) for thread in document["threads"])
    assert not said or f" {unknown} of the threads " in said[0]
    return bool(said)


def check_runtime(document: dict[str, Any], cell: Cell) -> None:
    assert len(document["runtimes"]) == 1
    runtime = document["runtimes"][0]
    version, source = cells.TOLD[cell.runtime]
    kind = "gomp" if machine.is_gnus(cell.runtime) else "llvm"
    started = cell.case.name != "not_started"
    assert (runtime["kind"], runtime["version"]) == (kind, version)
    assert runtime["initialized"] is started
    if started:
        assert runtime["descriptors"] == source
        assert runtime["state_tracking"] is False
    assert Path(runtime["path"]).resolve().parent == machine.cached(cell.runtime).resolve()


def check_inferior(document: dict[str, Any], cell: Cell, target: Target) -> None:
    inferior = document["inferior"]
    assert inferior["kind"] == sessions.INFERIOR_KIND[cell.kind]
    assert inferior["pid"] == target.truth()["pid"]
    assert Path(inferior["program"]).resolve() == target.executable.resolve()
    assert document["notes"] == []
