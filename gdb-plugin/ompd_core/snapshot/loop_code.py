# SPDX-License-Identifier: Apache-2.0
"""Which work-sharing loop is the code of a thread's frame in, and what do the compiler's variables
of it say?

A frame is in a loop if the last call of its function before the place where it is, that has to do
with loops, is one that gives the thread iterations. Before that call clang's variables hold the
bounds of the whole loop, and behind the loop what they were left with."""

from __future__ import annotations

from typing import Iterator

from .. import abi, late_patterns
from ..arch.base import Range
from ..debugger import LONGEST_FUNCTION, Debugger, StoppedThread
from ..errors import Unreadable
from ..light_classes import NamedTuple
from ..model.loops import LoopPlace
from ..model.native import Frame
from ..model.where import CodeMap
from .sections_code import SectionsCode

_CALLED = late_patterns.compile(r"<(\w+)(?:@[\w.@]+)?>")
_OF_LOOPS = frozenset((*abi.LOOP_STATIC, *abi.LOOP_NEXT, *abi.LOOP_LEFT))
_OF_SECTIONS = frozenset((*abi.SECTIONS_NEXT, *abi.SECTIONS_LEFT))
# clang's: the iteration, and the first and the last that the thread has got.
_AT, _FIRST, _LAST = ".omp.iv", ".omp.lb", ".omp.ub"


class Bounds(NamedTuple):
    first: int | None = None
    last: int | None = None
    at: int | None = None


Call = tuple[int, int, str]  # its address, the one behind it, the name of what is called


class LoopCode:
    """Of one picture. Each function is looked through once."""

    def __init__(self, debugger: Debugger) -> None:
        self._debugger, self._code = debugger, debugger.code
        machine = debugger.machine
        self._sections = SectionsCode(debugger, machine) if machine is not None else None
        self._calls: dict[int, list[Call]] = {}

    def of(self, stopped: StoppedThread, outermost: int, code_map: CodeMap) -> LoopPlace | None:
        """In a thread's frames from the innermost to this one. None: in none, or it cannot be
        told."""
        inlined = None
        for level, frame in enumerate(stopped.frames(outermost + 1)):
            if code_map.is_runtime(frame) or code_map.is_skipped(frame):
                continue
            bounds = _bounds(stopped, level)
            span = stopped.function(level)
            found = self._in_sections(frame, span)
            if found is None:
                calls = [call for call in self._calls_of(span) if call[2] in _OF_LOOPS]
                found = self._place(frame, calls, inlined or bounds, optimized=inlined is not None)
            # What was inlined shares its code with the function that follows.
            if frame.inlined:
                inlined = inlined or bounds
            elif found is not None:
                return found
            else:
                inlined = None
        return None

    def _place(
        self, frame: Frame, calls: list[Call], bounds: Bounds | None, optimized: bool
    ) -> LoopPlace | None:
        pc = frame.pc
        before = [call for call in calls if call[0] < pc]
        if before and before[-1][2] not in abi.LOOP_LEFT:
            site, behind, name = before[-1]
            if name.endswith("_next") and len(before) > 1 and before[-2][2].endswith("_start"):
                site = before[-2][0]  # gcc asks for the first chunk there
            # Where the call has just returned, what it answered is not stored yet.
            known = bounds if bounds is not None and behind != pc else Bounds()
            found = self._described(site, name in abi.LOOP_NEXT, behind == pc, known)
            combined = not any(call[2].endswith("_start") for call in calls)
            return found._replace(combined=combined, ordered="_ordered_" in name)
        # Optimized code is not in the order of its execution. There the variables tell whether the
        # loop goes on: before and behind it, it has no iteration.
        static = [call for call in calls if call[2] in abi.LOOP_STATIC]
        if optimized and len(static) == 1 and bounds is not None:
            if bounds.at is not None and bounds.last is not None:
                return self._described(static[0][0], False, False, bounds)
        return None

    def _in_sections(self, frame: Frame, span: Range | None) -> LoopPlace | None:
        if self._sections is None or span is None:
            return None
        # What is seldom executed of it may lie before other functions: debuggers begin with that.
        entry = frame.entry if frame.entry and span[0] <= frame.entry < span[1] else span[0]
        site = self._sections.of(frame.pc, (entry, span[1]))
        if site is None:
            return None
        calls = [call for call in self._calls_of(span) if call[2] in abi.SECTIONS_NEXT]
        asking = any(behind == frame.pc for _, behind, _ in calls)
        combined = any(call[0] == site and call[2] not in abi.CONSTRUCT_ENDS for call in calls)
        found = self._described(site, True, asking, Bounds())
        return found._replace(combined=combined, sections=True)

    def _described(self, site: int, dynamic: bool, asking: bool, bounds: Bounds) -> LoopPlace:
        place = self._code.location(site)
        return LoopPlace(site, place, dynamic, asking, bounds.first, bounds.last, bounds.at)

    def _calls_of(self, span: Range | None) -> list[Call]:
        """The calls in a function that have to do with loops or sections."""
        if span is None:
            return []
        if span[0] not in self._calls:
            self._calls[span[0]] = list(self._look_through(*span))
        return self._calls[span[0]]

    def _look_through(self, start: int, end: int) -> Iterator[Call]:
        if end - start > LONGEST_FUNCTION or not self._code.is_known(start, end):
            return
        try:
            shown = self._debugger.disassembler.between(start, end)
        except Unreadable:
            return
        for one in shown:
            named = _CALLED.search(one.text)
            name = named.group(1) if named else None
            if name in _OF_LOOPS or name in _OF_SECTIONS:
                yield one.address, one.following, str(name)


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
