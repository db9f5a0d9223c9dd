# SPDX-License-Identifier: Apache-2.0
"""What does an expression mean in one thread, and who has the same value?"""

from __future__ import annotations

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
    # "reduction", or what else has a copy of its own of a variable that is shared; None: no copy
    copy: str | None = None


@dataclass(frozen=True)
class Value:
    """Of an expression in one thread."""

    text: str | None  # None: it cannot be evaluated there
    number: Number | None = None
    error: str | None = None
    parents: str | None = None  # evaluated in the frame of this region's beginning: R1
    in_construct: bool = False  # evaluated in the frame of the code of the construct
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


def extremes(found: Sequence[Answer]) -> tuple[Number, Number] | None:
    """The least and the greatest, where all are numbers and they differ."""
    numbers = [value.number for _, value in found]
    if len(numbers) < 2 or any(number is None for number in numbers):
        return None
    known = [number for number in numbers if number is not None]
    low, high = min(known), max(known)
    return (low, high) if low != high else None
