# SPDX-License-Identifier: Apache-2.0
"""Where is a thread, and what is at an address? Frames and places as plain records."""

from __future__ import annotations

import re
from typing import Callable, Iterator

import gdb

from ..model.native import Frame, Location
from . import arch_x86_64
from .memory import Unreadable

# A frame of the user's lies a few frames above the runtime's. Recursion can pile up tens of
# thousands.
MOST_FRAMES = 256
# Bytes of a function that are looked through for the argument of a call.
LONGEST_FUNCTION = 1 << 16
# Lines that a function unpacks its variables in, before the user's code begins.
MOST_ROWS = 16


class Walk:
    """A thread's frames, innermost first, each unwound when it is asked for. Ends where GDB cannot
    unwind any further.

    No generator: one that is given up half-way ends at a moment of Python's choice, and Ctrl-C in
    that moment would be lost."""

    def __init__(self, record: Callable[[gdb.Frame], Frame]) -> None:
        self._record = record
        self._frame: gdb.Frame | None = None
        self._ended = False
        self.seen: list[Frame] = []

    def __iter__(self) -> Iterator[Frame]:
        return self

    def __next__(self) -> Frame:
        if self._ended or len(self.seen) == MOST_FRAMES:
            raise StopIteration
        try:
            self._frame = self._frame.older() if self._frame else gdb.newest_frame()
            self._ended = self._frame is None
            if self._frame is None:
                raise StopIteration
            self.seen.append(self._record(self._frame))
        except gdb.error:
            self._ended = True
            raise StopIteration from None
        return self.seen[-1]


class Code:
    """The code of one inferior: names and lines."""

    def __init__(
        self,
        inferior: gdb.Inferior,
        executable: tuple[int, int] | None,
        read: Callable[[int, int], bytes],
    ) -> None:
        self._read = read
        self._inferior = inferior
        self._progspace = inferior.progspace
        self._executable = executable or (0, 0)

    def frames(self) -> Walk:
        """Of the selected thread, while it is selected."""
        return Walk(self._record)

    def _record(self, frame: gdb.Frame) -> Frame:
        pc = frame.pc()
        sal = frame.find_sal()
        symtab = sal.symtab
        function = frame.function()
        location = Location(
            function=frame.name(),
            file=symtab.filename if symtab else None,
            fullname=symtab.fullname() if symtab else None,
            line=sal.line or None if symtab else None,
            pc=pc,
            objfile=self._objfile(pc),
        )
        entry = int(function.value().address) if function is not None else None
        return Frame(location, entry=entry, executable=self._in_executable(pc))

    def _in_executable(self, pc: int) -> bool:
        return self._executable[0] <= pc < self._executable[1]

    def _objfile(self, pc: int) -> str | None:
        if self._in_executable(pc):
            return self._progspace.filename
        return self._progspace.solib_name(pc)

    def location(self, address: int) -> Location:
        """Of a function's address."""
        sal = self._progspace.find_pc_line(address)
        symtab = sal.symtab
        return Location(
            function=self._function(address),
            file=symtab.filename if symtab else None,
            fullname=symtab.fullname() if symtab else None,
            line=sal.line or None if symtab else None,
            pc=address,
            objfile=self._objfile(address),
        )

    def first_instruction(self, outlined: int, of_task: bool) -> int:
        """Of the user's, in a function that the compiler made of a construct: behind what builds
        the stack frame, where the user's variables can be read."""
        architecture = self._inferior.architecture()
        if not arch_x86_64.serves(architecture.name()):
            return outlined
        try:
            # clang's unoptimised code with -g has a function between the runtime and the user's.
            called = arch_x86_64.only_call(architecture, outlined)
            if called is not None and "_debug__" in (self._function(called) or ""):
                outlined = called
            rows = self._rows(architecture, outlined, of_task)
            if of_task:
                # clang puts the user's code inline into a function that unpacks the variables.
                own = self._function(outlined)
                return next((row for row in rows if self._function(row) != own), outlined)
            return next(rows, outlined)
        except gdb.error:
            return outlined

    def _rows(self, architecture: gdb.Architecture, at: int, calls: bool) -> Iterator[int]:
        """Where the following lines begin that a function certainly comes to."""
        for _ in range(MOST_ROWS):
            sal = self._progspace.find_pc_line(at)
            end = sal.last + 1 if sal.symtab and sal.last else at
            if not arch_x86_64.is_straight(architecture, at, end, calls):
                return
            at = end
            yield at

    def argument(self, frame: Frame, argument_of: Callable[[str], int | None]) -> int | None:
        """The constant that a frame's function passes in the call that it is in; None if it is not
        for certain one. argument_of: which argument, by the name of what is called."""
        start = frame.entry or self._start(frame.pc)
        if start is None or not 0 < frame.pc - start <= LONGEST_FUNCTION:
            return None
        try:
            architecture = gdb.selected_frame().architecture()
            if not arch_x86_64.serves(architecture.name()):
                return None
            return arch_x86_64.constant_argument(
                architecture, self._read, start, frame.pc, argument_of
            )
        except (gdb.error, Unreadable):
            return None

    def _start(self, address: int) -> int | None:
        """Of a function without debug information, by its symbol."""
        match = re.match(r".+ \+ (\d+) in section ", self._symbol_text(address))
        return address - int(match.group(1)) if match else None

    def object(self, address: int) -> str | None:
        """The name of the variable at an address, as NAME or NAME+OFFSET."""
        match = re.match(r"(.+?)(?: \+ (\d+))? in section ", self._symbol_text(address))
        if not match:
            return None
        # GDB takes FUNCTION.VARIABLE, a static variable of clang's, for a name of another language.
        name = re.sub(r"^(\w+)\[(\w+)\]$", r"\1.\2", match.group(1))
        return name + (f"+{match.group(2)}" if match.group(2) else "")

    @staticmethod
    def _symbol_text(address: int) -> str:
        # Modula-2 has no numbers of this size, and a command that fails while a breakpoint decides
        # whether to stop lets GDB forget that it waits for the program.
        try:
            return str(gdb.execute(f"with language c -- info symbol {address}", to_string=True))
        except gdb.error:
            return ""

    def _function(self, address: int) -> str | None:
        block = self._progspace.block_for_pc(address)
        while block is not None:
            if block.function is not None:
                return str(block.function)
            block = block.superblock
        match = re.match(r"(.+?)(?: \+ \d+)? in section ", self._symbol_text(address))
        return match.group(1) if match else None
