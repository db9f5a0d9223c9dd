# SPDX-License-Identifier: Apache-2.0
"""Why did the processor not execute an instruction, by what the debugger wrote of it?"""

from __future__ import annotations

from ... import late_patterns
from ...code.refusal import NO_INSTRUCTION, NOT_THERE, PRIVILEGED, TRAP, UNDEFINED, Refusal
from ..base import KnownRegisters, Read

# Zeros are memory that nobody wrote code into.
_NOTHING = late_patterns.compile(r"\.inst|udf\s+#0$|\(bad\)")
_PRIVILEGED = late_patterns.compile(r"(hvc|smc|eret|msr|mrs|tlbi|at|ic|dc)\b")


def refused(how: str, text: str, registers: KnownRegisters, read: Read) -> Refusal | None:
    """It divides by zero without a word, and says of protected memory all there is."""
    if how != UNDEFINED:
        return None
    if _NOTHING.match(text):
        return Refusal(NO_INSTRUCTION, text)
    if text.startswith("udf"):
        return Refusal(TRAP, text)
    return Refusal(PRIVILEGED if _PRIVILEGED.match(text) else NOT_THERE, text)
