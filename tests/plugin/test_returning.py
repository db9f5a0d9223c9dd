# SPDX-License-Identifier: Apache-2.0
"""Does a function's code tell where it returns to, and what its caller's registers hold?"""

from __future__ import annotations

from typing import Any, Mapping

from ompd_core.code.machine_code import (
    Assign,
    Callee,
    Convention,
    Instruction,
    Memory,
    Number,
    Register,
    Store,
    constant,
    number,
)
from ompd_core.code.returning import MOST_INSTRUCTIONS, Return, returns_from

CONVENTION = Convention("sp", ("a0",), "a0", ("a0", "t0"))
KEPT = ("s0", "s1")
SP = number(Register("sp"))


def at(offset: int) -> Number:
    return SP.plus(constant(offset))


def word(offset: int) -> Number:
    return number(Memory(at(offset), 8))


def push(register: str) -> list[Any]:
    return [Assign("sp", at(-8)), Store(SP, 8, number(Register(register)))]


def pop(register: str) -> list[Any]:
    return [Assign(register, number(Memory(SP, 8))), Assign("sp", at(8))]


RETURN = "return"


def found(*code: Any, start: int = 0) -> Return | None:
    return all_found(*code, start=start)[start]


def all_found(*code: Any, start: int = 0) -> Mapping[int, Return | None]:
    """code: lists of steps, or (flow, callee)."""

    def decode(address: int) -> tuple[Instruction, bool] | None:
        if not 0 <= address < len(code):
            return None
        one = code[address]
        if one == RETURN:
            return Instruction(address, 1, flow="end"), True
        if isinstance(one, tuple):
            return Instruction(address, 1, flow=one[0], to=one[1]), False
        return Instruction(address, 1, tuple(one)), False

    return returns_from(start, decode, CONVENTION, KEPT)


def to(address: int) -> Callee:
    return Callee(address)


def test_from_any_instruction() -> None:
    """Of the same function: before it has saved a register, and after."""
    code = [
        push("s0"),
        [Assign("s0", constant(1))],
        ("call", Callee(99, "work")),
        pop("s0"),
        RETURN,
    ]
    kept = (("s0", number(Register("s0"))), ("s1", number(Register("s1"))))
    assert found(*code) == Return(SP, kept)
    inside = Return(at(8), (("s0", word(0)), ("s1", number(Register("s1")))))
    assert found(*code, start=1) == found(*code, start=3) == inside
    assert found(*code, start=4) == Return(SP, kept)


def test_frame_pointer() -> None:
    leave = [Assign("sp", number(Register("s1"))), *pop("s1")]
    end = found([Store(at(-64), 8, None)], leave, RETURN)
    base = number(Register("s1"))
    saved = number(Memory(base, 8))
    assert end == Return(base.plus(constant(8)), (("s0", number(Register("s0"))), ("s1", saved)))


def test_ways_that_agree() -> None:
    code = [("branch", to(3)), pop("s0"), RETURN, pop("s0"), RETURN]
    assert found(*code) is not None


def test_ways_that_differ() -> None:
    assert found(("branch", to(2)), RETURN, pop("s0"), RETURN) is None


def test_loop_without_an_end() -> None:
    assert found([], ("jump", to(0))) is None


def test_another_function_returns() -> None:
    """Through the dynamic linker's table; where a register says, it may be a switch."""
    linked = Callee(pointer=number(Memory(constant(0x4000), 8)))
    table = Callee(pointer=number(Memory(number(Register("t0")), 8)))
    assert found(pop("s0"), ("jump", linked)) is not None
    assert found(pop("s0"), ("jump", table)) is None


def test_nothing_behind_a_call_that_never_returns() -> None:
    code = [("branch", to(3)), ("call", Callee(99, "abort@plt")), RETURN, pop("s0"), RETURN]
    end = found(*code)
    assert end is not None and end.stack == at(8)


def test_registers_that_are_lost() -> None:
    assert found([Assign("s0", None)], RETURN) is None
    assert found([Assign("sp", None)], RETURN) is None
    assert found([Assign("s0", number(Memory(number(Register("t0")), 4)))], RETURN) is None


def test_chains_of_words() -> None:
    """Nothing that has to be restored is found by them, and they could be as long as the code."""
    load = [Assign("t0", number(Memory(number(Register("t0")), 8)))]
    assert found(*[load] * (MOST_INSTRUCTIONS - 2), RETURN) is not None
    assert found(load, load, [Assign("s0", number(Register("t0")))], RETURN) is None


def test_unreadable_code() -> None:
    assert found([]) is None


def test_a_bound() -> None:
    assert found(*[[]] * MOST_INSTRUCTIONS, RETURN) is None
    assert set(all_found(*[[]] * MOST_INSTRUCTIONS, RETURN)) == set(range(MOST_INSTRUCTIONS))


# ---- What one place tells of others --------------------------------------------------------------


def test_places_of_one_loop() -> None:
    """What the loop changes is restored from the stack, which it leaves as it is."""
    loop = [[Assign("s0", constant(1))], [Assign("t0", None)], ("branch", to(1))]
    code = [push("s0"), *loop, pop("s0"), RETURN]
    assert set(all_found(*code, start=1)) == {1, 2, 3, 4}
    for place in range(1, 5):
        assert all_found(*code, start=1)[place] == found(*code, start=place)


def test_a_place_where_the_stack_is_another() -> None:
    assert set(all_found(push("s0"), [], pop("s0"), RETURN)) == {0}


def test_a_word_that_is_overwritten_on_the_way() -> None:
    code = [[Assign("s0", number(Memory(SP, 8)))], [Store(SP, 8, None)], RETURN]
    assert set(all_found(*code)) == {0, 1}
