# SPDX-License-Identifier: Apache-2.0
"""AArch64: the answers to all that base.Machine asks."""

from .calls import call_before, called, constant_argument, direct_call, follows_call, references
from .decoding import decoder, instructions
from .refusing import refused
from .registers import (
    COLUMNS,
    CONVENTION,
    KEPT,
    LIBC,
    NEXT,
    UNCHANGED,
    argument,
    blocked_before,
    code_address,
    first_argument,
    futex_wait,
    page_fault,
    passes_number,
    result,
    return_address,
    thread_pointer,
)
from .ways import builds_frame, epilogues, is_straight, next_call, only_call, only_way

__all__ = [
    "COLUMNS",
    "CONVENTION",
    "KEPT",
    "LIBC",
    "NEXT",
    "UNCHANGED",
    "argument",
    "blocked_before",
    "builds_frame",
    "call_before",
    "called",
    "code_address",
    "constant_argument",
    "decoder",
    "direct_call",
    "epilogues",
    "first_argument",
    "follows_call",
    "futex_wait",
    "instructions",
    "is_straight",
    "next_call",
    "only_call",
    "only_way",
    "page_fault",
    "passes_number",
    "references",
    "refused",
    "result",
    "return_address",
    "thread_pointer",
]
