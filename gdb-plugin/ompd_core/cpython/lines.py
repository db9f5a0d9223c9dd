# SPDX-License-Identifier: Apache-2.0
"""Which line does an instruction belong to? A code object's table tells, in one of three formats.

None: no line, as of code that the compiler added."""

from __future__ import annotations

NO_LINE = -128
# Kinds of entries since 3.11.
SHORT_LINES = range(10, 13)
NO_COLUMNS, LONG, NONE = 13, 14, 15


def line(minor: int, table: bytes, first: int, at: int) -> int | None:
    """at: in bytes before 3.11, then in code units. Before the first instruction: the line where
    the function begins."""
    if at < 0:
        return first
    if minor >= 11:
        return _by_locations(table, first, at)
    return _by_pairs(table, first, at, minor == 9)


def _by_pairs(table: bytes, line: int, at: int, starts: bool) -> int | None:
    """Of (bytes of code, lines) each. starts: the lines are added where the bytes end, as in 3.9,
    and not for those bytes."""
    address = 0
    for i in range(0, len(table) - 1, 2):
        delta = table[i + 1] - 256 if table[i + 1] > 127 else table[i + 1]
        address += table[i]
        if starts and address > at:
            return line
        if starts or delta != NO_LINE:
            line += delta
        if not starts and address > at:
            return None if delta == NO_LINE else line
    return line if starts else None


def _by_locations(table: bytes, line: int, at: int) -> int | None:
    end = i = 0
    while i < len(table):
        kind = table[i] >> 3 & 15
        end += (table[i] & 7) + 1
        if kind in (NO_COLUMNS, LONG):
            line += _signed(table, i + 1)
        elif kind in SHORT_LINES:
            line += kind - SHORT_LINES.start
        if end > at:
            return None if kind == NONE else line
        i += 1
        while i < len(table) and not table[i] & 128:
            i += 1
    return None


def _signed(table: bytes, at: int) -> int:
    """Six bits a byte, the lowest first; of the number the lowest is its sign."""
    value = shift = 0
    for byte in table[at : at + 7]:
        value |= (byte & 63) << shift
        shift += 6
        if not byte & 64:
            break
    return -(value >> 1) if value & 1 else value >> 1
