# SPDX-License-Identifier: Apache-2.0
"""Does a function's code tell what is held at each point of it? Written-down functions, and random
ones that are also executed: what is told must hold on every way that is taken."""

from __future__ import annotations

import random
from typing import Any, Sequence

import pytest
from ompd_core.code.machine_code import (
    Assign,
    Callee,
    Compare,
    Convention,
    Instruction,
    Memory,
    Number,
    Register,
    Step,
    Store,
    Unknown,
    constant,
    low,
    number,
)
from ompd_core.code.machine_state import MachineState, Reader
from ompd_core.model.holding import Effect, Ended, Function, Held, HoldingState, TooMuch

CONVENTION = Convention("sp", ("a", "b"), "r", ("r", "a", "b"))
EFFECTS = {
    "set": Effect(begins="lock", argument=0),
    "unset": Effect(ends="lock", argument=0),
    "test": Effect(begins="lock", argument=0, conditional=True),
    "set_nest": Effect(begins="nest_lock", argument=0),
    "unset_nest": Effect(ends="nest_lock", argument=0),
    "enter": Effect(begins="critical"),
    "leave": Effect(ends="critical"),
    "abort": Effect(returns=False),
    "gives": Effect(),
    "work": Effect(),
}
SP, A, R, S = (number(Register(name)) for name in ("sp", "a", "r", "s"))
Line = tuple[Any, ...]


def lines(*written: Line) -> dict[int, Instruction]:
    """("call", name[, object]), ("to", line), ("if", line[, zero[, above]]), ("end",), ("any",)
    for a jump by what is in r, or steps. Line N is at 100 + 10 N; an object is put into a before
    its call."""
    code: dict[int, Instruction] = {}
    for i, line in enumerate(written):
        at, kind = 100 + 10 * i, line[0]
        if kind == "call" and len(line) > 2:
            value = constant(line[2]) if isinstance(line[2], int) else line[2]
            code[at] = Instruction(at, 5, (Assign("a", value),))
            code[at + 5] = Instruction(at + 5, 5, flow="call", to=Callee(name=line[1]))
        elif kind == "call":
            code[at] = Instruction(at, 10, flow="call", to=Callee(name=line[1]))
        elif kind == "to":
            code[at] = Instruction(at, 10, flow="jump", to=Callee(100 + 10 * line[1]))
        elif kind == "if":
            zero, above = (*line[2:], None, None)[:2]
            to = Callee(100 + 10 * line[1])
            code[at] = Instruction(at, 10, flow="branch", to=to, if_zero=zero, if_above=above)
        elif kind == "any":
            code[at] = Instruction(at, 10, flow="jump", to=Callee(pointer=R))
        elif kind == "end":
            code[at] = Instruction(at, 10, flow="end")
        else:
            code[at] = Instruction(at, 10, tuple(line))
    return code


def function(
    code: dict[int, Instruction], outer: Sequence[Held] = (), targets: Sequence[int] | None = None
) -> Function:
    return Function(
        code,
        100,
        CONVENTION,
        lambda to: EFFECTS[to.name or ""],
        lambda to: [Ended("lock", 7)] if to.name == "gives" else [],
        lambda value, limits: targets,
        outer,
    )


def held(
    *written: Line, at: int, outer: Sequence[Held] = (), targets: Sequence[int] | None = None
) -> dict[int | None, bool]:
    """Constant objects, and None for others; whether always."""
    state = function(lines(*written), outer, targets).at(100 + 10 * at)
    assert state is not None
    found: dict[int | None, bool] = {}
    for one, always in state.held.items():
        what = one.object
        key = what.constant if what is not None and what.is_constant else None
        found[key] = found.get(key, False) or always
    return found


SET, UNSET, END = ("call", "set", 7), ("call", "unset", 7), ("end",)
PARK = ("call", "work")
TEST = ("call", "test", 7)
MAKE_TRUTH: Line = (Compare(low(R, 4)), Assign("r", None, is_truth=True))
SLOT = SP.plus(constant(-8))
KEEP: Line = (Assign("s", constant(7)), Store(SLOT, 8, S), Assign("s", None))
SET_KEPT = ("call", "set", number(Memory(SLOT, 8)))
ASSIGN_ONE_OF = [("if", 3), (Assign("s", constant(7)),), ("to", 4), (Assign("s", constant(8)),)]


