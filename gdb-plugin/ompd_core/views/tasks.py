# SPDX-License-Identifier: Apache-2.0
"""`ompd tasks' as text: explicit tasks, alike ones together, or as a tree."""

from __future__ import annotations

from collections import Counter
from typing import Callable, Hashable, Sequence

from ..model import ids
from ..model.native import Location
from ..model.process import pairs
from ..model.tasks import ExplicitTask, Tasks, waits_for
from .alike import joined
from .table import Style, Table, count, paragraph, place
from .threads import INCOMPLETE

# Predecessors named in a row; the others are counted.
MOST_NAMED = 4


def lines(tasks: Tasks, chosen: Sequence[ExplicitTask], style: Style) -> list[str]:
    table = _table(style)
    for group in joined(chosen, _likeness, _kind, style.every):
        _row(table, group, "")
    return _with_total(tasks, chosen, table, style)


def tree(tasks: Tasks, style: Style) -> list[str]:
    table = _table(style)
    shown: set[int] = set()
    pending = [(task, "", "") for task in reversed(tasks.roots)]
    while pending:
        task, stem, trunk = pending.pop()
        if id(task) in shown:
            continue
        shown.add(id(task))
        _row(table, [task], stem)
        last = len(task.children) - 1
        below = [
            (
                child,
                trunk + (style.last_branch if i == last else style.branch),
                trunk + ("   " if i == last else style.trunk),
            )
            for i, child in enumerate(task.children)
        ]
        pending += reversed(below)
    return _with_total(tasks, tasks.all, table, style)


def named(task: ExplicitTask) -> str:
    """t1 (made in f () at a.c:7)"""
    at = task.location or task.function
    made = "made" if task.location is not None else "its code is"
    return f"{task.id} ({made} in {place(at.function, at.file, at.line)})" if at else task.id


def _table(style: Style) -> Table:
    return Table(
        ["Task", "State", "On", "Children", "Waits for", "Created at"], style, folding=(0, 2)
    )


def _likeness(task: ExplicitTask) -> Hashable:
    return (_kind(task), task.raw.children, task.region)


def _kind(task: ExplicitTask) -> Hashable:
    """Whatever region it is of, and however many children it has."""
    where = task.location or task.function
    return (
        _state(task),
        task.raw.state == "suspended" and task.thread is None,
        "thread" in task.doubts,
        waits_for(task),
        task.deferred.device if task.deferred is not None else None,
        "wait" in task.doubts,
        task.raw.priority,
        task.region is None,
        (where.function, where.file, where.line) if where else None,
        (task.taskwait.file, task.taskwait.line) if task.taskwait else None,
    )


def _row(table: Table, group: Sequence[ExplicitTask], stem: str) -> None:
    first = group[0]
    table.add(
        f"{stem}t{ids.compress(task.number for task in group)}",
        _state(first),
        _on(group),
        _children(group),
        _waits(group),
        _created(first),
    )


def _state(task: ExplicitTask) -> str:
    words = [task.raw.state or "?"]
    if task.raw.undeferred:
        words.append("undeferred")
    if task.raw.final:
        words.append("final")
    if not task.raw.tied:
        words.append("untied")
    if task.raw.priority is not None:
        words.append(f"priority {task.raw.priority}")
    return ", ".join(words)


def _on(group: Sequence[ExplicitTask]) -> str:
    """Executing or suspended: the thread; ready: the region whose threads may take it."""
    if group[0].raw.state in ("executing", "suspended") and group[0].thread is not None:
        members = [task.thread.member(task.runtime) for task in group if task.thread is not None]
        text = ids.short_thread_list(pairs(m for m in members if m is not None)) or "?"
        inside = group[0].inside if len(group) == 1 else None
        text = f"{text} below {inside.id}" if inside is not None else text
        return f"{text} (likely)" if "thread" in group[0].doubts else text
    regions = ids.compress(task.region.number for task in group if task.region is not None)
    return f"R{regions}" if regions else "-"


def _children(group: Sequence[ExplicitTask]) -> str:
    """2; of many: 0-2,5"""
    known = {task.raw.children for task in group if task.raw.children is not None}
    unknown = ["?"] if any(task.raw.children is None for task in group) else []
    return ",".join([ids.compress(known)] * bool(known) + unknown)


def _waits(group: Sequence[ExplicitTask]) -> str:
    first = group[0]
    kind = waits_for(first)
    if kind == "taskwait":
        at = first.taskwait
        file = (at.file or "").rsplit("/", 1)[-1] if at else ""
        return f"taskwait, {file}:{at.line}" if at and file and at.line else "taskwait"
    if kind == "event":
        return "its event"
    if first.deferred is not None:
        return first.deferred.in_words
    if "wait" in first.doubts:
        return "?"
    if kind == "taskgroup":
        return "taskgroup"
    if kind == "depend":
        named = sorted({before.number for task in group for before in task.predecessors})
        if not named:
            left = first.raw.predecessors
            return count(left, "task") if left else "tasks that it depends on"
        more = len(named) - MOST_NAMED
        text = f"t{ids.compress(named[:MOST_NAMED] if more > 0 else named)}"
        return f"{text} and {more} more" if more > 0 else text
    if first.raw.state == "ready":
        return "a free thread"
    return "-"


def _created(task: ExplicitTask) -> Callable[[int | None], str]:
    where: Location | None = task.location or task.function
    if where is None:
        return lambda room: "?"
    found = where
    return lambda room: place(found.function, found.file, found.line, room)


def _with_total(
    tasks: Tasks, chosen: Sequence[ExplicitTask], table: Table, style: Style
) -> list[str]:
    found = table.lines() if chosen else []
    states = Counter(task.raw.state or "in transition" for task in chosen)
    text = ", ".join(f"{number} {state}" for state, number in states.most_common())
    found.append(f"{count(len(chosen), 'explicit task')}{': ' + text if text else ''}.")
    if tasks.unseen:
        found += paragraph(
            f"The runtime counts {tasks.unseen} more that it keeps in no list: tasks that are being"
            " moved between queues, untied ones that are suspended, or detached ones.",
            style,
            "   ",
        )
    if tasks.problem:
        found += paragraph(INCOMPLETE, style, "   ")
    reasons: dict[str, None] = {}
    for task in chosen:
        for doubt in task.doubts.values():
            sign = "likely" if doubt.certainty == "likely" else "?"
            reasons[f"{sign}: {doubt.sentence}."] = None
    for reason in reasons:
        found += paragraph(reason, style, "   ")
    return found
