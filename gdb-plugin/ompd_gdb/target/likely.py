# SPDX-License-Identifier: Apache-2.0
"""Who may have called code of which nothing tells where it returns to? Its stack is searched for
addresses to return to. One counts from which unwind information leads to where the thread began,
frame by frame. Those of calls that are over may lead there as well, by way of who has called since:
there the call in the code is not of what it leads from. Where a pointer tells what is called, only
what is further out is in both."""

from __future__ import annotations

from typing import Callable, Sequence

from ompd_core.errors import Unreadable
from ompd_core.formats.call_frames import Pages
from ompd_core.formats.unwind_tables import PAGE, Tables

from .unwound import KnownPlaces, Position

MOST_PAGES = 8  # of a stack
MOST_TRIED = 64
MOST_FRAMES = 512
# The longest kernels have 50,000 bytes.
LONGEST_FUNCTION = 1 << 17
_UNKNOWN = 0


class Callers:
    """Of one process, at one stop."""

    def __init__(
        self,
        known: KnownPlaces,
        tables: Tables,
        in_file: Callable[[int], bool],
        is_runtime: Callable[[int], bool],
        leads_to: Callable[[int, int], bool | None],
    ) -> None:
        """in_file, is_runtime: is code of a file there, of a runtime's? leads_to: is it a stub of
        the dynamic linker's for the function that another address is in? None: it is none."""
        self._known, self._tables = known, tables
        self._in_file, self._is_runtime, self._leads_to = in_file, is_runtime, leads_to
        self._machine, self._read = known.machine, known.read
        self._stack = Pages(known.read)

    def of(self, pc: int, stack: int, frame_pointer: int) -> Sequence[Position]:
        """Innermost first; none if nothing is found. stack: its pointer where the code stands."""
        words = self._words(stack)
        tried = 0
        for index, word in enumerate(words):
            here = Position(word, True, stack + 8 * (index + 1), _UNKNOWN)
            if not self._can_return_to(word):
                continue
            tried += 1
            if tried > MOST_TRIED:
                break
            found = self._chain(here) or self._by_any_pointer(
                pc, here, [frame_pointer, *words[:index]]
            )
            found = self._without_old(pc, found) if found else []
            if found:
                return found
        return []

    def _words(self, stack: int) -> list[int]:
        """To the end of its pages, or of so many."""
        data, at = b"", stack
        while at < stack + MOST_PAGES * PAGE:
            end = (at // PAGE + 1) * PAGE
            try:
                data += self._read(at, end - at)
            except Unreadable:
                break
            at = end
        whole = len(data) // 8 * 8
        return [int.from_bytes(data[i : i + 8], "little") for i in range(0, whole, 8)]

    def _can_return_to(self, word: int) -> bool:
        if not self._in_file(word) or not self._tables.covers(word):
            return False
        try:
            return self._machine.follows_call(self._read, word)
        except (Unreadable, OverflowError):
            return False

    def _by_any_pointer(self, pc: int, here: Position, words: Sequence[int]) -> Sequence[Position]:
        """words: of which one is the frame pointer, if only one leads to where the thread began."""
        needing = self._needing_pointer(here)
        # From any old address the pointer of who has called since would lead there.
        if needing is None or (needing == here and not self._calls_code_at(pc, here)):
            return []
        pointers = {word for word in words if here.stack <= word < here.stack + MOST_PAGES * PAGE}
        chains = [self._chain(here._replace(frame_pointer=one)) for one in sorted(pointers)]
        led = [chain for chain in chains if chain]
        return led[0] if len(led) == 1 else []

    def _needing_pointer(self, here: Position) -> Position | None:
        """Before any function has told where it keeps its caller's."""
        at: Position | None = here
        while at is not None and at.frame_pointer == _UNKNOWN:
            place = self._known.at(at)
            if place.row is not None and place.row.by_frame_pointer:
                return at
            at = place.caller(at, self._stack)
        return None

    def _chain(self, here: Position) -> list[Position]:
        """To where the thread began; none if unwind information does not lead there."""
        found = [here]
        while len(found) < MOST_FRAMES:
            place = self._known.at(found[-1])
            if place.is_outermost:
                return found
            caller = place.caller(found[-1], self._stack)
            if caller is None or not self._can_return_to(caller.pc):
                return []
            found.append(caller)
        return []

    def _without_old(self, pc: int, found: Sequence[Position]) -> Sequence[Position]:
        """Of these, those that are not of calls that are over; none if it cannot be told."""
        links = self._links(pc, found)
        first = max((at for at, link in enumerate(links) if link is False), default=0)
        if self._calls_code_at(pc, found[first]):
            return found[first:]
        # What began the thread is called by a pointer, too, and is on each stack.
        begins = max((at for at, one in enumerate(found) if self._is_runtime(one.pc)), default=0)
        last = max((at for at, link in enumerate(links[:begins]) if link is None), default=-1)
        return found[last:] if last >= first else []

    def _links(self, pc: int, found: Sequence[Position]) -> list[bool | None]:
        """Does each call the one before it, and the first one the code that stands there? None: a
        pointer tells."""
        links = [self._calls_code_at(pc, found[0])]
        for inner, outer in zip(found, found[1:]):
            start, _ = self._tables.function(inner.pc - 1) or (0, 0)
            link = self._calls(outer.pc, inner.pc - 1, start.__eq__)
            if link is None and self._is_runtime(outer.pc):
                link = True  # the code of constructs, and its own parts
            elif link is False and self._is_runtime(inner.pc):
                # What the program called may have made way for the runtime's.
                link = not self._calls_code_at(pc, outer)
            links.append(link)
        return links

    def _calls_code_at(self, pc: int, caller: Position) -> bool | None:
        return self._calls(
            caller.pc,
            pc,
            lambda called: called <= pc < called + LONGEST_FUNCTION
            and not self._tables.covers(called),
        )

    def _calls(self, returns_to: int, inside: int, is_it: Callable[[int], bool]) -> bool | None:
        """The function that an address is in? None: a pointer tells."""
        try:
            called = self._machine.called(self._read, returns_to)
        except (Unreadable, OverflowError):
            return None
        if called is None:
            return None
        by_stub = self._leads_to(called, inside)
        return is_it(called) if by_stub is None else by_stub
