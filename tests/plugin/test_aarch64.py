# SPDX-License-Identifier: Apache-2.0
"""What do AArch64's words, registers and functions tell? Words as compilers and binutils make them;
tests/gdb/test_aarch64.py compares all words of whole files with what binutils read."""

from __future__ import annotations

import struct
from typing import Any, Callable, Sequence

import pytest
from ompd_core.arch import aarch64
from ompd_core.arch.aarch64.words import decode
from ompd_core.arch.base import Disassembled
from ompd_core.code import refusal
from ompd_core.code.futex import FutexWait
from ompd_core.code.machine_code import (
    Assign,
    Compare,
    Memory,
    Number,
    Register,
    Step,
    Store,
    constant,
    low,
    number,
)
from ompd_core.code.machine_state import MachineState
from ompd_core.code.returning import returns_from
from ompd_core.errors import Unreadable
from ompd_core.model import where
from ompd_core.model.native import Frame, Location
from ompd_core.model.users_frame import users_frame

AT = 0x10000
SP = number(Register("sp"))


def x(index: int) -> Number:
    return number(Register(f"x{index}"))


def at(base: Number, distance: int) -> Number:
    return base.plus(constant(distance))


def word(address: Number, size: int = 8) -> Number:
    return number(Memory(address, size))


class Code:
    """Of these words, from AT. names: what the debugger calls what is called, by the call."""

    def __init__(self, *words: int, names: Any = None) -> None:
        self._bytes = struct.pack(f"<{len(words)}I", *words)
        self._names = names or {}

    def read(self, address: int, nbytes: int) -> bytes:
        start = address - AT
        if not 0 <= start <= start + nbytes <= len(self._bytes):
            raise Unreadable()
        return self._bytes[start : start + nbytes]

    def between(self, start: int, end: int) -> Sequence[Disassembled]:
        """Only names are taken of it."""
        found = range(start, end, 4)
        return [Disassembled(one, 4, self._text(one)) for one in found]

    def some(self, start: int, count: int) -> Sequence[Disassembled]:
        return self.between(start, start + 4 * count)

    def _text(self, address: int) -> str:
        name = self._names.get(address)
        return f"bl\t0x20000 <{name}>" if name else "nop"


def compared_after(*words: int) -> Number | None:
    """Whether that is zero is what the last comparison tells."""
    state = MachineState(aarch64.CONVENTION, AT)
    for n, one in enumerate(words):
        for step in decode(AT + 4 * n, one).instruction.steps:
            state.do(step, AT + 4 * n)
    return state.compared


def test_a_truth_that_is_compared_again() -> None:
    """As gcc's unoptimised code does with what __cxa_guard_acquire returns."""
    compare, not_equal, is_equal, one_byte = 0x7100001F, 0x1A9F07E0, 0x1A9F17E0, 0x12001C00
    asked = compared_after(compare)
    assert asked is not None
    assert compared_after(compare, not_equal, one_byte, compare) == asked
    assert compared_after(compare, not_equal, compare) == asked
    assert compared_after(compare, is_equal, one_byte, compare) != asked


