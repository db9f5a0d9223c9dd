# SPDX-License-Identifier: Apache-2.0
"""Where is a thread, and what is at an address? Frames and places as plain records."""

from __future__ import annotations

import re
from typing import Callable, Iterator, Sequence

import gdb

from ..model.naming import is_flangs
from ..model.native import Frame, Location
from ..model.where import VDSO
from . import arch_x86_64, console, outlined
from .memory import Unreadable
from .unwind_tables import Tables

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

    def __init__(
        self,
        record: Callable[[gdb.Frame, bool], Frame],
        is_guess: Callable[[int, gdb.Frame, gdb.Frame], bool],
        most: int,
    ) -> None:
        """is_guess: has GDB made up that the code at an address, of one frame, was called from
        the other?"""
        self._record = record
        self._is_guess = is_guess
        self.most = most
        self._frame: gdb.Frame | None = None
        self._ended = False
        self.whole = False  # all frames were seen, and nothing says that there should be more
        self.seen: list[Frame] = []

    def __iter__(self) -> Iterator[Frame]:
        return self

    def __next__(self) -> Frame:
        if self._ended or len(self.seen) == self.most:
            raise StopIteration
        try:
            last = self._frame
            self._frame = last.older() if last else gdb.newest_frame()
            self._ended = self._frame is None
            if self._frame is None:
                self.whole = last is not None and _is_outermost(last)
                raise StopIteration
            if last is not None and self._is_guess(self.seen[-1].pc, last, self._frame):
                self._ended = True
                raise StopIteration
            self.seen.append(self._record(self._frame, not self.seen))
        except gdb.error:
            self._ended = True
            raise StopIteration from None
        return self.seen[-1]


def _is_outermost(frame: gdb.Frame) -> bool:
    return int(frame.unwind_stop_reason()) <= int(gdb.FRAME_UNWIND_OUTERMOST)


