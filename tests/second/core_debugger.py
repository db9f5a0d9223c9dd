# SPDX-License-Identifier: Apache-2.0
"""Can a debugger that is not GDB give what ompd/debugger.py asks for? This one looks at core files
of x86-64: memory, images and symbols as ompd/formats reads them, registers by the core's notes,
frames and names by libdw, instructions by objdump.

What it does not know it says as the protocol has it: values of local variables, how a part of a
variable is spelled, in which function the user wrote a construct whose code has no name.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import struct
from pathlib import Path
from typing import ContextManager, Iterator, Sequence

import libdw
import objdump
from ompd_core import arch
from ompd_core.arch.base import Disassembled, KnownRegisters, Machine, Range
from ompd_core.debugger import MOST_FRAMES, Debugger, Section
from ompd_core.errors import Unreadable
from ompd_core.formats.corefile import CoreFile
from ompd_core.formats.elf import NT_PRSTATUS, PT_LOAD, ElfFile, NotElf
from ompd_core.formats.images import Images, LoadedImage
from ompd_core.formats.symbols import Symbols
from ompd_core.library.images import images
from ompd_core.library.library import Library
from ompd_core.model.native import Frame, Location, NativeThread
from ompd_core.model.where import VDSO
from ompd_core.signals import Signal

# In struct elf_prstatus: the thread's id, and its registers in the kernel's order.
_LWP_AT, _REGISTERS_AT = 32, 112
_KERNELS = (
    "r15 r14 r13 r12 rbp rbx r11 r10 r9 r8 rax rcx rdx rsi rdi orig_rax rip cs eflags rsp ss"
    " fs_base gs_base"
).split()
_DWARFS = "rax rdx rcx rbx rsi rdi rbp rsp r8 r9 r10 r11 r12 r13 r14 r15 rip".split()
_STACK_POINTER = "rsp"
PAGE = 4096
# What glibc puts between a signal's handler and what it interrupted.
_OF_SIGNALS = "__restore_rt"
_demangle = ctypes.CDLL("libstdc++.so.6").__cxa_demangle
_demangle.restype = ctypes.c_char_p


class Image:
    """That is loaded, and its file."""

    def __init__(self, loaded: LoadedImage, file: ElfFile) -> None:
        self.file = file
        self._loads = [one for one in file.segments() if one.kind == PT_LOAD]
        # Of one that is in no list only its beginning is known.
        begins = min((one.address for one in self._loads), default=0) & -PAGE
        self.bias = loaded.bias if loaded.dynamic else loaded.start - begins
        self.code = objdump.File(file.path, self.bias)

    def holds(self, address: int) -> bool:
        return self.stored(address, 0) is not None

    def stored(self, address: int, nbytes: int) -> bytes | None:
        """What the file has for it. None: it is not in one segment of it."""
        at = address - self.bias
        for load in self._loads:
            if load.address <= at and at + nbytes <= load.address + load.memory_size:
                return self.file.read(load.offset + at - load.address, nbytes) if nbytes else b""
        return None


class Code:
    def __init__(self, core: CoreFile, images: Sequence[Image], listed: Images) -> None:
        self._core, self._images, self._listed = core, images, listed
        files = [(one.file.path, _opened(one.file.path), one.bias) for one in images]
        self.dwfl = libdw.Dwfl(core.path, files + self._vdso(), len(_DWARFS))

    def _vdso(self) -> list[tuple[str, int, int]]:
        """The kernel's own library is in no file but the core."""
        if self._listed.vdso is None:
            return []
        start, end = self._listed.vdso.start, self._listed.vdso.end
        descriptor = os.memfd_create(VDSO)
        with contextlib.suppress(Unreadable):
            os.write(descriptor, self._core.read(start, end - start))
        return [(VDSO, descriptor, start)]

    # ---- What debugger.Code asks -----------------------------------------------------------------

    def read(self, address: int, nbytes: int) -> bytes:
        return self._core.read(address, nbytes)

    def location(self, address: int) -> Location:
        functions = self.dwfl.functions(address)
        physical = next((one for one in functions if not one.inlined), None)
        return self._location(address, self._name(physical, address), self.dwfl.line(address))

    def start(self, address: int) -> int | None:
        stub = self._stub(address)
        symbol = self.dwfl.symbol(address)
        return address if stub else symbol.start if symbol else None

    def object(self, address: int) -> str | None:
        stub = self._stub(address)
        symbol = self.dwfl.symbol(address)
        if stub or symbol is None:
            return stub
        offset = address - symbol.start
        return self.readable(symbol.name) + (f"+{offset}" if offset else "")

    def readable(self, name: str) -> str:
        if not name.startswith("_Z"):
            return name
        base, _, rest = name.partition(".")
        text = _demangle(base.encode(), None, None, None)
        return name if text is None else text.decode() + (f" [clone .{rest}]" if rest else "")

    def spelled(self, name: str) -> str:
        return name

    def holder_at(self, address: int) -> str | None:
        return None

    def in_executable(self, address: int) -> bool:
        program = self._listed.program
        return program is not None and program.start <= address < program.end

    def is_known(self, start: int, end: int) -> bool:
        image = self.image_at(start)
        try:
            return image is not None and image.stored(start, end - start) == self.read(
                start, end - start
            )
        except (Unreadable, NotElf):
            return False

    def sections(self) -> Sequence[Section]:
        return [section for image in self._images for section in image.code.sections()]

    def forget(self) -> None:
        """Nothing changes in a core file."""

    # ---- What debugger.Disassembler asks ---------------------------------------------------------

    def between(self, start: int, end: int) -> Sequence[Disassembled]:
        return self._known_image(start).instructions(start, end)

    def some(self, start: int, count: int) -> Sequence[Disassembled]:
        return self._known_image(start).some(start, count)

    # ---- Frames ----------------------------------------------------------------------------------

    def frames_at(self, native: libdw.Unwound) -> list[Frame]:
        """One frame of the machine's, and before it the functions that were inlined into it."""
        inside = native.pc - (not native.innermost)
        line = self.dwfl.line(inside)
        found = []
        functions: list[libdw.Function | None] = [*self.dwfl.functions(inside)]
        for function in functions or [None]:
            name = self._name(function, inside)
            found.append(
                Frame(
                    self._location(native.pc, name, line),
                    entry=function.start if function is not None else None,
                    executable=self.in_executable(native.pc),
                    inlined=function is not None and function.inlined,
                    signal=name == _OF_SIGNALS,
                    offset=self._offset(native.pc) if name is None else None,
                )
            )
            line = function.called_at if function is not None else None
        return found

    def _location(self, pc: int, function: str | None, line: libdw.Line | None) -> Location:
        return Location(
            function,
            line.file if line else None,
            os.path.join(line.directory or "", line.file) if line else None,
            line.number if line else None,
            pc,
            self._objfile(pc),
        )

    def _name(self, function: libdw.Function | None, address: int) -> str | None:
        if function is not None and function.name is not None:
            return self.readable(function.name)
        symbol = self.dwfl.symbol(address)
        return self._stub(address) or (self.readable(symbol.name) if symbol else None)

    def _stub(self, address: int) -> str | None:
        image = self.image_at(address)
        return image.code.stubs.get(address) if image is not None else None

    def _objfile(self, pc: int) -> str | None:
        image = self.image_at(pc)
        if image is not None:
            return image.file.path
        vdso = self._listed.vdso
        return VDSO if vdso is not None and vdso.start <= pc < vdso.end else None

    def _offset(self, pc: int) -> int | None:
        image = self.image_at(pc)
        return None if image is None else pc - image.bias

    def image_at(self, address: int) -> Image | None:
        return next((one for one in self._images if one.holds(address)), None)

    def _known_image(self, address: int) -> objdump.File:
        """Raises Unreadable."""
        image = self.image_at(address)
        if image is None:
            raise Unreadable()
        return image.code


