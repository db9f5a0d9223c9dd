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
from test_breakpoints import EVENTS, run, stops_in, told_counts, true_counts
from test_steps import LOCKING, Walk, walk_through, walks_in
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
    """A frame whose line the author did not write down may be in any. The compiler's name of an
    external procedure tells nobody that it is Fortran's."""
    return len(one) == len(true) and all(
        t in (frame, re.sub(r":\d+$|_$", "", frame)) for frame, t in zip(one, true)
    )


def is_shortened(one: tuple[str, ...], true: tuple[str, ...]) -> bool:
    """Calls that the optimiser has removed may be missing: no construct, no wait and not the main
    program. Of what is inlined GDB does not tell what it is in."""
    true = tuple(frame.rpartition("::")[2] for frame in true)
    rest = iter(true)
    left_out = list(true)
    for frame in one:
        if frame == INLINED:
            continue
        frame = frame.rpartition("::")[2]
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


TURNS = [
    pytest.param(build, runtime, i + j, id=f"{build}-{runtime}")
    for i, build in enumerate(BUILDS)
    for j, runtime in enumerate(RUNTIMES)
    if machine.FULL or (i + j) % 3 == 0
]


@pytest.mark.parametrize("build, runtime, turn", TURNS)
def test_truth(build: str, runtime: str, turn: int, folder: Path) -> None:
    """Regions, teams and numbers, as the program's own omp_get_*() answer."""
    executable = machine.compiled("whole_fortran", build, compiler=machine.FLANG)
    home, commands = machine.cached(runtime), [THREADS, "ompd parallel -json", ALL]
    with target(KINDS[turn % 5], executable, (), home, folder) as made:
        answer = ask(GDBS[turn % 4], commands, made.before, made.files, folder=folder)
        told_truth(made.truth(), answer, has_lines=build in WITH_LINES)
    assert all(stack["complete"] for stack in answer.document(ALL)["stacks"])


@pytest.mark.parametrize("scenario", ["nested", "contained", "tasks", "external", "update"])
@pytest.mark.parametrize("build", ["debug", "bare", "optimised", "plain"])
def test_gdbs_own_stacks(scenario: str, build: str, folder: Path) -> None:
    """`bt' has the frames of `ompd bt' that are on the thread's own stack, under the same names."""
    every = "thread apply all bt"
    answer = asked(scenario, [ALL, every], folder, build=build)
    ours = {
        (int(stack["gdb"].split(".")[1]), frame["level"]): frame["loc"]["function"]
        for stack in answer.document(ALL)["stacks"]
        for frame in stack["frames"]
        if frame["kind"] == "user" and frame["thread"] == stack["gdb"]
    }
    shown = {}
    for stack in re.split(r"^Thread ", answer.text, flags=re.MULTILINE)[1:]:
        for level, name in re.findall(
            r"^#(\d+) +(?:0x[0-9a-f]+ in )?(.*?) \(", stack, re.MULTILINE
        ):
            shown[int(stack.split()[0]), int(level)] = name
    wrong = {at: (name, shown.get(at)) for at, name in ours.items() if shown.get(at) != name}
    assert ours and not wrong, f"{wrong}\n{answer.everything}"


@pytest.mark.parametrize("build", ["debug", "release"])
def test_locks(build: str, folder: Path) -> None:
    """As Fortran spells them; flang records no members of derived types."""
    commands = ["ompd deadlock -json", "ompd locks -json", "ompd deadlock"]
    answer = asked("crossed", commands, folder, build=build)
    found = answer.document("ompd deadlock -json")["deadlock"]
    if build == "debug":
        assert found["verdict"] == "deadlock" and len(found["cycles"][0]) == 2, answer.everything
    assert found["verdict"] != "none", answer.everything
    names = {lock["name"] for lock in answer.document("ompd locks -json")["locks"]}
    assert names == {"constructs::doors", "constructs::doors+24"}, answer.everything
    assert build != "debug" or "constructs::crossed" in answer.text


def test_locks_of_gfortran(folder: Path) -> None:
    executable = machine.compiled("constructs", compiler="gcc")
    runtime = machine.as_libgomp(machine.cached("libomp-19"), folder / "lib")
    with target("live", executable, ("crossed",), runtime, folder) as made:
        answer = ask("gdb", ["ompd locks -json"], made.before, made.files, folder=folder)
    names = {lock["name"] for lock in answer.document("ompd locks -json")["locks"]}
    assert names == {"constructs::doors(1)%left", "constructs::doors(2)%right"}, answer.everything


