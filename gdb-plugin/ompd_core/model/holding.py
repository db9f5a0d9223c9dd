# SPDX-License-Identifier: Apache-2.0
"""What does a thread hold at a point of a function? What was begun on the ways to it, and not
ended."""

from __future__ import annotations

import heapq
from typing import Callable, Collection, Iterable, Iterator, Mapping, Sequence

from ..code.machine_code import (
    Callee,
    Convention,
    Instruction,
    Number,
    Register,
    Unknown,
    constant,
    low,
    number,
)
from ..code.machine_state import MachineState
from ..light_classes import NamedTuple
from .native import Location

# Instructions followed until the states of a function no longer change. Real functions need each of
# theirs twice or so.
MOST_STEPS = 40_000


class Held(NamedTuple):
    kind: str  # "critical", "lock", "nest_lock", "ordered", "atomic", "static", "rwlock"
    # Of the lock variable, or of the critical construct's; None: not known, or there is none.
    address: int | None
    location: Location | None  # of the call that acquired it, in the user's terms
    always: bool  # on every path from the function's begin to here; False: on some only
    exact: bool  # the address is in the code; False: read from where the code had it

    @property
    def is_unnamed(self) -> bool:
        """A critical construct without a name: the call is about nothing else."""
        return self.kind == "critical" and self.address is None and self.exact


class Ended(NamedTuple):
    kind: str
    address: int | None  # None: any


class Effect(NamedTuple):
    """Of a call."""

    begins: str | None = None
    ends: str | None = None
    argument: int | None = None  # which one is the object; None: the kind has one only
    conditional: bool = False  # it begins if it does not return zero
    returns: bool = True


NO_EFFECT = Effect()
# Variables that any function may be handed.
LOCKS = ("lock", "nest_lock", "rwlock")
# Of the kinds that have one object only.
NO_OBJECT = constant(0)


class Acquired(NamedTuple):
    kind: str
    site: int  # the call
    object: Number | None
    condition: Number | None = None  # held unless this is zero
    outer: Held | None = None  # by a frame further out
    # What it may be: on each way that led here another call acquired another object.
    either: frozenset[Acquired] = frozenset()


class TooMuch(Exception):
    """A function is too long to be followed, or is no code."""


