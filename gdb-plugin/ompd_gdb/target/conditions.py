# SPDX-License-Identifier: Apache-2.0
"""Can a condition be told elsewhere than in the frame that it is meant for? One that asks for
nothing but numbers and variables of the whole program has the same value wherever it is asked."""

from __future__ import annotations

import gdb
from ompd_core import late_patterns

# Nothing that calls, assigns, or leads from one variable to another.
_TOKEN = late_patterns.compile(
    r"\s*(?:([A-Za-z_]\w*)"
    r"|(?:0[xX][0-9a-fA-F]+|\d+(?:\.\d+)?)(?![\w.])|[=!<>]=|<<|>>|&&|\|\||[-+*/%<>!~^&|()])"
)
_INTEGERS = {1: "char", 2: "short", 4: "int", 8: "long long"}
_REALS = {4: "float", 8: "double"}
_LANGUAGES = ("auto", "local", "c", "c++")


def everywhere(condition: str, pc: int) -> str | None:
    """An expression of C that has the value that the condition has where the code is; None: there
    is none, as far as is known."""
    if "++" in condition or "--" in condition:
        return None
    try:
        block = gdb.block_for_pc(pc)
        if block is None or gdb.parameter("language") not in _LANGUAGES:
            return None
        found, at = "", 0
        while condition[at:].strip():
            token = _TOKEN.match(condition, at)
            if token is None:
                return None
            name = token.group(1)
            word = token.group(0) if name is None else _variable(name, block)
            if word is None:
                return None
            found, at = f"{found} {word}", token.end()
        return found
    except (gdb.error, RuntimeError):
        return None


def _variable(name: str, block: gdb.Block) -> str | None:
    """By its address; None: it is none of the whole program's, or no number."""
    symbol, is_member = gdb.lookup_symbol(name, block)
    if symbol is None or is_member or symbol.addr_class != gdb.SYMBOL_LOC_STATIC:
        return None
    value = symbol.value()
    type_ = symbol.type.strip_typedefs()
    if type_.code == gdb.TYPE_CODE_FLT:
        kind = _REALS.get(type_.sizeof)
    elif type_.code in (gdb.TYPE_CODE_INT, gdb.TYPE_CODE_CHAR, gdb.TYPE_CODE_BOOL):
        sign = "signed" if gdb.Value(-1).cast(type_.unqualified()) < 0 else "unsigned"
        kind = f"{sign} {_INTEGERS[type_.sizeof]}" if type_.sizeof in _INTEGERS else None
    else:
        kind = None
    if kind is None or value.address is None:
        return None
    return f"(*({kind} *) {int(value.address)})"
