# SPDX-License-Identifier: Apache-2.0
"""Whom do threads wait for outside of OpenMP, and is it a circle? And is a lock held that nobody
will give up? The programs hang on purpose, or only wait, and wrote down who holds and wants what.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import machine
import pytest
import truth
from sessions import Answer, Target, ask, target

ASK = ["ompd deadlock -json", "ompd threads -json", "ompd locks -json", "ompd -json"]
TEXTS = ["ompd deadlock", "ompd locks", "ompd"]

# Of threads, and how many of them are in the circle.
CIRCLES = {
    "mutexes": 2,
    "mutex_and_critical": 2,
    "mutex_and_barrier": 2,
    "mutex_twice": 1,
    "with_another": 2,
    "others": 2,
    "join": 2,
    "writers": 2,
    "reader_of_writer": 2,
    "taken_back": 2,
}
# What is waited for, and nobody can be named.
UNKNOWN = {
    "writer_of_readers": "read-write lock `table' is held by 2 readers",
    "condition": "who will signal condition variable `ready'",
    "semaphore": "who will post semaphore `slots'",
    "pthreads_barrier": "who is missing at pthread barrier `rendezvous': 1 of 2 has come",
    "spin": "who holds spin lock `spinlock'",
}
HEALTHY = ["mutexes_in_order", "join_one_at_work", "condition_for_a_while"]
# How the region comes to be inside of the loader.
LOADING = [("iterate", "libgomp-12", "attach"), ("load", "libomp-19", "core")]
RUNTIMES = ["libomp-14", "libomp-19", "libomp-16"]
KINDS = ["live", "core", "attach", "gcore"]
BUILDS = ["debug", "optimised", "plain"]


def cells(scenarios: list[str]) -> list[Any]:
    """By default each scenario once or twice, with everything else in turn."""
    found = []
    for i, scenario in enumerate(scenarios):
        for turn in range(i, i + (len(KINDS) * len(BUILDS) if machine.FULL else 2)):
            cell = (
                scenario,
                RUNTIMES[turn % len(RUNTIMES)],
                KINDS[turn % len(KINDS)],
                BUILDS[(turn // 2) % len(BUILDS)],
            )
            found.append(pytest.param(*cell, id="-".join(cell)))
    return found


def waits_of(made: Target) -> tuple[dict[str, int], dict[int, str]]:
    """Who holds a thing, by its name; and what each thread wants."""
    holds, wants = {}, {}
    for line in Path(f"{made.record}.waits").read_text(encoding="utf-8").splitlines():
        verb, tid, name = line.split()
        if verb == "holds":
            holds[name] = int(tid)
        else:
            wants[int(tid)] = name
            if name.startswith("thread:"):
                holds[name] = int(name.partition(":")[2])
    return holds, wants


def lwps(answer: Answer) -> dict[str, int]:
    """By the names that sentences and documents have for threads."""
    found = {}
    for thread in answer.document("ompd threads -json")["threads"]:
        found[f"T{thread['gdb'].partition('.')[2]}"] = thread["lwp"]
        found.update({m["id"]: thread["lwp"] for m in thread["openmp"] if m["id"]})
    return found


def codes(answer: Answer) -> set[str]:
    found = {one["code"] for one in answer.document("ompd -json")["summary"]["findings"]}
    return found - {"crash", "cannot_tell"}  # a crash is how the kernel is made to write a core


def look(scenario: str, runtime: str, kind: str, build: str, folder: Path) -> tuple[Answer, Any]:
    executable, home = machine.compiled("outside", build), machine.cached(runtime)
    with target(kind, executable, (scenario,), home, folder) as made:
        answer = ask("gdb", [*ASK, *TEXTS], made.before, made.files, folder=folder)
        return answer, waits_of(made) if Path(f"{made.record}.waits").exists() else ({}, {})


@pytest.mark.parametrize("scenario, runtime, kind, build", cells(list(CIRCLES)))
def test_circle(scenario: str, runtime: str, kind: str, build: str, folder: Path) -> None:
    answer, (holds, wants) = look(scenario, runtime, kind, build, folder)
    found = answer.document(ASK[0])["deadlock"]
    assert found["verdict"] == "deadlock", answer.everything
    (circle,) = found["cycles"]
    assert len(circle) == CIRCLES[scenario], answer.everything
    numbers = lwps(answer)
    rows = {one["lwp"]: one for one in answer.document("ompd threads -json")["threads"]}
    for edge in circle:
        if edge["object"] is None:
            continue  # a barrier, or a lock of OpenMP's
        row = rows[numbers[edge["thread"]]]
        assert row["outside"] == edge["object"]
        assert "working" not in row["doing"], row["doing"]
        wanted = wants[numbers[edge["thread"]]]
        assert holds[wanted] == numbers[edge["waits_for"]], answer.everything
        if edge["object"]["kind"] != "join":
            # Without debug information a member has no name.
            names = (wanted, "queue+8") if build == "plain" else (wanted,)
            assert edge["object"]["name"] in names, answer.everything
            assert edge["object"]["name"] in edge["text"]
        truth.compared += 1
    assert codes(answer) & {"deadlock", "self_deadlock"}, answer.everything
    if scenario != "mutex_and_critical":
        assert found["certainty"] == "certain", answer.everything


@pytest.mark.parametrize("scenario, runtime, kind, build", cells([*UNKNOWN, *HEALTHY]))
def test_no_circle(scenario: str, runtime: str, kind: str, build: str, folder: Path) -> None:
    answer, (holds, wants) = look(scenario, runtime, kind, build, folder)
    found = answer.document(ASK[0])["deadlock"]
    assert not found["cycles"] and not codes(answer), answer.everything
    assert "NEVER RELEASED" not in answer.everything
    reasons = " ".join(found["unknown"])
    assert found["verdict"] in ("none", "unknown"), answer.everything
    if scenario in UNKNOWN:
        assert UNKNOWN[scenario] in reasons + answer.texts[len(ASK)], answer.everything
    else:
        assert found["verdict"] == "none", answer.everything
    numbers = lwps(answer)
    for group in found["waits"]:
        for edge in group["for"]:
            if group["object"] is not None:
                wanted = wants[numbers[group["who"]]]
                assert holds[wanted] == numbers[edge["thread"]], answer.everything
                truth.compared += 1


@pytest.mark.parametrize("at_work", [False, True], ids=["stuck", "at_work"])
@pytest.mark.parametrize("way, runtime, kind", LOADING)
def test_loaders_mutex(way: str, runtime: str, kind: str, at_work: bool, folder: Path) -> None:
    """The loader's own frames are between the mutex and the program."""
    part = folder / "part.so"
    machine.run(machine.GCC, "-shared", "-fPIC", machine.PROGRAMS / "loader_part.c", "-o", part)
    compiler = machine.GCC if machine.is_gnus(runtime) else machine.CLANG
    link = ("-rdynamic",)  # the library calls the program
    executable = machine.compiled("loader", "optimised", link=link, compiler=compiler)
    home, words = machine.cached(runtime), (f"{way}_{'at_work' if at_work else 'stuck'}",)
    # A thread that waits awake may have been let go, as far as a core tells.
    settings = {"OMPD_PART": str(part), "KMP_BLOCKTIME": "0"}
    with target(kind, executable, words, home, folder, settings) as made:
        answer = ask("gdb", ASK, made.before, made.files, folder=folder)
        holder = waits_of(made)[0]["loader"]
    found = answer.document(ASK[0])["deadlock"]
    numbers = lwps(answer)
    if at_work:
        assert found["verdict"] == "none" and not codes(answer), answer.everything
        waits = [edge for group in found["waits"] for edge in group["for"] if group["object"]]
        assert holder in {numbers[edge["thread"]] for edge in waits}, answer.everything
    else:
        assert (found["verdict"], found["certainty"]) == ("deadlock", "certain"), answer.everything
        circle = found["cycles"][0]
        assert len(circle) == 2, answer.everything
        (edge,) = (edge for edge in circle if edge["object"] is not None)
        assert edge["object"]["kind"] == "mutex", answer.everything
        assert "waits for the dynamic linker's lock" in edge["text"], answer.everything
        told = [one["text"] for one in answer.document(ASK[3])["summary"]["findings"]]
        assert "What the dynamic linker calls" in " ".join(told), answer.everything
        assert numbers[edge["waits_for"]] == holder, answer.everything
    truth.compared += 1


