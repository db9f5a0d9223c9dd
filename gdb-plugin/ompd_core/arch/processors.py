# SPDX-License-Identifier: Apache-2.0
"""Whose code is a file's, and does a debugger know that processor? Also those of which no machine
is known here: a debugger that does not know one reads a core file of it as if it were another's."""

from __future__ import annotations

from typing import Iterable

from ..light_classes import NamedTuple


class Processor(NamedTuple):
    name: str  # for people
    names: tuple[str, ...]  # debuggers', or what they begin with

    def is_one_of(self, architectures: Iterable[str]) -> bool:
        return any(one.startswith(self.names) for one in architectures)


# By the number in ELF's header.
_PROCESSORS = {
    3: Processor("x86", ("i386",)),
    20: Processor("PowerPC", ("powerpc:common", "rs6000")),
    21: Processor("PowerPC 64", ("powerpc:common64",)),
    22: Processor("S/390", ("s390",)),
    40: Processor("Arm", ("arm",)),
    62: Processor("x86-64", ("i386",)),
    183: Processor("AArch64", ("aarch64",)),
    243: Processor("RISC-V", ("riscv",)),
    258: Processor("LoongArch", ("Loongarch", "loongarch")),
}


def processor(number: int) -> Processor | None:
    """None: it is not known what debuggers call it."""
    return _PROCESSORS.get(number)
