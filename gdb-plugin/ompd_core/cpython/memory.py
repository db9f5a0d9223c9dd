# SPDX-License-Identifier: Apache-2.0
"""Reads within bounds. Whatever is wrong, Unreadable is raised."""

from __future__ import annotations

import struct
from typing import Callable, Iterator

from ..errors import Unreadable

Read = Callable[[int, int], bytes]  # raises Unreadable

MOST_INTERPRETERS = 64
MOST_STATES = 65536
MOST_FRAMES = 20000  # of a thread's
MOST_TEXT = 4096  # characters
MOST_TABLE = 1 << 20  # bytes of a line table
MOST_CODE = 1 << 28  # an instruction is no further from its code object
# Offsets of members that the interpreter itself tells; in an interpreter's state.
MOST_OFFSET, MOST_STATE = 1 << 12, 1 << 24


class Memory:
    """Of a 64-bit little-endian process: others have another layout."""

    def __init__(self, read: Read) -> None:
        self._read = read

    def bytes(self, address: int, nbytes: int) -> bytes:
        if not 4096 <= address < 1 << 56:
            raise Unreadable(f"{address:#x} is no address")
        return self._read(address, nbytes)

    def word(self, address: int) -> int:
        return int(struct.unpack("<Q", self.bytes(address, 8))[0])

    def int32(self, address: int) -> int:
        return int(struct.unpack("<i", self.bytes(address, 4))[0])

    def chain(self, first: int, following: int, most: int) -> Iterator[int]:
        """A list through its members at `following', up to the first that was there already."""
        seen: set[int] = set()
        while first and first not in seen and len(seen) < most:
            seen.add(first)
            yield first
            first = self.word(first + following)


class Record:
    """A structure's bytes, of one read."""

    def __init__(self, memory: Memory, address: int, nbytes: int) -> None:
        self._bytes = memory.bytes(address, nbytes)

    def word(self, offset: int) -> int:
        return int(struct.unpack_from("<Q", self._bytes, offset)[0])

    def int32(self, offset: int) -> int:
        return int(struct.unpack_from("<i", self._bytes, offset)[0])