# ---- Words ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "code, steps",
    [
        (0xD503201F, []),  # nop
        (0x90000108, [Assign("x8", constant(0x30000))]),  # adrp x8, 30000
        (0x10000040, [Assign("x0", constant(AT + 8))]),  # adr x0, .+8
        (0x91004108, [Assign("x8", at(x(8), 16))]),  # add x8, x8, #16
        (0xD10083FF, [Assign("sp", at(SP, -32))]),  # sub sp, sp, #32
        (0x11000508, [Assign("x8", low(at(x(8), 1), 4))]),  # add w8, w8, #1
        (0x8B080D09, [Assign("x9", x(8).plus(x(8).times(8)))]),  # add x9, x8, x8, lsl #3
        (0x8B28C809, [Assign("x9", x(0).plus(low(x(8), 4, True).times(4)))]),  # add, w8, sxtw #2
        (0xAA0103E0, [Assign("x0", x(1))]),  # mov x0, x1
        (0x2A0103E0, [Assign("x0", low(x(1), 4))]),  # mov w0, w1
        (0x52800028, [Assign("x8", constant(1))]),  # mov w8, #1
        (0x12800008, [Assign("x8", constant(0xFFFFFFFF))]),  # mov w8, #-1
        (0x92800008, [Assign("x8", constant(-1))]),  # mov x8, #-1
        (0xB24003E8, [Assign("x8", constant(1))]),  # orr x8, xzr, #1
        (0x12001C08, [Assign("x8", low(x(0), 1))]),  # and w8, w0, #0xff
        (0x92401C08, [Assign("x8", low(x(0), 1))]),  # and x8, x0, #0xff
        (0xF2A00028, [Assign("x8", None)]),  # movk x8, #1, lsl #16
        (0x93407C08, [Assign("x8", low(x(0), 4, True))]),  # sxtw x8, w0
        (0x53001C08, [Assign("x8", low(x(0), 1))]),  # uxtb w8, w0
        (0xD37DF008, [Assign("x8", x(0).times(8))]),  # lsl x8, x0, #3
        (0x9B017C08, [Assign("x8", None)]),  # mul x8, x0, x1
        (0x7100001F, [Compare(low(x(0), 4), low(x(0), 4))]),  # cmp w0, #0
        (0x7100041F, [Compare(low(at(x(0), -1), 4), low(x(0), 4), 1)]),  # cmp w0, #1
        (0xF1402BFF, [Compare(at(SP, -0xA000), SP, 0xA000)]),  # cmp sp, #10, lsl #12
        (0x3100041F, [Compare(low(at(x(0), 1), 4))]),  # cmn w0, #1
        (0x6A00001F, [Compare(low(x(0), 4))]),  # tst w0, w0
        (0x7200001F, [Compare(None)]),  # tst w0, #1
        (0x1A9F17E8, [Assign("x8", None)]),  # cset w8, eq
        (0x1A9F07E8, [Assign("x8", None, True), Assign("x8", low(x(8), 1))]),  # cset w8, ne
        (0x5A9F03E8, [Assign("x8", None)]),  # csetm w8, ne
        (0xF9400108, [Assign("x8", word(x(8)))]),  # ldr x8, [x8]
        (0xB9400BE0, [Assign("x0", word(at(SP, 8), 4))]),  # ldr w0, [sp, #8]
        (0xB9800BE0, [Assign("x0", low(word(at(SP, 8), 4), 4, True))]),  # ldrsw x0, [sp, #8]
        (0xF85F83A0, [Assign("x0", word(at(x(29), -8)))]),  # ldur x0, [x29, #-8]
        (0x3868D908, [Assign("x8", word(x(8).plus(low(x(8), 4, True)), 1))]),  # ldrb, w8, sxtw #0
        (0xF90003E0, [Store(SP, 8, x(0))]),  # str x0, [sp]
        (0xB81FC3BF, [Store(at(x(29), -4), 4, constant(0))]),  # stur wzr, [x29, #-4]
        (
            0xA9BF7BFD,  # stp x29, x30, [sp, #-16]!
            [
                Store(at(SP, -16), 8, x(29)),
                Store(at(SP, -8), 8, x(30)),
                Assign("sp", at(SP, -16)),
            ],
        ),
        (
            0xA8C17BFD,  # ldp x29, x30, [sp], #16
            [
                Assign("x29", word(SP)),
                Assign("x30", word(at(SP, 8))),
                Assign("sp", at(SP, 16)),
            ],
        ),
        # ldp x0, x1, [x0]: the first one is the base.
        (0xA9400400, [Assign("x1", word(at(x(0), 8))), Assign("x0", word(x(0)))]),
        (0x885FFC08, [Assign("x8", word(x(0), 4))]),  # ldaxr w8, [x0]
        (0xB8E80109, [Store(x(8), 4, None), Assign("x9", None)]),  # ldaddal w8, w9, [x8]
        (0x88E8FD09, [Assign("x8", None), Store(x(8), 16, None)]),  # casal w8, w9, [x8]
        (0xD53BD040, [Assign("x0", None)]),  # mrs x0, tpidr_el0
        (0xD4000001, [Assign("x0", None)]),  # svc #0
        (0xD503233F, []),  # paciasp
        (0xDAC103FE, []),  # pacia x30, sp: the same address
        (0x1E260000, [Assign("x0", None)]),  # fmov w0, s0
        (0x1E270000, []),  # fmov s0, w0
        (0x1E602028, [Compare(None)]),  # fcmp d1, #0.0
        (0x0D0085E1, [Store(x(15), 64, None)]),  # st1 {v1.d}[0], [x15]
        (0x4CDF7008, [Assign("x0", None)]),  # ld1 {v8.16b}, [x0], #16
    ],
)
def test_steps(code: int, steps: list[Step]) -> None:
    one = decode(AT, code)
    assert list(one.instruction.steps) == steps
    assert one.instruction.flow in ("next", "padding") and not one.returns


