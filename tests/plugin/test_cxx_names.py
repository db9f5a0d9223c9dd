# SPDX-License-Identifier: Apache-2.0
"""Do long names keep what the reader looks for?"""

from __future__ import annotations

import pytest
from ompd_core.views.cxx_names import short_arguments, short_name

RELAX = (
    "grid::details::Solver<double, std::pair<int, std::map<int, float, std::less<int>,"
    " std::allocator<std::pair<int const, float> > > > >::relax"
)


@pytest.mark.parametrize(
    "name, width, expected",
    [
        (RELAX, 200, RELAX),
        (
            RELAX,
            120,
            "grid::details::Solver<double, std::pair<int, std::map<int, float, std::less<...>,"
            " std::allocator<...> > > >::relax",
        ),
        (RELAX, 60, "grid::details::Solver<double, std::pair<...> >::relax"),
        (RELAX, 40, "grid::details::Solver<...>::relax"),
        (RELAX, 30, "...::Solver<...>::relax"),
        (RELAX, 16, "...::relax"),
        (RELAX, 10, "...::relax"),
        (RELAX, 5, "relax"),
        ("std::operator<< <std::char_traits<char> >", 25, "std::operator<< <...>"),
        ("ns::Matrix<double>::operator<", 16, "...::operator<"),
        ("Vec<(Kind)3, 4>::operator->", 22, "Vec<...>::operator->"),
        ("main::{lambda(int)#1}::operator()", 25, "main::{...}::operator()"),
        ("(anonymous namespace)::bar<int>", 18, "(...)::bar<...>"),
        ("a_long_function_of_c", 12, "a_lon...of_c"),
        ("f<<<", 3, "f<..."),
        (">>>>))))", 4, ">>>>))))"),
    ],
)
def test_names(name: str, width: int, expected: str) -> None:
    assert short_name(name, width) == expected


ARGUMENTS = ["this=0x7ffe6a0fea58", "i=3", 'name="' + "x" * 60 + '"', "q=<optimized out>"]


def test_the_longest_argument_is_cut_first() -> None:
    shown = short_arguments(ARGUMENTS, 72)
    assert len(shown) <= 72 and "this=0x7ffe6a0fea58, i=3, name=" in shown
    assert shown.endswith("q=<optimized out>")


def test_no_argument_is_cut_in_two() -> None:
    for width in range(10, 120):
        for one in short_arguments(ARGUMENTS, width).split(", "):
            assert one == "..." or one.partition("=")[0] in ("this", "i", "name", "q")
    assert short_arguments([], 16) == ""
    assert short_arguments(["n=3"], 16) == "n=3"
