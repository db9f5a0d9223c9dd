# SPDX-License-Identifier: Apache-2.0
"""Who can go on, who waits for whom, and what is not known? The one assessment of a stop: whatever
is said of it, in words, in JSON or by an exit status, draws on this."""

from __future__ import annotations

from ..light_classes import dataclass, field
from . import barriers, doubts
from .barriers import Barrier, barrier_of
from .deadlock import Deadlock
from .moments import Movement
from .process import Process, Thread
from .waits import Edge, Meeting, Needs


@dataclass
class Judgement:
    waits: Deadlock
    movement: Movement | None = None  # since an earlier moment, if there was one
    barriers: list[Barrier] = field(default_factory=list)
    diverging: list[list[Barrier]] = field(default_factory=list)  # for certain
    standing_still: list[Thread] = field(default_factory=list)  # all, if nobody has moved

    @property
    def process(self) -> Process:
        return self.waits.process

    @property
    def verdict(self) -> str:
        return self.waits.verdict

    @property
    def circles(self) -> list[list[Edge]]:
        """But those that are told as threads at different barriers."""
        regions = {id(group[0].region) for group in self.diverging}
        return [
            circle
            for circle in self.waits.circles
            if not all(edge.region is not None and id(edge.region) in regions for edge in circle)
        ]

    @property
    def by_two_looks(self) -> bool:
        """A circle of threads that poll shows by what moved, or did not, in between. So does one of
        threads that have all waited since the first look: that one may not have proven it."""
        if any(edge.doubt == doubts.POLLED for circle in self.circles for edge in circle):
            return True
        since = self.movement
        return since is not None and any(
            all(since.stood_still(edge.waiter) for edge in circle) for circle in self.circles
        )


def judge(waits: Deadlock, movement: Movement | None = None) -> Judgement:
    made = Judgement(waits, movement)
    needs = {one.thread: one for one in waits.needs}
    meetings = {
        (id(one.meeting.region), barrier_of(one.wait)): one.meeting
        for one in waits.needs
        if one.meeting is not None
    }
    made.barriers = barriers.all_barriers(waits.process)
    for barrier in made.barriers:
        meeting = meetings.get((id(barrier.region), barrier_of(barrier.wait)))
        barrier.doubt = _doubt_of(barrier, meeting, needs)
        if barrier.doubt is None and barriers.joined(barrier, made.barriers):
            barrier.doubt = doubts.MAYBE_ONE_BARRIER
    made.diverging = barriers.diverging(made.barriers, lambda thread: _waits(needs.get(thread)))
    if movement is not None and waits.verdict == "unknown":
        made.standing_still = _standing_still(waits, movement)
    return made


def _standing_still(waits: Deadlock, movement: Movement) -> list[Thread]:
    """All threads that are in regions, if each has waited all the time for what only they can end.
    Whoever is at work may hold what the others wait for."""
    inside = [t for t in waits.process.threads if any(member.chain for member in t.openmp)]
    needs = {one.thread: one for one in waits.needs if not (one.progress or one.open_ended)}
    still = all(thread in needs and movement.stood_still(thread) for thread in inside)
    return inside if still else []


def _waits(one: Needs | None) -> bool:
    """At a barrier, for certain."""
    return one is not None and one.meeting is not None and not (one.doubt or one.unknown)


def _doubt_of(
    barrier: Barrier, meeting: Meeting | None, needs: dict[Thread, Needs]
) -> doubts.Doubt | None:
    """Whether the barrier still waits for those that are missing."""
    members = barrier.region.members
    there = [thread for num in barrier.arrived if (thread := members[num]) is not None]
    if not any(_waits(needs.get(thread)) for thread in there):
        return doubts.BARRIER_NOT_PROVEN
    # Whoever is at another place that shares the runtime's barrier has come, unless he is leaving.
    missing = {thread for num in barrier.missing if (thread := members[num]) is not None}
    if any(thread.running for thread in missing):
        return doubts.MISSING_MAY_RUN
    shared = missing.difference(meeting.missing if meeting is not None else ())
    if any(not _waits(needs.get(thread)) for thread in shared):
        return doubts.BARRIER_NOT_PROVEN
    return None
