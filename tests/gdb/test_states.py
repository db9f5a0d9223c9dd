# SPDX-License-Identifier: Apache-2.0
"""Is each thread told to do what it does, without any preparation? The truth is by construction:
each thread declares what it is going to do, and stays there."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import machine
import pytest
from sessions import ask, target
from states import OF_ANY_KIND, Declared, score, told_of, truth_of

ASK = ["ompd threads -json", "ompd threads", "ompd", "ompd -json"]

SCENARIOS = [
    "barrier_explicit",
    "for_end",
    "dynamic_end",
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
# In other programs, or of clang's code only: with fewer runtimes each.
OTHER_SCENARIOS = {
    "atomic": "states",
    "atomic_generic": "states",
    "taskloop": "states_of_tasks",
    "priorities": "states_of_tasks",
    "untied": "states_of_tasks",
    "detached": "states_of_tasks",
    "undeferred": "states_of_tasks",
    "included": "states_of_tasks",
    "task_in_taskwait": "states_of_tasks",
    "league": "states_of_regions",
    "parallel_in_league": "states_of_regions",
    "two_roots": "states_of_regions",
    "cancelled": "states_of_regions",
    "cancelled_dynamic": "states_of_regions",
    "cancelled_sections": "states_of_regions",
    "sections_last": "states_of_regions",
    "copied": "states_of_regions",
    "target_on_host": "states_of_regions",
    "forking": "states_of_regions",
    "missing": "foreign_calls",
}
# What the threads do that declare nothing: they have come to the end of what a scenario is about.
OTHERS = {
    "dynamic_end": "wait_barrier_implicit_workshare",
    "sections_end": "wait_barrier_implicit_workshare",
    "cancelled_dynamic": "wait_barrier_implicit_workshare",
    "cancelled_sections": "wait_barrier_implicit_workshare",
    "sections_last": "wait_barrier_implicit_workshare",
    "single_end": "wait_barrier_implicit_workshare",
    "taskwait": "wait_barrier_implicit_parallel",
    "taskgroup": "wait_barrier_implicit_parallel",
    "included": "wait_barrier_implicit_parallel",
    "copied": "wait_barrier_implicit_workshare",
    "idle": "idle",
    "serial": "idle",
    "league": "idle",
}
# What they wait for, by the program's names.
OBJECTS = {"critical": "update", "lock": "lock", "nest_lock": "lock"}
# The others go on when the observer lets them: nothing is odd about them. Where one look proves
# nothing, that is said.
STUCK = {"deadlock": {"cannot_tell"}, "diverging": {"barrier_divergence", "cannot_tell"}}
# Where it is certain that the thread at the barrier waits: it holds a mutex that another one wants.
MAY_BE_STUCK = {"missing": {"deadlock"}}
# Of threads that spin the words of GNU's barriers and tasks do not tell: the state is likely.
UNPROVEN = {"nested", "undeferred"}
LOCK_KINDS = ["tas", "futex", "ticket", "queuing", "drdpa"]
RUNTIMES = ["libomp-14", "libomp-16", "libomp-19", "libomp-19-ompd", "libomp-13"]
KINDS = ["live", "core", "attach", "gcore"]
BUILDS = ["debug", "optimised", "plain"]
GDBS = ["gdb", "gdb-16"]


# Entry points of GNU's that wait, or that call LLVM's to wait.
WITH_GCC = {
    **dict.fromkeys([*SCENARIOS, "atomic"], "states"),
    **dict.fromkeys(["taskloop", "undeferred", "taskwait_depend"], "states_of_tasks"),
    **dict.fromkeys(
        ["cancelled_region", "cancelled_dynamic", "cancelled_sections", "sections_last", "copied"],
        "states_of_regions",
    ),
}
# At which construct's barrier threads wait, as far as the call of gcc's code tells.
GNUS_BARRIERS = {
    "barrier_explicit": "unknown",
    "for_end": "unknown",
    "dynamic_end": "for",
    "sections_end": "sections",
    "single_end": "unknown",
    "reduction": "unknown",
    "region_end": "parallel",
    "cancelled_dynamic": "for",
    "cancelled_sections": "sections",
    "sections_last": "sections",
    "copied": "single",
}
GNUS = ["libgomp-12", "libgomp-10", "libgomp-14", "libgomp-16"]
OLD = "libgomp-7"  # without what the other programs call


def cells() -> list[Any]:
    found = []
    for i, scenario in enumerate([*SCENARIOS, *OTHER_SCENARIOS]):
        usual = RUNTIMES[:4] if scenario in SCENARIOS else [RUNTIMES[i % 4]]
        for k, runtime in enumerate(RUNTIMES if machine.FULL else usual):
            turn = i + k
            settings = {"KMP_BLOCKTIME": "infinite"} if turn % 3 == 1 else {}
            found.append((scenario, runtime, turn, settings))
        if scenario in WITH_GCC:
            gnus = GNUS + [OLD] * (WITH_GCC[scenario] == "states") if machine.FULL else GNUS[:1]
            for k, runtime in enumerate(gnus):
                turn = i + k
                spinning = {"OMP_WAIT_POLICY": "active"} if turn % 3 == 1 else {}
                found.append((scenario, runtime, turn, spinning))
    return [dealt(*one) for one in found]


def dealt(scenario: str, runtime: str, turn: int, settings: dict[str, str]) -> Any:
    # gcore writes zeros for the stacks of sid's C library, which have pages that nobody may read.
    kinds = KINDS[:3] if runtime == "libgomp-16" else KINDS
    kind = kinds[turn % len(kinds)]
    cell = (scenario, runtime, kind, BUILDS[turn % 3], GDBS[turn % 2], settings)
    return pytest.param(*cell, id="-".join([*cell[:5], "spinning" if settings else "default"]))


def lock_cells() -> list[tuple[str, str, str]]:
    scenarios = ["lock", "critical", "nest_lock"]
    runtimes = RUNTIMES[:4]
    if machine.FULL:
        return [(s, kind, r) for s in scenarios for kind in LOCK_KINDS for r in runtimes]
    return [(scenarios[i % 3], kind, runtimes[i % 4]) for i, kind in enumerate(LOCK_KINDS)]


def check(
    answer: Any,
    true: dict[int, Declared],
    scenario: str,
    build: str,
    gnus: bool = False,
    spins: bool = False,
) -> None:
    threads = answer.document(ASK[0])["threads"]
    told = {thread["lwp"]: thread for thread in threads}
    assert set(true) <= set(told), "threads are missing"
    codes = {one["code"] for one in answer.document(ASK[3])["summary"]["findings"]}
    codes -= MAY_BE_STUCK.get(scenario, set())
    # Without the kinds of barriers, that they differ shows as a circle.
    expected = STUCK.get(scenario, set()) | ({"deadlock"} if gnus and scenario in STUCK else set())
    # How the kernel is made to write a core: whether that would have hung, nobody asks.
    crashed = "crash" in codes
    codes.discard("crash")
    assert codes <= expected - ({"cannot_tell"} if crashed else set()), answer.everything
    assert crashed or bool(codes) == bool(expected), answer.everything
    for lwp, thread in told.items():
        if not thread["openmp"]:
            assert thread["kind"] == "none"
            continue
        (member,) = thread["openmp"]
        declared = true.get(lwp)
        state = declared.state if declared else OTHERS[scenario]
        told_state, certain = told_of(member)
        if gnus and state in OF_ANY_KIND and told_state in OF_ANY_KIND:
            told_state = state
        if gnus and spins and scenario in UNPROVEN and not certain:
            assert member["doubts"]["state"]["why"], answer.everything
            continue
        assert score.judge((told_state, certain), (state, True)), answer.everything
        if declared is None:
            continue
        assert (member["wait"] is not None) == state.startswith("wait_"), answer.everything
        if scenario in OBJECTS and state.startswith("wait_"):
            # Optimised code may hold the address in another register all the time.
            name = member["wait"]["name"]
            assert name is not None or build != "debug", answer.everything
            assert OBJECTS[scenario] in (name or OBJECTS[scenario]), answer.everything
            assert (name or "") in answer.texts[1]
        # What gcc's line table tells of a call in optimised code may be another's line, and its
        # barrier behind a loop has the line of what follows.
        has_lines = (build == "debug" and scenario != "for_end") if gnus else build != "plain"
        if declared.line and has_lines and member["wait"] is not None:
            assert member["wait"]["loc"]["line"] == declared.line, answer.everything
        call = thread["in_call"]
        assert (call and call["function"]) == declared.call, answer.everything
        assert declared.call is None or f", in {declared.call}" in answer.texts[1]


@pytest.mark.each("scenario")
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
    executable = machine.built_for(runtime, OTHER_SCENARIOS.get(scenario, "states"), build)
    home = machine.cached(runtime)
    settings = {**settings, **machine.settings_of(runtime)}
    with target(kind, executable, (scenario,), home, folder, settings) as made:
        answer = ask(gdb, ASK, made.before, made.files, folder=folder)
        spins = settings.get("OMP_WAIT_POLICY") == "active"
        check(answer, truth_of(made), scenario, build, machine.is_gnus(runtime), spins)


def cells_in_the_program() -> list[Any]:
    scenarios = [one for one in [*SCENARIOS, *OTHER_SCENARIOS] if one in WITH_GCC]
    return [
        (scenario, how, KINDS[(i + k) % 3])
        for i, scenario in enumerate(scenarios)
        for k, how in enumerate(machine.LINKED)
        if machine.FULL or (i % 3 == 0 and k == i // 3 % len(machine.LINKED))
    ]


@pytest.mark.parametrize("scenario, how, kind", cells_in_the_program())
def test_libgomp_in_the_program(scenario: str, how: str, kind: str, folder: Path) -> None:
    """It has names there of all its functions, and is known by them."""
    program = OTHER_SCENARIOS.get(scenario, "states")
    executable = machine.with_libgomp(program, how, folder)
    with target(kind, executable, (scenario,), folder, folder) as made:
        answer = ask("gdb", ASK, made.before, made.files, folder=folder)
        check(answer, truth_of(made), scenario, "debug", True)


@pytest.mark.parametrize("scenario, kind, runtime", lock_cells())
def test_lock_kind(scenario: str, kind: str, runtime: str, folder: Path) -> None:
    """However a lock is made, waiting for it is the same."""
    executable, settings = machine.compiled("states"), {"KMP_LOCK_KIND": kind}
    home = machine.cached(runtime)
    with target("live", executable, (scenario,), home, folder, settings) as made:
        answer = ask("gdb", ASK, made.before, made.files, folder=folder)
        check(answer, truth_of(made), scenario, "debug")


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


@pytest.mark.parametrize("runtime", ["libomp-14", "libomp-19"])
def test_cancelled_region(runtime: str, folder: Path) -> None:
    """clang gives its barrier the mark of a loop's end: what it is told to be is not certain."""
    executable, home = machine.compiled("states_of_regions"), machine.cached(runtime)
    environment = {"OMP_CANCELLATION": "true"}
    with target("live", executable, ("cancelled_region",), home, folder, environment) as made:
        answer = ask("gdb", ASK, made.before, made.files, folder=folder)
        true = truth_of(made)
    for thread in answer.document(ASK[0])["threads"]:
        declared = true.get(thread["lwp"])
        if declared is not None and declared.state.startswith("wait_"):
            state, certain = told_of(thread["openmp"][0])
            assert state is not None and state.startswith("wait_barrier"), answer.everything
            assert not certain, answer.everything
            assert "can be cancelled" in answer.texts[1]


