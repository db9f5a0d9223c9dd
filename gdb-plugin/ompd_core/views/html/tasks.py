# SPDX-License-Identifier: Apache-2.0
"""Which explicit tasks are there, and what do they wait for? Alike ones in one row."""

from __future__ import annotations

import re

from ...model import ids
from . import places, who
from .document import Json, doubt, number, object_of, objects, word, words
from .markup import Markup, Part, fold, join, row, table, tag
from .report import Report, Section, capped, names_cell, plural

_HEADINGS = ["Task", "State", "Thread", "Made at", "Made by", "Waits for"]


def section(report: Report) -> Section | None:
    tasks = objects(report.document, "tasks")
    if not tasks:
        return None
    groups: dict[object, list[Json]] = {}
    for task in tasks:
        groups.setdefault(_likeness(task), []).append(task)
    shown, more = capped(list(groups.values()))
    parts: list[Part] = [
        table(
            ["", *_HEADINGS],
            [_row(report, group, counted=True) for group in shown],
            "Explicit tasks that are alike, in one row each",
        ),
        more,
    ]
    if len(groups) < len(tasks):
        single, more = capped(tasks)
        rows = [_row(report, [task], counted=False) for task in single]
        parts.append(
            fold(
                f"Each task by itself ({plural(len(tasks), 'task')})",
                table(_HEADINGS, rows, "Each explicit task by itself"),
                more,
            )
        )
    return Section("tasks", "Explicit tasks", join(parts), f"{len(tasks):,}")


def _likeness(task: Json) -> object:
    return (
        word(task, "state"),
        word(task, "region"),
        _place(task),
        _wait(task) if not words(task, "depends_on") else "depends",
        bool(task.get("doubts")),
    )


def _row(report: Report, group: list[Json], counted: bool) -> Markup:
    task = group[0]
    threads = [name for one in group if (name := word(one, "thread"))]
    made_by = [name for one in group if (name := word(one, "parent"))]
    found = object_of(task, "created") or object_of(task, "function")
    cells: list[Part] = [
        tag("b", names_cell(_ids([word(one, "id") or "?" for one in group]))),
        [(word(task, "state") or "?"), report.doubts.mark(doubt(task, "state")), _flags(task)],
        names_cell(who.compressed(threads) or "-"),
        [places.shown(found, _place(task)), report.doubts.mark(doubt(task, "created"))],
        names_cell(_ids(made_by)) if made_by else "-",
        names_cell(_wait(task) if len(group) == 1 else _waits(group)),
    ]
    if counted:
        cells.insert(0, tag("b", f"{len(group):,}", class_="number"))
    return row(*cells, data_who=who.compressed(threads), data_gdb=report.in_gdb(threads))


def _ids(names: list[str]) -> str:
    """t1-5,9"""
    numbers = [int(name[1:]) for name in names if re.fullmatch(r"t[0-9]{1,9}", name)]
    return f"t{ids.compress(numbers)}" if numbers else "?"


def _place(task: Json) -> str:
    place = object_of(task, "created") or object_of(task, "function")
    return ", ".join(part for part in (word(place, "function"), places.line(place)) if part)


def _flags(task: Json) -> str:
    found = [name for name in ("undeferred", "final") if task.get(name)]
    found += ["untied"] if task.get("tied") is False else []
    return f", {', '.join(found)}" if found else ""


def _wait(task: Json) -> str:
    before = words(task, "depends_on")
    if before:
        return f"{_ids(before)} before it"
    kind = word(object_of(task, "wait"), "kind")
    if kind is None:
        return "?" if "wait" in object_of(task, "doubts") else "-"
    if kind == "target":
        return word(object_of(task, "wait"), "object") or "a device"
    counted = {"taskwait": "children", "taskgroup": "taskgroup_left"}.get(kind)
    left = number(task, counted) if counted else None
    return kind if left is None else f"{kind}, {plural(left, 'task')} left"


def _waits(group: list[Json]) -> str:
    found = list(dict.fromkeys(_wait(task) for task in group))
    return found[0] if len(found) == 1 else f"others, {plural(len(found), 'set')} of them"
