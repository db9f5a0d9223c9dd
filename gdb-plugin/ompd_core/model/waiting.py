# SPDX-License-Identifier: Apache-2.0
"""What is a thread doing, and what does it wait for? libompd tells it by the frames of its stack
and by the regions that it is in; here frames become what it takes, and what it tells becomes
words."""

from __future__ import annotations

from typing import Sequence

from .. import abi
from ..library import types
from ..library.types import Classification, Facts, Sleep, TeamArrivals
from ..light_classes import NamedTuple
from . import doubts, states
from .doubts import Doubt
from .native import Frame, Location
from .process import Membership, Region, Wait
from .where import CodeMap, recorded

# What libompd tells of barriers is one kind of wait.
_BARRIERS = ("barrier", "workshare", "reduction", "region")


class Seen:
    """So much of a thread's stack as was looked at."""

    def __init__(self, frames: Sequence[Frame], code: CodeMap, whole: bool = False) -> None:
        self._code = code
        self.sleep: Sleep | None = None
        self.take(frames, types.WHOLE if whole else types.PART)

    def take(self, frames: Sequence[Frame], extent: int) -> None:
        """More of it, or all that there is."""
        self.frames, self.extent = frames, extent
        self.told = [self._code.told(frame) for frame in frames]

    def is_own(self, level: int) -> bool:
        """Neither of a runtime, nor of a library in which no construct is looked for."""
        return self.told[level].code in (types.PROGRAM, types.UNKNOWN)

    def calls(self, level: int, name: str | None) -> None:
        """That the frame's function is in a call of this one."""
        self.told[level] = self.told[level]._replace(called=name)

    def calls_directly(self, level: int, direct: bool | None) -> None:
        self.told[level] = self.told[level]._replace(direct=direct)

    def begins_at(self, level: int, entry: int | None) -> None:
        """The frame's function."""
        self.told[level] = self.told[level]._replace(entry=entry or 0)

    def frame(self, level: int | None) -> Frame | None:
        return self.frames[level] if level is not None else None

    def entry(self, found: Classification) -> str | None:
        """What the program called of the runtime."""
        if found.entry is None:
            return None
        told = self.told[found.entry]
        return told.called if found.told & types.ENTRY_CALLED else told.name


def facts_of(member: Membership, kind: str, arrivals: TeamArrivals | None = None) -> Facts:
    """kind: of the runtime; arrivals: at the barriers of the region that the thread is in."""
    raw = member.raw
    return Facts(
        *(member.runtime, kind, raw.kind, raw.has_team, raw.ident_flags, raw.ident_source),
        [(region.raw, num) for region, num in member.chain],
        arrivals,
    )


class State(NamedTuple):
    name: str | None
    wait: Wait | None = None
    doubt: Doubt | None = None
    let_go: bool = False  # it waited for that, and has not woken up yet
    round: int | None = None  # of the team's barrier, on whose word it sleeps


def state_of(member: Membership, found: Classification, seen: Seen) -> State:
    wait = None
    if found.wait is not None:
        kind = "barrier" if found.wait in _BARRIERS else found.wait
        called = abi.normal(seen.entry(found) or "")
        wait = Wait(
            kind,
            _place(member, found, seen),
            found.construct,
            construct_doubt=doubts.of_construct(found.construct_doubt),
            exact_line=found.place == "region" or not called.startswith(abi.UNLINED),
        )
    return State(
        states.name(found.state) if found.state is not None else None,
        wait,
        doubts.told(found.doubt, abi.normal(seen.entry(found) or "")),
        bool(found.told & types.LET_GO),
        found.round,
    )


def _place(member: Membership, found: Classification, seen: Seen) -> Location | None:
    caller = seen.frame(found.caller)
    call = caller.location if caller is not None else None
    place = None
    if found.place == "region":
        return member.region.location if member.region is not None else None
    if found.place == "recorded":
        place = recorded(member.raw.ident_source, call)
    # The line of the call is the construct's; gcc leaves it to the line table.
    return place or (call if found.place != "none" and call is not None and call.line else None)


def forks_on(frames: Sequence[Frame], code: CodeMap) -> int:
    """How many calls that begin regions are on a stack?"""
    names = [
        abi.normal(frame.location.function or "") if code.is_runtime(frame) else ""
        for frame in frames
    ]
    return sum(
        1
        for inner, outer in zip(names, [*names[1:], ""])
        if inner in abi.FORKS and outer not in abi.FORKS_BY_ANOTHER
    )


def has_call(region: Region, directly: bool) -> bool:
    """Was a routine of the runtime's called for it, and for it alone, which is left at its end?
    directly: the routine calls the region's code itself."""
    has_one = directly or not region.raw.serialized
    return region.raw.generator in ("parallel", "teams") and has_one
