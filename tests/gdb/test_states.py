# SPDX-License-Identifier: Apache-2.0
"""Is each thread told to do what it does, without any preparation? The truth is by construction:
each thread declares what it is going to do, and stays there."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import machine
import pytest
from sessions import Target, ask, target

ASK = ["ompd threads -json", "ompd threads", "ompd", "ompd -json"]

# What the threads do that declare nothing: they have come to the end of what a scenario is about.
OTHERS = {
    "sections_end": "wait_barrier_implicit_workshare",
    "single_end": "wait_barrier_implicit_workshare",
    "taskwait": None,
    "taskgroup": None,
    "idle": "idle",
    "serial": "idle",
}
# What they wait for, by the program's names.
OBJECTS = {"critical": "update", "lock": "lock", "nest_lock": "lock"}
SCENARIOS = [
    "barrier_explicit",
    "for_end",
    "sections_end",
    "single_end",
    "region_end",
    "taskwait",
    "taskgroup",
    "critical",
    "lock",
    "nest_lock",
    "ordered",
    "doacross",
    "idle",
    "serial",
    "serialized",
    "nested",
    "task_in_barrier",
    "reduction",
    "deadlock",
    "diverging",
]
RUNTIMES = ["libomp-14", "libomp-16", "libomp-19", "libomp-19-ompd", "libomp-13"]
KINDS = ["live", "core", "attach", "gcore"]
BUILDS = ["debug", "optimised", "plain"]
GDBS = ["gdb", "gdb-16"]


def cells() -> list[Any]:
    found = []
    for i, scenario in enumerate(SCENARIOS):
        for k, runtime in enumerate(RUNTIMES if machine.FULL else RUNTIMES[:4]):
            turn = i + k
            settings = {"KMP_BLOCKTIME": "infinite"} if turn % 3 == 1 else {}
            cell = (scenario, runtime, KINDS[turn % 4], BUILDS[turn % 3], GDBS[turn % 2], settings)
            name = "-".join([*cell[:5], "spinning" if settings else "default"])
            found.append(pytest.param(*cell, id=name))
    return found


def truth_of(made: Target) -> dict[int, tuple[str, int]]:
    lines = Path(f"{made.record}.states").read_text(encoding="utf-8").splitlines()
    return {int(tid): (state, int(line)) for tid, state, line in map(str.split, lines)}


# Scenarios that go on when the observer lets them: nothing is odd about them.
STUCK = {"deadlock": "standing_still", "diverging": "barrier_divergence"}


def check(answer: Any, true: dict[int, tuple[str, int]], scenario: str, build: str) -> None:
    threads = answer.document(ASK[0])["threads"]
    told = {thread["lwp"]: thread for thread in threads}
    assert set(true) <= set(told), "threads are missing"
    codes = {one["code"] for one in answer.document(ASK[3])["summary"]["findings"]}
    codes.discard("crash")  # how the kernel is made to write a core
    assert codes == {STUCK[scenario]} if scenario in STUCK else not codes, answer.everything
    for lwp, thread in told.items():
        if not thread["openmp"]:
            assert thread["kind"] == "none"
            continue
        (member,) = thread["openmp"]
        certain = "state" not in member.get("doubts", {})
        if lwp not in true:
            expected = OTHERS[scenario]
            if expected is None:
                expected = "wait_barrier_implicit_parallel"
            assert (member["state"], certain) == (expected, True), answer.everything
            continue
        state, line = true[lwp]
        assert (member["state"], certain) == (state, True), answer.everything
        assert (member["wait"] is not None) == state.startswith("wait_"), answer.everything
        if scenario in OBJECTS and state.startswith("wait_"):
            # Optimised code may hold the address in another register all the time.
            name = member["wait"]["name"]
            assert name is not None or build != "debug", answer.everything
            assert OBJECTS[scenario] in (name or OBJECTS[scenario]), answer.everything
            assert (name or "") in answer.texts[1]
        if line and build != "plain":
            assert member["wait"]["loc"]["line"] == line, answer.everything


@pytest.mark.parametrize("scenario, runtime, kind, build, gdb, settings", cells())
def test_state(
    scenario: str,
    runtime: str,
    kind: str,
    build: str,
    gdb: str,
    settings: dict[str, str],
    folder: Path,
) -> None:
    executable, home = machine.compiled("states", build), machine.cached(runtime)
    with target(kind, executable, (scenario,), home, folder, settings) as made:
        answer = ask(gdb, ASK, made.before, made.files, folder=folder)
        check(answer, truth_of(made), scenario, build)


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_tracked_as_well(scenario: str, folder: Path) -> None:
    """What the runtime tracks is told beside, and does not change what we tell."""
    executable, runtime = machine.compiled("states"), machine.cached("libomp-19-ompd")
    tracking = {"OMP_DEBUG": "enabled"}
    with target("live", executable, (scenario,), runtime, folder, tracking) as made:
        answer = ask("gdb", ASK, made.before, made.files, folder=folder)
        check(answer, truth_of(made), scenario, "debug")
    members = [m for t in answer.document(ASK[0])["threads"] for m in t["openmp"]]
    assert any(member["tracked_state"] for member in members)


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_gnu_compiler(scenario: str, folder: Path) -> None:
    executable = machine.compiled("states", compiler="gcc")
    runtime = machine.as_libgomp(machine.cached("libomp-19"), folder / "lib")
    with target("live", executable, (scenario,), runtime, folder) as made:
        answer = ask("gdb", ASK, made.before, made.files, folder=folder)
        true = truth_of(made)
    told = {thread["lwp"]: thread for thread in answer.document(ASK[0])["threads"]}
    for lwp, (state, _) in true.items():
        (member,) = told[lwp]["openmp"]
        if state.startswith("wait_barrier"):
            assert member["state"].startswith("wait_barrier"), answer.everything
        else:
            assert member["state"] == state, answer.everything


@pytest.mark.parametrize("runtime", ["libomp-14", "libomp-19"])
@pytest.mark.parametrize("kind", ["live", "core"])
@pytest.mark.parametrize(
    "scenario, barrier",
    [
        ("barrier_explicit", "barrier"),
        ("for_end", "for"),
        ("single_end", "single"),
        ("region_end", "parallel"),
    ],
)
def test_arrived_and_missing(
    scenario: str, barrier: str, kind: str, runtime: str, folder: Path
) -> None:
    executable, home = machine.compiled("states"), machine.cached(runtime)
    commands = [ASK[0], "ompd barriers -json", "ompd barriers", "ompd"]
    with target(kind, executable, (scenario,), home, folder) as made:
        answer = ask("gdb", commands, made.before, made.files, folder=folder)
        true = truth_of(made)
    numbers = {
        thread["lwp"]: thread["openmp"][0]["thread_num"]
        for thread in answer.document(ASK[0])["threads"]
        if thread["openmp"]
    }
    (missing,) = [numbers[lwp] for lwp, (state, _) in true.items() if state == "work_parallel"]
    (told,) = answer.document(commands[1])["barriers"]
    assert (told["region"], told["kind"], told["missing"]) == ("R1", barrier, f"R1.{missing}")
    assert f"R1.{missing} (T" in answer.texts[2] and "working" in answer.texts[2]
    odd = re.findall(r"^Odd     : (.*)$", answer.texts[3], re.MULTILINE)
    assert all("SIGABRT" in one for one in odd) if kind == "core" else not odd


@pytest.mark.parametrize("runtime", ["libomp-14", "libomp-19"])
@pytest.mark.parametrize("kind", ["live", "core"])
def test_barrier_divergence(kind: str, runtime: str, folder: Path) -> None:
    executable, home = machine.compiled("states"), machine.cached(runtime)
    commands = ["ompd barriers -json", "ompd barriers", "ompd", "ompd -json"]
    with target(kind, executable, ("diverging",), home, folder) as made:
        answer = ask("gdb", commands, made.before, made.files, folder=folder)
    told = {one["kind"]: one for one in answer.document(commands[0])["barriers"]}
    assert told["barrier"]["arrived"] == told["parallel"]["missing"] == "R1.0"
    assert told["parallel"]["arrived"] == told["barrier"]["missing"] == "R1.1-2"
    for text in answer.texts[1:3]:
        assert "wait at different barriers" in " ".join(text.split())
    codes = {one["code"] for one in answer.document(commands[3])["summary"]["findings"]}
    assert "barrier_divergence" in codes


def test_no_barrier(folder: Path) -> None:
    executable, home = machine.compiled("states"), machine.cached("libomp-14")
    with target("live", executable, ("critical",), home, folder) as made:
        answer = ask("gdb", ["ompd barriers"], made.before, made.files, folder=folder)
    assert answer.text == "No thread waits at a barrier."


# The return address of frame N of the selected thread becomes a number that is none.
CUT = (
    "python f = gdb.newest_frame(); exec('for _ in range({level}): f = f.older()');"
    " gdb.selected_inferior().write_memory(int(f.read_register('rsp')) - 8,"
    " ({number}).to_bytes(8, 'little')); gdb.execute('flushregs', to_string=True)"
)


@pytest.mark.parametrize("number", [0, 0x4141414141414141])
@pytest.mark.parametrize("level", [1, 2, 3])
def test_damaged_stack(level: int, number: int, folder: Path) -> None:
    """A thread whose stack ends before it should is not told to be anywhere."""
    executable, home = machine.compiled("states"), machine.cached("libomp-14")
    damage = CUT.format(level=level, number=number)
    commands = [ASK[0], "ompd barriers -json", "ompd threads"]
    with target("live", executable, ("critical",), home, folder) as made:
        before = [*made.before, "thread 3", damage]
        answer = ask("gdb", ["info threads", *commands], before, made.files, folder=folder)
        true = truth_of(made)
    for thread in answer.document(ASK[0])["threads"]:
        for member in thread["openmp"]:
            unsure = member.get("doubts", {}).get("state")
            state = true[thread["lwp"]][0]
            assert unsure or member["state"] == state, f"lied:\n{answer.everything}"
            if thread["gdb"] != "1.3":
                assert not unsure and member["state"] == state
    assert answer.document("ompd barriers -json")["barriers"] == []
