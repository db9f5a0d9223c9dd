# SPDX-License-Identifier: Apache-2.0
"""Does a user of flang see what he wrote? Stacks as the comments of constructs.F90 have them, what
threads wait for, as they declare it, regions, locks, breakpoints and steps.

flang records no file, gives all worksharing constructs one mark, and writes no unwind information
without -g; gfortran's code of the same programs is seen as well."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from typing import Any

import machine
import pytest
from expected_stacks import expected, told
from sessions import Answer, ask, target
from states import score, told_of, truth_of
from test_truth import told_truth

SOURCE = machine.PROGRAMS / "constructs.F90"
ALL, THREADS = "ompd bt * -json", "ompd threads -json"
SCENARIOS = sorted(set(re.findall(r"EXPECT (\w+)", SOURCE.read_text(encoding="utf-8"))))
BUILDS = ["debug", "bare", "light-debug", "light", "optimised", "release", "plain-debug", "plain"]
WITH_LINES = {"debug", "light-debug", "optimised", "plain-debug"}
RUNTIMES = ["libomp-14", "libomp-16", "libomp-19", "libomp-19-ompd", "libomp-19-debug"]
KINDS = ["live", "core", "attach", "gcore", "gdbserver"]
GDBS = ["gdb", "gdb-16", "gdb-10", "gdb-18"]
# Where calls are inlined, the runtime's are in the lines of what was called before.
INLINED = "declarations::waits"


def cells() -> list[Any]:
    found = []
    for i, scenario in enumerate(SCENARIOS):
        for b, build in enumerate(BUILDS):
            turn = i + b
            if not machine.FULL and turn % 4 and build != "debug":
                continue
            cell = (scenario, build, RUNTIMES[turn % 5], KINDS[(i + b // 2) % 5], GDBS[turn % 4])
            found.append(pytest.param(*cell, id="-".join(cell)))
    return found


def asked(
    scenario: str,
    commands: list[str],
    folder: Path,
    *,
    build: str = "debug",
    runtime: str = "libomp-19",
    kind: str = "live",
    gdb: str = "gdb",
    before: tuple[str, ...] = (),
) -> Answer:
    executable = machine.compiled("constructs", build, compiler=machine.FLANG)
    home = machine.cached(runtime)
    with target(kind, executable, (scenario,), home, folder) as made:
        return ask(gdb, commands, [*made.before, *before], made.files, folder=folder)


def has_lines_of(one: tuple[str, ...], true: tuple[str, ...]) -> bool:
    """A frame whose line the author did not write down may be in any."""
    return len(one) == len(true) and all(
        t in (frame, re.sub(r":\d+$", "", frame)) for frame, t in zip(one, true)
    )


def is_shortened(one: tuple[str, ...], true: tuple[str, ...]) -> bool:
    """Calls that the optimiser has removed may be missing: no construct, no wait and not the main
    program."""
    rest = iter(true)
    left_out = list(true)
    for frame in one:
        if frame == INLINED:
            continue
        if frame not in rest:
            return False
        left_out.remove(frame)
    kept = re.compile(r"<|(parallel|task)( serialized)?$|main program$")
    return not any(kept.match(frame) for frame in left_out)


def compare(document: Any, scenario: str, build: str, everything: str) -> None:
    found = told(document, "constructs.F90", lines=build == "debug")
    right: Counter[tuple[str, ...]] = Counter()
    for true in expected(SOURCE, scenario, lines=build == "debug").elements():
        alike = has_lines_of if build in ("debug", "bare") else is_shortened
        match = next((one for one in found if alike(one, true)), None)
        assert match is not None, f"expected {true} in {found}\n{everything}"
        right[match] += 1
        found = found - Counter([match])
    assert not found, f"{found}\n{everything}"
    assert all(stack["complete"] for stack in document["stacks"]), everything


@pytest.mark.parametrize("scenario, build, runtime, kind, gdb", cells())
def test_as_written(
    scenario: str, build: str, runtime: str, kind: str, gdb: str, folder: Path
) -> None:
    executable = machine.compiled("constructs", build, compiler=machine.FLANG)
    with target(kind, executable, (scenario,), machine.cached(runtime), folder) as made:
        commands = [ALL, THREADS, "ompd bt *", "ompd parallel"]
        answer = ask(gdb, commands, made.before, made.files, folder=folder)
        true = truth_of(made)
    compare(answer.document(ALL), scenario, build, answer.everything)
    for thread in answer.document(THREADS)["threads"]:
        declared = true.get(thread["lwp"])
        if declared is not None:
            told_state = told_of(thread["openmp"][0])
            assert score.judge(told_state, (declared.state, True)), answer.everything
    assert not re.search(r"FIRModule|_QM|_QF|_QQ|MAIN__|omp_par|#pragma", answer.everything)
