# SPDX-License-Identifier: Apache-2.0
"""Is it told which iteration of a doacross loop nobody will post, and whom another one waits for?
By every compiler's code on every runtime; healthy loops are never doubted at two looks."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import looks
import machine
import pytest
import test_innocents as innocents

# Runtime, whether gcc has compiled, how.
WAYS = [
    ("libomp-14", False, "release"),
    ("libgomp-12", True, "debug"),
    ("libomp-19", True, "optimised"),
    ("libgomp-10", True, "release"),
    ("libomp-19-ompd", False, "debug"),
]
MORE = [
    (runtime, gcc, build)
    for runtimes, gccs in (
        (["libomp-13", "libomp-16", "libomp-14"], (False, True)),
        (["libgomp-10", "libgomp-12"], (True,)),
    )
    for runtime in runtimes
    for gcc in gccs
    for build in innocents.BUILDS
]
# The iteration that is missing, and what is said of whoever should post it. GNU's runtime knows who
# has an iteration of a static schedule.
GUILTY = {
    "source_missing": ("0", r"R1\.0 \(T1\), which had it, has left the loop\.", r"all others .*"),
    "source_missing_in_nest": (r"\(0,1\)", r"all others .*", r"all others .*"),
}


def ways(names: Any) -> list[Any]:
    chosen = [(name, *way) for name in names for way in [*WAYS, *MORE]]
    if not machine.FULL:
        chosen = [(name, *way) for i, name in enumerate(names) for way in WAYS[i % 2 :: 2]]
    return [pytest.param(*one, id="-".join(map(str, one))) for one in chosen]


def program_of(
    source: str, scenario: str, way: tuple[str, bool, str], folder: Path, *args: str
) -> looks.Program:
    runtime, gcc, build = way
    # LLVM's runtime records the holders of such locks.
    settings = (("KMP_LOCK_KIND", "tas"),)
    made = innocents.built(source, build, runtime, gcc, settings, folder)
    return replace(made, args=[scenario, made.begun, *args])


def told(program: looks.Program, folder: Path) -> looks.Answer:
    with looks.running(program, folder) as pid:
        return looks.by_shell("pid", str(pid), folder=folder)


@pytest.mark.parametrize("scenario, runtime, gcc, build", ways(GUILTY))
def test_nobody_posts_it(scenario: str, runtime: str, gcc: bool, build: str, folder: Path) -> None:
    program = program_of("guilty", scenario, (runtime, gcc, build), folder, "guilty")
    answer = told(program, folder)
    assert answer.status == looks.FINDING, answer.text
    text = re.sub(r"\s+", " ", answer.text)
    iteration, known, unknown = GUILTY[scenario]
    who = known if machine.is_gnus(runtime) else unknown
    said = rf"Odd : Nobody will post iteration {iteration} of a doacross loop, for which R1\.\d "
    assert re.search(rf"{said}.*?: {who}", text), answer.text


@pytest.mark.parametrize("runtime, gcc, build", WAYS[1:3] if not machine.FULL else WAYS)
def test_a_circle_through_an_iteration(runtime: str, gcc: bool, build: str, folder: Path) -> None:
    program = program_of("guilty", "lock_before_source", (runtime, gcc, build), folder, "guilty")
    (stop,) = looks.by_gdb("attach", program, 1, 1, folder)
    said = re.sub(r"\s+", " ", stop.text("ompd deadlock"))
    assert said.startswith("DEADLOCK"), said
    assert re.search(r"R1\.1 \(T2\) waits for iteration 0 of a doacross loop in ", said), said


@pytest.mark.parametrize("scenario, runtime, gcc, build", ways(["doacross", "doacross_in_nest"]))
def test_healthy_loops_go_on(
    scenario: str, runtime: str, gcc: bool, build: str, folder: Path
) -> None:
    program = program_of("innocents", scenario, (runtime, gcc, build), folder)
    with looks.running(program, folder) as pid:
        for _ in range(10 if machine.FULL else 2):
            answer = looks.by_shell("pid", str(pid), folder=folder)
            assert answer.status == 0, answer.text
