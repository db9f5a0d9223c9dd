# SPDX-License-Identifier: Apache-2.0
"""What is in the memory of a process on this machine that runs, and is not attached to?"""

from __future__ import annotations

import os
import struct

from ..errors import Unreadable
from .elf import ElfFile, NotElf

_RANDOM = 25  # linux/auxvec.h: where they are


class FreeMemory:
    def __init__(self, pid: int) -> None:
        """Raises OSError, NotElf."""
        program = ElfFile(f"/proc/{pid}/exe")
        program.close()
        self.byte_order, self.pointer_size = program.format.byte_order, program.format.pointer_size
        with open(f"/proc/{pid}/auxv", "rb") as file:
            data = file.read()
        kind = program.format.order + ("QQ" if program.format.wide else "II")
        whole = len(data) - len(data) % struct.calcsize(kind)
        self.auxv = {int(key): int(word) for key, word in struct.iter_unpack(kind, data[:whole])}
        self._file = os.open(f"/proc/{pid}/mem", os.O_RDONLY | os.O_CLOEXEC)

    def read(self, address: int, nbytes: int) -> bytes:
        """Raises Unreadable."""
        try:
            data = os.pread(self._file, nbytes, address)
        except (OSError, OverflowError):
            raise Unreadable() from None
        if len(data) != nbytes:
            raise Unreadable()
        return data

    def close(self) -> None:
        os.close(self._file)


def random_bytes(pid: int) -> bytes | None:
    """That the kernel gave to the program when it was executed."""
    try:
        free = FreeMemory(pid)
    except (OSError, NotElf):
        return None
    try:
        return free.read(free.auxv[_RANDOM], 16)
    except (KeyError, Unreadable):
        return None
    finally:
        free.close()
