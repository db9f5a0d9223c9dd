# SPDX-License-Identifier: Apache-2.0
"""All of a function's code: compilers put what is seldom executed of it elsewhere."""

from __future__ import annotations

from typing import Iterator, Mapping

from ..arch.base import Machine
from ..code.machine_code import Instruction
from ..debugger import Code, Debugger
from ..light_classes import NamedTuple
from .symbol_end import symbol_end

# In the name of the part that is seldom executed.
SELDOM = ".cold"
# A function is split into a few parts at most.
_MOST_PARTS = 4
_JUMPS = ("jump", "branch")


class Body(NamedTuple):
    """All its parts."""

    start: int
    code: Mapping[int, Instruction]  # where it goes, without what it does
    returns: Mapping[int, Instruction]  # the calls, by where they return to
    parts: Mapping[int, int]  # where each begins and ends

    def calls(self) -> Iterator[Instruction]:
        """Also the jumps to other functions."""
        for one in self.code.values():
            if one.flow == "call" or self._leaves(one):
                yield one

    def left_for(self) -> set[int]:
        """The functions that it jumps to."""
        targets = (one.to.address for one in self.code.values() if self._leaves(one))
        return {target for target in targets if target is not None}

    def _leaves(self, one: Instruction) -> bool:
        target = one.to.address
        return one.flow in _JUMPS and target is not None and target not in self.code

    @property
    def jumps_anywhere(self) -> bool:
        """By a number: in a switch, or to what cannot be told."""
        return any(one.flow in _JUMPS and one.to.address is None for one in self.code.values())


def at(debugger: Debugger, machine: Machine, start: int) -> Body | None:
    """None: too long, or where a part of it lies is not known, or what is there."""
    known = debugger.code
    code: dict[int, Instruction] = {}
    parts: dict[int, int] = {}
    waiting = [start]
    if SELDOM in (known.object(start) or ""):
        return None
    while waiting:
        part = waiting.pop()
        end = symbol_end(known, part, part)
        if end is None or len(parts) == _MOST_PARTS or not known.is_known(part, end):
            return None
        code.update(machine.instructions(debugger.disassembler, part, end))
        parts[part] = end
        for target in {one.to.address for one in code.values() if one.flow in _JUMPS}:
            if target is None or target in code or target in waiting:
                continue
            other = known.start(target)
            if other is not None and _is_part(known, other, start):
                if other not in parts and other not in waiting:
                    waiting.append(other)
            elif other != target:
                return None
    returns = {one.following: one for one in code.values() if one.flow == "call"}
    return Body(start, code, returns, parts)


def _is_part(known: Code, address: int, start: int) -> bool:
    name, other = known.object(start) or "", known.object(address) or ""
    return other.startswith(name) and SELDOM in other
