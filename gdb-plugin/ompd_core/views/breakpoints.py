# SPDX-License-Identifier: Apache-2.0
"""`ompd break' and `ompd info break' as text, and what is said at a stop."""

from __future__ import annotations

from typing import TYPE_CHECKING, Sequence

from ..model.events import Event, Hit, Listed
from ..model.naming import users_function
from ..model.native import Location
from ..model.process import Membership, Thread
from .backtrace import at_line
from .table import Style, Table, count, place
from .terminal import plain

if TYPE_CHECKING:
    from ..documents.stop import Breakpoint


def location(event: Event, at: str | None) -> str:
    """What GDB's own list shows."""
    text = f"OpenMP {event.name}" + (f" at {at}" if at else "")
    return plain(text).replace("'", "")


def created(one: Listed) -> list[str]:
    words = f"OpenMP {'temporary ' if one.temporary else ''}breakpoint {one.number}: {_what(one)}"
    return [f"{words}." if one.problem is None else f"{words}; {one.problem}."]


def _what(one: Listed) -> str:
    words = one.event.title
    if one.place is not None:
        words += f", at {one.place}"
    if one.condition is not None:
        words += f", if {one.condition}"
    return words


def stopped(one: Listed, hit: Hit, thread: Thread | None) -> list[str]:
    words = f"OpenMP breakpoint {one.number}, {hit.event.title}"
    where = _construct(hit.construct)
    if where:
        words += f", {where}"
    shown = ["", f"{words}."]
    if thread is not None:
        shown += [_thread(thread)]
    if hit.error is not None:
        shown.append(f"Its condition `{one.condition}' cannot be evaluated: {hit.error}")
    return shown


def _construct(at: Location) -> str:
    if at.function is None and at.file is None:
        return ""
    name = users_function(at.function) if at.function else None
    # An address stands for what the compiler has recorded of the construct itself.
    near = "near " if at.pc is not None else ""
    if name is None and at_line(at):
        return near + at_line(at)
    return near + place(name or at.function, at.file, at.line)


def _thread(thread: Thread) -> str:
    words = f"Thread T{thread.native.num}" if thread.native else "The thread"
    for member in thread.openmp:
        region = member.region
        if region is None:
            continue
        words += f" is {member.id}"
        size = region.raw.team_size
        if region.parent is not None and size is not None:
            words += f", of {count(size, 'thread')}, in {region.parent.id}"
            if region.raw.level is not None:
                words += f", level {region.raw.level}"
        words += _league(member)
    return f"{words}."


def _league(member: Membership) -> str:
    for region, _ in member.chain:
        if region.raw.generator == "teams":
            num, size = (
                "?" if n is None else n for n in (region.raw.team_num, region.raw.league_size)
            )
            return f", team {num} of a league of {size}"
    return ""


def lines(found: Sequence[Listed], style: Style) -> list[str]:
    if not found:
        return ["No OpenMP breakpoints. `ompd break' sets them."]
    table = Table(["Num", "Disp", "Enb", "Hits", "Event"], style)
    for one in found:
        disposition = "del" if one.temporary else "keep"
        table.add(
            str(one.number),
            disposition,
            "y" if one.enabled else "n",
            str(one.hits),
            _what(one) if one.problem is None else f"{_what(one)}; {one.problem}",
        )
    return table.lines()


def document(found: Sequence[Listed]) -> list[Breakpoint]:
    """The section "breakpoints"."""
    return [
        {
            "number": one.number,
            "kind": one.event.kind,
            "when": one.event.when,
            "at": one.place,
            "condition": one.condition,
            "temporary": one.temporary,
            "enabled": one.enabled,
            "hits": one.hits,
            "problem": one.problem,
        }
        for one in found
    ]
