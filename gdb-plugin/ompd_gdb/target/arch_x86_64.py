# SPDX-License-Identifier: Apache-2.0
"""What do x86-64's registers and instructions tell? Nothing else knows a register's name."""

from __future__ import annotations

import re
import struct
from dataclasses import dataclass
from typing import Any, Callable, Iterator, Union

import gdb

from ..model.machine_code import (
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
    constant,
    low,
    number,
)

# glibc keeps a thread's descriptor at its thread pointer: the value is also the pthread_t.
THREAD_POINTER = "fs_base"


def serves(architecture: str) -> bool:
    return architecture == "i386:x86-64"


def thread_pointer(frame: gdb.Frame) -> int | None:
    """Of the selected thread, whose frame this is."""
    try:
        return int(frame.read_register(THREAD_POINTER)) & 0xFFFFFFFFFFFFFFFF or None
    except (gdb.error, ValueError):
        return None


def register(frame: gdb.Frame | gdb.PendingFrame, name: str) -> int | None:
    try:
        return int(frame.read_register(name)) & 0xFFFFFFFFFFFFFFFF
    except (gdb.error, ValueError):
        return None


# How a constant gets into the register of an argument: lea ADDRESS(%rip), mov $ADDRESS of 4 bytes.
_LEA = {0: b"\x48\x8d\x3d", 2: b"\x48\x8d\x15"}
_MOVE = {0: b"\xbf", 2: b"\xba"}
_NAMES = {0: r"\b([re]?di|dil)\b", 2: r"\b([re]?dx|d[hl])\b"}
_CALL = re.compile(r"(?:notrack |bnd )*call\w*\s+0x[0-9a-f]+ <([^@>+]+)(?:@plt)?>")
_LEAVES = ("call", "j", "ret", "bnd", "notrack")
_JUMP = re.compile(r"(?:notrack |bnd )*j\w+\s+0x([0-9a-f]+)")


def constant_argument(
    architecture: gdb.Architecture,
    read: Callable[[int, int], bytes],
    start: int,
    returns_to: int,
    argument_of: Callable[[str], int | None],
) -> int | None:
    """An argument of the call that returns there; argument_of says which, by the name of what is
    called. None unless the code of the function that starts at `start' puts a constant into its
    register, with nothing between that could change it: no call, no jump, no mention of the
    register."""
    code = architecture.disassemble(start, returns_to - 1)
    if not code or code[-1]["addr"] + code[-1]["length"] != returns_to:
        return None
    called = _CALL.match(code[-1]["asm"])
    index = argument_of(called.group(1)) if called else None
    if index not in _NAMES:
        return None
    targets = {int(m.group(1), 16) for one in code if (m := _JUMP.match(one["asm"]))}
    for one in reversed(code[:-1]):
        address, length = one["addr"], one["length"]
        if address + length in targets or one["asm"].startswith(_LEAVES):
            return None
        if re.search(_NAMES[index], one["asm"]):
            return _constant(read(address, length), address + length, index)
    return None


def _constant(instruction: bytes, following: int, index: int) -> int | None:
    if instruction.startswith(_LEA[index]) and len(instruction) == 7:
        return (following + struct.unpack("<i", instruction[3:])[0]) & 0xFFFFFFFFFFFFFFFF
    if instruction.startswith(_MOVE[index]) and len(instruction) == 5:
        return int(struct.unpack("<I", instruction[1:])[0])
    return None


# ---- What instructions do ------------------------------------------------------------------------

