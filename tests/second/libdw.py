# SPDX-License-Identifier: Apache-2.0
"""What does elfutils' libdw tell of a core file: which frames a thread has, and what debug
information and symbols say of an address?"""

from __future__ import annotations

import ctypes
import os
from ctypes import POINTER, byref, c_bool, c_char_p, c_int, c_size_t, c_uint32, c_uint64, c_void_p
from dataclasses import dataclass
from typing import Any, Iterator

# A walk that does not end is a damaged stack.
MOST_FRAMES = 1 << 14
_ELF_C_READ_MMAP = 8
_OK, _ABORT = 0, 1
_INLINED, _SUBPROGRAM = 0x1D, 0x2E
_NAME, _DIRECTORY, _LINKAGE_NAME, _CALL_FILE, _CALL_LINE = 0x03, 0x1B, 0x6E, 0x58, 0x59


class _Callbacks(ctypes.Structure):
    _fields_ = [
        ("find_elf", c_void_p),
        ("find_debuginfo", c_void_p),
        ("section_address", c_void_p),
        ("debuginfo_path", c_void_p),
    ]


class _Die(ctypes.Structure):
    _fields_ = [("addr", c_void_p), ("cu", c_void_p), ("abbrev", c_void_p), ("padding", c_uint64)]


class _Attribute(ctypes.Structure):
    _fields_ = [("code", c_uint32), ("form", c_uint32), ("value", c_void_p), ("cu", c_void_p)]


class _Symbol(ctypes.Structure):
    _fields_ = [
        ("name", c_uint32),
        ("info", ctypes.c_ubyte),
        ("other", ctypes.c_ubyte),
        ("section", ctypes.c_uint16),
        ("value", c_uint64),
        ("size", c_uint64),
    ]


_Pointer = Any  # to a _Die
_FRAME = ctypes.CFUNCTYPE(c_int, c_void_p, c_void_p)
_elf = ctypes.CDLL("libelf.so.1")
_dw = ctypes.CDLL("libdw.so.1", use_errno=True)
_c = ctypes.CDLL(None)
_c.free.argtypes = [c_void_p]
_elf.elf_begin.restype = c_void_p
_elf.elf_begin.argtypes = [c_int, c_int, c_void_p]
_elf.elf_end.argtypes = [c_void_p]
# What each returns, and its arguments.
_PROTOTYPES: dict[str, tuple[Any, ...]] = {
    "dwfl_begin": (c_void_p, c_void_p),
    "dwfl_end": (None, c_void_p),
    "dwfl_report_begin": (None, c_void_p),
    "dwfl_report_elf": (c_void_p, c_void_p, c_char_p, c_char_p, c_int, c_uint64, c_bool),
    "dwfl_report_end": (c_int, c_void_p, c_void_p, c_void_p),
    "dwfl_core_file_attach": (c_int, c_void_p, c_void_p),
    "dwfl_getthread_frames": (c_int, c_void_p, c_int, _FRAME, c_void_p),
    "dwfl_frame_pc": (c_bool, c_void_p, c_void_p, c_void_p),
    "dwfl_frame_reg": (c_int, c_void_p, ctypes.c_uint, c_void_p),
    "dwfl_addrmodule": (c_void_p, c_void_p, c_uint64),
    "dwfl_module_addrinfo": (c_char_p, c_void_p, c_uint64, *[c_void_p] * 5),
    "dwfl_module_addrdie": (POINTER(_Die), c_void_p, c_uint64, c_void_p),
    "dwfl_module_nextcu": (POINTER(_Die), c_void_p, c_void_p, c_void_p),
    "dwarf_haspc": (c_int, c_void_p, c_uint64),
    "dwarf_getsrc_die": (c_void_p, c_void_p, c_uint64),
    "dwarf_linesrc": (c_char_p, c_void_p, c_void_p, c_void_p),
    "dwarf_lineno": (c_int, c_void_p, c_void_p),
    "dwarf_getscopes": (c_int, c_void_p, c_uint64, c_void_p),
    "dwarf_getscopes_die": (c_int, c_void_p, c_void_p),
    "dwarf_tag": (c_int, c_void_p),
    "dwarf_attr_integrate": (c_void_p, c_void_p, ctypes.c_uint, c_void_p),
    "dwarf_formstring": (c_char_p, c_void_p),
    "dwarf_formudata": (c_int, c_void_p, c_void_p),
    "dwarf_lowpc": (c_int, c_void_p, c_void_p),
    "dwarf_highpc": (c_int, c_void_p, c_void_p),
    "dwarf_getsrcfiles": (c_int, c_void_p, c_void_p, c_void_p),
    "dwarf_filesrc": (c_char_p, c_void_p, c_size_t, c_void_p, c_void_p),
}
for _name, _types in _PROTOTYPES.items():
    getattr(_dw, _name).restype, getattr(_dw, _name).argtypes = _types[0], _types[1:]


