# SPDX-License-Identifier: Apache-2.0
"""Has a thread come to the end of its region, or not begun it yet? On its stack both look the same;
the words of the barrier tell.

A thread to which others report has no word of its own until all of those have come. What it lacks
then, the thread behind it tells: it is one of those, and it was let go by it.
"""

from __future__ import annotations

from typing import Callable, Sequence

from ..library.types import BARRIER_REGION, TeamArrivals
from . import doubts
from .barriers import member_of
from .process import Membership, Process, Region, Wait
from .waits import Arrivals, arrival_of


def settle(process: Process, arrivals: Callable[[], Arrivals]) -> None:
    """Of threads that seem to be at the end of their region. arrivals: asked for if there are
    any."""
    words: Arrivals | None = None
    for region in process.regions:
        members = [_within(region, num) for num in range(len(region.members))]
        if any(_seems_at_end(member) for member in members):
            words = arrivals() if words is None else words
            _settle(region, members, words)


def settle_by_count(region: Region, counted: TeamArrivals) -> None:
    """Of a runtime whose barrier only counts who has come: they are those that are there, if these
    are as many."""
    members = [_within(region, num) for num in range(len(region.members))]
    come = arrived(region, counted)
    if come is None or come == (0, 0):
        return
    entered = [one for one in members if one is not None and one.entered and one.state is None]
    at_other, at_end = _number_there(members, False), _number_there(members, True)
    known = [one for one in members if one is None or (one not in entered and not one.wait)]
    for one in entered if all(map(_is_implicit, known)) else ():
        if come == (at_other, at_end + len(entered)):
            one.state = "wait_barrier_implicit_parallel"
            one.wait = Wait("barrier", region.location, "parallel")
        elif come == (at_other + len(entered), at_end):
            one.state = "wait_barrier"
            one.wait = Wait("barrier", construct_doubt=doubts.CODE_HIDDEN)
    for count, end in zip(come, (False, True)):
        there = [member for member in members if _is_there(member, end)]
        others = [member for member in members if not _is_there(member, end)]
        # Who executes a task may have come as well.
        if count != len(there) or not all(map(_is_implicit, others)):
            continue
        for member in there:
            if member is not None and member.round is None:
                member.round = counted.steps
                member.doubts.pop("state", None)


def settle_on_way(region: Region, counted: TeamArrivals, idle: int) -> None:
    """Of the same: whoever is there and not counted comes or goes, if all sleep that are. idle: how
    many threads the runtime has in no region. Where members are missing that are none of these, a
    team may have to wait for them before its region begins."""
    members = [_within(region, num) for num in range(len(region.members))]
    come = arrived(region, counted)
    absent = sum(thread is None for thread in region.members)
    if come is None or counted.waits_for_tasks or absent > idle:
        return
    for count, end in zip(come, (False, True)):
        there = [one for one in members if one is not None and _is_there(one, end)]
        asleep = [one for one in there if one.round is not None]
        for member in there if count == len(asleep) else ():
            if member.round is None:
                member.state, member.wait = "overhead", None
                member.doubts.pop("state", None)


def arrived(region: Region, counted: TeamArrivals | None) -> tuple[int, int] | None:
    """How many threads have come to a barrier, and to the region's end. None: that cannot be
    told."""
    if counted is None or counted.arrived is None or counted.arrived_at_end is None:
        return None
    if counted.awaits != len(region.members):
        return None
    return counted.arrived, counted.arrived_at_end


def _is_there(member: Membership | None, at_end: bool) -> bool:
    wait = member.wait if member is not None else None
    return wait is not None and wait.kind == "barrier" and _seems_at_end(member) == at_end


def _number_there(members: Sequence[Membership | None], at_end: bool) -> int:
    return sum(1 for member in members if _is_there(member, at_end))


def _is_implicit(member: Membership | None) -> bool:
    if member is None or member.task is None or member.state is None:
        return False
    return member.task.kind == "implicit" and "state" not in member.doubts


def _within(region: Region, num: int) -> Membership | None:
    """What is known of a thread that is in no other region inside."""
    member = member_of(region.members[num], region)
    return member if member is not None and member.region is region else None


def _seems_at_end(member: Membership | None) -> bool:
    wait = member.wait if member is not None else None
    return wait is not None and wait.construct in ("parallel", "teams")


def _settle(region: Region, members: list[Membership | None], words: Arrivals) -> None:
    unsure = None  # why somebody may not have begun: then the primary may be about to let it go
    has_begun = False  # has the thread behind?
    for num in range(len(members) - 1, -1, -1):
        member = members[num]
        if member is None or not _seems_at_end(member):
            has_begun = _has_begun(region, num)
            if member is not None and member.starts:
                unsure = doubts.END_OR_BEGINNING
            continue
        if member.round is not None:
            has_begun = True
            continue
        if _is_primary(region, num):
            if unsure is not None and not member.sleeps:
                member.doubts["state"] = unsure
            continue
        word = arrival_of(member, words)
        if word is None:
            member.doubts["state"] = unsure = doubts.END_NOT_READ
        elif word.released & BARRIER_REGION:
            member.state, member.wait = "overhead", None  # or it has yet to begin
            member.starts = member.launched
            unsure, has_begun = doubts.END_OR_BEGINNING, False
        elif word.arrived & BARRIER_REGION:
            has_begun = True
        else:
            member.doubts["state"] = doubts.END_OR_BEGINNING
            unsure = unsure if has_begun else doubts.END_OR_BEGINNING


def _has_begun(region: Region, num: int) -> bool:
    """Of one that is not at the region's end, as far as its stack tells. Nothing is known of a
    thread that the debugger does not see."""
    member = member_of(region.members[num], region)
    inside = member is not None and any(around is region for around, _ in member.chain)
    return inside and member is not None and member.state is not None and not member.starts


def _is_primary(region: Region, num: int) -> bool:
    """It begins the region, and is let go by nobody."""
    return num == 0 and not region.raw.team_num
