# SPDX-License-Identifier: Apache-2.0
"""How is much that is alike told in few lines? Sentences that differ in an id become one; of rows
that differ in a name only, there is one when they are many."""

from __future__ import annotations

from typing import Callable, Hashable, Iterable, Sequence, TypeVar

from .. import late_patterns
from ..model import ids

MOST_ROWS = 8  # that differ in a name only; more are joined

Row = TypeVar("Row")
_ID = late_patterns.compile(r"\b([Lt])([0-9]+)\b(?![.'])")


def joined(
    rows: Iterable[Row],
    likeness: Callable[[Row], Hashable],
    kind: Callable[[Row], Hashable],
    every: bool = False,
) -> list[list[Row]]:
    """Groups of rows that are alike, in the order of their first ones; of a kind of which there are
    too many groups, one group. every: each row alone."""
    groups: dict[Hashable, list[Row]] = {}
    for i, row in enumerate(rows):
        groups.setdefault(i if every else likeness(row), []).append(row)
    if every or len(groups) <= MOST_ROWS:
        return list(groups.values())
    kinds: dict[Hashable, list[list[Row]]] = {}
    for group in groups.values():
        kinds.setdefault(kind(group[0]), []).append(group)
    found = []
    for group in groups.values():
        same = kinds[kind(group[0])]
        if len(same) <= MOST_ROWS:
            found.append(group)
        elif group is same[0]:
            found.append([row for one in same for row in one])
    return found


def together(sentences: Sequence[str]) -> list[str]:
    """It is not known who holds L1; and who holds L2: it is not known who holds L1-2."""
    numbers: dict[str, list[int]] = {}
    for sentence in sentences:
        found = _ID.findall(sentence)
        form = _ID.sub(r"\1\0", sentence) if len(found) == 1 else sentence
        numbers.setdefault(form, []).extend(int(number) for _, number in found[:1])
    return [form.replace("\0", ids.compress(of_it)) for form, of_it in numbers.items()]
