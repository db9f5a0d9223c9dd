# SPDX-License-Identifier: Apache-2.0
"""`ompd locks' as text: each lock by the user's name, who holds it, who waits for it."""

from __future__ import annotations

from typing import Sequence

from ..model import ids
from ..model.locks import Lock, Locks
from ..model.native import Location
from ..model.process import Thread, pairs
from ..model.where import NAMELESS
from .table import Style, Table, count, paragraph, place, plain
from .threads import INCOMPLETE

# Waiters named in the order of the queue; of more only the first.
MOST_IN_ORDER = 6

_CONSTRUCTS = {"critical": "critical", "lock": "lock", "nest_lock": "nestable lock"}


def lines(locks: Locks, style: Style) -> list[str]:
    if not locks.all:
        found = ["No lock is held or waited for, as far as the runtime tells."]
    else:
        table = Table(["Lock", "Name", "Kind", "Held by", "Waiting"], style, folding=(3, 4))
        for lock in locks.all:
            table.add(lock.id, name(lock), _kind(lock), _holder(lock), _waiters(lock))
        found = table.lines()
    for lock in locks.all:
        found += _since(lock, style)
    if locks.lost:
        who = _list(locks.lost)
        found += paragraph(
            f"{who}: in a lock's code, and it is not known of which: it has just got it, or the"
            " code does not pass a constant address.",
            style,
            "   ",
        )
    if locks.unread:
        text = f"{_list(locks.unread)}: where this build of the runtime keeps locks is not known."
        found += paragraph(text, style, "   ")
    if locks.problem:
        found += paragraph(INCOMPLETE, style, "   ")
    return found + _footnotes(locks.all, style)


def name(lock: Lock) -> str:
    """As the user knows it."""
    if lock.name is not None:
        if lock.construct == "critical":
            return plain(lock.name) or "(unnamed)"
        return f"`{plain(lock.name)}'"
    return f"{lock.variable or lock.raw.address:#x}"


def in_words(lock: Lock) -> str:
    """For a sentence: critical construct update, lock `A'."""
    kind = _CONSTRUCTS.get(lock.construct or "", "lock")
    if lock.construct == "critical":
        kind = "critical construct"
    return f"{kind} {name(lock)}"


def _kind(lock: Lock) -> str:
    construct = _CONSTRUCTS.get(lock.construct or "") or (
        "nestable lock" if lock.raw.nested else "lock or critical"
    )
    return f"{construct}, {lock.raw.kind or 'unknown kind'}"


def _holder(lock: Lock) -> str:
    if lock.raw.held is False:
        return "-"
    if lock.holder is not None:
        text = who(lock.holder, lock.runtime)
        if "holder" in lock.doubts:
            text += " (likely)"
        if lock.raw.depth is not None and lock.raw.depth > 1:
            text += f", {lock.raw.depth} times"
        return text
    return "?"


def _waiters(lock: Lock) -> str:
    more = "?" if lock.raw.problem else ""
    if not lock.waiters:
        if lock.raw.waiting:
            return f"{count(lock.raw.waiting, 'thread')}, not known which"
        return more or "-"
    if lock.ordered and len(lock.waiters) <= MOST_IN_ORDER:
        text = ", ".join(who(thread, lock.runtime) for thread in lock.waiters)
        return text + more + ("" if len(lock.waiters) == 1 else ", in this order")
    text = _list(lock.waiters, lock.runtime) + more
    if lock.ordered:
        text = f"{who(lock.waiters[0], lock.runtime)} next; {text}"
    return text


def _since(lock: Lock, style: Style) -> list[str]:
    """Where the holder got it, or who may hold it."""
    if lock.holder is not None and lock.held_since is not None:
        holder = who(lock.holder, lock.runtime)
        text = f"   {lock.id}: {holder} acquired it {site(lock.held_since)}"
        return paragraph(text, style, "       ")
    if lock.holder is None and lock.suspects:
        named = _list(lock.suspects, lock.runtime)
        return paragraph(f"   {lock.id}: by their code {named} may hold it", style, "       ")
    return []


def site(location: Location) -> str:
    """in f () at heat.c:12; an outlined function without a name of its own is left out."""
    text = place(location.function, location.file, location.line)
    if location.function == NAMELESS:
        return text[len(NAMELESS) + 1 :] or f"in a {NAMELESS}"
    return f"in {text}"


def who(thread: Thread, runtime: int) -> str:
    """R1.3, or the debugger's number of a thread in no region."""
    member = thread.member(runtime)
    if member is not None and member.id is not None:
        return member.id
    return f"T{thread.native.num}" if thread.native is not None else "(a thread that is gone)"


def _list(threads: Sequence[Thread], runtime: int | None = None) -> str:
    """R1.0-6,8; runtime: whose regions are meant, None: all's."""
    members = [member for thread in threads for member in thread.openmp]
    return ids.short_thread_list(pairs(m for m in members if runtime in (None, m.runtime)))


def _footnotes(locks: Sequence[Lock], style: Style) -> list[str]:
    reasons: dict[str, None] = {}
    for lock in locks:
        for field, doubt in lock.doubts.items():
            sign = "likely" if doubt.certainty == "likely" else "?"
            if field == "waiters" or lock.raw.held is not False:
                reasons[f"{sign}: {doubt.sentence}."] = None
    return [line for reason in reasons for line in paragraph(reason, style, "   ")]
