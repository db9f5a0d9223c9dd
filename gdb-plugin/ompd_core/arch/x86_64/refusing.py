# SPDX-License-Identifier: Apache-2.0
"""Why did the processor not execute an instruction, by what the debugger wrote of it?"""

from __future__ import annotations

from ... import late_patterns
from ...code.machine_code import Number, Register
from ...code.refusal import (
    BY_ZERO,
    CALLS_NOTHING,
    DIVIDED,
    NO_ADDRESS,
    NO_INSTRUCTION,
    NOT_ALIGNED,
    NOT_THERE,
    PRIVILEGED,
    RETURNS_NOWHERE,
    TOO_LARGE,
    TRAP,
    UNDEFINED,
    Refusal,
)
from ..base import KnownRegisters, Read
from .decoding import SUFFIXES, Operand, named, operands, pointer, returns

_TRAPS = late_patterns.compile(r"ud[012]")
_DIVIDES = late_patterns.compile(r"i?div([bwlq])?$")
# Their operands in memory may be anywhere.
_UNALIGNED = late_patterns.compile(r"v?(movu|lddqu|movdqu|mov[lh]p|movs[sd]|mov[dq]$|loadu)")
_WIDTHS = (("zmm", 64), ("ymm", 32), ("xmm", 16))
_PRIVILEGED = late_patterns.compile(
    r"(hlt|cli|sti|in[bwl]?|out[bwl]?|ins[bwld]|outs[bwld]|lgdt|lidt|lldt|ltr|lmsw|clts|invd"
    r"|wbinvd|invlpg|rdmsr|wrmsr|rdpmc|swapgs|sysretq?|sysexitq?|vmcall|vmlaunch)$"
)
_MOST = (1 << 64) - 1


def refused(how: str, text: str, registers: KnownRegisters, read: Read) -> Refusal | None:
    if how == UNDEFINED:
        return _undefined(text)
    return (_divided if how == DIVIDED else _protected)(text, registers, read)


def _undefined(text: str) -> Refusal:
    if "(bad)" in text:
        return Refusal(NO_INSTRUCTION, text)
    return Refusal(TRAP if _TRAPS.match(named(text)[0]) else NOT_THERE, text)


def _divided(text: str, registers: KnownRegisters, read: Read) -> Refusal | None:
    name, rest = named(text)
    match = _DIVIDES.match(name)
    found = operands(rest)
    if match is None or len(found) != 1:
        return None
    size = found[0].size or SUFFIXES.get(match.group(1) or "", 0)
    divisor = _value(found[0], size, registers, read)
    if divisor is None:
        return None
    return Refusal(TOO_LARGE if divisor else BY_ZERO, text)


def _protected(text: str, registers: KnownRegisters, read: Read) -> Refusal | None:
    name, rest = named(text)
    if returns(text):
        stack = registers("rsp")
        to = int.from_bytes(read(stack, 8), "little") if stack is not None else 0
        return None if _may_be(to) else Refusal(RETURNS_NOWHERE, text, to)
    if _PRIVILEGED.match(name):
        return Refusal(PRIVILEGED, text)
    if name.startswith(("call", "jmp")):
        target = pointer(rest)
        goes_to = _value(target, 8, registers, read) if target is not None else None
        if goes_to is not None and not _may_be(goes_to):
            return Refusal(CALLS_NOTHING, text, goes_to)
        return None
    for one in operands(rest):
        at = _sum(one.address, registers) if one.address is not None else None
        if at is None:
            continue
        if not _may_be(at):
            return Refusal(NO_ADDRESS, text, at)
        width = next((size for mark, size in _WIDTHS if mark in rest), 0)
        if width and at % width and not _UNALIGNED.match(name):
            return Refusal(NOT_ALIGNED, text, at)
    return None


def _may_be(address: int) -> bool:
    """Of what would be an address to a processor with 57 bits of them it would not say this."""
    return address >> 47 == 0


def _value(one: Operand, size: int, registers: KnownRegisters, read: Read) -> int | None:
    if not size:
        return None
    if one.register is not None:
        whole = registers(one.register)
        return whole & ((1 << 8 * size) - 1) if whole is not None else None
    at = _sum(one.address, registers) if one.address is not None else None
    return int.from_bytes(read(at, size), "little") if at is not None else None


def _sum(of: Number, registers: KnownRegisters) -> int | None:
    total = of.constant
    for atom, factor in of.terms:
        found = registers(atom.name) if isinstance(atom, Register) else None
        if found is None:
            return None
        total += found * factor
    return total & _MOST
