# SPDX-License-Identifier: Apache-2.0
"""What does a call call, and with what?"""

from __future__ import annotations

import struct
from typing import Callable, Collection, Iterator, Sequence

from ...code.machine_code import Assign, Instruction, Memory, Number, Register, constant, number
from ..base import Disassembler, Range, Read
from .decoding import decoded, named
from .fields import signed
from .words import SIZE, Decoded, decode


def _before(read: Read, returns_to: int) -> Decoded:
    (word,) = struct.unpack("<I", read(returns_to - SIZE, SIZE))
    return decode(returns_to - SIZE, word)


def called(read: Read, returns_to: int) -> int | None:
    return direct_call(read, returns_to)


def direct_call(read: Read, returns_to: int) -> int | None:
    one = _before(read, returns_to).instruction
    return one.to.address if one.flow == "call" else None


def call_before(disassembler: Disassembler, address: int) -> Instruction | None:
    (one,) = decoded(disassembler, address - SIZE, 1)
    if one.instruction.flow != "call" or one.instruction.to.address is None:
        return None
    (word,) = struct.unpack("<I", disassembler.read(address - SIZE, SIZE))
    return decode(address - SIZE, word, named(disassembler, address - SIZE)).instruction


def follows_call(read: Read, address: int) -> bool:
    return address % SIZE == 0 and _before(read, address).instruction.flow == "call"


def constant_argument(
    disassembler: Disassembler,
    read: Read,
    start: int,
    returns_to: int,
    argument_of: Callable[[str], int | None],
    jumped_to: Collection[int] = (),
) -> int | None:
    call = returns_to - SIZE
    name = (named(disassembler, call) or "").partition("+")[0].partition("@")[0]
    index = argument_of(name) if name else None
    if index is None:
        return None
    code = [one.instruction for one in decoded(disassembler, start, (call - start) // SIZE)]
    targets = {one.to.address for one in code if one.flow in ("jump", "branch")}
    targets.update(jumped_to)
    wanted = number(Register(f"x{index}"))
    for one in reversed(code):
        if one.following in targets or one.flow not in ("next", "padding"):
            return None
        for step in reversed(one.steps):
            if isinstance(step, Assign):
                found = _before_assigned(wanted, step)
                if found is None or found.is_constant:
                    return found.constant if found is not None else None
                wanted = found
    return None


def _before_assigned(of: Number, step: Assign) -> Number | None:
    """The same number by what the registers hold before. None: it is not told."""
    total = constant(of.constant)
    for atom, factor in of.terms:
        if not isinstance(atom, Register):
            return None
        part = step.value if atom.name == step.register else number(atom)
        if part is None:
            return None
        total = total.plus(part.times(factor))
    return total if not any(isinstance(one, Memory) for one, _ in total.terms) else None


def references(
    text: bytes, start: int, stubs: Sequence[Range], tables: Sequence[Range]
) -> Iterator[tuple[int, int]]:
    """Of a table, wherever the page that adrp has put into a register may be added to: the code
    that lies between is not followed."""
    words = struct.unpack(f"<{len(text) // SIZE}I", text[: len(text) // SIZE * SIZE])
    pages: dict[int, set[int]] = {}
    for i, word in enumerate(words):
        at = start + SIZE * i
        if word & 0x7C000000 == 0x14000000:  # b, bl
            target = at + SIZE * signed(word, 26)
            if any(first <= target < last for first, last in stubs):
                yield at, target
        elif word & 0x9F000000 == 0x90000000:  # adrp
            distance = signed((word >> 5 & 0x7FFFF) << 2 | (word >> 29 & 3), 21)
            page = (at & ~0xFFF) + (distance << 12)
            if any(page < last and first < page + 0x8000 for first, last in tables):
                pages.setdefault(word & 31, set()).add(page)
    for i, word in enumerate(words):
        if word & 0xFFC00000 != 0xF9400000:  # ldr
            continue
        for page in pages.get(word >> 5 & 31, ()):
            target = page + (word >> 10 & 0xFFF) * 8
            if any(first <= target < last for first, last in tables):
                yield start + SIZE * i, target
