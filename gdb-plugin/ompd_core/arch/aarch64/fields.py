# SPDX-License-Identifier: Apache-2.0
"""What do fields of an instruction's word mean?"""

from __future__ import annotations

from ...code.machine_code import Number, Register, constant, number


def signed(value: int, bits: int) -> int:
    """The lowest bits, with their sign."""
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> (bits - 1) else value


def register(index: int) -> Number:
    """Where the last one is zero."""
    return constant(0) if index == 31 else number(Register(f"x{index}"))


def register_or_stack(index: int) -> Number:
    """Where the last one is the stack pointer."""
    return number(Register(name_or_stack(index)))


def name_or_stack(index: int) -> str:
    return "sp" if index == 31 else f"x{index}"
