# SPDX-License-Identifier: Apache-2.0
"""How does a long name of C++, or what a function was called with, fit a line? Where the user looks
for the function's own name, and each argument's, these are left to the last."""

from __future__ import annotations

from typing import Sequence

from .. import late_patterns

OMITTED = "..."
# As GDB says it of a value.
OPTIMIZED_OUT = "<optimized out>"

_OPERATOR = late_patterns.compile(r"operator\s*(<=>|<<=|>>=|->\*|<<|>>|->|<=|>=|<|>|\(\))")


def short_name(name: str, width: int) -> str:
    """Template arguments go first, the innermost before those around them; then the namespaces."""
    if len(name) <= width:
        return name
    depths = _depths(name)
    for depth in range(max(depths, default=0), 0, -1):
        name_so_far = _without_arguments(name, depths, depth)
        if len(name_so_far) <= width:
            return name_so_far
    found = _without_arguments(name, depths, 1)
    scopes = _scopes(found)
    for at in range(1, len(scopes)):
        without = "::".join([OMITTED, *scopes[at:]])
        if len(without) <= width:
            return without
    return shorten(scopes[-1], width)


def shorten(text: str, width: int) -> str:
    """In the middle."""
    if len(text) <= width or width < 5:
        return text
    head = (width - 3 + 1) // 2
    return text[:head] + OMITTED + text[len(text) - (width - 3 - head) :]


def _depths(name: str) -> list[int]:
    """In how many lists of template arguments, or in parentheses, each character is; that which
    begins one belongs to it, that which ends it too."""
    of_operators = {i for one in _OPERATOR.finditer(name) for i in range(*one.span())}
    found, depth = [], 0
    for i, c in enumerate(name):
        opens, closes = c in "<({", c in ">)}"
        if i in of_operators or (c == ">" and name[i - 1 : i] == "-"):
            opens = closes = False
        depth += opens
        found.append(depth)
        depth = max(depth - closes, 0)
    return found


def _without_arguments(name: str, depths: Sequence[int], deepest: int) -> str:
    """Nothing of what is in the lists that are so deep."""
    shown, inside = "", False
    for i, depth in enumerate(depths):
        if depth < deepest:
            shown, inside = shown + name[i], False
        elif not inside:
            shown, inside = shown + name[i] + OMITTED, True
        if inside and depth == deepest and _closes(depths, i, deepest):
            shown, inside = shown + name[i], False
    return shown


def _closes(depths: Sequence[int], at: int, depth: int) -> bool:
    return at + 1 == len(depths) or depths[at + 1] < depth


def _scopes(name: str) -> list[str]:
    depths, found = _depths(name), [""]
    at = 0
    while at < len(name):
        if depths[at] == 0 and name.startswith("::", at):
            found.append("")
            at += 2
        else:
            found[-1] += name[at]
            at += 1
    return found


def short_arguments(arguments: Sequence[str], width: int) -> str:
    """name=value, ...: the longest values are cut until all fit; then the last arguments go."""
    most = max((len(one.partition("=")[2]) for one in arguments), default=0)
    for longest in range(max(most, len(OMITTED)), len(OMITTED) - 1, -1):
        shown = ", ".join(_with_value(one, longest) for one in arguments)
        if len(shown) <= width:
            return shown
    left = [_with_value(one, len(OMITTED)) for one in arguments]
    while len(left) > 1 and len(", ".join([*left, OMITTED])) > width:
        left.pop()
    return ", ".join([*left, OMITTED])


def _with_value(text: str, longest: int) -> str:
    name, equals, value = text.partition("=")
    if value == OPTIMIZED_OUT or len(value) <= longest:
        return text
    return name + equals + (shorten(value, longest) if longest >= 8 else OMITTED)
