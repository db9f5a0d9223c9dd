# SPDX-License-Identifier: Apache-2.0
"""Which variable is a name in the selected frame, and what has the compiler made of it?"""

from __future__ import annotations

import os
from typing import Iterator

import gdb
from ompd_core import late_patterns
from ompd_core.model.naming import is_outlined
from ompd_core.model.sharing import COPY, REDUCTION
from ompd_core.model.values import Variable

from .. import texts

_NAME = late_patterns.compile(r"[A-Za-z_]\w*")
# Not a member's, nor a register's or a number's part.
_FREE_NAME = late_patterns.compile(r"(?<![\w.>%$:'\"])[A-Za-z_]\w*(?!\w|::)")
_REFERENCES = (gdb.TYPE_CODE_REF, getattr(gdb, "TYPE_CODE_RVALUE_REF", -1))
# clang's: what adds up the copies of a reduction, and the variables of a loop.
_REDUCTION = "omp.reduction.reduction_func"
_AT, _FIRST, _LAST = ".omp.iv", ".omp.lb", ".omp.ub"


def named(text: str, value: gdb.Value) -> tuple[Variable | None, bool]:
    """The variable, and whether it is a loop's, of which clang records the first value only. None:
    the expression is none. value: what it was evaluated to."""
    name = text.strip()
    if not _NAME.fullmatch(name):
        return None, False
    frame = gdb.selected_frame()
    blocks = list(_blocks(frame))
    inside = [block for block in blocks if not block.is_global and not block.is_static]
    for block in blocks:
        symbols = [symbol for symbol in block if texts.name(symbol) == name]
        if not symbols:
            continue
        if not any(symbol.is_variable or symbol.is_argument for symbol in symbols):
            return None, False
        is_global = block not in inside
        captured = [s for s in _of_name(name, inside) if s.is_argument and _is_reference(s)]
        reference = all(_is_reference(symbol) for symbol in symbols)
        in_construct = is_outlined(texts.function(frame)) and not is_global
        copy = None
        if captured and not reference and in_construct:
            copy = REDUCTION if _only_reduces(inside, blocks, frame) else COPY
        address = _address(value)
        twin = not is_global and _has_twin(name, frame)
        variable = Variable(address, is_global, reference, in_construct, twin, copy)
        return variable, _is_first_of_loop(name, block)
    return None, False


def foreign_file(text: str) -> str | None:
    """GDB looks for a name in all files, and finds static variables of others, and the C library's.
    Which file has one of the expression that the selected frame's own file does not have?"""
    frame = gdb.selected_frame()
    try:
        block: gdb.Block | None = frame.block()
    except RuntimeError:
        block = None  # without debug information
    for name in dict.fromkeys(_FREE_NAME.findall(text)):
        found = gdb.lookup_symbol(name, block)[0] if block is not None else None
        found = found or gdb.lookup_static_symbol(name)
        if found is None or not found.is_variable or found.needs_frame or not found.symtab:
            continue
        if not _is_visible(found, frame):
            return os.path.basename(texts.filename(found.symtab) or "?")
    return None


def _is_visible(symbol: gdb.Symbol, frame: gdb.Frame) -> bool:
    own = frame.find_sal().symtab
    if own is not None and texts.fullname(own) == texts.fullname(symbol.symtab):
        return True
    name = texts.name(symbol)
    return any(texts.name(one) == name for block in _blocks(frame) for one in block)


def _address(value: gdb.Value) -> int | None:
    try:
        return None if value.address is None else int(value.address)
    except gdb.error:
        return None  # an array in registers, say: GDB would have to copy it into the program


def _blocks(frame: gdb.Frame) -> Iterator[gdb.Block]:
    """From the innermost on."""
    try:
        block: gdb.Block | None = frame.block()
    except RuntimeError:
        return  # without debug information
    while block is not None:
        # gcc's code of a construct counts as a part of the function around it.
        if block.is_static or block.is_global or block.start <= frame.pc() <= block.end:
            yield block
        block = block.superblock


def _has_twin(name: str, frame: gdb.Frame) -> bool:
    """Whether the function around gcc's code of a construct has a variable of that name."""
    block: gdb.Block | None = frame.block()
    while block is not None and not block.is_static and not block.is_global:
        around = not block.start <= frame.pc() <= block.end
        if around and any(texts.name(symbol) == name for symbol in block):
            return True
        block = block.superblock
    return False


def _of_name(name: str, blocks: list[gdb.Block]) -> Iterator[gdb.Symbol]:
    for block in blocks:
        yield from (symbol for symbol in block if texts.name(symbol) == name)


def _is_reference(symbol: gdb.Symbol) -> bool:
    kind = symbol.type
    return kind is not None and kind.strip_typedefs().code in _REFERENCES


def _only_reduces(inside: list[gdb.Block], blocks: list[gdb.Block], frame: gdb.Frame) -> bool:
    """Whether the code has one copy of a variable that is shared, and a reduction."""
    symbols = [symbol for block in inside for symbol in block]
    captured = {texts.name(s) for s in symbols if s.is_argument and _is_reference(s)}
    copies = captured & {texts.name(s) for s in symbols if not _is_reference(s)}
    function = frame.function()
    first = function.line - 1 if function is not None else 0
    lines = [
        symbol.line
        for block in blocks
        if block.is_static or block.is_global
        for symbol in block
        if _REDUCTION in (texts.name(symbol) or "")
    ]
    return len(copies) == 1 and any(first <= line <= frame.find_sal().line for line in lines)


def _is_first_of_loop(name: str, block: gdb.Block) -> bool:
    """Where the bounds are no constants, clang computes the number of iterations with a copy of the
    loop's variable, declared before its own variables of the bounds, and records that copy only."""
    names = [texts.name(symbol) for symbol in block]
    if not {_AT, _FIRST, _LAST}.issubset(names):
        return False
    return names.index(_AT) < names.index(name) < min(names.index(_FIRST), names.index(_LAST))