class Walk:
    """See debugger.Stack."""

    def __init__(self, frames: Sequence[Frame], whole: bool, most: int) -> None:
        self._frames, self._is_whole, self.most = frames, whole, most
        self.whole = False
        self.seen: list[Frame] = []

    def __iter__(self) -> Iterator[Frame]:
        return self

    def __next__(self) -> Frame:
        count = len(self.seen)
        if count == len(self._frames):
            self.whole = self._is_whole
        if count == min(len(self._frames), self.most):
            raise StopIteration
        self.seen.append(self._frames[count])
        return self._frames[count]


class Stopped:
    """See debugger.StoppedThread."""

    def __init__(self, code: Code, lwp: int, registers: dict[str, int]) -> None:
        self._code, self._innermost = code, registers
        natives, self._whole = code.dwfl.frames(lwp)
        levels = [(native, one) for native in natives for one in code.frames_at(native)]
        self._natives = [native for native, _ in levels]
        self._frames = [frame for _, frame in levels]

    def frames(self, most: int = MOST_FRAMES, likely: bool = False) -> Walk:
        return Walk(self._frames, self._whole, most)

    def registers(self, level: int) -> KnownRegisters:
        if level >= len(self._natives):
            return lambda name: None
        native = self._natives[level]
        if native is self._natives[0]:
            return self._innermost.get
        known = {_DWARFS[number]: value for number, value in native.registers.items()}
        return {**known, "rip": native.pc}.get

    def stack_pointer(self, level: int) -> int:
        found = self.registers(level)(_STACK_POINTER)
        if found is None:
            raise Unreadable()
        return found

    def function(self, level: int) -> Range | None:
        if level >= len(self._natives):
            return None
        native = self._natives[level]
        functions = self._code.dwfl.functions(native.pc - (not native.innermost))
        outermost = functions[-1] if functions else None
        if outermost is None or outermost.start is None or outermost.end is None:
            return None
        return outermost.start, outermost.end

    def numbers(self, level: int, names: Sequence[str]) -> dict[str, int | None] | None:
        return None


@contextlib.contextmanager
def looking_at(library: Library, core: Path, executable: Path, folder: Path) -> Iterator[Debugger]:
    """folder: where files are looked for beside the paths that the core names. Raises NotElf,
    OSError."""
    debugger = CoreDebugger(library, core, executable, folder)
    try:
        yield debugger
    finally:
        debugger.close()


