# SPDX-License-Identifier: Apache-2.0
"""What constructs pass to their devices, and which of it is not mapped there: compared with what
programs recorded. Of correct programs nothing is said."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import machine
import pytest
from device_score import score
from gpu import ITSELF, compiled_for
from sessions import Answer, ask, target
from test_target import own_temporary_files, recorded

__all__ = ["own_temporary_files"]

# What each is said to do, and with what it ends.
WRONG = {
    "partly": ["target_aborted", "argument_partly_mapped"],
    "partly_behind": ["target_aborted", "argument_partly_mapped"],
    "absent": ["target_aborted", "argument_not_mapped"],
    "not_mapped": ["argument_not_mapped"],
}
RIGHT = [
    *("whole", "part_of_mapped", "pointer_to_mapped", "pointer_not_used", "null_pointer"),
    *("private_copies", "devices_pointers", "implicit_part", "present", "structures"),
    "associated",
]
# Of releases that this machine's packages do not have.
FAR = (21, 22, 23) if machine.FULL else ()
# Each clang with runtimes that its code runs on.
PAIRS = [
    *((machine.CLANG, "libomptarget-14"), (machine.CLANG, "libomptarget-16")),
    *((machine.CLANG, "libomptarget-19"), ("clang-19", "libomptarget-19")),
    *[(f"clang-{release}", f"libomptarget-{release}") for release in FAR],
]
BUILDS = ["debug", "optimised", "release", "plain-debug"]
ASKED = ["ompd target -json", "ompd report -json", "ompd target args", "ompd target"]


def cells(scenarios: list[str]) -> list[Any]:
    """Each scenario by each pair, in one build or another."""
    found = []
    for i, scenario in enumerate(scenarios):
        for k, (compiler, runtime) in enumerate(PAIRS):
            build = BUILDS[(i + k) % len(BUILDS)]
            # Newer runtimes' kernels have the host's address, which this device can use.
            if scenario != "not_mapped" or runtime == "libomptarget-14":
                one = (scenario, compiler, runtime, build)
                found.append(pytest.param(*one, id="-".join(one)))
    return found


def release_of(runtime: str) -> int:
    return int(runtime.rpartition("-")[2])


def told(answer: Answer) -> Any:
    return answer.document("ompd target -json")["offload"]["targets"]


def codes(answer: Answer) -> list[str]:
    found = [one["code"] for one in answer.document("ompd report -json")["findings"]]
    return [one for one in found if one != "crash"]


def agrees(one: Any, truth: list[list[str]]) -> None:
    """Each of the program's arguments, and none of which it does not know."""
    assert one["arguments"] is not None, one
    known = {
        argument["name"] or argument["host"]: argument
        for argument in one["arguments"]
        if argument["passed"] == "memory" or argument["name"]
    }
    has_names = any(argument["name"] for argument in one["arguments"])
    for name, begin, size, how in truth:
        if not has_names and how not in ("whole", "part", "none"):
            continue
        argument = known.pop(name if has_names else begin)
        assert int(argument["size"]) == int(size), argument
        if how in ("value", "private"):
            assert argument["passed"] == how
            continue
        assert int(argument["host"], 16) == int(begin, 16)
        assert argument["mapped"] == (how if how != "unknown" else None), (name, argument)
        assert (argument["target"] is not None) == (how == "whole")


@pytest.mark.parametrize("scenario,compiler,runtime,build", cells(list(WRONG)))
def test_what_is_not_mapped(
    scenario: str, compiler: str, runtime: str, build: str, folder: Path
) -> None:
    """The argument and the construct that the runtime ended the program for."""
    library = machine.cached(runtime)
    kind = ["live", "core"][BUILDS.index(build) % 2]
    program = compiled_for(release_of(runtime), "passed", build, compiler)
    with target(kind, program, [scenario], library, folder) as made:
        answer = ask("gdb", ASKED, [ITSELF, *made.before], made.files, folder=folder)
        truth = recorded(made.record, "passed")
        ((_, _, line, _),) = recorded(made.record, "targets")
    (one,) = told(answer)
    agrees(one, truth)
    score.find(len(WRONG[scenario]), len(codes(answer)))
    assert codes(answer) == WRONG[scenario], answer.everything
    words = " ".join(answer.text.split())
    name, begin, size, _ = truth[0]
    shown = f"`{name}'" if build != "release" else begin
    if scenario.startswith("partly"):
        assert f"{shown} ({size} bytes) is on device 0 only in part, as" in words
        assert "(800 bytes" in words
    elif scenario == "absent":
        assert f"{shown} ({size} bytes) is not mapped on device 0, though it is said" in words
    else:
        assert f"{shown} is not mapped on device 0: the kernel got null." in words
    if build != "release":
        assert f"passed.c:{line}" in words


@pytest.mark.parametrize("scenario,compiler,runtime,build", cells(RIGHT))
def test_of_correct_programs(
    scenario: str, compiler: str, runtime: str, build: str, folder: Path
) -> None:
    """When the runtime is called, and when the kernel runs."""
    events = ["ompd break target begin", "ompd break data begin"]
    library = machine.cached(runtime)
    program = compiled_for(release_of(runtime), "passed", build, compiler)
    with target("live", program, [scenario], library, folder) as made:
        # Up to two constructs before the stop.
        before = [ITSELF, *made.before[:-2], *events, *made.before[-2:]]
        asked = [*ASKED[:2], "continue"] * 3
        answer = ask("gdb", asked, before, made.files, folder=folder)
        truth = recorded(made.record, "passed")
    constructs = 0
    for i in range(0, len(asked), 3):
        section, report = answer.documents[i : i + 2]
        if "error" in report:
            break  # the program has ended
        score.find(0, len(report["findings"]))
        assert report["findings"] == [], answer.everything
        targets = section["offload"]["targets"]
        if targets and targets[0]["phase"] == "kernel":
            agrees(targets[0], truth)
            constructs += 1
    assert constructs == 1, answer.everything


@pytest.mark.full
@pytest.mark.parametrize("compiler,runtime", PAIRS[1:])
def test_before_it_is_refused(compiler: str, runtime: str, folder: Path) -> None:
    """A stop where the runtime is called tells what is going to happen."""
    library = machine.cached(runtime)
    program = compiled_for(release_of(runtime), "passed", compiler=compiler)
    with target("live", program, ["partly"], library, folder) as made:
        before = [ITSELF, *made.before[:-2], "ompd break target begin", "run"]
        answer = ask("gdb", ASKED, before, made.files, folder=folder)
    assert codes(answer) == ["argument_partly_mapped"], answer.everything
