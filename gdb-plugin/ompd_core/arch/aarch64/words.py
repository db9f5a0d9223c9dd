# SPDX-License-Identifier: Apache-2.0
"""What does an instruction do, by its word? Where that is not told, what it may change is."""

from __future__ import annotations

from typing import Iterator

from ...code.machine_code import Assign, Callee, Compare, Instruction, Number, Step, constant, low
from ...light_classes import NamedTuple
from .fields import name_or_stack, register, register_or_stack, signed
from .memory_words import accesses

SIZE = 4
LINK = "x30"
_ADDRESSES = (1 << 64) - 1
_NOP, _CHKFEAT = 0xD503201F, 0xD503251F
_CSET_NE = 0x1A9F07E0  # csinc of the zero register and itself
_CONDITIONS = {0: True, 1: False}  # eq, ne: whether what was compared is zero
_ABOVE = {8: True, 9: False}  # hi, ls


class Decoded(NamedTuple):
    instruction: Instruction
    returns: bool = False


def decode(at: int, word: int, name: str | None = None) -> Decoded:
    """name: what the debugger calls the address that it goes to."""
    group = word >> 25 & 15
    if group in (10, 11):
        return _branch(at, word, name)
    if group in (0, 1, 3) and not (group == 0 and word >> 31):
        return Decoded(Instruction(at, SIZE, flow="end"))  # not an instruction
    if word == _NOP:
        return Decoded(Instruction(at, SIZE, flow="padding"))
    return Decoded(Instruction(at, SIZE, tuple(_steps(at, word, group))))


def _steps(at: int, word: int, group: int) -> Iterator[Step]:
    if group in (8, 9):
        yield from _immediate(at, word)
    elif group & 5 == 4:
        yield from accesses(at, word)
    elif group & 7 == 5:
        yield from _of_registers(word)
    elif group & 7 == 7:
        yield from _of_numbers(word)
    else:
        yield from _of_vectors(word)


# ---- Where it goes -------------------------------------------------------------------------------


def _branch(at: int, word: int, name: str | None) -> Decoded:
    def to(bits: int, shift: int) -> Callee:
        return Callee(at + SIZE * signed(word >> shift, bits) & _ADDRESSES, name)

    if word & 0x7C000000 == 0x14000000:  # b, bl
        flow = "call" if word >> 31 else "jump"
        return Decoded(Instruction(at, SIZE, flow=flow, to=to(26, 0)))
    if word >> 24 == 0x54:
        if_zero, if_above = _CONDITIONS.get(word & 15), _ABOVE.get(word & 15)
        return Decoded(
            Instruction(at, SIZE, flow="branch", to=to(19, 5), if_zero=if_zero, if_above=if_above)
        )
    if word & 0x7E000000 == 0x34000000:  # cbz, cbnz
        tested = _sized(register(word & 31), bool(word >> 31))
        if_zero = not word >> 24 & 1
        return Decoded(
            Instruction(at, SIZE, flow="branch", to=to(19, 5), if_zero=if_zero, tested=tested)
        )
    if word & 0x7E000000 == 0x36000000:  # tbz, tbnz
        return Decoded(Instruction(at, SIZE, flow="branch", to=to(14, 5)))
    if word & 0x7E000000 == 0x74000000:  # cb: a comparison and a branch
        return Decoded(Instruction(at, SIZE, flow="branch", to=to(9, 5)))
    if word & 0xFF00001F == 0x5500001F:  # retaasppc
        return Decoded(Instruction(at, SIZE, flow="end"), returns=True)
    if word & 0xFE000000 == 0xD6000000:
        return _by_register(at, word)
    return Decoded(_of_system(at, word))


def _by_register(at: int, word: int) -> Decoded:
    """br, blr, ret, and those that authenticate the address."""
    kind, index = word >> 21 & 7, word >> 5 & 31
    if kind not in (0, 1):
        # Of those with a signature the link is not named.
        returns = kind == 2 and index in (30, 31)
        return Decoded(Instruction(at, SIZE, flow="end"), returns)
    flow = "call" if kind == 1 else "jump"
    return Decoded(Instruction(at, SIZE, flow=flow, to=Callee(pointer=register(index))))


