# SPDX-License-Identifier: Apache-2.0
"""What the runtime records of a loop, and what a thread's frame tells, joined."""

from __future__ import annotations

import pytest
from ompd_core.library.types import ViewLoop, ViewRegion, ViewThread
from ompd_core.model import turns
from ompd_core.model.loops import LoopPlace, gather
from ompd_core.model.native import Location, NativeThread
from ompd_core.model.process import Loop, Membership, Region, Thread
from ompd_core.views import loops as view
from ompd_core.views.table import Style

TEAM = 0x1000
AT = Location("solve", "heat.c", None, 32)
DYNAMIC = ViewLoop(TEAM, 0, 0, 5, "dynamic", iterations=100, chunk=4, handed_out=24)


def team(size: int) -> Region:
    region = Region(0, ViewRegion(TEAM, None, "parallel", 1, 1, size), number=1)
    for number in range(size):
        raw = ViewThread(number, "worker", index=number, task_kind="implicit")
        native = NativeThread(number + 1, 1, number + 1, (1, number + 1, 0))
        region.members.append(Thread(native, [Membership(0, raw, [(region, number)])]))
    return region


def found(raw: list[ViewLoop], places: list[LoopPlace | None]) -> list[Loop]:
    region = team(len(places))
    by_thread = dict(zip((id(thread) for thread in region.members), places))
    region.loops = gather(region, raw, lambda thread: by_thread[id(thread)])
    return region.loops


def text(raw: list[ViewLoop], places: list[LoopPlace | None]) -> str:
    region = team(len(places))
    by_thread = dict(zip((id(thread) for thread in region.members), places))
    region.loops = gather(region, raw, lambda thread: by_thread[id(thread)])
    return "\n".join(view.lines(region, Style(None)))


def place(first: int | None = None, last: int | None = None, at: int | None = None) -> LoopPlace:
    return LoopPlace(0x400, AT, True, False, first, last, at)


@pytest.mark.parametrize(
    ("raw", "where", "told"),
    [
        ((None, None), None, (None, None, None)),
        ((None, None), place(8, 11, 9), (8, 11, 9)),
        ((8, 11), place(8, 11, 9), (8, 11, 9)),
        ((8, 11), place(None, 11, 9), (8, 11, 9)),
        ((8, 11), place(12, 15, 12), (None, None, None)),  # they contradict each other
        ((8, 11), place(None, None, 20), (8, 11, None)),
        ((8, 11), LoopPlace(0x400, AT, True, True), (None, None, None)),  # it asks for more
        ((8, 11), LoopPlace(0x500, AT, False, False, 0, 3, 1), (8, 11, None)),  # another loop's
    ],
)
def test_one_thread(
    raw: tuple[int | None, int | None],
    where: LoopPlace | None,
    told: tuple[int | None, int | None, int | None],
) -> None:
    (loop,) = found([DYNAMIC._replace(first=raw[0], last=raw[1])], [where])
    (part,) = loop.parts
    assert (part.first, part.last, part.at) == told
    assert ("iterations" in part.doubts) == (told[0] is None)


def test_a_cancelled_loop_may_have_been_left() -> None:
    raw = DYNAMIC._replace(first=8, last=11, may_have_left=True)
    (loop,) = found([raw], [None])
    assert loop.parts[0].doubts["iterations"].certainty == "likely"
    (loop,) = found([raw], [place(8, 11, 9)])
    assert not loop.parts[0].doubts


def test_threads_in_different_loops() -> None:
    raw = [DYNAMIC, DYNAMIC._replace(thread=1, thread_num=1, loop=6)]
    static = LoopPlace(0x700, AT, False, False, 0, 9, 3)
    loops = found(raw, [place(0, 3, 0), place(4, 7, 4), static, None])
    assert [[part.thread_num for part in loop.parts] for loop in loops] == [[0], [1], [2]]


