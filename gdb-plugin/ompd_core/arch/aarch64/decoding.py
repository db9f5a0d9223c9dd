# SPDX-License-Identifier: Apache-2.0
"""What does code do? By its words; of the debugger's text only the names of what is called are
taken."""

from __future__ import annotations

import struct
from typing import Sequence

from ... import late_patterns
from ...code.machine_code import Instruction
from ...errors import Unreadable
from ..base import Decoder, Disassembler
from .words import SIZE, Decoded, decode

# What one reading of code is worth.
_AT_ONCE = 32
# GDB may write the name in colours.
_NAMED = late_patterns.compile(r"bl?\s+0x[0-9a-f]+\s+<([^>]+(?:>[^>]+)*)>")


def words(disassembler: Disassembler, start: int, count: int) -> Sequence[int]:
    if count <= 0:
        return ()
    return struct.unpack(f"<{count}I", disassembler.read(start, SIZE * count))


def decoded(disassembler: Disassembler, start: int, count: int) -> list[Decoded]:
    """Without names."""
    found = enumerate(words(disassembler, start, count))
    return [decode(start + SIZE * i, word) for i, word in found]


def named(disassembler: Disassembler, at: int) -> str | None:
    """What is called, or jumped to, by name."""
    (one,) = disassembler.some(at, 1)
    match = _NAMED.match(one.text)
    return match.group(1) if match else None


def instructions(
    disassembler: Disassembler, start: int, end: int, with_steps: bool = False
) -> dict[int, Instruction]:
    names = {}
    for one in disassembler.between(start, end):
        match = _NAMED.match(one.text)
        if match:
            names[one.address] = match.group(1)
    found = enumerate(words(disassembler, start, (end - start) // SIZE))
    code = ((start + SIZE * i, word) for i, word in found)
    return {at: decode(at, word, names.get(at)).instruction for at, word in code}


def decoder(disassembler: Disassembler) -> Decoder:
    known: dict[int, Decoded] = {}

    def look(address: int) -> None:
        # The code's last instructions: there are fewer.
        for count in (_AT_ONCE, 1):
            try:
                found = decoded(disassembler, address, count)
            except Unreadable:
                continue
            known.update({one.instruction.address: one for one in found})
            return

    def ask(address: int) -> tuple[Instruction, bool] | None:
        if address % SIZE:
            return None
        if address not in known:
            look(address)
        one = known.get(address)
        if one is None:
            return None
        instruction = one.instruction
        if instruction.flow == "call" and instruction.to.name is None:
            instruction = _with_name(disassembler, instruction)
        return instruction, one.returns

    return ask


def _with_name(disassembler: Disassembler, call: Instruction) -> Instruction:
    try:
        name = named(disassembler, call.address)
    except Unreadable:
        return call
    if name is None or call.to.address is None:
        return call
    word = words(disassembler, call.address, 1)[0]
    return decode(call.address, word, name).instruction
