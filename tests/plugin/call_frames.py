# SPDX-License-Identifier: Apache-2.0
"""What do files say of how a caller's frame is found? As binutils read it, place by place."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path
from typing import Iterator, Mapping, NamedTuple

from ompd_core.arch.base import FrameColumns
from ompd_core.errors import Unreadable
from ompd_core.formats.call_frames import CallFrames, Row
from ompd_core.formats.elf import PT_LOAD, ElfFile

BASE = 0x7000_0000_0000


class Told(NamedTuple):
    """binutils' words, by column: rsp+8, c-16, exp; u: as it is, or undefined."""

    address: int
    words: Mapping[str, str]


def told_by_binutils(file: Path) -> Iterator[Told]:
    """Of each row, the first address that it is for."""
    text = subprocess.check_output(
        ["readelf", "-wFN", file], text=True, env={"LC_ALL": "C", "PATH": "/usr/bin:/bin"}
    )
    names: list[str] = []
    in_entry = False
    for line in text.splitlines():
        words = line.split()
        if re.match(r"[0-9a-f]{8} ", line) and len(words) > 3:
            in_entry = words[3] == "FDE"
        elif words[:2] == ["LOC", "CFA"]:
            names = words[1:]
        elif in_entry and re.match(r"[0-9a-f]{16} ", line):
            # A register by its number has its name behind it.
            rules = ["u" if one == "s" else one for one in words[1:] if not one.startswith("(")]
            yield Told(int(words[0], 16), dict(zip(names, rules)))


class Loaded:
    """A file as it lies in a process; some bytes of it another one's."""

    def __init__(self, file: Path) -> None:
        elf = ElfFile(str(file))
        loads = [one for one in elf.segments() if one.kind == PT_LOAD]
        self.parts = [
            (BASE + one.address, bytearray(elf.read(one.offset, one.file_size))) for one in loads
        ]
        elf.close()

    def read(self, address: int, nbytes: int) -> bytes:
        for start, data in self.parts:
            if start <= address <= address + nbytes <= start + len(data):
                return bytes(data[address - start : address - start + nbytes])
        raise Unreadable()

    def frames(self, columns: FrameColumns) -> CallFrames:
        return CallFrames(self.read, [BASE], columns)


def words_of(row: Row, columns: FrameColumns, stack: str) -> dict[str, str]:
    """In binutils' words."""
    register = columns.frame_pointer_name if row.by_frame_pointer else stack
    at = row.frame_pointer_at, row.returns_at
    pointer, returns = ("u" if one is None else f"c{one:+d}" for one in at)
    return {"CFA": f"{register}{row.offset:+d}", columns.frame_pointer_name: pointer, "ra": returns}
