# SPDX-License-Identifier: Apache-2.0
"""What does an instruction do, by what the debugger wrote in AT&T's or in Intel's manner?"""

from __future__ import annotations

import re
from typing import Iterator

from ... import late_patterns
from ...code.machine_code import (
    Assign,
    Callee,
    Compare,
    Instruction,
    Memory,
    Number,
    Register,
    Step,
    Store,
    constant,
    low,
    number,
)
from ...errors import Unreadable
from ...light_classes import NamedTuple
from ..base import Decoder, Disassembled, Disassembler

# What one reading of code is worth.
_AT_ONCE = 32
# Pieces of code whose instructions are kept.
_MOST_DECODED = 128
_RETURN = late_patterns.compile(r"(?:\w+ )*ret")

_REGISTERS: dict[str, tuple[str, int]] = {"rip": ("rip", 8)}
for _letter in "abcd":
    for _name, _size in (("r?x", 8), ("e?x", 4), ("?x", 2), ("?l", 1), ("?h", 0)):
        _REGISTERS[_name.replace("?", _letter)] = (f"r{_letter}x", _size)
for _letters in ("si", "di", "bp", "sp"):
    for _name, _size in (("r?", 8), ("e?", 4), ("?", 2), ("?l", 1)):
        _REGISTERS[_name.replace("?", _letters)] = (f"r{_letters}", _size)
for _number in range(8, 16):
    for _name, _size in (("r?", 8), ("r?d", 4), ("r?w", 2), ("r?b", 1)):
        _REGISTERS[_name.replace("?", str(_number))] = (f"r{_number}", _size)

_PREFIXES = frozenset(
    "bnd notrack lock rep repz repe repnz repne data16 cs ds es ss addr32".split()
)
# GDB writes the operands' size behind the name where they do not show it, old ones always.
SUFFIXES = {"b": 1, "w": 2, "l": 4, "q": 8}
_SUFFIXED = frozenset(
    "mov add sub and or xor cmp test lea push pop inc dec neg not shl sal shr sar imul mul div idiv"
    " adc sbb movabs call jmp ret leave xchg xadd cmpxchg bt bts btr btc rol ror".split()
)
_INTEL_SIZES = {"BYTE": 1, "WORD": 2, "DWORD": 4, "QWORD": 8}
_SAME = {"movsxd": "movslq", "cdqe": "cltq", "cqo": "cqto", "cdq": "cltd", "sal": "shl"}
_SAME["movabs"] = "mov"

_FLAGS_KEPT = late_patterns.compile(
    r"(mov|lea|push$|pop$|set|cmov|cltq|cwtl|cqto|cltd|not$|nop|endbr)"
)
_WRITES_NOTHING = late_patterns.compile(
    r"(cmp$|test$|nop|bt$|u?comis|vu?comis|ptest|vptest|prefetch|fld|endbr)"
)
# What is changed beside what is written last.
_IMPLIED = (
    (late_patterns.compile(r"(mul|imul|div|idiv)$"), ("rax", "rdx")),
    (late_patterns.compile(r"(cqto|cltd|cwtd|cwd)$"), ("rdx",)),
    (late_patterns.compile(r"(cwtl|cbtw|cwde|cbw|lahf|in$|xlat)"), ("rax",)),
    (late_patterns.compile(r"cmpxchg"), ("rax", "rdx")),
    (late_patterns.compile(r"(rdtsc|rdpmc|rdmsr|xgetbv)"), ("rax", "rdx", "rcx")),
    (late_patterns.compile(r"cpuid"), ("rax", "rbx", "rcx", "rdx")),
    (late_patterns.compile(r"(syscall|sysenter|int$)"), ("rax", "rcx", "r11")),
    (late_patterns.compile(r"(movs|stos|lods|scas|cmps)[bwdlq]?$"), ("rax", "rcx", "rsi", "rdi")),
    (late_patterns.compile(r"loop"), ("rcx",)),
)
_TARGET = late_patterns.compile(r"0x([0-9a-f]+)(?:\s+<(.*)>)?")
_POINTED = late_patterns.compile(r"#\s*0x([0-9a-f]+)")
_XCHG_NOTHING = late_patterns.compile(r"xchg\s+%?ax,%?ax$")
_ENDS = frozenset("ret lret retf hlt ud0 ud1 ud2 (bad) iret iretq".split())
_NUMBER = late_patterns.compile(r"-?0x[0-9a-f]+|-?\d+")
_ATT_MEMORY = late_patterns.compile(
    r"(?P<displacement>-?0x[0-9a-f]+|-?\d+)?"
    r"(?:\((?:%(?P<base>\w+))?(?:,%(?P<index>\w+))?(?:,(?P<scale>\d))?\))?"
)
_INTEL_MEMORY = late_patterns.compile(
    r"\[(?:(?P<base>[a-z]\w*))?(?:\+?(?P<index>[a-z]\w*)\*(?P<scale>\d))?"
    r"(?P<displacement>[+-]?0x[0-9a-f]+|[+-]?\d+)?\]"
)
_EAX = number(Register("rax"))


