# SPDX-License-Identifier: Apache-2.0
"""What does every thread do? Alike ones in one row, then each by itself."""

from __future__ import annotations

from . import places, states, who
from .document import Json, doubt, members, number, object_of, word
from .markup import Markup, Part, fold, join, row, table, tag
from .report import Report, Section, capped, names_cell, plural


def section(report: Report) -> Section | None:
    if not report.threads:
        return None
    groups = _groups(report)
    shown, more = capped(groups)
    parts: list[Part] = [
        table(
            ["Threads", "State", "Where", "OpenMP", "GDB"],
            [_class_row(report, group) for group in shown],
            "Threads that are alike, in one row each",
        ),
        more,
    ]
    if len(groups) < len(report.threads) or len(report.threads) == 1:
        parts.append(_each(report))
    return Section("threads", "Threads", join(parts), f"{len(report.threads):,}")


def _groups(report: Report) -> list[list[Json]]:
    """Odd ones first, then the rarest."""
    found: dict[object, list[Json]] = {}
    for thread in report.threads:
        alike = (
            report.kind(thread),
            states.words(thread),
            states.place(thread),
            who.name(thread) in report.stuck,
        )
        found.setdefault(alike, []).append(thread)
    return sorted(found.values(), key=lambda group: (not report.is_odd(group[0]), len(group)))


def _class_row(report: Report, group: list[Json]) -> Markup:
    names, gdb = who.of_threads(group), who.gdb_names(group)
    share = 100 * len(group) / len(report.threads)
    return row(
        tag("span", tag("b", f"{len(group):,}"), _share(share), class_="share"),
        _state(report, group[0]),
        _place(report, group[0]),
        names_cell("" if names == gdb else names),
        names_cell(gdb),
        class_="odd" if report.is_odd(group[0]) else None,
        data_who=names,
        data_gdb=gdb,
    )


def _share(percent: float) -> Markup:
    return tag("i", class_="share-bar", style=f"--share:{percent:.1f}%", aria_hidden="true")


def _state(report: Report, thread: Json) -> Part:
    said = states.words(thread)
    kind = report.kind(thread)
    if said == "?":
        said = "not known"
    if kind is states.CRASHED:
        said = f"crashed, {said}"
    found: list[Part] = [states.chip(kind, said), report.doubts.mark(states.state_doubt(thread))]
    if who.name(thread) in report.stuck:
        found += [" ", tag("span", "in the circle", class_="tag wrong")]
    return found


def _place(report: Report, thread: Json) -> Part:
    return places.shown(object_of(thread, "where"), states.place(thread))


def _each(report: Report) -> Markup:
    shown, more = capped(report.threads)
    rows = [
        row(
            who.gdb_name(thread) or report.doubts.mark(_unknown_to_gdb()),
            [_ids(thread), report.doubts.mark(_region_doubt(thread))],
            _levels(thread),
            _state(report, thread),
            _place(report, thread),
            _native(thread),
            class_="odd" if report.is_odd(thread) else None,
            data_who=who.name(thread),
            data_gdb=who.gdb_name(thread),
        )
        for thread in shown
    ]
    return fold(
        f"Each thread by itself ({plural(len(report.threads), 'thread')})",
        table(["GDB", "OpenMP", "Level", "State", "Where", "LWP"], rows, "Each thread by itself"),
        more,
    )


def _ids(thread: Json) -> str:
    """In each runtime."""
    return ", ".join(word(member, "id") or "-" for member in members(thread)) or "-"


def _region_doubt(thread: Json) -> Json | None:
    found = (doubt(m, field) for m in members(thread) for field in ("region", "ancestors"))
    return next(filter(None, found), None)


def _levels(thread: Json) -> str:
    levels = [number(member, "level") for member in members(thread) if member.get("region")]
    return ",".join("?" if level is None else str(level) for level in levels) or "-"


def _native(thread: Json) -> str:
    lwp, name = number(thread, "lwp"), word(thread, "name")
    return " ".join(part for part in (str(lwp) if lwp else "", name or "") if part) or "-"


def _unknown_to_gdb() -> Json:
    return {
        "certainty": "unknown",
        "why": "the runtime has this thread, and GDB does not know it",
        "how": "",
    }
