# SPDX-License-Identifier: Apache-2.0
"""What is passed to devices, against what is mapped there."""

from __future__ import annotations

import pytest
from ompd_core.library.types import Mapping
from ompd_core.model import arguments
from ompd_core.model.arguments import NONE, PART, WHOLE

TO, PARAMETER, LITERAL, PRIVATE, ATTACH, STEPS = 1, 0x20, 0x100, 0x80, 0x4000, 1 << 44
TABLE = [
    Mapping(0, 1, begin, begin, end, device, None, 1, 0, False, 0, None)
    for begin, end, device in ((0x1000, 0x1100, 0x9000), (0x1100, 0x1200, 0xA000))
]


@pytest.mark.parametrize(
    "begin,size,expected",
    [
        (0x1000, 0x100, WHOLE),
        (0x1010, 0x10, WHOLE),
        (0x1000, 0, WHOLE),
        (0x1000, 0x101, PART),
        (0xFFF, 2, PART),
        (0xFFF, 1, NONE),
        (0x1200, 0, NONE),
        (0x1200, 8, NONE),
        # Two mappings that touch are not one.
        (0x10F0, 0x20, PART),
    ],
)
def test_how_much_is_mapped(begin: int, size: int, expected: str) -> None:
    assert arguments.mapped(begin, size, TABLE)[0] == expected


@pytest.mark.parametrize("kind", [LITERAL, PRIVATE, STEPS])
def test_what_needs_no_mapping(kind: int) -> None:
    assert arguments.needs_mapping(TO | PARAMETER, 8, 8)
    assert not arguments.needs_mapping(TO | PARAMETER | kind, 8, 8)
    assert not arguments.needs_mapping(TO, 0, 0)  # null
    assert not arguments.needs_mapping(TO, 8, (1 << 64) - 1)


def test_a_row_that_binds_a_pointer() -> None:
    assert arguments.is_no_argument(ATTACH) and arguments.is_no_argument(TO | ATTACH)
    assert not arguments.is_no_argument(TO | PARAMETER)


@pytest.mark.parametrize(
    "count,kinds,stored,expected",
    [
        # As the program wrote it, and as the runtime has: with the parameters it adds.
        (2, [0x21, 0x21], {2}, (2, True)),
        (3, [0x21, 0x21], {2}, (2, True)),
        (2, [0x21, 1, 1], {3}, (3, True)),
        (7, [0x21, 0x21], {2}, None),
        # Where the code does not tell the number.
        (3, [0x21, 0x21], set(), (2, False)),
        (3, [0x21, 0x21], {2, 5}, (2, False)),
        (3, [0x21, 1], set(), (3, False)),
        (1, [], set(), (0, False)),
    ],
)
def test_how_many_rows(
    count: int, kinds: list[int], stored: set[int], expected: tuple[int, bool] | None
) -> None:
    assert arguments.rows_for_certain(count, kinds, stored) == expected
