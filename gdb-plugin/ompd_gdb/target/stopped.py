# SPDX-License-Identifier: Apache-2.0
"""One thread, while GDB has it selected: its frames, their registers and variables."""

from __future__ import annotations

from typing import Sequence

import gdb
from ompd_core.arch.base import KnownRegisters, Range
from ompd_core.debugger import MOST_FRAMES
from ompd_core.errors import Unreadable

from .. import texts
from . import blocks, machines
from .stacks import Code
from .unwound import Walk


class Stopped:
    """Of the selected thread, as long as it is selected. See debugger.StoppedThread."""

    def __init__(self, code: Code) -> None:
        self._unwound = code.unwound()

    def frames(self, most: int = MOST_FRAMES, likely: bool = False) -> Walk:
        return Walk(self._unwound, most, likely)

    def registers(self, level: int) -> KnownRegisters:
        try:
            return machines.known_registers(self._unwound.frame(level))
        except gdb.error:
            return lambda name: None

    def stack_pointer(self, level: int) -> int:
        try:
            return machines.stack_pointer(self._unwound.frame(level))
        except gdb.error as error:
            raise Unreadable(str(error)) from None

    def function(self, level: int) -> Range | None:
        try:
            found = [
                one
                for one in blocks.of_functions(self._unwound.frame(level))
                if one.function is not None
            ]
        except gdb.error:
            return None
        return (found[-1].start, found[-1].end) if found else None

    def numbers(self, level: int, names: Sequence[str]) -> dict[str, int | None] | None:
        try:
            frame = self._unwound.frame(level)
            for block in blocks.of_functions(frame):
                symbols = {texts.name(symbol): symbol for symbol in block}
                if names[0] in symbols:
                    wanted = [name for name in names if name in symbols]
                    return {name: _number(symbols[name], frame) for name in wanted}
        except gdb.error:
            pass
        return None


def _number(symbol: gdb.Symbol, frame: gdb.Frame) -> int | None:
    try:
        value = symbol.value(frame)
        return None if value.is_optimized_out else int(value)
    except (gdb.error, ValueError):
        return None
