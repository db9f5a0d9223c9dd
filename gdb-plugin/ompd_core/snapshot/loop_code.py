# SPDX-License-Identifier: Apache-2.0
"""Which work-sharing loop is the code of a thread's frame in, and what do the compiler's variables
of it say?

A frame is in a loop if the last call of its function before the place where it is, that has to do
with loops, is one that gives the thread iterations. Before that call clang's variables hold the
bounds of the whole loop, and behind the loop what they were left with."""

from __future__ import annotations

from typing import Collection, Iterator

from .. import abi, late_patterns
from ..arch.base import Range
from ..debugger import LONGEST_FUNCTION, Debugger, StoppedThread
from ..errors import Unreadable
from ..light_classes import NamedTuple
from ..model.loops import LoopPlace
from ..model.native import Frame
from ..model.where import CodeMap
from . import function_body
from .function_body import Body
from .work_code import Call, WorkCode, called

_CALLED = late_patterns.compile(r"<(\w+)(?:@[\w.@]+)?>")
_OF_LOOPS = frozenset((*abi.LOOP_STATIC, *abi.LOOP_NEXT, *abi.LOOP_LEFT))
_OF_SECTIONS = frozenset((*abi.SECTIONS_NEXT, *abi.SECTIONS_LEFT))
_GIVES = frozenset((*abi.LOOP_NEXT, *abi.SECTIONS_NEXT))
# clang's: the iteration, and the first and the last that the thread has got.
_AT, _FIRST, _LAST = ".omp.iv", ".omp.lb", ".omp.ub"


class Bounds(NamedTuple):
    first: int | None = None
    last: int | None = None
    at: int | None = None


