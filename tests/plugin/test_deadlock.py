# SPDX-License-Identifier: Apache-2.0
"""Is a circle found when there is one, and only then? The graph alone, against a plain search. And
is what cannot be read called unknown?"""

from __future__ import annotations

import random
from typing import Dict, List, Set

import pytest
from ompd_core.library.types import ViewLock, ViewLocks, ViewRegion, ViewThread
from ompd_core.model import doubts, locks
from ompd_core.model.deadlock import _Graph, find
from ompd_core.model.glibc import Kept
from ompd_core.model.native import Location, NativeThread
from ompd_core.model.process import Membership, Process, Region, Thread, Wait
from ompd_core.model.waits import Edge, Meeting, Needs


def graph_of(waits: Dict[int, Set[int]], meetings: Dict[int, Set[int]], count: int) -> List[Needs]:
    """waits: threads that each waits for; meetings: the same, through a barrier."""
    threads = [Thread(NativeThread(n, 1, n, (100, n, 0))) for n in range(1, count + 1)]
    member = Membership(0, ViewThread(None, "worker"))
    region = Region(0, ViewRegion(0, None, "parallel", 1, 1, 1))
    wait = Wait("lock")
    found = []
    for number in sorted(set(waits) | set(meetings)):
        one = Needs(threads[number], member, wait)
        one.edges = [
            Edge(threads[number], threads[to], member, wait) for to in sorted(waits.get(number, ()))
        ]
        if number in meetings:
            missing = [threads[to] for to in sorted(meetings[number])]
            one.meeting = Meeting(region, missing, True)
        found.append(one)
    return found


def reaches_itself(number: int, ahead: Dict[int, Set[int]]) -> bool:
    seen: Set[int] = set()
    pending = list(ahead.get(number, ()))
    while pending:
        one = pending.pop()
        if one == number:
            return True
        if one not in seen:
            seen.add(one)
            pending += ahead.get(one, ())
    return False


def test_circles() -> None:
    seen_with, seen_without = 0, 0
    for seed in range(2000):
        chance = random.Random(seed)
        count = chance.randint(1, 9)
        waits: Dict[int, Set[int]] = {}
        meetings: Dict[int, Set[int]] = {}
        for number in range(count):
            if chance.random() < 0.7:
                where = waits if chance.random() < 0.7 else meetings
                most = 1 if chance.random() < 0.6 else 3
                where[number] = {chance.randrange(count) for _ in range(chance.randint(0, most))}
        ahead = {n: waits.get(n, set()) | meetings.get(n, set()) for n in range(count)}
        true = {number for number in range(count) if reaches_itself(number, ahead)}
        graph = _Graph(graph_of(waits, meetings, count))
        circles = graph.circles()
        in_circles = set()
        for circle in circles:
            numbers = [(e.waiter.native.num - 1, e.needed.native.num - 1) for e in circle]
            for (waiter, needed), (following, _) in zip(numbers, [*numbers[1:], numbers[0]]):
                assert needed == following and needed in ahead[waiter], (seed, numbers)
            assert len({waiter for waiter, _ in numbers}) == len(numbers), (seed, numbers)
            in_circles |= {waiter for waiter, _ in numbers}
        assert in_circles <= true, seed
        assert bool(circles) == bool(true), seed
        # One for each set of threads that lead to each other.
        left = set(true)
        sets = 0
        while left:
            one = left.pop()
            left -= {
                other for other in left if reaches(one, other, ahead) and reaches(other, one, ahead)
            }
            sets += 1
        assert sets == len(circles), seed
        seen_with += bool(true)
        seen_without += not true
    assert seen_with > 300 and seen_without > 300


def reaches(start: int, end: int, ahead: Dict[int, Set[int]]) -> bool:
    seen = {start}
    pending = [start]
    while pending:
        for one in ahead.get(pending.pop(), ()):
            if one == end:
                return True
            if one not in seen:
                seen.add(one)
                pending.append(one)
    return False


def waiting_for_a_lock(runtime: int) -> Process:
    process = Process([NativeThread(1, 1, 1, (100, 101, 0))], [])
    member = Membership(runtime, ViewThread(0, "initial"))
    member.wait = Wait("lock", address=0x10)
    process.threads[0].openmp.append(member)
    return process


@pytest.mark.parametrize("nested, verdict", [(False, "deadlock"), (True, "unknown")])
def test_a_thread_that_sets_its_lock_again(nested: bool, verdict: str) -> None:
    """Who sets a nestable one again is in the same call as who waits for it."""
    process = waiting_for_a_lock(0)
    (thread,) = process.threads
    lock = locks.Lock(0, ViewLock(0x10, "futex", nested, held=True, owner=0), holder=thread)
    lock.told, lock.waiters = [thread], [thread]
    found = find(process, locks.Locks(process, [lock]), None, {})
    assert found.verdict == verdict
    assert bool(found.circles) == (not nested)


def test_a_runtime_whose_locks_cannot_be_read_beside_one_whose_can() -> None:
    """Nobody who waits there is said to be able to go on."""
    process = waiting_for_a_lock(1)
    found = locks.gather(process, {0: ([], ViewLocks([], []))}, {}, lambda address, critical: None)
    assert (found.lost, found.unread) == ([], process.threads)
    verdict = find(process, found, None, {})
    assert [one.progress for one in verdict.needs] == [False]
    assert verdict.verdict == "unknown"


@pytest.mark.parametrize(
    "state, verdict", [("work_parallel", "none"), ("overhead", "none"), (None, "unknown")]
)
def test_what_a_thread_does_is_not_known(state: str | None, verdict: str) -> None:
    """That decides where nobody of its program is at work."""
    process = Process([NativeThread(n, 1, n, (1, n, 0)) for n in range(2)], [])
    region = Region(0, ViewRegion(0x10, None, "parallel", 1, 1, 2), members=[*process.threads])
    for num, thread in enumerate(process.threads):
        member = Membership(0, ViewThread(num, "worker"), [(region, num)])
        member.state = state if num else None
        if member.state is None:
            member.doubts["state"] = doubts.CODE_HIDDEN
        thread.openmp.append(member)
    found = find(process, locks.Locks(process), None, {})
    assert found.verdict == verdict
    who = "R-1.0 does" if state is not None else "R-1.0-1 do"
    assert (found.open if state is not None else found.unknown) == [f"it is not known what {who}"]


@pytest.mark.parametrize("goes_on, verdict", [(True, "none"), (False, "unknown")])
def test_a_thread_of_the_programs_own_that_goes_on_is_at_work(goes_on: bool, verdict: str) -> None:
    """It may signal the condition variable that all of OpenMP's wait for."""
    process = Process([NativeThread(n, 1, n, (1, n, 0)) for n in range(2)], [])
    inside, other = process.threads
    region = Region(0, ViewRegion(0x10, None, "parallel", 1, 1, 1), members=[inside])
    inside.openmp.append(Membership(0, ViewThread(0, "initial"), [(region, 0)], "work_parallel"))
    inside.kept = Kept("condition", 0x20, unknown="it is not known who will signal it")
    other.kept = Kept("mutex", 0x30, goes_on=goes_on)
    other.where = Location("produce", "a.c", None, 7)
    assert find(process, locks.Locks(process), None, {}).verdict == verdict
