# SPDX-License-Identifier: Apache-2.0
"""A thread's frames, as GDB unwinds them.

Threads of a team are at the same places, and GDB takes long for each frame. What it has once
unwound is followed in other threads by the code's own unwind information: only from a place to a
caller that GDB has come to from there, too, and only where both have agreed.
"""

from __future__ import annotations

from typing import Callable, Iterator, Sequence

import gdb
from ompd_core.arch.base import Machine
from ompd_core.errors import Unreadable
from ompd_core.formats.call_frames import CallFrames, Pages, Row
from ompd_core.light_classes import NamedTuple
from ompd_core.model.native import Frame

from . import machines

# Frames of functions that have none: by the debug information of a place, and of its caller.
_MADE_UP = (gdb.INLINE_FRAME, gdb.TAILCALL_FRAME)
# More places than that: a stack is no team's.
MOST_PLACES = 1 << 16


class Position(NamedTuple):
    """Of a native frame. called: a call returns there; else the thread stands there."""

    pc: int
    called: bool
    stack: int
    frame_pointer: int
    link: int | None = None


class Place:
    """Where native frames were. Who has called from there, by the address to return to: the frames
    that GDB showed of the caller, and its place. Address and place None, and no frame: GDB ends."""

    def __init__(self, row: Row | None, code_address: Callable[[int], int]) -> None:
        """code_address: an address to return to, without its signature."""
        self.row, self._code_address = row, code_address
        self.callers: dict[int | None, tuple[list[Frame], Place | None]] = {}

    def caller(self, position: Position, stack: Pages) -> Position | None:
        """Of a frame that stands here. None: nobody has called it, or it cannot be told who."""
        row = self.row
        if row is None or row.outermost:
            return None
        cfa = (position.frame_pointer if row.by_frame_pointer else position.stack) + row.offset
        # A stack grows downwards. Only the innermost function may need none of it.
        if cfa < position.stack or (cfa == position.stack and position.called):
            return None
        pc, frame_pointer = position.link, position.frame_pointer
        try:
            if row.returns_at is not None:
                pc = self._code_address(stack.word(cfa + row.returns_at))
            if row.frame_pointer_at is not None:
                frame_pointer = stack.word(cfa + row.frame_pointer_at)
        except (Unreadable, OverflowError):
            return None
        return None if pc is None else Position(pc, True, cfa, frame_pointer)

    @property
    def is_outermost(self) -> bool:
        return self.row is not None and self.row.outermost


class KnownPlaces:
    """What GDB has told while it unwound stacks of one process, at one stop."""

    def __init__(
        self, machine: Machine, read: Callable[[int, int], bytes], bases: Sequence[int]
    ) -> None:
        """bases: where images begin."""
        self.machine, self.read = machine, read
        self._frames = CallFrames(read, bases, machine.COLUMNS)
        self._places: dict[tuple[int, bool], Place] = {}
        # What GDB shows of innermost native frames, by the first record: its name and its line tell
        # how far the thread has stepped into what is inlined.
        self.innermost: dict[Frame, list[Frame]] = {}

    def at(self, position: Position) -> Place:
        key = (position.pc, position.called)
        found = self._places.get(key)
        if found is None:
            if len(self._places) == MOST_PLACES:
                self._places.clear()
            found = self._places[key] = Place(self._frames.row(*key), self.machine.code_address)
        return found


def ends_by_places() -> bool:
    """With a limit of the user's, it is not by places alone that GDB ends a stack."""
    return not gdb.parameter("backtrace limit")


