# SPDX-License-Identifier: Apache-2.0
"""Did the stack of the thread that crashed overflow, and what is told of that? Reads the frame that
failed, the stack's bounds, which the GNU C library and the kernel keep, and the code."""

from __future__ import annotations

import re
from functools import cached_property, partial
from typing import Sequence

from .. import runtimes
from ..arch.base import Machine, Range
from ..code.stack_use import Taken, Used, taken, used
from ..debugger import LONGEST_FUNCTION, Debugger, StoppedThread
from ..errors import Unreadable, UserError
from ..formats import areas
from ..formats.areas import FIRST_STACK, Areas
from ..formats.call_frames import CallFrames
from ..formats.unwind_tables import Tables
from ..light_classes import NamedTuple
from ..model import overflow
from ..model.native import Frame
from ..model.overflow import ATTRIBUTE, EITHER, LIMIT, Fault, Level, Made, Overflow, Setting
from ..model.process import Thread
from ..signals import SI_KERNEL, Signal
from . import environment, limits

PAGE = 4096
# Where in the C library's descriptor of a thread its stack's beginning, size and guard may stand.
_FIRST, _LAST = 0x200, 0xC00
_LARGEST_HEAD = 64 << 20  # bytes between the descriptor and its stack's end: thread-local variables
_ADDRESSES = 1 << 47
_OF_HANDLER = 32  # frames between a handler's end of the program and what it interrupted
_CALLERS = 2  # who is called by a call, and so is whoever calls
# Frames that are looked at for a recursion.
_DEEPEST = 256
_FAULTS = ("SIGSEGV", "SIGBUS")
_MAPERR = 1
_SMALL = 64 << 10  # of a frame
# What a runtime adds to the size that is asked for, or takes off.
_MORE, _LESS = 256 << 10, 64 << 10


class _Failed(NamedTuple):
    """Where an instruction failed."""

    level: int
    address: int | None
    unmapped: bool


def areas_of(debugger: Debugger) -> Areas | None:
    """The memory that the program may use. None: that cannot be told."""
    return areas.of(debugger.core, debugger.pid if debugger.kind == "live" else None)


