# SPDX-License-Identifier: Apache-2.0
"""Which stack overflowed, of what, and what would have done, in words?"""

from __future__ import annotations

from typing import Iterator

from ..model.overflow import ATTRIBUTE, EITHER, LIMIT, Overflow, Recursion, Setting
from .table import LONGEST_PLACE, place
from .terminal import plain

MOST_FUNCTIONS = 2  # of a recursion, that are named
_UNITS = (("GB", 30), ("MB", 20), ("kB", 10))


def sentence(of: Overflow) -> str:
    """What follows after where it was."""
    told = "; ".join([_what(of), *_advice(of)])
    return told if of.doubt is None else f"likely a stack overflow ({of.doubt}): {told}"


def _what(of: Overflow) -> str:
    by = f" ({_setting(of.setting)})" if of.setting is not None else ""
    told = (
        f"the stack has {_size(of.size)}{by}" if of.size is not None else f"the stack is full{by}"
    )
    if of.needs is not None:
        least = "at least " if of.grows else ""
        takes = f"the frame of {_name(of.function)} takes {least}{_size(of.needs)}"
        told = f"{takes}, {told if of.size is not None else f'more than the stack may have{by}'}"
    if of.recursion is not None:
        return f"{told}, filled by {_recursion(of.recursion)}"
    if of.largest is not None:
        function, size = of.largest
        return f"{told}, of which {_name(function)} takes {_size(size)}"
    return told


def _recursion(of: Recursion) -> str:
    names = " and ".join(map(_name, of.functions[:MOST_FUNCTIONS]))
    if len(of.functions) > MOST_FUNCTIONS:
        names = f"{_name(of.functions[0])} and {len(of.functions) - 1} other functions"
    about = "" if of.exact else "about "
    each = f"{of.each:,} bytes" if of.each < 1 << 14 else _size(of.each)
    return f"a recursion of {names}, {about}{of.depth:,} deep, {each} each time"


def _setting(of: Setting) -> str:
    if of.name == EITHER:
        return f"of {ATTRIBUTE} (), or of `{LIMIT}' if that was not called"
    if of.name == ATTRIBUTE:
        return f"of {ATTRIBUTE} ()"
    if of.name == LIMIT:
        return f"`{LIMIT}' {of.value}" if of.value is not None else f"`{LIMIT}'"
    if of.value is None:
        return f"{of.name} is not set"
    return f"{of.name}={plain(of.value)}"


def _advice(of: Overflow) -> Iterator[str]:
    if of.setting is None:
        return
    if of.setting.name in (ATTRIBUTE, EITHER):
        if of.enough is not None:
            yield f"{_size(of.enough)} would do"
        return
    if of.enough is not None:
        yield f"{_set(of.setting, of.enough)} would do"
    elif of.size is not None:
        more = 1 << (4 * of.size - 1).bit_length()
        times = f"{round(more / of.size)} times as much"
        ends = "if the recursion ends, " if of.recursion is not None else ""
        yield f"{ends}{_set(of.setting, more)} gives it {times}"


def _set(setting: Setting, size: int) -> str:
    if setting.name == LIMIT:
        return f"`{LIMIT} {size >> 10}'"
    for unit, bits in (("G", 30), ("M", 20)):
        if size >> bits:
            return f"{setting.name}={size >> bits}{unit}"
    return f"{setting.name}={size >> 10}K"


def _name(function: str | None) -> str:
    return place(function, None, None, LONGEST_PLACE)


def _size(size: int) -> str:
    for unit, bits in _UNITS:
        if size >> bits:
            number = size / (1 << bits)
            text = f"{number:.0f}" if number >= 10 else f"{number:.1f}".removesuffix(".0")
            return f"{text} {unit}"
    return f"{size} bytes"
