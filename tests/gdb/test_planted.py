# SPDX-License-Identifier: Apache-2.0
"""How many of the planted hangs of test_guilty.py are found, on each release of a runtime and with
each waiting policy: in a process that is looked at twice, in gcore's core and in the kernel's? And
is the innocent twin of one ever accused? `OMPD_PLANTED=libgomp-16' chooses runtimes."""

from __future__ import annotations

import os
import re
from dataclasses import replace
from pathlib import Path
from typing import Iterator

import agreement
import looks
import machine
import pytest
import test_guilty as guilty
import test_innocents as innocents
from looks import Program
from planted_score import AT_WORK, CANNOT_TELL, FOUND, PASSED, ZEROS, score

RUNTIMES = (
    *("libgomp-10", "libgomp-11-built", "libgomp-12", "libgomp-13-built", "libgomp-14"),
    *("libgomp-15-built", "libgomp-16"),
    *("libomp-13", "libomp-14", "libomp-15", "libomp-16", "libomp-17", "libomp-18", "libomp-19"),
    *("libomp-21-debug", "libomp-22-debug", "libomp-23"),
)
POLICIES = {
    "default": {},
    "active": {"OMP_WAIT_POLICY": "active"},
    "passive": {"OMP_WAIT_POLICY": "passive"},
}
KINDS = ("pid", "gcore", "core")
ENDED = {0: PASSED, looks.FINDING: FOUND, looks.CANNOT_TELL: CANNOT_TELL}
LEAST = 0.85  # of the hangs, with two looks
CHOSEN = re.compile(os.environ.get("OMPD_PLANTED", ""))
EVERY = [
    pytest.param(runtime, policy, id=f"{runtime}-{policy}")
    for runtime in RUNTIMES
    for policy in POLICIES
    if CHOSEN.search(f"{runtime}-{policy}")
]


def programs(runtime: str, turn: int, folder: Path) -> Iterator[tuple[str, str, Program]]:
    """Each scenario and how it is looked at, by turns: with three policies in each way."""
    for i, (scenario, source) in enumerate(guilty.SCENARIOS.items()):
        if machine.is_gnus(runtime) and _lacks(runtime, scenario):
            continue
        build = innocents.BUILDS[(i // len(KINDS) + turn) % len(innocents.BUILDS)]
        cxx = ("-std=c++20",) if source.endswith("cxx") else ()
        executable = machine.built_for(runtime, source, build, *cxx)
        environment = {"LD_LIBRARY_PATH": str(machine.cached(runtime))}
        environment |= machine.settings_of(runtime)
        begun = folder / "rounds"
        program = Program(executable, [scenario, begun], environment, begun)
        yield scenario, KINDS[(i + turn) % len(KINDS)], program


def _lacks(runtime: str, scenario: str) -> bool:
    older = machine.is_older_gnus(runtime)
    return (
        scenario in guilty.OF_CLANG_ONLY
        or older
        and any(word in scenario for word in guilty.OF_NEWER_GNUS)
    )


def look(kind: str, program: Program, folder: Path) -> looks.Answer:
    program.begun.unlink(missing_ok=True)
    if kind == "core":
        core = looks.quit_by_user(program, folder)
    else:
        with looks.running(program, folder) as pid:
            if kind == "pid":
                return looks.by_shell("pid", str(pid), folder=folder)
            core = looks.gcore(pid, folder)
    answer = looks.by_shell("core", core, folder=folder)
    core.unlink()
    return answer


@pytest.mark.full
@pytest.mark.parametrize("runtime, policy", EVERY)
def test_hangs(runtime: str, policy: str, folder: Path) -> None:
    row, missed, passed, lost = f"{runtime} {policy}", [], [], []
    for scenario, kind, program in programs(runtime, list(POLICIES).index(policy), folder):
        program.environment.update(POLICIES[policy])
        Path(f"{program.begun}.truth").unlink(missing_ok=True)
        try:
            answer = look(kind, replace(program, args=[*program.args, "guilty"]), folder)
        except looks.NotBegun as problem:
            # LLVM's runtime may let a thread sleep just when another one makes a task for it.
            lost.append(problem)
            continue
        assert answer.status in ENDED, f"{scenario}, {kind}: {answer.status}: {answer.text}"
        ended = ENDED[answer.status]
        if kind == "gcore" and "The core file has zeros" in answer.text:
            ended = ZEROS
        if ended == PASSED and guilty.truth_of(program).kind == "spinning":
            ended = AT_WORK
        score.judge(row, kind, ended)
        said = f"{scenario}, {kind}, {program.executable}: {ended}: {answer.text}"
        missed += [said] if ended not in (FOUND, ZEROS) else []
        passed += [said] if ended == PASSED else []
    print(*missed, sep="\n\n")
    assert not passed, "\n\n".join(passed)
    assert len(lost) <= 1, lost
    of = score.of(row, "pid")
    assert of[FOUND] >= LEAST * sum(of.values()), of


@pytest.mark.full
@pytest.mark.parametrize("runtime, policy", EVERY)
def test_twins(runtime: str, policy: str, folder: Path) -> None:
    """Each once on each runtime."""
    turn, accused = list(POLICIES).index(policy), []
    for i, (scenario, kind, program) in enumerate(programs(runtime, turn, folder)):
        if (i // len(KINDS) + turn) % len(POLICIES):
            continue
        program.environment.update(POLICIES[policy])
        answer = look(kind, program, folder)
        agreement.score.judge_status(answer.status)
        if answer.status == looks.FINDING:
            accused.append(f"{scenario}, {kind}, {program.executable}: {answer.text}")
    assert not accused, "\n\n".join(accused)
