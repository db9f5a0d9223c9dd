# SPDX-License-Identifier: Apache-2.0
"""Where is a thread, and what is at an address? Frames and places as plain records."""

from __future__ import annotations

import re
from typing import Callable, Iterator, Sequence

import gdb
from ompd_core import late_patterns
from ompd_core.arch.base import Machine
from ompd_core.debugger import MOST_FRAMES, Section
from ompd_core.errors import Unreadable
from ompd_core.formats.images import Images, LoadedImage
from ompd_core.formats.unwind_tables import Tables
from ompd_core.light_classes import replace
from ompd_core.model.naming import is_flangs, is_nameless, without_parameters
from ompd_core.model.native import Frame, Location
from ompd_core.model.where import VDSO

from .. import texts
from . import bare_images, blocks, console, machines, outlined, spelling, unwind_info, unwinder
from .likely import Callers
from .machines import Disassembly
from .unwound import KnownPlaces, Unwound, Walk, ends_by_places

_SECTION = late_patterns.compile(r"^\t(0x[0-9a-f]+) - (0x[0-9a-f]+) is (\.\S+)", re.MULTILINE)
# Lines that a function unpacks its variables in, before the user's code begins.
MOST_ROWS = 16


class Code:
    """The code of one inferior: names and lines."""

    def __init__(
        self,
        inferior: gdb.Inferior,
        images: Images,
        read: Callable[[int, int], bytes],
        replaced: Callable[[], Sequence[LoadedImage]],
    ) -> None:
        """replaced: whose code is another one than GDB takes it for."""
        self.read = read
        self._images = images
        self._replaced = replaced
        self._inferior = inferior
        self._progspace = inferior.progspace
        self._demangled: dict[str, str] = {}
        self._bases = images.begins
        self._tables = Tables(read, self._bases)
        self._lacking: dict[int, bool] = {}  # unwind information
        self._callers: Callers | None = None
        self._likely: dict[int, Sequence[Frame]] = {}
        self._known: dict[object, Frame] = {}  # by the place: see `record'
        self._places: KnownPlaces | None = None
        self._symbol_texts: dict[int, str] = {}
        self._bare_image: bool | None = None
        self._holders: dict[tuple[str, int], str | None] = {}  # by an outlined function's line

    def forget(self) -> None:
        """What is where: another file may be loaded there by now."""
        self._known.clear()
        self._holders.clear()
        self._lacking.clear()
        self._callers = None
        self._likely.clear()
        self._symbol_texts.clear()
        self._bare_image = None
        self._places = None

    def unwound(self) -> Unwound:
        """Of the selected thread, while it is selected."""
        known = self._known_places()
        return Unwound(self.record, self._is_guess, self._helps, self._likely_callers, known)

    def _known_places(self) -> KnownPlaces | None:
        """None: no stack can be followed."""
        if self._places is None and ends_by_places():
            machine = machines.of_inferior(self._inferior)
            if machine is not None:
                self._places = KnownPlaces(machine, self.read, self._bases)
        return self._places

    def frames(self, most: int = MOST_FRAMES) -> Walk:
        return Walk(self.unwound(), most)

    def _is_guess(self, pc: int, inner: gdb.Frame, outer: gdb.Frame) -> bool:
        """Of code without unwind information, which could not be followed to where it returns."""
        if not self._lacks_unwind_info(pc) or not inner.type() == outer.type() == gdb.NORMAL_FRAME:
            return False
        machine = machines.of_inferior(self._inferior)
        if machine is None:
            return False
        if machine.CONVENTION.link is None:
            return not unwinder.has_followed(pc, machines.stack_pointer(inner))
        try:
            return not machine.follows_call(self.read, outer.pc())
        except Unreadable:
            return True

    def _helps(self, pc: int) -> bool:
        return self._lacks_unwind_info(pc) and unwinder.help_from_now_on()

    def _lacks_unwind_info(self, pc: int) -> bool:
        if pc not in self._lacking:
            missing = unwind_info.is_missing(self._progspace, self._tables, pc, self._is_in_image)
            self._lacking[pc] = missing
        return self._lacking[pc]

    def _is_in_image(self, pc: int) -> bool:
        return self._images.is_unread or self._image_at(pc) is not None

    def _likely_callers(self, last: gdb.Frame) -> Sequence[Frame]:
        """last: GDB cannot unwind it."""
        known, pc = self._known_places(), last.pc()
        if (
            known is None
            or not self._lacks_unwind_info(pc)
            or known.machine.CONVENTION.link is not None
        ):
            return []
        if self._callers is None:
            self._callers = Callers(
                *(known, self._tables, lambda address: self._image_at(address) is not None),
                lambda address: unwinder.is_runtime(self._objfile(address) or ""),
                self._leads_to,
            )
        pointer = machines.known_registers(last)(known.machine.COLUMNS.frame_pointer_name)
        found = self._callers.of(pc, machines.stack_pointer(last), pointer or 0)
        return [frame for one in found for frame in self._likely_records(one.pc)]

    def _leads_to(self, stub: int, address: int) -> bool | None:
        """Is it the dynamic linker's, for the function there? None: it is no stub."""
        name = self.object(stub) or ""
        if not name.endswith("@plt"):
            return None
        return name == (self.object(address) or "").partition("+")[0] + "@plt"

    def _likely_records(self, pc: int) -> Sequence[Frame]:
        """Of an address that a call returns to."""
        if pc not in self._likely:
            found = self.location(pc - 1)._replace(pc=pc)
            offset = self._offset(found) if found.function is None else None
            executable = self.in_executable(pc)
            made = [Frame(found, executable=executable, offset=offset, likely=True)]
            for function in self._inlined_in(pc - 1):
                # GDB needs a frame to tell in which line it was called.
                place = Location(self.readable(texts.name(function) or ""), pc=pc)
                place = place._replace(objfile=found.objfile)
                made[-1] = replace(made[-1], inlined=True)
                made.append(Frame(place, executable=executable, likely=True))
            self._likely[pc] = made
        return self._likely[pc]

    def _inlined_in(self, address: int) -> Iterator[gdb.Symbol]:
        """The functions around the innermost one, in whose code it is."""
        inner, block = None, self._progspace.block_for_pc(address)
        while block is not None and not blocks.is_files(block):
            if block.function is not None and block.start <= address < block.end:
                if inner is not None:
                    yield block.function
                inner = block.function
            block = block.superblock

    def record(self, frame: gdb.Frame, innermost: bool = False) -> Frame:
        """As plain values. Threads of a team have many callers in common: what is at a place is
        asked for once. Of inlined frames several are at one place, and in the innermost frame GDB
        may have stepped into an inlined one, or not yet: there the name and the line tell, too."""
        key: object = frame.pc()
        kind = frame.type()
        if innermost or kind != gdb.NORMAL_FRAME:
            key = (key, kind, texts.function(frame), frame.find_sal().line)
        if key not in self._known:
            self._known[key] = self._record(frame)
        return self._known[key]

    def _record(self, frame: gdb.Frame) -> Frame:
        pc = frame.pc()
        sal = frame.find_sal()
        symtab = sal.symtab
        function, name = frame.function(), texts.function(frame)
        if self._is_replaced(pc):
            symtab = function = name = None
        location = Location(
            function=None if name is None else self.readable(name),
            file=texts.filename(symtab),
            fullname=texts.fullname(symtab),
            line=sal.line or None if symtab else None,
            pc=pc,
            objfile=self._objfile(pc),
        )
        entry = int(function.value().address) if function is not None else None
        return Frame(
            location,
            entry=entry,
            executable=self.in_executable(pc),
            inlined=frame.type() == gdb.INLINE_FRAME,
            signal=frame.type() == gdb.SIGTRAMP_FRAME,
            offset=self._offset(location) if location.function is None else None,
            holder=self._holder(function) if is_nameless(location.function) else None,
        )

    def readable(self, name: str) -> str:
        """GDB leaves names of C++ mangled that a compiler has appended something to, or that the
        program itself holds as text."""
        if not name.startswith("_Z"):
            return name
        if name not in self._demangled:
            base, _, rest = name.partition(".")
            try:
                # Of the language that is said, not of the selected frame's.
                text = console.output(f"demangle -l c++ -- {base}").strip()
            except gdb.error:
                text = ""
            clone = f" [clone .{rest}]" if rest else ""
            known = text and not text.startswith("Can't")
            self._demangled[name] = text + clone if known else name
        return self._demangled[name]

    def _offset(self, location: Location) -> int | None:
        if location.objfile is None or location.pc is None:
            return None
        image = self._image_at(location.pc)
        return None if image is None else location.pc - image.bias

    def _is_replaced(self, address: int) -> bool:
        return any(_holds(image, address) for image in self._replaced())

    def _image_at(self, pc: int) -> LoadedImage | None:
        """Of code that is in some file's."""
        for one in (self._images.program, self._images.vdso, *self._images.loaded):
            if one is not None and _holds(one, pc):
                return one
        # Of some the end cannot be read: none lies between the beginning of one and its code.
        below = [one for one in self._images.loaded if not one.end and one.bias <= pc]
        return max(below, key=lambda one: one.bias) if below else None

    def _holder(self, function: gdb.Symbol | None) -> str | None:
        """The function in which the user wrote the construct whose code a function is, for
        compilers whose names do not tell."""
        if function is None:
            return None
        key = (texts.linkage_name(function), function.line)
        if key not in self._holders:
            name = outlined.enclosing(function)
            self._holders[key] = None if name is None else without_parameters(name)
        return self._holders[key]

    def holder_at(self, address: int) -> str | None:
        """The same of the code at an address."""
        function = self._symbol(address)
        return self._holder(function) if is_nameless(texts.name(function)) else None

    def is_known(self, start: int, end: int) -> bool:
        """GDB answers zeros for code of a core file that it has not found the file of, and
        disassembles them."""
        try:
            shown = bytes(self._inferior.read_memory(start, end - start))
            return shown == self.read(start, end - start)
        except (gdb.MemoryError, Unreadable):
            return False

    def in_executable(self, pc: int) -> bool:
        return _holds(self._images.program, pc)

    def _objfile(self, pc: int) -> str | None:
        if self.in_executable(pc):
            return texts.filename(self._progspace)
        if _holds(self._images.vdso, pc):
            return VDSO  # GDB tells no file of it
        return texts.library(self._progspace, pc) or self._without_file(pc)

    def _without_file(self, pc: int) -> str | None:
        """A library that GDB has found no file of, as one that was deleted."""
        return next((image.path for image in self._images.loaded if _holds(image, pc)), None)

    def location(self, address: int) -> Location:
        """Of a function's address."""
        sal = self._progspace.find_pc_line(address)
        function, symtab, line = self._function(address), sal.symtab, sal.line
        if self._is_replaced(address):
            symtab = None
        if symtab and "._omp_fn." in (function or ""):
            symtab, line = self._first_of_outlined(address) or (symtab, line)
        return Location(
            function=function,
            file=texts.filename(symtab),
            fullname=texts.fullname(symtab),
            line=line or None if symtab else None,
            pc=address,
            objfile=self._objfile(address),
        )

    def _first_of_outlined(self, address: int) -> tuple[gdb.Symtab, int] | None:
        """The line table has a row for each thing that begins where gcc's code of a construct does,
        the functions too that are inlined there: the construct's is the first of its own file.
        None: it is no such code's first instruction."""
        block = self._progspace.block_for_pc(address)
        while block is not None and "._omp_fn." not in (texts.name(block.function) or ""):
            block = block.superblock
        if block is None or self.start(address) != address:
            return None
        symtab = block.function.symtab
        table = symtab.linetable()
        try:
            table.has_line(1)  # GDB dies of walking through a table that is not there
        except RuntimeError:
            return symtab, 0
        return symtab, next((row.line for row in table if row.pc == address), 0)

    def first_instruction(self, outlined: int, of_task: bool) -> int:
        """Of the user's, in a function that the compiler made of a construct: behind what builds
        the stack frame, where the user's variables can be read."""
        machine, code = machines.of_inferior(self._inferior), self._disassembly()
        if machine is None:
            return outlined
        try:
            if is_flangs(self._function(outlined)):
                return self._first_row(machine, outlined)
            # clang's unoptimised code with -g has a function between the runtime and the user's.
            called = machine.only_call(code, outlined)
            if called is not None and "_debug__" in (self._function(called) or ""):
                outlined = called
            if not of_task and self._begins_at_once(machine, outlined):
                return outlined
            rows = self._rows(machine, outlined, of_task)
            if of_task:
                # clang puts the user's code inline into a function that unpacks the variables.
                own = self._function(outlined)
                return next((row for row in rows if self._function(row) != own), outlined)
            found = list(rows)
            brace = self._progspace.find_pc_line(outlined).line
            behind = (row for row in found if self._progspace.find_pc_line(row).line > brace)
            return next(behind, next(iter(found), outlined))
        except (gdb.error, Unreadable):
            return outlined

    def _disassembly(self) -> Disassembly:
        return Disassembly(self._inferior.architecture())

    def _first_row(self, machine: Machine, start: int) -> int:
        """flang's code has no line before the user's first, and jumps there."""
        for at in machine.only_way(self._disassembly(), start):
            sal = self._progspace.find_pc_line(at)
            if sal.line and sal.pc == at:
                return at
        return start

    def _begins_at_once(self, machine: Machine, outlined: int) -> bool:
        """Optimised code may need no stack frame: its first line is the user's own."""
        block = self._progspace.block_for_pc(outlined)
        function = block.function if block is not None else None
        line = self._progspace.find_pc_line(outlined).line
        if function is None or line in (0, function.line):
            return False
        return not machine.builds_frame(self._disassembly(), outlined)

    def _rows(self, machine: Machine, at: int, calls: bool) -> Iterator[int]:
        """Where the following lines begin that a function certainly comes to."""
        for _ in range(MOST_ROWS):
            sal = self._progspace.find_pc_line(at)
            end = sal.last + 1 if sal.symtab and sal.last else at
            if not machine.is_straight(self._disassembly(), at, end, calls):
                return
            at = end
            yield at

    def start(self, address: int) -> int | None:
        """Of the function there, by its symbol."""
        match = re.match(r".+?(?: \+ (\d+))? in section ", self._symbol_text(address))
        return address - int(match.group(1) or 0) if match else None

    @staticmethod
    def sections() -> list[Section]:
        return [
            Section(name, int(start, 16), int(end, 16))
            for start, end, name in _SECTION.findall(console.output("info files"))
        ]

    @staticmethod
    def spelled(name: str) -> str:
        return spelling.spelled(name)

    def object(self, address: int) -> str | None:
        """The name of the variable at an address, as NAME or NAME+OFFSET."""
        match = re.match(r"(.+?)(?: \+ (\d+))? in section ", self._symbol_text(address))
        if not match:
            return None
        # GDB takes FUNCTION.VARIABLE of clang's, and FUNCTION.cold, for names of another language.
        name = re.sub(r"^([\w.]+)\[(\w+)\]$", r"\1.\2", match.group(1))
        return name + (f"+{match.group(2)}" if match.group(2) else "")

    def _symbol_text(self, address: int) -> str:
        known = self._symbol_texts.get(address)
        if known is None and (self._is_replaced(address) or self._has_bare_image()):
            known = self._symbol_texts[address] = ""
        if known is None:
            # Modula-2 has no numbers of this size, and a command that fails while a breakpoint
            # decides whether to stop lets GDB forget that it waits for the program.
            try:
                known = console.output_in_c(f"info symbol {address}")
            except gdb.error:
                known = ""
            self._symbol_texts[address] = known
        return known

    def _has_bare_image(self) -> bool:
        if self._bare_image is None:
            objfiles = self._progspace.objfiles()
            self._bare_image = bare_images.is_one_there(objfiles)
        return self._bare_image

    def _symbol(self, address: int) -> gdb.Symbol | None:
        block = None if self._is_replaced(address) else self._progspace.block_for_pc(address)
        while block is not None and block.function is None:
            block = block.superblock
        return block.function if block is not None else None

    def _function(self, address: int) -> str | None:
        name = texts.name(self._symbol(address))
        if name is not None:
            return self.readable(name)
        match = re.match(r"(.+?)(?: \+ \d+)? in section ", self._symbol_text(address))
        return match.group(1) if match else None


def _holds(image: LoadedImage | None, pc: int) -> bool:
    return image is not None and image.start <= pc < image.end