@pytest.mark.parametrize("scenario", WITH_GCC)
def test_gnu_compiler(scenario: str, folder: Path) -> None:
    executable = machine.compiled(WITH_GCC[scenario], compiler="gcc")
    runtime = machine.as_libgomp(machine.cached("libomp-19"), folder / "lib")
    with target("live", executable, (scenario,), runtime, folder) as made:
        answer = ask("gdb", ASK, made.before, made.files, folder=folder)
        true = truth_of(made)
    told = {thread["lwp"]: thread for thread in answer.document(ASK[0])["threads"]}
    for lwp, declared in true.items():
        (member,) = told[lwp]["openmp"]
        if declared.state.startswith("wait_barrier"):
            # Code that calls GNU's entry points does not say of which kind a barrier is.
            kind = member["state"] if member["state"].startswith("wait_barrier") else None
            assert score.judge(kind, member["state"]), answer.everything
        else:
            assert score.judge(member["state"], declared.state), answer.everything


@pytest.mark.parametrize("runtime", ["libomp-16", "libomp-19-ompd"])
def test_what_the_missing_do(runtime: str, folder: Path) -> None:
    executable, home = machine.compiled("foreign_calls"), machine.cached(runtime)
    commands = [ASK[0], "ompd barriers -json", "ompd barriers"]
    with target("core", executable, ("missing",), home, folder) as made:
        answer = ask("gdb", commands, made.before, made.files, folder=folder)
        true = truth_of(made)
    threads = answer.document(ASK[0])["threads"]
    declared = {m["id"]: true[thread["lwp"]] for thread in threads for m in thread["openmp"]}
    (barrier,) = answer.document(commands[1])["barriers"]
    assert (barrier["arrived"], barrier["missing"]) == ("R1.0", "R1.1-8")
    assert [one["who"] for one in barrier["instead"]] == [f"R1.{n}" for n in range(1, 9)]
    for one in barrier["instead"]:
        thread = declared[one["who"]]
        assert f"{one['who']} (T" in answer.texts[2]
        if thread.call is None:
            waits = thread.state.startswith("wait_")
            assert one["doing"] == ("waiting" if waits else "working"), answer.everything
            continue
        assert (one["doing"], one["in_call"]["function"]) == ("call", thread.call)
        assert one["loc"]["line"] == thread.line
        assert f"in {thread.call}, called by" in answer.texts[2]


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
    (missing,) = [numbers[lwp] for lwp, one in true.items() if one.state == "work_parallel"]
    (told,) = answer.document(commands[1])["barriers"]
    assert (told["region"], told["kind"], told["missing"]) == ("R1", barrier, f"R1.{missing}")
    assert f"R1.{missing} (T" in answer.texts[2] and ": in usleep, called by " in answer.texts[2]
    odd = re.findall(r"^Odd     : (.*)$", answer.texts[3], re.MULTILINE)
    assert all("SIGABRT" in one for one in odd) if kind == "core" else not odd


