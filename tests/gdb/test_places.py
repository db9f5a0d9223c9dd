# SPDX-License-Identifier: Apache-2.0
"""Is the user's own frame within the code of the construct that the thread is in, also where that
code has no lines and its caller has? By what each thread wrote of itself: where the code is."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Any

import machine
import pytest
from sessions import ask, kernel_core

COMPILERS = {"gcc": ("gcc", "g++"), "clang": (machine.CLANG, machine.CLANGXX)}
SCENARIOS = ["region", "lambda", "task", "alone", "end"]
HOWS = [*SCENARIOS, *(f"within/{how}" for how in SCENARIOS)]
# Of the program and of its library.
PAIRS = [("gcc", "gcc"), ("clang", "clang"), ("gcc", "clang"), ("clang", "gcc")]
CASES = [
    (how, *pair)
    for number, how in enumerate(HOWS)
    for pair in (PAIRS if machine.FULL else [PAIRS[number % len(PAIRS)]])
]
# So much code may a thread have gone through since it has told where it is.
FAR = 256


@functools.lru_cache(maxsize=None)
def made(folder: Path, program: str, flags: str, library: str) -> tuple[Path, Path]:
    executable, shared = folder / f"{program}{flags}", folder / f"lib{library}.so"
    if not executable.exists():
        source = machine.PROGRAMS / "places.c"
        compiler = COMPILERS[program][0]
        machine.run(compiler, "-O1", *flags.split(), "-fopenmp", source, "-o", executable, "-ldl")
    if not shared.exists():
        source = machine.PROGRAMS / "places_part.cc"
        code = folder / f"{library}.so"
        compiler = COMPILERS[library][1]
        machine.run(compiler, "-O1", "-fopenmp", "-fPIC", "-shared", source, "-o", code)
        machine.run("strip", "-o", shared, code)
    return executable, shared


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("places")


def crashed(executable: Path, args: list[str], folder: Path) -> tuple[Path, dict[int, int]]:
    """The core, and where each thread's own code is, by its LWP."""
    truth = folder / "truth"
    environment = {
        "LD_LIBRARY_PATH": str(machine.cached("libomp-14")),
        "OMPD_TRUTH_FILE": str(truth),
        "OMP_MAX_ACTIVE_LEVELS": "3",
    }
    core = kernel_core(executable, args, environment, folder)
    told = [line.split() for line in truth.read_text(encoding="utf-8").splitlines()]
    return core, {int(lwp): int(at, 16) for lwp, at, _ in told}


def are_right(threads: list[dict[str, Any]], truth: dict[int, int], text: str) -> None:
    found = {one["lwp"]: one["where"] for one in threads if one["lwp"] in truth}
    assert found.keys() == truth.keys() and truth
    for lwp, place in found.items():
        assert place and place["pc"], f"{lwp}\n{text}"
        assert 0 <= int(place["pc"], 16) - truth[lwp] < FAR, f"{lwp}\n{text}"


@pytest.mark.each("program", "library")
@pytest.mark.parametrize("how, program, library", CASES)
def test_code_without_lines(
    how: str, program: str, library: str, built: Path, folder: Path
) -> None:
    """Called by code with lines."""
    executable, shared = made(built, program, "-g", library)
    core, truth = crashed(executable, [how, str(shared)], folder)
    commands = ["ompd threads -json", "ompd threads", "ompd print * $pc"]
    answer = ask("gdb", commands, files=[executable, core], folder=folder)
    threads = answer.document("ompd threads -json")["threads"]
    are_right(threads, truth, answer.everything)
    # Expressions are evaluated in the same frames.
    for one in threads:
        if one["lwp"] in truth:
            assert f"{int(one['where']['pc'], 16):#x}" in answer.text, answer.everything


def test_two_plugins(built: Path, folder: Path) -> None:
    """Of a program without lines, as Python's is: two compilers' regions at once."""
    for how, mine, others in (("region", "gcc", "clang"), ("serial", "clang", "gcc")):
        executable, shared = made(built, "gcc", "", mine)
        other = made(built, "gcc", "", others)[1]
        core, truth = crashed(executable, [how, str(shared), str(other)], folder)
        answer = ask("gdb", ["ompd threads -json"], files=[executable, core], folder=folder)
        are_right(answer.document("ompd threads -json")["threads"], truth, answer.everything)
        (folder / "truth").unlink()