@pytest.mark.parametrize("scenario", ["logger", "logger_at_work"])
def test_second_look_at_a_chain_that_leaves_openmp(scenario: str, folder: Path) -> None:
    """The thread that holds what the team waits for is none of OpenMP's."""
    executable, home = machine.compiled("outside", "optimised"), machine.cached("libomp-19")
    watch = ["ompd deadlock -watch 0.3"]
    with target("attach", executable, (scenario,), home, folder) as made:
        answer = ask("gdb", watch + ASK, made.before, made.files, folder=folder)
    assert "DEADLOCK" not in answer.everything and not codes(answer), answer.everything
    if scenario == "logger":
        assert "Cannot tell whether" in answer.texts[0], answer.everything
        assert "gone on since" not in answer.texts[0], answer.everything
        assert answer.document(ASK[0])["deadlock"]["verdict"] == "unknown"
    else:
        assert "No deadlock" in answer.texts[0], answer.everything


@pytest.mark.parametrize("kind", [*KINDS, "gdbserver"])
def test_owner_is_gone(kind: str, folder: Path) -> None:
    answer, _ = look("owner_gone", "libomp-19", kind, BUILDS[len(kind) % 3], folder)
    assert "NEVER RELEASED: 1 thread waits" in answer.texts[len(ASK)], answer.everything
    assert "Mutex `first' is held, and its owner, thread" in answer.texts[len(ASK)]