@dataclass(frozen=True)
class Unwound:
    """A native frame."""

    pc: int
    innermost: bool  # or interrupted by a signal: the instruction at pc has not been executed yet
    registers: dict[int, int]  # by DWARF's numbers, those that are known


@dataclass(frozen=True)
class Line:
    file: str
    directory: str | None  # where it was compiled
    number: int | None


@dataclass(frozen=True)
class Function:
    """That debug information tells of, at an address; one that was inlined shares its frame with
    the next."""

    name: str | None
    start: int | None
    end: int | None
    inlined: bool
    called_at: Line | None  # of an inlined one


@dataclass(frozen=True)
class Symbol:
    name: str
    start: int


class Dwfl:
    """Of one core file."""

    def __init__(self, core: str, images: list[tuple[str, int, int]], registers: int) -> None:
        """images: the name, a descriptor of its file, which is closed here, and by how much it was
        moved. registers: how many DWARF numbers on this machine. Raises OSError."""
        find = ctypes.cast(_dw.dwfl_standard_find_debuginfo, c_void_p)
        self._callbacks = _Callbacks(None, find, None, None)
        self._registers = registers
        self._dwfl = _dw.dwfl_begin(byref(self._callbacks))
        _dw.dwfl_report_begin(self._dwfl)
        for name, descriptor, bias in images:
            path = os.fsencode(name)
            if not _dw.dwfl_report_elf(self._dwfl, path, path, descriptor, bias, True):
                os.close(descriptor)
        _dw.dwfl_report_end(self._dwfl, None, None)
        _elf.elf_version(1)
        self._descriptor = os.open(core, os.O_RDONLY | os.O_CLOEXEC)
        self._core = _elf.elf_begin(self._descriptor, _ELF_C_READ_MMAP, None)
        if _dw.dwfl_core_file_attach(self._dwfl, self._core) < 0:
            self.close()
            raise OSError(f"libdw cannot read the core file {core}")

    def close(self) -> None:
        _dw.dwfl_end(self._dwfl)
        _elf.elf_end(self._core)
        os.close(self._descriptor)

    # ---- Frames ----------------------------------------------------------------------------------

    def frames(self, lwp: int) -> tuple[list[Unwound], bool]:
        """Innermost first, and whether the last one is where the thread began."""
        found: list[Unwound] = []

        def visit(frame: int, _: object) -> int:
            pc, innermost = c_uint64(), c_bool()
            if len(found) == MOST_FRAMES or not _dw.dwfl_frame_pc(
                frame, byref(pc), byref(innermost)
            ):
                return _ABORT
            found.append(Unwound(pc.value, innermost.value, self._registers_of(frame)))
            return _OK

        whole = _dw.dwfl_getthread_frames(self._dwfl, lwp, _FRAME(visit), None) == 0
        return found, whole

    def _registers_of(self, frame: int) -> dict[int, int]:
        found, value = {}, c_uint64()
        for number in range(self._registers):
            if _dw.dwfl_frame_reg(frame, number, byref(value)) == 0:
                found[number] = value.value
        return found

    # ---- Addresses -------------------------------------------------------------------------------

    def symbol(self, address: int) -> Symbol | None:
        """That the address lies in."""
        module = _dw.dwfl_addrmodule(self._dwfl, address)
        if not module:
            return None
        offset, symbol = c_uint64(), _Symbol()
        name = _dw.dwfl_module_addrinfo(
            module, address, byref(offset), byref(symbol), None, None, None
        )
        if name is None or offset.value >= max(symbol.size, 1):
            return None
        return Symbol(_text(name), address - offset.value)

    def line(self, address: int) -> Line | None:
        unit, at = self._unit(address)
        line = _dw.dwarf_getsrc_die(unit, at) if unit else None
        if not unit or not line:
            return None
        number = c_int()
        _dw.dwarf_lineno(line, byref(number))
        name = _text(_dw.dwarf_linesrc(line, None, None))
        return Line(name, _string(unit.contents, _DIRECTORY), number.value or None)

    def functions(self, address: int) -> list[Function]:
        """Around an address, the innermost first: those that were inlined, and the one of the frame
        that they share. Empty: no debug information tells."""
        unit, at = self._unit(address)
        found = []
        for die in _scopes(unit, at) if unit else ():
            tag = _dw.dwarf_tag(byref(die))
            if tag in (_INLINED, _SUBPROGRAM):
                found.append(_function(unit, die, tag == _INLINED, address - at))
            if tag == _SUBPROGRAM:
                break
        return found

    def _unit(self, address: int) -> tuple[_Pointer | None, int]:
        """What was compiled together with the code there, and the place in it."""
        module = _dw.dwfl_addrmodule(self._dwfl, address)
        bias = c_uint64()
        unit = _dw.dwfl_module_addrdie(module, address, byref(bias)) if module else None
        if unit or not module:
            return unit, address - bias.value
        # clang writes no index by address: all are looked through.
        unit = _dw.dwfl_module_nextcu(module, None, byref(bias))
        while unit and _dw.dwarf_haspc(unit, address - bias.value) <= 0:
            unit = _dw.dwfl_module_nextcu(module, unit, byref(bias))
        return unit or None, address - bias.value


