# SPDX-License-Identifier: Apache-2.0
"""`ompd barriers' as text: who has arrived, who is missing, and what those do instead."""

from __future__ import annotations

from typing import Sequence

from ..model import barriers as model
from ..model import ids
from ..model.barriers import Barrier
from ..model.judgement import Judgement
from ..model.process import Region, Thread, Wait
from .table import Style, Table, count, cut_list, paragraph, place
from .terminal import plain
from .threads import call_name, where_of, words_of


def lines(judgement: Judgement, style: Style) -> list[str]:
    found = judgement.barriers
    if not found:
        running = judgement.process.who_runs()
        if running is not None:
            return paragraph(f"No thread is seen at a barrier; {running}.", style)
        unclear = len(judgement.process.unclear())
        if unclear:
            text = (
                f"No thread is seen at a barrier; what {count(unclear, 'thread')} do is not known."
            )
            return paragraph(text, style)
        return ["No thread waits at a barrier."]
    table = Table(["Region", "Barrier", "Arrived", "Missing"], style, folding=(2, 3))
    for barrier in found:
        table.add(
            barrier.region.id,
            name(barrier.wait),
            ids.compress(barrier.arrived),
            (ids.compress(barrier.missing) or "-") + ("?" if _is_unsure(barrier) else ""),
        )
    shown = table.lines()
    shown += _missing(_by_region(found), style)
    for group in judgement.diverging:
        shown += paragraph(divergence(group), style, "   ")
    unsure = dict.fromkeys(b.doubt for b in found if b.doubt is not None and _is_unsure(b))
    for doubt in unsure:
        shown += paragraph(f"?: {doubt.sentence}.", style, "   ")
    return shown


def _is_unsure(barrier: Barrier) -> bool:
    return barrier.doubt is not None and bool(barrier.missing)


def name(wait: Wait) -> str:
    """end of for, heat.c:32; or `barrier near heat.c:32'"""
    construct = wait.construct
    if construct in (None, "barrier"):
        text = "barrier"
    else:
        text = "end of region" if construct == "parallel" else f"end of {construct}"
    if construct == "reduction":
        text = "reduction"
    location = wait.location
    if location is not None and location.file and location.line:
        near = "," if wait.exact_line else " near"
        text += f"{near} {plain(location.file.rsplit('/', 1)[-1])}:{location.line}"
    return text


def divergence(barriers: Sequence[Barrier]) -> str:
    region = barriers[0].region
    parts = [f"{_ids(region.id, b.arrived)} at {name(b.wait)}" for b in barriers]
    return (
        f"Threads of {region.id} wait at different barriers: {'; '.join(parts)}. Every thread of a"
        " team has to come to the same ones: this is an error of the program."
    )


def _by_region(found: Sequence[Barrier]) -> list[list[Barrier]]:
    groups: dict[int, list[Barrier]] = {}
    for barrier in found:
        groups.setdefault(id(barrier.region), []).append(barrier)
    return list(groups.values())


def _missing(groups: Sequence[Sequence[Barrier]], style: Style) -> list[str]:
    """What the missing do, alike ones together."""
    doing: dict[str, list[tuple[int, int, Thread | None]]] = {}
    for group in groups:
        region = group[0].region
        for num, thread in model.missing_members(group):
            those = doing.setdefault(_instead(region, thread), [])
            those.append((region.number, num, thread))
    found = []
    for text, those in doing.items():
        natives = [t.native.num for _, _, t in those if t is not None and t.native is not None]
        who = ids.short_thread_list((region, num) for region, num, _ in those)
        in_gdb = f" (T{ids.compress(natives)})" if natives else ""
        if style.width is not None:
            who, in_gdb = cut_list(who), cut_list(in_gdb)
        found += paragraph(f"   {who}{in_gdb}: {text}", style, "      ")
    return found


def _instead(region: Region, thread: Thread | None) -> str:
    if thread is not None and thread.ended:
        return "it has ended"
    if thread is None or thread.native is None:
        return "GDB knows no such thread"
    doing, where = model.instead(thread, region), where_of(thread)
    at = place(where.name, where.file, where.line) if where is not None else None
    if doing == "call" and thread.in_call is not None:
        return f"in {call_name(thread.in_call)}, called by {at}"
    text = words_of(thread)
    member = model.member_of(thread, region)
    if doing == "gone":
        text = f"gone from {region.id}: {text}"
    elif doing == "inner_region" and member is not None and member.region is not None:
        text += f" in {member.region.id}"
    return f"{text}, {at}" if at is not None else text


def _ids(region: str, numbers: Sequence[int]) -> str:
    return f"{region}.{ids.compress(numbers)}"
