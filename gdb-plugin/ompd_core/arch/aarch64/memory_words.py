# SPDX-License-Identifier: Apache-2.0
"""What does an instruction do that loads or stores, by its word?"""

from __future__ import annotations

from typing import Iterator

from ...code.machine_code import Assign, Memory, Number, Step, Store, constant, low, number
from .fields import name_or_stack, register, register_or_stack, signed

_WORD_SIZE = 8


def accesses(at: int, word: int) -> Iterator[Step]:
    rt, rn = word & 31, word >> 5 & 31
    if word & 0x3A000000 == 0x28000000:
        yield from _pair(word, rt, rn)
    elif word & 0x3A000000 == 0x38000000:
        yield from _single(word, rt, rn)
    elif word & 0x3B000000 == 0x18000000:
        yield from _literal(at, word, rt)
    elif word & 0x3F000000 == 0x08000000:
        yield from _exclusive(word, rt, rn)
    elif word & 0xBE000000 == 0x0C000000:  # vectors, one by one or interleaved
        if not word >> 22 & 1:
            yield Store(register_or_stack(rn), 64, None)
        if word >> 23 & 1:
            yield Assign(name_or_stack(rn), None)
    elif word & 0x3F200C00 == 0x19000000:  # ldapur, stlur
        yield from _moved(word, rt, register_or_stack(rn).plus(constant(signed(word >> 12, 9))))
    else:
        # Tags, copies of memory, pairs of atomics: all that their words name.
        rm = word >> 16 & 31
        yield Store(None, 64, None)
        for index in {rt, rm, rm | 1} - {31}:
            yield Assign(f"x{index}", None)
        yield Assign(name_or_stack(rn), None)


def _load(index: int, value: Number | None) -> list[Step]:
    return [Assign(f"x{index}", value)] if index != 31 else []


def _stores(address: Number, size: int) -> Iterator[Step]:
    """Of what is no register's."""
    for at in range(0, size, _WORD_SIZE):
        yield Store(address.plus(constant(at)), min(size, _WORD_SIZE), None)


def _pair(word: int, rt: int, rn: int) -> Iterator[Step]:
    """Of registers: ldp, stp, ldpsw, stgp, with the base changed before, after, or not."""
    mode, load, kind, rt2 = word >> 23 & 3, word >> 22 & 1, word >> 30, word >> 10 & 31
    is_vector, tags = word >> 26 & 1, kind == 1 and not load
    if is_vector:
        size = 4 << kind
    else:
        size = 8 if kind & 2 or tags else 4
    distance = constant(signed(word >> 15, 7) * (16 if tags and not is_vector else size))
    first = register_or_stack(rn) if mode == 1 else register_or_stack(rn).plus(distance)
    second = first.plus(constant(size))
    changed: list[Step] = []
    if mode & 1:
        changed = [Assign(name_or_stack(rn), register_or_stack(rn).plus(distance))]
    if is_vector:
        yield from () if load else _stores(first, 2 * size)
    elif load:
        # Both addresses are those before: what is loaded first may be the base.
        loads = [_load(rt, _loaded(first, size, kind == 1))]
        loads.append(_load(rt2, _loaded(second, size, kind == 1)))
        for steps in reversed(loads) if rt == rn else loads:
            yield from steps
    else:
        yield Store(first, size, register(rt))
        yield Store(second, size, register(rt2))
    yield from changed


def _loaded(address: Number, size: int, with_sign: bool) -> Number:
    return low(number(Memory(address, size)), size, with_sign)


