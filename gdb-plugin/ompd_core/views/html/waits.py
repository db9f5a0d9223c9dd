# SPDX-License-Identifier: Apache-2.0
"""Who waits for whom: the picture, and the same in sentences."""

from __future__ import annotations

from . import drawing, graph, who
from .document import Json, object_of, objects, word
from .markup import Markup, Part, fold, join, row, table, tag
from .report import Report, Section, capped, names_cell, names_line, plural


def section(report: Report) -> Section | None:
    found = report.deadlock
    if not found:
        return None
    waits = objects(found, "waits")
    drawn = graph.of_report(report)
    said = word(found, "text") or ""
    above = [word(one, "text") or "" for one in objects(report.document, "findings")]
    parts: list[Part] = []
    if not any(text.startswith(said.rstrip(".")) for text in above):
        parts.append(tag("p", said, class_="lead"))
    if drawn.arrows:
        parts.append(_picture(report, drawn))
    parts += [_circle(report, cycle) for cycle in report.cycles]
    bystanders = word(found, "bystanders")
    if bystanders:
        counted = len(who.expanded(bystanders))
        parts.append(
            tag(
                "div",
                tag("b", plural(counted, "bystander")),
                " that wait for these: " if counted > 1 else " that waits for these: ",
                names_cell(who.compressed(who.expanded(bystanders))),
                data_who=bystanders,
            )
        )
    if word(found, "second_look"):
        parts.append(tag("p", word(found, "second_look")))
    for reason in graph.unknown(report):
        parts.append(tag("p", tag("b", "Not known: "), reason, "."))
    if waits:
        parts.append(_all(report, waits))
    count = plural(len(report.cycles), "circle") if report.cycles else ""
    return Section("waits", "Who waits for whom", join(parts), count)


def _picture(report: Report, drawn: graph.Graph) -> Markup:
    sentences = [word(edge, "text") or "" for cycle in report.cycles for edge in cycle]
    description = " ".join(sentences) or word(report.deadlock, "text") or ""
    legend: list[Part] = ["An arrow leads to what is waited for, and on to who has it."]
    if any(arrow.likely for arrow in drawn.arrows):
        legend.append(" Dashed: likely, not certain.")
    if drawn.rings:
        legend.append(" Thick: the circle, in which nobody can go on.")
    if drawn.left_out:
        legend.append(f" {drawn.left_out:,} more threads that wait are not drawn.")
    return tag(
        "figure",
        tag("div", drawing.svg(drawn, description), class_="scroll"),
        tag("figcaption", legend),
    )


def _circle(report: Report, cycle: list[Json]) -> Markup:
    items = []
    for edge in cycle:
        likely = edge.get("certainty") == "likely"
        names = [name for name in (word(edge, "thread"), word(edge, "waits_for")) if name]
        items.append(
            tag(
                "li",
                word(edge, "text"),
                tag("span", "likely", class_="tag") if likely else None,
                data_who=" ".join(names),
                data_gdb=report.in_gdb(names),
            )
        )
    return tag("ol", items, class_="circle")


def _all(report: Report, waits: list[Json]) -> Markup:
    rows = []
    shown, more = capped(waits)
    for one in shown:
        names = who.expanded(word(one, "who"))
        rows.append(
            row(
                tag("b", f"{len(names):,}"),
                names_cell(word(one, "who") or "?"),
                word(one, "kind") or "?",
                _target(one),
                data_who=word(one, "who"),
                data_gdb=report.in_gdb(names),
            )
        )
    return fold(
        "All that wait",
        table(["Threads", "OpenMP", "Kind", "For"], rows, "All threads that wait, and for whom"),
        more,
    )


def _target(one: Json) -> Part:
    found: list[Part] = []
    for edge in objects(one, "for"):
        what = word(edge, "lock") or word(edge, "task")
        likely = " (likely)" if edge.get("certainty") == "likely" else ""
        thread = word(edge, "thread") or "?"
        found.append(f"{what} of {thread}{likely}" if what else f"{thread}{likely}")
    barrier = object_of(one, "barrier")
    if barrier:
        missing = word(barrier, "missing")
        at = f" at {word(barrier, 'name')} of {word(barrier, 'region')}"
        found.append([names_line(missing), ", missing", at] if missing else f"nobody{at}: all came")
    if word(one, "outside"):
        found.append(f"what {word(one, 'outside')} waits for, outside of OpenMP")
    if word(one, "unknown"):
        found.append(f"not known: {word(one, 'unknown')}")
    if not found and one.get("progress"):
        found.append("nobody: it can go on")
    return [tag("div", part) for part in found] or "?"
