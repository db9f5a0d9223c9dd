# SPDX-License-Identifier: Apache-2.0
"""What do x86-64's registers and instructions tell? Nothing else knows a register's name."""

from __future__ import annotations

import re
import struct
from typing import Callable

import gdb

# glibc keeps a thread's descriptor at its thread pointer: the value is also the pthread_t.
THREAD_POINTER = "fs_base"


def serves(architecture: str) -> bool:
    return architecture == "i386:x86-64"


def thread_pointer(frame: gdb.Frame) -> int | None:
    """Of the selected thread, whose frame this is."""
    try:
        return int(frame.read_register(THREAD_POINTER)) & 0xFFFFFFFFFFFFFFFF or None
    except (gdb.error, ValueError):
        return None


# How a constant gets into the register of an argument: lea ADDRESS(%rip), mov $ADDRESS of 4 bytes.
_LEA = {0: b"\x48\x8d\x3d", 2: b"\x48\x8d\x15"}
_MOVE = {0: b"\xbf", 2: b"\xba"}
_NAMES = {0: r"\b([re]?di|dil)\b", 2: r"\b([re]?dx|d[hl])\b"}
_CALL = re.compile(r"(?:notrack |bnd )*call\w*\s+0x[0-9a-f]+ <([^@>+]+)(?:@plt)?>")
_LEAVES = ("call", "j", "ret", "bnd", "notrack")
_JUMP = re.compile(r"(?:notrack |bnd )*j\w+\s+0x([0-9a-f]+)")


def constant_argument(
    architecture: gdb.Architecture,
    read: Callable[[int, int], bytes],
    start: int,
    returns_to: int,
    argument_of: Callable[[str], int | None],
) -> int | None:
    """An argument of the call that returns there; argument_of says which, by the name of what is
    called. None unless the code of the function that starts at `start' puts a constant into its
    register, with nothing between that could change it: no call, no jump, no mention of the
    register."""
    code = architecture.disassemble(start, returns_to - 1)
    if not code or code[-1]["addr"] + code[-1]["length"] != returns_to:
        return None
    called = _CALL.match(code[-1]["asm"])
    index = argument_of(called.group(1)) if called else None
    if index not in _NAMES:
        return None
    targets = {int(m.group(1), 16) for one in code if (m := _JUMP.match(one["asm"]))}
    for one in reversed(code[:-1]):
        address, length = one["addr"], one["length"]
        if address + length in targets or one["asm"].startswith(_LEAVES):
            return None
        if re.search(_NAMES[index], one["asm"]):
            return _constant(read(address, length), address + length, index)
    return None


def _constant(instruction: bytes, following: int, index: int) -> int | None:
    if instruction.startswith(_LEA[index]) and len(instruction) == 7:
        return (following + struct.unpack("<i", instruction[3:])[0]) & 0xFFFFFFFFFFFFFFFF
    if instruction.startswith(_MOVE[index]) and len(instruction) == 5:
        return int(struct.unpack("<I", instruction[1:])[0])
    return None


_AWAY = ("j", "ret", "bnd", "notrack", "loop", "ud2", "syscall", "hlt", "int3")
_NOT_STRAIGHT = ("call", *_AWAY)
MOST_OF_WRAPPER = 64  # instructions; those that compilers make have some twenty
_TARGET = re.compile(r"call\w*\s+(0x[0-9a-f]+)")


def is_straight(architecture: gdb.Architecture, start: int, end: int, calls: bool) -> bool:
    """Does what enters at the start certainly get to the end? calls: also through other
    functions."""
    away = _AWAY if calls else _NOT_STRAIGHT
    code = architecture.disassemble(start, end - 1) if start < end else []
    ends = [one["addr"] + one["length"] for one in code]
    return ends[-1:] == [end] and not any(one["asm"].startswith(away) for one in code)


def only_call(architecture: gdb.Architecture, start: int) -> int | None:
    """What a function calls that does nothing else."""
    called = None
    for one in architecture.disassemble(start, count=MOST_OF_WRAPPER):
        match = _TARGET.match(one["asm"])
        if match and called is None:
            called = int(match.group(1), 16)
        elif one["asm"].startswith("ret"):
            return called
        elif one["asm"].startswith(_NOT_STRAIGHT):
            return None
    return None


# ---- At a function's first instruction -----------------------------------------------------------

_ARGUMENTS = ("rdi", "rsi", "rdx", "rcx", "r8", "r9")
_WORD = 0xFFFFFFFFFFFFFFFF


def argument(frame: gdb.Frame, index: int) -> int:
    """An integer or a pointer, counted from 0."""
    return int(frame.read_register(_ARGUMENTS[index])) & _WORD


def stack_pointer(frame: gdb.Frame) -> int:
    return int(frame.read_register("rsp")) & _WORD


def return_address(frame: gdb.Frame, read: Callable[[int, int], bytes]) -> tuple[int, int]:
    """Where the function returns to, and the stack pointer there."""
    stack = stack_pointer(frame)
    return int(struct.unpack("<Q", read(stack, 8))[0]), stack + 8


def direct_call(read: Callable[[int, int], bytes], returns_to: int) -> int | None:
    """What is called by name in the call that returns there; None: it is a call by pointer."""
    code = read(returns_to - 5, 5)
    if code[0] != 0xE8:
        return None
    return (returns_to + int(struct.unpack("<i", code[1:])[0])) & _WORD
