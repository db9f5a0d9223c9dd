# SPDX-License-Identifier: Apache-2.0
"""Is a thread at the end of its region told from one that has not begun it?"""

from __future__ import annotations

import pytest
from ompd_core.library.types import BARRIER_PLAIN, BARRIER_REGION, Arrival, ViewRegion, ViewThread
from ompd_core.model import doubts
from ompd_core.model.native import NativeThread
from ompd_core.model.process import Membership, Process, Region, Thread, Wait
from ompd_core.model.region_ends import settle

ARRIVED, RELEASED, SILENT = (
    Arrival(arrived=BARRIER_REGION),
    Arrival(released=BARRIER_REGION),
    Arrival(arrived=BARRIER_PLAIN),
)
AT_END, WORKS = "wait_barrier_implicit_parallel", "work_parallel"
CERTAIN = (AT_END, None)
UNSURE = (AT_END, doubts.END_OR_BEGINNING)
NOT_BEGUN = ("overhead", None)


def team(states: list[str]) -> Process:
    """The threads of one region, each with its state by its stack."""
    process = Process([NativeThread(n, 1, n, (1, n, 0)) for n in range(len(states))], [])
    region = Region(0, ViewRegion(0x10, None, "parallel", 1, 1, len(states)))
    process.regions = [region]
    for num, (thread, state) in enumerate(zip(process.threads, states)):
        wait = Wait("barrier", None, "parallel") if state == AT_END else None
        made = Membership(0, ViewThread(num, "worker", index=num), [(region, num)], state)
        made.wait = wait
        thread.openmp.append(made)
        region.members.append(thread)
    return process


def settled(states: list[str], words: dict[int, Arrival] | None) -> list[object]:
    process = team(states)
    settle(process, lambda: {0: words} if words is not None else {})
    return [_told(thread) for thread in process.threads]


def _told(thread: Thread) -> object:
    (member,) = thread.openmp
    return member.state, member.doubts.get("state")


@pytest.mark.parametrize(
    "words, expected",
    [
        ([ARRIVED, ARRIVED, ARRIVED], [CERTAIN] * 4),
        ([RELEASED, ARRIVED, ARRIVED], [UNSURE, NOT_BEGUN, CERTAIN, CERTAIN]),
        ([RELEASED, RELEASED, RELEASED], [UNSURE, NOT_BEGUN, NOT_BEGUN, NOT_BEGUN]),
        # Others report to it: once one of those has begun, so has it.
        ([SILENT, ARRIVED, ARRIVED], [CERTAIN, UNSURE, CERTAIN, CERTAIN]),
        ([ARRIVED, ARRIVED, SILENT], [UNSURE, CERTAIN, CERTAIN, UNSURE]),
    ],
)
def test_by_the_barriers_words(words: list[Arrival], expected: list[object]) -> None:
    assert settled([AT_END] * 4, dict(enumerate(words, 1))) == expected


def test_who_works_has_begun() -> None:
    told = settled([AT_END, AT_END, WORKS], {1: SILENT})
    assert told == [CERTAIN, UNSURE, (WORKS, None)]


def test_without_words_nobody_is_certain() -> None:
    unread = (AT_END, doubts.END_NOT_READ)
    assert settled([AT_END, AT_END, WORKS], None) == [unread, unread, (WORKS, None)]


def test_who_was_just_made_has_not_begun() -> None:
    """Nor perhaps the one that made it, if it does not wait."""
    process = team([AT_END, AT_END, "overhead"])
    first, second, last = (thread.openmp[0] for thread in process.threads)
    last.starts = True
    settle(process, lambda: {0: {1: SILENT}})
    assert {first.doubts.get("state"), second.doubts.get("state")} == {doubts.END_OR_BEGINNING}
    first.doubts.clear()
    first.sleeps = True
    settle(process, lambda: {0: {1: SILENT}})
    assert not first.doubts


def test_who_was_launched_starts() -> None:
    process = team([AT_END, AT_END])
    worker = process.threads[1].openmp[0]
    worker.launched = True
    settle(process, lambda: {0: {1: RELEASED}})
    assert (worker.state, worker.starts) == ("overhead", True)


def test_a_thread_that_is_not_seen_proves_nothing() -> None:
    process = team([AT_END, AT_END, AT_END])
    process.regions[0].members[2] = None
    settle(process, lambda: {0: {1: SILENT}})
    assert [_told(thread) for thread in process.threads[:2]] == [UNSURE, UNSURE]
