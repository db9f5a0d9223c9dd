# SPDX-License-Identifier: Apache-2.0
"""At which barriers do the threads of each region wait, and who is missing there?"""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field
from typing import Sequence

from .native import Location
from .process import Membership, Process, Region, Thread, Wait


@dataclass
class Barrier:
    region: Region
    wait: Wait
    arrived: list[int] = field(default_factory=list)  # thread numbers
    missing: list[int] = field(default_factory=list)

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
            barriers.setdefault(_likeness(wait), Barrier(region, wait)).arrived.append(num)
    found = list(barriers.values())
    for barrier in found:
        others = [num for other in found if other is not barrier for num in other.arrived]
        barrier.missing = sorted(elsewhere + others)
    return found


def diverging(process: Process) -> list[list[Barrier]]:
    """The regions whose threads wait at barriers that are known to be different ones."""
    found = []
    for region in process.regions:
        barriers = [b for b in of_region(region) if b.wait.construct is not None]
        pairs = itertools.combinations(barriers, 2)
        if any(_differ(one.wait, other.wait) for one, other in pairs) and not region.raw.helpers:
            found.append(barriers)
    return found


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


def _differ(one: Wait, other: Wait) -> bool:
    """For certain: of the same kind two are the same one unless their places are known."""
    if one.construct != other.construct:
        return True
    return one.location is not None and other.location is not None


def _likeness(wait: Wait) -> object:
    if wait.construct == "parallel":
        return "parallel"  # a region has one end
    place = wait.location
    return (wait.construct, place.file if place else None, place.line if place else None)