class HoldingState(MachineState):
    def __init__(self, convention: Convention, entry: int, outer: Iterable[Held] = ()) -> None:
        super().__init__(convention, entry)
        self.held: dict[Acquired, bool] = {}  # whether it is so on every path
        self._alike: frozenset[str] = frozenset()  # registers of which one is named by `_either'
        for one in outer:
            known = constant(one.address) if one.address is not None else None
            self.held[Acquired(one.kind, 0, known, outer=one)] = one.always

    def copy(self) -> HoldingState:
        made = super().copy()
        assert isinstance(made, HoldingState)
        made.held = dict(self.held)
        return made

    def join(self, other: MachineState, at: int | None = None) -> bool:
        """at: where the ways meet."""
        assert isinstance(other, HoldingState)
        before = dict(self.held)
        if at is not None:
            other = other.copy()
            self._name_alike(other, at)
        changed = super().join(other)
        joined = dict.fromkeys((*self.held, *other.held), False)
        for one, always in self.held.items():
            twin = _twin(one, self.held, other.held)
            if twin is not None:
                # Compilers make several calls of one.
                joined.pop(one, None)
                joined.pop(twin, None)
                first = min(one, twin, key=lambda o: o.site)
                joined[first._replace(either=one.either | twin.either)] = (
                    always and other.held[twin]
                )
        self.held = joined
        return changed or self.held != before

    def _name_alike(self, other: HoldingState, at: int) -> None:
        """Of objects that differ, and that both ways have in the same register: compilers have them
        go on with common code. The object is what that register has here."""
        for register in self._alike:
            name = _either(at, register)
            if other.registers.get(register) != number(name):
                other.forget(name)  # it is what the register had here before
        for one in list(self.held):
            if _twin(one, self.held, other.held) is None:
                self._name_one(one, other, at)

    def _name_one(self, one: Acquired, other: HoldingState, at: int) -> None:
        for register in sorted(self.registers.keys() & other.registers.keys()):
            theirs = other._kept_in(register, one.kind)
            if theirs is None or self._kept_in(register, one.kind) != one:
                continue
            if _twin(theirs, other.held, self.held) is None:
                self._rename(one, register, at)
                other._rename(theirs, register, at)
                return

    def _kept_in(self, register: str, kind: str) -> Acquired | None:
        """Nest locks are counted, and those of frames further out have a place of their own."""
        value = self.registers[register]
        for one in self.held:
            is_either = one.kind == kind != "nest_lock" and one.outer is None
            is_either = is_either and one.condition is None and one.object == value
            if is_either and (one.either or value.is_constant and value != NO_OBJECT):
                return one
        return None

    def _rename(self, one: Acquired, register: str, at: int) -> None:
        name = _either(at, register)
        always = self.held.pop(one)
        if self.registers[register] != number(name):
            self.forget(name)
        self.registers[register] = number(name)
        either = one.either or frozenset({one})
        self.held[one._replace(object=number(name), either=either)] = always
        self._alike |= {register}

    def forget(self, name: Unknown) -> None:
        super().forget(name)
        kept: dict[Acquired, bool] = {}
        for one, always in self.held.items():
            if one.object is not None and one.object.mentions(name):
                one = one._replace(object=None)
            if one.condition is not None and one.condition.mentions(name):
                one = one._replace(condition=None)
            kept[one] = kept.get(one, False) or always
        self.held = kept

    # ---- Calls -----------------------------------------------------------------------------------

    def call(self, effect: Effect, site: int) -> None:
        wanted = self.object(effect, site)
        if effect.ends is not None:
            self.end(effect.ends, wanted)
        self.after_call()
        if effect.begins is None:
            return
        condition = None
        if effect.conditional:
            name = Unknown(site, self._convention.result)
            self.forget(name)
            condition = low(number(name), 4)
            self.registers[self._convention.result] = condition
            wanted = None if wanted is not None and wanted.mentions(name) else wanted
        self.held[Acquired(effect.begins, site, wanted, condition)] = not effect.conditional

    def object(self, effect: Effect, site: int) -> Number | None:
        if effect.argument is None:
            return NO_OBJECT
        register = self._convention.arguments[effect.argument]
        return self.value(number(Register(register)), site)

    def end(self, kind: str, wanted: Number | None) -> None:
        same = [one for one in self.held if one.kind == kind and wanted == one.object is not None]
        if kind == "nest_lock":
            # Held until it is given up as often as it was taken: what is taken on every way first.
            same = sorted(same, key=lambda one: not self.held[one])[:1]
        certain = any(self.held[one] for one in same)
        for one in same:
            del self.held[one]
        if not certain:
            self.doubt_object(kind, wanted)

    def holds(self, kind: str, wanted: Number | None) -> bool:
        """On every path."""
        return any(
            always and one.kind == kind and wanted == one.object is not None
            for one, always in self.held.items()
        )

    def doubt_object(self, kind: str, wanted: Number | None) -> None:
        """It may be ended, if it is the same object."""
        for one in self.held:
            known = one.object
            other = wanted is not None and known is not None and wanted.differs_from(known)
            if one.kind == kind and not other:
                self.held[one] = False

    def doubt(self, ended: Iterable[Ended]) -> None:
        for one in ended:
            self.doubt_object(one.kind, None if one.address is None else constant(one.address))

    def branched(self, branch: Instruction, is_zero: bool) -> None:
        """What it compares itself leaves what was compared before."""
        before = self.compared
        if branch.tested is not None:
            self.compared = self.value(branch.tested, branch.address)
        self.told(is_zero)
        if branch.tested is not None:
            self.compared = before

    def told(self, is_zero: bool) -> None:
        """What was compared is zero, or is not."""
        if self.compared is None:
            return
        for one in [one for one in self.held if one.condition == self.compared]:
            del self.held[one]
            if not is_zero:
                self.held[one._replace(condition=None)] = True


def _either(at: int, register: str) -> Unknown:
    """What a register has where ways meet, on which it is not the same."""
    return Unknown(at, f"either {register}")


def _twin(
    one: Acquired, beside: Mapping[Acquired, bool], others: Mapping[Acquired, bool]
) -> Acquired | None:
    """Of the other way: the same object, which another call may have acquired that this way has not
    made."""
    if one in others or one.object is None or one.kind == "nest_lock":
        return one if one in others else None
    return next((o for o in others if o not in beside and _are_twins(one, o)), None)


def _are_twins(one: Acquired, other: Acquired) -> bool:
    return other._replace(site=one.site, either=one.either) == one


