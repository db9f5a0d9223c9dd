# SPDX-License-Identifier: Apache-2.0
"""Are arrays walked by the sizes that the library tells, also when a later one's elements are
longer?"""

from __future__ import annotations

import ctypes
import struct
from typing import Any, Callable, List

import pytest
from ompd_core.library import capi

Walk = Callable[[int, int, int], List[Any]]


@pytest.mark.parametrize("more", [0, 4, 24])
@pytest.mark.parametrize(
    "walk, words, told",
    [
        (capi.words_at, [[1], [2], [3]], [1, 2, 3]),
        (capi.levels_at, [[1, 2], [3, 4]], [(1, 2), (3, 4)]),
        (capi.dependences_at, [[5, 6]], [(5, 6)]),
    ],
)
def test_elements_without_a_size(
    walk: Walk, words: List[List[int]], told: List[Any], more: int
) -> None:
    raw = b"".join(
        b"".join(word.to_bytes(4, capi.HOST_BYTE_ORDER) for word in one) + b"\xff" * more
        for one in words
    )
    block = ctypes.create_string_buffer(raw, len(raw))
    assert walk(ctypes.addressof(block), len(words), 4 * len(words[0]) + more) == told


@pytest.mark.parametrize("more", [0, 8, 24])
def test_icv_values(more: int) -> None:
    """They have no size of their own, and are longer words."""
    values = [(0x1000, -1, 3), (0, 7, 1)]
    raw = b"".join(struct.pack("@PqII", *value, 0) + b"\xff" * more for value in values)
    block = ctypes.create_string_buffer(raw, len(raw))
    size = ctypes.sizeof(capi.ompdx_icv_value_t)
    assert list(capi.icv_values_at(ctypes.addressof(block), 2, size + more)) == values
    with pytest.raises(ValueError):
        capi.icv_values_at(ctypes.addressof(block), 2, size - 4)


def test_an_array_that_is_empty() -> None:
    assert capi.words_at(0, 0, 4) == [] and capi.levels_at(0, 0, 8) == []
    assert capi.array_at(0, 0, capi.ompdx_task_t) == []


def test_elements_that_are_too_short() -> None:
    with pytest.raises(ValueError):
        capi.levels_at(0, 1, 4)