@pytest.mark.parametrize("runtime", [*GNUS, "libomp-19"])
@pytest.mark.parametrize("build", BUILDS)
@pytest.mark.parametrize("scenario, barrier", GNUS_BARRIERS.items())
def test_kinds_of_gnus_barriers(
    scenario: str, barrier: str, build: str, runtime: str, folder: Path
) -> None:
    """gcc's code calls the same for some, and then the reason is told; also where LLVM's runtime
    stands in for GNU's."""
    program, home = WITH_GCC[scenario], machine.cached(runtime)
    if machine.is_gnus(runtime):
        executable = machine.built_for(runtime, program, build)
    else:
        executable = machine.compiled(program, build, compiler="gcc")
        home = machine.as_libgomp(home, folder / "lib")
    settings = {"OMP_CANCELLATION": "true", **machine.settings_of(runtime)}
    commands = [ASK[0], "ompd barriers -json", "ompd barriers"]
    with target("live", executable, (scenario,), home, folder, settings) as made:
        answer = ask("gdb", commands, made.before, made.files, folder=folder)
    (told,) = answer.document(commands[1])["barriers"]
    assert told["kind"] == barrier, answer.everything
    doubt = told.get("doubts", {}).get("kind", {"why": ""})
    assert ("calls the same function" in doubt["why"]) == (barrier == "unknown")
    waits = [m["wait"] for t in answer.document(ASK[0])["threads"] for m in t["openmp"]]
    for wait in filter(None, waits):
        assert wait["construct"] == (None if barrier == "unknown" else barrier)
        assert ("construct" in wait["doubts"]) == (barrier == "unknown")
    words = {"unknown": "barrier", "parallel": "end of region"}.get(barrier, f"end of {barrier}")
    assert f" {words}" in answer.texts[2]


