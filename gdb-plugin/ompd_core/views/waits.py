# SPDX-License-Identifier: Apache-2.0
"""Who waits for whom, as JSON: also those that no circle holds. Threads that wait for the same
stand together."""

from __future__ import annotations

from typing import TYPE_CHECKING, Sequence

from ..model import ids
from ..model.deadlock import Deadlock
from ..model.process import Thread, pairs
from ..model.waits import Edge, Needs
from . import outside
from .deadlock import barrier_of
from .locks import who
from .values import who as all_of

if TYPE_CHECKING:
    from ..documents import waits as documents


def document(found: Deadlock) -> list[documents.Waiting]:
    """The section "waits" of "deadlock"."""
    alike: dict[object, list[Needs]] = {}
    for one in found.needs:
        alike.setdefault(_likeness(one), []).append(one)
    return [_group(group) for group in alike.values()]


def _likeness(one: Needs) -> object:
    edges = tuple(
        (edge.lock, edge.task, edge.after, edge.needed, edge.likely) for edge in one.edges
    )
    waits = (one.wait.kind, one.member.runtime, barrier_of(one) if one.meeting else None)
    # A thread that no region is known of has no id that could stand in a list.
    alone = one.thread if one.member.id is None else None
    left = tuple(one.events)
    return (
        edges,
        left,
        one.meeting,
        waits,
        one.outside,
        one.thread.kept,
        one.unknown,
        one.progress,
        alone,
    )


def _group(group: Sequence[Needs]) -> documents.Waiting:
    one = group[0]
    runtime = one.member.runtime
    return {
        "who": all_of([needs.thread for needs in group]),
        "count": len(group),
        "kind": one.wait.kind,
        "for": [_edge(edge, runtime) for edge in one.edges],
        "barrier": _barrier(one) if one.meeting is not None else None,
        "outside": one.outside,
        "object": outside.document(one.thread.kept),
        "unknown": one.unknown,
        "progress": one.progress,
        "events": [task.id for task in one.events],
    }


def _edge(edge: Edge, runtime: int) -> documents.Awaited:
    return {
        "thread": who(edge.needed, runtime),
        "lock": edge.lock.id if edge.lock is not None else None,
        "task": edge.task.id if edge.task is not None else None,
        "certainty": "likely" if edge.likely else "certain",
        "after": edge.after.id if edge.after is not None else None,
    }


def _barrier(one: Needs) -> documents.Meeting:
    meeting = one.meeting
    assert meeting is not None
    return {
        "region": meeting.region.id,
        "name": barrier_of(one),
        "missing": _list(meeting.missing, one.member.runtime),
        "complete": meeting.complete,
        "certainty": "likely" if meeting.doubt is not None else "certain",
    }


def _list(threads: Sequence[Thread], runtime: int) -> str | None:
    members = (thread.member(runtime) for thread in threads)
    return ids.short_thread_list(pairs(m for m in members if m is not None)) or None