@pytest.mark.parametrize(
    "written, at, expected",
    [
        ([SET, PARK, UNSET, PARK, END], 1, {7: True}),
        ([SET, PARK, UNSET, PARK, END], 3, {}),
        ([("if", 2), SET, PARK, END], 2, {7: False}),
        ([("if", 3), SET, ("to", 4), SET, PARK], 4, {7: True}),
        ([("if", 4), SET, UNSET, ("to", 4), PARK], 4, {}),
        ([SET, ("if", 3), UNSET, PARK], 3, {7: False}),
        ([SET, ("call", "set", 8), UNSET, PARK], 3, {8: True}),
        ([SET, ("call", "unset", A), PARK], 2, {7: False}),  # the call before has changed it
        ([SET, ("call", "unset", S), PARK], 2, {7: False}),
        ([SET, ("call", "set_nest", 8), ("call", "unset", S), PARK], 3, {7: False, 8: True}),
        ([("call", "set_nest", 8), ("call", "set_nest", 8), PARK], 2, {8: True}),
        ([*[("call", "set_nest", 8)] * 2, ("call", "unset_nest", 8), PARK], 3, {8: True}),
        ([*[("call", "set_nest", 8)] * 2, *[("call", "unset_nest", 8)] * 2, PARK], 4, {}),
        ([("call", "enter"), PARK, ("call", "leave"), PARK], 1, {0: True}),
        ([("call", "enter"), PARK, ("call", "leave"), PARK], 3, {}),
        ([SET, ("call", "gives"), PARK], 2, {7: False}),
        ([("call", "set", 8), ("call", "gives"), PARK], 2, {8: True}),
        ([("if", 3), SET, ("to", 4), ("call", "abort"), PARK], 4, {7: True}),
        # Loops.
        ([SET, ("if", 4), UNSET, ("to", 0), PARK], 4, {7: True}),
        ([("if", 3), SET, ("to", 0), PARK], 3, {7: False}),
        ([SET, UNSET, ("if", 0), PARK], 3, {}),
        # Trying: a zero means that it is not held.
        ([("call", "test", 7), (Compare(low(R, 4)),), ("if", 4, True), PARK, END], 3, {7: True}),
        ([("call", "test", 7), (Compare(low(R, 4)),), ("if", 4, True), END, PARK], 4, {}),
        ([("call", "test", 7), (Compare(low(R, 4)),), ("if", 4, False), PARK, END], 3, {}),
        ([("call", "test", 7), (Compare(low(R, 4)),), ("if", 0, True), PARK], 3, {7: True}),
        ([("call", "test", 7), (Compare(S),), ("if", 4, True), PARK, END], 3, {7: False}),
        ([("call", "test", 7), PARK], 1, {7: False}),
        # By a byte that tells whether it was zero.
        ([TEST, MAKE_TRUTH, (Compare(low(R, 1)),), ("if", 5, True), PARK, END], 4, {7: True}),
        ([TEST, MAKE_TRUTH, (Compare(low(R, 1)),), ("if", 5, True), END, PARK], 5, {}),
        ([TEST, MAKE_TRUTH, (Compare(low(R, 4)),), ("if", 5, True), PARK, END], 4, {7: False}),
        # An address that is kept, and one that depends on the way.
        ([(Assign("s", constant(7)),), ("call", "set", S), PARK], 2, {7: True}),
        ([*ASSIGN_ONE_OF, SET, ("call", "unset", S), PARK], 6, {7: False}),
        # One that is kept on the stack: which one is read there, but it is one on both ways.
        ([KEEP, ("if", 4), SET_KEPT, ("to", 5), SET_KEPT, PARK], 5, {None: True}),
        # Jumps that can lead anywhere.
        ([("any",), SET, PARK, END], 2, {None: False}),
        ([SET, ("any",), PARK, END], 2, {7: False, None: False}),
        # Code that an exception leads to, if any does.
        ([SET, ("call", "work"), UNSET, PARK, END, UNSET, ("to", 3)], 3, {7: False}),
        ([SET, ("call", "work"), PARK, END, UNSET, ("to", 2)], 2, {7: False}),
    ],
)
def test_functions(written: list[Line], at: int, expected: dict[int, bool]) -> None:
    assert held(*written, at=at) == expected


