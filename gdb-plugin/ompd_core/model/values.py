# SPDX-License-Identifier: Apache-2.0
"""What does an expression mean in one thread, and who has the same value?"""

from __future__ import annotations

import math
from typing import Callable, Sequence, Union

from ..light_classes import NamedTuple, dataclass, field
from .process import Thread

Number = Union[int, float]


class Variable(NamedTuple):
    """One that an expression names."""

    address: int | None  # None: in a register
    is_global: bool = False
    reference: bool = False
    in_construct: bool = False  # of the code of a construct
    # The function around a construct has one of that name: gcc copies also variables that are
    # shared, if the construct does not change them.
    twin: bool = False
    is_parents: bool = False  # and this is it
    reduces: bool = False  # it is the thread's own part of a reduction


@dataclass(frozen=True)
class Value:
    """Of an expression in one thread."""

    text: str | None  # None: it cannot be evaluated there
    number: Number | None = None
    error: str | None = None
    parents: str | None = None  # evaluated in the frame of this region's beginning: R1
    in_construct: bool = False  # evaluated in the frame of the code of the construct
    in_function: str | None = None  # evaluated in this one's, between the user's and the construct
    # The variable is this file's: nothing around the thread has one of that name.
    file: str | None = None
    # The variable of a loop, of which clang records where its first value is, and no other.
    first_of_loop: bool = False
    variable: Variable | None = field(default=None, compare=False)


Answer = tuple[Thread, Value]


def grouped(
    found: Sequence[tuple[Thread, object]], likeness: Callable[..., object]
) -> list[list[Thread]]:
    """Threads of which the answer is the same, in the order in which answers come first."""
    groups: dict[object, list[Thread]] = {}
    for thread, answer in found:
        groups.setdefault(likeness(thread, answer), []).append(thread)
    return list(groups.values())


class Extremes(NamedTuple):
    """As the table shows them, so that they are found there."""

    least: str
    greatest: str
    nans: int  # which are neither less nor greater than anything


def extremes(found: Sequence[Answer]) -> Extremes | None:
    """Where all are numbers, and some differ."""
    numbers = []
    for _, value in found:
        if value.number is None or value.text is None:
            return None
        if not math.isnan(value.number):
            numbers.append((value.number, value.text))
    if not numbers:
        return None
    least, greatest = (choose(numbers, key=lambda one: one[0]) for choose in (min, max))
    if least[0] == greatest[0]:
        return None
    return Extremes(least[1], greatest[1], len(found) - len(numbers))
