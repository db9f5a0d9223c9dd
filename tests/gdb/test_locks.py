# SPDX-License-Identifier: Apache-2.0
"""Who holds which lock, who waits for it, and is it a deadlock? The programs hang on purpose, or
only wait; what each of their threads holds and wants they have written down before."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import machine
import pytest
import truth
from sessions import Answer, Target, ask, target

ASK = ["ompd locks -json", "ompd deadlock -json", "ompd threads -json", "ompd -json"]
TEXTS = ["ompd locks", "ompd deadlock", "ompd deadlock -bt", "ompd"]

DEADLOCKS = [
    "inversion2",
    "inversion3",
    "inversion_nest",
    "twice",
    "inversion_critical",
    "critical_twice",
    "lock_and_barrier",
    "ancestors_lock",
    "dependence",
]
INNOCENT = ["order2", "order_critical", "lock_before_barrier", "childs_work"]
RUNTIMES = ["libomp-14", "libomp-19", "libomp-19-ompd", "libomp-13", "libomp-16", "libomp-15"]
KINDS = ["live", "core", "attach", "gcore"]
BUILDS = ["debug", "optimised", "plain"]
# With these the runtime records each holder.
RECORDING: list[dict[str, str]] = [
    {"KMP_CONSISTENCY_CHECK": "all"},
    {"KMP_LOCK_KIND": "tas"},
    {"KMP_LOCK_KIND": "futex"},
]
OTHERS: list[dict[str, str]] = [
    {},
    {"KMP_LOCK_KIND": "ticket"},
    {"KMP_LOCK_KIND": "drdpa"},
    {"KMP_BLOCKTIME": "infinite"},
]


@dataclass
class Truth:
    verdict: str  # "deadlock", "self_deadlock", "none"
    holds: dict[str, int] = field(default_factory=dict)  # the thread by the object's name
    wants: dict[int, str] = field(default_factory=dict)


def truth_of(made: Target, scenario: str) -> Truth:
    verdict = "self_deadlock" if "twice" in scenario else "deadlock"
    found = Truth(verdict if scenario in DEADLOCKS else "none")
    for line in Path(f"{made.record}.waits").read_text(encoding="utf-8").splitlines():
        words = line.split()
        if words[0] == "holds":
            found.holds[words[2]] = int(words[1])
        else:
            found.wants[int(words[1])] = words[2]
    return found


def cells() -> list[Any]:
    found = []
    runtimes = RUNTIMES if machine.FULL else RUNTIMES[:4]
    for i, scenario in enumerate(DEADLOCKS + INNOCENT):
        for k, settings in enumerate(OTHERS + RECORDING):
            # By default three settings for each, all of them over the scenarios.
            if not machine.FULL and (i + k) % 7 not in (0, 2, 4):
                continue
            # The runtime ends a program that it sees to lock itself out.
            if "twice" in scenario and "KMP_CONSISTENCY_CHECK" in settings:
                continue
            for turn in range(i + k, i + k + (3 if machine.FULL else 1)):
                cell = (
                    scenario,
                    runtimes[turn % len(runtimes)],
                    KINDS[(turn // 2) % 4],
                    BUILDS[turn % 3],
                    settings,
                )
                name = "-".join([*cell[:4], *(f"{k}={v}" for k, v in settings.items())])
                found.append(pytest.param(*cell, id=name))
    return found


def numbers_of(answer: Answer) -> dict[str, int]:
    """LWPs by the OpenMP ids of the threads."""
    return {
        member["id"]: thread["lwp"]
        for thread in answer.document(ASK[2])["threads"]
        for member in thread["openmp"]
        if member["id"]
    }


def check_locks(answer: Answer, true: Truth) -> None:
    lwps = numbers_of(answer)
    locks = answer.document(ASK[0])["locks"]
    waiting = {}
    for lock in locks:
        for who in lock["waiters"]:
            waiting[lwps[who]] = lock
        name = lock["name"] or next(
            (true.wants[lwps[who]] for who in lock["waiters"] if lwps[who] in true.wants), None
        )
        if lock["holder"] is not None and name is not None:
            assert true.holds.get(name) == lwps[lock["holder"]], answer.everything
            truth.compared += 1
        assert lock["held"] is not False or lock["waiters"], answer.everything
    assert set(waiting) <= set(true.wants), answer.everything
    for lwp, name in true.wants.items():
        if lwp in waiting:
            assert waiting[lwp]["name"] in (name, None), answer.everything
            truth.compared += 1
        else:
            # A kind that keeps no queue, and code whose argument is in a register.
            assert waiting == {} or answer.document(ASK[0]), answer.everything


def check_verdict(answer: Answer, true: Truth, certain: bool, code_tells: bool) -> None:
    found = answer.document(ASK[1])["deadlock"]
    codes = {one["code"] for one in answer.document(ASK[3])["summary"]["findings"]}
    codes.discard("crash")  # how the kernel is made to write a core
    truth.compared += 1
    if true.verdict == "none":
        assert found["verdict"] != "deadlock", answer.everything
        assert not codes, answer.everything
        return
    assert found["verdict"] != "none", answer.everything
    if code_tells or certain:
        assert found["verdict"] == "deadlock", answer.everything
    if found["verdict"] == "unknown":
        return
    assert true.verdict in codes, answer.everything
    if certain:
        assert found["certainty"] == "certain", answer.everything
    lwps = numbers_of(answer)
    for circle in found["cycles"]:
        for edge, following in zip(circle, [*circle[1:], circle[0]]):
            assert edge["waits_for"] == following["thread"], answer.everything
            if edge["wants"]:
                name = true.wants[lwps[edge["thread"]]]
                assert true.holds[name] == lwps[edge["waits_for"]], answer.everything
                truth.compared += 1
    assert "DEADLOCK" in answer.texts[5]


@pytest.mark.parametrize("scenario, runtime, kind, build, settings", cells())
def test_scenario(
    scenario: str, runtime: str, kind: str, build: str, settings: dict[str, str], folder: Path
) -> None:
    executable, home = machine.compiled("deadlocks", build), machine.cached(runtime)
    with target(kind, executable, (scenario,), home, folder, settings) as made:
        answer = ask("gdb", [*ASK, *TEXTS], made.before, made.files, folder=folder)
        true = truth_of(made, scenario)
    check_locks(answer, true)
    # Barriers, locks passed as arguments, and whether one was held before, cannot be certain.
    uncertain = ("lock_and_barrier", "inversion3", "twice", "critical_twice")
    certain = settings in RECORDING and scenario not in uncertain
    if scenario == "inversion_nest":
        certain = True
    # A thread 0 that spins at a barrier may be about to leave it: one look proves no circle there.
    code_tells = build == "debug" and scenario not in ("inversion3", "lock_and_barrier")
    check_verdict(answer, true, certain, code_tells)


def test_order_of_the_queue(folder: Path) -> None:
    """Who has come first gets the lock first."""
    executable, home = machine.compiled("states"), machine.cached("libomp-19")
    with target("live", executable, ("critical",), home, folder) as made:
        answer = ask("gdb", ASK[:1] + ["ompd locks"], made.before, made.files, folder=folder)
    (lock,) = answer.document(ASK[0])["locks"]
    assert lock["ordered"] and lock["waiting"] == len(lock["waiters"]) == 3
    assert "in this order" in answer.text


def test_one_lock(folder: Path) -> None:
    """All about it: what the list says, with the places; and its ids are completed."""
    executable, home = machine.compiled("states"), machine.cached("libomp-19")
    commands = [
        "complete ompd locks L",
        "ompd locks -json",
        "ompd locks L1 -json",
        "ompd locks L1",
        "ompd locks L1-3,7",
        "complete ompd locks L",
        "ompd locks L2",
        "ompd locks R1",
        "ompd locks L1-",
        "ompd locks -json L1",
    ]
    with target("live", executable, ("critical",), home, folder) as made:
        answer = ask("gdb", commands, made.before, made.files, folder=folder)
    (lock,) = answer.document(commands[1])["locks"]
    assert answer.document(commands[2])["locks"] == [lock]
    assert answer.texts[3] == answer.texts[4], answer.everything
    rows = answer.texts[3].splitlines()
    assert rows[0] == "L1" and f"  address       {lock['address']}" in answer.texts[3]
    (holder,) = [row for row in rows if " holds it" in row]
    assert holder.split()[0] == lock["holder"] and "states.h:" in holder
    waiting = [row for row in rows if "  waits  " in row]
    assert [row.split()[0] for row in waiting] == lock["waiters"], answer.everything
    assert all("states.c:" in row for row in waiting), answer.everything
    assert (answer.texts[0], answer.texts[5]) == ("", "ompd locks L1")
    assert "There is no lock L2: at this stop there is only L1" in answer.texts[6]
    assert "`R1' is not an id of a lock; those are L1, L1-3,5." in answer.texts[7]
    assert "`L1-' is not an id of a lock" in answer.texts[8]
    assert answer.texts[9].startswith("{") and '"id": "L1"' in answer.texts[9]


def test_graph(folder: Path) -> None:
    executable, home = machine.compiled("deadlocks"), machine.cached("libomp-14")
    settings = {"KMP_CONSISTENCY_CHECK": "all"}
    with target("live", executable, ("inversion2",), home, folder, settings) as made:
        commands = [
            "ompd deadlock -dot graph.dot",
            "ompd deadlock -dot",
            "ompd deadlock -dot /no/x",
        ]
        answer = ask("gdb", commands, made.before, made.files, folder=folder)
    graph = (folder / "graph.dot").read_text(encoding="utf-8")
    assert graph.startswith("digraph") and graph.count("color=red") == 2
    assert "`-dot' needs a word" in answer.texts[1]
    assert "cannot be written" in answer.texts[2]


def test_nothing_waits(folder: Path) -> None:
    executable, home = machine.compiled("nested"), machine.cached("libomp-19")
    with target("live", executable, (), home, folder) as made:
        answer = ask("gdb", TEXTS[:2], made.before, made.files, folder=folder)
    assert "No lock is held" in answer.texts[0]
    assert "eadlock" in answer.texts[1]


@pytest.mark.parametrize("runtime", ["libomp-19-lto", "libomp-19-gcc"])
def test_other_builds(runtime: str, folder: Path) -> None:
    executable, home = machine.compiled("deadlocks"), machine.cached(runtime)
    settings = {"KMP_CONSISTENCY_CHECK": "all"}
    with target("core", executable, ("inversion3",), home, folder, settings) as made:
        answer = ask("gdb", [*ASK, *TEXTS], made.before, made.files, folder=folder)
        check_locks(answer, truth_of(made, "inversion3"))
        check_verdict(answer, truth_of(made, "inversion3"), True, True)


@pytest.mark.parametrize("gdb", ["gdb", "gdb-10", "gdb-16"])
def test_second_look(gdb: str, folder: Path) -> None:
    """A program that is stuck is where it was; one that is at work has gone on."""
    home = machine.cached("libomp-19")
    executable = machine.compiled("deadlocks")
    with target("attach", executable, ("inversion2",), home, folder) as made:
        # Long enough for each that spins to get a processor, on a busy machine too.
        commands = ["ompd deadlock -watch 1", "info threads", "ompd deadlock -watch soon"]
        answer = ask(gdb, commands, made.before, made.files, folder=folder)
    assert "all 3 threads that waited wait for the same" in answer.texts[0]
    assert "nothing of it moved" in " ".join(answer.texts[0].split())
    assert "running" not in answer.texts[1]
    assert "needs a number of seconds, not `soon'" in answer.texts[2]
    executable = machine.compiled("churn")
    with target("attach", executable, (), home, folder, {"KMP_BLOCKTIME": "0"}) as made:
        answer = ask(gdb, ["ompd deadlock -watch 0.3"] * 8, made.before, folder=folder)
    assert "DEADLOCK" not in answer.everything
    assert any("gone on since" in text for text in answer.texts), answer.everything


def test_core_cannot_be_watched(folder: Path) -> None:
    executable, home = machine.compiled("deadlocks"), machine.cached("libomp-14")
    with target("core", executable, ("twice",), home, folder) as made:
        answer = ask("gdb", ["ompd deadlock -watch 1"], made.before, made.files, folder=folder)
    assert "cannot be watched" in answer.text


@pytest.mark.parametrize("sleeps", [False, True])
def test_waits_outside(sleeps: bool, folder: Path) -> None:
    """Whom a thread waits for outside of OpenMP nobody knows: that does not make it none. The
    mutex's owner is proven to wait at the barrier only if it sleeps there."""
    executable, home = machine.compiled("foreign_calls"), machine.cached("libomp-19")
    waiting = {"KMP_BLOCKTIME": "0" if sleeps else "infinite", "KMP_USE_YIELD": str(int(sleeps))}
    with target("live", executable, ("missing",), home, folder, waiting) as made:
        answer = ask(
            "gdb", ["ompd deadlock -json", *TEXTS[:2]], made.before, made.files, folder=folder
        )
    found = answer.document("ompd deadlock -json")["deadlock"]
    outside = {group["outside"]: group for group in found["waits"] if group["outside"]}
    assert set(outside) == {"pthread_cond_wait", "read", "poll", "syscall"}, answer.everything
    # The mutex is thread 0's, which waits at the barrier.
    (mutex,) = [group for group in found["waits"] if group["kind"] == "mutex"]
    assert (mutex["who"], [edge["thread"] for edge in mutex["for"]]) == ("R1.2", ["R1.0"])
    assert mutex["object"]["name"] == "mutex"
    if sleeps:
        assert "DEADLOCK: 2 threads." in answer.texts[2], answer.everything
        return
    assert "No deadlock is seen: somebody is at work" in answer.texts[2]
    for call in ("read", "poll"):
        assert f"waits outside of OpenMP, in {call}" in answer.texts[2], answer.everything
    assert "who will signal condition variable `never'" in answer.texts[2]


@pytest.mark.parametrize("runtime", ["libomp-19", "libgomp-12"])
def test_waits_in_what_was_called(runtime: str, folder: Path) -> None:
    """fgets () is no function that waits, and what it calls is."""
    executable, home = machine.compiled("foreign_calls"), machine.cached(runtime)
    with target("attach", executable, ("line",), home, folder) as made:
        answer = ask("gdb", ["ompd", "ompd threads -json"], made.before, folder=folder)
    assert "No problems found, but R1.1 waits outside of OpenMP, in read;" in answer.texts[0]
    threads = answer.document("ompd threads -json")["threads"]
    (reads,) = [one for one in threads if "R1.1" in [m["id"] for m in one["openmp"]]]
    assert reads["in_call"]["function"].endswith("fgets")