def _of_system(at: int, word: int) -> Instruction:
    """Signatures of addresses are passed over."""
    if word & 0xFFE00003 == 0xD4000001:  # svc
        return Instruction(at, SIZE, (Assign("x0", None),))
    if word >> 22 == 0x355:  # pairs of registers
        steps = [*_assign(word & 31, None), *_assign(word & 31 | 1, None)]
        return Instruction(at, SIZE, (*steps, Compare(None)))
    if word >> 22 != 0x354:
        return Instruction(at, SIZE, flow="end")
    if word >> 21 & 1:  # mrs, sysl
        return Instruction(at, SIZE, tuple(_assign(word & 31, None)))
    if word == _CHKFEAT:
        return Instruction(at, SIZE, (Assign("x16", None),))
    changes_flags = word >> 19 & 3 or word >> 12 & 15 == 4  # msr, cfinv
    return Instruction(at, SIZE, (Compare(None),) if changes_flags else ())


# ---- What it computes ----------------------------------------------------------------------------


def _sized(value: Number, wide: bool) -> Number:
    return value if wide else low(value, 4)


def _assign(index: int, value: Number | None, wide: bool = True, stack: bool = False) -> list[Step]:
    """stack: the last register is the stack pointer, else nothing is written to it."""
    if index == 31 and not stack:
        return []
    return [Assign(name_or_stack(index), None if value is None else _sized(value, wide))]


def _immediate(at: int, word: int) -> Iterator[Step]:
    rd, rn, wide = word & 31, word >> 5 & 31, bool(word >> 31)
    value: Number | None = None
    if word & 0x1F000000 == 0x10000000:  # adr, adrp
        distance = signed((word >> 5 & 0x7FFFF) << 2 | (word >> 29 & 3), 21)
        value = constant((at & ~0xFFF) + (distance << 12) if wide else at + distance)
        yield from _assign(rd, value)
    elif word & 0x1F800000 == 0x11000000:  # add, sub
        added = (word >> 10 & 0xFFF) << (12 if word >> 22 & 1 else 0)
        subtracts = bool(word >> 30 & 1)
        value = register_or_stack(rn).plus(constant(-added if subtracts else added))
        if word >> 29 & 1:
            of = _sized(register_or_stack(rn), wide) if subtracts else None
            yield Compare(_sized(value, wide), of, added if subtracts else 0)
        yield from _assign(rd, value, wide, stack=not word >> 29 & 1)
    elif word & 0x1F800000 == 0x12000000:  # and, orr, eor, ands
        yield from _bits(word, rd, rn, wide)
    elif word & 0x1F800000 == 0x12800000:  # movn, movz, movk
        shifted = (word >> 5 & 0xFFFF) << 16 * (word >> 21 & 3)
        found = {0: constant(~shifted), 2: constant(shifted)}
        yield from _assign(rd, found.get(word >> 29 & 3), wide)
    elif word & 0x1F800000 == 0x13000000:  # sbfm, bfm, ubfm
        yield from _assign(rd, _field(word, rn, wide), wide)
    else:  # extr; addg, subg and minimum may be of the stack pointer
        yield from _assign(rd, None, stack=word & 0x1F800000 == 0x11800000)


