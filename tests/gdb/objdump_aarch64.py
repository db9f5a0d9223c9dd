# SPDX-License-Identifier: Apache-2.0
"""What does binutils' objdump tell of AArch64's instructions, and does our decoder say the same? Of
each word of a file: where it goes, which registers it writes, what some of them hold then."""

from __future__ import annotations

import re
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Iterator

from ompd_core.arch.aarch64.words import Decoded, decode
from ompd_core.code.machine_code import Assign, Memory, Number, Register, Store, constant, number

OBJDUMP = "aarch64-linux-gnu-objdump"
_LINE = re.compile(r"^ *([0-9a-f]+):\t([0-9a-f]{8}) \t(\S+)\t?(.*)$")
_REGISTER = re.compile(r"([xw])(\d+)|(w?sp)")
_BRANCHES = re.compile(
    r"(b|bl|b\.\w+|bc\.\w+|cbn?z|tbn?z|br|blr|br[ab]+z?|blr[ab]+z?|ret\w*|eret\w*)$"
)
_NO_RESULT = re.compile(
    r"(cmp|cmn|tst|ccmp|ccmn|f?ccmpe?|fcmpe?|nop|hint|prfu?m|msr|dmb|dsb|isb|sb|yield|wfe|wfi|sev"
    r"|csdb|bti|pac\w*sp|aut\w*sp|pac\w*1716|aut\w*1716|xpaclri|brk|hlt|udf|svc|dc|ic|at|tlbi"
    r"|clrex|cfinv|setf8|setf16|rmif|st(?!l?xp?r|l?xr|xp|lxp)\w*|zero|xpac[id]|pac[id]\w+"
    r"|aut[id]\w+|\.inst|undefined|psb|tsb|sys|esb|dgh|chkfeat|gcs\w+|stg\w*|wrffr|setffr|ptest"
    r"|cterm\w+|ssbb|pssbb)$"
)
# Of atomics the register that is loaded is the second one.
_SECOND = re.compile(r"(ld(add|clr|eor|set|smax|smin|umax|umin)\w*|swp\w*)$")
_PAIRS = re.compile(r"(ldn?p|ldpsw|ldax?p|ldxp|casp\w*)$")


@dataclass(frozen=True)
class Line:
    at: int
    word: int
    name: str
    operands: str


def lines(file: Path) -> Iterator[Line]:
    done = subprocess.run(
        [OBJDUMP, "-d", "-w", "-z", str(file)], stdout=subprocess.PIPE, text=True, check=True
    )
    for text in done.stdout.splitlines():
        match = _LINE.match(text)
        if match:
            operands = match[4].partition("//")[0].partition("\t")[0].strip()
            yield Line(int(match[1], 16), int(match[2], 16), match[3], operands)


def differences(line: Line) -> list[str]:
    one = decode(line.at, line.word)
    if _BRANCHES.match(line.name):
        return list(_flow(line, one))
    return [*_writes(line, one), *_values(line, one)]


def _flow(line: Line, one: Decoded) -> Iterator[str]:
    flow, to = one.instruction.flow, one.instruction.to
    name = line.name
    if name.startswith(("ret", "eret")):
        wanted, returns = "end", name.startswith("ret") and line.operands in ("", "x30")
        if one.returns != returns:
            yield f"returns: {one.returns}"
    elif name.startswith("bl"):
        wanted = "call"
    elif name == "b" or (name.startswith("br")):
        wanted = "jump"
    else:
        wanted = "branch"
    if flow != wanted:
        yield f"flow: {flow}, not {wanted}"
    target = re.search(r"(?:^|, ?)([0-9a-f]+)(?: <|$)", line.operands)
    if target and not line.operands.startswith(("x", "w")) or (target and wanted == "branch"):
        if to.address != int(target[1], 16):
            yield f"goes to {to.address}"
    elif line.operands.startswith("x") and wanted in ("jump", "call"):
        register = number(Register(line.operands.split(",")[0]))
        if to.pointer != register:
            yield f"goes to {to.pointer}"
    if name in ("cbz", "b.eq") and one.instruction.if_zero is not True:
        yield "if zero"
    if one.instruction.if_above is not {"b.hi": True, "b.ls": False}.get(name):
        yield "if above"
    if name in ("cbnz", "b.ne") and one.instruction.if_zero is not False:
        yield "unless zero"


