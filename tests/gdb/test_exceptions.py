# SPDX-License-Identifier: Apache-2.0
"""A program that an exception has ended: which one, and what did it leave?"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import machine
import pytest
from sessions import ask, kernel_core

LEFT = {"region": "region", "task": "task", "noexcept": "function", "nowhere": None}
WHAT = {
    "error": ("std::runtime_error", "matrix is singular at row 2"),
    "own": ("solver::stopped", None),
    "number": ("int", "-42"),
    "text": ("char const*", "a text"),
}
CASES = [(where, "error") for where in LEFT] + [("task", what) for what in list(WHAT)[1:]]


def signal_of(kind: str, executable: Path, args: tuple[str, str], lib: Path, folder: Path) -> Any:
    asked = ["ompd report -json", "ompd"]
    if kind == "live":
        before = [f"set environment LD_LIBRARY_PATH {lib}", "run"]
        answer = ask("gdb", asked, before, ["--args", executable, *args], folder=folder)
    else:
        core = kernel_core(executable, args, {"LD_LIBRARY_PATH": str(lib)}, folder)
        answer = ask("gdb", asked, [], [executable, core], folder=folder)
        core.unlink()
    return answer.document("ompd report -json")["signal"], answer.text


def made(compiler: str, build: str, folder: Path) -> tuple[Path, Path]:
    """The program, and where its runtime is."""
    lib = machine.cached("libomp-14")
    if compiler == "g++":
        lib = machine.as_libgomp(lib, folder / "lib")
    return machine.compiled("exceptions", build, compiler=compiler, link=("-pthread",)), lib


@pytest.mark.parametrize("where, what", CASES)
@pytest.mark.parametrize("build", ["debug", "optimised"])
@pytest.mark.parametrize("compiler", [machine.CLANG, "g++"])
def test_left(compiler: str, build: str, where: str, what: str, folder: Path) -> None:
    executable, lib = made(compiler, build, folder)
    kind = "core" if CASES.index((where, what)) % 2 else "live"
    signal, text = signal_of(kind, executable, (where, what), lib, folder)
    thrown = signal["exception"]
    assert thrown is not None, text
    assert (thrown["type"], thrown["what"]) == WHAT[what], text
    assert thrown["left"] == LEFT[where], text
    lines = (Path(machine.PROGRAMS) / "exceptions.cc").read_text(encoding="utf-8").split("\n")
    if where in ("region", "task"):
        pragma = lines[thrown["loc"]["line"] - 1]
        assert f"omp {'parallel' if where == 'region' else 'task'}" in pragma or compiler == "g++"
    if where == "noexcept":
        assert thrown["loc"]["function"].endswith("lets_none_out"), text
    assert f"an exception of type {thrown['type']}" in " ".join(text.split()), text


@pytest.mark.parametrize("what", ["pthread_exit", "pthread_cancel", "joinable_thread", "terminate"])
@pytest.mark.parametrize("compiler", [machine.CLANG, "g++"])
def test_without_exception(compiler: str, what: str, folder: Path) -> None:
    executable, lib = made(compiler, "debug", folder)
    kind = "core" if what.startswith("pthread") else "live"
    signal, text = signal_of(kind, executable, ("without", what), lib, folder)
    assert (signal["terminated"], signal["exception"], signal["said"]) == (what, None, None), text
