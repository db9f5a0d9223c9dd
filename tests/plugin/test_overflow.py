# SPDX-License-Identifier: Apache-2.0
"""By what is a stack that overflows told from a wild pointer? tests/gdb/test_overflows.py asks that
of real programs; here are the rules by themselves, for both machines."""

from __future__ import annotations

import struct
from typing import Any

import pytest
from ompd_core.arch import aarch64, x86_64
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
from ompd_core.code.stack_use import Taken, Used, taken, used
from ompd_core.model.overflow import (
    BELOW_LIMIT,
    BY_POINTER,
    NO_ADDRESS,
    NO_CODE,
    OTHER_STACK,
    Area,
    Fault,
    Level,
    Made,
    Verdict,
    enough,
    judge,
    recursion,
)

# A stack of 1 MB, its guard below, and another thread's below that.
LOW, HIGH = 0x7F0000100000, 0x7F0000200000
GUARD = Area(LOW - 0x1000, False)
MADE = Made(LOW, HIGH, 0x1000)
MB = 1 << 20
NONE, FIXED, VARIES = Taken(64, False, False), Taken(3 * MB, False, False), Taken(64, True, False)


def area_at(address: int) -> Area | None:
    if LOW <= address < HIGH:
        return Area(LOW, True)
    if LOW - 0x1000 <= address < LOW:
        return GUARD
    return Area(LOW - MB, True) if LOW - MB <= address < LOW - 0x1000 else None


def fault(**of: Any) -> Fault:
    """Of a frame of 3 MB that begins near the stack's end."""
    plain = Fault(HIGH - 3 * MB, HIGH - 4096, LOW - 8, False, (), False, FIXED, 128)
    return plain._replace(**of)


SMALL = {"stack": LOW + 8, "frame": LOW + 64, "taken": NONE}
PUSHED = [Used(LOW - 8, True)]


