# SPDX-License-Identifier: Apache-2.0
"""Which variable is a name in the selected frame, and what has the compiler made of it?"""

from __future__ import annotations

import os
from typing import Iterable, Iterator, Mapping

import gdb
from ompd_core import late_patterns
from ompd_core.light_classes import NamedTuple
from ompd_core.model.naming import is_outlined
from ompd_core.model.values import Variable

from .. import texts
from . import blocks

_NAME = late_patterns.compile(r"[A-Za-z_]\w*")
# Not a member's, nor a register's or a number's part.
_FREE_NAME = late_patterns.compile(r"(?<![\w.>%$:'\"])[A-Za-z_]\w*(?!\w|::)")
SCALARS = (
    gdb.TYPE_CODE_INT,
    gdb.TYPE_CODE_ENUM,
    gdb.TYPE_CODE_CHAR,
    gdb.TYPE_CODE_BOOL,
    gdb.TYPE_CODE_FLT,
    gdb.TYPE_CODE_PTR,
)
_WORD = 8  # bytes
REFERENCES = (gdb.TYPE_CODE_REF, getattr(gdb, "TYPE_CODE_RVALUE_REF", -1))
# clang's: what adds up the copies of a reduction, and the variables of a loop.
_REDUCTION = "omp.reduction.reduction_func"
_AT, _FIRST, _LAST = ".omp.iv", ".omp.lb", ".omp.ub"


class OfFile(NamedTuple):
    """A variable, an enumerator or a function that belongs to a file."""

    symbol: gdb.Symbol
    file: str
    visible: bool  # in the selected frame's own file


def named(text: str, value: gdb.Value) -> Variable | None:
    """None: the expression is none. value: what it was evaluated to."""
    name = text.strip()
    if not _NAME.fullmatch(name):
        return None
    frame = gdb.selected_frame()
    around = list(blocks.of_functions_and_files(frame))
    inside = [block for block in around if not blocks.is_files(block)]
    for block in around:
        symbols = [symbol for symbol in block if texts.name(symbol) == name]
        if not symbols:
            continue
        if not any(symbol.is_variable or symbol.is_argument for symbol in symbols):
            return None
        is_global = block not in inside or not any(symbol.needs_frame for symbol in symbols)
        captured = [s for s in _of_name(name, inside) if s.is_argument and _is_reference(s)]
        reference = all(_is_reference(symbol) for symbol in symbols)
        in_construct = is_outlined(texts.function(frame)) and not is_global
        copied = bool(captured) and not reference and in_construct
        reduces = copied and _is_small(value) and _only_reduces(inside, around, frame)
        twin = not is_global and _around(name, frame) is not None
        address = _address(value)
        return Variable(address, is_global, reference, in_construct, twin, reduces=reduces)
    return None


def of_file(text: str) -> OfFile | None:
    """GDB looks for a name in all files, and finds what other files and the C library have of it.
    The first name of an expression that no function around the selected frame's place has."""
    frame = gdb.selected_frame()
    block = next(blocks.outwards(frame), None)
    for match in _FREE_NAME.finditer(text):
        name = match.group()
        if any(True for _ in _of_name(name, blocks.of_functions(frame))):
            continue
        found, of_this = gdb.lookup_symbol(name, block) if block is not None else (None, False)
        if of_this:
            continue
        found = found or gdb.lookup_static_symbol(name)
        if found is None or found.needs_frame or not found.symtab:
            continue
        is_called = found.is_function and text[match.end() :].lstrip().startswith("(")
        if is_called or not (found.is_variable or found.is_constant or found.is_function):
            continue
        file = os.path.basename(texts.filename(found.symtab) or "?")
        return OfFile(found, file, is_visible(found))
    return None


class Statics(NamedTuple):
    """The variables of an expression that are no frame's."""

    symbols: dict[str, gdb.Symbol]  # by name
    all: bool  # whether it names no other


def statics(text: str) -> Statics:
    frame = gdb.selected_frame()
    block = next(blocks.outwards(frame), None)
    if block is None:
        return Statics({}, False)
    found, whole = {}, True
    for name in _FREE_NAME.findall(text):
        for spelling in dict.fromkeys((name, name.lower())):  # Fortran's have no case
            symbol, of_this = gdb.lookup_symbol(spelling, block)
            if of_this or symbol is not None and symbol.needs_frame:
                whole = False
            elif symbol is not None and symbol.is_variable:
                found[name] = symbol
                break
    return Statics(found, whole)


def replaced(text: str, words: Mapping[str, str]) -> str:
    """With other words in the place of names."""
    return _FREE_NAME.sub(lambda match: words.get(match.group(), match.group()), text)