@pytest.mark.parametrize(
    "code, flow, target, returns",
    [
        (0x94000004, "call", AT + 16, False),  # bl
        (0x17FFFFFF, "jump", AT - 4, False),  # b
        (0x54000040, "branch", AT + 8, False),  # b.eq
        (0x36000040, "branch", AT + 8, False),  # tbz
        (0xD63F0100, "call", x(8), False),  # blr x8
        (0xD73F0900, "call", x(8), False),  # blraa x8, x0
        (0xD61F0220, "jump", x(17), False),  # br x17
        (0xD65F03C0, "end", None, True),  # ret
        (0xD65F0BFF, "end", None, True),  # retaa
        (0xD65F0220, "end", None, False),  # ret x17: not to who called
        (0xD4207D00, "end", None, False),  # brk
        (0x00000000, "end", None, False),  # udf
    ],
)
def test_flow(code: int, flow: str, target: Any, returns: bool) -> None:
    one = decode(AT, code)
    to = one.instruction.to
    assert (one.instruction.flow, one.returns) == (flow, returns)
    assert (to.pointer if isinstance(target, Number) else to.address) == target


def test_branches_that_compare_themselves() -> None:
    """What was compared before stays for those that follow."""
    taken, other = decode(AT, 0x34000040).instruction, decode(AT, 0xB5000040).instruction
    assert (taken.if_zero, taken.tested, taken.steps) == (True, low(x(0), 4), ())
    assert (other.if_zero, other.tested) == (False, x(0))


def test_random_words() -> None:
    """None is too odd."""
    for i in range(200_000):
        one = decode(AT, i * 0x9E3779B1 & 0xFFFFFFFF).instruction
        assert one.flow in ("next", "padding", "jump", "branch", "call", "end")
        assert all(
            step.register == "sp" or 0 <= int(step.register[1:]) < 31
            for step in one.steps
            if isinstance(step, Assign)
        )


# ---- Frames --------------------------------------------------------------------------------------


def test_atomic_operations_are_not_the_users() -> None:
    """In an own function, which the compiler calls, without a line."""
    inner = Frame(Location("__aarch64_ldadd4_acq_rel", pc=AT), executable=True)
    own = Frame(Location("count", pc=AT + 64), executable=True)
    assert users_frame([inner, own], where.CodeMap([])) == own


# ---- What the processor refuses ------------------------------------------------------------------


@pytest.mark.parametrize(
    "text, why",
    [
        ("udf\t#0", refusal.NO_INSTRUCTION),
        (".inst\t0x0000ffff ; undefined", refusal.NO_INSTRUCTION),
        ("udf\t#1", refusal.TRAP),
        ("hvc\t#0x0", refusal.PRIVILEGED),
        ("msr\tdaifset, #0x2", refusal.PRIVILEGED),
        ("ld1w\t{z0.s}, p0/z, [x0]", refusal.NOT_THERE),
        ("at_once\tx0", refusal.NOT_THERE),
    ],
)
def test_refused(text: str, why: str) -> None:
    def ask(how: str) -> Any:
        return aarch64.refused(how, text, registers(), lambda address, count: bytes(count))

    assert ask(refusal.UNDEFINED) == refusal.Refusal(why, text)
    assert ask(refusal.PROTECTED) is None and ask(refusal.DIVIDED) is None


# ---- Registers -----------------------------------------------------------------------------------


def registers(**values: int) -> Callable[[str], int | None]:
    return values.get


def test_thread_pointer() -> None:
    """The descriptor lies in front of it; of what size, the C library tells."""
    assert aarch64.thread_pointer(registers(tpidr=0x7000), lambda: 0x740) == 0x7000 - 0x740
    assert aarch64.thread_pointer(registers(tpidr=0x7000), lambda: None) is None
    assert aarch64.thread_pointer(registers(), lambda: 0x740) is None


def test_futex_wait() -> None:
    """A thread that waits stands at the call, with its arguments; behind it they are lost."""
    code = Code(0xD4000001, 0xD65F03C0)
    known = {"x8": 98, "x0": 0x5000, "x1": 0x80, "x2": 0xFFFFFFFF00000002, "x3": 0}
    waits = FutexWait(0x5000, 0x80, 2, False, True)
    assert aarch64.futex_wait(registers(pc=AT, **known), code.read) == waits
    assert aarch64.futex_wait(registers(pc=AT + 4, **known), code.read) is None
    assert aarch64.futex_wait(registers(pc=AT + 8, **known), code.read) is None
    assert aarch64.futex_wait(registers(pc=AT, **{**known, "x8": 101}), code.read) is None
    assert aarch64.futex_wait(registers(pc=AT), code.read) is None


def test_number_of_a_system_call() -> None:
    """mov w8, #425; mov x0, #425, as syscall () takes it; mov w1, #425, which is something else."""
    for word, passes in ((0x52803528, True), (0xD2803520, True), (0x52803521, False)):
        code = struct.pack("<3I", 0xD503201F, word, 0xD4000001)
        assert aarch64.passes_number(code, 425) == passes


def test_return_address() -> None:
    """In a register, maybe with a signature; the stack is the same before and after."""
    values = {"x30": 0x7B000000400500, "sp": 0x8000}
    assert aarch64.return_address(values.__getitem__, Code().read) == (0x400500, 0x8000)


