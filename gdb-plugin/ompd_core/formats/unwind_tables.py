# SPDX-License-Identifier: Apache-2.0
"""Is there unwind information for an address? From the image around it, as it lies in memory: its
headers, and the table that the linker makes of .eh_frame, sorted by address."""

from __future__ import annotations

import struct
from typing import Callable, Sequence

from ..errors import Unreadable
from ..light_classes import NamedTuple
from .elf import PT_LOAD, Format, NotElf

PT_GNU_EH_FRAME = 0x6474E550
PAGE = 4096
# Between an image's beginning and its code.
MOST_PAGES = 1 << 14
LARGEST_GAP = 512  # pages: linkers of old put 2 MiB between an image's segments
MOST_HEADERS = 256
MOST_ENTRIES = 1 << 24
# How all linkers encode the table and its entries (LSB, DWARF exception header): version 1, a
# pointer of no interest, a count, pairs of distances from the table.
TABLE = struct.Struct("<BBBBiI")
COUNT_AND_PAIRS = (0x03, 0x3B)


FDE_HEADER = 12
LONGEST_EMPTY = 64


class _Image(NamedTuple):
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
        self._barren: list[tuple[int, int]] = []  # pages where no image was found

    def covers(self, pc: int) -> bool | None:
        """The code there, or the call in front of it. None: it cannot be told."""
        return self._covers(pc - 1) or self._covers(pc)

    def is_in_image(self, address: int) -> bool:
        """One that can be read."""
        return self._around(address) is not None

    def saves_nothing(self, pc: int) -> bool:
        """Is there information for the code in front of it, which says that the function leaves the
        stack pointer and all registers as they were?"""
        try:
            entry = self.entry(pc - 1)
            if entry is None or not self._covers(pc - 1):
                return False
            # Behind an FDE's header: the length of what the CIE has it say, none; padding.
            (length,) = struct.unpack("<I", self._read(entry, 4))
            if not FDE_HEADER < length <= LONGEST_EMPTY:
                return False
            return not any(self._read(entry + 4 + FDE_HEADER, length - FDE_HEADER))
        except Unreadable:
            return False

    def entry(self, address: int) -> int | None:
        """Where the last entry (an FDE) lies whose function does not begin behind the address: if
        one is about it, this one. None: there is none. Raises Unreadable."""
        image = self._around(address)
        if image is None or not image.table:
            return None
        count = self._count(image.table)
        found = self._last_before(image.table, count, address) if count is not None else None
        return found[1] if found is not None else None

    def function(self, address: int) -> tuple[int, int] | None:
        """Where the code lies that the entry about an address is for: a function, or a part of one.
        None: there is none, or it cannot be told."""
        image = self._around(address)
        try:
            count = self._count(image.table) if image is not None and image.table else None
            found = self._last_before(image.table, count, address) if image and count else None
            size = self._size(found[1], found[0]) if found is not None else None
        except Unreadable:
            return None
        if found is None or size is None or address >= found[0] + size:
            return None
        return found[0], found[0] + size

    def _covers(self, address: int) -> bool | None:
        image = self._around(address)
        if image is None or not image.table:
            return None
        try:
            return self._is_covered(image.table, address)
        except Unreadable:
            return None

    def _around(self, address: int) -> _Image | None:
        known = next((one for one in self._images if one.start <= address < one.end), None)
        if known is not None:
            return known
        if self._bases is not None:
            return self._by_bases(address, self._bases)
        first = lowest = address // PAGE
        if any(low <= first <= high for low, high in self._barren):
            return None
        gap = 0
        for page in range(first, max(first - MOST_PAGES, 0), -1):
            if gap > LARGEST_GAP:
                break
            gap += 1
            lowest = page
            try:
                if self._read(page * PAGE, 4) != b"\x7fELF":
                    gap = 0
                    continue
                image = self._image(page * PAGE)
            except (Unreadable, NotElf):
                continue
            self._images.append(image)
            if address < image.end:
                return image
            lowest = -(-image.end // PAGE)
            break
        # A damaged stack has many addresses of nothing.
        self._barren.append((lowest, first))
        return None

    def _by_bases(self, address: int, bases: Sequence[int]) -> _Image | None:
        start = max((base for base in bases if base <= address), default=None)
        if start is None:
            return None
        try:
            image = self._image(start)
        except (Unreadable, NotElf):
            return None
        if not image.start <= address < image.end:
            return None
        self._images.append(image)
        return image

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
        found = self._last_before(table, count, address)
        if found is None:
            return False
        begin, entry = found
        size = self._size(entry, begin)
        return None if size is None else begin <= address < begin + size

    def _last_before(self, table: int, count: int, address: int) -> tuple[int, int] | None:
        """Where the last function begins that does not begin behind the address, and its entry."""
        low, high = 0, count  # the first entry that begins behind the address
        while low < high:
            middle = (low + high) // 2
            if self._pair(table, middle)[0] <= address:
                low = middle + 1
            else:
                high = middle
        return self._pair(table, low - 1) if low else None

    def _count(self, table: int) -> int | None:
        version, _, counted, pairs, _, count = TABLE.unpack(self._read(table, TABLE.size))
        known = version == 1 and (counted, pairs) == COUNT_AND_PAIRS
        return int(count) if known and count <= MOST_ENTRIES else None

    def _pair(self, table: int, index: int) -> tuple[int, int]:
        begin, entry = struct.unpack("<ii", self._read(table + TABLE.size + 8 * index, 8))
        return table + begin, table + entry

    def _size(self, entry: int, begin: int) -> int | None:
        """Of an FDE: its length, the distance to its CIE, where its code begins, how long it is.
        None: they are encoded in another way."""
        _, _, relative, size = struct.unpack("<IIiI", self._read(entry, 16))
        return int(size) if entry + 8 + relative == begin else None