def is_visible(symbol: gdb.Symbol) -> bool:
    """Whether the name means it in the selected frame's own file."""
    frame = gdb.selected_frame()
    name = texts.name(symbol) or ""
    if any(True for _ in _of_name(name, blocks.of_functions(frame))):
        return False
    own = frame.find_sal().symtab
    if own is not None and texts.fullname(own) == texts.fullname(symbol.symtab):
        return True
    return any(True for _ in _of_name(name, blocks.of_functions_and_files(frame)))


def is_misrecorded(text: str) -> bool:
    """Whether what compilers record of a variable that an expression names is not what the program
    has. Of a static one gcc may record the value that it begins with, as of one that never changes.
    Of variables that are the same in the function around a construct and in its code, it records in
    its code where a copy would be; of strings of Fortran's that they have one character."""
    frame = gdb.selected_frame()
    inside = list(blocks.of_functions(frame))
    outlined = is_outlined(texts.function(frame))
    for name in _FREE_NAME.findall(text):
        twin = _around(name, frame)
        own = next(_of_name(name, inside), None)
        if any(_has_first_value(one) for one in (own or twin,) if one is not None):
            return True
        if own is None or own.is_argument or not own.needs_frame or not outlined:
            continue
        if twin is None:
            if _is_declared_before(own, frame):
                return True  # in a common block of a module's
        elif twin.addr_class == gdb.SYMBOL_LOC_STATIC or _length(own) != _length(twin):
            return True
    return False


def _has_first_value(symbol: gdb.Symbol) -> bool:
    kind = symbol.type
    if not symbol.is_constant or kind is None or kind == kind.unqualified().const():
        return False
    is_enumerator = kind.strip_typedefs().code == gdb.TYPE_CODE_ENUM and any(
        texts.name(field) == texts.name(symbol) for field in kind.strip_typedefs().fields()
    )
    return not is_enumerator


def _is_declared_before(symbol: gdb.Symbol, frame: gdb.Frame) -> bool:
    """Before the function around gcc's code of a construct."""
    functions = (block.function for block in blocks.of_surrounding(frame))
    around = next((one for one in functions if one is not None), None)
    if around is None or texts.fullname(around.symtab) != texts.fullname(symbol.symtab):
        return False
    return symbol.line < around.line


def _length(symbol: gdb.Symbol) -> object:
    """Of a string of Fortran's."""
    kind = symbol.type.strip_typedefs() if symbol.type is not None else None
    if kind is not None and kind.code in REFERENCES:
        kind = kind.target().strip_typedefs()
    if kind is None or kind.code != gdb.TYPE_CODE_STRING:
        return None
    return str(kind)


def _address(value: gdb.Value) -> int | None:
    try:
        return None if value.address is None else int(value.address)
    except gdb.error:
        return None  # an array in registers, say: GDB would have to copy it into the program


def _around(name: str, frame: gdb.Frame) -> gdb.Symbol | None:
    """What the function around gcc's code of a construct has of that name."""
    return next(_of_name(name, blocks.of_surrounding(frame)), None)


def _of_name(name: str, among: Iterable[gdb.Block]) -> Iterator[gdb.Symbol]:
    for block in among:
        yield from (symbol for symbol in block if texts.name(symbol) == name)


def _is_reference(symbol: gdb.Symbol) -> bool:
    kind = symbol.type
    return kind is not None and kind.strip_typedefs().code in REFERENCES


def _is_small(value: gdb.Value) -> bool:
    """clang passes what is larger by reference, also for a copy that begins with its value."""
    kind = value.type.strip_typedefs()
    return kind.code in SCALARS and kind.sizeof <= _WORD


def _only_reduces(inside: list[gdb.Block], around: list[gdb.Block], frame: gdb.Frame) -> bool:
    """Whether the construct has one copy of a variable that is shared, and a reduction."""
    symbols = [symbol for block in inside for symbol in block]
    captured = {texts.name(s) for s in symbols if s.is_argument and _is_reference(s)}
    copies = captured & {texts.name(s) for s in symbols if not _is_reference(s)}
    function = frame.function()
    begins = function.line if function is not None else 0
    lines = [
        symbol.line
        for block in around
        if block.is_static or block.is_global
        for symbol in block
        if _REDUCTION in (texts.name(symbol) or "")
    ]
    # What reduces further below is another construct's.
    return len(copies) == 1 and any(begins - 1 <= line <= begins for line in lines)


def is_first_of_loop(text: str) -> bool:
    """Where the bounds are no constants, clang computes the number of iterations with a copy of the
    loop's variable, declared before its own variables of the bounds, and records that copy only."""
    wanted = set(_FREE_NAME.findall(text))
    for block in blocks.of_functions(gdb.selected_frame()):
        names = [texts.name(symbol) for symbol in block]
        found = wanted.intersection(names)
        wanted -= found
        if {_AT, _FIRST, _LAST}.issubset(names):
            at, bounds = names.index(_AT), min(names.index(_FIRST), names.index(_LAST))
            if any(at < names.index(name) < bounds for name in found):
                return True
    return False