class Operand(NamedTuple):
    size: int = 0  # 0: not told
    register: str | None = None
    constant: int | None = None
    is_memory: bool = False
    address: Number | None = None  # of memory; None: not told

    def value(self, size: int) -> Number | None:
        if self.constant is not None:
            return constant(self.constant)
        if self.register is not None and self.size:
            return low(number(Register(self.register)), min(size or 8, self.size))
        if self.address is not None and size:
            return number(Memory(self.address, size))
        return None


_decoded: dict[tuple[int, bytes, bool], dict[int, Instruction]] = {}


def instructions(
    disassembler: Disassembler, start: int, end: int, with_steps: bool = False
) -> dict[int, Instruction]:
    """As at the stop before, where the code is the same: a program is stopped in few functions."""
    key = start, disassembler.read(start, end - start), with_steps
    if key not in _decoded:
        if len(_decoded) == _MOST_DECODED:
            _decoded.clear()
        code = disassembler.between(start, end)
        _decoded[key] = {
            one.address: decode(one.address, one.length, one.text, with_steps) for one in code
        }
    return dict(_decoded[key])


def decoder(disassembler: Disassembler) -> Decoder:
    known: dict[int, Disassembled] = {}

    def decoded(address: int) -> tuple[Instruction, bool] | None:
        if address not in known:
            try:
                code = disassembler.some(address, _AT_ONCE)
            except Unreadable:
                # The code's last instructions: there are fewer.
                try:
                    code = disassembler.some(address, 1)
                except Unreadable:
                    return None
            known.update({one.address: one for one in code})
        one = known[address]
        return decode(address, one.length, one.text, True), returns(one.text)

    return decoded


def returns(text: str) -> bool:
    return bool(_RETURN.match(text))


def named(text: str) -> tuple[str, str]:
    """What an instruction is called, and its operands."""
    words = text.split(None, 1)
    while len(words) > 1 and words[0] in _PREFIXES:
        words = words[1].split(None, 1)
    return words[0] if words else "", words[1] if len(words) > 1 else ""


def decode(address: int, length: int, text: str, with_steps: bool) -> Instruction:
    name, rest = named(text)
    if name in _PREFIXES or name.startswith(("nop", "int3")) or _XCHG_NOTHING.match(text):
        return Instruction(address, length, flow="padding")
    size = 0
    if name not in _SUFFIXED and name[:-1] in _SUFFIXED and name[-1] in SUFFIXES:
        name, size = name[:-1], SUFFIXES[name[-1]]
    name = _SAME.get(name, name)
    if name in _ENDS:
        return Instruction(address, length, flow="end")
    if name == "call" or name.startswith(("j", "loop", "xbegin")):
        return _transfer(address, length, name, rest)
    if not with_steps:
        return Instruction(address, length)
    steps = _steps(name, operands(rest), size, "mm" in rest)
    return Instruction(address, length, tuple(steps))


def _transfer(address: int, length: int, name: str, rest: str) -> Instruction:
    flow = {"call": "call", "jmp": "jump"}.get(name, "branch")
    direct = _TARGET.match(rest)
    if direct:
        to = Callee(int(direct.group(1), 16), direct.group(2))
    else:
        target = pointer(rest)
        to = Callee(pointer=target.value(8) if target is not None else None)
    if_zero = {"je": True, "jz": True, "jne": False, "jnz": False}.get(name)
    steps = (Assign("rcx", None),) if name.startswith("loop") else ()
    return Instruction(address, length, steps, flow, to, if_zero)


def pointer(text: str) -> Operand | None:
    """The operand of a call or jump by pointer."""
    found = operands(text.replace("*", "", 1))
    return found[0] if found else None


def operands(text: str) -> list[Operand]:
    """What is written comes first."""
    pointed = _POINTED.search(text)
    text = text.partition("#")[0].strip()
    there = int(pointed.group(1), 16) if pointed else None
    parts = re.split(r",(?![^()]*\))", text) if text else []
    is_att = any(mark in text for mark in "%$(")
    found = [_operand(re.sub(r"\s*<.*>$", "", part.strip()), there, is_att) for part in parts]
    return found[::-1] if is_att else found