class Code:
    """The code of one inferior: names and lines."""

    def __init__(
        self,
        inferior: gdb.Inferior,
        executable: tuple[int, int] | None,
        vdso: tuple[int, int] | None,
        read: Callable[[int, int], bytes],
        bias_of: Callable[[str], int | None],
        bases: Sequence[int],
    ) -> None:
        """bias_of: by how much an object file was moved when it was loaded. bases: where images
        begin."""
        self.read = read
        self._bias_of = bias_of
        self._inferior = inferior
        self._progspace = inferior.progspace
        self._demangled: dict[str, str] = {}
        self._executable = executable or (0, 0)
        self._tables = Tables(read, bases)
        self._guessed: dict[int, bool] = {}
        self._callers: dict[int, Frame] = {}  # by the address to return to
        self._holders: dict[tuple[str, int], str | None] = {}  # by an outlined function's line
        self._vdso = vdso or (0, 0)

    def forget(self) -> None:
        """What is where: another file may be loaded there by now."""
        self._callers.clear()
        self._holders.clear()
        self._guessed.clear()

    def frames(self, most: int = MOST_FRAMES) -> Walk:
        """Of the selected thread, while it is selected."""
        return Walk(self.record, self._is_guess, most)

    def _is_guess(self, pc: int, inner: gdb.Frame, outer: gdb.Frame) -> bool:
        """Of code without unwind information, at a place that no call returns to."""
        if pc not in self._guessed:
            told = self._progspace.find_pc_line(pc).symtab is not None
            self._guessed[pc] = not told and self._tables.covers(pc) is False
        if not self._guessed[pc] or not inner.type() == outer.type() == gdb.NORMAL_FRAME:
            return False
        try:
            return not arch_x86_64.follows_call(self.read, outer.pc())
        except Unreadable:
            return True

    def record(self, frame: gdb.Frame, innermost: bool = False) -> Frame:
        """As plain values. Threads of a team have many callers in common: what is at a place is
        asked for once. Not of inlined frames, several of which are at one place, and not of the
        innermost, in which GDB may have stepped into an inlined one, or not yet."""
        if innermost or frame.type() != gdb.NORMAL_FRAME:
            return self._record(frame)
        pc = frame.pc()
        if pc not in self._callers:
            self._callers[pc] = self._record(frame)
        return self._callers[pc]

    def _record(self, frame: gdb.Frame) -> Frame:
        pc = frame.pc()
        sal = frame.find_sal()
        symtab = sal.symtab
        function = frame.function()
        location = Location(
            function=self._name(frame),
            file=symtab.filename if symtab else None,
            fullname=symtab.fullname() if symtab else None,
            line=sal.line or None if symtab else None,
            pc=pc,
            objfile=self._objfile(pc),
        )
        entry = int(function.value().address) if function is not None else None
        return Frame(
            location,
            entry=entry,
            executable=self.in_executable(pc),
            signal=frame.type() == gdb.SIGTRAMP_FRAME,
            offset=self._offset(location) if location.function is None else None,
        )

    def _name(self, frame: gdb.Frame) -> str | None:
        """GDB leaves names mangled that a compiler has appended something to."""
        name = frame.name()
        if name is None or not name.startswith("_Z") or "." not in name:
            return None if name is None else str(name)
        if name not in self._demangled:
            base, _, rest = name.partition(".")
            try:
                text = console.output(f"demangle -- {base}").strip()
            except gdb.error:
                text = ""
            known = text and not text.startswith("Can't")
            self._demangled[name] = f"{text} [clone .{rest}]" if known else str(name)
        return self._demangled[name]

    def _offset(self, location: Location) -> int | None:
        bias = self._bias_of(location.objfile) if location.objfile else None
        return None if bias is None or location.pc is None else location.pc - bias

    def holder(self, frame: gdb.Frame) -> str | None:
        """The function in which the user wrote the construct that a frame of the selected thread
        executes, for compilers whose names do not tell."""
        function = frame.function()
        if function is None:
            return None
        key = (function.linkage_name, function.line)
        if key not in self._holders:
            self._holders[key] = outlined.enclosing(function)
        return self._holders[key]

    def is_known(self, start: int, end: int) -> bool:
        """GDB answers zeros for code of a core file that it has not found the file of, and
        disassembles them."""
        try:
            shown = bytes(self._inferior.read_memory(start, end - start))
            return shown == self.read(start, end - start)
        except (gdb.MemoryError, Unreadable):
            return False

    def in_executable(self, pc: int) -> bool:
        return self._executable[0] <= pc < self._executable[1]

    def _objfile(self, pc: int) -> str | None:
        if self.in_executable(pc):
            return self._progspace.filename
        if self._vdso[0] <= pc < self._vdso[1]:
            return VDSO  # GDB tells no file of it
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
            if is_flangs(self._function(outlined)):
                return self._first_row(architecture, outlined)
            # clang's unoptimised code with -g has a function between the runtime and the user's.
            called = arch_x86_64.only_call(architecture, outlined)
            if called is not None and "_debug__" in (self._function(called) or ""):
                outlined = called
            if not of_task and self._begins_at_once(architecture, outlined):
                return outlined
            rows = self._rows(architecture, outlined, of_task)
            if of_task:
                # clang puts the user's code inline into a function that unpacks the variables.
                own = self._function(outlined)
                return next((row for row in rows if self._function(row) != own), outlined)
            found = list(rows)
            brace = self._progspace.find_pc_line(outlined).line
            behind = (row for row in found if self._progspace.find_pc_line(row).line > brace)
            return next(behind, next(iter(found), outlined))
        except gdb.error:
            return outlined

    def _first_row(self, architecture: gdb.Architecture, start: int) -> int:
        """flang's code has no line before the user's first, and jumps there."""
        for at in arch_x86_64.only_way(architecture, start):
            sal = self._progspace.find_pc_line(at)
            if sal.line and sal.pc == at:
                return at
        return start

    def _begins_at_once(self, architecture: gdb.Architecture, outlined: int) -> bool:
        """Optimised code may need no stack frame: its first line is the user's own."""
        block = self._progspace.block_for_pc(outlined)
        function = block.function if block is not None else None
        line = self._progspace.find_pc_line(outlined).line
        if function is None or line in (0, function.line):
            return False
        return not arch_x86_64.builds_frame(architecture, outlined)

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
        start = frame.entry or self.start(frame.pc)
        if start is None or not 0 < frame.pc - start <= LONGEST_FUNCTION:
            return None
        try:
            architecture = gdb.selected_frame().architecture()
            if not arch_x86_64.serves(architecture.name()):
                return None
            return arch_x86_64.constant_argument(
                architecture, self.read, start, frame.pc, argument_of
            )
        except (gdb.error, Unreadable):
            return None

    def start(self, address: int) -> int | None:
        """Of the function there, by its symbol."""
        match = re.match(r".+?(?: \+ (\d+))? in section ", self._symbol_text(address))
        return address - int(match.group(1) or 0) if match else None

    @staticmethod
    def linkers_tables() -> list[tuple[int, int]]:
        """Where the dynamic linker keeps the addresses of what images take from each other."""
        text = console.output("info files")
        found = re.finditer(r"^\t(0x[0-9a-f]+) - (0x[0-9a-f]+) is \.got\b", text, re.MULTILINE)
        return [(int(match.group(1), 16), int(match.group(2), 16)) for match in found]

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
            return console.output_in_c(f"info symbol {address}")
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