class Overflows:
    def __init__(self, debugger: Debugger, machine: Machine, thread: Thread) -> None:
        self._debugger, self._machine, self._thread = debugger, machine, thread
        images = debugger.images
        self._bases = images.begins

    def of(self, stopped: StoppedThread, signal: Signal) -> Overflow | None:
        """None: there is none that can be told."""
        walk = stopped.frames(_DEEPEST)
        frames = list(walk)
        memory = self._areas
        if memory is None:
            return None
        try:
            failed = self._failed(stopped, signal, frames)
            if failed is None or failed.level >= len(frames):
                return None
            fault = self._fault(stopped, failed, frames)
        except (Unreadable, OverflowError):
            return None
        made = self._made()
        verdict = overflow.judge(fault, made, partial(_plain, memory))
        if verdict is None:
            return None
        elsewhere = verdict.doubt == overflow.OTHER_STACK
        if elsewhere and not self._are_called(frames[failed.level + 1 :]):
            return None
        levels = self._levels(stopped, frames, failed.level)
        top = (fault.frame or fault.stack) if verdict.needs is not None else fault.stack
        return self._told(verdict, None if elsewhere else made, levels, walk.whole, top)

    # ---- The instruction that failed -------------------------------------------------------------

    def _failed(
        self, stopped: StoppedThread, signal: Signal, frames: Sequence[Frame]
    ) -> _Failed | None:
        if signal.name in _FAULTS and signal.sender is None and signal.code is not None:
            if 0 < signal.code < SI_KERNEL:
                return _Failed(0, signal.address, signal.code == _MAPERR)
            return _Failed(0, None, False) if signal.code == SI_KERNEL else None
        # A handler of the program's has ended it.
        for level, frame in enumerate(frames[:_OF_HANDLER]):
            if frame.signal:
                at = stopped.stack_pointer(level)
                address = self._machine.page_fault(at, self._debugger.read)
                return _Failed(level + 1, address, False) if address is not None else None
        return None

    def _fault(self, stopped: StoppedThread, failed: _Failed, frames: Sequence[Frame]) -> Fault:
        outer = failed.level
        while outer < len(frames) and frames[outer].inlined:
            outer += 1
        frame = None
        if outer + 1 < len(frames):
            try:
                frame = stopped.stack_pointer(outer + 1)
            except Unreadable:
                pass
        pc = frames[failed.level].pc
        return Fault(
            stopped.stack_pointer(failed.level),
            frame,
            failed.address,
            failed.unmapped,
            self._used(stopped, failed.level, pc),
            self._is_by_stack(pc),
            self._taken(stopped, failed.level, pc),
            self._machine.CONVENTION.reach,
        )

    def _are_called(self, callers: Sequence[Frame]) -> bool:
        """Is that a stack, and not just where the stack pointer happens to point?"""
        native = [frame for frame in callers if not frame.inlined][:_CALLERS]
        try:
            follows = [self._machine.follows_call(self._debugger.code.read, f.pc) for f in native]
        except (Unreadable, OverflowError):
            return False
        return len(follows) == _CALLERS and all(follows)

    def _used(self, stopped: StoppedThread, level: int, pc: int) -> Sequence[Used]:
        decoded = self._machine.decoder(self._debugger.disassembler)(pc)
        if decoded is None:
            return ()
        registers, machine = stopped.registers(level), self._machine
        name = machine.COLUMNS.frame_pointer_name
        return list(used(decoded[0], machine.CONVENTION, name, registers))

    def _is_by_stack(self, pc: int) -> bool:
        row = self._call_frames.row(pc, False)
        return row is not None and not row.by_frame_pointer and not row.outermost

    @cached_property
    def _call_frames(self) -> CallFrames:
        return CallFrames(self._debugger.code.read, self._bases, self._machine.COLUMNS)

    def _taken(self, stopped: StoppedThread, level: int, pc: int) -> Taken | None:
        code = self._function(stopped, level, pc)
        if code is None or not code[0] <= pc < code[1] or code[1] - code[0] > LONGEST_FUNCTION:
            return None
        row = self._call_frames.row(code[0], False)
        if row is not None and row.by_frame_pointer:
            return None  # a part of a function that is seldom executed: the frame was made before
        start, end = code
        if not self._debugger.code.is_known(start, end):
            return None
        machine = self._machine
        try:
            found = machine.instructions(self._debugger.disassembler, start, end, True)
        except Unreadable:
            return None
        return taken(found, machine.CONVENTION, start, pc)

    def _function(self, stopped: StoppedThread, level: int, pc: int) -> Range | None:
        return self._tables.function(pc) or stopped.function(level)

    @cached_property
    def _tables(self) -> Tables:
        return Tables(self._debugger.code.read, self._bases)

    # ---- The stack -------------------------------------------------------------------------------

    @cached_property
    def _areas(self) -> Areas | None:
        return areas_of(self._debugger)

    def _made(self) -> Made | None:
        native = self._thread.native
        found = self._by_descriptor(native.pthread_id) if native and native.pthread_id else None
        if found is not None:
            return found
        memory = self._areas
        area = (
            next((one for one in memory.all if one.name == FIRST_STACK), None) if memory else None
        )
        if area is None:
            return None
        return Made(area.start, area.end, grows=True, limit=self._limit)

    @cached_property
    def _limit(self) -> int | None:
        return limits.of(self._debugger, limits.STACK)

    def _by_descriptor(self, descriptor: int) -> Made | None:
        """The three words stand next to each other, in every release."""
        size = self._debugger.pointer_size
        for at in range(descriptor + _FIRST, descriptor + _LAST, size):
            try:
                block, length, guard = (
                    self._debugger.number(at + i * size, size) for i in range(3)
                )
            except (Unreadable, OverflowError):
                return None
            end = block + length
            if not block or block % PAGE and length % 16 or not block < descriptor < end:
                continue
            if end <= _ADDRESSES << 1 and end - descriptor < _LARGEST_HEAD and guard < length:
                if guard % PAGE == 0:
                    return Made(block + guard, end, guard)
        return None

    # ---- What is told ----------------------------------------------------------------------------

    def _levels(self, stopped: StoppedThread, frames: Sequence[Frame], first: int) -> list[Level]:
        found = []
        try:
            inner = stopped.stack_pointer(first)
            for level in range(first, len(frames) - 1):
                if frames[level].inlined:
                    continue
                outer = stopped.stack_pointer(level + 1)
                found.append(Level(self._name(frames[level]), max(outer - inner, 0)))
                inner = outer
        except Unreadable:
            pass
        return found

    def _name(self, frame: Frame) -> str | None:
        """Of a function without one, where it begins in its file."""
        at = frame.location
        if at.function is not None or at.objfile is None or frame.offset is None:
            return at.function
        code = self._tables.function(frame.pc)
        begin = frame.offset - (frame.pc - code[0]) if code is not None else frame.offset
        return f"{at.objfile.rsplit('/', 1)[-1]}+{begin:#x}"

    def _told(
        self,
        verdict: overflow.Verdict,
        made: Made | None,
        levels: Sequence[Level],
        whole: bool,
        top: int,
    ) -> Overflow:
        """top: where the frames end that did fit."""
        name = levels[0].function if levels else None
        needs, size = verdict.needs, self._size(verdict, made)
        found = Overflow(verdict.doubt, size, name, needs, verdict.grows)
        if made is None:
            return found
        fitting = levels[1:] if needs is not None else levels
        left = 0 if whole else max(made.high - top - sum(level.size for level in fitting), 0)
        round_of = overflow.recursion(fitting, left)
        if needs is not None and needs < PAGE and needs * 16 < made.high - made.low:
            found = found._replace(needs=None)
        largest = max(fitting, key=lambda level: level.size, default=None)
        if round_of is None and largest is not None and size is not None:
            if largest.size * 4 >= size:
                found = found._replace(largest=(largest.function or "??", largest.size))
        if round_of is None and needs is not None and not verdict.grows and whole:
            found = found._replace(enough=overflow.enough(made.high - top, needs))
        return found._replace(recursion=round_of, setting=self._setting(made))

    @staticmethod
    def _size(verdict: overflow.Verdict, made: Made | None) -> int | None:
        if made is None:
            return None
        if not made.grows:
            return made.high - made.low
        if made.limit is not None:
            return made.limit
        # It has grown to its limit only if small frames have filled it.
        return made.high - made.low if (verdict.needs or 0) < _SMALL else None

    def _setting(self, made: Made) -> Setting | None:
        if made.grows:
            limit = made.limit
            return Setting(LIMIT, str(limit >> 10) if limit is not None else None)
        size, limit = made.high - made.low, self._limit
        if self._thread.kind != "worker":
            if limit is None:
                return Setting(EITHER)
            by_limit = -_LESS <= size - limit <= _MORE
            return Setting(LIMIT, str(limit >> 10)) if by_limit else Setting(ATTRIBUTE)
        try:
            known = environment.settings(self._debugger)
        except UserError:
            return None
        for name in runtimes.STACK_SIZES:
            value = _bytes(known[name]) if name in known else None
            if value is not None and -_LESS <= size - value <= _MORE:
                return Setting(name, known[name])
        asked = [name for name in runtimes.STACK_SIZES if name in known]
        return None if asked else Setting(runtimes.STACK_SIZES[0])


def _bytes(text: str) -> int | None:
    """As OpenMP has it: a number of kilobytes, if no unit is said."""
    match = re.fullmatch(r"\s*\+?(\d+)\s*([bkmgt]?)b?\s*", text, re.IGNORECASE)
    if match is None:
        return None
    return int(match.group(1)) << {"b": 0, "m": 20, "g": 30, "t": 40}.get(
        match.group(2).lower(), 10
    )


def _plain(memory: Areas, address: int) -> overflow.Area | None:
    area = memory.at(address)
    return overflow.Area(area.start, area.usable) if area is not None else None