def called(instruction: Instruction, state: MachineState) -> Callee:
    """What the code calls by a number in a register may be told by how it got there."""
    pointer = state.value(instruction.to.pointer, instruction.address)
    return instruction.to if pointer is None else Callee(pointer=pointer)


class Function:
    """What is held at each of its instructions."""

    def __init__(
        self,
        code: Mapping[int, Instruction],
        start: int,
        convention: Convention,
        effect_of: Callable[[Callee], Effect],
        ended_by: Callable[[Callee], Iterable[Ended]],
        targets_of: Callable[[Number, Mapping[Number, int]], Sequence[int] | None],
        outer: Iterable[Held] = (),
    ) -> None:
        """ended_by: what a function may end that it has not begun itself. targets_of: where a jump
        to a number can lead, by which numbers are not above others. Raises TooMuch."""
        self._code, self._effect_of, self._targets_of = code, effect_of, targets_of
        self._ended_by = ended_by
        self._before: dict[int, HoldingState] = {}  # at each of `_joints' that is reached
        # Where ways meet; between them code is executed as it stands.
        self._joints = {start}
        self._changed: list[int] = []
        self._steps = 0
        self._reached: set[int] = set()
        self._anywhere: HoldingState | None = None  # of jumps of which it is not known where to
        for one in code.values():
            if one.flow in ("jump", "branch") and one.to.address is not None:
                self._joints.add(one.to.address)
            if one.flow == "branch":
                self._joints.add(one.following)
        self._arrive(start, HoldingState(convention, start, outer))
        self._follow()
        self._follow_exceptions()

    def at(self, address: int) -> HoldingState | None:
        """Before the instruction there; None: nothing leads to it."""
        at = max((joint for joint in self._before if joint <= address), default=None)
        if at is None:
            return None
        state = self._before[at].copy()
        while at < address:
            instruction = self._code[at]
            if not self._execute(instruction, state) or instruction.following not in self._code:
                return None
            at = instruction.following
        return state if at == address else None

    def _arrive(self, address: int, state: HoldingState) -> None:
        if address not in self._code:
            return  # out of the function
        known = self._before.get(address)
        if known is None:
            self._before[address] = state.copy()
        elif not known.join(state, address):
            return
        heapq.heappush(self._changed, address)

    def _follow(self) -> None:
        while self._changed:
            at = heapq.heappop(self._changed)
            while self._changed and self._changed[0] == at:
                heapq.heappop(self._changed)
            state = self._before[at].copy()
            while True:
                self._steps += 1
                if self._steps > MOST_STEPS:
                    raise TooMuch()
                self._reached.add(at)
                instruction = self._code[at]
                goes_on = self._execute(instruction, state)
                self._leave(instruction, state)
                at = instruction.following
                if not goes_on or at not in self._code:
                    break
                if at in self._joints:
                    self._arrive(at, state)
                    break

    def _execute(self, instruction: Instruction, state: HoldingState) -> bool:
        """Is the following instruction executed next, on one way at least?"""
        for step in instruction.steps:
            state.do(step, instruction.address)
        if instruction.flow != "call":
            return instruction.flow in ("next", "padding", "branch")
        return self._call(instruction, state)

    def _call(self, instruction: Instruction, state: HoldingState) -> bool:
        to = called(instruction, state)
        if state.held:
            state.doubt(self._ended_by(to))
        effect = self._effect_of(to)
        state.call(effect, instruction.address)
        return effect.returns

    def _leave(self, instruction: Instruction, state: HoldingState) -> None:
        """The other ways, that go on elsewhere; `state' becomes the following instruction's."""
        if instruction.flow == "branch":
            taken = state.copy()
            if instruction.if_zero is not None:
                for way, is_zero in (
                    (taken, instruction.if_zero),
                    (state, not instruction.if_zero),
                ):
                    way.branched(instruction, is_zero)
            elif instruction.if_above is not None:
                (state if instruction.if_above else taken).not_above()
            if instruction.to.address is not None:
                self._arrive(instruction.to.address, taken)
        elif instruction.flow == "jump" and instruction.to.address is not None:
            self._arrive(instruction.to.address, state)
        elif instruction.flow == "jump":
            self._computed_jump(instruction, state)

    def _computed_jump(self, instruction: Instruction, state: HoldingState) -> None:
        value = state.value(instruction.to.pointer, instruction.address)
        targets = self._targets_of(value, state.limits) if value is not None else None
        if targets is None:
            self._arrive_anywhere(state)
            return
        self._add_joints(targets)
        for target in targets:
            self._arrive(target, state)

    def _arrive_anywhere(self, state: HoldingState) -> None:
        if self._anywhere is None:
            self._anywhere = state.copy()
        elif not self._anywhere.join(state):
            return
        self._add_joints(self._code)
        for address in self._code:
            self._arrive(address, self._anywhere)

    def _add_joints(self, addresses: Collection[int]) -> None:
        """The ways that led past them end there now."""
        if not self._joints.issuperset(addresses):
            self._joints.update(addresses)
            self._changed = sorted(self._before)

    def _follow_exceptions(self) -> None:
        """To code that nothing else leads to an exception may, out of any call."""
        unreached = [
            at
            for at, one in self._code.items()
            if at not in self._reached and one.flow != "padding"
        ]
        thrown: HoldingState | None = None
        while unreached:
            met = self._thrown()
            if met is None or (thrown is not None and not thrown.join(met)):
                return
            thrown = thrown or met
            self._add_joints(unreached)
            for address in unreached:
                self._arrive(address, thrown)
            self._follow()

    def ended_outside(self) -> Iterator[Ended]:
        """What it may end that it has not begun itself."""
        if self._anywhere is not None:
            yield from (Ended(kind, None) for kind in LOCKS)
        for address, state in self._states().items():
            instruction = self._code[address]
            if instruction.flow == "call":
                yield from self._ended_at_call(instruction, state)
            for to in self._left_for(instruction, state):
                kind = self._effect_of(to).ends
                yield from (Ended(kind, None),) if kind is not None else self._ended_by(to)

    def ended_itself(self) -> Iterator[Ended]:
        """What its own calls end that it has not begun on every way there."""
        if self._anywhere is not None:
            yield from (Ended(kind, None) for kind in (*LOCKS, "critical"))
        for address, state in self._states().items():
            for to in self._calls_at(address, state):
                effect = self._effect_of(to)
                if effect.ends is not None:
                    wanted = state.object(effect, address)
                    if not state.holds(effect.ends, wanted):
                        known = wanted is not None and wanted.is_constant
                        yield Ended(effect.ends, wanted.constant if known and wanted else None)

    def left_holding(self) -> Iterator[Acquired]:
        """What it may still hold where it returns."""
        for address, state in self._states().items():
            if self._code[address].flow == "end":
                yield from state.held

    def _calls_at(self, address: int, state: HoldingState) -> Iterator[Callee]:
        instruction = self._code[address]
        if instruction.flow == "call":
            yield called(instruction, state)
        yield from self._left_for(instruction, state)

    def _ended_at_call(self, instruction: Instruction, state: HoldingState) -> Iterator[Ended]:
        to = called(instruction, state)
        effect = self._effect_of(to)
        yield from self._ended_by(to)
        if effect.ends is not None:
            wanted = state.object(effect, instruction.address)
            if not state.holds(effect.ends, wanted):
                known = wanted is not None and wanted.is_constant
                yield Ended(effect.ends, wanted.constant if known and wanted else None)

    def _left_for(self, instruction: Instruction, state: HoldingState) -> Iterator[Callee]:
        """The functions that take its place by a jump."""
        to = instruction.to
        if instruction.flow not in ("jump", "branch"):
            return
        if to.address is not None:
            if to.address not in self._code:
                yield to
            return
        value = state.value(to.pointer, instruction.address)
        for target in (self._targets_of(value, state.limits) if value is not None else None) or ():
            if target not in self._code:
                yield Callee(target)

    def _states(self) -> dict[int, HoldingState]:
        """Every instruction that is executed, with the state before it."""
        found: dict[int, HoldingState] = {}
        for at, before in self._before.items():
            state = before.copy()
            goes_on = True
            while goes_on and at in self._code and at not in found:
                found[at] = state.copy()
                goes_on = self._execute(self._code[at], state)
                at = self._code[at].following
                goes_on = goes_on and at not in self._before
        return found

    def _thrown(self) -> HoldingState | None:
        thrown: HoldingState | None = None
        for address, before in self._states().items():
            instruction = self._code[address]
            if instruction.flow != "call":
                continue
            after = before.copy()
            self._call(instruction, after)
            for state in (before, after):
                state.forget_places()
                if thrown is None:
                    thrown = state
                else:
                    thrown.join(state)
        return thrown
