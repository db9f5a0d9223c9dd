# SPDX-License-Identifier: Apache-2.0
"""What does binutils' objdump tell of an image's file: instructions, sections, stubs?"""

from __future__ import annotations

import functools
import re
import subprocess
from dataclasses import dataclass

from ompd_core.arch.base import Disassembled
from ompd_core.debugger import Section

_LONGEST_INSTRUCTION = 15
_SECTION = re.compile(r"^ *\d+ (\S+) +([0-9a-f]+) +([0-9a-f]+) .*\bALLOC\b", re.MULTILINE)
_INSTRUCTION = re.compile(r"^ *([0-9a-f]+):\t((?:[0-9a-f]{2} )+) *\t(.+)$", re.MULTILINE)
_STUB = re.compile(r"^0*([0-9a-f]+) <(.+@plt)>:$", re.MULTILINE)
# Addresses are written without 0x, and as the file has them.
_ADDRESS = re.compile(r"(?<![\w$])([0-9a-f]+)(?= <)")


@dataclass(frozen=True)
class File:
    path: str
    bias: int  # by how much it was moved when it was loaded

    def instructions(self, start: int, end: int) -> list[Disassembled]:
        """Those that begin from start to before end."""
        last = end - self.bias + _LONGEST_INSTRUCTION
        text = _told(
            "-d", "-w", f"--start-address={start - self.bias}", f"--stop-address={last}", self.path
        )
        found = [
            Disassembled(self._moved(at), len(code.split()), _ADDRESS.sub(self._absolute, words))
            for at, code, words in _INSTRUCTION.findall(text)
        ]
        return [one for one in found if one.address < end]

    def some(self, start: int, count: int) -> list[Disassembled]:
        return self.instructions(start, start + count * _LONGEST_INSTRUCTION)[:count]

    def sections(self) -> list[Section]:
        """Those that are in memory."""
        return [
            Section(name, self._moved(start), self._moved(start) + int(size, 16))
            for name, size, start in _SECTION.findall(_told("-h", "-w", self.path))
        ]

    @functools.cached_property
    def stubs(self) -> dict[int, str]:
        """The dynamic linker's, through which the image calls others: no table has their names."""
        parts = [f"--section={name}" for name in (".plt", ".plt.sec", ".plt.got")]
        return {self._moved(at): name for at, name in _STUB.findall(_told("-d", *parts, self.path))}

    def _moved(self, address: str) -> int:
        return int(address, 16) + self.bias

    def _absolute(self, match: re.Match[str]) -> str:
        return f"{self._moved(match[1]):#x}"


@functools.lru_cache(maxsize=None)
def _told(*options: str) -> str:
    """Empty if there is nothing of it in the file."""
    done = subprocess.run(
        ["objdump", *options],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        check=False,
    )
    return done.stdout
