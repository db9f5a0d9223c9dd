# SPDX-License-Identifier: Apache-2.0
"""Where does code go, by its text?"""

from __future__ import annotations

import re
from typing import Iterator

from ... import late_patterns
from ..base import Disassembler, Range
from .decoding import returns

_AWAY = ("j", "ret", "bnd", "notrack", "loop", "ud2", "syscall", "hlt", "int3")
_NOT_STRAIGHT = ("call", *_AWAY)
MOST_OF_WRAPPER = 64  # instructions; those that compilers make have some twenty
_UNCONDITIONAL = late_patterns.compile(r"jmp\w*\s+0x([0-9a-f]+)")
_CALLED = late_patterns.compile(r"call\w*\s+(0x[0-9a-f]+)")


def is_straight(disassembler: Disassembler, start: int, end: int, calls: bool) -> bool:
    away = _AWAY if calls else _NOT_STRAIGHT
    code = disassembler.between(start, end) if start < end else []
    ends = [one.following for one in code]
    return ends[-1:] == [end] and not any(one.text.startswith(away) for one in code)


def next_call(disassembler: Disassembler, start: int) -> int | None:
    for one in disassembler.some(start, MOST_OF_WRAPPER):
        match = _CALLED.match(one.text)
        if match:
            return int(match.group(1), 16)
        if one.text.startswith(_NOT_STRAIGHT):
            return None
    return None


def only_call(disassembler: Disassembler, start: int) -> int | None:
    called = None
    for one in disassembler.some(start, MOST_OF_WRAPPER):
        match = _CALLED.match(one.text)
        if match and called is None:
            called = int(match.group(1), 16)
        elif one.text.startswith("ret"):
            return called
        elif one.text.startswith(_NOT_STRAIGHT):
            return None
    return None


def only_way(disassembler: Disassembler, start: int) -> Iterator[int]:
    at = start
    for _ in range(MOST_OF_WRAPPER):
        yield at
        (one,) = disassembler.some(at, 1)
        jump = _UNCONDITIONAL.match(one.text)
        if jump is None and one.text.startswith(_NOT_STRAIGHT):
            return
        at = int(jump.group(1), 16) if jump else one.following


def builds_frame(disassembler: Disassembler, start: int) -> bool:
    code = [one.text for one in disassembler.some(start, 2)]
    first = code[1] if code[0].startswith("endbr") else code[0]
    return bool(re.match(r"push|sub\w* +(?:.*,%rsp$|rsp,)", first))


# What a function ends with: it only gives its stack frame back.
_GIVES_BACK = late_patterns.compile(r"pop|leave|vzeroupper|(?:add|lea)\w* +(?:.*,%rsp$|rsp,)")


def epilogues(disassembler: Disassembler, start: int, end: int) -> list[Range]:
    code = disassembler.between(start, end)
    found = []
    for at, one in enumerate(code):
        if not returns(one.text):
            continue
        first = at
        while first and _GIVES_BACK.match(code[first - 1].text):
            first -= 1
        found.append((code[first].address, one.address))
    return found
