# SPDX-License-Identifier: Apache-2.0
"""Who has come to which barrier, who is missing, and what do those do instead?"""

from __future__ import annotations

from . import places, states, who
from .document import Json, doubt, object_of, objects, word
from .markup import Markup, Part, join, tag
from .report import Report, Section, capped, names_cell, names_line, plural

_DOING = {
    "working": "working",
    "call": "in a call",
    "waiting": "waiting for something else",
    "barrier": "at another barrier",
    "inner_region": "in a region inside",
    "overhead": "in the runtime",
    "gone": "gone from the region",
    "unknown": "not known",
}


def section(report: Report) -> Section | None:
    found = objects(report.document, "barriers")
    if not found:
        return None
    shown, more = capped(found)
    body = join([_barrier(report, barrier) for barrier in shown], more)
    return Section("barriers", "Barriers", body, f"{len(found):,}")


def name(barrier: Json) -> str:
    """end of for, heat.c:32; or `barrier near heat.c:32'"""
    kind = word(barrier, "kind")
    if kind in (None, "barrier", "unknown"):
        text = "barrier"
    elif kind == "reduction":
        text = "reduction"
    else:
        text = "end of region" if kind == "parallel" else f"end of {kind}"
    at = places.line(object_of(barrier, "loc"))
    near = " near" if doubt(barrier, "loc") else ","
    return f"{text}{near} {at}" if at else text


def _barrier(report: Report, barrier: Json) -> Markup:
    arrived, missing = who.expanded(word(barrier, "arrived")), who.expanded(
        word(barrier, "missing")
    )
    total = max(len(arrived) + len(missing), 1)
    here = "arrived" if missing else "arrived, all of the team"
    parts: list[Part] = [
        tag("h3", word(barrier, "region") or "?", ": ", name(barrier)),
        tag(
            "div",
            tag("i", class_="b", style=f"flex-grow:{len(arrived)}"),
            tag("i", class_="missing", style=f"flex-grow:{len(missing)}") if missing else None,
            class_="bar",
            aria_hidden="true",
        ),
        tag(
            "div",
            tag("b", f"{len(arrived):,} of {total:,} {here}"),
            ": ",
            names_cell(who.compressed(arrived)),
            report.doubts.mark(doubt(barrier, "arrived")),
        ),
    ]
    if missing:
        items = [_instead(report, group) for group in _groups(report, objects(barrier, "instead"))]
        parts += [
            tag("p", tag("b", f"{plural(len(missing), 'thread')} missing"), ":"),
            tag("ul", items, class_="missing-list"),
        ]
    return tag(
        "article",
        parts,
        class_="barrier",
        data_who=who.compressed([*arrived, *missing]),
        data_gdb=report.in_gdb([*arrived, *missing]),
    )


def _groups(report: Report, instead: list[Json]) -> list[list[Json]]:
    """Those of whom the same is told."""
    found: dict[object, list[Json]] = {}
    for one in instead:
        called = word(object_of(one, "in_call"), "function")
        likeness = (_doing(report, one), called, places.short(object_of(one, "loc")))
        found.setdefault(likeness, []).append(one)
    return list(found.values())


def _doing(report: Report, one: Json) -> str:
    thread = report.thread(word(one, "who") or "?")
    text = _DOING.get(word(one, "doing") or "", "not known")
    if thread is not None and states.words(thread) not in ("?", text):
        text += f": {states.words(thread)}"
    return text


def _instead(report: Report, group: list[Json]) -> Markup:
    one = group[0]
    names = [word(each, "who") or "?" for each in group]
    thread = report.thread(names[0])
    text = _doing(report, one)
    called = word(object_of(one, "in_call"), "function")
    gdb = report.in_gdb(names)
    return tag(
        "li",
        names_line(who.compressed(names)),
        [" (", names_line(gdb), ")"] if gdb else None,
        ": ",
        states.chip(report.kind(thread), text) if thread is not None else text,
        " ",
        places.shown(object_of(one, "loc")) if one.get("loc") else None,
        f", in {called}" if called else None,
    )