def _written(line: Line) -> set[str]:
    """By the text: the first operand, as a rule, and a base that is changed."""
    parts = [part.strip() for part in re.split(r",(?![^\[{]*[\]}])", line.operands)]
    found: set[str] = set()
    changed = re.search(r"\[(x\d+|sp)(?:\], |[^\]]*\]!$)", line.operands)
    if changed:
        found.add(changed[1])
    if line.name.startswith(("cpy", "set")) and "!" in line.operands:
        return {name for one in parts if (name := _name(one.strip("[]!")))}
    if _NO_RESULT.match(line.name):
        return found
    count = 2 if _PAIRS.match(line.name) else 1
    chosen = parts[1:2] if _SECOND.match(line.name) else parts[:count]
    return found | {name for one in chosen if (name := _name(one))}


def _name(operand: str) -> str | None:
    match = _REGISTER.fullmatch(operand)
    if match is None:
        return None
    return "sp" if match[3] else f"x{match[2]}"


def _writes(line: Line, one: Decoded) -> Iterator[str]:
    assigned = {s.register for s in one.instruction.steps if isinstance(s, Assign)}
    missing = _written(line) - assigned
    if missing:
        yield f"writes {sorted(missing)}, told {sorted(assigned)}"


def _values(line: Line, one: Decoded) -> Iterator[str]:
    steps = one.instruction.steps
    values = {s.register: s.value for s in steps if isinstance(s, Assign)}
    parts = line.operands.split(", ")
    mine = _name(parts[0])
    if line.name in ("adr", "adrp") and mine:
        if values[mine] != constant(int(parts[1].split()[0], 16)):
            yield f"is {values[mine]}"
    if line.name == "mov" and mine and len(parts) == 2 and parts[1].startswith("#"):
        wide = parts[0].startswith("x")
        wanted = constant(int(parts[1].split()[0][1:], 0) & (-1 if wide else 0xFFFFFFFF))
        if values[mine] != wanted:
            yield f"is {values[mine]}"
    if line.name == "mov" and wide_registers(parts) and values[str(mine)] != _of(parts[1]):
        yield f"is {values[str(mine)]}"
    if line.name in ("add", "sub") and wide_registers(parts[:2]) and re.match(r"#\w+$", parts[-1]):
        added = int(parts[2][1:], 0) * (1 if line.name == "add" else -1)
        if len(parts) == 3 and values[str(mine)] != _of(parts[1]).plus(constant(added)):
            yield f"is {values[str(mine)]}"
    yield from _addresses(line, values, [s for s in steps if isinstance(s, Store)])


def wide_registers(parts: list[str]) -> bool:
    return len(parts) == 2 and all(re.fullmatch(r"x\d+|sp", one) for one in parts)


def _of(name: str) -> Number:
    return number(Register(name))


_PLACE = re.compile(r"\[(x\d+|sp)(?:, #(-?\w+))?\](!?)(?:, #(-?\w+))?$")


def _addresses(line: Line, values: dict[str, Number | None], stores: list[Store]) -> Iterator[str]:
    """Of ldr, str, ldp, stp of whole registers."""
    match = _PLACE.search(line.operands)
    if line.name not in ("ldr", "str", "ldp", "stp", "ldur", "stur") or match is None:
        return
    names = line.operands.split("[")[0].rstrip(", ").split(", ")
    if not all(re.fullmatch(r"[xw]\d+", one) for one in names):
        return
    size = 8 if names[0].startswith("x") else 4
    first = _of(match[1]).plus(constant(int(match[2] or "0", 0)))
    places = [first.plus(constant(size * i)) for i in range(len(names))]
    if line.name.startswith("st"):
        if [(s.address, s.size) for s in stores] != [(place, size) for place in places]:
            yield f"stores {stores}"
        return
    for name, place in zip(names, places):
        if values.get(str(_name(name))) != number(Memory(place, size)):
            yield f"loads {values.get(str(_name(name)))}"
    if match[3] or match[4]:
        wanted = first.plus(constant(int(match[4] or "0", 0)))
        if values.get(match[1]) != wanted:
            yield f"leaves {values.get(match[1])} in {match[1]}"
