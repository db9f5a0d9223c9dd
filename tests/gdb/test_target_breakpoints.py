# SPDX-License-Identifier: Apache-2.0
"""Does `ompd break target', `data' and `update' stop at each construct? The program counts them."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path

import machine
import pytest
from gpu import compiled
from sessions import ask
from test_breakpoints import breaks, stops_in
from test_target import RUNTIMES, recorded

EVENTS = [f"{kind} {when}" for kind in ("target", "data", "update") for when in ("begin", "end")]


@pytest.mark.parametrize("runtime", RUNTIMES)
@pytest.mark.parametrize("build", ["debug", "optimised"])
def test_every_construct(build: str, runtime: str, folder: Path) -> None:
    seed = random.randrange(1 << 16)
    place = machine.cached(runtime)
    executable = compiled("targets", build)
    commands = ["ompd info break -json", "maint info breakpoints"]
    driver = f"source {machine.ROOT / 'tests' / 'gdb' / 'record_stops.py'}"
    settings = {"LD_LIBRARY_PATH": str(place), "OMPD_TRUTH_FILE": str(folder / "truth.json")}
    before = [f"set environment {name} {value}" for name, value in settings.items()]
    before += [driver, *breaks(EVENTS), f"record-stops {folder / 'stops'} run"]
    files = ["--args", executable, "counting", str(seed)]
    answer = ask("gdb", [*before, *commands], [], files, folder=folder)
    ((targets, data, entered, deferred),) = (
        map(int, row) for row in recorded(folder / "truth.json", "counts")
    )
    stops = stops_in(folder)
    true = Counter()
    for when in ("begin", "end"):
        true[f"target {when}"] = targets + deferred
        true[f"data {when}"] = data + entered
        true[f"update {when}"] = entered
    assert Counter(stop["what"] for stop in stops) == +true, seed
    source = (machine.PROGRAMS / "targets.c").read_text(encoding="utf-8").splitlines()
    for stop in stops:
        line = source[int(stop["line"]) - 1]
        assert line.startswith("#pragma omp target"), (stop, line)
        assert ("data" in line, "update" in line) == (
            stop["what"].startswith("data"),
            stop["what"].startswith("update"),
        ), (stop, line)
    hits = {
        f"{one['kind']} {one['when']}": one["hits"]
        for one in answer.document(commands[0])["breakpoints"]
    }
    assert hits == true


def test_a_condition_and_a_place(folder: Path) -> None:
    place = machine.cached("libomptarget-16")
    source = (machine.PROGRAMS / "targets.c").read_text(encoding="utf-8").splitlines()
    line = 1 + source.index("#pragma omp target update from(u [0:n])")
    commands = [
        f"set environment LD_LIBRARY_PATH {place}",
        f"set environment OMPD_TRUTH_FILE {folder / 'truth.json'}",
        "ompd break data begin if 0",
        f"ompd break update at targets.c:{line}",
        "run",
        "ompd target",
        "ompd bt",
        "ompd break data all",
        "ompd info break",
    ]
    files = ["--args", compiled("targets"), "counting", "1"]
    answer = ask("gdb", commands, [], files, folder=folder)
    assert (
        f"OpenMP breakpoint 2, call that updates data of a device, construct () at targets.c:{line}"
        in answer.everything
    )
    assert "it waits for the program to load LLVM's offload runtime" in answer.texts[2]
    assert f"target update, targets.c:{line}" in answer.texts[5]
