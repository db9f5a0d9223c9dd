# SPDX-License-Identifier: Apache-2.0
"""Of which of libgfortran's units is a lock? Each release puts its members elsewhere, and all begin
with the unit's number and its stream, and have the same behind the lock (libgfortran/io/io.h)."""

from __future__ import annotations

from ..debugger import Debugger
from ..errors import Unreadable
from ..model.native import Frame

_FILE = "libgfortran"  # wheels add a hash to it
# What takes such a lock, where the library is linked into the program.
_LINKED = ("get_gfc_unit", "find_unit_1", "_gfortrani_")

# A gfc_unit is allocated by itself: below it stands its size.
_ALIGNMENT, _LARGEST, _MARKS = 16, 4096, 7
_STREAM = 8
# From its lock on: how many threads wait for it, whether it is closed, and its file's name, which
# before GCC 5 had a length instead of an end.
_WAITING, _CLOSED, _LENGTH, _NAME = 40, 44, 60, 64
_MOST_WAITING = 1 << 20
_LONGEST_NAME = 256


class Units:
    """Of one picture."""

    def __init__(self, debugger: Debugger) -> None:
        self._debugger = debugger

    def with_lock(self, lock: int, caller: Frame) -> str | None:
        """Its number, and its file: 17 (out.txt). lock: an address; caller: of pthread_mutex_lock.
        None: it is no unit's, or cannot be recognised."""
        name = (caller.location.objfile or "").rsplit("/", 1)[-1]
        linked = caller.executable and (caller.location.function or "").startswith(_LINKED)
        if not (name.startswith(_FILE) or linked) or self._debugger.pointer_size != 8:
            return None
        try:
            units = [at for at in self._before(lock) if self._is_unit(at, lock, caller)]
            if len(units) != 1:
                return None
            number = self._number(units[0], 4)
        except (Unreadable, OverflowError):
            return None
        number -= (number & 1 << 31) << 1
        file = self._file(lock)
        return f"{number} ({file})" if file else str(number)

    @staticmethod
    def _before(lock: int) -> range:
        first = lock - lock % _ALIGNMENT
        return range(first, max(first - _LARGEST, 0), -_ALIGNMENT)

    def _is_unit(self, at: int, lock: int, caller: Frame) -> bool:
        """Does a block of memory begin there that holds the lock, with a stream: something with a
        table of the library's functions?"""
        size = self._number(at - 8, 8) & ~_MARKS
        if not lock + _NAME + 8 - at <= size <= _LARGEST:
            return False
        if not 0 < self._number(lock + _WAITING, 4) < _MOST_WAITING:
            return False
        if self._number(lock + _CLOSED, 4) > 1:
            return False
        try:
            functions = self._number(self._number(self._number(at + _STREAM, 8), 8), 8)
        except (Unreadable, OverflowError):
            return False
        found = self._debugger.code.location(functions)
        return found.objfile is not None and found.objfile == caller.location.objfile

    def _file(self, lock: int) -> str | None:
        """None: it has none, or the name cannot be read."""
        try:
            length = self._number(lock + _LENGTH, 4) or _LONGEST_NAME
            address, text = self._number(lock + _NAME, 8), b""
            while address and len(text) < min(length, _LONGEST_NAME):
                byte = self._debugger.code.read(address + len(text), 1)
                if byte == b"\0":
                    break
                text += byte
            return text.decode() or None
        except (Unreadable, OverflowError, UnicodeDecodeError):
            return None

    def _number(self, address: int, nbytes: int) -> int:
        return self._debugger.number(address, nbytes)
