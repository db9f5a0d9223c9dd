# SPDX-License-Identifier: Apache-2.0
"""What do the registers tell?"""

from __future__ import annotations

import struct
from typing import Callable

from ...code.futex import FutexWait
from ...code.machine_code import Convention
from ...errors import Unreadable
from ..base import FrameColumns, KnownRegisters, Libc, Read, Registers
from .words import LINK, SIZE

# As the procedure call standard has it. x18 is the platform's, and left alone by Linux.
CONVENTION = Convention(
    stack="sp",
    arguments=tuple(f"x{i}" for i in range(8)),
    result="x0",
    lost=tuple(f"x{i}" for i in (*range(19), 30)),
    link=LINK,
    reach=512,
)
# What a function leaves as it was, and where the next instruction is.
KEPT: tuple[str, ...] = tuple(f"x{i}" for i in range(19, 30))
NEXT = "pc"
# Which bits of an address are its signature, and the thread's own: the same in all of its frames.
UNCHANGED: tuple[str, ...] = ("pauth_dmask", "pauth_cmask", "tpidr", "tpidr2")
COLUMNS = FrameColumns(stack=31, frame_pointer=29, frame_pointer_name="x29", returns=30)
LIBC = Libc(thread_id=0xD0, own_address=None, free_spin_lock=0, futex=98, kcmp=272)

_THREAD_POINTER = "tpidr"
# Linux' numbers of system calls; a stop sets back those that wait to where they were made.
_NUMBER, _RESTART = "x8", 128
_CALLS_SYSTEM = 0xD4000001
_FAULT_ADDRESS = 128 + 176  # struct siginfo, struct ucontext up to uc_mcontext.fault_address
_MOVES = (0x52800000, 0xD2800000)  # movz of 32 and 64 bits
_MASK = 128 + 40  # uc_sigmask
# Of a process' addresses; what is above is a signature, or a tag.
_PLAIN = (1 << 48) - 1


def thread_pointer(
    registers: KnownRegisters, descriptor_size: Callable[[], int | None]
) -> int | None:
    """The descriptor lies in front of what is pointed to."""
    pointer = registers(_THREAD_POINTER)
    size = descriptor_size() if pointer else None
    return pointer - size if pointer and size else None


def futex_wait(registers: KnownRegisters, read: Read) -> FutexWait | None:
    values = [registers(name) for name in (NEXT, _NUMBER, "x0", "x1", "x2", "x3")]
    if None in values:
        return None
    at, number, address, operation, expected, timeout = (value or 0 for value in values)
    if number not in (LIBC.futex, _RESTART):
        return None
    try:
        (word,) = struct.unpack("<I", read(at, SIZE))
    except Unreadable:
        return None
    if word != _CALLS_SYSTEM:
        return None  # it is over, and has overwritten its first argument
    return FutexWait(address, operation & 0xFFFFFFFF, expected & 0xFFFFFFFF, timeout != 0, True)


def code_address(value: int) -> int:
    return value & _PLAIN


def page_fault(stack_pointer: int, read: Read) -> int | None:
    # struct rt_sigframe has siginfo in front. Of another signal it is an older fault's, or zero.
    (address,) = struct.unpack("<Q", read(stack_pointer + _FAULT_ADDRESS, 8))
    return address or None


def passes_number(code: bytes, number: int) -> bool:
    """By `mov' to w8, x8, w0 or x0."""
    moves = (kind | number << 5 | register for kind in _MOVES for register in (8, 0))
    return any(struct.pack("<I", move) in code for move in moves)


def blocked_before(stack_pointer: int, read: Read) -> int:
    return int(struct.unpack("<Q", read(stack_pointer + _MASK, 8))[0])


def first_argument(registers: KnownRegisters) -> int | None:
    return registers(CONVENTION.arguments[0])


def argument(registers: Registers, index: int) -> int:
    return registers(CONVENTION.arguments[index])


def result(registers: Registers) -> int:
    return registers(CONVENTION.result) & 0xFFFFFFFF


def return_address(registers: Registers, read: Read) -> tuple[int, int]:
    return code_address(registers(LINK)), registers(CONVENTION.stack)
