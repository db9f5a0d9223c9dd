# SPDX-License-Identifier: Apache-2.0
"""How does the program spell a part of a variable? accounts[1].lock, not accounts+16."""

from __future__ import annotations

import re

import gdb

# They are what is looked for: their members are the runtime's affair.
_WHOLE = ("omp_lock_t", "omp_nest_lock_t")
_DEEPEST = 16


def spelled(symbol: str) -> str:
    """NAME or NAME+OFFSET in the program's words, as far as debug information tells."""
    name, _, offset = symbol.partition("+")
    if not re.fullmatch(r"[A-Za-z_]\w*", name) or not (offset or "0").isdecimal():
        return symbol
    try:
        found = gdb.lookup_global_symbol(name) or gdb.lookup_static_symbol(name)
        if found is None or found.type is None:
            return symbol
        rest = _path(found.type, int(offset or "0"), 0)
    except (gdb.error, RuntimeError, ValueError):
        return symbol
    return symbol if rest is None else name + rest


def _path(kind: gdb.Type, offset: int, depth: int) -> str | None:
    """None: nothing of the type begins there."""
    if kind.name in _WHOLE or depth == _DEEPEST:
        return "" if offset == 0 else None
    kind = kind.strip_typedefs()
    if kind.code == gdb.TYPE_CODE_ARRAY:
        return _of_array(kind, offset, depth)
    if kind.code == gdb.TYPE_CODE_STRUCT:
        return _of_struct(kind, offset, depth)
    return "" if offset == 0 else None


def _of_array(kind: gdb.Type, offset: int, depth: int) -> str | None:
    item = kind.target()
    low, high = kind.range()
    if item.sizeof == 0 or not 0 <= offset // item.sizeof <= high - low:
        return None
    rest = _path(item, offset % item.sizeof, depth + 1)
    return None if rest is None else f"[{low + offset // item.sizeof}]{rest}"


def _of_struct(kind: gdb.Type, offset: int, depth: int) -> str | None:
    for field in kind.fields():
        if not hasattr(field, "bitpos") or field.bitsize or field.type is None:
            continue  # a static member, or part of a word
        start = field.bitpos // 8
        if start <= offset < start + field.type.sizeof:
            rest = _path(field.type, offset - start, depth + 1)
            named = "" if field.is_base_class or not field.name else f".{field.name}"
            return None if rest is None else named + rest
    return "" if offset == 0 else None
