# SPDX-License-Identifier: Apache-2.0
"""What does a call call, and with what?"""

from __future__ import annotations

import re
import struct
from typing import Callable, Collection, Iterator, Sequence

from ... import late_patterns
from ...code.machine_code import Instruction
from ..base import Disassembler, Range, Read
from .decoding import decode

_WORD = 0xFFFFFFFFFFFFFFFF
_CALL_TO = late_patterns.compile(r"call\w*\s+(0x[0-9a-f]+)")


def called(read: Read, returns_to: int) -> int | None:
    code = read(returns_to - 6, 6)
    there = returns_to + int.from_bytes(code[2:], "little", signed=True)
    if code[1:2] == b"\xe8":
        return there & 0xFFFFFFFFFFFFFFFF
    if code[:2] == b"\xff\x15":
        return int.from_bytes(read(there, 8), "little")
    return None


def direct_call(read: Read, returns_to: int) -> int | None:
    code = read(returns_to - 5, 5)
    if code[0] != 0xE8:
        return None
    return (returns_to + int(struct.unpack("<i", code[1:])[0])) & _WORD


def call_before(disassembler: Disassembler, address: int) -> Instruction | None:
    """Of five bytes."""
    (one,) = disassembler.some(address - 5, 1)
    if one.length != 5 or not _CALL_TO.match(one.text):
        return None
    return decode(one.address, one.length, one.text, False)


def follows_call(read: Read, address: int) -> bool:
    code = read(address - 7, 7)
    if code[2] == 0xE8:
        return True
    # call by a register, or by memory: ff /2, with what the operand needs.
    return any(
        code[7 - size] == 0xFF
        and code[8 - size] >> 3 & 7 == 2
        and _length(code[8 - size :]) == size
        for size in (2, 3, 4, 6, 7)
    )


def _length(operand: bytes) -> int:
    """Of an instruction of one byte and this operand."""
    mode, base = operand[0] >> 6, operand[0] & 7
    index = 1 if mode != 3 and base == 4 else 0
    if mode == 0 and (base == 5 or (index and len(operand) > 1 and operand[1] & 7 == 5)):
        return 2 + index + 4
    return 2 + index + {0: 0, 1: 1, 2: 4, 3: 0}[mode]


# How a constant gets into the register of an argument: lea ADDRESS(%rip), mov $ADDRESS of 4 bytes;
# gcc's code that is not optimised takes it by way of rax.
_BY_RAX = -1
_LEA = {
    0: b"\x48\x8d\x3d",
    1: b"\x48\x8d\x35",
    2: b"\x48\x8d\x15",
    4: b"\x4c\x8d\x05",
    _BY_RAX: b"\x48\x8d\x05",
}
_MOVE = {0: b"\xbf", 1: b"\xbe", 2: b"\xba", 4: b"\x41\xb8", _BY_RAX: b"\xb8"}
_COPY = {0: b"\x48\x89\xc7", 1: b"\x48\x89\xc6", 2: b"\x48\x89\xc2", 4: b"\x49\x89\xc0"}
_NAMES = {
    0: r"\b([re]?di|dil)\b",
    1: r"\b([re]?si|sil)\b",
    2: r"\b([re]?dx|d[hl])\b",
    4: r"\br8[dwb]?\b",
    _BY_RAX: r"\b([re]?ax|a[hl])\b",
}
_CALL = late_patterns.compile(r"(?:notrack |bnd )*call\w*\s+0x[0-9a-f]+ <([^@>+]+)(?:@plt)?>")
_LEAVES = ("call", "j", "ret", "bnd", "notrack")
_JUMP = late_patterns.compile(r"(?:notrack |bnd )*j\w+\s+0x([0-9a-f]+)")


def constant_argument(
    disassembler: Disassembler,
    read: Read,
    start: int,
    returns_to: int,
    argument_of: Callable[[str], int | None],
    jumped_to: Collection[int] = (),
) -> int | None:
    code = disassembler.between(start, returns_to)
    if not code or code[-1].following != returns_to:
        return None
    called = _CALL.match(code[-1].text)
    index = argument_of(called.group(1)) if called else None
    if index is None or index not in _COPY:
        return None
    targets = {int(m.group(1), 16) for one in code if (m := _JUMP.match(one.text))}
    targets.update(jumped_to)
    for one in reversed(code[:-1]):
        if one.following in targets or one.text.startswith(_LEAVES):
            return None
        if re.search(_NAMES[index], one.text):
            instruction = read(one.address, one.length)
            if instruction != _COPY.get(index):
                return _constant(instruction, one.following, index)
            index = _BY_RAX
    return None


def _constant(instruction: bytes, following: int, index: int) -> int | None:
    address = instruction[-4:]
    if instruction == _LEA[index] + address:
        return (following + int.from_bytes(address, "little", signed=True)) & _WORD
    if instruction == _MOVE[index] + address:
        return int.from_bytes(address, "little")
    return None


# call, jmp and conditional jumps to an address; the same, and mov, by the dynamic linker's table.
_DIRECT = late_patterns.compile(rb"[\xe8\xe9]|\x0f[\x80-\x8f]")
_BY_TABLE = late_patterns.compile(
    rb"\xff[\x15\x25]|[\x48\x4c]\x8b[\x05\x0d\x15\x1d\x25\x2d\x35\x3d]"
)


def references(
    text: bytes, start: int, stubs: Sequence[Range], tables: Sequence[Range]
) -> Iterator[tuple[int, int]]:
    for pattern, targets in ((_DIRECT, stubs), (_BY_TABLE, tables)):
        for match in pattern.finditer(text):
            if match.end() + 4 > len(text):
                continue
            following = start + match.end() + 4
            target = following + struct.unpack_from("<i", text, match.end())[0]
            if any(first <= target < last for first, last in targets):
                yield start + match.start(), target