OTHER = ("call", "set", 8)
ONE_OF = [
    ("if", 4),
    (Assign("s", constant(7)),),
    SET,
    ("to", 6),
    (Assign("s", constant(8)),),
    OTHER,
]


@pytest.mark.parametrize(
    "more, at, expected",
    [
        ([PARK], 6, True),
        ([PARK, ("call", "unset", S), PARK], 8, None),
        ([(Assign("t", S),), (Assign("s", None),), ("call", "unset", number(Register("t"))), PARK],
         *(9, None)),
        ([("call", "unset", A), PARK], 7, False),
        ([("call", "unset", 7), PARK], 7, False),
    ],
)  # fmt: skip
def test_one_of_two(more: list[Line], at: int, expected: bool | None) -> None:
    """Each way has acquired another object, which both have in one register: compilers merge what
    follows."""
    state = function(lines(*ONE_OF, *more)).at(100 + 10 * at)
    assert state is not None
    assert list(state.held.values()) == ([] if expected is None else [expected])
    for one in state.held:
        assert {(each.site, each.object) for each in one.either} == {
            (125, constant(7)),
            (155, constant(8)),
        }
        known = state.registers.get("s") == one.object
        assert known == ("s" in state.registers), "it is read where it is"


def test_known_table() -> None:
    code = [("any",), SET, PARK, END, ("call", "set", 8), PARK, END]
    assert held(*code, at=2, targets=[110, 140]) == {7: True}
    assert held(*code, at=5, targets=[110, 140]) == {8: True}
    assert held(*code, at=5, targets=[110, 140, 150]) == {8: False}


USE: Line = (Assign("t", S),)


def not_above(most: int) -> list[Line]:
    return [(Compare(None, S, most),), ("if", 9, None, True)]


@pytest.mark.parametrize(
    "written, most",
    [
        ([*not_above(5), ("any",)], 5),
        ([*not_above(5), *not_above(4), ("any",)], 4),
        ([USE, ("if", 5), *not_above(5), ("to", 7), *not_above(4), ("any",)], 5),
        ([USE, ("if", 4), *not_above(5), ("any",)], None),
        ([(Compare(None, S, 5),), ("if", 3, None, False), END, ("any",)], 5),
        ([(Compare(None, S, 5),), (Compare(None),), ("if", 9, None, True), ("any",)], None),
        ([(Compare(None, S, 5),), PARK, ("if", 9, None, True), ("any",)], None),
        ([*not_above(5), (Assign("s", A),), ("any",)], None),
    ],
)
def test_a_tables_last_entry(written: list[Line], most: int | None) -> None:
    """A number that is not above another one where a jump goes by it."""
    code = lines(*written, *[PARK] * (9 - len(written)), END)
    (jump,) = [at for at, one in code.items() if one.to.pointer == R]
    state = function(code, targets=[190]).at(jump)
    assert state is not None
    asked = state.value(S, 0)
    met = [last for of, last in state.limits.items() if of == asked]
    assert met == ([] if most is None else [most])


def test_outer_frames() -> None:
    outer = [Held("lock", 7, None, True, True), Held("lock", None, None, True, False)]
    assert held(PARK, END, at=0, outer=outer) == {7: True, None: True}
    assert held(UNSET, PARK, END, at=1, outer=outer[:1]) == {}
    assert held(UNSET, PARK, END, at=1, outer=outer[1:]) == {None: False}
    assert held(("call", "unset", 8), PARK, END, at=1, outer=outer[:1]) == {7: True}


