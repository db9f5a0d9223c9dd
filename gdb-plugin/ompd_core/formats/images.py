# SPDX-License-Identifier: Apache-2.0
"""Which images are in the process, and where? From the auxiliary vector over the program's own
headers to the dynamic linker's list, by reading memory: GDB does not tell Python load addresses,
and asking it by an expression depends on the user's language.
"""

from __future__ import annotations

import os
import struct
from typing import Callable, Iterable

from ..errors import Unreadable
from ..light_classes import NamedTuple
from .elf import PT_DYNAMIC, PT_INTERP, PT_LOAD, PT_PHDR, Format, Segment

AT_PHDR, AT_PHNUM, AT_SYSINFO_EHDR = 3, 5, 33
DT_STRTAB, DT_STRSZ, DT_DEBUG = 5, 10, 21

# Real processes have some hundred images and a dynamic section of some forty entries. As many as
# libompd looks at (LINK_MAP_MAX).
MOST_IMAGES = 8192
MOST_NAMESPACES = 64  # LINK_NAMESPACES_MAX
MOST_DYNAMIC = 1024
LONGEST_PATH = 4096
PAGE = 4096  # images begin at one, or at a larger power of two

Read = Callable[[int, int], bytes]


class LoadedImage(NamedTuple):
    path: str  # "" for the program itself
    bias: int
    dynamic: int


class Program(NamedTuple):
    """The executable, as its headers in memory tell."""

    bias: int
    dynamic: int
    start: int
    end: int
    is_static: bool = False  # no dynamic linker is asked for