class LoopCode:
    """Of one picture. Each function is looked through once."""

    def __init__(self, debugger: Debugger) -> None:
        self._debugger, self._code = debugger, debugger.code
        self._bodies: dict[int, Body | None] = {}
        self._calls: dict[int, list[Call]] = {}
        self._loops = WorkCode(self._body, abi.LOOP_NEXT, abi.LOOP_LEFT)
        self._sections = WorkCode(self._body, abi.SECTIONS_NEXT, abi.SECTIONS_LEFT)

    def of(self, stopped: StoppedThread, outermost: int, code_map: CodeMap) -> LoopPlace | None:
        """In a thread's frames from the innermost to this one. None: in none, or it cannot be
        told."""
        inlined = inner = None
        for level, frame in enumerate(stopped.frames(outermost + 1)):
            returns = inner is not None and not inner.signal
            inner = inner if frame.inlined else frame
            if code_map.is_runtime(frame) or code_map.is_skipped(frame):
                continue
            bounds = _bounds(stopped, level)
            span = stopped.function(level)
            found = self._in_function(frame, span, returns, inlined or bounds, inlined is not None)
            # What was inlined shares its code with the function that follows.
            if frame.inlined:
                inlined = inlined or bounds
            elif found is not None:
                return found
            else:
                inlined = None
        return None

    def _in_function(
        self,
        frame: Frame,
        span: Range | None,
        returns: bool,
        bounds: Bounds | None,
        optimized: bool,
    ) -> LoopPlace | None:
        """returns: a call there returns to the place."""
        if span is None:
            return None
        entry = frame.entry if frame.entry and span[0] <= frame.entry < span[1] else span[0]
        calls = self._calls_of(entry, span[1])
        names = {name for _, _, name in calls}
        begun = self._sections.begun(entry, frame.pc, returns)
        # Static loops, and older clangs', do not end by a call that the ways could be asked for.
        followed = names.intersection(abi.LOOP_LEFT) and not names.intersection(abi.LOOP_STATIC)
        if followed and not any(begun):
            begun = self._loops.begun(entry, frame.pc, returns)
        if begun:
            return self._by_ways(frame.pc, calls, begun, bounds)
        return self._by_order(frame.pc, calls, bounds, optimized)

    def _by_order(
        self, pc: int, calls: list[Call], bounds: Bounds | None, optimized: bool
    ) -> LoopPlace | None:
        before = [call for call in calls if call[0] < pc and call[2] in _OF_LOOPS]
        if before and before[-1][2] not in abi.LOOP_LEFT:
            site, behind, name = before[-1]
            if name.endswith("_next") and len(before) > 1 and before[-2][2].endswith("_start"):
                site = before[-2][0]  # gcc asks for the first chunk there
            # Where the call has just returned, what it answered is not stored yet.
            known = bounds if bounds is not None and behind != pc else Bounds()
            found = self._described(site, name in abi.LOOP_NEXT, behind == pc, known)
            combined = not any(called.endswith("_start") for _, _, called in calls)
            return found._replace(combined=combined, ordered="_ordered_" in name)
        # Optimized code is not in the order of its execution. There the variables tell whether the
        # loop goes on: before and behind it, it has no iteration.
        static = [call for call in calls if call[2] in abi.LOOP_STATIC]
        if optimized and len(static) == 1 and bounds is not None:
            if bounds.at is not None and bounds.last is not None:
                return self._described(static[0][0], False, False, bounds)
        return None

    def _by_ways(
        self, pc: int, calls: list[Call], ways: Collection[Call | None], bounds: Bounds | None
    ) -> LoopPlace | None:
        begun = next((one for one in ways if one is not None), None)
        if begun is None:
            return None
        site, _, name = begun
        asking = any(behind == pc for _, behind, called in calls if called in _GIVES)
        known = bounds if bounds is not None and not asking else Bounds()
        return self._described(site, True, asking, known)._replace(
            combined=not name.endswith("_start"),
            ordered="_ordered_" in name,
            sections=name in abi.SECTIONS_NEXT,
            unsure=len(ways) > 1,
        )

    def _described(self, site: int, dynamic: bool, asking: bool, bounds: Bounds) -> LoopPlace:
        place = self._code.location(site)
        return LoopPlace(site, place, dynamic, asking, bounds.first, bounds.last, bounds.at)

    def _calls_of(self, entry: int, end: int) -> list[Call]:
        """The calls in a function that have to do with loops or sections, by their addresses."""
        if entry not in self._calls:
            body = self._body(entry)
            found = _calls_in(body) if body is not None else self._shown_calls(entry, end)
            self._calls[entry] = sorted(
                call for call in found if call[2] in _OF_LOOPS or call[2] in _OF_SECTIONS
            )
        return self._calls[entry]

    def _body(self, entry: int) -> Body | None:
        if entry not in self._bodies:
            self._bodies[entry] = self._find_body(entry)
        return self._bodies[entry]

    def _find_body(self, entry: int) -> Body | None:
        machine = self._debugger.machine
        try:
            return function_body.at(self._debugger, machine, entry) if machine is not None else None
        except Unreadable:
            return None

    def _shown_calls(self, start: int, end: int) -> Iterator[Call]:
        if end - start > LONGEST_FUNCTION or not self._code.is_known(start, end):
            return
        try:
            shown = self._debugger.disassembler.between(start, end)
        except Unreadable:
            return
        for one in shown:
            named = _CALLED.search(one.text)
            if named:
                yield one.address, one.following, str(named.group(1))


def _calls_in(body: Body) -> Iterator[Call]:
    for one in body.code.values():
        if one.flow == "call":
            yield one.address, one.following, called(one)


def _bounds(stopped: StoppedThread, level: int) -> Bounds | None:
    """By clang's variables of the loop that the frame's place is in, as far as they fit together.
    None: it has none."""
    found = stopped.numbers(level, (_AT, _FIRST, _LAST))
    if found is None:
        return None
    # A negative one is no iteration's.
    at, first, last = (
        value if value is not None and value >= 0 else None
        for value in (found.get(name) for name in (_AT, _FIRST, _LAST))
    )
    if last is not None and not (first or 0) <= last:
        first = last = None
    if at is not None and not (first or 0) <= at <= (at if last is None else last):
        at = None
    return Bounds(first, last, at)