def _operand(text: str, there: int | None, is_att: bool) -> Operand:
    name = text.lstrip("%")
    if name in _REGISTERS:
        register, width = _REGISTERS[name]
        return Operand(width, register)
    if re.fullmatch(r"\$-?(0x[0-9a-f]+|\d+)", text) or (not is_att and _NUMBER.fullmatch(text)):
        return Operand(constant=int(text.lstrip("$"), 0))
    if ":" in text:
        return Operand(is_memory=True)  # of a segment
    keyword = re.match(r"([A-Z]+) PTR ", text)
    size = _INTEL_SIZES.get(keyword.group(1), 0) if keyword else 0
    if is_att:
        match = _ATT_MEMORY.fullmatch(text)
    else:
        match = _INTEL_MEMORY.fullmatch(text[keyword.end() :] if keyword else text)
    if match is None:
        return Operand()
    return Operand(size, is_memory=True, address=_address(match, there))


def _address(match: re.Match[str], there: int | None) -> Number | None:
    displacement, base, index, scale = match.group("displacement", "base", "index", "scale")
    if base == "rip":
        return constant(there) if there is not None else None
    total = constant(int(displacement.replace("+", ""), 0) if displacement else 0)
    for name, factor in ((base, 1), (index, int(scale or "1"))):
        if name in ("riz", None):
            continue
        register, width = _REGISTERS.get(name, ("", 0))
        if width != 8:
            return None
        total = total.plus(number(Register(register)).times(factor))
    return total


def _steps(name: str, operands: list[Operand], size: int, is_vector: bool) -> Iterator[Step]:
    if not _FLAGS_KEPT.match(name):
        yield Compare(_compared_with_zero(name, operands, size))
    if name in ("push", "pop", "leave"):
        yield from _stack_steps(name, operands)
        return
    if name.startswith(("pushf", "popf", "enter")):
        yield Assign("rsp", None)
    if name.startswith("enter"):
        yield Assign("rbp", None)
    if not is_vector:
        for pattern, registers in _IMPLIED:
            if pattern.match(name):
                yield from (Assign(register, None) for register in registers)
    if name == "cltq":
        yield Assign("rax", low(_EAX, 4, signed=True))
        return
    if name.startswith(("xchg", "xadd", "mulx", "cmpxchg")):
        yield from (Assign(one.register, None) for one in operands if one.register)
    if not operands or _WRITES_NOTHING.match(name):
        return
    written = operands[0]
    if name == "setne" and written.register is not None:
        yield Assign(written.register, None, is_truth=True)
        return
    width = written.size or size or max((one.size for one in operands), default=0)
    value = _written(name, operands, width)
    if written.register is not None:
        if value is not None and width in (4, 8):
            yield Assign(written.register, low(value, width))
        else:
            yield Assign(written.register, None)
    elif written.is_memory:
        yield Store(written.address, width or 64, value)


def _stack_steps(name: str, operands: list[Operand]) -> Iterator[Step]:
    top = number(Register("rsp"))
    if name == "push":
        yield Assign("rsp", top.plus(constant(-8)))
        yield Store(top, 8, operands[0].value(8) if operands else None)
        return
    if name == "leave":
        yield Assign("rsp", number(Register("rbp")))
        yield Assign("rbp", number(Memory(top, 8)))
    elif operands and operands[0].register is not None:
        yield Assign(operands[0].register, number(Memory(top, 8)))
    yield Assign("rsp", top.plus(constant(8)))


def _compared_with_zero(name: str, operands: list[Operand], size: int) -> Number | None:
    if len(operands) != 2:
        return None
    first, second = operands
    same = name == "test" and first == second and first.register is not None
    if same or (name == "cmp" and second.constant == 0):
        return first.value(first.size or size)
    return None


def _written(name: str, operands: list[Operand], width: int) -> Number | None:
    """What comes to be in the first operand. None: not told."""
    values = [one.value(width) for one in operands]
    if name == "movslq" and len(operands) == 2:
        source = operands[1].value(4)
        return low(source, 4, signed=True) if source is not None else None
    if name == "lea" and len(operands) == 2:
        return operands[1].address
    if name == "mov" and len(operands) == 2:
        return values[1]
    if name == "xor" and len(operands) == 2 and operands[0] == operands[1]:
        return constant(0)
    if name in ("add", "sub", "shl", "imul") and operands[0].register is not None:
        return _computed(name, values, operands[-1].constant)
    return None


def _computed(name: str, values: list[Number | None], last: int | None) -> Number | None:
    if name == "imul":
        factor = values[-2] if len(values) > 1 else None
        return factor.times(last) if factor is not None and last is not None else None
    if len(values) != 2 or values[0] is None or values[1] is None:
        return None
    if name == "shl":
        return values[0].times(1 << last) if last is not None and 0 <= last < 64 else None
    return values[0].plus(values[1] if name == "add" else values[1].times(-1))
