# SPDX-License-Identifier: Apache-2.0
"""Kernel cores of programs on a libgomp whose file is not there: builds that are known by their
build-id are told right, or as unknown; others are refused."""

from __future__ import annotations

import contextlib
import shutil
from pathlib import Path
from typing import Iterator

import machine
import pytest
import truth
from machine import Case
from sessions import Target, ask, target
from states import OF_ANY_KIND, score, told_of, truth_of
from test_damage import told_or_true
from test_outside import codes
from test_states import OTHERS, SCENARIOS
from test_truth import told_truth

ASK = ["ompd threads -json", "ompd parallel -json"]
TEXTS = ["ompd", "ompd status", "ompd threads", "ompd threads -all", "ompd parallel"]
RUNTIMES = ["libgomp-10", "libgomp-12", "libgomp-14", "libgomp-16"]
# On which gcc 12's programs do not all start: some need functions that GCC 9 brought.
OLD = "libgomp-7"


@contextlib.contextmanager
def core_without(
    runtime: str, case: Case, folder: Path, build_id: bytes | None = None
) -> Iterator[Target]:
    """build_id: another one than the library has."""
    home = folder / "lib"
    home.mkdir()
    library = home / "libgomp.so.1"
    code = (machine.cached(runtime) / library.name).read_bytes()
    if build_id is not None:
        at = code.index(b"\4\0\0\0\x14\0\0\0\3\0\0\0GNU\0") + 16
        code = code[:at] + build_id + code[at + len(build_id) :]
    library.write_bytes(code)
    executable = machine.built_for(runtime, case.source)
    settings = machine.settings_of(runtime)
    with target("core", executable, case.args, home, folder, settings) as made:
        library.unlink()
        yield made


@pytest.mark.parametrize("runtime", [*RUNTIMES, OLD])
@pytest.mark.parametrize("case", [Case("nested"), Case("tasks"), Case("roots")], ids=str)
def test_regions(case: Case, runtime: str, folder: Path) -> None:
    with core_without(runtime, case, folder) as made:
        answer = ask("gdb", [*ASK, *TEXTS], made.before, made.files, folder=folder)
        record = truth.as_gnus(made.truth(), answer.document(ASK[0]))
        told_or_true(answer, record)
        (found,) = told_truth(record, answer, has_lines=False, has_record=False)["runtimes"]
    assert (found["kind"], str(found["version"])) == ("gomp", runtime.partition("-")[2])
    assert "code_not_checked" in {one["code"] for one in found["diagnostics"]}


@pytest.mark.parametrize("runtime", [*RUNTIMES, OLD])
def test_icvs(runtime: str, folder: Path) -> None:
    """The same as with the file, but for a default that is in its constants."""
    command, only_there = "ompd icvs -json", "affinity-format-var"
    told = []
    with core_without(runtime, Case("nested"), folder) as made:
        for _ in range(2):
            answer = ask("gdb", [command], made.before, made.files, folder=folder)
            told.append(answer.document(command)["icvs"])
            shutil.copy2(machine.cached(runtime) / "libgomp.so.1", folder / "lib")
    without, there = ([one for one in icvs if one["name"] != only_there] for icvs in told)
    assert without == there and len(without) > 20
    assert any(one["name"] == "num-procs-var" and one["values"] for one in without)


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_states(scenario: str, folder: Path) -> None:
    """What is told as certain is right, and nobody is accused."""
    runtime = RUNTIMES[SCENARIOS.index(scenario) % len(RUNTIMES)]
    with core_without(runtime, Case(scenario, "states", (scenario,)), folder) as made:
        answer = ask("gdb", [ASK[0], "ompd -json"], made.before, made.files, folder=folder)
        true = truth_of(made)
    for thread in answer.document(ASK[0])["threads"]:
        for member in thread["openmp"]:
            declared = true.get(thread["lwp"])
            state = declared.state if declared else OTHERS[scenario]
            told, certain = told_of(member)
            told = state if {told, state} <= OF_ANY_KIND else told
            if certain:
                assert score.judge(told, state), answer.everything
    if scenario not in ("deadlock", "diverging"):
        assert not codes(answer), answer.everything


def test_unknown_build(folder: Path) -> None:
    with core_without("libgomp-12", Case("nested"), folder, b"\xee" * 20) as made:
        answer = ask("gdb", TEXTS, made.before, made.files, folder=folder)
    assert "cannot be looked into" in answer.texts[2]
    assert "libgomp.so.1" in answer.texts[2] and "not OpenMP" not in answer.everything
