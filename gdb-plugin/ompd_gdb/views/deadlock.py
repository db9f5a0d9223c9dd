# SPDX-License-Identifier: Apache-2.0
"""`ompd deadlock' as text: the verdict, each circle in sentences, the bystanders."""

from __future__ import annotations

from typing import Sequence

from ..model import ids
from ..model.barriers import wait_in
from ..model.deadlock import Deadlock, locks_of
from ..model.locks import Lock
from ..model.process import Membership, Region, Thread, pairs
from ..model.waits import Edge, Meeting, Needs
from .barriers import name as barrier_name
from .locks import in_words, site, who
from .table import Style, count, paragraph, place, plain
from .threads import classes, where_of, words_of


def lines(found: Deadlock, style: Style) -> list[str]:
    shown = paragraph(headline(found), style)
    for circle in found.circles:
        shown += _circle(circle, style, len(found.circles) > 1)
    if found.bystanders:
        shown += paragraph(
            f"{count(len(found.bystanders), 'more thread waits', 'more threads wait')} for"
            f" {'these' if len(found.stuck) > 1 else 'this one'}: {classes(found.bystanders)}.",
            style,
            "  ",
        )
    if not found.certain:
        reasons = {e.doubt: None for circle in found.circles for e in circle if e.doubt is not None}
        for doubt in reasons:
            shown += paragraph(f"likely: {doubt.sentence}.", style, "  ")
    if not found.circles:
        shown += _waiting(found, style)
    for reason in found.unknown:
        shown += paragraph(f"Not known: {reason}.", style, "  ")
    return shown


def headline(found: Deadlock) -> str:
    """The verdict."""
    if found.circles:
        stuck = found.stuck
        held = {lock for circle in found.circles for lock in locks_of(circle)}
        certainty = "" if found.certain else " (likely)"
        if len(stuck) == 1:
            return f"SELF-DEADLOCK{certainty}: a thread waits for itself."
        parts = [count(len(stuck), "thread")]
        if held:
            parts.append(count(len(held), "lock"))
        return f"DEADLOCK{certainty}: {', '.join(parts)}."
    if found.unknown:
        return "Cannot tell whether there is a deadlock."
    if not found.needs:
        return "No deadlock: no OpenMP thread waits for another."
    return "No deadlock found: the threads that wait now, wait for others that do not."


def finding(found: Deadlock) -> tuple[str, str]:
    """Its code, and the verdict with the threads: for a line among others."""
    code = "deadlock" if len(found.stuck) > 1 else "self_deadlock"
    names = ", ".join(_named(edge.waiter, edge.member.runtime) for edge in found.circles[0])
    return code, f"{headline(found)[:-1]}: {names}. `ompd deadlock' tells more."


def _circle(circle: Sequence[Edge], style: Style, several: bool) -> list[str]:
    shown = [""] if several else []
    for edge in circle:
        shown += paragraph("  " + sentence(edge), style, "      ")
    return shown


def sentence(edge: Edge) -> str:
    """R1.0 (T1) waits for lock `B' in solve () at heat.c:88, which R1.7 (T8) has held since ..."""
    thread = _named(edge.waiter, edge.member.runtime)
    here = _at(edge.waiter)
    needed = "itself" if edge.needed is edge.waiter else _named(edge.needed, edge.member.runtime)
    if edge.lock is not None:
        return f"{thread} waits for {in_words(edge.lock)}{here}, {_held(edge.lock, edge)}"
    if edge.task is not None:
        return (
            f"{thread} waits in {edge.wait.kind}{here} for task {edge.task.id}, which {needed}"
            " executes."
        )
    return f"{thread} waits at the barrier ({_at_barrier(edge)}) for {needed}."


def _held(lock: Lock, edge: Edge) -> str:
    itself = edge.needed is edge.waiter
    holder = (
        "which it holds itself"
        if itself
        else f"which {_named(edge.needed, edge.member.runtime)} holds"
    )
    return f"{holder}, acquired {site(lock.held_since)}." if lock.held_since else f"{holder}."


def _at_barrier(edge: Edge) -> str:
    return _barrier(edge.region, edge.member) if edge.region is not None else "barrier"


def _barrier(region: Region, member: Membership) -> str:
    """At which a thread of the region waits."""
    wait = wait_in(member, region)
    return barrier_name(wait) if wait is not None else "barrier"


def _named(thread: Thread, runtime: int) -> str:
    name = who(thread, runtime)
    if thread.native is None or name.startswith("T"):
        return name
    return f"{name} (T{thread.native.num})"


def _at(thread: Thread) -> str:
    where = where_of(thread)
    return f" in {place(where.function, where.file, where.line)}" if where is not None else ""


