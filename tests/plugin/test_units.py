# SPDX-License-Identifier: Apache-2.0
"""Is a mutex called the lock of one of libgfortran's units only where memory proves it?"""

from __future__ import annotations

from typing import Any

import pytest
from ompd_core.errors import Unreadable
from ompd_core.model.native import Frame, Location
from ompd_core.snapshot.units import Units

LIBRARY = "/lib/libgfortran.so.5"
UNIT, STREAM, TABLE, CODE, NAME = 0x5000, 0x6000, 0x7000, 0x8000, 0x9000
LOCK = UNIT + 224  # as of GCC 12
CALLER = Frame(Location(None, objfile=LIBRARY))


class Memory:
    """Of a process, and its code."""

    pointer_size = 8

    def __init__(self) -> None:
        self.code = self
        self.objfile = LIBRARY
        self.bytes = bytearray(0x6000)
        self.put(UNIT - 8, 0x301)
        self.put(UNIT, 17, 4)
        self.put(UNIT + 8, STREAM)
        self.put(STREAM, TABLE)
        self.put(TABLE, CODE)
        self.put(LOCK + 40, 1, 4)
        self.put(LOCK + 64, NAME)
        self.bytes[NAME - 0x4000 : NAME - 0x4000 + 8] = b"out.txt\0"

    def put(self, address: int, value: int, size: int = 8) -> None:
        at = address - 0x4000
        self.bytes[at : at + size] = value.to_bytes(size, "little")

    def read(self, address: int, nbytes: int) -> bytes:
        at = address - 0x4000
        if not 0 <= at <= len(self.bytes) - nbytes:
            raise Unreadable()
        return bytes(self.bytes[at : at + nbytes])

    def number(self, address: int, nbytes: int) -> int:
        return int.from_bytes(self.read(address, nbytes), "little")

    def location(self, address: int) -> Location:
        return Location(objfile=self.objfile if address == CODE else None)


def named(memory: Memory, lock: int = LOCK, caller: Frame = CALLER) -> str | None:
    target: Any = memory
    return Units(target).with_lock(lock, caller)


def test_a_unit() -> None:
    assert named(Memory()) == "17 (out.txt)"


@pytest.mark.parametrize("lock", range(UNIT + 0x90, UNIT + 0x200, 0x38))
def test_wherever_the_lock_is_in_it(lock: int) -> None:
    """As in other releases."""
    memory = Memory()
    memory.put(LOCK + 40, 0, 4)
    memory.put(lock + 40, 2, 4)
    memory.put(lock + 64, NAME)
    assert named(memory, lock) == "17 (out.txt)"


def test_a_name_with_a_length() -> None:
    """Before GCC 5."""
    memory = Memory()
    memory.put(LOCK + 60, 3, 4)
    assert named(memory) == "17 (out)"


@pytest.mark.parametrize("name", [0, 0x100000, UNIT])
def test_the_number_alone(name: int) -> None:
    memory = Memory()
    memory.put(UNIT, -10 & 0xFFFFFFFF, 4)  # as newunit= gives
    memory.put(LOCK + 64, name)
    assert named(memory) == "-10"


def test_linked_into_the_program() -> None:
    memory = Memory()
    memory.objfile = "/bin/heat"
    of_library = Frame(Location("get_gfc_unit", objfile="/bin/heat"), executable=True)
    assert named(memory, LOCK, of_library) == "17 (out.txt)"
    users = Frame(Location("lock_it", objfile="/bin/heat"), executable=True)
    assert named(memory, LOCK, users) is None


@pytest.mark.parametrize(
    "address, value, size",
    [
        (UNIT - 8, 0, 8),  # no block of memory
        (UNIT - 8, 0x81, 8),  # one that is over before the lock
        (UNIT + 8, 0, 8),
        (STREAM, 0x100000, 8),
        (TABLE, CODE + 8, 8),  # another library's object
        (LOCK + 40, 0, 4),  # nobody waits for it
        (LOCK + 44, 7, 4),
    ],
)
def test_no_unit(address: int, value: int, size: int) -> None:
    memory = Memory()
    memory.put(address, value, size)
    assert named(memory) is None


def test_two_that_could_be_it() -> None:
    memory = Memory()
    memory.put(UNIT + 16 - 8, 0x301)
    memory.put(UNIT - 8, 0x301)
    memory.put(UNIT + 32 - 8, 0x2E1)
    memory.put(UNIT + 32 + 8, STREAM)
    memory.put(UNIT + 8, STREAM)
    assert named(memory) is None
