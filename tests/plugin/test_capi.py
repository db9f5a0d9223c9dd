# SPDX-License-Identifier: Apache-2.0
"""Are arrays walked by the sizes that the library tells, also when a later one's elements are
longer?"""

from __future__ import annotations

import ctypes
from typing import Any, Callable, List

import pytest
from ompd_core.library import capi
from ompd_core.library.library import AddressSpace

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


def test_an_array_that_is_empty() -> None:
    assert capi.words_at(0, 0, 4) == [] and capi.levels_at(0, 0, 8) == []
    assert capi.array_at(0, 0, capi.ompdx_task_t) == []


def test_elements_that_are_too_short() -> None:
    with pytest.raises(ValueError):
        capi.levels_at(0, 1, 4)


def test_ctrl_c_leaves_nothing_frozen() -> None:
    """Also where it comes with the answer of the library, which has frozen it."""
    called = []

    class Interrupted:
        def _call(self, routine: str, handle: object) -> None:
            called.append(routine)
            if routine == "ompdx_freeze":
                raise KeyboardInterrupt

    library: Any = Interrupted()
    with pytest.raises(KeyboardInterrupt):
        with AddressSpace(library, object()).frozen():
            pass
    assert called == ["ompdx_freeze", "ompdx_thaw"]
