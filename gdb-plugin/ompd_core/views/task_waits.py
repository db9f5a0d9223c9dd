# SPDX-License-Identifier: Apache-2.0
"""Who waits for which tasks, in words: where each was made, and who has it."""

from __future__ import annotations

from typing import Sequence

from ..model.tasks import ExplicitTask
from ..model.waits import Edge, Needs
from .table import count, place
from .tasks import named
from .threads import where_of, words_of
from .values import who

MOST = 3  # tasks that are named, and sentences


def of_edge(edge: Edge, needed: str) -> str:
    """task t3 (made in f () at a.c:9), which depends on t1 (...), which R1.1 executes"""
    assert edge.task is not None
    verb = "executes" if edge.task.raw.state == "executing" else "has begun"
    chain = f"{named(edge.task)}, which {needed} {verb}"
    if edge.after is not None:
        chain = f"{named(edge.after)}, which depends on {chain}"
    return f"task {chain}"


def awaited(one: Needs) -> str:
    """All that it waits for; empty: no tasks."""
    edges = [edge for edge in one.edges if edge.task is not None]
    told = [of_edge(edge, who([edge.needed])) for edge in edges]
    told += [f"detached task {named(task)}: nobody has fulfilled its event" for task in one.events]
    more = len(told) - MOST
    return "; ".join(told[:MOST]) + (f"; and {count(more, 'more task')}" if more > 0 else "")


def queued(tasks: Sequence[ExplicitTask]) -> list[str]:
    """Where nobody can go on."""
    if not tasks:
        return []
    told = ", ".join(named(task) for task in tasks[:MOST])
    more = len(tasks) - MOST
    told += f" and {count(more, 'more task')}" if more > 0 else ""
    if len(tasks) == 1:
        return [f"Task {told} is queued, and nobody comes to take it."]
    return [f"Tasks {told} are queued, and nobody comes to take them."]


def sentences(needs: Sequence[Needs]) -> list[str]:
    """Those that wait alike for the same stand together."""
    groups: dict[str, list[Needs]] = {}
    for one in needs:
        tasks = awaited(one)
        if tasks:
            groups.setdefault(f"{words_of(one.thread)}{_at(one)}, for {tasks}", []).append(one)
    return [f"{who([one.thread for one in those])}: {text}." for text, those in groups.items()][
        :MOST
    ]


def _at(one: Needs) -> str:
    where = where_of(one.thread)
    return f" in {place(where.name, where.file, where.line)}" if where is not None else ""
