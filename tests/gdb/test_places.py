# SPDX-License-Identifier: Apache-2.0
"""Is the user's own frame within the code of the construct that the thread is in, also where that
code has no lines and its caller has? By what each thread wrote of itself: where the code is."""

from __future__ import annotations

import shutil
from pathlib import Path

import machine
import pytest
from place_libraries import are_right, crashed, made
from sessions import ask

SCENARIOS = ["region", "lambda", "task", "alone", "end"]
HOWS = [*SCENARIOS, *(f"within/{how}" for how in SCENARIOS)]
# Of the program and of its library.
PAIRS = [("gcc", "gcc"), ("clang", "clang"), ("gcc", "clang"), ("clang", "gcc")]
CASES = [
    (how, *pair)
    for number, how in enumerate(HOWS)
    for pair in (PAIRS if machine.FULL else [PAIRS[number % len(PAIRS)]])
]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("places")


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


def test_library_in_another_place(built: Path, folder: Path) -> None:
    """GDB knows its file by another name than the dynamic linker."""
    executable, shared = made(built, "gcc", "-g", "gcc")
    loaded, elsewhere = folder / "libmoved.so", folder / "elsewhere"
    elsewhere.mkdir()
    shutil.copy(shared, loaded)
    core, truth = crashed(executable, ["region", str(loaded)], folder)
    loaded.rename(elsewhere / loaded.name)
    commands = ["ompd threads -json", "ompd threads"]
    before = [f"set solib-search-path {elsewhere}"]
    answer = ask("gdb", commands, before, [executable, core], folder=folder)
    are_right(answer.document(commands[0])["threads"], truth, answer.everything)
    assert "libmoved.so+0x" in answer.texts[1] and "??" not in answer.texts[1], answer.everything
