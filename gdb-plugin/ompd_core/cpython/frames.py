# SPDX-License-Identifier: Apache-2.0
"""Which frames of Python's has a thread, and which of the interpreter's own executes each?"""

from __future__ import annotations

from typing import Iterator

from ..errors import Unreadable
from ..light_classes import NamedTuple
from .layouts import Layout
from .memory import MOST_FRAMES, Memory, Record
from .objects import Objects

# Since 3.12: who has a frame that is none of Python's, but the interpreter's own.
_OWN = 3
# Since 3.12 a class's __init__ is called by a frame of the interpreter's in Python's dress.
_IN_DRESS = "__init__"
_TAG = 7  # bits of a reference, since 3.14


class PythonFrame(NamedTuple):
    function: str
    file: str
    line: int | None  # None: the code there has none


class Run(NamedTuple):
    """The frames, innermost first, that one call of the interpreter's executes. mark: an address
    within the native frame of that call; None: the release leaves none."""

    frames: tuple[PythonFrame, ...]
    mark: int | None


class Runs(NamedTuple):
    """Of one thread, innermost first. damaged: those further out cannot be read."""

    all: tuple[Run, ...]
    damaged: bool = False


class Frames:
    def __init__(self, memory: Memory, layout: Layout) -> None:
        self._memory, self._layout = memory, layout
        self._objects = Objects(memory, layout)

    def of(self, state: int) -> Runs:
        """Of a thread's state."""
        found: list[Run] = []
        try:
            for run in self._runs(state):
                found.append(run)
        except Unreadable:
            return Runs(tuple(found), True)
        return Runs(tuple(found))

    def _runs(self, state: int) -> Iterator[Run]:
        minor = self._layout.minor
        if minor <= 10:
            return self._by_objects(state)
        return self._by_entries(state) if minor == 11 else self._by_shims(state)

    # ---- Up to 3.10: each call executes one frame ------------------------------------------------

    def _by_objects(self, state: int) -> Iterator[Run]:
        assert self._layout.frame is not None
        first = self._memory.word(state + self._layout.frame)
        chain = list(self._memory.chain(first, self._layout.caller, MOST_FRAMES))
        marks = self._cframes(state)
        # A call announces its CFrame before its frame, and takes it back before: the outermost ones
        # belong together.
        late = len(chain) - len(marks)
        if marks and abs(late) > 1:
            raise Unreadable("as many CFrames as frames, but for one: there are others")
        for level, address in enumerate(chain):
            mark = marks[level - late] if marks and level >= late else None
            yield Run(self._known(address), mark)

    def _cframes(self, state: int) -> list[int]:
        """Innermost first. The outermost one is in the thread's state, and no call's."""
        if self._layout.cframe is None or self._layout.root_cframe is None:
            return []
        root = state + self._layout.root_cframe
        first = self._memory.word(state + self._layout.cframe)
        found: list[int] = []
        for address in self._memory.chain(first, self._layout.cframe_previous, MOST_FRAMES):
            if address == root:
                return found
            found.append(address)
        raise Unreadable("a list of CFrames that leads nowhere")

    # ---- 3.11: the frame that a call begins with says so -----------------------------------------

    def _by_entries(self, state: int) -> Iterator[Run]:
        first, begins = self._innermost(state)
        marks = self._cframes(state)[begins:]
        run: list[PythonFrame] = []
        assert self._layout.is_entry is not None
        for address in self._memory.chain(first, self._layout.caller, MOST_FRAMES):
            run += self._known(address)
            if self._memory.bytes(address + self._layout.is_entry, 1) != b"\0":
                if not marks:
                    raise Unreadable("more calls of the interpreter's than CFrames")
                yield Run(tuple(run), marks.pop(0))
                run = []
        if run:
            raise Unreadable("frames that no call has begun")

    # ---- Since 3.12: each call has a frame of its own below --------------------------------------

    def _by_shims(self, state: int) -> Iterator[Run]:
        if self._layout.frame is not None and self._layout.cframe is None:
            first = self._memory.word(state + self._layout.frame)
        else:
            first, _ = self._innermost(state)
        run: list[PythonFrame] = []
        for address in self._memory.chain(first, self._layout.caller, MOST_FRAMES):
            if self._is_own(address):
                yield Run(tuple(run), address)
                run = []
            else:
                run += self._known(address)
        if run:
            raise Unreadable("frames that no call has begun")

    def _innermost(self, state: int) -> tuple[int, int]:
        """The frame that a thread of 3.11 or 3.12 executes, and how many CFrames are further in.

        A call announces its CFrame before it has put a frame there: what is there then is left from
        an earlier one. It is believed only if it leads to the frame of the next CFrame."""
        layout, memory = self._layout, self._memory
        assert layout.cframe is not None and layout.root_cframe is not None
        entry = memory.word(state + layout.cframe)
        if entry == state + layout.root_cframe:
            return memory.word(entry + layout.cframe_frame), 0
        caller = memory.word(memory.word(entry + layout.cframe_previous) + layout.cframe_frame)
        try:
            first = memory.word(entry + layout.cframe_frame)
            if self._begins_at(first) == caller:
                return first, 0
        except Unreadable:
            pass
        return caller, 1

    def _begins_at(self, first: int) -> int | None:
        """What has called the call that executes a frame: the frame below all of its own."""
        is_entry, memory = self._layout.is_entry, self._memory
        for address in memory.chain(first, self._layout.caller, MOST_FRAMES):
            is_last = is_entry is None and self._is_own(address)
            if not is_last:
                self._known(address)
                is_last = is_entry is not None and memory.bytes(address + is_entry, 1) != b"\0"
            if is_last:
                return memory.word(address + self._layout.caller)
        return None

    # ---- One frame -------------------------------------------------------------------------------

    def _is_own(self, address: int) -> bool:
        assert self._layout.owner is not None
        return self._memory.bytes(address + self._layout.owner, 1)[0] >= _OWN

    def _known(self, address: int) -> tuple[PythonFrame, ...]:
        """Empty: one that the interpreter has made for itself."""
        layout = self._layout
        end = max(layout.code, layout.instruction) + 8
        record = Record(self._memory, address, end)
        code = record.word(layout.code)
        if layout.minor >= 14:
            code &= ~_TAG
        counted = layout.bytecode is None
        instruction = (record.int32 if counted else record.word)(layout.instruction)
        at = self._objects.position(code, instruction)
        known = self._objects.code(code)
        if known.file == known.name == _IN_DRESS:
            return ()
        return (PythonFrame(known.name, known.file, self._objects.line(code, at)),)
