# SPDX-License-Identifier: Apache-2.0
"""`ompd locks' as text: each lock by the user's name, who holds it, who waits for it; and all about
one."""

from __future__ import annotations

from typing import Hashable, Sequence

from ..model import ids
from ..model.locks import Lock, Locks
from ..model.naming import NAMELESS
from ..model.native import Location
from ..model.process import Thread, pairs
from .alike import joined
from .table import Style, Table, count, paragraph, place
from .terminal import plain
from .threads import INCOMPLETE, where, where_of

# Places where a lock may be left set; of more only the first are named.
MOST_SITES = 3
# Waiters named in the order of the queue; of more only the first.
MOST_IN_ORDER = 6

_CONSTRUCTS = {"critical": "critical", "lock": "lock", "nest_lock": "nestable lock"}


def lines(locks: Locks, style: Style) -> list[str]:
    if not locks.all:
        found = ["No lock is held or waited for, as far as the runtime tells."]
        running = locks.process.who_runs()
        if running is not None:
            found = paragraph(f"No lock is seen held or waited for; {running}.", style)
    else:
        table = Table(["Lock", "Name", "Kind", "Held by", "Waiting"], style, folding=(3, 4))
        groups = joined(locks.all, id, _likeness, style.every)
        for group in groups:
            table.add(*(_row(group[0]) if len(group) == 1 else _row_of_many(group)))
        found = table.lines()
        for group in groups:
            found += _since(group, style)
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


def _likeness(lock: Lock) -> Hashable:
    """Whatever its name, and whoever holds it and waits for it."""
    holder = None if lock.holder is not None else _holder(lock)
    return _kind(lock), holder, "holder" in lock.doubts, lock.held_since, bool(lock.suspects)


def _row(lock: Lock) -> list[str]:
    return [lock.id, name(lock), _kind(lock), _holder(lock), _waiters(lock)]


def _row_of_many(group: Sequence[Lock]) -> list[str]:
    """L1-60  `locks[0]' and 59 more"""
    first = group[0]
    names = f"{name(first)} and {len(group) - 1} more"
    held_by = _holder(first)
    if first.holder is not None:
        held_by = _list([lock.holder for lock in group if lock.holder is not None])
        held_by += " (likely)" if "holder" in first.doubts else ""
    waiters = _list([thread for lock in group for thread in lock.waiters])
    return [_ids(group), names, _kind(first), held_by, waiters or "-"]


def _ids(group: Sequence[Lock]) -> str:
    return f"L{ids.compress(lock.number for lock in group)}"


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


def never_released(lock: Lock) -> str:
    """A sentence about one that nobody will give up."""
    words = in_words(lock)
    text = (
        f"{words[0].upper()}{words[1:]} is held, and no thread is at a place between set and unset:"
        " an unset was probably forgotten."
    )
    if lock.holder is not None:
        at = where_of(lock.holder)
        here = f", {site(at)}" if at is not None else ""
        text += f" {who(lock.holder, lock.runtime)} took it last, and is elsewhere now{here}."
    if lock.left_at:
        sites = " or ".join(site(one) for one in lock.left_at[:MOST_SITES])
        text += f" It is set {sites}, and not unset on every way from there."
    return text


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


def _since(group: Sequence[Lock], style: Style) -> list[str]:
    """Where the holder got it, or who may hold it."""
    lock, one = group[0], len(group) == 1
    if lock.never_released:
        sentences = (f"   {each.id}: {never_released(each)}" for each in group)
        return [line for text in sentences for line in paragraph(text, style, "       ")]
    if lock.holder is not None and lock.held_since is not None:
        holder = who(lock.holder, lock.runtime) if one else "each of their holders"
        text = f"   {_ids(group)}: {holder} acquired it {site(lock.held_since)}"
        return paragraph(text, style, "       ")
    if lock.holder is None and lock.suspects:
        named = _list(list(dict.fromkeys(thread for each in group for thread in each.suspects)))
        held = f"{named} may hold {'it' if one else 'one each'}"
        return paragraph(f"   {_ids(group)}: by their code {held}", style, "       ")
    return []


# ---- All about one -------------------------------------------------------------------------------