class Unwound:
    """A thread's frames, innermost first, each unwound when it is asked for, and once. Ends where
    GDB cannot unwind any further. Only while the thread is selected."""

    def __init__(
        self,
        record: Callable[[gdb.Frame, bool], Frame],
        is_guess: Callable[[int, gdb.Frame, gdb.Frame], bool],
        helps: Callable[[int], bool],
        likely: Callable[[gdb.Frame], Sequence[Frame]],
        known: KnownPlaces | None,
    ) -> None:
        """is_guess: has GDB made up that the code at an address, of one frame, was called from
        the other? helps: can GDB tell from now on who has called such code? likely: who may have
        called where it ends. known: None where no stack can be followed."""
        self._record = record
        self._is_guess = is_guess
        self._helps = helps
        self._find_likely = likely
        self._likely: Sequence[Frame] | None = None  # None: not searched yet
        self._known = known
        self._stack = Pages(known.read) if known is not None else None
        self._frames: list[gdb.Frame] = []  # GDB's own: fewer, where it has not been asked
        self.records: list[Frame] = []  # so far
        self._ended = False
        self._whole = False
        # Of the last native frame. None: of another kind, as a signal's.
        self._position: Position | None = None
        self._place: Place | None = None
        self._calls = False  # the last native frame is a function's
        self._made_up: list[Frame] = []  # on top of the native frame that is to come

    def record(self, level: int) -> Frame | None:
        """None: there is no such frame."""
        while len(self.records) <= level and not self._ended:
            if self._follow():
                continue
            try:
                self._unwind()
            except gdb.error:
                self._ended = True
        return self.records[level] if level < len(self.records) else None

    def likely(self, level: int) -> Frame | None:
        """Beyond where GDB ends, and not for certain."""
        if self.record(level) is not None or self._whole or not self.records:
            return None
        if self._likely is None:
            try:
                self._likely = self._find_likely(self._gdb_frame(len(self.records) - 1))
            except gdb.error:
                self._likely = []
        at = level - len(self.records)
        return self._likely[at] if at < len(self._likely) else None

    def frame(self, level: int) -> gdb.Frame:
        """Raises gdb.error."""
        if self.record(level) is None:
            raise gdb.error("There is no such frame.")
        return self._gdb_frame(level)

    def is_whole(self, count: int) -> bool:
        """Are these all frames, and does nothing say that there should be more?"""
        return self._whole and count == len(self.records)

    def _gdb_frame(self, level: int) -> gdb.Frame:
        while len(self._frames) <= level:
            frame = self._frames[-1].older() if self._frames else gdb.newest_frame()
            if frame is None or frame.pc() != self.records[len(self._frames)].pc:
                raise gdb.error("GDB unwinds the stack in another way now.")
            self._frames.append(frame)
        return self._frames[level]

    # ---- Without GDB -----------------------------------------------------------------------------

    def _follow(self) -> bool:
        """To the native frame that called the last one, with what GDB makes up on top of it, if GDB
        has come to it from there in another thread."""
        place, position, stack = self._place, self._position, self._stack
        if place is None or position is None or stack is None or self._made_up:
            return False
        if not place.callers:
            return False
        caller = place.caller(position, stack)
        if caller is None and not place.is_outermost:
            return False
        known = place.callers.get(caller.pc if caller is not None else None)
        if known is None:
            return False
        frames, self._place = known
        self.records += frames
        self._position = caller
        if self._place is None:
            self._ended = self._whole = True
        return True

    # ---- With GDB --------------------------------------------------------------------------------

    def _unwind(self) -> None:
        """One frame more."""
        count = len(self.records)
        last = self._gdb_frame(count - 1) if count else None
        if last is not None and self._helps(self.records[-1].pc):
            self._frames.clear()
            last = self._gdb_frame(count - 1)
        frame = last.older() if last else gdb.newest_frame()
        if frame is None:
            self._ended = True
            self._whole = last is not None and _is_outermost(last)
            if self._whole:
                self._learn_end()
        elif last is not None and self._is_guess(self.records[-1].pc, last, frame):
            self._ended = True
        else:
            record = self._record(frame, last is None)
            self._frames.append(frame)
            if self._known is None:
                self.records.append(record)
            elif last is None and record in self._known.innermost:
                self.records += self._known.innermost[record]
                self._stand(self._known, self._here(self._known, frame, False))
            else:
                self._learn(self._known, record, frame)
                self.records.append(record)

    def _learn_end(self) -> None:
        place, position, stack = self._place, self._position, self._stack
        if place is None or position is None or stack is None:
            return
        caller = place.caller(position, stack)
        if caller is not None or place.is_outermost:
            place.callers[caller.pc if caller is not None else None] = [], None

    def _learn(self, known: KnownPlaces, record: Frame, frame: gdb.Frame) -> None:
        """From where GDB has come to its next frame."""
        kind = frame.type()
        if kind in _MADE_UP:
            self._made_up.append(record)
            return
        shown, self._made_up = [*self._made_up, record], []
        position, place, called = self._position, self._place, self._calls
        here = self._here(known, frame, called) if kind == gdb.NORMAL_FRAME else None
        self._stand(known, here)
        if here is None:
            return
        if len(shown) == len(self.records) + 1:
            known.innermost[shown[0]] = shown
        if position is None or place is None or self._stack is None:
            return
        if called and place.caller(position, self._stack) == here:
            place.callers[here.pc] = shown, self._place

    def _stand(self, known: KnownPlaces, here: Position | None) -> None:
        self._position, self._calls = here, here is not None
        self._place = known.at(here) if here is not None else None

    @staticmethod
    def _here(known: KnownPlaces, frame: gdb.Frame, called: bool) -> Position | None:
        """None: GDB does not know."""
        machine, register = known.machine, machines.known_registers(frame)
        stack = register(machines.STACK_POINTER)
        pointer = register(machine.COLUMNS.frame_pointer_name)
        if stack is None or pointer is None:
            return None
        name = machine.CONVENTION.link
        link = register(name) if name is not None and not called else None
        link = machine.code_address(link) if link is not None else None
        return Position(frame.pc(), called, stack, pointer, link)


def _is_outermost(frame: gdb.Frame) -> bool:
    return int(frame.unwind_stop_reason()) <= int(gdb.FRAME_UNWIND_OUTERMOST)


class Walk:
    """Over these frames, from the innermost on.

    No generator: one that is given up half-way ends at a moment of Python's choice, and Ctrl-C in
    that moment would be lost."""

    def __init__(self, unwound: Unwound, most: int, likely: bool = False) -> None:
        self._unwound = unwound
        self.most = most
        self._likely = likely
        self.seen: list[Frame] = []

    @property
    def whole(self) -> bool:
        """All frames were seen, and nothing says that there should be more."""
        return self._unwound.is_whole(len(self.seen))

    def __iter__(self) -> Iterator[Frame]:
        return self

    def __next__(self) -> Frame:
        level = len(self.seen)
        if level >= self.most:
            raise StopIteration
        records = self._unwound.records
        found = records[level] if level < len(records) else self._unwound.record(level)
        if found is None and self._likely:
            found = self._unwound.likely(level)
        if found is None:
            raise StopIteration
        self.seen.append(found)
        return found
