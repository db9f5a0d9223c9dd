# SPDX-License-Identifier: Apache-2.0
"""Whose turn is it in an ordered construct? libomp keeps the iteration whose turn it is, and the
iterations that each thread has got; a thread may go in as soon as the first of its own has its
turn. libgomp keeps the thread."""

from __future__ import annotations

from ..library.types import ViewLoop
from .loops import HandedOut
from .process import Membership, Region, Thread


def loop_of(member: Membership, loops: HandedOut) -> ViewLoop | None:
    """The ordered loop that a thread is in. None: there is none, or it is not sound."""
    region, number = member.region, member.raw.index
    if region is None or number is None:
        return None
    for one in loops.get(member.runtime, ()):
        if one.thread == number and one.team == region.raw.address:
            told = one.ordered_turn is not None or one.ordered_holder is not None
            return one if told and one.problem is None else None
    return None


def has_come(loop: ViewLoop) -> bool:
    """Is it this thread's turn?"""
    if loop.ordered_holder is not None:
        return loop.ordered_holder == loop.thread_num
    turn, first = loop.ordered_turn, loop.first
    return turn is not None and first is not None and turn >= first


def holder(member: Membership, region: Region, loops: HandedOut) -> Thread | None:
    """Whose turn it is, if a thread that has the iteration is known."""
    mine = loop_of(member, loops)
    if mine is not None and mine.ordered_holder is not None:
        known = mine.ordered_holder < len(region.members)
        return region.members[mine.ordered_holder] if known else None
    for thread in region.members if mine is not None else ():
        other = thread.member(region.runtime) if thread is not None else None
        loop = loop_of(other, loops) if other is not None and other.region is region else None
        if loop is None or mine is None or loop.loop != mine.loop:
            continue
        turn, first, last = mine.ordered_turn, loop.first, loop.last
        if turn is not None and first is not None and last is not None and first <= turn <= last:
            return thread
    return None