def _single(word: int, rt: int, rn: int) -> Iterator[Step]:
    mode = word >> 10 & 3
    if word >> 24 & 1:
        size = _size(word)
        yield from _moved(
            word, rt, register_or_stack(rn).plus(constant((word >> 10 & 0xFFF) * size))
        )
    elif word >> 21 & 1 and mode == 2:
        yield from _moved(word, rt, _indexed(word, rn))
    elif word >> 21 & 1 and mode == 0:
        yield from _atomic(word, rt, rn)
    elif word >> 21 & 1:  # ldraa, ldrab: by an address that is authenticated
        yield from _load(rt, None)
        if word >> 11 & 1:
            yield Assign(name_or_stack(rn), None)
    else:
        distance = constant(signed(word >> 12, 9))
        yield from _moved(
            word, rt, register_or_stack(rn) if mode == 1 else register_or_stack(rn).plus(distance)
        )
        if mode & 1:
            yield Assign(name_or_stack(rn), register_or_stack(rn).plus(distance))


def _size(word: int) -> int:
    is_of_16 = word >> 26 & 1 and word >> 23 & 1
    return 16 if is_of_16 else 1 << (word >> 30)


def _indexed(word: int, rn: int) -> Number | None:
    """A base and a register, extended and shifted."""
    index = register(word >> 16 & 31)
    parts = {2: low(index, 4), 3: index, 6: low(index, 4, signed=True), 7: index}
    part = parts.get(word >> 13 & 7)
    if part is None:
        return None
    return register_or_stack(rn).plus(part.times(_size(word) if word >> 12 & 1 else 1))


def _moved(word: int, rt: int, address: Number | None) -> Iterator[Step]:
    """A load or a store of one register, or nothing where it only fetches ahead."""
    kind, size = word >> 22 & 3, _size(word)
    if word >> 26 & 1:
        if not kind & 1:
            yield from _stores(address, size) if address is not None else [Store(None, size, None)]
    elif kind == 0:
        yield Store(address, size, register(rt))
    elif not (size == 8 and kind == 2):
        value = _loaded(address, size, kind & 2 != 0) if address is not None else None
        if kind == 3 and value is not None:
            value = low(value, 4)
        yield from _load(rt, value)


def _atomic(word: int, rt: int, rn: int) -> Iterator[Step]:
    """swp, ldadd and the like; ldapr only loads; 64 bytes at once."""
    rm, kind = word >> 16 & 31, word >> 12 & 15
    if word >> 26 & 1:
        yield Store(register_or_stack(rn), _WORD_SIZE, None)
        return
    if kind == 12 and word >> 22 & 3 == 2:
        yield from _load(rt, _loaded(register_or_stack(rn), 1 << (word >> 30), False))  # ldapr
        return
    if kind == 13:  # ld64b
        for index in range(rt, min(rt + 8, 31)):
            yield from _load(index, None)
        return
    if kind in (9, 10, 11):  # st64bv tells in the second one whether it was stored
        yield Store(register_or_stack(rn), 64, None)
        yield from _load(rm, None)
        yield from _load(rt, None)
        return
    yield Store(register_or_stack(rn), 1 << (word >> 30), None)
    yield from _load(rt, None)


def _literal(at: int, word: int, rt: int) -> Iterator[Step]:
    """What lies in the code."""
    kind = word >> 30
    if word >> 26 & 1 or kind == 3:
        return
    address = constant(at + 4 * signed(word >> 5, 19))
    yield from _load(rt, _loaded(address, 8 if kind == 1 else 4, kind == 2))


def _exclusive(word: int, rt: int, rn: int) -> Iterator[Step]:
    """ldxr, stxr, ldar, stlr, cas, and their pairs."""
    ordered, load, other = word >> 23 & 1, word >> 22 & 1, word >> 21 & 1
    rm, rt2, size = word >> 16 & 31, word >> 10 & 31, 1 << (word >> 30)
    if other and (ordered or not word >> 31):  # cas, casp
        pair = () if ordered else (rm | 1,)
        for index in (rm, *pair):
            yield from _load(index, None)
        yield Store(register_or_stack(rn), 16, None)
    elif load:
        yield from _load(rt, None if other else _loaded(register_or_stack(rn), size, False))
        if other:
            yield from _load(rt2, None)
    elif ordered:
        yield Store(register_or_stack(rn), size, register(rt))
    else:
        yield from _stores(register_or_stack(rn), 16 if other else size)
        yield from _load(rm, None)  # whether it was stored
