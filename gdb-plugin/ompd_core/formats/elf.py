# SPDX-License-Identifier: Apache-2.0
"""What does an ELF file say? Headers, notes and symbols, for files that may be truncated or
hostile.

Knows no GDB. Every offset and count comes from the file, so each is checked against its length.
"""

from __future__ import annotations

import mmap
import os
import stat
import struct
from typing import Collection, Iterator

from ..light_classes import NamedTuple

PT_LOAD, PT_DYNAMIC, PT_INTERP, PT_NOTE, PT_PHDR = 1, 2, 3, 4, 6
PF_X, PF_W, PF_R = 1, 2, 4
ET_CORE = 4
SHT_SYMTAB, SHT_DYNSYM = 2, 11
NT_PRSTATUS, NT_PRPSINFO, NT_AUXV, NT_FILE, NT_SIGINFO = 1, 3, 6, 0x46494C45, 0x53494749
AT_EXECFN = 31  # in the auxiliary vector
STB_LOCAL = 0
STT_TLS = 6
SHN_UNDEF = 0

# A process has at most some ten thousand mappings; a core has one segment for each.
MOST_SEGMENTS = 1 << 20
MOST_SECTIONS = 1 << 16
PN_XNUM = 0xFFFF


class NotElf(Exception):
    """Not a file of this kind, or one that ends too early."""


class Segment(NamedTuple):
    kind: int
    offset: int
    address: int
    file_size: int
    memory_size: int
    rights: str  # as rw-

    @property
    def executable(self) -> bool:
        return "x" in self.rights


class Section(NamedTuple):
    kind: int
    offset: int
    size: int
    link: int
    entry_size: int
    info: int
    name: int  # where it begins in the names of sections


class Symbol(NamedTuple):
    value: int
    local: bool


class Format:
    """Width and byte order, from the first bytes of an image."""

    def __init__(self, start: bytes) -> None:
        if len(start) < 20 or start[:4] != b"\x7fELF":
            raise NotElf("no ELF header")
        if start[4] not in (1, 2) or start[5] not in (1, 2):
            raise NotElf("an ELF header of an unknown class")
        self.wide = start[4] == 2
        self.order = "<" if start[5] == 1 else ">"
        self.byte_order = "little" if start[5] == 1 else "big"
        self.pointer_size = 8 if self.wide else 4
        self.header_size = 64 if self.wide else 52
        self.segment_size = 56 if self.wide else 32

    def table(self, header: bytes) -> tuple[int, int]:
        """Where an image's table of segments lies from its beginning, and how many it has."""
        at, count = (32, 56) if self.wide else (28, 44)
        return self.word(header, at), int(struct.unpack_from(self.order + "H", header, count)[0])

    def word(self, data: bytes, offset: int = 0) -> int:
        """A pointer-sized number."""
        return int(struct.unpack_from(self.order + ("Q" if self.wide else "I"), data, offset)[0])

    def segments(self, table: bytes) -> list[Segment]:
        found = []
        for at in range(0, len(table) - self.segment_size + 1, self.segment_size):
            if self.wide:
                kind, flags, offset, address, _, in_file, in_memory, _ = struct.unpack_from(
                    self.order + "IIQQQQQQ", table, at
                )
            else:
                kind, offset, address, _, in_file, in_memory, flags, _ = struct.unpack_from(
                    self.order + "8I", table, at
                )
            rights = "".join(
                letter if flags & flag else "-"
                for letter, flag in (("r", PF_R), ("w", PF_W), ("x", PF_X))
            )
            found.append(Segment(kind, offset, address, in_file, in_memory, rights))
        return found