@pytest.mark.parametrize(
    "of, verdict",
    [
        ({}, Verdict(None, 3 * MB)),
        ({"taken": VARIES}, Verdict(None, 3 * MB - 4096)),
        ({"taken": VARIES._replace(again=True)}, Verdict(None, 3 * MB - 4096, True)),
        ({"taken": None}, Verdict(NO_CODE, 3 * MB - 4096, True)),
        ({"by_table": True, "taken": NONE}, Verdict(None, 3 * MB - 4096)),
        # Nobody's code put the stack pointer there; another pointer; memory that may be used.
        ({"taken": NONE}, None),
        ({"address": 8}, None),
        ({"address": LOW - 2 * MB - 200}, None),
        ({"address": LOW - MB // 2}, None),
        ({"address": LOW + 8}, None),
        ({"address": None}, Verdict(NO_ADDRESS, 3 * MB - 4096)),
        ({"address": None, "used": PUSHED}, Verdict(None, 3 * MB)),
        ({"address": None, "used": [Used(1 << 60, False)]}, None),
        # A size that nobody meant.
        ({"stack": HIGH - (2 << 30), "taken": VARIES, "address": LOW - 8}, None),
        ({**SMALL, "used": PUSHED}, Verdict(None, None)),
        ({**SMALL, "used": [Used(LOW - 8, False)]}, Verdict(BY_POINTER, None)),
        ({**SMALL, "used": PUSHED, "address": 8}, None),
        ({**SMALL, "address": LOW - 200}, None),
        # AArch64 moves the stack pointer and stores in one instruction.
        (
            {**SMALL, "address": LOW - 200, "reach": 512, "used": [Used(LOW - 200, True)]},
            Verdict(None, None),
        ),
        ({**SMALL, "stack": LOW + 8192, "frame": LOW + 9000}, None),
        ({"frame": None}, None),
    ],
)
def test_thread(of: Any, verdict: Verdict | None) -> None:
    assert judge(fault(**of), MADE, area_at) == verdict


def test_guard_within_a_mapping() -> None:
    def whole(address: int) -> Area | None:
        return Area(LOW - 0x1000, True) if LOW - 0x1000 <= address < HIGH else None

    assert judge(fault(), MADE, whole) is None
    assert judge(fault(unmapped=True), MADE, whole) == Verdict(None, 3 * MB)


def alone(address: int) -> Area | None:
    """The first thread's stack: nothing is near it."""
    return Area(LOW, True) if LOW <= address < HIGH else None


def test_first_thread() -> None:
    made = Made(LOW, HIGH, grows=True)
    assert judge(fault(), made, alone) == Verdict(None, 3 * MB)
    assert judge(fault(), made, area_at) is None  # something is in its way
    assert judge(fault(), made._replace(limit=MB), alone) == Verdict(None, 3 * MB)
    assert judge(fault(), made._replace(limit=8 * MB), alone) == Verdict(BELOW_LIMIT, 3 * MB)


def test_other_stack() -> None:
    """Also where it is not known where the thread's own is."""
    far = Made(LOW + (1 << 32), HIGH + (1 << 32))
    for made in (far, None):
        of = fault(**SMALL, used=PUSHED)
        assert judge(of, made, area_at) == Verdict(OTHER_STACK, None)
        assert judge(of._replace(used=[Used(LOW - 8, False)]), made, area_at) is None
        assert judge(of._replace(address=8), made, area_at) is None
        assert judge(fault(stack=LOW - 512), made, area_at) == Verdict(OTHER_STACK, MB - 3584)


# ---- The code ------------------------------------------------------------------------------------

CONVENTION = Convention("sp", ("a0",), "a0", ("a0", "t0"), reach=128)
SP, T0 = number(Register("sp")), number(Register("t0"))


def down(of: Number, by: int) -> Number:
    return of.plus(constant(-by))


def code(*steps: Any) -> dict[int, Instruction]:
    """Of steps, or of whole instructions."""
    found = [s if isinstance(s, dict) else {"steps": (s,)} for s in steps]
    return {at: Instruction(at, 1, **one) for at, one in enumerate(found, 100)}


def back(address: int) -> dict[str, Any]:
    return {"flow": "branch", "to": Callee(address)}


@pytest.mark.parametrize(
    "steps, expected",
    [
        ([Assign("sp", down(SP, 3000))], Taken(3000, False, False)),
        (
            [Assign("fp", SP), Assign("sp", down(SP, 64)), Assign("sp", None)],
            Taken(64, False, False),
        ),
        # A number from a register that has a constant; one that is not known.
        (
            [Assign("t0", constant(5000)), Assign("sp", SP.plus(T0.times(-1)))],
            Taken(5000, False, False),
        ),
        ([Assign("sp", SP.plus(T0.times(-1)))], Taken(0, True, False)),
        (
            [Assign("t1", SP.plus(T0.times(-1))), Assign("sp", number(Register("t1")))],
            Taken(0, True, False),
        ),
        # From elsewhere: a pointer, memory.
        ([Assign("sp", T0)], Taken(0, False, False)),
        ([Assign("sp", number(Memory(T0, 8)))], Taken(0, False, False)),
        # In a loop; page by page, up to where another register says.
        ([Assign("sp", down(SP, 4096)), back(100)], Taken(4096, False, True)),
        (
            [Assign("t0", down(SP, 9000)), Assign("sp", down(SP, 4096)), back(101)],
            Taken(9000, False, True),
        ),
        # What follows a return comes from elsewhere.
        (
            [
                Assign("sp", down(SP, 64)),
                Assign("sp", down(SP, -64)),
                {"flow": "end"},
                Assign("sp", down(SP, 8)),
            ],
            Taken(72, False, False),
        ),
    ],
)
def test_taken(steps: Any, expected: Taken) -> None:
    assert taken(code(*steps), CONVENTION, 100, 200) == expected


def test_used() -> None:
    registers = {"sp": 1000, "fp": 2000, "t0": 3000}.get

    def of(*steps: Any, **more: Any) -> list[Used]:
        return list(used(Instruction(0, 1, steps, **more), CONVENTION, "fp", registers))

    assert of(Store(down(SP, 8), 8, None)) == [Used(992, True)]
    assert of(Assign("sp", down(SP, 8)), Store(SP, 8, None)) == [Used(992, True)]
    assert of(Store(number(Register("fp")).plus(T0), 8, None)) == [Used(5000, False)]
    assert of(Assign("a0", number(Memory(T0, 8)))) == [Used(3000, False)]
    assert of(flow="call", to=Callee(5)) == [Used(992, True)]
    assert of(Store(number(Register("unknown")), 8, None)) == []


# ---- What is told --------------------------------------------------------------------------------


def test_recursion() -> None:
    levels = [Level("a", 100), Level("b", 50)] * 20
    found = recursion(levels, 1500)
    assert found is not None
    assert (found.functions, found.depth, found.each, found.exact) == (["a", "b"], 30, 150, False)
    assert recursion([Level("a", 100)] * 7, 0) is None
    # Most of the stack is taken by something else.
    assert recursion([*levels, Level("main", 1 << 20)], 0) is None


def test_enough() -> None:
    assert enough(4096, 3 * MB) == 4 * MB
    assert enough(4096, 4 * MB) == 8 * MB
    assert enough(100, 20000) == 32768


# ---- What the kernel has told a handler ----------------------------------------------------------


def test_page_fault() -> None:
    frame = bytearray(1024)
    struct.pack_into("<3Q", frame, 200, 14, 0, 0x1234)
    read = lambda address, size: bytes(frame[address : address + size])  # noqa: E731
    assert x86_64.page_fault(0, read) == 0x1234
    struct.pack_into("<Q", frame, 200, 6)
    assert x86_64.page_fault(0, read) is None
    struct.pack_into("<Q", frame, 128 + 176, 0x5678)
    assert aarch64.page_fault(0, read) == 0x5678
