# SPDX-License-Identifier: Apache-2.0
"""The work-sharing loops of a region, in `ompd parallel ID': which iterations each thread has."""

from __future__ import annotations

from ..model import ids
from ..model.process import Loop, Part, Region
from .table import Style, Table, count, paragraph
from .terminal import plain

_SCHEDULES = {
    "static_steal": "dynamic (nonmonotonic: each thread has a part of its own, and takes from"
    " others' when it is done)",
    "unknown": "its schedule is not known",
}


def lines(region: Region, style: Style) -> list[str]:
    found: list[str] = []
    for loop in region.loops or ():
        found += paragraph(_heading(loop), style, "   ")
        if loop.parts and (loop.ordered_turn is not None or loop.ordered_holder is not None):
            found += paragraph(f"   {_turn(region, loop)}", style, "   ")
        found += _table(region, loop, style)
        outside = [num for num in range(len(region.members)) if num not in _numbers(loop)]
        if outside:
            found += paragraph(f"   Not in it: {region.id}.{ids.compress(outside)}.", style, "   ")
        found += _reasons(loop, style)
    if "loops" in region.doubts:
        found += paragraph(f"Loop: {region.doubts['loops'].sentence}.", style, "   ")
    if any(not loop.sections for loop in region.loops or ()):
        found += paragraph(
            "Iterations are counted from 0, whatever the program's variable counts.", style, "   "
        )
    return found


def _numbers(loop: Loop) -> list[int]:
    return [part.thread_num for part in loop.parts]


def _heading(loop: Loop) -> str:
    what = "Sections" if loop.sections else "Loop"
    place = loop.location
    if place is not None and place.file and place.line:
        what += f" at {plain(place.file.rsplit('/', 1)[-1])}:{place.line}"
    words = f"{what}, {_SCHEDULES.get(loop.schedule, loop.schedule)}"
    if loop.iterations is not None:
        words += f": {count(loop.iterations, 'section' if loop.sections else 'iteration')}"
    if loop.chunk is not None and not loop.sections:
        least = "at least " if loop.schedule in ("guided", "trapezoidal") else ""
        words += f" in chunks of {least}{loop.chunk}"
    if loop.handed_out is not None:
        words += f", {loop.handed_out} handed out"
    if loop.remaining is not None:
        words += f", {loop.remaining} more to hand out"
    if loop.completed:
        words += f"; {count(loop.completed, 'thread')} left it already"
    return words + "."


def _turn(region: Region, loop: Loop) -> str:
    if loop.ordered_turn is None:
        return f"ordered: it is the turn of {region.id}.{loop.ordered_by}."
    words = f"ordered: it is the turn of iteration {loop.ordered_turn}"
    if loop.iterations is not None and (loop.ordered_turn or 0) >= loop.iterations:
        return "ordered: all iterations have had their turn."
    holder = loop.ordered_by
    if holder is None:
        return f"{words}, which no thread has got yet."
    return f"{words}, which {region.id}.{holder} has."


def _table(region: Region, loop: Loop, style: Style) -> list[str]:
    kept = any(part.left is not None for part in loop.parts)
    table = Table(["  OpenMP", "T", "Has", "At", *(["Set aside"] if kept else [])], style)
    for part in loop.parts:
        native = part.thread.native if part.thread is not None else None
        cells = [
            f"  {region.id}.{part.thread_num}",
            str(native.num) if native is not None else "?",
            _has(part),
            "?" if part.at is None else str(part.at),
        ]
        if kept:
            cells.append("?" if part.left is None else f"{part.left} more")
        table.add(*cells)
    return table.lines()


def _has(part: Part) -> str:
    if part.first is None or part.last is None:
        return "?"
    doubt = part.doubts.get("iterations")
    mark = "?" if doubt is not None and doubt.certainty == "likely" else ""
    if part.first == part.last:
        return f"{part.first}{mark}"
    return f"{part.first}..{part.last}{mark}"


def _reasons(loop: Loop, style: Style) -> list[str]:
    reasons = {part.doubts["iterations"].sentence for part in loop.parts if part.doubts}
    found: list[str] = []
    for reason in sorted(reasons):
        found += paragraph(f"   ?: {reason}.", style, "   ")
    return found