def _scopes(unit: _Pointer, address: int) -> Iterator[_Die]:
    """As the code is nested, not as the source is."""
    innermost, scopes = POINTER(_Die)(), POINTER(_Die)()
    if _dw.dwarf_getscopes(unit, address, byref(innermost)) <= 0:
        return
    count = _dw.dwarf_getscopes_die(innermost, byref(scopes))
    try:
        yield from scopes[: max(count, 0)]
    finally:
        _c.free(innermost)
        _c.free(scopes)


def _function(unit: _Pointer, die: _Die, inlined: bool, bias: int) -> Function:
    low, high = c_uint64(), c_uint64()
    whole = not _dw.dwarf_lowpc(byref(die), byref(low)) | _dw.dwarf_highpc(byref(die), byref(high))
    return Function(
        _string(die, _LINKAGE_NAME) or _string(die, _NAME),
        low.value + bias if whole else None,
        high.value + bias if whole else None,
        inlined,
        _call(unit, die) if inlined else None,
    )


def _call(unit: _Pointer, die: _Die) -> Line | None:
    file, line = _number(die, _CALL_FILE), _number(die, _CALL_LINE)
    files, count = c_void_p(), c_size_t()
    if (
        file is None
        or _dw.dwarf_getsrcfiles(unit, byref(files), byref(count))
        or file >= count.value
    ):
        return None
    name = _dw.dwarf_filesrc(files, file, None, None)
    return Line(_text(name), _string(unit.contents, _DIRECTORY), line) if name else None


def _string(die: _Die, name: int) -> str | None:
    attribute = _Attribute()
    if not _dw.dwarf_attr_integrate(byref(die), name, byref(attribute)):
        return None
    text = _dw.dwarf_formstring(byref(attribute))
    return _text(text) if text else None


def _number(die: _Die, name: int) -> int | None:
    attribute, value = _Attribute(), c_uint64()
    if not _dw.dwarf_attr_integrate(byref(die), name, byref(attribute)):
        return None
    return None if _dw.dwarf_formudata(byref(attribute), byref(value)) else value.value


def _text(name: bytes) -> str:
    return name.decode("utf-8", "surrogateescape")