def _bits(word: int, rd: int, rn: int, wide: bool) -> Iterator[Step]:
    mask = _mask(word >> 22 & 1, word >> 16 & 63, word >> 10 & 63)
    if mask is not None and not wide:
        mask &= 0xFFFFFFFF
    value: Number | None = None
    kind = word >> 29 & 3
    if kind == 1 and rn == 31 and mask is not None:
        value = constant(mask)
    elif kind == 0 and mask in (0xFF, 0xFFFF, 0xFFFFFFFF):
        value = low(register(rn), mask.bit_length() // 8)
    if kind == 3:
        yield Compare(None)
    yield from _assign(rd, value, wide, stack=kind != 3)


def _mask(wide: int, rotation: int, ones: int) -> int | None:
    """A pattern of ones, rotated and repeated."""
    length = (wide << 6 | (~ones & 63)).bit_length() - 1
    if length < 1:
        return None
    size = 1 << length
    count, rotation = (ones & (size - 1)) + 1, rotation & (size - 1)
    if count == size:
        return None
    pattern = (1 << count) - 1
    pattern = (pattern >> rotation | pattern << (size - rotation)) & ((1 << size) - 1)
    return sum(pattern << i for i in range(0, 64, size))


def _field(word: int, rn: int, wide: bool) -> Number | None:
    """sxtb to sxtw, uxtb, uxth, lsl, and the same of what was extended."""
    kind, rotation, last = word >> 29 & 3, word >> 16 & 63, word >> 10 & 63
    bits = 64 if wide else 32
    if kind == 1 or rotation >= bits or last >= bits:
        return None
    if kind == 2 and last + 1 == rotation and last != bits - 1:
        return register(rn).times(1 << (bits - 1 - last))
    if last not in (7, 15, 31):
        return None
    part = low(register(rn), (last + 1) // 8, signed=kind == 0)
    if rotation == 0:
        return part
    return part.times(1 << (bits - rotation)) if rotation > last else None


_EXTENDED = {  # of a register: how many bytes, with their sign?
    0: (1, False),
    1: (2, False),
    2: (4, False),
    3: (8, False),
    4: (1, True),
    5: (2, True),
    6: (4, True),
    7: (8, True),
}


def _of_registers(word: int) -> Iterator[Step]:
    rd, rn, rm, wide = word & 31, word >> 5 & 31, word >> 16 & 31, bool(word >> 31)
    if word & 0x1F000000 == 0x0A000000:  # and, orr, eor, ands
        plain = not word >> 10 & 63 and not word >> 21 & 1
        kind = word >> 29 & 3
        if kind == 3:
            same = plain and rn == rm
            yield Compare(_sized(register(rn), wide) if same else None)
        yield from _assign(rd, register(rm) if kind == 1 and rn == 31 and plain else None, wide)
    elif word & 0x1F000000 == 0x0B000000:
        yield from _added(word, rd, rn, rm, wide)
    elif word & 0x1FE00000 == 0x1A400000 or word & 0x7FE07C10 == 0x3A000400:
        yield Compare(None)  # ccmp, rmif
    elif word & 0x7FFFBC1F == 0x3A00080D:
        yield Compare(None)  # setf8, setf16
    elif word & 0x7FFFFFE0 == _CSET_NE and rd != 31:
        yield Assign(name_or_stack(rd), None, is_truth=True)
        yield from _assign(rd, low(register(rd), 1))  # the rest is zero
    elif word & 0xFFFF0000 == 0xDAC10000:
        pass  # an address is signed, or its signature taken away
    else:
        # adcs, sbcs, subps; irg may write the stack pointer.
        if word >> 29 & 1:
            yield Compare(None)
        yield from _assign(rd, None, stack=word & 0xFFE0FC00 == 0x9AC01000)


def _added(word: int, rd: int, rn: int, rm: int, wide: bool) -> Iterator[Step]:
    part: Number | None
    if word >> 21 & 1:
        base, shift = register_or_stack(rn), word >> 10 & 7
        size, with_sign = _EXTENDED[word >> 13 & 7]
        part = low(register(rm), size, with_sign)
    else:
        base, shift = register(rn), word >> 10 & 63
        part = register(rm) if word >> 22 & 3 == 0 else None
    value: Number | None = None
    if part is not None and (wide or not shift):
        value = base.plus(part.times(1 << shift).times(-1 if word >> 30 & 1 else 1))
    if word >> 29 & 1:
        yield Compare(None if value is None else _sized(value, wide))
    yield from _assign(rd, value, wide, stack=bool(word >> 21 & 1) and not word >> 29 & 1)


def _of_numbers(word: int) -> Iterator[Step]:
    """Of floating point and of vectors: some leave their result in a register, or in the flags."""
    kind = word >> 16 & 7
    if word & 0x5F203C00 == 0x1E202000 or word & 0x5F200C00 == 0x1E200400:
        yield Compare(None)  # fcmp, fccmp
    elif word & 0x5F20FC00 == 0x1E200000 or word & 0x5F200000 == 0x1E000000:
        if kind not in (2, 3, 7):  # scvtf, ucvtf, and fmov the other way
            yield from _assign(word & 31, None)
    elif word & 0xBFE08400 == 0x0E000400 and word >> 11 & 15 in (5, 7):
        yield from _assign(word & 31, None)  # smov, umov


def _of_vectors(word: int) -> Iterator[Step]:
    """SVE and SME: some leave a number in a register, all by the same bits; not told which."""
    yield Compare(None)
    is_of_stack = word & 0xFFA0F000 == 0x04205000  # addvl, addpl
    yield from _assign(word & 31, None, stack=is_of_stack)
