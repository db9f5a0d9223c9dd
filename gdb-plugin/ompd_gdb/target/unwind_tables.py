# SPDX-License-Identifier: Apache-2.0
"""Is there unwind information for an address? From the image around it, as it lies in memory: its
headers, and the table that the linker makes of .eh_frame, sorted by address."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import Callable

from ..errors import Unreadable
from .elf import PT_LOAD, Format, NotElf

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


@dataclass(frozen=True)
class _Image:
    start: int
    end: int
    table: int  # 0: it has none that we can read


class Tables:
    def __init__(self, read: Callable[[int, int], bytes]) -> None:
        """Raises Unreadable."""
        self._read = read
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

    def _around(self, address: int) -> _Image | None:
        known = next((one for one in self._images if one.start <= address < one.end), None)
        if known is not None:
            return known
        for page in range(address // PAGE, max(address // PAGE - MOST_PAGES, 0), -1):
            try:
                if self._read(page * PAGE, 4) != b"\x7fELF":
                    continue
                image = self._image(page * PAGE)
            except (Unreadable, NotElf):
                continue
            if image.start <= address < image.end:
                self._images.append(image)
                return image
            break
        return None

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
        version, _, counted, pairs, _, count = _TABLE.unpack(self._read(table, _TABLE.size))
        if version != 1 or (counted, pairs) != _COUNT_AND_PAIRS or count > MOST_ENTRIES:
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
        return self._range(entry, begin, address)

    def _pair(self, table: int, index: int) -> tuple[int, int]:
        begin, entry = struct.unpack("<ii", self._read(table + _TABLE.size + 8 * index, 8))
        return table + begin, table + entry

    def _range(self, entry: int, begin: int, address: int) -> bool | None:
        """Of an FDE: its length, the distance to its CIE, where its code begins, how long it is."""
        _, _, relative, size = struct.unpack("<IIiI", self._read(entry, 16))
        if entry + 8 + relative != begin:
            return None  # encoded in another way
        return begin <= address < begin + int(size)
