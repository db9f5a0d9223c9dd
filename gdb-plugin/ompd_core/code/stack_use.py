# SPDX-License-Identifier: Apache-2.0
"""How much stack does the code of a function take, and what memory does one instruction use?"""

from __future__ import annotations

from typing import Callable, Iterator, Mapping

from ..light_classes import NamedTuple
from .machine_code import Assign, Convention, Instruction, Memory, Number, Register, Store, constant
from .machine_state import MachineState

_WORD = 1 << 64
_SMALLEST = 16  # bytes of what alloca() takes: less makes room for arguments
# What one instruction uses at most, so that the kernel may name a later byte of it.
WIDEST = 64


class Taken(NamedTuple):
    """From where the stack pointer was at a function's first instruction."""

    most: int  # bytes, by numbers that the code holds
    any: bool  # and by one that it does not: an array of variable length, alloca()
    again: bool  # and in a loop


def taken(code: Mapping[int, Instruction], convention: Convention, entry: int, pc: int) -> Taken:
    """By a function's instructions before pc, in the order of their addresses. What it certainly
    does not take is more than that."""
    state = MachineState(convention, entry)
    stack, start = convention.stack, state.registers[convention.stack]
    (begin,) = start.terms
    loops = list(_loops(code))
    most, any_number, again, lowest = 0, False, False, state.copy()
    for address in sorted(address for address in code if address < pc):
        one, before = code[address], state.registers[stack]
        for step in one.steps:
            state.do(step, address)
            # To be aligned, or from elsewhere: that is not what takes more.
            if begin not in state.registers.get(stack, constant(0)).terms:
                state.registers[stack] = before
        after = state.registers[stack]
        fixed = [value for value in state.registers.values() if value.terms == start.terms]
        most = max(most, *(_depth(value) for value in fixed), 0)
        varies = len(after.terms) > 1
        any_number = any_number or varies
        takes = after != before if varies else _depth(after) >= _depth(before) + _SMALLEST
        if takes and any(first <= address <= last for first, last in loops):
            again = True
        if varies or _depth(after) >= _depth(lowest.registers[stack]):
            lowest = state.copy()
        if one.flow == "call":
            state.after_call()
        elif one.flow in ("end", "jump"):
            state = lowest.copy()  # what follows comes from elsewhere
    return Taken(most, any_number, again)


def _depth(value: Number) -> int:
    """Below where the stack pointer was, if it is below."""
    depth = -value.constant % _WORD
    return depth if depth < _WORD >> 1 else 0


def _loops(code: Mapping[int, Instruction]) -> Iterator[tuple[int, int]]:
    for address, one in code.items():
        target = one.to.address
        if one.flow not in ("jump", "branch") or target is None:
            continue
        if target in code and target <= address:
            yield target, address


class Used(NamedTuple):
    address: int
    by_stack: bool  # its place is told by the stack or the frame pointer alone


def used(
    one: Instruction,
    convention: Convention,
    frame_pointer: str,
    register: Callable[[str], int | None],
) -> Iterator[Used]:
    """The memory that an instruction uses, as far as it can be told."""
    changed: dict[str, Number | None] = {}

    def value(of: Number) -> int | None:
        total = of.constant
        for atom, factor in of.terms:
            if not isinstance(atom, Register):
                return None
            if atom.name in changed:
                after = changed.pop(atom.name)
                found = value(after) if after is not None else None
                changed[atom.name] = after
            else:
                found = register(atom.name)
            if found is None:
                return None
            total += found * factor
        return total % _WORD

    def at(address: Number | None) -> Iterator[Used]:
        found = value(address) if address is not None else None
        if address is not None and found is not None:
            names = {atom.name for atom, _ in address.terms if isinstance(atom, Register)}
            yield Used(found, bool(names) and names <= {convention.stack, frame_pointer})

    for step in one.steps:
        if isinstance(step, Store):
            yield from at(step.address)
        elif isinstance(step, Assign):
            yield from at(_loaded(step.value))
            changed[step.register] = step.value
        else:
            yield from at(_loaded(step.value))
    if one.flow == "call":
        yield from at(_loaded(one.to.pointer))
        stack = register(convention.stack)
        if convention.link is None and stack is not None:
            yield Used((stack - 8) % _WORD, True)


def _loaded(value: Number | None) -> Number | None:
    """The address of the one number that is read from memory."""
    found = [atom.address for atom, _ in value.terms if isinstance(atom, Memory)] if value else []
    return found[0] if len(found) == 1 else None