def details(chosen: Sequence[Lock], style: Style) -> list[str]:
    found = []
    for lock in chosen:
        found += _detail(lock, style)
    return found + _footnotes(chosen, style)


def _detail(lock: Lock, style: Style) -> list[str]:
    rows = [
        ("name", name(lock) if lock.name is not None else "?"),
        ("kind", _kind(lock)),
        ("address", _addresses(lock)),
        ("held by", _holder(lock)),
        ("acquired", _acquired(lock)),
        ("waiting", _queue(lock)),
    ]
    found = [lock.id]
    found += [f"  {label:<14}{text}" for label, text in rows]
    if lock.never_released:
        found += paragraph(f"  {never_released(lock)}", style, "  ")
    parts = _parts(lock)
    table = Table(["  OpenMP", "T", "Does", "Where"], style)
    for thread, part in parts:
        table.add(f"  {_openmp(thread, lock)}", _gdb_number(thread), part, where(thread))
    return found + (table.lines() if parts else [])


def _addresses(lock: Lock) -> str:
    structure = f"{lock.raw.address:#x}"
    if lock.variable is None:
        return f"?, the runtime's structure {structure}"
    if lock.variable == lock.raw.address:
        return structure
    return f"{lock.variable:#x}, the runtime's structure {structure}"


def _acquired(lock: Lock) -> str:
    if lock.raw.held is False:
        return "-"
    return site(lock.held_since) if lock.held_since is not None else "?"


def _queue(lock: Lock) -> str:
    if not lock.waiters:
        return _waiters(lock)
    order = ", the next to get it first" if lock.ordered and len(lock.waiters) > 1 else ""
    return count(len(lock.waiters), "thread") + order + (" ?" if lock.raw.problem else "")


def _parts(lock: Lock) -> list[tuple[Thread, str]]:
    """What each thread has to do with it."""
    parts = []
    if lock.holder is not None:
        likely = " (likely)" if "holder" in lock.doubts else ""
        parts.append((lock.holder, f"holds it{likely}"))
    else:
        parts += [(thread, "may hold it") for thread in lock.suspects]
    for thread in lock.waiters:
        parts.append((thread, "waits (likely)" if thread in lock.likely_waiters else "waits"))
    return parts


def _openmp(thread: Thread, lock: Lock) -> str:
    member = thread.member(lock.runtime)
    return member.id or "?" if member is not None else "-"


def _gdb_number(thread: Thread) -> str:
    return str(thread.native.num) if thread.native is not None else "?"


# ---- Words ---------------------------------------------------------------------------------------


def site(location: Location) -> str:
    """in f () at heat.c:12; an outlined function without a name of its own is left out."""
    text = place(location.function, location.file, location.line)
    if location.function == NAMELESS:
        return text[len(NAMELESS) + 1 :] or f"in a {NAMELESS}"
    return f"in {text}"


def who(thread: Thread, runtime: int) -> str:
    """R1.3, or the debugger's number of a thread in no region."""
    members = [thread.member(runtime), *thread.openmp]
    name = next((one.id for one in members if one is not None and one.id is not None), None)
    if name is not None:
        return name
    return f"T{thread.native.num}" if thread.native is not None else "(a thread that is gone)"


def _list(threads: Sequence[Thread], runtime: int | None = None) -> str:
    """R1.0-6,8; runtime: whose regions are meant where a thread is in one, None: all's. Then the
    debugger's numbers of those in no region."""
    inside, outside = [], []
    for thread in threads:
        mine = pairs(m for m in thread.openmp if runtime in (None, m.runtime))
        mine = mine or pairs(thread.openmp)
        inside += mine
        if not mine and thread.native is not None:
            outside.append(thread.native.num)
    others = [f"T{ids.compress(outside)}"] if outside else []
    return " ".join([text for text in [ids.short_thread_list(inside)] if text] + others)


def _footnotes(locks: Sequence[Lock], style: Style) -> list[str]:
    reasons: dict[str, None] = {}
    for lock in locks:
        for field, doubt in lock.doubts.items():
            sign = "likely" if doubt.certainty == "likely" else "?"
            if field == "waiters" or lock.raw.held is not False:
                reasons[f"{sign}: {doubt.sentence}."] = None
    return [line for reason in reasons for line in paragraph(reason, style, "   ")]
