# SPDX-License-Identifier: Apache-2.0
"""Is what users type understood, and are lists short?"""

from __future__ import annotations

import pytest
from ompd_core.model import ids


@pytest.mark.parametrize(
    "numbers, text",
    [
        ([], ""),
        ([3], "3"),
        ([8, 0, 1, 2, 3, 4, 5, 6], "0-6,8"),
        ([1, 1, 2], "1-2"),
        ([1, 3, 5], "1,3,5"),
    ],
)
def test_numbers_are_compressed(numbers: list[int], text: str) -> None:
    assert ids.compress(numbers) == text


def test_compressed_numbers_are_the_same_numbers() -> None:
    numbers = [0, 1, 2, 7, 9, 10, 99]
    read = ids.Numbers(ids.compress(numbers))
    assert [number for number in range(120) if number in read] == numbers


def test_threads_are_listed_by_region() -> None:
    assert ids.thread_list([(2, 1), (1, 0), (2, 0), (1, 5)]) == "R1.0,5 R2.0-1"


def test_regions_with_the_same_threads_stand_together() -> None:
    members = [(region, num) for region in (2, 3, 4, 7) for num in (0, 1)]
    assert ids.short_thread_list(members + [(5, 0)]) == "R2-4,7.0-1 R5.0"


def test_region_thread() -> None:
    one = ids.parse("R1.7")
    assert isinstance(one, ids.RegionIds) and one.threads is not None
    assert 1 in one.regions and 7 in one.threads and 8 not in one.threads


def test_whole_region() -> None:
    one = ids.parse("R12")
    assert isinstance(one, ids.RegionIds) and 12 in one.regions and one.threads is None


def test_native_thread_of_an_inferior() -> None:
    one = ids.parse("2.3-5")
    assert isinstance(one, ids.NativeIds) and one.inferior == 2
    assert one.threads is not None and 5 in one.threads and 6 not in one.threads


def test_bare_numbers_are_native_threads() -> None:
    one = ids.parse("2-7")
    assert isinstance(one, ids.NativeIds) and one.inferior is None


def test_task_and_everything() -> None:
    assert isinstance(ids.parse("t3"), ids.TaskIds)
    assert isinstance(ids.parse("*"), ids.Everything)


def test_locks() -> None:
    assert ids.parse_lock("L1-3,5").locks == ids.Numbers("1-3,5")
    assert ids.is_lock_id("L2") and not ids.is_lock_id("R1") and not ids.is_id("L2")
    with pytest.raises(ids.IdError, match="`L3-1' is not an id of a lock.*backwards.*L1-3,5"):
        ids.parse_lock("L3-1")


def test_a_huge_range_costs_nothing() -> None:
    assert 999999999 in ids.Numbers("0-999999999")


@pytest.mark.parametrize(
    "word", ["", "R", "R1.", "R1.7-3", "x", "1.2.3", "-1", "R1..2", "t", "1e3"]
)
def test_what_is_no_id_is_refused_with_the_forms(word: str) -> None:
    with pytest.raises(ids.IdError, match="R1.0-6,8"):
        ids.parse(word)
