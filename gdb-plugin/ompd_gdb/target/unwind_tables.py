# SPDX-License-Identifier: Apache-2.0
"""Is there unwind information for an address? From the image around it, as it lies in memory: its
headers, and the table that the linker makes of .eh_frame, sorted by address."""

from __future__ import annotations

import functools
import os
import struct
from dataclasses import dataclass
from typing import Callable, Iterable, Iterator, Sequence

from ..errors import Unreadable
from .elf import PT_LOAD, SHT_DYNSYM, ElfFile, Format, NotElf

PT_GNU_EH_FRAME = 0x6474E550
PAGE = 4096
# Between an image's beginning and its code.
MOST_PAGES = 1 << 14
MOST_HEADERS = 256
MOST_ENTRIES = 1 << 24
# How all linkers encode the table and its entries (LSB, DWARF exception header): version 1, a
# pointer of no interest, a count, pairs of distances from the table.
_TABLE = struct.Struct("<BBBBiI")
_COUNT_AND_PAIRS = (0x03, 0x3B)


# What code of constructs calls.
_CALLED = (b"\0__kmpc_", b"\0GOMP_")
# Between two functions there is no more padding than this. What every program begins with has no
# unwind information either, and is not as long.
_PADDING, _STARTUP = 64, 256


def has_untold_code(path: str) -> bool:
    """Does a file have code with constructs, and code without unwind information?"""
    try:
        return _has_untold_code(path, os.stat(path).st_mtime_ns)
    except (OSError, ValueError):
        return False


@functools.lru_cache(maxsize=256)
def _has_untold_code(path: str, _: int) -> bool:
    """Again when the file has changed."""
    try:
        file = ElfFile(path)
    except (OSError, NotElf, struct.error, ValueError):
        return False
    try:
        return _has_constructs(file) and _has_gaps(file)
    except (NotElf, struct.error):
        return False
    finally:
        file.close()


def _has_constructs(file: ElfFile) -> bool:
    sections = file.sections()
    for one in sections:
        if one.kind == SHT_DYNSYM and one.link < len(sections):
            names = sections[one.link]
            end = min(names.offset + names.size, file.size)
            return any(file.data.find(name, names.offset, end) >= 0 for name in _CALLED)
    return False


def _has_gaps(file: ElfFile) -> bool:
    segments = file.segments()

    def read(address: int, nbytes: int) -> bytes:
        for one in segments:
            if one.kind == PT_LOAD and one.address <= address < one.address + one.file_size:
                return file.read(one.offset + address - one.address, nbytes)
        raise Unreadable()

    table = next((one.address for one in segments if one.kind == PT_GNU_EH_FRAME), 0)
    end, missing = 0, 0
    try:
        for begin, size in Tables(read).functions(table) if table else ():
            gap = begin - end if end else 0
            missing += gap if gap > _PADDING else 0
            end = max(end, begin + size)
    except Unreadable:
        return False
    for one in segments:
        if one.kind == PT_LOAD and one.address < end <= one.address + one.file_size:
            missing += one.address + one.file_size - end
    return missing > _STARTUP


@dataclass(frozen=True)
class _Image:
    start: int
    end: int
    table: int  # 0: it has none that we can read


class Tables:
    def __init__(
        self, read: Callable[[int, int], bytes], bases: Sequence[int] | None = None
    ) -> None:
        """bases: where images begin. None: it has to be looked for."""
        self._read = read
        self._bases = bases
        self._images: list[_Image] = []

    def covers(self, pc: int) -> bool | None:
        """The code there, or the call in front of it. None: it cannot be told."""
        return self._covers(pc - 1) or self._covers(pc)

    def _covers(self, address: int) -> bool | None:
        image = self._around(address)
        if image is None or not image.table:
            return None
        try:
            return self._is_covered(image.table, address)
        except Unreadable:
            return None

    def functions(self, table: int) -> Iterator[tuple[int, int]]:
        """Where the code with unwind information begins, and how long it is, by address. Raises
        Unreadable."""
        for index in range(self._count(table) or 0):
            begin, entry = self._pair(table, index)
            size = self._size(entry, begin)
            if size is None:
                return
            yield begin, size

    def _around(self, address: int) -> _Image | None:
        known = next((one for one in self._images if one.start <= address < one.end), None)
        if known is not None:
            return known
        for start in self._beginnings(address):
            try:
                if self._read(start, 4) != b"\x7fELF":
                    continue
                image = self._image(start)
            except (Unreadable, NotElf):
                continue
            if image.start <= address < image.end:
                self._images.append(image)
                return image
            break
        return None

    def _beginnings(self, address: int) -> Iterable[int]:
        if self._bases is not None:
            before = [base for base in self._bases if base <= address]
            return [max(before)] if before else []
        page = address // PAGE
        return (at * PAGE for at in range(page, max(page - MOST_PAGES, 0), -1))

    def _image(self, start: int) -> _Image:
        header = self._read(start, 64)
        form = Format(header)
        at, count = form.table(header)
        if count > MOST_HEADERS:
            raise NotElf("too many segments")
        segments = form.segments(self._read(start + at, count * form.segment_size))
        loads = [one for one in segments if one.kind == PT_LOAD]
        if not loads:
            raise NotElf("nothing to load")
        bias = start - min(one.address for one in loads) // PAGE * PAGE
        table = next((bias + s.address for s in segments if s.kind == PT_GNU_EH_FRAME), 0)
        return _Image(start, bias + max(s.address + s.memory_size for s in loads), table)

    def _is_covered(self, table: int, address: int) -> bool | None:
        count = self._count(table)
        if count is None:
            return None
        low, high = 0, count  # the first entry that begins behind the address
        while low < high:
            middle = (low + high) // 2
            if self._pair(table, middle)[0] <= address:
                low = middle + 1
            else:
                high = middle
        if low == 0:
            return False
        begin, entry = self._pair(table, low - 1)
        size = self._size(entry, begin)
        return None if size is None else begin <= address < begin + size

    def _count(self, table: int) -> int | None:
        version, _, counted, pairs, _, count = _TABLE.unpack(self._read(table, _TABLE.size))
        known = version == 1 and (counted, pairs) == _COUNT_AND_PAIRS
        return int(count) if known and count <= MOST_ENTRIES else None

    def _pair(self, table: int, index: int) -> tuple[int, int]:
        begin, entry = struct.unpack("<ii", self._read(table + _TABLE.size + 8 * index, 8))
        return table + begin, table + entry

    def _size(self, entry: int, begin: int) -> int | None:
        """Of an FDE: its length, the distance to its CIE, where its code begins, how long it is.
        None: they are encoded in another way."""
        _, _, relative, size = struct.unpack("<IIiI", self._read(entry, 16))
        return int(size) if entry + 8 + relative == begin else None
