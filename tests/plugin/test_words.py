# SPDX-License-Identifier: Apache-2.0
"""What does the word tell that a thread of libgomp's sleeps on, and how many have come to a
barrier?"""

from __future__ import annotations

from dataclasses import replace

import pytest
from ompd_core import runtimes
from ompd_core.library.types import TeamArrivals, ViewRegion, ViewThread
from ompd_core.model import region_ends, waiting
from ompd_core.model.native import Frame, Location
from ompd_core.model.process import Membership, Region, Task, Thread, Wait
from ompd_core.model.waiting import Call, Word

TEAM = 0x10000
_FOUND = runtimes.team_words("gomp")
assert _FOUND is not None
WORDS = _FOUND
BARRIER = TEAM + WORDS.barrier
USER = Frame(Location("work", "a.c", None, 7, 0x1000), executable=True)
BEGINS = Call(0, "GOMP_parallel", USER, directly=True)
AT_BARRIER = Call(0, "GOMP_barrier", USER, directly=True)
IN_LOOP = Call(0, None, None, directly=True)
NAMELESS = Call(0, None, USER, False, directly=True)


def team(size: int, level: int = 1) -> Region:
    return Region(0, ViewRegion(TEAM, None, "parallel", level, level, size))


def member(level: int = 1, num: int = 1) -> Membership:
    return Membership(0, ViewThread(0, "worker"), [(team(2, level), num)])


def sleeping(call: Call, address: int, expected: int = 16, now: int | None = 16) -> Call:
    return replace(call, word=Word(address, expected, now))


@pytest.mark.parametrize(
    "call, level, name, round_",
    [
        (sleeping(AT_BARRIER, BARRIER), 1, "wait_barrier", 2),
        (sleeping(IN_LOOP, BARRIER), 1, "wait_barrier_implicit_parallel", 2),
        (sleeping(BEGINS, BARRIER), 1, "wait_barrier_implicit_parallel", 2),
        # Tasks have come, and nobody has been let go.
        (sleeping(AT_BARRIER, BARRIER, 16, 17), 1, "wait_barrier", 2),
        # What cannot be read proves nothing.
        (sleeping(AT_BARRIER, BARRIER, 16, None), 1, "wait_barrier", None),
        # A team inside of another one meets before its region begins.
        (sleeping(IN_LOOP, BARRIER, 0, 0), 2, "overhead", None),
        (sleeping(IN_LOOP, BARRIER, 8, 8), 2, "wait_barrier_implicit_parallel", 1),
        # The queues' lock.
        (sleeping(AT_BARRIER, TEAM + WORDS.task_lock), 1, "overhead", None),
        # The region begins.
        (sleeping(BEGINS, 0x500), 1, "overhead", None),
        (sleeping(IN_LOOP, 0x500, 16, 24), 1, "overhead", None),
        # Nobody knows.
        (sleeping(IN_LOOP, 0x500), 1, None, None),
        (replace(IN_LOOP, hidden=True), 1, None, None),
        (sleeping(replace(IN_LOOP, hidden=True), BARRIER), 1, None, None),
        (sleeping(replace(BEGINS, hidden=True, at_end=False), BARRIER), 1, "wait_barrier", 2),
        (sleeping(NAMELESS, BARRIER), 1, None, None),
        (replace(sleeping(NAMELESS, BARRIER), at_end=True), 1, "wait_barrier_implicit_parallel", 2),
        (replace(sleeping(NAMELESS, BARRIER), at_end=False), 1, "wait_barrier", 2),
        (sleeping(replace(AT_BARRIER, entry="GOMP_task"), 0x500), 1, "wait_taskwait", None),
    ],
)
def test_word(call: Call, level: int, name: str | None, round_: int | None) -> None:
    found = waiting.state_of(member(level), call, WORDS)
    assert (found.name, found.round) == (name, round_)
    assert (found.name is None) == (found.doubt is not None) and not found.let_go


def test_who_was_let_go_does_not_wait() -> None:
    found = waiting.state_of(member(), sleeping(AT_BARRIER, BARRIER, 16, 24), WORDS)
    assert found.let_go and found.round is None


def test_primary_that_does_not_sleep_may_just_begin() -> None:
    found = waiting.state_of(member(num=0), replace(BEGINS, forks=1), WORDS)
    assert found.name == "wait_barrier_implicit_parallel" and found.doubt is not None


def meeting(*constructs: str | None, task: str = "implicit") -> Region:
    """A team whose threads are at the end, at another barrier (""), or at work (None)."""
    region = team(len(constructs))
    for num, construct in enumerate(constructs):
        one = Membership(0, ViewThread(num, "worker"), [(region, num)], "work_parallel")
        one.task = Task(task, 1, False)
        if construct is not None:
            one.state, one.wait = "wait_barrier", Wait("barrier", None, construct or None)
        region.members.append(Thread(None, [one]))
    return region


def rounds(
    region: Region, come: int | None, at_end: int, awaits: int | None = None
) -> list[int | None]:
    size = len(region.members) if awaits is None else awaits
    region_ends.settle_by_count(region, TeamArrivals(size, come, at_end, False, 3))
    return [thread.openmp[0].round for thread in region.members if thread is not None]


@pytest.mark.parametrize(
    "constructs, come, at_end, expected",
    [
        (["", "", None], 2, 0, [3, 3, None]),
        (["parallel", "parallel", None], 0, 2, [3, 3, None]),
        (["", "parallel", "parallel"], 1, 2, [3, 3, 3]),
        (["", "", None], 1, 0, [None] * 3),  # one is on its way
        (["parallel", "parallel", None], 1, 1, [None] * 3),  # one is at another
        (["", "", None], 0, 0, [None] * 3),
    ],
)
def test_count(constructs: list[str], come: int, at_end: int, expected: list[int | None]) -> None:
    assert rounds(meeting(*constructs), come, at_end) == expected


def test_count_is_not_believed() -> None:
    """Of a damaged team; and whoever executes a task may have come as well."""
    assert rounds(meeting("", "", None), 2, 0, awaits=7) == [None] * 3
    assert rounds(meeting("", "", None), None, 0) == [None] * 3
    assert rounds(meeting("", "", None, task="explicit"), 2, 0) == [None] * 3
