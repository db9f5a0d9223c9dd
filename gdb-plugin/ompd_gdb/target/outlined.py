# SPDX-License-Identifier: Apache-2.0
"""In which function did the user write a construct, where the name of its code does not tell?

The function that holds a construct calls the runtime in the construct's line, and the line table
says which functions have code there. No stack, and no other thread's frames, are needed."""

from __future__ import annotations

import gdb
from ompd_core.model.naming import is_outlined, users_function

from .. import texts

# Constructs in constructs: real programs have three or four.
MOST_NESTED = 16
# Clauses that go on in further lines, between a construct's line and its body.
MOST_LINES = 32


def enclosing(function: gdb.Symbol) -> str | None:
    """None: nothing tells, or several functions share the line, as the instances of a template
    do."""
    try:
        for _ in range(MOST_NESTED):
            holders = _holders(function)
            names = {users_function(texts.name(one) or "") for one in holders}
            if names and None not in names:
                return names.pop() if len(names) == 1 else None
            if len(holders) != 1:
                return None
            function = holders[0]
    except (gdb.error, RuntimeError):
        pass  # its symbols, or its line table, cannot be read
    return None


def _holders(function: gdb.Symbol) -> list[gdb.Symbol]:
    """The functions that have code in the line of the construct that a function was made of."""
    for line in range(function.line, max(function.line - MOST_LINES, 0), -1):
        others = [one for one in _functions_at(function.symtab, line) if not _same(one, function)]
        # clang's function between the runtime and the construct's code begins in that line.
        holders = [one for one in others if not (is_outlined(texts.name(one)) and one.line == line)]
        if others:
            known = line == function.line or len(holders) < len(others)
            return holders if known else []
    return []


def _functions_at(symtab: gdb.Symtab, line: int) -> list[gdb.Symbol]:
    found: list[gdb.Symbol] = []
    for entry in symtab.linetable().line(line) or ():
        block = gdb.block_for_pc(entry.pc)
        while block is not None and block.function is None:
            block = block.superblock
        if block is not None and not any(_same(block.function, one) for one in found):
            found.append(block.function)
    return found


def _same(one: gdb.Symbol, other: gdb.Symbol) -> bool:
    """GDB gives a new object each time, and does not compare them."""
    return one.line == other.line and texts.linkage_name(one) == texts.linkage_name(other)