def _waiting(found: Deadlock, style: Style) -> list[str]:
    """Not stuck: whom the others wait for, and what those do."""
    shown = []
    for thread, waiters in found.awaited():
        verb = "waits" if len(waiters) == 1 else "wait"
        shown.append(
            f"  {_short(waiters)} {verb} for {_named(thread, waiters[0].member.runtime)}:"
            f" {words_of(thread)}{_at(thread)}"
        )
    free = [one for one in found.needs if one.progress and not one.edges]
    for state in dict.fromkeys(words_of(one.thread) for one in free):
        those = [one for one in free if words_of(one.thread) == state]
        shown.append(f"  {_short(those)} can go on: {state}")
    return [line for text in shown for line in paragraph(text, style, "      ")]


def second_look(before: Deadlock, now: Deadlock, seconds: float, whole: bool) -> str:
    """What a program that was let run in between has done. whole: it ran all that time."""
    first, second = _places(before), _places(now)
    stayed = [who for who, place in first.items() if second.get(who) == place]
    after = f"Looked twice, {seconds:g} s apart"
    if not whole:
        after += " at most (the program stopped by itself)"
    if not first:
        return f"{after}: nobody waited the first time."
    if len(stayed) == len(first):
        return f"{after}: {_all(len(first))} at the same place, for the same."
    gone = len(first) - len(stayed)
    return (
        f"{after}: {gone} of {count(len(first), 'thread')} that waited"
        f" {'has' if gone == 1 else 'have'} gone on since."
    )


def _all(number: int) -> str:
    if number == 1:
        return "the thread that waited waits still,"
    return f"all {number} threads that waited wait still, each"


def _places(found: Deadlock) -> dict[object, object]:
    """Where each thread that waits does so, and for what."""
    return {
        one.thread.native.ptid: (
            one.wait.kind,
            one.wait.construct,
            one.thread.where.pc if one.thread.where is not None else None,
            one.member.region.raw.address if one.member.region is not None else None,
            one.member.task.address if one.member.task is not None else None,
            tuple(edge.lock.raw.address for edge in one.edges if edge.lock is not None),
        )
        for one in found.needs
        if one.thread.native is not None
    }


def dot(found: Deadlock) -> str:
    """The graph of all waits, for Graphviz: who waits points to whom it waits for."""
    stuck = {(e.waiter, e.needed) for circle in found.circles for e in circle}
    meetings: dict[Meeting, Needs] = {}
    rows = ["digraph waits {", "\trankdir=LR;", "\tnode [shape=box];"]
    for one in found.needs:
        waiter = _quoted(_named(one.thread, one.member.runtime))
        for edge in one.edges:
            marks = [f"label={_quoted(_reason(edge))}"]
            marks += ["style=dashed"] if edge.likely else []
            marks += ["color=red"] if (one.thread, edge.needed) in stuck else []
            needed = _quoted(_named(edge.needed, one.member.runtime))
            rows.append(f"\t{waiter} -> {needed} [{', '.join(marks)}];")
        if one.meeting is not None:
            rows.append(f"\t{waiter} -> {_quoted(_meeting(one))};")
            meetings[one.meeting] = one
    for meeting, one in meetings.items():
        style = " [style=dashed]" if meeting.doubt else ""
        rows.append(f"\t{_quoted(_meeting(one))} [shape=ellipse];")
        for thread in meeting.missing:
            needed = _quoted(_named(thread, one.member.runtime))
            rows.append(f"\t{_quoted(_meeting(one))} -> {needed}{style};")
    for one in found.needs:
        if one.outside is not None:
            name = _quoted(_named(one.thread, one.member.runtime))
            rows.append(f'\t{name} -> "outside of OpenMP" [label={_quoted(one.outside)}];')
        if one.unknown is not None and not one.progress:
            name = _quoted(_named(one.thread, one.member.runtime))
            rows.append(f'\t{name} -> "?" [label={_quoted(one.unknown)}];')
    return "\n".join([*rows, "}", ""])


def _reason(edge: Edge) -> str:
    if edge.lock is not None:
        return in_words(edge.lock)
    if edge.task is not None:
        return f"{edge.wait.kind}, {edge.task.id}"
    return _at_barrier(edge)


def _quoted(text: str) -> str:
    return '"' + plain(text).replace("\\", "\\\\").replace('"', '\\"') + '"'


def barrier_of(one: Needs) -> str:
    """Where it waits for those that are missing: end of for, heat.c:32"""
    assert one.meeting is not None
    return _barrier(one.meeting.region, one.member)


def _meeting(one: Needs) -> str:
    assert one.meeting is not None
    return f"{one.meeting.region.id}, {barrier_of(one)}"


def _short(those: Sequence[Needs]) -> str:
    return ids.short_thread_list(pairs(one.member for one in those))
