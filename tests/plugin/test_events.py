# SPDX-License-Identifier: Apache-2.0
"""Does an address mean an event to the thread that was said to come there, and to no other?"""

from __future__ import annotations

from typing import Callable

import pytest
from ompd_core.model.events import Event, NoEvent, Note, Notes, parse
from ompd_core.model.native import Location

HERE = Location(function="solve", file="src/heat.c", line=80)
MAIN, WORKER = (1, 10, 0), (1, 11, 0)


def returning(address: int, stack: int) -> Note:
    return Note(address, stack, True, HERE)


def at(stack: int) -> Callable[[], int]:
    return lambda: stack


def test_of_the_thread_alone() -> None:
    notes = Notes()
    notes.add(MAIN, returning(0x400, 0x7000))
    assert notes.take(WORKER, 0x400, at(0x7000)) is None
    assert notes.take(MAIN, 0x404, at(0x7000)) is None
    assert notes.take(MAIN, 0x400, at(0x6FF0)) is None
    assert notes.take(MAIN, 0x400, at(0x7000)) is not None
    assert notes.take(MAIN, 0x400, at(0x7000)) is None


def test_recursion() -> None:
    """The same call, deeper: each return is its own."""
    notes = Notes()
    for stack in (0x7000, 0x6000, 0x5000):
        notes.add(MAIN, returning(0x400, stack))
    for stack in (0x5000, 0x6000, 0x7000):
        assert notes.take(MAIN, 0x400, at(stack)) is not None


def test_left_by_a_jump() -> None:
    notes = Notes()
    notes.add(MAIN, returning(0x400, 0x7000))
    notes.add(MAIN, returning(0x500, 0x5000))
    assert notes.take(MAIN, 0x400, at(0x7000)) is not None
    assert notes.take(MAIN, 0x500, at(0x5000)) is None
    notes.add(MAIN, returning(0x600, 0x5000))
    notes.add(MAIN, returning(0x700, 0x5000))
    assert notes.take(MAIN, 0x600, at(0x5000)) is None


def test_a_function_has_another_stack() -> None:
    notes = Notes()
    notes.add(MAIN, Note(0x900, 0x7000, False, HERE))
    assert notes.take(WORKER, 0x900, at(0x3000)) is None
    assert notes.take(MAIN, 0x900, at(0x6000)) is not None
    assert notes.take(MAIN, 0x900, at(0x6000)) is None


@pytest.mark.parametrize(
    ("text", "event", "place", "condition"),
    [
        ("parallel", Event("parallel", "begin"), None, None),
        ("parallel  end", Event("parallel", "end"), None, None),
        ("barrier if i > 3", Event("barrier", "all"), None, "i > 3"),
        ("task at f if(n)", Event("task", "begin"), "f", "(n)"),
        ("teams end at a.c:7 if x == 1 ", Event("teams", "end"), "a.c:7", "x == 1"),
        ("task at m::F<int, 2>::f(int) if 1", Event("task", "begin"), "m::F<int, 2>::f(int)", "1"),
        ("parallel at iffy", Event("parallel", "begin"), "iffy", None),
    ],
)
def test_typed(text: str, event: Event, place: str | None, condition: str | None) -> None:
    assert parse(text.strip()) == (event, place, condition)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("parallell", "Events are parallel, teams, task, barrier, thread."),
        ("barrier begin", "no `barrier begin'"),
        ("parallel begin end", "`end' has no place behind `parallel begin'"),
        ("parallel at", "`at' needs a place"),
        ("parallel at if x", "`at' needs a place"),
        ("parallel if ", "`if' needs a condition"),
        ("thread at f", "leave out `at'"),
    ],
)
def test_mistyped(text: str, words: str) -> None:
    with pytest.raises(NoEvent, match=words.replace("?", ".")):
        parse(text.strip())