def test_damage_is_told() -> None:
    raw = ViewLoop(TEAM, 0, 0, 5, problem="inconsistent")
    words = text([raw], [None])
    assert "its schedule is not known" in words and "contradict each other" in words


def test_words() -> None:
    raw = [
        DYNAMIC._replace(first=8, last=11, ordered=True, ordered_turn=9),
        DYNAMIC._replace(thread=1, thread_num=1, ordered=True, ordered_turn=9, first=99, last=99),
    ]
    words = text(raw, [place(8, 11, 9), None, None])
    assert "Loop at heat.c:32, dynamic: 100 iterations in chunks of 4, 24 handed out." in words
    assert "ordered: it is the turn of iteration 9, which R1.0 has." in words
    assert "  R1.0    1  8..11  9" in words and "  R1.1    2  99     ?" in words
    assert "Not in it: R1.2." in words


def test_sections_of_gcc() -> None:
    raw = DYNAMIC._replace(sections=True, iterations=3, chunk=1, handed_out=2)
    assert "Sections, dynamic: 3 sections, 2 handed out." in text([raw], [None])


def test_without_the_runtimes_records_nothing_is_claimed() -> None:
    region = team(1)
    region.loops = gather(region, None, lambda thread: place(0, 3, 1))
    assert not region.loops and "loops" in region.doubts
    assert "may be in a loop" in "\n".join(view.lines(region, Style(None)))
    region = team(1)
    region.loops = gather(region, None, lambda thread: None)
    assert not region.doubts


def test_no_loop_no_words() -> None:
    assert text([], [None, None]) == ""


# ---- What GNU's runtime records ------------------------------------------------------------------

GNUS = ViewLoop(TEAM, 0, 0, 0, "dynamic", chunk=4, remaining=50, evidence="or_other", completed=2)


def gnus_place(**differently: bool) -> LoopPlace:
    return LoopPlace(0x400, AT, True)._replace(**differently)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("evidence", "where", "is_in"),
    [
        ("or_other", gnus_place(), True),
        ("or_other", gnus_place(combined=True), False),  # the record is another construct's
        ("or_other", None, False),
        ("or_none", gnus_place(combined=True), True),
        ("or_none", gnus_place(), False),  # it has left its loop, and all others have
        ("or_none", None, False),
    ],
)
def test_the_code_has_to_say_that_it_is_a_loop(
    evidence: str, where: LoopPlace | None, is_in: bool
) -> None:
    assert len(found([GNUS._replace(evidence=evidence)], [where])) == is_in


def test_what_is_left_of_a_loop() -> None:
    words = text([GNUS._replace(ordered_holder=1)], [gnus_place(ordered=True), None])
    assert "dynamic in chunks of 4, 50 more to hand out; 2 threads left it already." in words
    assert "ordered: it is the turn of R1.1." in words
    assert "turn" not in text([GNUS._replace(ordered_holder=1)], [gnus_place()])


def test_a_loop_that_is_being_begun_is_not_described() -> None:
    """The runtime may not have written its words yet."""
    (loop,) = found([GNUS], [gnus_place(asking=True)])
    assert (loop.schedule, loop.chunk, loop.remaining) == ("unknown", None, None)
    both = [GNUS, GNUS._replace(thread=1, thread_num=1)]
    (loop,) = found(both, [gnus_place(asking=True), gnus_place()])
    assert (loop.schedule, loop.chunk, loop.remaining) == ("dynamic", 4, 50)


def test_whose_turn_it_is() -> None:
    region = team(3)
    members = [thread.openmp[0] for thread in region.members if thread is not None]
    loops = {
        0: [
            GNUS._replace(thread=n, thread_num=n, evidence="or_none", ordered_holder=2)
            for n in (0, 2)
        ]
    }
    assert turns.holder(members[0], region, loops) is region.members[2]
    assert [turns.has_come(one) for one in loops[0]] == [False, True]
    assert turns.loop_of(members[1], loops) is None
