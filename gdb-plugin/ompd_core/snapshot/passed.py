# SPDX-License-Identifier: Apache-2.0
"""What does a function pass for certain in the call that a frame of it is in? By its code alone:
optimised, it may come to one call from several places, that each pass something else."""

from __future__ import annotations

from typing import Callable

from ..arch.base import Machine
from ..debugger import LONGEST_FUNCTION, Debugger
from ..errors import Unreadable
from ..model.native import Frame
from .symbol_end import symbol_end


def constant(
    debugger: Debugger, caller: Frame, argument_of: Callable[[str], int | None]
) -> int | None:
    """argument_of: which argument, by the name of what is called. None: not told."""
    code, machine = debugger.code, debugger.machine
    start = caller.entry or code.start(caller.pc)
    if machine is None or start is None or not 0 < caller.pc - start <= LONGEST_FUNCTION:
        return None
    disassembler, read = debugger.disassembler, code.read
    try:
        found = machine.constant_argument(disassembler, read, start, caller.pc, argument_of)
        if found is None:
            return None
        # No symbol may follow that of the last function.
        end = symbol_end(code, caller.pc, code.start(caller.pc)) or caller.pc + LONGEST_FUNCTION
        behind = _jumps_behind(debugger, machine, caller.pc, end)
        return machine.constant_argument(disassembler, read, start, caller.pc, argument_of, behind)
    except Unreadable:
        return None


def _jumps_behind(debugger: Debugger, machine: Machine, address: int, end: int) -> set[int]:
    """Where the code between an address and its function's end jumps."""
    code = machine.instructions(debugger.disassembler, address, end)
    jumps = [one for one in code.values() if one.flow in ("jump", "branch")]
    return {one.to.address for one in jumps if one.to.address is not None}
