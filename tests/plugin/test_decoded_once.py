# SPDX-License-Identifier: Apache-2.0
"""Is code that is the same as at the stop before decoded again? And is other code told as it is?"""

from __future__ import annotations

from typing import Sequence

from ompd_core.arch.base import Disassembled
from ompd_core.arch.x86_64 import decoding

START = 0x1000


class Code:
    """Two instructions of one byte."""

    def __init__(self, data: bytes, *texts: str) -> None:
        self.data, self.texts, self.asked = data, texts, 0

    def read(self, address: int, nbytes: int) -> bytes:
        return self.data[address - START :][:nbytes]

    def between(self, start: int, end: int) -> Sequence[Disassembled]:
        self.asked += 1
        return [Disassembled(start + i, 1, text) for i, text in enumerate(self.texts)]

    def some(self, start: int, count: int) -> Sequence[Disassembled]:
        raise AssertionError


def test_the_same_code() -> None:
    before, now = Code(b"\x50\xc3", "push %rax", "ret"), Code(b"\x50\xc3", "push %rax", "ret")
    found = decoding.instructions(before, START, START + 2)
    assert found == decoding.instructions(now, START, START + 2)
    assert (before.asked, now.asked) == (1, 0) and found[START + 1].flow == "end"
    found.clear()  # it is its owner's
    assert decoding.instructions(now, START, START + 2) and now.asked == 0


def test_what_has_changed() -> None:
    decoding.instructions(Code(b"\x50\xc3", "push %rax", "ret"), START, START + 2)
    other = Code(b"\x90\xc3", "nop", "ret")
    assert decoding.instructions(other, START, START + 2)[START].flow == "padding"
    decoding.instructions(other, START, START + 2, with_steps=True)
    assert other.asked == 2
