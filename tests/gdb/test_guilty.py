# SPDX-License-Identifier: Apache-2.0
"""Is a program that never goes on ever passed? Those of guilty.c say themselves what is the matter
and who is in it. It is found where the picture proves it, else it cannot be told, with the reason;
its twin, which has no such defect, is innocent."""

from __future__ import annotations

import re
import zlib
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import looks
import machine
import pytest
import test_innocents as innocents
from agreement import Stop, accusations, cannot_tell, expanded, score
from looks import Program
from test_innocents import GNUS, LOCK_KINDS, RUNTIMES, SETTINGS

KINDS = ("live", "attach", "core", "gcore", "pid", "file")
BUILDS = ("debug", "optimised", "release")
# With these the runtime records who holds its locks.
RECORDING = ({"KMP_CONSISTENCY_CHECK": "all"}, {"KMP_LOCK_KIND": "tas"}, {"KMP_LOCK_KIND": "futex"})
# The runtime ends a program that it sees to lock itself out, or to nest constructs as it must not.
# A thread that comes after one that has ended gets its number, and with it its locks.
SEEN_BY_THE_RUNTIME = {"twice", "ordered_in", "barrier_in", "missing_alone", "lock_of_the_dead"}


def scenarios_of(program: str, ending: str) -> dict[str, str]:
    text = (machine.PROGRAMS / f"{program}.{ending}").read_text(encoding="utf-8")
    return {name: program for name in re.findall(r"\bGUILTY\((\w+)", text)}


SCENARIOS = {
    **scenarios_of("guilty", "c"),
    **scenarios_of("guilty_cxx", "cc"),
    **scenarios_of("guilty_tasks", "c"),
}
OF_CLANG_ONLY = {"event_missing"}
ACTIVE = (("OMP_WAIT_POLICY", "active"),)
# Of what GNU's compilers make, LLVM's runtime does not do these, and GNU's since release 11 only.
OF_NEWER_GNUS = {"detached", "cancel"}


@dataclass(frozen=True)
class Cell:
    scenario: str
    guilty: bool
    kind: str
    build: str
    runtime: str
    gcc: bool
    settings: tuple[tuple[str, str], ...]

    def __str__(self) -> str:
        words = [self.scenario, "guilty" if self.guilty else "twin", self.kind, self.build]
        words += [self.runtime, *(["gcc"] if self.gcc else [])]
        return "-".join([*words, *(f"{name}={value}" for name, value in self.settings)])