def test_what_a_callee_ends() -> None:
    assert set(function(lines(UNSET, END)).ended_outside()) == {Ended("lock", 7)}
    assert set(function(lines(("call", "unset", S), END)).ended_outside()) == {Ended("lock", None)}
    assert not set(function(lines(SET, UNSET, END)).ended_outside())
    away = lines(PARK)
    away[110] = Instruction(110, 10, flow="jump", to=Callee(name="unset", address=7000))
    assert set(function(away).ended_outside()) == {Ended("lock", None)}
    twice = lines(("if", 2), SET, UNSET, END)
    assert set(function(twice).ended_outside()) == {Ended("lock", 7)}


def test_too_much() -> None:
    code = lines(*[("if", (i * 7 + 3) % 900, None) for i in range(900)])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("ompd_core.model.holding.MOST_STEPS", 500)
        with pytest.raises(TooMuch):
            function(code)


@pytest.mark.parametrize(
    "step, wanted, expected",
    [
        (Assign("s", A), A, 0x5),  # from the register that it was copied to
        (Assign("s", A.plus(constant(3))), A, 0x2),
        (Assign("s", A.plus(A)), A, None),
        (Store(SP.plus(constant(-8)), 8, A), A, 0x11),
        (Store(SP.plus(constant(-8)), 4, low(A, 4)), A, None),
        (Store(SP.plus(constant(-8)), 4, low(A, 4)), low(A, 4, signed=True), 0x11),
        (Assign("a", number(Memory(constant(0x900), 8))), A, 0x22),
        (Assign("a", SP.plus(constant(-16))), A, 0x7F0),
    ],
)
def test_numbers_are_read_where_they_are(step: Step, wanted: Number, expected: int | None) -> None:
    """After a call: a is lost."""
    state = MachineState(CONVENTION, 100)
    state.value(wanted, 99)
    state.do(step, 100)
    named = state.value(wanted, 101)
    assert named is not None
    state.after_call()
    registers, memory = {"s": 0x5, "sp": 0x800}, {0x7F8: 0x11, 0x900: 0x22}
    assert state.now(named, Reader(registers.get, lambda at, size: memory.get(at))) == expected


def test_names_do_not_outlive_what_they_name() -> None:
    """In a loop the instruction that names a number meets another one each time."""
    state = MachineState(CONVENTION, 100)
    state.do(Assign("r", R.plus(S)), 100)
    state.do(Assign("a", R), 101)
    state.do(Assign("s", None), 102)
    assert state.registers["a"] == state.registers["r"]
    state.do(Assign("r", R.plus(S)), 100)
    assert "a" not in state.registers


# ---- Random functions, which are executed as well ------------------------------------------------

REGISTERS = ("a", "r", "s", "t")
OBJECTS = (7, 8, 9)


def random_line(chance: random.Random, length: int) -> Line:
    kind = chance.randrange(14)
    register = chance.choice(REGISTERS)
    slot = SP.plus(constant(-8 * chance.randrange(1, 3)))
    if kind < 3:
        return ("call", chance.choice(["set", "unset"]), chance.choice(OBJECTS))
    if kind == 3:
        return ("call", chance.choice(["set", "unset"]), number(Register(chance.choice("st"))))
    if kind == 4:
        return ("call", "test", chance.choice(OBJECTS))
    if kind == 5:
        return (Compare(low(number(Register(chance.choice(("r", "s")))), 4)),)
    if kind == 6:
        return (Assign(register, constant(chance.choice(OBJECTS))),)
    if kind == 7:
        other = number(Register(chance.choice(REGISTERS)))
        return (Assign(register, other.plus(constant(chance.randrange(2)))),)
    if kind == 8:
        return (Store(slot, 8, number(Register(register))),)
    if kind == 9:
        assert isinstance(slot, Number)
        return (Assign(register, number(Memory(slot, 8))),)
    if kind == 10:
        return (Compare(None, number(Register(chance.choice("rst"))), chance.randrange(12)),)
    if kind == 11:
        return ("if", chance.randrange(length), None, chance.choice([True, False]))
    return ("if", chance.randrange(length), chance.choice([None, True, False]))


