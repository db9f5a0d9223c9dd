# SPDX-License-Identifier: Apache-2.0
"""What does a construct pass to its device, and is that mapped there?"""

from __future__ import annotations

from typing import Sequence

from ..library.types import Mapping
from ..light_classes import NamedTuple

# How compilers say what is to be done with an argument (tgt_map_type).
IS_PARAMETER = 0x20
_PRIVATE = 0x80
_LITERAL = 0x100
_IMPLICIT = 0x200
_PRESENT = 0x1000
_ATTACH = 0x4000
_MEMBER_OF = 48  # the bits from there on: of which argument
_IN_STEPS = 1 << 44  # of which the size is not the array's

# How much of an argument is mapped.
WHOLE, PART, NONE = "whole", "part", "none"
_MEMORY = 1 << 64


class Argument(NamedTuple):
    begin: int
    size: int
    kind: int
    source: str | None = None  # as the compiler records variables
    mapped: str | None = None  # None: it need not be, or is not known
    place: Mapping | None = None  # where all of it is, or a part

    @property
    def by_value(self) -> bool:
        return bool(self.kind & _LITERAL)

    @property
    def private(self) -> bool:
        return bool(self.kind & _PRIVATE)

    @property
    def must_be_present(self) -> bool:
        return bool(self.kind & _PRESENT)

    @property
    def is_member(self) -> bool:
        """Of what another argument maps."""
        return bool(self.kind >> _MEMBER_OF)

    @property
    def is_explicit(self) -> bool:
        """What the compiler adds by itself, may be mapped in part."""
        return not self.kind & _IMPLICIT

    @property
    def on_device(self) -> int | None:
        if self.mapped != WHOLE or self.place is None:
            return None
        return self.place.device_begin + self.begin - self.place.begin


def needs_mapping(kind: int, begin: int, size: int) -> bool:
    """Is it memory of the host's that a mapping table can tell of?"""
    if kind & (_PRIVATE | _LITERAL | _IN_STEPS):
        return False
    return begin != 0 and 0 <= size and begin + size <= _MEMORY


def is_no_argument(kind: int) -> bool:
    """From LLVM 22 on a row of its own has a pointer point to what another row maps: its size is
    the pointer's."""
    return bool(kind & _ATTACH)


def overlap(one: Argument, other: Argument) -> bool:
    return one.begin < other.begin + other.size and other.begin < one.begin + one.size


def mapped(begin: int, size: int, table: Sequence[Mapping]) -> tuple[str, Mapping | None]:
    part: Mapping | None = None
    for one in table:
        if one.begin <= begin < one.end and begin + size <= one.end:
            return WHOLE, one
        if size and one.begin < begin + size and begin < one.end:
            part = one
    return (NONE if part is None else PART), part


def rows_for_certain(count: int, kinds: Sequence[int], stored: set[int]) -> tuple[int, bool] | None:
    """How many rows a kernel's table has, and whether that is all. count: what is said to be its
    number, in whose place the runtime puts that of the kernel's parameters, some of which it adds
    itself; kinds: of so many rows; stored: what the code writes there. None: they do not agree."""
    if len(stored) == 1:
        (rows,) = stored
        parameters = sum(1 for kind in kinds[:rows] if kind & IS_PARAMETER)
        return (rows, True) if count in (rows, parameters, parameters + 1) else None
    all_are = all(kind & IS_PARAMETER for kind in kinds[: count - 1])
    return (count - 1 if all_are else count), False
