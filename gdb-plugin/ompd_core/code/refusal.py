# SPDX-License-Identifier: Apache-2.0
"""Why did the processor not execute an instruction?"""

from __future__ import annotations

from ..light_classes import NamedTuple

# What it said of it.
UNDEFINED, DIVIDED, PROTECTED = "undefined", "divided", "protected"

TRAP = "trap"  # it is there to end the program
NOT_THERE = "not_supported"  # this processor does not have it
NO_INSTRUCTION = "no_instruction"
PRIVILEGED = "privileged"
BY_ZERO = "division_by_zero"
TOO_LARGE = "result_too_large"  # of a division
NOT_ALIGNED = "not_aligned"
NO_ADDRESS = "no_address"  # no memory can be there
RETURNS_NOWHERE = "returns_nowhere"
CALLS_NOTHING = "calls_nothing"  # and no code is at the next instruction's address


class Refusal(NamedTuple):
    why: str
    text: str  # the instruction, as the debugger writes it
    address: int | None = None
