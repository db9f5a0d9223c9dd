# SPDX-License-Identifier: Apache-2.0
"""What does a call stack look like to who wrote the program? The frames of his own functions, and
between them the constructs, over as many threads' stacks as it takes to get to main."""

from __future__ import annotations

from dataclasses import dataclass, field

from .doubts import Doubt
from .native import Frame, Location
from .process import Membership, Region, Thread
from .tasks import ExplicitTask

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
    explicit: bool = False  # the construct generated an explicit task, which may not be known
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
        generator = entry.region.raw.generator if entry.region is not None else None
        return (*at, entry.explicit, generator)
    return at if place.function is not None else (*at, place.pc)
