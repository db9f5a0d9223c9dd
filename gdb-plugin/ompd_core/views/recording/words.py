# SPDX-License-Identifier: Apache-2.0
"""How are times, places and waits of a record called?"""

from __future__ import annotations

from typing import Sequence

from ...recording import shares
from ...recording.record import Account, Place, Record
from ...recording.stacks import at
from ...recording.states import construct_in_words, in_words
from ...recording.sums import Wait
from ..cxx_names import short_name
from ..terminal import plain

MOST_CALLERS = 3
LONGEST_NAME = 48


def seconds(ns: float) -> str:
    """Three digits and what they are."""
    for unit, size in (("s", 1e9), ("ms", 1e6), ("us", 1e3)):
        if ns >= size:
            value = ns / size
            digits = 2 if value < 10 else 1 if value < 100 else 0
            return f"{value:.{digits}f} {unit}"
    return f"{ns:.0f} ns" if ns else "0 s"


def percent(part: Account, whole: Account, exact: bool = False) -> str:
    """With its error, where it has one."""
    if part.ns <= 0:
        return "-"
    return str(shares.share(part, whole, exact))


def short_percent(part: Account, whole: Account) -> str:
    """Where its error stands elsewhere."""
    if part.ns <= 0:
        return "-"
    found = shares.share(part, whole)
    sign = "~" if found.vague else ""
    return f"{sign}{found.percent:.0f}" if found.percent >= 0.95 else f"{sign}<1"


def place(found: Place, width: int = LONGEST_NAME) -> str:
    """solve (heat.c:42)"""
    where = plain(at(found))
    name = short_name(plain(found.function), width) if found.function else ""
    if name and where:
        return f"{name} ({where})"
    return name or where or "?"


def region(record: Record, number: int) -> str:
    """main (heat.c:40)"""
    return called(record.regions[number].place, list(record.callers.get(number, ())))


def called(found: Place, callers: Sequence[Place]) -> str:
    """Of a library without lines that Python calls: work, called at model.py:6"""
    if at(found) or not callers:
        return place(found)
    lines = ", ".join(plain(at(one)) for one in callers[:MOST_CALLERS])
    more = f" and {len(callers) - MOST_CALLERS} more" if len(callers) > MOST_CALLERS else ""
    return f"{place(found)}, called at {lines}{more}"


def wait(record: Record, found: Wait) -> str:
    """barrier, end of for (heat.c:45)"""
    words, where = in_words(found.state), ""
    if found.construct is not None:
        construct = record.constructs[found.construct]
        words = construct_in_words(construct.kind) or words
        if construct.name:
            words = f"{words} {construct.name}"
        where = at(construct.place)
        # gcc's code has no line of its own at the end of a construct.
        if where and found.state == "wait_barrier":
            where = f"near {where}"
        where = where or construct.place.function or construct.address or ""
    return plain(f"{words} ({where})" if where else words)


def thread(record: Record, number: int) -> str:
    """thread 3 (LWP 4714)"""
    found = record.threads[number]
    return f"thread {found.number}" + (f" (LWP {found.lwp})" if found.lwp else "")
