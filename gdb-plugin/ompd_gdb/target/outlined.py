# SPDX-License-Identifier: Apache-2.0
"""In which function did the user write a construct, where the name of its code does not tell?

The function that holds the construct calls the runtime in the construct's line: the line table says
which has code there. No stack, and no other thread's frames, are needed."""

from __future__ import annotations

import gdb

from ..model.naming import is_outlined, users_function

# Constructs in constructs; real programs have three or four.
MOST_NESTED = 16


def enclosing(frame: gdb.Frame) -> str | None:
    """Of a frame of the selected thread. None: nothing tells, or several functions share the
    line, as the instances of a template do."""
    try:
        function = frame.function()
        for _ in range(MOST_NESTED):
            if function is None:
                return None
            around = _at_line_of(function)
            named = {users_function(one.name) for one in around} - {None}
            if named:
                return named.pop() if len(named) == 1 else None
            function = next((one for one in around if one.line < function.line), None)
    except gdb.error:
        pass
    return None


def _at_line_of(function: gdb.Symbol) -> list[gdb.Symbol]:
    """The other functions that have code in the line that a function begins in."""
    entries = function.symtab.linetable().line(function.line) or ()
    found = []
    for entry in entries:
        other = _function_at(entry.pc)
        if other is not None and other != function and other not in found:
            found.append(other)
    return found


def _function_at(pc: int) -> gdb.Symbol | None:
    block = gdb.block_for_pc(pc)
    while block is not None and block.function is None:
        block = block.superblock
    return block.function if block is not None else None