class ElfFile:
    """A file on disk, mapped: only what is looked at is read."""

    def __init__(self, path: str) -> None:
        """Raises NotElf, OSError."""
        self.path = path
        # A hostile core can name a pipe or a device: to open it can wait for ever, or do something.
        if not stat.S_ISREG(os.stat(path).st_mode):
            raise NotElf("not a regular file")
        with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
            about = os.fstat(file.fileno())
            if not stat.S_ISREG(about.st_mode):
                raise NotElf("not a regular file")
            self.size = about.st_size
            if not self.size:
                raise NotElf("an empty file")
            self.data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        self.format = Format(self.data[:20])
        if self.size < self.format.header_size:
            raise NotElf("no room for an ELF header")
        order = self.format.order
        layout = order + ("HHIQQQIHHHHHH" if self.format.wide else "HHIIIIIHHHHHH")
        (
            self.kind,
            self.machine,
            _,
            _,
            self._phoff,
            self._shoff,
            _,
            _,
            self._phentsize,
            self._phnum,
            self._shentsize,
            self._shnum,
            self._shstrndx,
        ) = struct.unpack_from(layout, self.data, 16)

    def close(self) -> None:
        self.data.close()

    def read(self, offset: int, nbytes: int) -> bytes:
        """Raises NotElf when the file ends before."""
        if offset < 0 or nbytes < 0 or offset + nbytes > self.size:
            raise NotElf("the file ends too early")
        return self.data[offset : offset + nbytes]

    def segments(self) -> list[Segment]:
        count = self._phnum
        if count == PN_XNUM:
            sections = self.sections()
            count = sections[0].info if sections else 0
        if count > MOST_SEGMENTS or (count and self._phentsize != self.format.segment_size):
            raise NotElf("an impossible table of segments")
        return self.format.segments(self.read(self._phoff, count * self.format.segment_size))

    def sections(self) -> list[Section]:
        size = 64 if self.format.wide else 40
        if not self._shoff or self._shentsize != size or self._shoff + size > self.size:
            return []
        layout = self.format.order + ("IIQQQQIIQQ" if self.format.wide else "10I")
        count = self._shnum or 1
        if count > MOST_SECTIONS or self._shoff + count * size > self.size:
            return []
        found = []
        for i in range(count):
            name, kind, _, _, offset, length, link, info, _, entry = struct.unpack_from(
                layout, self.data, self._shoff + i * size
            )
            found.append(Section(kind, offset, length, link, entry, info, name))
        return found

    def section(self, name: bytes) -> bytes:
        """The content of the first of this name; empty: there is none, or not all of it."""
        sections = self.sections()
        if self._shstrndx >= len(sections):
            return b""
        names = sections[self._shstrndx]
        for one in sections:
            at = names.offset + one.name
            if self.data[at : at + len(name) + 1] == name + b"\0":
                return self.data[one.offset : one.offset + one.size]
        return b""

    def symbols(self, name: str) -> Iterator[Symbol]:
        """The definitions of a name, those of the full table first. Thread-local ones are left
        out."""
        sections = self.sections()
        wanted = os.fsencode(name) + b"\0"
        tables = [section for section in sections if section.kind in (SHT_SYMTAB, SHT_DYNSYM)]
        for table in sorted(tables, key=lambda section: section.kind):
            if table.link < len(sections):
                yield from self._in_table(table, sections[table.link], wanted)

    def names(self, names: Collection[str]) -> set[str]:
        """Which of these it defines for others, or takes from others. Raises NotElf if the file
        does not tell."""
        sections = self.sections()
        links = [one.link for one in sections if one.kind == SHT_DYNSYM]
        if not links and any(one.kind == PT_DYNAMIC for one in self.segments()):
            raise NotElf("no table of dynamic symbols")
        found: set[str] = set()
        for strings in (sections[link] for link in links if link < len(sections)):
            start, end = strings.offset, min(strings.offset + strings.size, self.size)
            texts = {name: os.fsencode(name) + b"\0" for name in names}
            found.update(name for name in names if self.data.find(texts[name], start, end) >= 0)
        return found

    def _in_table(self, table: Section, strings: Section, wanted: bytes) -> Iterator[Symbol]:
        """A search of the bytes: an executable can have a million symbols, and most questions are
        about names that are not there."""
        entry = 24 if self.format.wide else 16
        start, end = table.offset, min(table.offset + table.size, self.size)
        text, text_end = strings.offset, min(strings.offset + strings.size, self.size)
        at = self.data.find(wanted, text, text_end)
        while at >= 0:
            key = struct.pack(self.format.order + "I", at - text)
            hit = self.data.find(key, start, end)
            while hit >= 0:
                if (hit - start) % entry == 0 and hit + entry <= end:
                    symbol = self._symbol(hit)
                    if symbol is not None:
                        yield symbol
                hit = self.data.find(key, hit + 1, end)
            at = self.data.find(wanted, at + 1, text_end)

    def _symbol(self, at: int) -> Symbol | None:
        if self.format.wide:
            _, info, _, section, value, _ = struct.unpack_from(
                self.format.order + "IBBHQQ", self.data, at
            )
        else:
            _, value, _, info, _, section = struct.unpack_from(
                self.format.order + "IIIBBH", self.data, at
            )
        if section == SHN_UNDEF or info & 15 == STT_TLS:
            return None
        return Symbol(value, info >> 4 == STB_LOCAL)

    def notes(self) -> Iterator[tuple[int, int, int]]:
        """(type, offset, size) of the notes of the PT_NOTE segments."""
        for segment in self.segments():
            if segment.kind != PT_NOTE:
                continue
            at, end = segment.offset, min(segment.offset + segment.file_size, self.size)
            while at + 12 <= end:
                name, size, kind = struct.unpack_from(self.format.order + "III", self.data, at)
                body = at + 12 + (name + 3) // 4 * 4
                if body + size > end:
                    break
                yield kind, body, size
                at = body + (size + 3) // 4 * 4
