# SPDX-License-Identifier: Apache-2.0
"""Has a thread come to the end of its region, or not begun it yet? On its stack both look the same;
the words of the barrier tell.

A thread to which others report has no word of its own until all of those have come. What it lacks
then, the thread behind it tells: it is one of those, and it was let go by it.
"""

from __future__ import annotations

from typing import Callable

from ..answers import BARRIER_REGION
from . import doubts
from .barriers import member_of
from .process import Membership, Process, Region
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
            has_begun = True
            continue
        if _is_primary(region, num):
            if unsure is not None:
                member.doubts["state"] = unsure
            continue
        word = arrival_of(member, words)
        if word is None:
            member.doubts["state"] = unsure = doubts.END_NOT_READ
        elif word.released & BARRIER_REGION:
            member.state, member.wait = "overhead", None
            unsure, has_begun = doubts.END_OR_BEGINNING, False
        elif word.arrived & BARRIER_REGION:
            has_begun = True
        else:
            member.doubts["state"] = doubts.END_OR_BEGINNING
            unsure = unsure if has_begun else doubts.END_OR_BEGINNING


def _is_primary(region: Region, num: int) -> bool:
    """It begins the region, and is let go by nobody."""
    return num == 0 and not region.raw.team_num
