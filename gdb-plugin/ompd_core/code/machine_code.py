# SPDX-License-Identifier: Apache-2.0
"""What do instructions do, whatever processor they are of? Numbers as far as the code tells them,
and steps that change registers and memory."""

from __future__ import annotations

from typing import Union

from ..light_classes import dataclass

_WORD = 1 << 64


@dataclass(frozen=True)
class Register:
    """What a register holds, by the name of its full width."""

    name: str


@dataclass(frozen=True)
class Unknown:
    """A number that the code does not tell, named by the instruction that met it and by where."""

    site: int
    place: str


@dataclass(frozen=True)
class Memory:
    address: Number
    size: int


@dataclass(frozen=True)
class Low:
    """The lowest bytes of a number, as an unsigned or as a signed one."""

    of: Number
    size: int
    signed: bool = False


@dataclass(frozen=True)
class Truth:
    """A number whose lowest byte is 0 where another number is, else 1; of the other bytes nothing
    is known. Named by the instruction that made it."""

    of: Number
    site: int


Atom = Union[Register, Unknown, Memory, Low, Truth]


@dataclass(frozen=True)
class Number:
    """A constant and multiples of what is not constant."""

    constant: int = 0
    terms: frozenset[tuple[Atom, int]] = frozenset()

    @property
    def is_constant(self) -> bool:
        return not self.terms

    def plus(self, other: Number) -> Number:
        if not self.terms or not other.terms:
            return Number((self.constant + other.constant) % _WORD, self.terms or other.terms)
        factors = dict(self.terms)
        for atom, factor in other.terms:
            factors[atom] = (factors.get(atom, 0) + factor) % _WORD
        terms = frozenset((atom, factor) for atom, factor in factors.items() if factor)
        return Number((self.constant + other.constant) % _WORD, terms)

    def times(self, factor: int) -> Number:
        if factor == 1:
            return self
        terms = frozenset((a, f * factor % _WORD) for a, f in self.terms if f * factor % _WORD)
        return Number(self.constant * factor % _WORD, terms)

    def differs_from(self, other: Number) -> bool:
        """For certain. What is not equal need not differ."""
        return self.terms == other.terms and self.constant != other.constant

    def only_atom(self) -> Atom | None:
        """The number is this and nothing more."""
        if self.constant or len(self.terms) != 1:
            return None
        ((atom, factor),) = self.terms
        return atom if factor == 1 else None

    def mentions(self, name: Unknown) -> bool:
        return any(_mentions(atom, name) for atom, _ in self.terms)


def number(atom: Atom) -> Number:
    return Number(0, frozenset({(atom, 1)}))


def constant(value: int) -> Number:
    return Number(value % _WORD)


def low(of: Number, size: int, signed: bool = False) -> Number:
    if size >= 8:
        return of
    if of.is_constant:
        return constant(low_bytes(of.constant, size, signed))
    inner = of.only_atom()
    if isinstance(inner, Low) and inner.size == size:
        of = inner.of  # the lowest bytes are the same
    elif isinstance(inner, Low) and inner.size < size and not inner.signed:
        return of  # it has no more
    elif isinstance(inner, Memory) and inner.size == size and not signed:
        return of
    return number(Low(of, size, signed))


def low_bytes(value: int, size: int, signed: bool) -> int:
    value %= 1 << 8 * size
    return value - (1 << 8 * size) if signed and value >> (8 * size - 1) else value


def _mentions(atom: Atom, name: Unknown) -> bool:
    if isinstance(atom, Memory):
        return atom.address.mentions(name)
    if isinstance(atom, (Low, Truth)):
        return atom.of.mentions(name)
    return atom == name


def tested_by(compared: Number) -> Number:
    """What is zero where this is: of a truth's byte, what it was made of."""
    atom = compared.only_atom()
    inner = atom.of.only_atom() if isinstance(atom, Low) and atom.size == 1 else None
    return inner.of if isinstance(inner, Truth) else compared


# ---- Instructions --------------------------------------------------------------------------------


@dataclass(frozen=True)
class Assign:
    register: str
    value: Number | None  # None: what it is then is not known
    is_truth: bool = False  # its lowest byte tells whether what was compared last is not zero


@dataclass(frozen=True)
class Store:
    address: Number | None
    size: int
    value: Number | None


@dataclass(frozen=True)
class Compare:
    """With zero, for the branches that follow. None: with something else."""

    value: Number | None
    # Those that ask for it tell whether this number, which has no sign, is above that one.
    of: Number | None = None
    most: int = 0


Step = Union[Assign, Store, Compare]


@dataclass(frozen=True)
class Callee:
    """What is called, or jumped to."""

    address: int | None = None
    name: str | None = None  # as the debugger knows the address
    pointer: Number | None = None  # else: the number that is the address


@dataclass(frozen=True)
class Instruction:
    address: int
    length: int
    steps: tuple[Step, ...] = ()
    flow: str = "next"  # "next", "padding" (does nothing), "jump", "branch", "call", "end"
    to: Callee = Callee()
    if_zero: bool | None = None  # a branch that is taken if what was compared is zero, or is not
    tested: Number | None = None  # of a branch that compares this with zero itself
    if_above: bool | None = None  # a branch that is taken if what was compared is above, or is not

    @property
    def following(self) -> int:
        return self.address + self.length


@dataclass(frozen=True)
class Convention:
    """How functions of a processor call each other."""

    stack: str  # the register that points to the stack
    arguments: tuple[str, ...]
    result: str
    lost: tuple[str, ...]  # registers that a call may change
    link: str | None = None  # where a call puts the address to return to; None: on the stack
    # So far below the stack pointer a function uses memory: a red zone, or what one instruction
    # stores before it has moved the stack pointer.
    reach: int = 0