class Execution:
    """One way through a function, chosen at random where the code does not tell."""

    def __init__(self, chance: random.Random) -> None:
        self.chance = chance
        self.registers = {"sp": 0x800, "a": 1, "b": 2, "r": 3, "s": 4, "t": 5}
        self.memory: dict[int, int] = {}
        self.compared: int | None = None
        self.is_above: bool | None = None
        self.held: set[int] = set()
        self.stuck = False

    def value(self, of: Number) -> int:
        total = of.constant
        for atom, factor in of.terms:
            if isinstance(atom, Register):
                part = self.registers[atom.name]
            elif isinstance(atom, Memory):
                part = self.memory.get(self.value(atom.address), 0)
            else:
                assert not isinstance(atom, Unknown)
                part = self.value(atom.of) % (1 << 8 * atom.size)
            total += part * factor
        return total % (1 << 64)

    def step(self, one: Instruction) -> int:
        for step in one.steps:
            if isinstance(step, Compare):
                self.compared = self.value(step.value) if step.value is not None else None
                self.is_above = self.value(step.of) > step.most if step.of is not None else None
            elif isinstance(step, Assign):
                assert step.value is not None
                self.registers[step.register] = self.value(step.value)
            else:
                assert step.address is not None and step.value is not None
                self.memory[self.value(step.address)] = self.value(step.value)
        if one.flow == "call":
            self.call(one.to.name or "")
        if one.flow == "jump" or one.flow == "branch" and self.is_taken(one):
            assert one.to.address is not None
            return one.to.address
        return one.following

    def call(self, name: str) -> None:
        what, result = self.registers["a"], self.chance.randrange(2)
        # It waits for itself.
        self.stuck = self.stuck or (name == "set" and what in self.held)
        if name == "set" or (name == "test" and result and what not in self.held):
            self.held.add(what)
            result = 1
        elif name == "test":
            result = 0
        elif name == "unset":
            self.held.discard(what)
        for register in CONVENTION.lost:
            self.registers[register] = self.chance.randrange(20)
        self.registers[CONVENTION.result] = result

    def is_taken(self, branch: Instruction) -> bool:
        if branch.if_above is not None and self.is_above is not None:
            return self.is_above == branch.if_above
        if branch.if_zero is None or self.compared is None:
            self.compared = None
            return self.chance.random() < 0.5
        return (self.compared == 0) == branch.if_zero


def check_told(state: HoldingState, run: Execution, where: str) -> None:
    told = {one.object.constant for one in state.held if one.object and one.object.is_constant}
    unknown = any(one.object is None or not one.object.is_constant for one in state.held)
    reader = Reader(run.registers.get, lambda address, size: run.memory.get(address, 0))
    for of, most in state.limits.items():
        now = state.now(of, reader)
        assert now is None or now <= most, f"{where}: told not above {most}, is {now}"
    for one, always in state.held.items():
        if not always or one.object is None:
            continue
        now = state.now(one.object, reader)
        assert now is None or now in run.held, f"{where}: told {now}, held {run.held}"
    assert unknown or run.held <= told, f"{where}: told {told}, held {run.held}"


# One more, of which the states did not come to rest.
@pytest.mark.parametrize("seed", [*range(300), 983, *range(1000, 1100)])
def test_random_functions(seed: int) -> None:
    chance = random.Random(seed)
    before = ONE_OF if seed >= 1000 else []
    length = chance.randrange(4, 16)
    rest = [random_line(chance, len(before) + length) for _ in range(length)]
    code = lines(*before, *rest, END)
    # The objects that are held by the function's first instruction: none.
    analysed = function(code)
    for way in range(20):
        run, at = Execution(random.Random(seed * 100 + way)), 100
        for _ in range(60):
            state = analysed.at(at)
            assert state is not None, f"line {at} is said not to be reached"
            check_told(state, run, f"seed {seed}, way {way}, line {(at - 100) / 10}")
            if code[at].flow == "end":
                break
            at = run.step(code[at])
            if run.stuck:
                break
