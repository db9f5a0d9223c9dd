# SPDX-License-Identifier: Apache-2.0
"""Where does code go?"""

from __future__ import annotations

from typing import Iterator

from ...code.machine_code import Assign, Store
from ..base import Disassembler, Range
from .decoding import decoded, words
from .registers import CONVENTION, KEPT
from .words import LINK, SIZE, Decoded, decode

MOST_OF_WRAPPER = 64  # instructions; those that compilers make have some twenty
_ONWARD = ("next", "padding")
_HINT, _HINT_MASK = 0xD503201F, 0xFFFFF01F


def _some(disassembler: Disassembler, start: int) -> Iterator[Decoded]:
    for i in range(MOST_OF_WRAPPER):
        yield from decoded(disassembler, start + SIZE * i, 1)


def is_straight(disassembler: Disassembler, start: int, end: int, calls: bool) -> bool:
    if not start < end or (end - start) % SIZE:
        return False
    flows = (*_ONWARD, "call") if calls else _ONWARD
    code = decoded(disassembler, start, (end - start) // SIZE)
    return all(one.instruction.flow in flows for one in code)


def next_call(disassembler: Disassembler, start: int) -> int | None:
    for one in _some(disassembler, start):
        if one.instruction.flow == "call":
            return one.instruction.to.address
        if one.instruction.flow not in _ONWARD:
            return None
    return None


def only_call(disassembler: Disassembler, start: int) -> int | None:
    called = None
    for one in _some(disassembler, start):
        instruction = one.instruction
        if instruction.flow == "call" and called is None and instruction.to.address is not None:
            called = instruction.to.address
        elif one.returns:
            return called
        elif instruction.flow not in _ONWARD:
            return None
    return None


def only_way(disassembler: Disassembler, start: int) -> Iterator[int]:
    at = start
    for _ in range(MOST_OF_WRAPPER):
        yield at
        one = decoded(disassembler, at, 1)[0].instruction
        if one.flow == "jump" and one.to.address is not None:
            at = one.to.address
        elif one.flow in _ONWARD:
            at = one.following
        else:
            return


def builds_frame(disassembler: Disassembler, start: int) -> bool:
    """paciasp or bti may stand in front of it."""
    for word in words(disassembler, start, 3):
        if word & _HINT_MASK != _HINT:
            steps = decode(start, word).instruction.steps
            return any(isinstance(s, Assign) and s.register == CONVENTION.stack for s in steps)
    return False


def epilogues(disassembler: Disassembler, start: int, end: int) -> list[Range]:
    code = decoded(disassembler, start, (end - start) // SIZE)
    found = []
    for at, one in enumerate(code):
        if not one.returns:
            continue
        first = at
        while first and _gives_back(code[first - 1]):
            first -= 1
        found.append((code[first].instruction.address, one.instruction.address))
    return found


def _gives_back(one: Decoded) -> bool:
    """It restores registers and the stack pointer, or authenticates the link."""
    restored = (CONVENTION.stack, LINK, *KEPT)
    steps = one.instruction.steps
    return one.instruction.flow in _ONWARD and all(
        not isinstance(step, Store)
        and not (isinstance(step, Assign) and step.register not in restored)
        for step in steps
    )
