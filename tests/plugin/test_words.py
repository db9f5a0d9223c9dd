# SPDX-License-Identifier: Apache-2.0
"""What does the word tell that a thread of libgomp's sleeps on, and how many have come to a
barrier?"""

from __future__ import annotations

from pathlib import Path

import pytest
from ompd_core import source_tree
from ompd_core.library import capi, types
from ompd_core.library.inference import Inference
from ompd_core.library.types import (
    WHOLE,
    Classification,
    Facts,
    Sleep,
    StackFrame,
    TeamArrivals,
    ViewRegion,
    ViewThread,
)
from ompd_core.model import region_ends, states
from ompd_core.model.process import Membership, Region, Task, Thread, Wait

TREE = Path(__file__).resolve().parents[2]
BUILD = Path(source_tree.build(str(TREE)))
INFERENCE = Inference(capi.load(str(BUILD / "libompd/libompd.so"))[0])

TEAM = 0x10000
BARRIER, TASK_LOCK, OTHER = TEAM + 132, TEAM + 1280, 0x500
USER = StackFrame("program", name="work")
START = StackFrame("system", name="start_thread")
INSIDE = StackFrame("runtime", "gomp")
NO_POINTER = StackFrame("runtime", "gomp", direct=True)
BY_POINTER = StackFrame("runtime", "gomp", direct=False)


def entry(name: str, direct: bool | None = None) -> StackFrame:
    return StackFrame("runtime", "gomp", name=name, direct=direct)


AT_BARRIER = [INSIDE, entry("GOMP_barrier"), USER]
IN_TASK = [INSIDE, entry("GOMP_task"), USER]
BEGINS = [INSIDE, entry("GOMP_parallel", True), USER]
IN_LOOP = [INSIDE, INSIDE, START]
NAMELESS = [INSIDE, NO_POINTER, USER]
# The region's code made way for what it called last.
HIDDEN = [INSIDE, BY_POINTER, START]
HIDDEN_IN_PRIMARY = [INSIDE, entry("GOMP_parallel", False), USER]
AT_END = TeamArrivals(2, 0, 1, False, 2)
NOT_AT_END = TeamArrivals(2, 1, 0, False, 2)


def told(
    frames: list[StackFrame],
    sleep: Sleep | None,
    level: int = 1,
    come: TeamArrivals | None = None,
    num: int = 1,
) -> Classification:
    region = ViewRegion(TEAM, None, "parallel", level, level, 2, (None, None))
    facts = Facts(0, "gomp", "worker", True, None, None, [(region, num)], come)
    return INFERENCE.classify(frames, WHOLE, sleep, facts)


def at(address: int, expected: int = 16, now: int | None = 16) -> Sleep:
    return Sleep(address, expected, now)


@pytest.mark.parametrize(
    "frames, sleep, level, come, name, round_",
    [
        (AT_BARRIER, at(BARRIER), 1, None, "wait_barrier", 2),
        (IN_LOOP, at(BARRIER), 1, None, "wait_barrier_implicit_parallel", 2),
        (BEGINS, at(BARRIER), 1, None, "wait_barrier_implicit_parallel", 2),
        # Tasks have come, and nobody has been let go.
        (AT_BARRIER, at(BARRIER, 16, 17), 1, None, "wait_barrier", 2),
        # What cannot be read proves nothing.
        (AT_BARRIER, at(BARRIER, 16, None), 1, None, "wait_barrier", None),
        # A team inside of another one meets before its region begins.
        (IN_LOOP, at(BARRIER, 0, 0), 2, None, "overhead", None),
        (IN_LOOP, at(BARRIER, 8, 8), 2, None, "wait_barrier_implicit_parallel", 1),
        # The queues' lock.
        (AT_BARRIER, at(TASK_LOCK), 1, None, "overhead", None),
        # The region begins.
        (BEGINS, at(OTHER), 1, None, "overhead", None),
        (IN_LOOP, at(OTHER, 16, 24), 1, None, "overhead", None),
        # Nobody knows.
        (IN_LOOP, at(OTHER), 1, None, None, None),
        (HIDDEN, None, 1, None, None, None),
        (HIDDEN, at(BARRIER), 1, None, None, None),
        (HIDDEN_IN_PRIMARY, at(BARRIER), 1, NOT_AT_END, "wait_barrier", 2),
        (NAMELESS, at(BARRIER), 1, None, None, None),
        (NAMELESS, at(BARRIER), 1, AT_END, "wait_barrier_implicit_parallel", 2),
        (NAMELESS, at(BARRIER), 1, NOT_AT_END, "wait_barrier", 2),
        (IN_TASK, at(OTHER), 1, None, "wait_taskwait", None),
    ],
)
def test_word(
    frames: list[StackFrame],
    sleep: Sleep | None,
    level: int,
    come: TeamArrivals | None,
    name: str | None,
    round_: int | None,
) -> None:
    found = told(frames, sleep, level, come)
    state = states.name(found.state) if found.state is not None else None
    assert (state, found.round) == (name, round_)
    assert (state is None) == (found.doubt is not None) and not found.told & types.LET_GO


def test_who_was_let_go_does_not_wait() -> None:
    found = told(AT_BARRIER, at(BARRIER, 16, 24))
    assert found.told & types.LET_GO and found.round is None


def test_primary_that_does_not_sleep_may_just_begin() -> None:
    found = told(BEGINS, None, num=0)
    assert found.state is not None and found.doubt is not None
    assert states.name(found.state) == "wait_barrier_implicit_parallel"


def team(size: int, level: int = 1) -> Region:
    return Region(0, ViewRegion(TEAM, None, "parallel", level, level, size))


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


@pytest.mark.parametrize(
    "constructs, come, at_end, there",
    [
        (["", "", None], 0, 0, [False, False, False]),
        (["parallel", "", ""], 2, 0, [False, True, True]),
        (["", "parallel", "parallel"], 0, 2, [False, True, True]),
        # One of them is on its way, and nothing tells which.
        (["", "", None], 1, 0, [True, True, False]),
        (["", "", None], None, 0, [True, True, False]),
    ],
)
def test_who_is_not_counted_is_on_the_way(
    constructs: list[str], come: int | None, at_end: int, there: list[bool]
) -> None:
    region = meeting(*constructs)
    assert on_the_way(region, TeamArrivals(len(constructs), come, at_end, False, 3)) == there


def test_who_sleeps_there_is_counted() -> None:
    region = meeting("", "", "")
    first = region.members[0]
    assert first is not None
    first.openmp[0].round = 3
    assert on_the_way(region, TeamArrivals(3, 1, 0, False, 3)) == [True, False, False]


def test_where_all_have_come_or_some_do_not_exist_nobody_is_on_the_way() -> None:
    """Tasks keep all that have come, and the count is that of the next barrier; a child of fork()
    waits for the others before its region begins."""
    for_tasks = TeamArrivals(2, 0, 0, True, 3)
    assert on_the_way(meeting("", ""), for_tasks) == [True, True]
    for idle, there in ((0, True), (1, False)):
        region = meeting("parallel", None)
        region.members[1] = None
        assert on_the_way(region, TeamArrivals(2, 0, 0, False, 0), idle) == [there]


def on_the_way(region: Region, counted: TeamArrivals, idle: int = 0) -> list[bool]:
    """Who still waits at a barrier."""
    region_ends.settle_by_count(region, counted)
    region_ends.settle_on_way(region, counted, idle)
    known = [thread.openmp[0] for thread in region.members if thread is not None]
    assert all(one.wait or one.state in ("overhead", "work_parallel") for one in known)
    return [one.wait is not None for one in known]
