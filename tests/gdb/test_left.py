# SPDX-License-Identifier: Apache-2.0
"""Is it told that a thread has jumped out of a region, and is one left alone that has not?"""

from __future__ import annotations

import platform
from pathlib import Path
from typing import Any, ContextManager

import looks
import machine
import pytest
from sessions import ask, staying

RUNTIMES = ("libgomp-12", "libomp-19")
ASK = ["ompd report -json", "ompd", "ompd bt R1.0 -json"]


def running(way: str, runtime: str, *flags: str) -> ContextManager[int]:
    """Its process id, as soon as all threads stay where they are."""
    compiler = machine.GCC if runtime.startswith("libgomp") else machine.CLANG
    executable = machine.compiled("left", link=flags, compiler=compiler)
    return staying(executable, way, runtime, OMP_DYNAMIC="false", OMP_WAIT_POLICY="passive")


def told(
    way: str, runtime: str, folder: Path, kind: str = "attach", *flags: str
) -> tuple[dict[str, str], Any, str]:
    """The findings that something is wrong, the stack of R1.0, and the first screen."""
    with running(way, runtime, *flags) as pid:
        if kind == "core":
            core = looks.gcore(pid, folder)
            answer = ask("gdb", ASK, [], [f"/proc/{pid}/exe", core], folder=folder)
        else:
            answer = ask("gdb", ASK, [f"attach {pid}"], folder=folder)
    report, _, stack = answer.documents
    assert report is not None
    findings = {one["code"]: one["text"] for one in report["findings"] if one["wrong"]}
    return findings, stack, " ".join(answer.texts[1].split())


@pytest.mark.parametrize("runtime", RUNTIMES)
@pytest.mark.parametrize(
    "way, kind, who, regions",
    [
        ("jump", "attach", "R1.0", {"R1"}),
        ("jump", "core", "R1.0", {"R1"}),
        ("handler", "attach", "R1.0", {"R1"}),
        # Where no stripped C library's functions have names, too.
        ("nested", "core", "R2.0", {"R2", "R2 or R1"}),
        # Of libgomp it is not known which of the two regions the code on the stack is of.
        ("onward", "attach", "R2.0", {"R1", "R1 or R2", "R2 or R1"}),
    ],
)
def test_left(way: str, kind: str, who: str, regions: set[str], runtime: str, folder: Path) -> None:
    findings, _, screen = told(way, runtime, folder, kind)
    assert set(findings) == {"region_left"}
    text = findings["region_left"]
    assert any(text.startswith(f"{who} has left the code of {one}") for one in regions), text
    assert "in stay () at left.c:" in text and "longjmp()" in text
    assert " ".join(text.split()) in screen


def test_stack(folder: Path) -> None:
    """The region is not on the stack of who has left it."""
    _, stack, _ = told("jump", "libomp-19", folder)
    frames = stack["stacks"][0]["frames"]
    kinds = [frame["kind"] for frame in frames]
    assert "construct" not in kinds and frames[-1]["loc"]["function"] == "main", frames


@pytest.mark.parametrize("runtime", RUNTIMES)
def test_stripped(runtime: str, folder: Path) -> None:
    """Where no function has a name, an old compiler may have called the code itself."""
    findings, _, _ = told("jump", runtime, folder, "attach", "-O2", "-s")
    assert "R1.0 has probably left the code of R1" in findings["region_left"]


@pytest.mark.parametrize("runtime", RUNTIMES)
@pytest.mark.parametrize("way", ["within", "stack", "fibres", "begun"])
def test_innocent(way: str, runtime: str, folder: Path) -> None:
    findings, _, screen = told(way, runtime, folder)
    assert not findings, findings
    assert "has left" not in screen


@pytest.mark.parametrize("runtime", RUNTIMES)
@pytest.mark.parametrize("way", ["inner", "ended"])
def test_code_that_made_way(way: str, runtime: str, folder: Path) -> None:
    """Nothing on the stack is of the outer region, and nobody has left it."""
    findings, _, _ = told(way, runtime, folder, "attach", "-O2")
    assert not findings, findings


@pytest.mark.skipif(platform.machine() != "x86_64", reason="its assembler is x86-64's")
def test_guess(folder: Path) -> None:
    """GDB passes over the call of the region where it has to guess."""
    findings, _, _ = told("kernel", "libgomp-12", folder)
    assert not findings, findings