def test_stripped_library(folder: Path) -> None:
    """Most users have no debug information of the C library."""
    executable, home = machine.compiled("outside", "plain"), machine.cached("libomp-14")
    hide = ["set debug-file-directory /nowhere"]
    expected = {"join": {"join", "mutex"}, "taken_back": {"mutex"}, "semaphore": {"semaphore"}}
    for scenario, seen in expected.items():
        with target("attach", executable, (scenario,), home, folder) as made:
            answer = ask("gdb", ASK[:1], [*hide, *made.before], made.files, folder=folder)
        found = answer.document(ASK[0])["deadlock"]
        kinds = {group["object"]["kind"] for group in found["waits"] if group["object"]}
        assert kinds == seen, answer.everything
        assert bool(found["cycles"]) == (scenario != "semaphore")
        Path(f"{made.record}.waits").unlink()


@pytest.mark.parametrize("gdb", ["gdb", "gdb-10", "gdb-18"])
def test_turns(gdb: str, folder: Path) -> None:
    """Threads that take turns at two mutexes: at no moment do they wait in a circle."""
    executable, home = machine.compiled("outside", "optimised"), machine.cached("libomp-19")
    with target("attach", executable, ("turns",), home, folder) as made:
        for _ in range(20 if machine.FULL else 4):
            answer = ask(gdb, ASK[:1] + ASK[3:], made.before, made.files, folder=folder)
            found = answer.document(ASK[0])["deadlock"]
            assert found["verdict"] != "deadlock" and not codes(answer), answer.everything
            assert not any(group["who"] == "" for group in found["waits"])


# ---- Locks that stay set -------------------------------------------------------------------------

FORGOTTEN = ["forgotten", "forgotten_before"]
TWINS = ["gate", "gate_of_others", "kept_by_a_loop", "untied"]
SETTINGS: list[dict[str, str]] = [
    {},
    {"KMP_LOCK_KIND": "ticket"},
    {"KMP_LOCK_KIND": "tas"},
    {"KMP_CONSISTENCY_CHECK": "all"},
    {"KMP_LOCK_KIND": "drdpa"},
]


