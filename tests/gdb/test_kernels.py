# SPDX-License-Identifier: Apache-2.0
"""Who has called code that no unwind information covers: is it certain where the code itself leads
back, likely where only its stack tells, and nothing else at all?"""

from __future__ import annotations

import platform
import re
from pathlib import Path
from typing import Any

import looks
import machine
import pytest
from sessions import ask, staying

pytestmark = pytest.mark.skipif(platform.machine() != "x86_64", reason="its code is for x86-64")

ASK = ["ompd bt * -json", "ompd parallel -json", "ompd report -json"]
# By name, whether the program is stripped; where the region's construct is.
CALLERS = {
    "followed": ["kernel_followed", "solve", "main"],
    "hidden": ["kernel_hidden", "solve", "main"],
    "stale": ["kernel_hidden", "solve_directly", "main"],
    "made": [None, "solve", "main"],
}


def told(way: str, runtime: str, build: str, kind: str, folder: Path) -> tuple[Any, Any, Any]:
    """All stacks of the team, its region, and what is said to be wrong."""
    compiler = machine.GCC if runtime.startswith("libgomp") else machine.CLANG
    executable = machine.compiled(
        "kernels", build.replace("stripped", "release"), compiler=compiler
    )
    if build == "stripped":
        machine.run("strip", "-o", folder / "stripped", executable)
        executable = folder / "stripped"
    with staying(executable, way, runtime) as pid:
        if kind == "core":
            core = looks.gcore(pid, folder)
            answer = ask("gdb", ASK, [], [executable, core], folder=folder)
        else:
            answer = ask("gdb", ASK, [f"attach {pid}"], folder=folder)
    stacks, regions, report = answer.documents
    (region,) = [one for one in regions["regions"] if one["id"] == "R1"]
    team = [one for one in stacks["stacks"] if (one["who"] or "").startswith("R1.")]
    assert len(team) == 3, answer.everything
    return team, region, [one for one in report["findings"] if one["wrong"]]


def callers(stack: Any) -> list[tuple[str | None, bool]]:
    """And whether it is certain."""
    frames = [one for one in stack["frames"] if one["kind"] == "user"]
    return [(one["loc"]["function"], "position" not in one.get("doubts", {})) for one in frames]


CELLS = [
    ("stale", "libgomp-12", "debug", "attach"),
    ("made", "libgomp-12", "optimised", "core"),
    ("followed", "libgomp-12", "optimised", "attach"),
    ("hidden", "libgomp-12", "optimised", "core"),
    ("made", "libgomp-12", "optimised", "attach"),
    ("hidden", "libomp-16", "optimised", "attach"),
    ("stale", "libgomp-12", "optimised", "core"),
    ("hidden", "libgomp-12", "debug", "attach"),
    ("made", "libomp-16", "optimised", "core"),
    ("followed", "libomp-16", "debug", "core"),
]


@pytest.mark.parametrize("way, runtime, build, kind", CELLS if machine.FULL else CELLS[:2])
def test_callers(way: str, runtime: str, build: str, kind: str, folder: Path) -> None:
    team, region, wrong = told(way, runtime, build, kind, folder)
    assert not wrong
    followed = way == "followed"
    found = 0
    for stack in team:
        known = callers(stack)
        assert {name for name, _ in known} <= set(CALLERS[way]), stack
        assert all(certain for name, certain in known if name == CALLERS[way][0])
        assert all(certain is followed for _, certain in known[1 + (way == "made") :]), stack
        assert stack["complete"] or not followed
        found += CALLERS[way][1] in {name for name, _ in known}
    # At -O0 a frame pointer is needed that the code has put somewhere.
    assert found == 3 or (build == "debug" and not followed)
    if found == 3:
        assert region["loc"]["function"] == CALLERS[way][1]
        # LLVM's runtime knows its code.
        unsure = region.get("doubts", {}).get("loc", {}).get("certainty") == "likely"
        assert unsure is (not followed and runtime.startswith("libgomp"))


@pytest.mark.skipif(not machine.FULL, reason="the same, without symbols")
@pytest.mark.parametrize("way", ["followed", "hidden", "stale"])
def test_stripped(way: str, folder: Path) -> None:
    team, _, wrong = told(way, "libgomp-12", "stripped", "attach", folder)
    assert not wrong
    for stack in team:
        certain = [certain for _, certain in callers(stack)]
        assert certain[0] and len(certain) > 1
        assert all(one is (way == "followed") for one in certain[1:]), stack


def test_a_frame_that_is_only_likely(folder: Path) -> None:
    """GDB's own of that number is another one: it is not selected, and shows no arguments."""
    executable = machine.compiled("kernels", "debug", compiler=machine.GCC)
    commands = ["thread 2", "ompd bt -full", "ompd frame 1", "ompd up", "frame"]
    with staying(executable, "stale", "libgomp-12") as pid:
        answer = ask("gdb", commands, [f"attach {pid}"], folder=folder)
    _, shown, frame, up, selected = answer.texts
    assert re.search(r"#1 +solve_directly \(\) at .*\?\n#2", shown), shown
    assert "only likely" in frame and "only likely" in up
    assert selected.startswith("#0 ")