class ImageList:
    """One reading of the list; a new image means a new one."""

    def __init__(self, read: Read, format_: Format, auxv: dict[int, int]) -> None:
        self._read = read
        self._format = format_
        self.program = self._find_program(auxv)
        self.vdso = self._find_vdso(auxv.get(AT_SYSINFO_EHDR, 0))
        self.r_debug = self._find_r_debug()
        self._is_cut = False
        self.loaded = self._walk()

    def _word(self, address: int) -> int:
        return self._format.word(self._read(address, self._format.pointer_size))

    def _find_program(self, auxv: dict[int, int]) -> Program | None:
        table, count = auxv.get(AT_PHDR, 0), auxv.get(AT_PHNUM, 0)
        if not table or not 0 < count < 1024:
            return None
        try:
            segments = self._format.segments(self._read(table, count * self._format.segment_size))
        except Unreadable:
            return None
        bias = next((table - s.address for s in segments if s.kind == PT_PHDR), None)
        if bias is None:
            bias = self._bias_by_header(table - self._format.header_size, segments)
        loads = [s for s in segments if s.kind == PT_LOAD]
        dynamic = next((bias + s.address for s in segments if s.kind == PT_DYNAMIC), 0)
        if not loads:
            return None
        return Program(
            bias,
            dynamic,
            bias + min(s.address for s in loads),
            bias + max(_end(s) for s in loads),
            all(s.kind != PT_INTERP for s in segments),
        )

    def _bias_by_header(self, start: int, segments: Iterable[Segment]) -> int:
        """Of a program that does not say where its table is: as a rule right behind the header. 0:
        it is not position independent, or that cannot be told."""
        try:
            if self._read(start, 4) != b"\x7fELF":
                return 0
        except Unreadable:
            return 0
        return next((start - s.address for s in segments if s.kind == PT_LOAD and not s.offset), 0)

    def _find_vdso(self, start: int) -> tuple[int, int] | None:
        """The kernel's own library in the process: its beginning and its end."""
        if not start:
            return None
        try:
            at, count = self._format.table(self._read(start, self._format.header_size))
            table = self._read(start + at, count * self._format.segment_size)
        except Unreadable:
            return None
        loads = [s for s in self._format.segments(table) if s.kind == PT_LOAD]
        return (start, start + max(_end(s) for s in loads)) if loads else None

    def _find_r_debug(self) -> int:
        """0: statically linked, or the dynamic linker has not run yet."""
        if self.program is None or not self.program.dynamic:
            return 0
        try:
            return self._dynamic_entry(self.program.dynamic, DT_DEBUG)
        except Unreadable:
            return 0

    def _dynamic_entry(self, dynamic: int, wanted: int) -> int:
        """0: it is not there. Raises Unreadable."""
        word = self._format.pointer_size
        for i in range(MOST_DYNAMIC):
            entry = self._read(dynamic + i * 2 * word, 2 * word)
            tag = self._format.word(entry)
            if tag == wanted:
                return self._format.word(entry, word)
            if tag == 0:
                break
        return 0

    @property
    def is_unread(self) -> bool:
        """There is a list, or should be one, and not all of it can be read."""
        return self.program is None or self._is_cut

    def nameless(self) -> list[LoadedImage]:
        """Those whose names cannot be read: whether one of them is a runtime is not known by them.
        Of a core file, when the file that the image came from is not here."""
        return [image for image in self.loaded if not self._has_names(image)]

    def _has_names(self, image: LoadedImage) -> bool:
        try:
            address = self._dynamic_entry(image.dynamic, DT_STRTAB)
            size = self._dynamic_entry(image.dynamic, DT_STRSZ)
            if address < image.bias:
                address += image.bias  # the dynamic linker leaves some as they are
            if address and size:
                self._read(address, 1)
                self._read(address + size - 1, 1)
        except Unreadable:
            return False
        return True

    def _walk(self) -> list[LoadedImage]:
        """In all namespaces of the dynamic linker: dlmopen makes new ones. An image that several
        have in common stands there once."""
        found: dict[int, LoadedImage] = {}
        word = self._format.pointer_size
        debug, entries = self.r_debug, 0
        try:
            for _ in range(MOST_NAMESPACES):
                if not debug:
                    break
                entry = self._word(debug + word)
                while entry and entries < MOST_IMAGES:
                    entries += 1
                    data = self._read(entry, 5 * word)
                    bias, name, dynamic, following = (
                        self._format.word(data, i * word) for i in range(4)
                    )
                    if dynamic not in found:
                        found[dynamic] = LoadedImage(self.string(name), bias, dynamic)
                    entry = following
                debug = self._following(debug)
        except Unreadable:
            self._is_cut = True
        return list(found.values())

    def _following(self, debug: int) -> int:
        """The next namespace's struct r_debug. 0: there is none, as in older dynamic linkers."""
        (version,) = struct.unpack(self._format.order + "I", self._read(debug, 4))
        return self._word(debug + 5 * self._format.pointer_size) if version >= 2 else 0

    def string(self, address: int) -> str:
        text = b""
        while address and len(text) < LONGEST_PATH:
            step = 256 - address % 256
            try:
                part = self._read(address, step)
            except Unreadable:
                break
            end = part.find(b"\0")
            if end >= 0:
                text += part[:end]
                break
            text += part
            address += step
        return os.fsdecode(text)


def mapped_image(read: Read, format_: Format, start: int, path: str) -> LoadedImage | None:
    """What begins at an address where a file's beginning is mapped, if it is an image."""
    try:
        header = read(start, format_.header_size)
        if header[:4] != b"\x7fELF":
            return None
        at, count = format_.table(header)
        segments = format_.segments(read(start + at, count * format_.segment_size))
    except Unreadable:
        return None
    loads = [segment.address for segment in segments if segment.kind == PT_LOAD]
    dynamic = next((segment.address for segment in segments if segment.kind == PT_DYNAMIC), None)
    if not loads or dynamic is None:
        return None
    bias = start - min(loads) // PAGE * PAGE
    return LoadedImage(path, bias, bias + dynamic) if bias >= 0 else None


def _end(segment: Segment) -> int:
    return segment.address + segment.memory_size