@pytest.mark.parametrize("settings", SETTINGS, ids=lambda s: "-".join(s.values()) or "usual")
@pytest.mark.parametrize("scenario", FORGOTTEN + TWINS)
def test_forgotten(scenario: str, settings: dict[str, str], folder: Path) -> None:
    turn = (FORGOTTEN + TWINS).index(scenario) + SETTINGS.index(settings)
    executable = machine.compiled("forgotten", BUILDS[turn % 3])
    home = machine.cached(RUNTIMES[turn % len(RUNTIMES)])
    # The runtime ends a program that gives up what another thread has taken.
    if scenario == "gate_of_others" and "KMP_CONSISTENCY_CHECK" in settings:
        return
    with target(KINDS[turn % 4], executable, (scenario,), home, folder, settings) as made:
        answer = ask("gdb", [*ASK, *TEXTS], made.before, made.files, folder=folder)
    locks = answer.document("ompd locks -json")["locks"]
    guilty = scenario in FORGOTTEN
    if "drdpa" in settings.values() and guilty:
        return  # how many wait for it cannot be compared
    assert [lock["never_released"] for lock in locks] == [guilty], answer.everything
    sentence = "Lock `lock_a' is held, and no thread is at a place between set and unset"
    for text in answer.texts[len(ASK) : len(ASK) + 2]:
        assert (sentence in text) == guilty, answer.everything
    if guilty:
        (left,) = locks[0]["left_at"]
        assert left["function"] == "update"
    truth.compared += 1


def test_how_to_know_the_holder(folder: Path) -> None:
    executable, home = machine.compiled("forgotten"), machine.cached("libomp-14")
    with target("live", executable, ("gate",), home, folder) as made:
        answer = ask("gdb", TEXTS[:1], made.before, made.files, folder=folder)
    assert "it is not known who holds L1; run the program with KMP_CONSISTENCY_CHECK" in answer.text


# Every line of the second one's is known, of the others every instruction is as good.
WALKED = ["libomp-19", "libomp-17-debug", "libgomp-12"]


def walks() -> list[Any]:
    """What is taken, from which runtime, and how that is set."""
    found: list[tuple[str, str, dict[str, str]]] = [
        ("lock", "libomp-19", {}),
        ("nest_lock", "libomp-17-debug", {}),
        ("critical", "libgomp-12", {}),
    ]
    if machine.FULL:
        settings = {name: SETTINGS for name in WALKED} | {"libgomp-12": [{}]}
        taken = ("lock", "nest_lock", "critical")
        found = [(one, name, how) for one in taken for name in WALKED for how in settings[name]]
    return [pytest.param(*one, id="-".join([one[0], one[1], *one[2].values()])) for one in found]


@pytest.mark.parametrize("scenario, runtime, settings", walks())
def test_who_takes_it_step_by_step(
    scenario: str, runtime: str, settings: dict[str, str], folder: Path
) -> None:
    """Who has just got it is still in the call that took it, and who will give it up is in the call
    that does: it is not forgotten."""
    compiler = machine.GCC if runtime.startswith("libgomp") else machine.CLANG
    executable = machine.compiled("takes", "optimised", compiler=compiler)
    file = folder / "stops"
    before = [f"source {machine.ROOT / 'tests/gdb/walk_taking.py'}", "set breakpoint pending on"]
    before.append(f"set environment LD_LIBRARY_PATH {machine.cached(runtime)}")
    before += [f"set environment {name} {value}" for name, value in settings.items()]
    step = "step" if runtime.endswith("debug") else "stepi"
    walk = f"walk-taking {file} {1000 if machine.FULL else 200} {step}"
    answer = ask("gdb", [walk], before, ["--args", executable, scenario], folder=folder)
    assert file.exists(), answer.everything
    stops = json.loads(file.read_text())
    for stop in stops:
        assert stop["told"].startswith(("No deadlock", "Cannot tell")), stop
    nobody = "No deadlock: no OpenMP thread waits"
    assert sum(not stop["told"].startswith(nobody) for stop in stops) >= 50