# GDB has gfortran's name of the program, and of an internal procedure only its code outside of
# constructs tells around what it is. Of most barriers nothing tells whose end they are.
PLAIN = {"main_of_constructs": "main program"}


def plainly(stack: tuple[str, ...]) -> tuple[str, ...]:
    names = [PLAIN.get(name, name).rpartition("::")[2] for name in stack]
    return tuple("<>" if name.startswith("<") else name for name in names)


@pytest.mark.parametrize("scenario", sorted(set(SCENARIOS) - {"all_in_one", "summed"}))
def test_gfortran(scenario: str, folder: Path) -> None:
    """The same constructs, but for those that its code ends at other places."""
    executable = machine.compiled("constructs", compiler="gcc")
    runtime = machine.as_libgomp(machine.cached("libomp-19"), folder / "lib")
    with target("live", executable, (scenario,), runtime, folder) as made:
        answer = ask("gdb", [ALL], made.before, made.files, folder=folder)
    found = Counter(map(plainly, told(answer.document(ALL), "constructs.F90", False).elements()))
    true = Counter(map(plainly, expected(SOURCE, scenario, False).elements()))
    assert found == true, answer.everything


# ---- Breakpoints and steps -----------------------------------------------------------------------

PASSING = machine.PROGRAMS / "passing.F90"
WALKS = walks_in(PASSING)


@pytest.mark.parametrize("runtime", ["libomp-16", "libomp-19", "libomp-19-ompd"])
@pytest.mark.parametrize("build", ["debug", "bare", "optimised", "release", "plain"])
def test_every_event(build: str, runtime: str, folder: Path) -> None:
    """Older runtimes do not have the entry point for regions with an if clause. Where barriers are
    is not written down: flang records it of some of them."""
    executable = machine.compiled("passing", build, compiler=machine.FLANG)
    run(folder, EVENTS, runtime=machine.cached(runtime), executable=executable)
    lines = build in WITH_LINES
    stops = Counter(
        (what, line if lines and what != "barrier" else 0, *rest)
        for what, line, *rest in told_counts(stops_in(folder)).elements()
    )
    passed = Counter(
        (what, line if lines else 0, *rest)
        for what, line, *rest in true_counts(folder / "truth.json", EVENTS).elements()
    )
    assert stops == passed


@pytest.mark.parametrize("place", ["events::deeper", "deeper"])
def test_break_at(place: str, folder: Path) -> None:
    executable = machine.compiled("passing", compiler=machine.FLANG)
    events = [f"parallel begin at {place}"]
    answer = run(folder, events, runtime=machine.cached("libomp-19"), executable=executable)
    regions = true_counts(folder / "truth.json", ["parallel begin"])
    assert sum(told_counts(stops_in(folder)).values()) == 4, answer.everything
    assert set(told_counts(stops_in(folder))) <= set(regions)


@pytest.mark.parametrize("walk", WALKS, ids=str)
def test_steps(walk: Walk, folder: Path) -> None:
    executable = machine.compiled("passing", compiler=machine.FLANG)
    locking = LOCKING[WALKS.index(walk) % len(LOCKING)]
    walk_through(walk, executable, machine.cached("libomp-19"), folder, locking)


# ---- Values --------------------------------------------------------------------------------------


@pytest.mark.parametrize("runtime", ["libomp-14", "libomp-19"])
def test_values(runtime: str, folder: Path) -> None:
    """Each thread's own loop variable, not the one outside; variables of modules; of the team."""
    commands = ["ompd print R1 i -json", "ompd print R1 number -json", "ompd print R1 total -json"]
    commands += ["ompd print R1 i", "ompd each R1 ompd print R1.1 i"]
    answer = asked("loop", commands, folder, runtime=runtime)
    own, shared, of_module = (
        answer.document(command)["print"]["values"] for command in commands[:3]
    )
    told_values = {value["who"]: (value["text"], value["in_construct"]) for value in own}
    assert told_values == {"R1.0": ("1", False), "R1.1": ("2", True)}, answer.everything
    assert "2  (in the construct's code" in answer.texts[3]
    assert "R1.0-1 (T1,3):" in answer.text and answer.text.count("R1.1") == 1
    assert [(value["text"], value["parents"]) for value in shared] == [("7", "R1")]
    assert {value["text"] for value in of_module} == {"0"}
