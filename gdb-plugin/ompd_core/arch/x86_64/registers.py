# SPDX-License-Identifier: Apache-2.0
"""What do the registers tell?"""

from __future__ import annotations

import struct
from typing import Callable

from ...code.futex import FutexWait
from ...code.machine_code import Convention
from ..base import FrameColumns, KnownRegisters, Libc, Read, Registers

# As the System V ABI has it.
CONVENTION = Convention(
    stack="rsp",
    arguments=("rdi", "rsi", "rdx", "rcx", "r8", "r9"),
    result="rax",
    lost=("rax", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11"),
    reach=128,
)
# What a function leaves as it was, and where the next instruction is.
KEPT: tuple[str, ...] = ("rbx", "rbp", "r12", "r13", "r14", "r15")
NEXT = "rip"
UNCHANGED: tuple[str, ...] = ()
COLUMNS = FrameColumns(stack=7, frame_pointer=6, frame_pointer_name="rbp", returns=16)
LIBC = Libc(thread_id=0x2D0, own_address=0x10, free_spin_lock=1, futex=202, kcmp=312)
# glibc keeps a thread's descriptor at its thread pointer.
_THREAD_POINTER = "fs_base"

# Linux' numbers of system calls, and what is in the register of the result while one waits that a
# stop has interrupted (linux/errno.h), or before it has begun.
_RESTART = 219
_TRAP, _PAGE_FAULT = 200, 14  # in struct ucontext: trapno, oldmask, cr2
_MASK = 296  # uc_sigmask there
_INTERRUPTED = (-512, -513, -514, -516, -38)
_TIMED_OUT = -110


def thread_pointer(
    registers: KnownRegisters, descriptor_size: Callable[[], int | None]
) -> int | None:
    return registers(_THREAD_POINTER) or None


def futex_wait(registers: KnownRegisters, read: Read) -> FutexWait | None:
    values = [registers(name) for name in ("orig_rax", "rax", "rdi", "rsi", "rdx", "r10")]
    if None in values:
        return None
    number, result, address, operation, expected, timeout = (value or 0 for value in values)
    if number not in (LIBC.futex, _RESTART):
        return None
    signed = result if result < 1 << 63 else result - (1 << 64)
    asleep = signed in _INTERRUPTED or (timeout != 0 and signed == _TIMED_OUT)
    return FutexWait(address, operation, expected & 0xFFFFFFFF, timeout != 0, asleep)


def page_fault(stack_pointer: int, read: Read) -> int | None:
    # Where struct ucontext is: the stack pointer has been moved behind the address to return to.
    trap, _, address = struct.unpack("<3Q", read(stack_pointer + _TRAP, 24))
    return address if trap == _PAGE_FAULT else None


def passes_number(code: bytes, number: int) -> bool:
    """By `mov' to eax, rax, edi or rdi."""
    operand = struct.pack("<I", number)
    at = code.find(operand)
    while at >= 0:
        if code[at - 1 : at] in (b"\xb8", b"\xbf") or code[at - 2 : at] in (
            b"\xc7\xc0",
            b"\xc7\xc7",
        ):
            return True
        at = code.find(operand, at + 1)
    return False


def blocked_before(stack_pointer: int, read: Read) -> int:
    return int(struct.unpack("<Q", read(stack_pointer + _MASK, 8))[0])


def first_argument(registers: KnownRegisters) -> int | None:
    return registers(CONVENTION.arguments[0])


def argument(registers: Registers, index: int) -> int:
    return registers(CONVENTION.arguments[index])


def result(registers: Registers) -> int:
    return registers(CONVENTION.result) & 0xFFFFFFFF


def code_address(value: int) -> int:
    return value


def return_address(registers: Registers, read: Read) -> tuple[int, int]:
    stack = registers(CONVENTION.stack)
    return int(struct.unpack("<Q", read(stack, 8))[0]), stack + 8
