# SPDX-License-Identifier: Apache-2.0
"""Who shares a variable, by its addresses."""

from __future__ import annotations

from typing import Sequence

import pytest
from ompd_core.library.types import ViewRegion, ViewThread
from ompd_core.model.process import Membership, Region, Thread
from ompd_core.model.sharing import of_answers
from ompd_core.model.values import Answer, Value, Variable

REGION = Region(0, ViewRegion(0x1000, None, "parallel", 1, 1, 4))
OTHER = Region(0, ViewRegion(0x2000, None, "parallel", 1, 1, 4))


def answers(
    variables: Sequence[Variable | None], regions: Sequence[Region] = (), parents: str | None = None
) -> list[Answer]:
    found = []
    for number, variable in enumerate(variables):
        region = regions[number] if regions else REGION
        member = Membership(0, ViewThread(number, "worker"), [(region, number)])
        value = Value("1", 1, None, parents, variable=variable)
        found.append((Thread(None, [member]), value))
    return found


def at(*addresses: int | None, **of: bool) -> list[Variable | None]:
    return [Variable(address, **of) for address in addresses]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("variables", "told"),
    [
        (at(8, 8, 8), "shared"),
        (at(8, 16, 24), "private"),
        (at(8, 16, 24, is_global=True), "threadprivate"),
        (at(8, 8, 8, reference=True), "shared"),
        (at(8, 16, 24, reference=True), None),  # perhaps elements of one array
        (at(8, 16, 24, twin=True), None),  # gcc's copies
        (at(8, 8, 8, twin=True), None),  # perhaps where all read what theirs begin with
        (at(8, 8, 8, twin=True, is_parents=True), "shared"),
        (at(8, in_construct=True, twin=True, is_parents=True), "shared"),
        (at(8, 8, 24), None),
        (at(8, None, 24), None),
        ([*at(8, 8), None], None),  # not a variable everywhere
        (at(8), None),
        (at(8, in_construct=True), "private"),
        (at(8, in_construct=True, reference=True), "shared"),
        (at(8, in_construct=True, twin=True), None),
        (at(8, 16, reduces=True), "reduction"),
        ([*at(8, reduces=True), *at(16)], "private"),
        ([], None),
    ],
)
def test_marks(variables: list[Variable | None], told: str | None) -> None:
    assert of_answers(answers(variables)) == told


def test_of_different_regions_nothing_is_told() -> None:
    assert of_answers(answers(at(8, 16), [REGION, OTHER])) is None


def test_what_the_parent_has_is_none_of_the_threads() -> None:
    assert of_answers(answers(at(8, 8), parents="R1")) is None


def test_who_cannot_tell_does_not_matter() -> None:
    found = answers(at(8, 16))
    found.append((found[0][0], Value(None, None, "optimized out")))
    assert of_answers(found) == "private"