def dealt(scenario: str, i: int, k: int) -> Cell:
    turn = i + k
    settings = dict(SETTINGS[(turn // 3) % len(SETTINGS)])
    if i % 2 == k % 2:
        settings.update(RECORDING[turn % len(RECORDING)])
    elif re.search("lock", scenario):
        settings["KMP_LOCK_KIND"] = LOCK_KINDS[turn % len(LOCK_KINDS)]
    if any(word in scenario for word in SEEN_BY_THE_RUNTIME):
        settings.pop("KMP_CONSISTENCY_CHECK", None)
    gcc = turn % 5 == 4 and scenario not in OF_CLANG_ONLY
    gnus = (i // 2 + k) % 4 == 1 and scenario not in OF_CLANG_ONLY
    runtime = GNUS[i % len(GNUS)] if gnus else RUNTIMES[(i // 3 + k) % len(RUNTIMES)]
    if any(word in scenario for word in OF_NEWER_GNUS):
        runtime, gcc = "libgomp-12" if gnus else runtime, gnus
    return Cell(
        scenario,
        True,
        KINDS[turn % len(KINDS)],
        BUILDS[(i // 2 + k) % len(BUILDS)],
        runtime,
        gcc or gnus,
        tuple(settings.items()),
    )


def cells() -> list[Any]:
    found = []
    for i, scenario in enumerate(SCENARIOS):
        for k in range(3 * len(KINDS)) if machine.FULL else range(1):
            found.append(dealt(scenario, i, k))
        # A twin in as many ways as an innocent; by default every third one.
        ways = range(len(innocents.KINDS))
        for k in ways if machine.FULL else [i // 3 % len(ways)][: i % 3 == 0]:
            kind = innocents.KINDS[k]
            found.append(replace(dealt(scenario, i, k), guilty=False, kind=kind))
    return [pytest.param(cell, id=str(cell)) for cell in dict.fromkeys(found)]


def program_of(cell: Cell, folder: Path) -> Program:
    source = SCENARIOS[cell.scenario]
    made = innocents.built(source, cell.build, cell.runtime, cell.gcc, cell.settings, folder)
    return replace(made, args=[cell.scenario, made.begun, *(["guilty"] if cell.guilty else [])])


@dataclass
class Truth:
    kind: str
    stuck: set[int]
    works: set[int]


def truth_of(program: Program) -> Truth:
    """What it has written down; of several runs the last one's."""
    text = Path(f"{program.begun}.truth").read_text(encoding="utf-8")
    kind, _, rest = text.rpartition("kind ")[2].partition("\n")
    said = [line.split() for line in rest.splitlines()]
    by_word = {
        word: {int(tid) for what, tid in said if what == word} for word in ("stuck", "works")
    }
    return Truth(kind, by_word["stuck"], by_word["works"])


@pytest.mark.parametrize("cell", cells())
def test_guilty(cell: Cell, folder: Path) -> None:
    program = program_of(cell, folder)
    if not cell.guilty:
        check_twin(cell, program, folder)
    elif cell.kind in ("pid", "file"):
        check_by_shell(cell, program, folder)
    else:
        seed = zlib.crc32(str(cell).encode())
        (stop,) = looks.by_gdb(cell.kind, program, 1, seed, folder)
        check(cell, stop, truth_of(program))


def check_twin(cell: Cell, program: Program, folder: Path) -> None:
    number = (innocents.LOOKS or innocents.FEW)[cell.kind]
    if cell.kind == "pid":
        innocents.check_by_shell(program, number, folder)
        return
    innocents.check(str(cell), cell.kind, program, number, "gdb", folder)


def check(cell: Cell, stop: Stop, truth: Truth) -> None:
    everything = "\n".join([str(truth), *stop.texts.values(), stop.stacks])
    score.guilty += 1
    accused = bool(accusations(stop))
    score.found += accused
    score.told_as_unknown += not accused and cannot_tell(stop)
    disagree = score.compare(stop)
    print(f"{cell}: {stop.deadlock['verdict']}, {[one['code'] for one in stop.findings]}")
    numbers = {name: thread["lwp"] for name, (thread, _) in stop.threads().items()}
    for circle in stop.deadlock["cycles"]:
        those = {numbers.get(edge["thread"]) for edge in circle}
        # Whoever waits at a barrier for one that is stuck can be in it too.
        in_it = those & truth.stuck and not those & truth.works
        assert in_it, f"{those} are not in a circle:\n{everything}"
    if truth.kind == "spinning":
        assert not stop.deadlock["cycles"], everything
    elif not accused:
        assert cannot_tell(stop) and stop.deadlock["unknown"], f"passed:\n{everything}"
        assert "No problems found;" not in stop.text("ompd"), f"passed:\n{everything}"
    if truth.kind == "circle" and proven(cell):
        assert stop.deadlock["verdict"] == "deadlock", f"not found:\n{everything}"
    # GNU's runtime does not record which thread of the system's one of its own is.
    if cell.scenario == "barrier_of_the_dead" and not machine.is_gnus(cell.runtime):
        assert "thread_ended" in [one["code"] for one in stop.findings], everything
        assert "?: the thread has ended" in stop.text("ompd threads"), everything
    awaited = {name for one in stop.deadlock["waits"] for e in one["for"] for name in [e["thread"]]}
    for one in stop.deadlock["waits"]:
        if one["barrier"] is not None:
            awaited.update(expanded(one["barrier"]["missing"] or ""))
    if truth.works:
        named = {numbers.get(name) for name in awaited}
        assert truth.works <= named, f"who is waited for is not told:\n{everything}"
    assert not disagree, "\n".join([*disagree, everything])


def proven(cell: Cell) -> bool:
    """Does the picture hold who has what they wait for?"""
    settings = dict(cell.settings)
    of_llvms = not machine.is_gnus(cell.runtime)
    names = {"KMP_CONSISTENCY_CHECK", "KMP_LOCK_KIND"}
    recorded = (
        of_llvms
        and bool(names & set(settings))
        and (settings.get("KMP_LOCK_KIND") in (None, "tas", "futex"))
    )
    by_lock = bool(re.search("^lock_(order|ring)", cell.scenario))
    always = re.search("nest_lock_order|^static_needs|^once_and|^malloc_in", cell.scenario)
    return always is not None or (recorded and by_lock)


@pytest.mark.parametrize("kind, runtime", [("attach", "libgomp-12"), ("core", "libgomp-10")])
def test_circle_through_a_turn_on_gnus(kind: str, runtime: str, folder: Path) -> None:
    """libgomp records the thread whose turn it is."""
    cell = Cell("ordered_in_critical", True, kind, "debug", runtime, True, ())
    program = program_of(cell, folder)
    (stop,) = looks.by_gdb(kind, program, 1, 1, folder)
    check(cell, stop, truth_of(program))
    assert "waits for its turn in ordered" in stop.text("ompd deadlock"), stop.texts
    assert stop.deadlock["cycles"], stop.texts


@pytest.mark.parametrize("scenario", ["loop", "sections", "single"])
@pytest.mark.parametrize(
    "runtime, policy",
    [("libgomp-12", "passive"), ("libgomp-12", "active"), ("libomp-19", "passive")],
)
def test_a_construct_that_not_all_come_to(
    scenario: str, runtime: str, policy: str, folder: Path
) -> None:
    """It is told who waits where, whether or not the compiler names the construct. Threads that
    sleep wait for certain."""
    gnus = machine.is_gnus(runtime)
    settings = (("OMP_WAIT_POLICY", policy),)
    cell = Cell(f"{scenario}_skipped", True, "attach", "debug", runtime, gnus, settings)
    (stop,) = looks.by_gdb("attach", program_of(cell, folder), 1, 1, folder)
    assert [one["code"] for one in stop.findings] == ["barrier_divergence"], stop.texts
    skipped = {"loop": 1, "sections": 2, "single": 0}[scenario]
    said = " ".join(stop.text("ompd").split())
    assert "Threads of R1 wait at different barriers" in said, said
    assert f"R1.{skipped} at end of region" in said, said


@pytest.mark.parametrize("scenario", ["loop", "single"])
def test_a_construct_that_spinning_threads_miss(scenario: str, folder: Path) -> None:
    """Of LLVM's first thread nothing but a second look tells that it waits."""
    cell = Cell(f"{scenario}_skipped", True, "pid", "debug", "libomp-19", False, ACTIVE)
    program = program_of(cell, folder)
    with looks.running(program, folder) as pid:
        answer = looks.by_shell("pid", str(pid), folder=folder)
    said = " ".join(answer.text.split())
    skipped = {"loop": 1, "single": 0}[scenario]
    assert "Threads of R1 wait at different barriers" in said, said
    assert f"R1.{skipped} at end of region" in said, said


def check_by_shell(cell: Cell, program: Program, folder: Path) -> None:
    """`ompd pid' of the process, `ompd core' of its core."""
    program.begun.unlink(missing_ok=True)
    with looks.running(program, folder) as pid:
        if cell.kind == "pid":
            answer = looks.by_shell("pid", str(pid), folder=folder)
        else:
            core = looks.gcore(pid, folder)
            answer = looks.by_shell("core", core, folder=folder)
            core.unlink()
        truth = truth_of(program)
    score.guilty += 1
    score.found += answer.status == looks.FINDING
    score.told_as_unknown += answer.status == looks.CANNOT_TELL
    print(f"{cell}: exit status {answer.status}")
    if truth.kind != "spinning":
        told = answer.status in (looks.FINDING, looks.CANNOT_TELL)
        assert told, f"passed:\n{truth}\n{answer.text}"