@pytest.mark.parametrize("runtime", ["libomp-14", "libomp-19"])
@pytest.mark.parametrize("kind", ["live", "core"])
def test_barrier_divergence(kind: str, runtime: str, folder: Path) -> None:
    """Proven of threads that sleep there. While thread 0 spins it may be about to leave its
    barrier: then one look cannot tell."""
    executable, home = machine.compiled("states"), machine.cached(runtime)
    commands = ["ompd barriers -json", "ompd barriers", "ompd", "ompd -json"]
    with target(kind, executable, ("diverging",), home, folder, {"KMP_BLOCKTIME": "0"}) as made:
        before = [*made.before, *(["ompd deadlock -watch 0.3"] if kind == "live" else [])]
        answer = ask("gdb", commands, before, made.files, folder=folder)
    told = {one["kind"]: one for one in answer.document(commands[0])["barriers"]}
    assert told["barrier"]["arrived"] == told["parallel"]["missing"] == "R1.0"
    assert told["parallel"]["arrived"] == told["barrier"]["missing"] == "R1.1-2"
    codes = {one["code"] for one in answer.document(commands[3])["summary"]["findings"]}
    proven = "barrier_divergence" in codes
    # Two looks at a living process tell at least that nobody moves.
    otherwise = "cannot_tell" if kind == "core" else "standing_still"
    assert proven or otherwise in codes, answer.everything
    for text in answer.texts[1:3]:
        assert ("wait at different barriers" in " ".join(text.split())) == proven


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
            state = true[thread["lwp"]].state
            assert unsure or member["state"] == state, f"lied:\n{answer.everything}"
            if thread["gdb"] != "1.3":
                assert not unsure and member["state"] == state
    assert answer.document("ompd barriers -json")["barriers"] == []