# As the System V ABI has it.
CONVENTION = Convention(
    stack="rsp",
    arguments=("rdi", "rsi", "rdx", "rcx", "r8", "r9"),
    result="rax",
    lost=("rax", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11"),
)

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
_SUFFIXES = {"b": 1, "w": 2, "l": 4, "q": 8}
_SUFFIXED = frozenset(
    "mov add sub and or xor cmp test lea push pop inc dec neg not shl sal shr sar imul mul div idiv"
    " adc sbb movabs call jmp ret leave xchg xadd cmpxchg bt bts btr btc rol ror".split()
)
_INTEL_SIZES = {"BYTE": 1, "WORD": 2, "DWORD": 4, "QWORD": 8}
_SAME = {"movsxd": "movslq", "cdqe": "cltq", "cqo": "cqto", "cdq": "cltd", "sal": "shl"}
_SAME["movabs"] = "mov"

_FLAGS_KEPT = re.compile(r"(mov|lea|push$|pop$|set|cmov|cltq|cwtl|cqto|cltd|not$|nop|endbr)")
_WRITES_NOTHING = re.compile(
    r"(cmp$|test$|nop|bt$|u?comis|vu?comis|ptest|vptest|prefetch|fld|endbr)"
)
# What is changed beside what is written last.
_IMPLIED = (
    (re.compile(r"(mul|imul|div|idiv)$"), ("rax", "rdx")),
    (re.compile(r"(cqto|cltd|cwtd|cwd)$"), ("rdx",)),
    (re.compile(r"(cwtl|cbtw|cwde|cbw|lahf|in$|xlat)"), ("rax",)),
    (re.compile(r"cmpxchg"), ("rax", "rdx")),
    (re.compile(r"(rdtsc|rdpmc|rdmsr|xgetbv)"), ("rax", "rdx", "rcx")),
    (re.compile(r"cpuid"), ("rax", "rbx", "rcx", "rdx")),
    (re.compile(r"(syscall|sysenter|int$)"), ("rax", "rcx", "r11")),
    (re.compile(r"(movs|stos|lods|scas|cmps)[bwdlq]?$"), ("rax", "rcx", "rsi", "rdi")),
    (re.compile(r"loop"), ("rcx",)),
)
_TARGET = re.compile(r"0x([0-9a-f]+)(?:\s+<(.*)>)?")
_POINTED = re.compile(r"#\s*0x([0-9a-f]+)")
_XCHG_NOTHING = re.compile(r"xchg\s+%?ax,%?ax$")
_ENDS = frozenset("ret lret retf hlt ud0 ud1 ud2 (bad) iret iretq".split())
_NUMBER = re.compile(r"-?0x[0-9a-f]+|-?\d+")
_ATT_MEMORY = re.compile(
    r"(?P<displacement>-?0x[0-9a-f]+|-?\d+)?"
    r"(?:\((?:%(?P<base>\w+))?(?:,%(?P<index>\w+))?(?:,(?P<scale>\d))?\))?"
)
_INTEL_MEMORY = re.compile(
    r"\[(?:(?P<base>[a-z]\w*))?(?:\+?(?P<index>[a-z]\w*)\*(?P<scale>\d))?"
    r"(?P<displacement>[+-]?0x[0-9a-f]+|[+-]?\d+)?\]"
)
_EAX = number(Register("rax"))


@dataclass(frozen=True)
class _Operand:
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


def instructions(
    architecture: gdb.Architecture, start: int, end: int, with_steps: bool = False
) -> dict[int, Instruction]:
    """The code from start to before end, by address: where it goes and, which takes longer to tell,
    what it does. GDB's errors pass."""
    code = architecture.disassemble(start, end - 1)
    return {one["addr"]: decode(one["addr"], one["length"], one["asm"], with_steps) for one in code}


def decode(address: int, length: int, text: str, with_steps: bool) -> Instruction:
    """What the debugger wrote in AT&T's or in Intel's manner."""
    words = text.split(None, 1)
    while len(words) > 1 and words[0] in _PREFIXES:
        words = words[1].split(None, 1)
    name, rest = words[0] if words else "", words[1] if len(words) > 1 else ""
    if name in _PREFIXES or name.startswith(("nop", "int3")) or _XCHG_NOTHING.match(text):
        return Instruction(address, length, flow="padding")
    size = 0
    if name not in _SUFFIXED and name[:-1] in _SUFFIXED and name[-1] in _SUFFIXES:
        name, size = name[:-1], _SUFFIXES[name[-1]]
    name = _SAME.get(name, name)
    if name in _ENDS:
        return Instruction(address, length, flow="end")
    if name == "call" or name.startswith(("j", "loop", "xbegin")):
        return _transfer(address, length, name, rest)
    if not with_steps:
        return Instruction(address, length)
    steps = _steps(name, _operands(rest), size, "mm" in rest)
    return Instruction(address, length, tuple(steps))


def _transfer(address: int, length: int, name: str, rest: str) -> Instruction:
    flow = {"call": "call", "jmp": "jump"}.get(name, "branch")
    direct = _TARGET.match(rest)
    if direct:
        to = Callee(int(direct.group(1), 16), direct.group(2))
    else:
        operands = _operands(rest.replace("*", "", 1))
        to = Callee(pointer=operands[0].value(8) if operands else None)
    if_zero = {"je": True, "jz": True, "jne": False, "jnz": False}.get(name)
    steps = (Assign("rcx", None),) if name.startswith("loop") else ()
    return Instruction(address, length, steps, flow, to, if_zero)


def _operands(text: str) -> list[_Operand]:
    """What is written comes first."""
    pointed = _POINTED.search(text)
    text = text.partition("#")[0].strip()
    there = int(pointed.group(1), 16) if pointed else None
    parts = re.split(r",(?![^()]*\))", text) if text else []
    is_att = any(mark in text for mark in "%$(")
    found = [_operand(re.sub(r"\s*<.*>$", "", part.strip()), there, is_att) for part in parts]
    return found[::-1] if is_att else found


def _operand(text: str, there: int | None, is_att: bool) -> _Operand:
    name = text.lstrip("%")
    if name in _REGISTERS:
        register, width = _REGISTERS[name]
        return _Operand(width, register)
    if re.fullmatch(r"\$-?(0x[0-9a-f]+|\d+)", text) or (not is_att and _NUMBER.fullmatch(text)):
        return _Operand(constant=int(text.lstrip("$"), 0))
    if ":" in text:
        return _Operand(is_memory=True)  # of a segment
    keyword = re.match(r"([A-Z]+) PTR ", text)
    size = _INTEL_SIZES.get(keyword.group(1), 0) if keyword else 0
    if is_att:
        match = _ATT_MEMORY.fullmatch(text)
    else:
        match = _INTEL_MEMORY.fullmatch(text[keyword.end() :] if keyword else text)
    if match is None:
        return _Operand()
    return _Operand(size, is_memory=True, address=_address(match, there))


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


def _steps(name: str, operands: list[_Operand], size: int, is_vector: bool) -> Iterator[Step]:
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
    width = written.size or size or max((one.size for one in operands), default=0)
    value = _written(name, operands, width)
    if written.register is not None:
        if value is not None and width in (4, 8):
            yield Assign(written.register, low(value, width))
        else:
            yield Assign(written.register, None)
    elif written.is_memory:
        yield Store(written.address, width or 64, value)


def _stack_steps(name: str, operands: list[_Operand]) -> Iterator[Step]:
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


def _compared_with_zero(name: str, operands: list[_Operand], size: int) -> Number | None:
    if len(operands) != 2:
        return None
    first, second = operands
    same = name == "test" and first == second and first.register is not None
    if same or (name == "cmp" and second.constant == 0):
        return first.value(first.size or size)
    return None


def _written(name: str, operands: list[_Operand], width: int) -> Number | None:
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


# ---- Where code goes, by its text ----------------------------------------------------------------

_AWAY = ("j", "ret", "bnd", "notrack", "loop", "ud2", "syscall", "hlt", "int3")
_NOT_STRAIGHT = ("call", *_AWAY)
MOST_OF_WRAPPER = 64  # instructions; those that compilers make have some twenty
_UNCONDITIONAL = re.compile(r"jmp\w*\s+0x([0-9a-f]+)")
_CALLED = re.compile(r"call\w*\s+(0x[0-9a-f]+)")


def is_straight(architecture: gdb.Architecture, start: int, end: int, calls: bool) -> bool:
    """Does what enters at the start certainly get to the end? calls: also through other
    functions."""
    away = _AWAY if calls else _NOT_STRAIGHT
    code = architecture.disassemble(start, end - 1) if start < end else []
    ends = [one["addr"] + one["length"] for one in code]
    return ends[-1:] == [end] and not any(one["asm"].startswith(away) for one in code)


def next_call(architecture: gdb.Architecture, start: int) -> int | None:
    """What code that enters at the start certainly calls next."""
    for one in architecture.disassemble(start, count=MOST_OF_WRAPPER):
        match = _CALLED.match(one["asm"])
        if match:
            return int(match.group(1), 16)
        if one["asm"].startswith(_NOT_STRAIGHT):
            return None
    return None


def only_call(architecture: gdb.Architecture, start: int) -> int | None:
    """What a function calls that does nothing else."""
    called = None
    for one in architecture.disassemble(start, count=MOST_OF_WRAPPER):
        match = _CALLED.match(one["asm"])
        if match and called is None:
            called = int(match.group(1), 16)
        elif one["asm"].startswith("ret"):
            return called
        elif one["asm"].startswith(_NOT_STRAIGHT):
            return None
    return None


def only_way(architecture: gdb.Architecture, start: int) -> Iterator[int]:
    """The instructions that code which enters at the start certainly comes to, up to a call."""
    at = start
    for _ in range(MOST_OF_WRAPPER):
        yield at
        (one,) = architecture.disassemble(at)
        jump = _UNCONDITIONAL.match(one["asm"])
        if jump is None and one["asm"].startswith(_NOT_STRAIGHT):
            return
        at = int(jump.group(1), 16) if jump else one["addr"] + one["length"]


def builds_frame(architecture: gdb.Architecture, start: int) -> bool:
    """Does a function begin with that?"""
    code = [one["asm"] for one in architecture.disassemble(start, count=2)]
    first = code[1] if code[0].startswith("endbr") else code[0]
    return bool(re.match(r"push|sub\w* +(?:.*,%rsp$|rsp,)", first))


# ---- At a function's first instruction -----------------------------------------------------------

_WORD = 0xFFFFFFFFFFFFFFFF


class Registers:
    """Of the thread that has just come to a breakpoint, as its frame has them. GDB need not unwind
    that frame to read them: it would be most of what the breakpoint costs."""

    def __init__(self) -> None:
        # This one has no expressions, and GDB 10 dies of them.
        self._frame = gdb.newest_frame() if gdb.parameter("language") == "unknown" else None

    def read_register(self, name: str) -> gdb.Value:
        if self._frame is not None:
            return self._frame.read_register(name)
        return gdb.parse_and_eval(f"${name}")


Read = Union[gdb.Frame, Registers]


def argument(frame: Read, index: int) -> int:
    """An integer or a pointer, counted from 0."""
    return int(frame.read_register(CONVENTION.arguments[index])) & _WORD


def result(frame: Read) -> int:
    """Of a function that has just returned an int."""
    return int(frame.read_register(CONVENTION.result)) & 0xFFFFFFFF


def stack_pointer(frame: Read) -> int:
    return int(frame.read_register("rsp")) & _WORD


def return_address(frame: Read, read: Callable[[int, int], bytes]) -> tuple[int, int]:
    """Where the function returns to, and the stack pointer there."""
    stack = stack_pointer(frame)
    return int(struct.unpack("<Q", read(stack, 8))[0]), stack + 8


def direct_call(read: Callable[[int, int], bytes], returns_to: int) -> int | None:
    """What is called by name in the call that returns there; None: it is a call by pointer."""
    code = read(returns_to - 5, 5)
    if code[0] != 0xE8:
        return None
    return (returns_to + int(struct.unpack("<i", code[1:])[0])) & _WORD


# What a function leaves as it was, and where the next instruction is.
KEPT = ("rbx", "rbp", "r12", "r13", "r14", "r15")
NEXT = "rip"
# What one reading of code is worth.
_AT_ONCE = 32


def decoder(architecture: gdb.Architecture) -> Callable[[int], tuple[Instruction, bool] | None]:
    """Instructions one by one, with what they do, and whether they return."""
    known: dict[int, dict[str, Any]] = {}

    def decoded(address: int) -> tuple[Instruction, bool] | None:
        if address not in known:
            try:
                code = architecture.disassemble(address, count=_AT_ONCE)
            except gdb.error:
                # The code's last instructions: there are fewer.
                try:
                    code = architecture.disassemble(address, count=1)
                except gdb.error:
                    return None
            known.update({one["addr"]: one for one in code})
        one = known[address]
        text = one["asm"]
        return decode(address, one["length"], text, True), bool(_RETURN.match(text))

    return decoded


def call_before(architecture: gdb.Architecture, address: int) -> Instruction | None:
    """By name: of five bytes."""
    (one,) = architecture.disassemble(address - 5)
    if one["length"] != 5 or not _CALLED.match(one["asm"]):
        return None
    return decode(one["addr"], one["length"], one["asm"], False)


def follows_call(read: Callable[[int, int], bytes], address: int) -> bool:
    """Can it be an address to return to?"""
    code = read(address - 7, 7)
    if code[2] == 0xE8:
        return True
    # call by a register, or by memory: ff /2, with what the operand needs.
    return any(
        code[7 - size] == 0xFF
        and code[8 - size] >> 3 & 7 == 2
        and _length(code[8 - size :]) == size
        for size in (2, 3, 4, 6, 7)
    )


def _length(operand: bytes) -> int:
    """Of an instruction of one byte and this operand."""
    mode, base = operand[0] >> 6, operand[0] & 7
    index = 1 if mode != 3 and base == 4 else 0
    if mode == 0 and (base == 5 or (index and len(operand) > 1 and operand[1] & 7 == 5)):
        return 2 + index + 4
    return 2 + index + {0: 0, 1: 1, 2: 4, 3: 0}[mode]


_RETURN = re.compile(r"(?:\w+ )*ret")
# What a function ends with: it only gives its stack frame back.
_GIVES_BACK = re.compile(r"pop|leave|vzeroupper|(?:add|lea)\w* +(?:.*,%rsp$|rsp,)")


def epilogues(architecture: gdb.Architecture, start: int, end: int) -> list[tuple[int, int]]:
    """Of a function whose code lies there, up to each instruction that returns."""
    code = architecture.disassemble(start, end - 1)
    found = []
    for at, one in enumerate(code):
        if not _RETURN.match(one["asm"]):
            continue
        first = at
        while first and _GIVES_BACK.match(code[first - 1]["asm"]):
            first -= 1
        found.append((code[first]["addr"], one["addr"]))
    return found
