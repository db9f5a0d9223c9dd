# SPDX-License-Identifier: Apache-2.0
"""Do compilers' names become those that the user wrote?"""

from __future__ import annotations

import pytest
from ompd_gdb.model import naming


@pytest.mark.parametrize(
    "symbol, name",
    [
        ("solve._omp_fn.0", "solve"),
        ("main.omp_outlined", "main"),
        ("main.omp_outlined_debug__.3", "main"),
        ("solve.constprop.0", "solve"),
        ("MAIN__", "main program"),
        ("__grid_MOD_solve", "grid::solve"),
        ("_QMgridPsolve", "grid::solve"),
        ("solve", "solve"),
    ],
)
def test_name_of_the_user(symbol: str, name: str) -> None:
    assert naming.users_function(symbol) == name


@pytest.mark.parametrize("symbol", [".omp_outlined.", ".omp_outlined..2", ".omp_outlined._debug__"])
def test_a_nameless_function_is_not_given_a_name(symbol: str) -> None:
    assert naming.users_function(symbol) is None and naming.is_outlined(symbol)


def test_position_that_the_compiler_recorded() -> None:
    source = naming.parse_source(";heat.c;main;80;9;;")
    assert source == naming.Source("heat.c", "main", 80)


def test_file_with_a_semicolon() -> None:
    source = naming.parse_source(";a;b.c;main;80;9;;")
    assert source is not None and source.file == "a;b.c"


@pytest.mark.parametrize(
    "text",
    [None, "", "heat.c", ";unknown;unknown;0;0;;", ";heat.c;main;0;0;;", ";a;b;9999999999;1;;"],
)
def test_no_position(text: str | None) -> None:
    assert naming.parse_source(text) is None