class CoreDebugger:
    kind = "core"
    replaced: Sequence[LoadedImage] = ()  # it takes proven files only
    unreached: Sequence[LoadedImage] = ()

    def __init__(self, library: Library, core: Path, executable: Path, folder: Path) -> None:
        files = [str(path) for path in sorted(folder.rglob("*")) if path.is_file()]
        self._core = CoreFile(str(core), files)
        self.core: CoreFile | None = self._core
        self.executable = str(executable)
        self.byte_order, self.pointer_size = self._core.byte_order, self._core.pointer_size
        self.images = images(library, self._core, self._core.auxv)
        self._files = files
        self._symbols = Symbols(
            self.images, self._core.read, self.executable, lambda: [(one, None) for one in files]
        )
        self.code = Code(self._core, list(self._found()), self.images)
        self._registers = _registers(str(core))
        self._stopped: dict[int, Stopped] = {}

    def close(self) -> None:
        self.code.dwfl.close()
        self._symbols.close()
        self._core.close()

    def _found(self) -> Iterator[Image]:
        """The images whose files are here."""
        for loaded in self.images.loaded or self.mapped_images():
            mapping = self._core.mapping_of(loaded.dynamic or loaded.start)
            for path in [mapping.path, *self._files] if mapping is not None else ():
                file = self._if_it(path, mapping.path) if mapping is not None else None
                if file is not None:
                    yield Image(loaded, file)
                    break

    def _if_it(self, path: str, mapped: str) -> ElfFile | None:
        try:
            file = ElfFile(path)
        except (OSError, NotElf, ValueError):
            return None
        if self._core.is_what_was_mapped(file, mapped):
            return file
        file.close()
        return None

    # ---- What debugger.Debugger asks -------------------------------------------------------------

    @property
    def machine(self) -> Machine | None:
        return arch.named("i386:x86-64")

    @property
    def disassembler(self) -> Code:
        return self.code

    @property
    def pid(self) -> int:
        return self._core.pid or 0

    def number(self, address: int, nbytes: int) -> int:
        return int.from_bytes(self.read(address, nbytes), "little")

    def mapped_images(self) -> list[LoadedImage]:
        mappings = (mapping for mapping in self._core.mappings if mapping.offset == 0)
        return [LoadedImage(one.path, 0, 0, start=one.start) for one in mappings]

    def native_threads(self) -> list[NativeThread]:
        """In the order of the core's notes."""
        machine = self.machine
        return [
            NativeThread(
                number,
                1,
                number,
                (self.pid, lwp, 0),
                pthread_id=machine.thread_pointer(registers.get, lambda: None) if machine else None,
            )
            for number, (lwp, registers) in enumerate(self._registers.items(), 1)
        ]

    def running(self) -> int:
        return 0

    def standstill(self, calls: object, awake: object) -> None:
        return None

    def signal(self) -> Signal | None:
        return self._core.signal

    def ending(self) -> None:
        return None

    def looking(self) -> ContextManager[None]:
        return contextlib.nullcontext()

    def at(self, thread: NativeThread) -> ContextManager[Stopped | None]:
        lwp = thread.ptid[1]
        if lwp not in self._stopped and lwp in self._registers:
            self._stopped[lwp] = Stopped(self.code, lwp, self._registers[lwp])
        return contextlib.nullcontext(self._stopped.get(lwp))

    # ---- What library.callbacks.Target asks ------------------------------------------------------

    def is_mapped(self, address: int) -> bool:
        return self._core.is_mapped(address)

    def read(self, address: int, nbytes: int) -> bytes:
        return self._core.read(address, nbytes)

    def symbol(self, name: str, file_name: str | None) -> int | None:
        return self._symbols.find(name, file_name)

    def thread_symbol(self, name: str, thread: int) -> int | None:
        return self.symbol(name, None)

    def knows_pthread_ids(self) -> bool:
        return True

    def thread_with_pthread_id(self, pthread_id: int) -> int | None:
        threads = self.native_threads()
        return next((one.num for one in threads if one.pthread_id == pthread_id), None)

    def thread_with_lwp(self, lwp: int) -> int | None:
        return next((one.num for one in self.native_threads() if one.ptid[1] == lwp), None)


def _opened(path: str) -> int:
    return os.open(path, os.O_RDONLY | os.O_CLOEXEC)


def _registers(core: str) -> dict[int, dict[str, int]]:
    """Of each thread, by the kernel's number of it."""
    found = {}
    file = ElfFile(core)
    for kind, offset, size in file.notes():
        if kind == NT_PRSTATUS and size >= _REGISTERS_AT + 8 * len(_KERNELS):
            note = file.read(offset, size)
            (lwp,) = struct.unpack_from("<i", note, _LWP_AT)
            values = struct.unpack_from(f"<{len(_KERNELS)}Q", note, _REGISTERS_AT)
            found[lwp] = dict(zip(_KERNELS, values))
    file.close()
    return found
