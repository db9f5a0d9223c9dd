# SPDX-License-Identifier: Apache-2.0
"""Is each thread told to do what it does, whenever the program is stopped? It publishes what its
threads do, and at which construct they are; from that it follows what others still wait for. Where
nothing follows, a thread is in transition."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Sequence

import looks
import machine
import pytest
import schema
from sessions import ask, target
from states import OF_ANY_KIND, score, told_of

# As in busy.c.
SERIAL, BARRIER, FOR, SINGLE, CRITICAL, LOCK, ORDERED, TASKWAIT, TASKGROUP, REGION_END = range(10)
WORKING, AT, HOLDING, LEAVING, MADE = range(5)
WAITS = {
    BARRIER: "wait_barrier_explicit",
    FOR: "wait_barrier_implicit_workshare",
    SINGLE: "wait_barrier_implicit_workshare",
    CRITICAL: "wait_critical",
    LOCK: "wait_lock",
    ORDERED: "wait_ordered",
    TASKWAIT: "wait_taskwait",
    TASKGROUP: "wait_taskgroup",
    REGION_END: "wait_barrier_implicit_parallel",
}


@dataclass(frozen=True)
class Word:
    """What a thread says."""

    num: int
    tid: int
    what: int

    @property
    def step(self) -> int:
        return self.what >> 12

    @property
    def maker(self) -> int:
        return self.what >> 8 & 15

    @property
    def construct(self) -> int:
        return self.what >> 4 & 15

    @property
    def phase(self) -> int:
        return self.what & 15

    @property
    def in_task(self) -> bool:
        return self.phase == HOLDING and self.construct in (TASKWAIT, TASKGROUP)

    def is_behind(self, step: int) -> bool:
        """It has not come to the construct of the step. In a task it may be further than it says,
        and then it is at a construct that waits for the task."""
        return self.step < step or (self.step == step and self.phase in (WORKING, HOLDING))


def right_states(word: Word, words: Sequence[Word]) -> set[str] | None:
    """What is right to tell of the thread once it is in the runtime; None: it is in transition."""
    if word.phase in (WORKING, HOLDING):
        return {"work_serial" if word.construct == SERIAL else "work_parallel"}
    others = [other for other in words if other is not word and other.what]
    if word.construct in (BARRIER, FOR, SINGLE, REGION_END):
        blocked = any(other.is_behind(word.step) for other in others)
    elif word.construct in (CRITICAL, LOCK):
        holders = [o for o in others if o.phase == HOLDING and o.construct == word.construct]
        blocked = word.phase == AT and bool(holders)
    elif word.construct == ORDERED:
        before = [o for o in others if o.num < word.num and not o.in_task]
        turns = [o.is_behind(word.step) or (o.step, o.phase) == (word.step, AT) for o in before]
        blocked = word.phase == AT and any(turns)
    else:
        tasks = [o for o in others if o.in_task and o.step == word.step and o.maker == word.num]
        blocked = word.phase == MADE and bool(tasks)
    return {WAITS[word.construct]} if blocked else None


def wrong_states(word: Word, words: Sequence[Word]) -> set[str]:
    """What cannot be right of a thread in transition."""
    may_be = {WAITS.get(word.construct), "work_parallel", "overhead"}
    if word.construct in (SERIAL, REGION_END):
        may_be |= {"idle"} if word.num else {"work_serial"}
    if word.construct == REGION_END and words[0].step > word.step:
        may_be -= {"wait_barrier_implicit_parallel"}  # the region is over
    known = {*WAITS.values(), "wait_barrier", "wait_atomic", "work_serial", "work_parallel"}
    return {*known, "overhead", "idle"} - may_be


def complaint(
    told: Any, top: str, word: Word, words: Sequence[Word], gnus: bool = False
) -> str | None:
    """Of one thread at one stop. top: whose code it executes. gnus: that a thread is at a barrier
    inside the region is told, and not at which construct's."""
    if gnus and not told["openmp"]:
        return None if word.phase == WORKING else "no thread of OpenMP's"
    (member,) = told["openmp"]
    state, certain = told_of(member)
    right = right_states(word, words)
    if gnus and state == "wait_barrier" and WAITS.get(word.construct) in OF_ANY_KIND:
        state = WAITS[word.construct]
    in_runtime = top not in ("own", "between") or word.phase in (WORKING, HOLDING)
    if right is None or not in_runtime:
        score.in_transition += 1
        wrong = state in wrong_states(word, words)
        if top == "own":  # at the call of the construct
            wrong = state not in ("work_parallel", "work_serial")
        return f"{state}, which cannot be" if wrong and certain else None
    # What is not certain may be wrong, and does not count as right.
    is_right = score.judge(state if certain else None, *right)
    return f"{state}, not {right}" if certain and not is_right else None


