# SPDX-License-Identifier: Apache-2.0
"""Which iterations of a work-sharing loop does each thread have? What the runtime hands out it
records; what a static schedule gives a thread stands in the thread's frame only.

Iterations are counted from 0: neither the runtime nor the code that clang makes of a loop counts as
the program's own variable does."""

from __future__ import annotations

from typing import Callable, Sequence

from ..library.types import ViewLoop
from ..light_classes import NamedTuple
from . import doubts
from .native import Location
from .process import Loop, Membership, Part, Region, Thread

# What the runtimes record, by their numbers.
HandedOut = dict[int, list[ViewLoop]]


class LoopPlace(NamedTuple):
    """A loop that the code of a thread's frame is in, and the compiler's variables of it there."""

    site: int  # the call that gave the thread its iterations
    location: Location  # of that call
    dynamic: bool  # the runtime gives out chunk after chunk
    asking: bool = False  # the thread is in this call now
    first: int | None = None  # what it has got
    last: int | None = None
    at: int | None = None
    combined: bool = False  # the loop began with the region
    ordered: bool = False  # it has the ordered clause, for certain
    sections: bool = False  # it is no loop, but a sections construct
    unsure: bool = False  # the code there is also executed outside of it, or in another one


def gather(
    region: Region,
    raw: Sequence[ViewLoop] | None,
    place_of: Callable[[Thread], LoopPlace | None],
) -> list[Loop]:
    """The loops that threads of the region are in now. raw: None where the runtime's records cannot
    be read."""
    handed_out = {one.thread: one for one in raw or () if one.team == region.raw.address}
    found: dict[object, Loop] = {}
    for num, thread in enumerate(region.members):
        member = thread.member(region.runtime) if thread is not None else None
        if thread is None or member is None:
            continue
        place = place_of(thread) if _shows(member, region) else None
        one = handed_out.get(member.raw.index)
        if one is not None and not _is_in(one, place):
            one = None
        if one is not None:
            loop = found.setdefault(one.loop, _loop(one))
            loop.sections = loop.sections or (place is not None and place.sections)
            loop.parts.append(_part(num, thread, one, place))
            if loop.location is None and place is not None and place.dynamic and not place.unsure:
                loop.location = place.location
            if one.evidence == "recorded" or (place is not None and not place.asking):
                _complete(loop, one, place)
        elif place is not None and not place.dynamic:
            loop = found.setdefault(("static", place.site), Loop("static", place.location))
            loop.parts.append(_static_part(num, thread, place))
        elif place is not None and raw is None:
            region.doubts["loops"] = doubts.LOOPS_NOT_READ
    return list(found.values())


def _is_in(one: ViewLoop, place: LoopPlace | None) -> bool:
    if one.evidence == "recorded":
        return True
    dynamic = place is not None and place.dynamic
    return dynamic and (place is None or place.combined == (one.evidence == "or_none"))


def _shows(member: Membership, region: Region) -> bool:
    """Whether the frames of the thread's innermost construct are those of this region."""
    return member.region is region and member.raw.task_kind == "implicit"


def _loop(one: ViewLoop) -> Loop:
    schedule = one.schedule if one.evidence == "recorded" else None
    return Loop(schedule or "unknown", sections=one.sections)


def _complete(loop: Loop, one: ViewLoop, place: LoopPlace | None) -> None:
    """Of the first thread that the runtime's words are sound of."""
    if one.problem is not None or loop.iterations is not None or loop.remaining is not None:
        return
    loop.schedule = one.schedule or "unknown"
    loop.iterations, loop.chunk = one.iterations, one.chunk
    loop.handed_out, loop.ordered_turn = one.handed_out, one.ordered_turn
    loop.remaining, loop.completed = one.remaining, one.completed
    if place is not None and place.ordered:
        loop.ordered_holder = one.ordered_holder


def _part(num: int, thread: Thread, one: ViewLoop, place: LoopPlace | None) -> Part:
    part = Part(num, thread, one.first, one.last, left=one.left)
    if place is not None and place.asking:
        part.first = part.last = None
        part.doubts["iterations"] = doubts.BETWEEN_CHUNKS
        return part
    if place is not None and place.unsure and one.evidence != "recorded":
        part.first = part.last = None
        part.doubts["iterations"] = doubts.SHARED_CODE
        return part
    if place is not None and place.dynamic:
        _add_place(part, place)
    if one.problem is not None:
        part.doubts["iterations"] = doubts.of_problem(one.problem)
    elif thread.running:
        part.doubts["iterations"] = doubts.RUNNING_LIKELY
    elif one.may_have_left and part.at is None:
        part.doubts["iterations"] = doubts.LOOP_CANCELLED
    elif part.first is None:
        sections = place is not None and place.sections
        part.doubts["iterations"] = doubts.SECTION_NOT_KEPT if sections else doubts.CHUNK_NOT_KEPT
    return part


def _add_place(part: Part, place: LoopPlace) -> None:
    """What the thread's frame tells. Where it contradicts the runtime, neither is believed."""
    if part.first is None:
        part.first, part.last = place.first, place.last
    told = ((part.first, place.first), (part.last, place.last))
    if any(own is not None and other is not None and own != other for own, other in told):
        part.first = part.last = None
    elif place.at is not None and part.first is not None and part.last is not None:
        part.at = place.at if part.first <= place.at <= part.last else None


def _static_part(num: int, thread: Thread, place: LoopPlace) -> Part:
    part = Part(num, thread, place.first, place.last, place.at)
    if part.first is None:
        part.doubts["iterations"] = doubts.BOUNDS_NOT_KEPT
    return part
