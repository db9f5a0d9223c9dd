# SPDX-License-Identifier: Apache-2.0
"""What do registers and the stack hold at a point of a function, on every path that leads there?

A number that the code does not tell gets a name as soon as it is used. Two places with the same
name hold the same number, so that it can be read later from any of them that still has it."""

from __future__ import annotations

from typing import Callable

from ..light_classes import NamedTuple
from .machine_code import (
    Assign,
    Atom,
    Compare,
    Convention,
    Low,
    Memory,
    Number,
    Register,
    Step,
    Store,
    Truth,
    Unknown,
    constant,
    low,
    low_bytes,
    number,
    tested_by,
)

# How deep a number may be nested in others: loads of loads.
DEEPEST = 6
MOST_TERMS = 8
_WORD = 1 << 64


class Reader(NamedTuple):
    """How a thread's registers and its memory are read. None: they cannot be."""

    register: Callable[[str], int | None]
    memory: Callable[[int, int], int | None]


class MachineState:
    def __init__(self, convention: Convention, entry: int) -> None:
        self._convention = convention
        self.registers = {convention.stack: number(Unknown(entry, convention.stack))}
        # A constant has a name here: its slot may be changed unseen, and is read again then.
        self.stack: dict[Memory, Number] = {}
        self.shared: frozenset[Number] = frozenset()  # addresses of slots that others may know
        self.compared: Number | None = None
        self.limit: tuple[Number, int] | None = None  # whether it is above was compared
        self.limits: dict[Number, int] = {}  # numbers that are not above
        self._namings = 0

    def copy(self) -> MachineState:
        made = MachineState.__new__(type(self))
        made.__dict__.update(self.__dict__)
        made.registers, made.stack = dict(self.registers), dict(self.stack)
        made.limits = dict(self.limits)
        return made

    def join(self, other: MachineState) -> bool:
        """What holds on both ways. Has that become less?"""
        registers = _common(self.registers, other.registers)
        stack = _common(self.stack, other.stack)
        shared = self.shared | other.shared
        compared = self.compared if self.compared == other.compared else None
        limit = self.limit if self.limit == other.limit else None
        both = self.limits.keys() & other.limits.keys()
        limits = {of: max(self.limits[of], other.limits[of]) for of in both}
        before = (len(self.registers), len(self.stack), self.shared, self.compared)
        limited = (self.limit, self.limits)
        self.registers, self.stack, self.shared, self.compared = registers, stack, shared, compared
        self.limit, self.limits = limit, limits
        after = (len(registers), len(stack), shared, compared)
        return before != after or limited != (limit, limits)

    def not_above(self) -> None:
        """So the branch tells that has not been taken, or has."""
        if self.limit is not None:
            of, most = self.limit
            self.limits[of] = min(most, self.limits.get(of, most))

    def forget_places(self) -> None:
        self.registers, self.stack, self.compared, self.limit = {}, {}, None, None

    # ---- One instruction -------------------------------------------------------------------------

    def do(self, step: Step, site: int) -> None:
        if isinstance(step, Compare):
            compared = self.value(step.value, site)
            self.compared = None if compared is None else tested_by(compared)
            of = self.value(step.of, site)
            self.limit = None if of is None else (of, step.most)
        elif isinstance(step, Assign):
            value = self.value(step.value, site)
            if step.is_truth and self.compared is not None:
                value = number(Truth(self.compared, site))
            if value is None:
                self.registers.pop(step.register, None)
            else:
                self.registers[step.register] = value
                if step.register != self._convention.stack and self._is_on_stack(value):
                    self.shared |= {value}
        else:
            self._store(step, site)

    def _store(self, step: Store, site: int) -> None:
        self.value(step.address, site)
        value = self.value(step.value, site)
        address = self.value(step.address, site)
        if address is None or not self._is_on_stack(address):
            return
        for slot in list(self.stack):
            if slot.address.terms != address.terms or _overlap(slot, address, step.size):
                del self.stack[slot]
        if value is not None and step.size in (4, 8):
            if value.is_constant:
                value = self._new_name(site, "memory")
            self.stack[Memory(address, step.size)] = low(value, step.size)

    def after_call(self) -> None:
        for name in self._convention.lost:
            self.registers.pop(name, None)
        for slot in list(self.stack):
            if slot.address in self.shared:
                del self.stack[slot]
        self.compared = self.limit = None

    # ---- Numbers ---------------------------------------------------------------------------------

    def value(self, of: Number | None, site: int) -> Number | None:
        """With what registers and memory hold now in the place of their names."""
        if of is None or of.is_constant:
            return of
        while True:
            before = self._namings
            found = self._value(of, site, 0)
            # A new name can be an old one, that was in what has been put together so far.
            if self._namings == before:
                return found

    def _value(self, of: Number | None, site: int, depth: int) -> Number | None:
        if of is None or depth > DEEPEST:
            return None
        total = constant(of.constant)
        for atom, factor in of.terms:
            part: Number | None
            if isinstance(atom, Register):
                part = self._register(atom.name, site)
            elif isinstance(atom, Memory):
                part = self._loaded(atom, site, depth)
            elif isinstance(atom, Low):
                inner = self._value(atom.of, site, depth + 1)
                part = None if inner is None else low(inner, atom.size, atom.signed)
            else:
                part = number(atom)
            if part is None:
                return None
            total = total.plus(part.times(factor))
        return total if len(total.terms) <= MOST_TERMS else None

    def _register(self, name: str, site: int) -> Number:
        if name not in self.registers:
            self.registers[name] = self._new_name(site, name)
        return self.registers[name]

    def _loaded(self, memory: Memory, site: int, depth: int) -> Number | None:
        address = self._value(memory.address, site, depth + 1)
        if address is None:
            return None
        slot = Memory(address, memory.size)
        if not self._is_on_stack(address):
            return number(slot)
        if memory.size not in (4, 8):
            return None
        if slot not in self.stack:
            self.stack[slot] = low(self._new_name(site, "memory"), memory.size)
        return self.stack[slot]

    def _new_name(self, site: int, place: str) -> Number:
        self._namings += 1
        name = Unknown(site, place)
        self.forget(name)
        return number(name)

    def forget(self, name: Unknown) -> None:
        """The instruction is executed again: what the name meant before has no name any more."""
        for register in [r for r, v in self.registers.items() if v.mentions(name)]:
            del self.registers[register]
        for slot, value in list(self.stack.items()):
            if slot.address.mentions(name) or value.mentions(name):
                del self.stack[slot]
        if self.compared is not None and self.compared.mentions(name):
            self.compared = None
        if self.limit is not None and self.limit[0].mentions(name):
            self.limit = None
        for of in [of for of in self.limits if of.mentions(name)]:
            del self.limits[of]

    def _is_on_stack(self, address: Number) -> bool:
        return any(
            isinstance(atom, Unknown) and atom.place == self._convention.stack
            for atom, _ in address.terms
        )

    # ---- Now -------------------------------------------------------------------------------------

    def now(self, of: Number, thread: Reader, depth: int = 0) -> int | None:
        """What a number is in a thread that stands at this point: by the places that hold it."""
        if of.is_constant:
            return of.constant
        if depth > DEEPEST:
            return None
        found = self._in_a_place(of, thread, depth)
        if found is not None:
            return found
        total = of.constant
        for atom, factor in of.terms:
            alone = number(atom)
            if alone == of:
                part = self._by_parts(atom, thread, depth + 1)
            else:
                part = self.now(alone, thread, depth + 1)
            if part is None:
                return None
            total += part * factor
        return total % _WORD

    def _in_a_place(self, of: Number, thread: Reader, depth: int) -> int | None:
        for name, value in self.registers.items():
            if value.terms == of.terms:
                found = thread.register(name)
                if found is not None:
                    return (found - value.constant + of.constant) % _WORD
        for slot, value in self.stack.items():
            if value.terms == of.terms and (slot.size == 8 or value == of):
                address = self.now(slot.address, thread, depth + 1)
                found = thread.memory(address, slot.size) if address is not None else None
                if found is not None:
                    return (found - value.constant + of.constant) % _WORD
        return None

    def _by_parts(self, atom: Atom, thread: Reader, depth: int) -> int | None:
        if isinstance(atom, Low):
            plain = number(Low(atom.of, atom.size)) if atom.signed else atom.of
            inner = self.now(plain, thread, depth)
            return None if inner is None else low_bytes(inner, atom.size, atom.signed)
        if isinstance(atom, Memory):
            address = self.now(atom.address, thread, depth)
            return None if address is None else thread.memory(address, atom.size)
        return None


def _common(one: dict, other: dict) -> dict:  # type: ignore[type-arg]
    return {key: value for key, value in one.items() if other.get(key) == value}


def _overlap(slot: Memory, address: Number, size: int) -> bool:
    distance = (slot.address.constant - address.constant) % _WORD
    return distance < size or _WORD - distance < slot.size
