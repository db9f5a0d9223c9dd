# SPDX-License-Identifier: Apache-2.0
"""Which variables are a function's own, and which of them its arguments?"""

from __future__ import annotations

from typing import Iterable, Iterator

import gdb

from .. import texts
from . import blocks


def of_frame(frame: gdb.Frame) -> Iterable[gdb.Symbol]:
    """As the code at the frame's place sees them."""
    return (meant(symbol, frame) for symbol in _block(frame) or () if symbol.is_argument)


def meant(argument: gdb.Symbol, frame: gdb.Frame) -> gdb.Symbol:
    """The function can have a variable of that name: clang passes a construct what it makes the
    threads' copies of, a reduction's for one. Found as GDB itself finds it."""
    name, block = texts.name(argument), _block(frame)
    try:
        found = gdb.lookup_symbol(name, block)[0] if name and block is not None else None
    except UnicodeError:
        return argument  # GDB cannot be asked for a name that is no text
    if found is None or found.addr_class == gdb.SYMBOL_LOC_REGISTER and not found.is_argument:
        return argument
    return found


def within_function(frame: gdb.Frame) -> Iterator[gdb.Symbol]:
    """Its arguments and variables that the frame's place is in the blocks of."""
    for block in _blocks(frame):
        yield from block


def _block(frame: gdb.Frame) -> gdb.Block | None:
    """The function's own."""
    return next((block for block in _blocks(frame) if block.function is not None), None)


def _blocks(frame: gdb.Frame) -> Iterator[gdb.Block]:
    """From the innermost to the function's own."""
    for block in blocks.outwards(frame):
        yield block
        if block.function is not None:
            return