# ---- Calls ---------------------------------------------------------------------------------------

# adrp x0, 30000; add x0, x0, #16; mov w1, #2; bl
PASSES = (0x90000100, 0x91004000, 0x52800041, 0x94000000)


def test_calls() -> None:
    code = Code(*PASSES, 0xD63F0100, 0xD65F03C0, names={AT + 12: "omp_set_lock@plt"})
    assert aarch64.direct_call(code.read, AT + 16) == AT + 12
    assert aarch64.direct_call(code.read, AT + 20) is None
    assert [aarch64.follows_call(code.read, AT + i) for i in (12, 16, 18, 20)] == [
        *(False, True, False, True)
    ]
    call = aarch64.call_before(code, AT + 16)
    assert call is not None and call.to.name == "omp_set_lock@plt"
    assert aarch64.call_before(code, AT + 20) is None


@pytest.mark.parametrize("index, value", [(0, 0x30010), (1, 2), (2, None)])
def test_constant_argument(index: int, value: int | None) -> None:
    code = Code(*PASSES, names={AT + 12: "omp_set_lock@plt"})
    found = aarch64.constant_argument(code, code.read, AT, AT + 16, {"omp_set_lock": index}.get)
    assert found == value


def test_no_constant_argument() -> None:
    """Where a branch leads in between; behind another call; of what is loaded."""
    for first in ((0x54000040, *PASSES[:2]), (*PASSES[:2], 0x94000000), (0xF9400000, *PASSES[2:3])):
        words = (*first, 0x94000000)
        end = AT + 4 * len(words)
        code = Code(*words, names={end - 4: "f"})
        assert aarch64.constant_argument(code, code.read, AT, end, {"f": 0}.get) is None


def test_references() -> None:
    """Calls of stubs, and loads from the table whose page a register may hold."""
    text = Code(0x94000040, 0x90000113, 0x94000000, 0xF9400A60, 0xF9400A80).read(AT, 20)
    found = list(aarch64.references(text, AT, [(AT + 0x100, AT + 0x110)], [(0x30010, 0x30018)]))
    assert found == [(AT, AT + 0x100), (AT + 12, 0x30010)]


# ---- Functions -----------------------------------------------------------------------------------

# paciasp; stp x29,x30,[sp,#-32]!; str x19,[sp,#16]; mov x29,sp; bl; ldr x19,[sp,#16];
# ldp x29,x30,[sp],#32; autiasp; ret
FUNCTION = (0xD503233F, 0xA9BE7BFD, 0xF9000BF3, 0x910003FD, 0x94000040)
FUNCTION += (0xF9400BF3, 0xA8C27BFD, 0xD50323BF, 0xD65F03C0)


def test_returns_from() -> None:
    """The address to return to has been stored, and is loaded again."""
    decoder = aarch64.decoder(Code(*FUNCTION))
    found = returns_from(AT + 20, decoder, aarch64.CONVENTION, aarch64.KEPT)[AT + 20]
    assert found is not None
    assert (found.stack, found.link) == (at(SP, 32), word(at(SP, 8)))
    kept = dict(found.registers)
    assert (kept["x19"], kept["x29"], kept["x20"]) == (word(at(SP, 16)), word(SP), x(20))
    at_entry = returns_from(AT, decoder, aarch64.CONVENTION, aarch64.KEPT)[AT]
    assert at_entry is not None and (at_entry.stack, at_entry.link) == (SP, x(30))


def test_ways() -> None:
    code = Code(*FUNCTION)
    end = AT + 4 * len(FUNCTION)
    assert aarch64.builds_frame(code, AT) and not aarch64.builds_frame(code, AT + 12)
    assert aarch64.only_call(code, AT) == aarch64.next_call(code, AT) == AT + 16 + 0x100
    assert aarch64.next_call(code, AT + 20) is None
    assert aarch64.epilogues(code, AT, end) == [(AT + 20, end - 4)]
    assert aarch64.is_straight(code, AT, AT + 16, False)
    assert not aarch64.is_straight(code, AT, AT + 20, False)
    assert aarch64.is_straight(code, AT, AT + 20, True)
    assert not aarch64.is_straight(code, AT, end, True)
    assert not aarch64.is_straight(code, AT, AT, False)
    jumps = Code(0x14000002, 0, 0xD503201F, 0x94000000)
    assert list(aarch64.only_way(jumps, AT)) == [AT, AT + 8, AT + 12]


def test_instructions() -> None:
    code = Code(*FUNCTION, names={AT + 16: "omp_set_lock@plt"})
    found = aarch64.instructions(code, AT, AT + 4 * len(FUNCTION), with_steps=True)
    assert list(found) == list(range(AT, AT + 4 * len(FUNCTION), 4))
    assert found[AT + 16].to.name == "omp_set_lock@plt"
