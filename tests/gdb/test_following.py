# SPDX-License-Identifier: Apache-2.0
"""Stacks that are followed without GDB: are they those that GDB unwinds, frame by frame?"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import machine
import pytest
from sessions import Target, ask, target
from test_aarch64 import emulated

KINDS = ["live", "core", "gdbserver", "attach"]
GDBS = ["gdb", "gdb-10", "gdb-16", "gdb-18"]
# Many threads at the same places; tasks; regions in regions; signals; stacks that are gone.
SCENARIOS = ["nested", "tasks", "gone", "waits"]
BUILDS = ["debug", "optimised", "release", "linked"]
SCRIPT = Path(__file__).with_name("record_followed.py")


def recorded(folder: Path, gdb: str, made: Target) -> Any:
    """Of each thread."""
    out = folder / "followed.json"
    commands = ["ompd threads", f"source {SCRIPT}", f"record-followed {out}"]
    answer = ask(gdb, commands, made.before, made.files, folder=folder)
    assert out.exists(), answer.everything
    return json.loads(out.read_text(encoding="utf-8"))


def agree(threads: Any) -> int:
    """How many frames were followed."""
    for thread in threads:
        for turn in ("first", "second"):
            found = thread[turn]
            assert found["frames"] == thread["by GDB"][: len(found["frames"])], thread
            if found["whole"]:
                assert len(found["frames"]) == len(thread["by GDB"]), thread
        assert thread["first"] == thread["second"]
    first, second = threads[0]["asked, first"], threads[0]["asked, second"]
    frames = sum(len(thread["first"]["frames"]) for thread in threads)
    assert second <= first
    return frames - min(second, frames)


@pytest.mark.parametrize("scenario", SCENARIOS)
@pytest.mark.parametrize("number", range(4))
def test_as_gdb(scenario: str, number: int, folder: Path) -> None:
    turn = SCENARIOS.index(scenario) + number
    program = machine.compiled("stacks", BUILDS[turn % 4])
    runtime = machine.cached("libomp-14")
    with target(KINDS[number], program, (scenario,), runtime, folder) as made:
        found = recorded(folder, GDBS[turn // 4 % 4], made)
    assert agree(found) > 3 * len(found)


@pytest.mark.full
@pytest.mark.parametrize("build", BUILDS)
@pytest.mark.parametrize("compiler", ["gcc", "clang"])
def test_many_places(compiler: str, build: str, folder: Path) -> None:
    """400 threads, most at work."""
    runtime = machine.cached({"gcc": "libgomp-12", "clang": "libomp-19"}[compiler])
    program = machine.compiled(
        "crowd", build, compiler="gcc" if compiler == "gcc" else machine.CLANG
    )
    with target("core", program, ("flat",), runtime, folder) as made:
        found = recorded(folder, "gdb", made)
    assert agree(found) > len(found)


@pytest.mark.full
@pytest.mark.parametrize("runtime", ["libomp-19-aarch64", "libgomp-12-arm64", "libgomp-16-arm64"])
def test_another_machine(runtime: str, folder: Path) -> None:
    with emulated("nested", machine.cached(runtime), folder, {"OMP_NESTED": "true"}) as made:
        found = recorded(folder, "gdb-multiarch", made)
    assert agree(found) > len(found)


@pytest.mark.full
def test_with_a_limit(folder: Path) -> None:
    """Of the user's: GDB ends there, and nothing is followed beyond."""
    runtime = machine.cached("libomp-14")
    with target("live", machine.compiled("stacks"), ("nested",), runtime, folder) as made:
        made.before.append("set backtrace limit 4")
        found = recorded(folder, "gdb", made)
    assert max(len(thread["first"]["frames"]) for thread in found) == 4
    assert agree(found) == 0
