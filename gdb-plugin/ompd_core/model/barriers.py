# SPDX-License-Identifier: Apache-2.0
"""At which barriers do the threads of each region wait, and who is missing there?

Two barriers of one region are told apart by their places in the program. The runtime has one for
the ends of regions, one for reductions and one for all else: threads at different constructs of a
kind meet there.
"""

from __future__ import annotations

import itertools
from typing import Callable, Sequence

from ..library.types import BARRIER_PLAIN, BARRIER_REDUCTION, BARRIER_REGION
from ..light_classes import dataclass, field
from .doubts import Doubt
from .native import Location
from .process import Membership, Process, Region, Thread, Wait

# Not all compilers tell which of these a barrier is of.
_WORKSHARING = {"for", "sections", "single", "workshare", "worksharing"}


@dataclass
class Barrier:
    region: Region
    wait: Wait
    arrived: list[int] = field(default_factory=list)  # thread numbers
    missing: list[int] = field(default_factory=list)
    doubt: Doubt | None = None  # that it still waits for the missing

    @property
    def location(self) -> Location | None:
        return self.wait.location


def all_barriers(process: Process) -> list[Barrier]:
    """In the order of the regions; several of one region if its threads wait at different ones."""
    found = []
    for region in process.regions:
        if region.raw.generator != "program" and not region.raw.helpers:
            found += of_region(region)
    return found


def of_region(region: Region) -> list[Barrier]:
    barriers: dict[object, Barrier] = {}
    elsewhere = []
    for num, thread in enumerate(region.members):
        wait = wait_in(member_of(thread, region), region)
        if wait is None:
            elsewhere.append(num)
        else:
            barriers.setdefault(likeness(wait), Barrier(region, wait)).arrived.append(num)
    found = list(barriers.values())
    for barrier in found:
        others = [num for other in found if other is not barrier for num in other.arrived]
        barrier.missing = sorted(elsewhere + others)
    return found


def diverging(found: Sequence[Barrier], waits: Callable[[Thread], bool]) -> list[list[Barrier]]:
    """The regions whose threads wait at barriers that are known to be different ones. waits: is it
    proven that a thread does, and has not been let go? Of each barrier one is enough: with it the
    others there are seen to wait, or will come to it."""
    groups: dict[int, list[Barrier]] = {}
    for barrier in found:
        threads = (barrier.region.members[num] for num in barrier.arrived)
        if any(t is not None and waits(t) for t in threads):
            groups.setdefault(id(barrier.region), []).append(barrier)
    return [
        group
        for group in groups.values()
        if not all(may_be_one(a.wait, b.wait) for a, b in itertools.combinations(group, 2))
    ]


def joined(barrier: Barrier, found: Sequence[Barrier]) -> bool:
    """Do others of its region wait at what may be the same one, though its line is another?"""
    return any(
        other is not barrier
        and other.region is barrier.region
        and may_be_one(barrier.wait, other.wait)
        for other in found
    )


def being_left(region: Region) -> set[object]:
    """The `likeness' of the barriers that threads of the team are leaving. In a tree of threads
    each lets those below go, when it has been let go itself."""
    members = (member_of(thread, region) for thread in region.members)
    passed = [one.passed.wait for one in members if one is not None and one.passed is not None]
    return {likeness(wait) for wait in passed if wait.kind == "barrier"}


def barrier_of(wait: Wait) -> int:
    """Which of the runtime's barriers: a bit BARRIER_..."""
    return {"parallel": BARRIER_REGION, "reduction": BARRIER_REDUCTION}.get(
        wait.construct or "", BARRIER_PLAIN
    )


def any_is_complete(process: Process) -> bool:
    """Is there a region all of whose threads are at one of the runtime's barriers?"""
    return any(
        is_at(member_of(region.members[0], region), region, barrier)
        and all(is_at(member_of(thread, region), region, barrier) for thread in region.members)
        for region in process.regions
        if region.members
        for barrier in (BARRIER_PLAIN, BARRIER_REGION, BARRIER_REDUCTION)
    )


def is_at(member: Membership | None, region: Region, barrier: int) -> bool:
    """Does it wait at that barrier of the region?"""
    wait = wait_in(member, region)
    return wait is not None and barrier_of(wait) == barrier


def member_of(thread: Thread | None, region: Region) -> Membership | None:
    return thread.member(region.runtime) if thread is not None else None


def missing_members(barriers: Sequence[Barrier]) -> list[tuple[int, Thread | None]]:
    """Of barriers of one region: who waits at none of them."""
    region = barriers[0].region
    arrived = {num for barrier in barriers for num in barrier.arrived}
    return [(num, thread) for num, thread in enumerate(region.members) if num not in arrived]


def instead(thread: Thread | None, region: Region) -> str:
    """What a thread of the region does that is missing at a barrier, in one word of JSON's."""
    member = member_of(thread, region)
    if thread is None or member is None:
        return "unknown"
    if all(around is not region for around, _ in member.chain):
        return "gone"
    if member.region is not region:
        return "inner_region"
    if member.state is None:
        return "unknown"
    if member.wait is not None:
        return "barrier" if member.wait.kind == "barrier" else "waiting"
    if member.passed is not None:
        return "let_go"
    if not member.state.startswith("work_"):
        return "overhead"
    return "call" if thread.in_call is not None else "working"


def wait_in(member: Membership | None, region: Region) -> Wait | None:
    """At a barrier of the region. A thread that is in a region inside waits for others there, if at
    all."""
    if member is None or member.region is not region or member.wait is None:
        return None
    # The end of a league is a barrier of several regions.
    within = member.wait.kind == "barrier" and member.wait.construct != "teams"
    return member.wait if within else None


def may_be_one(one: Wait, other: Wait) -> bool:
    """Of what may be one kind two are the same one unless their places are known."""
    exact = all(wait.location is not None and wait.exact_line for wait in (one, other))
    return not exact and _may_be_alike(one.construct, other.construct)


def _may_be_alike(one: str | None, other: str | None) -> bool:
    if "parallel" in (one, other):
        return one == other  # no code calls the barrier at a region's end
    untold = None in (one, other) or (
        "worksharing" in (one, other) and _WORKSHARING.issuperset((one, other))
    )
    return one == other or untold


def likeness(wait: Wait) -> object:
    """The same for waits at what may be one barrier of a region."""
    if wait.construct == "parallel":
        return "parallel"  # a region has one end
    if wait.construct == "single" and not wait.exact_line:
        return "single"  # with copyprivate: who executes it waits at its end, the others before it
    place = wait.location
    return (wait.construct, place.file if place else None, place.line if place else None)
