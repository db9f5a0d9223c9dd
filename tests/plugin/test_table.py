# SPDX-License-Identifier: Apache-2.0
"""Does text fit the screen, with every id whole?"""

from __future__ import annotations

from ompd_core.views.table import Style, Table, fold, paragraph, place
from ompd_core.views.terminal import plain


def test_control_characters_do_not_reach_the_terminal() -> None:
    assert plain("a\x1b[2Jb\n") == "a\\x1b[2Jb\\n"


def test_a_line_number_is_never_cut() -> None:
    assert place("f" * 200, "/src/heat.c", 1234, 40).endswith(" at heat.c:1234")


def test_folding_cuts_no_id() -> None:
    numbers = ",".join(str(number) for number in range(100, 200, 2))
    lines = fold(f"T{numbers}", 30)
    assert len(lines) > 1 and all(len(line) <= 30 for line in lines)
    assert "".join(lines) == f"T{numbers}"


def test_the_last_column_folds_into_the_room_that_is_left() -> None:
    table = Table(["Region", "Threads"], Style(width=40), folding=(1,))
    table.add("R1", "T" + ",".join(str(number) for number in range(100, 200, 2)))
    assert max(len(line) for line in table.lines()) <= 40 and len(table.lines()) > 3


def test_wide_does_not_fold() -> None:
    table = Table(["Region", "Threads"], Style(width=None), folding=(1,))
    table.add("R1", "T" + ",".join(str(number) for number in range(100, 200, 2)))
    assert len(table.lines()) == 2


def test_columns_stand_below_each_other() -> None:
    table = Table(["A", "B"], Style())
    table.add("long", "x")
    assert table.lines() == ["A     B", "long  x"]


def test_a_command_to_type_is_not_broken() -> None:
    text = "GDB has the core file, but not the program: first `file /a/long/path/to/nested', then"
    lines = paragraph(text, Style(width=60))
    assert len(lines) > 1
    assert any("`file /a/long/path/to/nested'" in line for line in lines)
    assert " ".join(lines) == text