SESSIONS = [("libomp-14", 13), ("libomp-19", 12)]
if machine.FULL:
    SESSIONS = [(name, 30) for name in ("libomp-13", "libomp-14", "libomp-16", "libomp-19")]
    SESSIONS += [("libomp-19-ompd", 30), ("libomp-23-debug", 30)]


@pytest.mark.parametrize("runtime, stops", SESSIONS)
def test_any_moment(runtime: str, stops: int, folder: Path) -> None:
    executable, home = machine.compiled("busy"), machine.cached(runtime)
    settings = {"LD_BIND_NOW": "1"}  # no dynamic linker on the way into a construct
    script = Path(__file__).with_name("random_stops.py")
    with target("live", executable, (), home, folder, settings) as made:
        before = [*made.before[:-2], "break hold", "run", "delete"]
        before += [
            "handle SIGINT stop nopass",
            f"python import os; os.environ.update({seeds(stops)})",
        ]
        ask("gdb", [f"source {script}"], before, made.files, folder=folder)
    check(stops, folder)


# ---- Of GNU's runtime ----------------------------------------------------------------------------

POLICIES = ("", "passive", "active")
ATTACHES = [("libgomp-12", "passive", 6), ("libgomp-10", "active", 3), ("libgomp-14", "", 3)]
if machine.FULL:
    GNUS = [f"libgomp-{release}" for release in (10, 12, 14, 16)]
    ATTACHES = [(runtime, policy, 100) for runtime in GNUS for policy in POLICIES]


@pytest.mark.parametrize("runtime, policy, attaches", ATTACHES)
def test_attached(runtime: str, policy: str, attaches: int, folder: Path) -> None:
    """Without an exception, and without a wrong answer that is told as certain."""
    begun, script = folder / "begun", Path(__file__).with_name("random_stops.py")
    begun.write_text("at once", encoding="utf-8")
    settings = {"LD_LIBRARY_PATH": str(machine.cached(runtime)), "LD_BIND_NOW": "1"}
    settings.update({"OMP_WAIT_POLICY": policy} if policy else {})
    program = looks.Program(machine.built_for(runtime, "busy"), [], settings, begun)
    with looks.running(program, folder) as pid:
        looks.wait_for_threads(pid, 4)
        wishes = {**seeds(attaches), "OMPD_STOPS_PID": str(pid)}
        before = [f"python import os; os.environ.update({wishes})"]
        ask("gdb", [f"source {script}"], before, [program.executable], folder=folder)
    check(attaches, folder, True)


def check(stops: int, folder: Path, gnus: bool = False) -> None:
    complaints = []
    for number in range(stops):
        document = json.loads((folder / f"threads.{number}.json").read_text(encoding="utf-8"))
        schema.check(document)
        said = json.loads((folder / f"published.{number}.json").read_text(encoding="utf-8"))
        words = [Word(num, *pair) for num, pair in enumerate(said["published"])]
        told = {thread["lwp"]: thread for thread in document["threads"]}
        for word in words:
            if not word.what:
                continue  # not begun
            found = complaint(told[word.tid], said["tops"][str(word.tid)], word, words, gnus)
            if found is not None:
                complaints.append(f"stop {number}, {word}: {found}; of {words}")
    assert not complaints, "\n".join(complaints)


def seeds(stops: int) -> dict[str, str]:
    return {"OMPD_STOPS": str(stops), "OMPD_STOPS_SEED": str(stops)}
