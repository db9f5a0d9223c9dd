# SPDX-License-Identifier: Apache-2.0
"""Where does a function return to, and with what in its caller's registers, when nothing but its
code tells? By following the code from where a thread stands to where it returns, on every way."""

from __future__ import annotations

from typing import Callable, Iterator, Mapping, Sequence

from ..light_classes import NamedTuple, dataclass, field
from .machine_code import (
    Assign,
    Atom,
    Convention,
    Instruction,
    Memory,
    Number,
    Register,
    Step,
    Store,
    number,
)

# The longest are kernels of linear algebra, their loops unrolled.
MOST_INSTRUCTIONS = 1 << 14


class Return(NamedTuple):
    """As numbers of what registers and the stack hold now."""

    stack: Number  # the stack pointer at the return: the address to return to is there
    registers: tuple[tuple[str, Number], ...]  # those that the caller finds as it left them
    link: Number | None = None  # the address to return to, on machines that keep it in a register


# What is behind a call of these is not where the function goes on.
NEVER_RETURN = frozenset(
    "abort exit _exit _Exit quick_exit __assert_fail __stack_chk_fail _Unwind_Resume __cxa_throw"
    " __cxa_rethrow longjmp siglongjmp pthread_exit"
    " _FortranAStopStatement _FortranAStopStatementText _FortranAAbort _FortranAExit"
    " _gfortran_stop_numeric _gfortran_stop_string".split()
)

# The instruction at an address, and whether it returns. None: it cannot be read.
Decode = Callable[[int], "tuple[Instruction, bool] | None"]


def returns_from(
    start: int, decode: Decode, convention: Convention, kept: Sequence[str]
) -> Mapping[int, Return | None]:
    """Of the place at the start, and of each place on the way with the same answer. kept: the
    registers that functions leave as they were. None: no way is known to the end, or two ways
    differ."""
    found: Return | None = None
    waiting = [_State(start)]
    seen: dict[int, _Changed] = {}
    while waiting:
        if len(seen) == MOST_INSTRUCTIONS:
            return dict.fromkeys(seen) if found is None else _alike(seen, found)
        state = waiting.pop()
        if state.at in seen:
            continue
        seen[state.at] = _Changed(tuple(state.registers), tuple(state.stored))
        decoded = decode(state.at)
        if decoded is None:
            continue
        instruction, returns = decoded
        if returns or _leaves(instruction):
            end = state.returned(convention, kept)
            if end is None or found not in (None, end):
                return {start: None}
            found = end
            continue
        for step in instruction.steps:
            state.do(step)
        if instruction.flow == "call":
            state.after_call(convention)
        waiting += state.onward(instruction)
    return {start: None} if found is None else _alike(seen, found)


class _Changed(NamedTuple):
    """Since the start."""

    registers: Sequence[str]
    stored: Sequence[Number]


def _alike(seen: Mapping[int, _Changed], found: Return) -> Mapping[int, Return | None]:
    """The places where nothing has changed that tells where the function returns to."""
    numbers = [found.stack, *(value for _, value in found.registers)]
    numbers += [found.link] if found.link is not None else []
    atoms = set(_atoms(numbers))
    addresses = {atom.address for atom in atoms if isinstance(atom, Memory)}
    registers = {atom.name for atom in atoms if isinstance(atom, Register)}
    return {
        place: found
        for place, changed in seen.items()
        if registers.isdisjoint(changed.registers) and addresses.isdisjoint(changed.stored)
    }


def _atoms(numbers: Sequence[Number]) -> Iterator[Atom]:
    for one in numbers:
        for atom, _ in one.terms:
            yield atom
            if isinstance(atom, Memory):
                yield from _atoms([atom.address])


def never_returns(call: Instruction) -> bool:
    return call.flow == "call" and (call.to.name or "").partition("@")[0] in NEVER_RETURN


def _leaves(instruction: Instruction) -> bool:
    """A jump to what the dynamic linker wrote down: another function returns in the place of this
    one. Where a switch goes is in a table, found by a register."""
    pointer = instruction.to.pointer if instruction.flow == "jump" else None
    atom = pointer.only_atom() if pointer is not None else None
    return isinstance(atom, Memory) and atom.address.is_constant


@dataclass
class _State:
    at: int
    registers: dict[str, Number | None] = field(default_factory=dict)  # of those that changed
    stored: dict[Number, Number | None] = field(default_factory=dict)  # words

    def onward(self, instruction: Instruction) -> list[_State]:
        """What can be followed: not where a register says where to go."""
        targets = []
        if instruction.flow in ("jump", "branch") and instruction.to.address is not None:
            targets.append(instruction.to.address)
        if instruction.flow not in ("jump", "end") and not never_returns(instruction):
            targets.append(instruction.following)
        return [_State(at, dict(self.registers), dict(self.stored)) for at in targets]

    def do(self, step: Step) -> None:
        if isinstance(step, Assign):
            self.registers[step.register] = self._now(step.value)
        elif isinstance(step, Store):
            address = self._now(step.address)
            if address is not None:
                self.stored[address] = self._now(step.value) if step.size == 8 else None

    def after_call(self, convention: Convention) -> None:
        self.registers.update(dict.fromkeys(convention.lost))

    def returned(self, convention: Convention, kept: Sequence[str]) -> Return | None:
        stack = self._register(convention.stack)
        values = [(name, self._register(name)) for name in kept]
        if stack is None:
            return None
        known = tuple((name, value) for name, value in values if value is not None)
        link = self._register(convention.link) if convention.link is not None else None
        if len(known) != len(values) or (convention.link is not None and link is None):
            return None
        return Return(stack, known, link)

    def _register(self, name: str) -> Number | None:
        return self.registers.get(name, number(Register(name)))

    def _now(self, of: Number | None) -> Number | None:
        """In terms of what registers and memory held at the start."""
        if of is None:
            return None
        total = Number(of.constant)
        for atom, factor in of.terms:
            part = self._of_atom(atom)
            if part is None:
                return None
            total = total.plus(part.times(factor))
        # What restores registers and the stack is so much from a register, or a word there.
        return total if len(total.terms) <= 1 else None

    def _of_atom(self, atom: Atom) -> Number | None:
        if isinstance(atom, Register):
            return self._register(atom.name)
        if not isinstance(atom, Memory) or atom.size != 8:
            return None
        address = self._now(atom.address)
        if address is None or any(isinstance(one, Memory) for one, _ in address.terms):
            return None
        return self.stored[address] if address in self.stored else number(Memory(address, 8))
