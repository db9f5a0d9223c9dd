# SPDX-License-Identifier: Apache-2.0
"""Do compilers' names become those that the user wrote?"""

from __future__ import annotations

import pytest
from ompd_core.model import naming


@pytest.mark.parametrize(
    "symbol, name",
    [
        ("solve._omp_fn.0", "solve"),
        ("main.omp_outlined", "main"),
        ("main.omp_outlined_debug__.3", "main"),
        ("solve.constprop.0", "solve"),
        ("MAIN__", "main program"),
        ("__grid_MOD_solve", "grid::solve"),
        ("solve::__grid_MOD_solve._omp_fn.0", "grid::solve"),
        ("grid::solve", "grid::solve"),
        ("solve::solve_._omp_fn.1", "solve"),
        ("sweep::sweep.2._omp_fn.0", "sweep"),
        ("heat::MAIN__._omp_fn.0", "heat"),
        ("_QQmain", "main program"),
        ("_QQmain..omp_par", "main program"),
        ("_QQmain::sweep", "sweep"),
        ("_QMgridPsolve", "grid::solve"),
        ("_QMgridPsolve..omp_par.2", "grid::solve"),
        ("_QMgridSpartsPsolve", "grid::parts::solve"),
        ("_QMgridFsolvePsweep..omp_par", "solve::sweep"),
        ("_QFsolvePsweep", "solve::sweep"),
        ("_QFPsweep..omp_par.1", "sweep"),
        ("solve_..omp_par", "solve"),
        ("_QMgridEcells", "grid::cells"),
        ("_QFsolveEcells", "solve::cells"),
        ("Grid::Grid", "Grid::Grid"),
        ("_Quick", "_Quick"),
        ("solve", "solve"),
    ],
)
def test_name_of_the_user(symbol: str, name: str) -> None:
    assert naming.users_function(symbol) == name


@pytest.mark.parametrize(
    "function, is_so",
    [
        ("std::__detail::__waiter_pool::_M_do_wait(int const*, int)", True),
        ("void std::__wait<int, std::latch::wait() const::{lambda()#1}>(int const*)", True),
        ("std::__1::function<void (int)>::operator()(int) const", True),
        (
            "std::vector<int, std::allocator<int> > mine::sorted<std::less<int> >(std::string)",
            False,
        ),
        ("void mine::add<std::pair<int, int> >()", False),
        ("main::{lambda(std::latch&)#1}::operator()(std::latch&) const", False),
        ("mystd::wait", False),
        ("main", False),
    ],
)
def test_what_is_the_cxx_librarys(function: str, is_so: bool) -> None:
    assert naming.is_cxx_librarys(function) == is_so


@pytest.mark.parametrize("symbol", [".omp_outlined.", ".omp_outlined..2", ".omp_outlined._debug__"])
def test_a_nameless_function_is_not_given_a_name(symbol: str) -> None:
    assert naming.users_function(symbol) is None and naming.is_outlined(symbol)


def test_position_that_the_compiler_recorded() -> None:
    source = naming.parse_source(";heat.c;main;80;9;;")
    assert source == naming.Source("heat.c", "main", 80)


def test_file_that_flang_does_not_record() -> None:
    source = naming.parse_source(";FIRModule;_QQmain;35;9;;")
    assert source == naming.Source(None, "main program", 35)


def test_file_with_a_semicolon() -> None:
    source = naming.parse_source(";a;b.c;main;80;9;;")
    assert source is not None and source.file == "a;b.c"


@pytest.mark.parametrize(
    "text",
    [None, "", "heat.c", ";unknown;unknown;0;0;;", ";heat.c;main;0;0;;", ";a;b;9999999999;1;;"],
)
def test_no_position(text: str | None) -> None:
    assert naming.parse_source(text) is None
