# SPDX-License-Identifier: Apache-2.0
"""Is much that is alike told in few lines, and nothing joined that differs?"""

from __future__ import annotations

from ompd_core.views.alike import MOST_ROWS, joined, together

MANY = MOST_ROWS + 1


def groups(rows: list[tuple[str, int]], every: bool = False) -> list[list[tuple[str, int]]]:
    """Of a letter and a number: rows of one letter are of a kind."""
    return joined(rows, lambda row: row, lambda row: row[0], every)


def test_equal_rows_share_a_line() -> None:
    rows = [("a", 1), ("b", 1), ("a", 1)]
    assert groups(rows) == [[("a", 1), ("a", 1)], [("b", 1)]]
    assert groups(rows, every=True) == [[("a", 1)], [("b", 1)], [("a", 1)]]


def test_few_of_a_kind_stay_apart() -> None:
    rows = [("a", i) for i in range(MOST_ROWS)]
    assert groups(rows) == [[row] for row in rows]


def test_many_of_a_kind_are_joined() -> None:
    """At the place of the first; what is of another kind stays."""
    many = [("a", i) for i in range(MANY)]
    rows = [("b", 1), *many[:3], ("c", 1), *many[3:], ("c", 2)]
    assert groups(rows) == [[("b", 1)], many, [("c", 1)], [("c", 2)]]
    assert len(groups(rows, every=True)) == len(rows)


def test_sentences() -> None:
    assert together([f"it is not known who holds L{i}" for i in (1, 2, 3, 7)]) == [
        "it is not known who holds L1-3,7"
    ]
    two = ["t1 waits for L1", "t2 waits for L1"]
    assert together(two) == two, "which of the ids would it be?"
    names = ["of R1.3, nothing is known", "of R1.4, nothing is known", "`L1' is no lock", "`L2'"]
    assert together(names) == names
    assert together(["it is late", "it is late"]) == ["it is late"]
