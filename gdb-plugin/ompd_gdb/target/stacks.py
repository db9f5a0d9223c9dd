# SPDX-License-Identifier: Apache-2.0
"""Where is a thread, and what is at an address? Frames and places as plain records."""

from __future__ import annotations

import re
from typing import Iterator

import gdb

from ..model.native import Frame, Location

# A frame of the user's lies a few frames above the runtime's. Recursion can pile up tens of
# thousands.
MOST_FRAMES = 256


class Code:
    """The code of one inferior: names and lines."""

    def __init__(self, inferior: gdb.Inferior, executable: tuple[int, int] | None) -> None:
        self._progspace = inferior.progspace
        self._executable = executable or (0, 0)

    def frames(self) -> Iterator[Frame]:
        """Of the selected thread, innermost first. Ends where GDB cannot unwind any further."""
        try:
            frame: gdb.Frame | None = gdb.newest_frame()
            for _ in range(MOST_FRAMES):
                if frame is None:
                    return
                yield self._record(frame)
                frame = frame.older()
        except gdb.error:
            return

    def _record(self, frame: gdb.Frame) -> Frame:
        pc = frame.pc()
        sal = frame.find_sal()
        symtab = sal.symtab
        function = frame.function()
        location = Location(
            function=frame.name(),
            file=symtab.filename if symtab else None,
            fullname=symtab.fullname() if symtab else None,
            line=sal.line or None if symtab else None,
            pc=pc,
            objfile=self._objfile(pc),
        )
        entry = int(function.value().address) if function is not None else None
        return Frame(location, entry=entry, executable=self._in_executable(pc))

    def _in_executable(self, pc: int) -> bool:
        return self._executable[0] <= pc < self._executable[1]

    def _objfile(self, pc: int) -> str | None:
        if self._in_executable(pc):
            return self._progspace.filename
        return self._progspace.solib_name(pc)

    def location(self, address: int) -> Location:
        """Of a function's address."""
        sal = self._progspace.find_pc_line(address)
        symtab = sal.symtab
        return Location(
            function=self._function(address),
            file=symtab.filename if symtab else None,
            fullname=symtab.fullname() if symtab else None,
            line=sal.line or None if symtab else None,
            pc=address,
            objfile=self._objfile(address),
        )

    def _function(self, address: int) -> str | None:
        block = self._progspace.block_for_pc(address)
        while block is not None:
            if block.function is not None:
                return str(block.function)
            block = block.superblock
        # A decimal number is one in every language that GDB knows.
        try:
            text = gdb.execute(f"info symbol {address}", to_string=True)
        except gdb.error:
            return None
        match = re.match(r"(.+?)(?: \+ \d+)? in section ", text)
        return match.group(1) if match else None
