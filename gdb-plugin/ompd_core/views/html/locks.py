# SPDX-License-Identifier: Apache-2.0
"""Who holds which lock, and who waits for it?"""

from __future__ import annotations

from . import places, who
from .document import Json, doubt, number, object_of, word, words
from .markup import Markup, Part, join, row, table, tag
from .report import Report, Section, capped, names_cell

MOST_IN_ORDER = 6
_CONSTRUCTS = {"critical": "critical", "lock": "lock", "nest_lock": "nestable lock"}


def section(report: Report) -> Section | None:
    if not report.locks:
        return None
    shown, more = capped(list(report.locks.values()))
    rows = [_row(report, lock) for lock in shown]
    headings = ["Lock", "Name", "Kind", "Held by", "Since", "Waiting"]
    title = "Locks and critical constructs"
    body = join(table(headings, rows, title), more)
    return Section("locks", title, body, f"{len(report.locks):,}")


def name(lock: Json) -> str:
    """As the user knows it."""
    known = word(lock, "name")
    if known is None:
        return word(lock, "address") or "?"
    return (known or "(unnamed)") if lock.get("construct") == "critical" else known


def in_words(lock: Json) -> str:
    """lock `A'"""
    if lock.get("construct") == "critical":
        return f"critical {name(lock)}"
    return f"lock `{name(lock)}'"


def _row(report: Report, lock: Json) -> Markup:
    holder, waiters = word(lock, "holder"), words(lock, "waiters")
    known = [holder, *waiters, *words(lock, "suspects")]
    return row(
        tag("b", word(lock, "id") or "?"),
        [tag("code", name(lock)), report.doubts.mark(doubt(lock, "name"))],
        _kind(lock),
        _holder(report, lock),
        places.shown(object_of(lock, "held_since")) if holder else "-",
        _waiters(report, lock),
        data_who=" ".join(one for one in known if one),
        data_gdb=report.in_gdb(one for one in known if one),
        class_="odd" if holder in report.stuck else None,
    )


def _kind(lock: Json) -> str:
    construct = _CONSTRUCTS.get(word(lock, "construct") or "", "lock or critical")
    return f"{construct}, {word(lock, 'kind') or 'unknown'}"


def _holder(report: Report, lock: Json) -> Part:
    mark = report.doubts.mark(doubt(lock, "holder") or doubt(lock, "held"))
    if lock.get("held") is False:
        return ["nobody", mark]
    holder = word(lock, "holder")
    if holder is None:
        suspects = words(lock, "suspects")
        text = f"perhaps {who.compressed(suspects)}" if suspects else "not known"
        return [text, mark]
    depth = number(lock, "depth") or 0
    return [tag("b", holder), f", {depth} times" if depth > 1 else None, mark]


def _waiters(report: Report, lock: Json) -> Part:
    waiters, counted = words(lock, "waiters"), number(lock, "waiting") or 0
    mark = report.doubts.mark(doubt(lock, "waiters") or doubt(lock, "waiting"))
    if not waiters:
        return [f"{counted:,}, not known which" if counted else "nobody", mark]
    if lock.get("ordered") and 1 < len(waiters) <= MOST_IN_ORDER:
        return [names_cell(", ".join(waiters)), " in this order", mark]
    first = f"{waiters[0]} next; " if lock.get("ordered") and len(waiters) > 1 else ""
    return [first, names_cell(who.compressed(waiters)), mark]
