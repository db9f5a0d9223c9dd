# SPDX-License-Identifier: Apache-2.0
"""Which machine is it, what are a frame's registers, and what does GDB disassemble?"""

from __future__ import annotations

import re
from typing import Any, Callable, Iterable, Iterator, Sequence

import gdb
from ompd_core import arch, late_patterns
from ompd_core.arch.base import Disassembled, KnownRegisters, Machine, Registers
from ompd_core.errors import Unreadable, UserError
from ompd_core.formats.elf import ElfFile, NotElf

from .. import texts
from . import console

# "=> 0x0000000000401136 <main+4>:\te8 f5 fe ff ff\tcall 0x401030 <f>"
_PRINTED = late_patterns.compile(
    r"^(?:=>)? *(0x[0-9a-f]+).*?:\t((?:[0-9a-f]{2,8} ?)+) *\t(.*)$", re.MULTILINE
)
_WORD = 0xFFFFFFFFFFFFFFFF
# GDB's own name of the register, on every machine.
STACK_POINTER = "sp"
# As GDB 10 does of an expression in the language "unknown", and of disassembling where a symbol's
# name is no UTF-8. 13, which has this, is the next that was tried.
_DIES = not hasattr(gdb, "current_language")


def of_frame(frame: gdb.Frame) -> Machine | None:
    return arch.named(frame.architecture().name())


def of_inferior(inferior: gdb.Inferior) -> Machine | None:
    return arch.named(inferior.architecture().name())


def check_program(inferior: gdb.Inferior) -> None:
    """Of a process that GDB has not come to. Raises UserError if it never could, since it does not
    know the processor."""
    try:
        file = ElfFile(texts.filename(inferior.progspace) or "")
    except (NotElf, OSError):
        return
    file.close()
    check(inferior, file.machine, "program")


def check(inferior: gdb.Inferior, number: int, whose: str = "core file") -> None:
    """number: ELF's, of the processor. Raises UserError if this GDB takes it for another one."""
    processor = arch.processor(number)
    if processor is None or processor.is_one_of([inferior.architecture().name()]):
        return
    raise UserError(
        "unknown_processor",
        f"This GDB does not know the processor of the {whose}, {processor.name}.",
        "Use one that knows it: gdb-multiarch.",
    )


def registers(frame: gdb.Frame) -> Registers:
    """They raise gdb.error."""
    return lambda name: int(frame.read_register(name)) & _WORD


def known_registers(frame: gdb.Frame | gdb.PendingFrame) -> KnownRegisters:
    def known(name: str) -> int | None:
        try:
            return int(frame.read_register(name)) & _WORD
        except (gdb.error, ValueError):
            return None

    return known


def held(frame: gdb.Frame | gdb.PendingFrame, name: str) -> gdb.Value | None:
    """None: not all processors have it."""
    try:
        return frame.read_register(name)
    except (gdb.error, ValueError):
        return None


def registers_at_breakpoint() -> Registers:
    """Of the thread that has just come to a breakpoint, as its frame has them. GDB need not unwind
    that frame to read them: it would be most of what the breakpoint costs."""
    if _DIES and gdb.parameter("language") == "unknown":
        return registers(gdb.newest_frame())
    return _evaluated


def _evaluated(name: str) -> int:
    try:
        return int(gdb.parse_and_eval(f"${name}")) & _WORD
    except gdb.error:
        # The language "unknown" has no expressions.
        return registers(gdb.newest_frame())(name)


def stack_pointer(frame: gdb.Frame) -> int:
    return registers(frame)(STACK_POINTER)


def stack_pointer_at_breakpoint() -> int:
    return registers_at_breakpoint()(STACK_POINTER)


class Disassembly:
    """What an architecture of GDB's disassembles."""

    def __init__(self, architecture: gdb.Architecture) -> None:
        self._architecture = architecture

    def read(self, address: int, nbytes: int) -> bytes:
        try:
            return bytes(gdb.selected_inferior().read_memory(address, nbytes))
        except (gdb.error, OverflowError) as error:
            raise Unreadable(str(error)) from None

    def between(self, start: int, end: int) -> Sequence[Disassembled]:
        return self._asked(
            lambda: self._architecture.disassemble(start, end - 1), lambda: _printed(start, end)
        )

    def some(self, start: int, count: int) -> Sequence[Disassembled]:
        return self._asked(
            lambda: self._architecture.disassemble(start, count=count),
            lambda: _printed_from(start, count),
        )

    @staticmethod
    def _asked(
        ask: Callable[[], Sequence[dict[str, Any]]], printed: Callable[[], Iterable[Disassembled]]
    ) -> Sequence[Disassembled]:
        """printed: the same, of what a command prints, where a symbol's name is no text."""
        try:
            if _DIES:
                return list(printed())
            try:
                return [Disassembled(one["addr"], one["length"], one["asm"]) for one in ask()]
            except UnicodeDecodeError:
                return list(printed())
        except gdb.error as error:
            raise Unreadable(str(error)) from None


def _printed(start: int, end: int) -> Iterator[Disassembled]:
    for place, raw, text in _PRINTED.findall(console.output_in_c(f"disassemble /r {start},{end}")):
        yield Disassembled(int(place, 16), len(bytes.fromhex(raw)), text)


def _printed_from(start: int, count: int) -> Iterator[Disassembled]:
    for _ in range(count):
        for one in _printed(start, start + 1):
            yield one
            start = one.address + one.length
