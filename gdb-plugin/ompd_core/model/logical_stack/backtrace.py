# SPDX-License-Identifier: Apache-2.0
"""What does a call stack look like to who wrote the program? The frames of his own functions, and
between them the constructs, over as many threads' stacks as it takes to get to main."""

from __future__ import annotations

from ...light_classes import dataclass, field, replace
from ..doubts import FRAMES_ASKED, Doubt
from ..native import Frame, Location
from ..process import Membership, Region, Thread
from ..targets import Target
from ..tasks import ExplicitTask

WAIT = "wait"  # what the thread waits for, on top of its frames
USER = "user"
CONSTRUCT = "construct"
RUNTIME = "runtime"  # what is hidden unless asked for


@dataclass(eq=False)
class Entry:
    kind: str
    thread: Thread  # whose stack it is on
    level: int | None = None  # of its frame there, counted from the innermost; None: no real frame
    frame: Frame | None = None
    location: Location | None = None
    member: Membership | None = None  # of a wait: who waits
    region: Region | None = None  # of a construct
    num: int | None = None  # the thread's number in that region
    task: ExplicitTask | None = None  # that a construct generated
    target: Target | None = None  # the construct is one of a device
    explicit: bool = False  # the construct generated an explicit task, which may not be known
    ended: bool = False  # the task's code is left, or not entered yet: it has no frames
    fortran: bool = False  # the construct is written as Fortran's are
    doubts: dict[str, Doubt] = field(default_factory=dict)


@dataclass(eq=False)
class Backtrace:
    """Innermost first."""

    thread: Thread
    entries: list[Entry] = field(default_factory=list)
    hidden: int = 0  # frames of the runtime's and of the C library's that are not among them
    cut: Doubt | None = None  # why it does not go down to where the program began
    limited: bool = False  # since nobody asked for more
    missing: Doubt | None = None  # see Walked
    first: int = 0  # the number of its first entry, where further ones were left out


def cut(whole: Backtrace, most: int | None) -> Backtrace:
    """Its innermost entries that have numbers, or its outermost ones if negative."""
    numbered = [at for at, entry in enumerate(whole.entries) if entry.kind != RUNTIME]
    if most is None or len(numbered) <= abs(most):
        return whole
    if most < 0:
        first = len(numbered) + most
        return replace(whole, entries=whole.entries[numbered[first] :], first=first)
    entries = whole.entries[: numbered[most]]
    return replace(whole, entries=entries, cut=FRAMES_ASKED, limited=True)


def likeness(entry: Entry) -> object:
    """Equal for what would be written in the same place of the same program."""
    place = entry.location or Location()
    at = (entry.kind, place.function, place.file, place.line)
    if entry.kind == WAIT:
        member = entry.member
        wait = member.wait if member is not None else None
        detail = (wait.construct, wait.name, wait.address) if wait is not None else None
        return (entry.kind, member.state if member is not None else None, detail)
    if entry.kind == CONSTRUCT:
        if entry.target is not None:
            return (*at, entry.target.construct, entry.target.device, entry.target.phase)
        generator = entry.region.raw.generator if entry.region is not None else None
        return (*at, entry.explicit, entry.ended, generator)
    return at if place.function is not None else (*at, place.pc)
