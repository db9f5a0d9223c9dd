# SPDX-License-Identifier: Apache-2.0
"""Is the call stack the one that the program's author wrote? `ompd bt' against the comments of
tests/programs/stacks.*; `ompd frame', `up' and `down' against what the frames hold."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import machine
import pytest
from expected_stacks import expected, told
from sentences import is_a_sentence
from sessions import Answer, ask, target

SOURCE = machine.PROGRAMS / "stacks.c"
SCENARIOS = ["nested", "tasks", "gone", "waits", "serialized"]
ALL = "ompd bt * -json"
RUNTIMES = ["libomp-13", "libomp-14", "libomp-16", "libomp-19", "libomp-19-ompd"]
KINDS = ["live", "core", "attach", "gcore", "gdbserver"]
GDBS = ["gdb", "gdb-16"]


def asked(
    scenario: str,
    commands: list[str],
    folder: Path,
    *,
    runtime: str = "libomp-14",
    kind: str = "live",
    gdb: str = "gdb",
    build: str = "debug",
    before: tuple[str, ...] = (),
    settings: dict[str, str] | None = None,
    **how: Any,
) -> Answer:
    executable, home = machine.compiled("stacks", build, **how), machine.cached(runtime)
    with target(kind, executable, scenario.split(), home, folder, settings) as made:
        return ask(gdb, commands, [*made.before, *before], made.files, folder=folder)


@pytest.mark.parametrize("scenario", SCENARIOS)
@pytest.mark.parametrize("number", range(len(RUNTIMES)))
def test_as_written(scenario: str, number: int, folder: Path) -> None:
    turn = SCENARIOS.index(scenario) + number
    runtime, kind, gdb = RUNTIMES[number], KINDS[turn % 5], GDBS[turn % 2]
    answer = asked(scenario, [ALL, "ompd bt *"], folder, runtime=runtime, kind=kind, gdb=gdb)
    document = answer.document(ALL)
    assert told(document, "stacks.c") == expected(SOURCE, scenario), answer.everything
    assert all(stack["complete"] for stack in document["stacks"])


@pytest.mark.parametrize("build", ["optimised", "plain"])
@pytest.mark.parametrize("scenario", ["nested", "tasks", "gone", "waits"])
def test_optimised(scenario: str, build: str, folder: Path) -> None:
    """With debug information functions and constructs are those of the source; without it nothing
    tells in which function a construct is, and nothing is made up."""
    answer = asked(scenario, [ALL], folder, build=build)
    document = answer.document(ALL)
    assert all(stack["complete"] for stack in document["stacks"])
    if build == "optimised":
        found = told(document, "stacks.c", lines=False)
        assert found == expected(SOURCE, scenario, lines=False), answer.everything
        return
    outlined = {"parallel region", "parallel", "parallel serialized", "task"}
    known = {name for stack in expected(SOURCE, scenario, lines=False) for name in stack}
    for stack in told(document, "stacks.c", lines=False):
        assert set(stack) <= known | outlined, answer.everything
        assert stack[-1] in ("main", "<idle>")


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_gnu_compiler(scenario: str, folder: Path) -> None:
    """It records no places; its calls are in the line of the construct or one before. Regions of
    one thread are of no special kind to it."""
    executable = machine.compiled("stacks", compiler="gcc")
    runtime = machine.as_libgomp(machine.cached("libomp-19"), folder / "lib")
    with target("live", executable, (scenario,), runtime, folder) as made:
        answer = ask("gdb", [ALL], made.before, made.files, folder=folder)
    found = told(answer.document(ALL), "stacks.c", lines=False)
    assert found == expected(SOURCE, scenario, lines=False), answer.everything


@pytest.mark.parametrize("build", ["debug", "optimised"])
@pytest.mark.parametrize("scenario", ["templates", "exceptions"])
def test_cxx(scenario: str, build: str, folder: Path) -> None:
    executable, runtime = machine.compiled("stacks_cxx", build), machine.cached("libomp-16")
    with target("core", executable, (scenario,), runtime, folder) as made:
        answer = ask("gdb", [ALL], made.before, made.files, folder=folder)
    found = told(answer.document(ALL), "stacks_cxx.cc", lines=build == "debug")
    source = machine.PROGRAMS / "stacks_cxx.cc"
    assert found == expected(source, scenario, build == "debug"), answer.everything


def test_fortran(folder: Path) -> None:
    """Nothing of what GNU's compiler puts around a main program."""
    executable = machine.compiled("whole_fortran", compiler="gcc")
    runtime = machine.as_libgomp(machine.cached("libomp-19"), folder / "lib")
    with target("live", executable, (), runtime, folder) as made:
        answer = ask("gdb", [ALL, "ompd bt"], made.before, made.files, folder=folder)
    found = told(answer.document(ALL), "whole_fortran.F90", lines=False)
    source = machine.PROGRAMS / "whole_fortran.F90"
    assert found == expected(source, "nested", False), answer.everything
    assert "!$omp parallel at whole_fortran.F90:" in answer.text
