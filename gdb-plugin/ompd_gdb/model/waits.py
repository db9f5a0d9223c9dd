# SPDX-License-Identifier: Apache-2.0
"""Whom does each thread wait for?

A thread that waits needs every thread that it waits for: the one that holds a lock, all that are
missing at a barrier, those that execute the tasks of a taskwait. What is not known is no edge.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Mapping

from ..answers import BARRIER_PLAIN, BARRIER_REDUCTION, BARRIER_REGION, Arrival
from . import barriers, doubts
from .doubts import Doubt
from .locks import CONSTRUCTS, Lock, Locks
from .process import Membership, Process, Region, Thread, Wait
from .tasks import ExplicitTask, Tasks

# Functions that wait for other threads or processes, as far as their names tell. A sleep ends.
OUTSIDE = re.compile(
    r"(__)?(pthread_(mutex_lock|cond_wait|cond_timedwait|rwlock_\w*lock|barrier_wait|join)"
    r"|sem_(timed)?wait|P?MPI_\w+|p?poll|p?select|epoll_p?wait|read|recv\w*|accept4?|futex|syscall"
    r"|wait(pid|id|3|4)?|msgrcv|mq_receive|sigwait\w*|pause)$"
)
# Steps along the dependences of one taskwait, whatever the target says.
MOST_STEPS = 1 << 16


@dataclass(frozen=True)
class Edge:
    """waiter cannot go on before needed has."""

    waiter: Thread
    needed: Thread
    member: Membership  # what the waiter's runtime knows of it
    wait: Wait
    lock: Lock | None = None
    region: Region | None = None  # whose barrier it is
    task: ExplicitTask | None = None  # that the needed thread executes
    doubt: Doubt | None = None

    @property
    def likely(self) -> bool:
        return self.doubt is not None


@dataclass(eq=False)
class Meeting:
    """A barrier at which threads wait: each of them needs all that are missing."""

    region: Region
    missing: list[Thread]
    complete: bool  # all that are missing are known
    doubt: Doubt | None = None


@dataclass(eq=False)
class Needs:
    """Of one thread that waits."""

    thread: Thread
    member: Membership
    wait: Wait
    edges: list[Edge] = field(default_factory=list)
    meeting: Meeting | None = None
    unknown: str | None = None  # why it is not known all that it waits for
    outside: str | None = None  # the function outside of OpenMP that it waits in
    progress: bool = False  # nothing that is not known keeps it: it is being let go, or can be

    def edge_to(self, needed: Thread) -> Edge:
        """To one of the threads that it needs; a certain one if there are several."""
        found = [edge for edge in self.edges if edge.needed is needed]
        if found:
            return min(found, key=lambda edge: edge.likely)
        assert self.meeting is not None
        return Edge(
            self.thread,
            needed,
            self.member,
            self.wait,
            region=self.meeting.region,
            doubt=self.meeting.doubt,
        )


# By runtime, then by ViewThread.runtime_id. A runtime whose barriers cannot be read is not in it.
Arrivals = Mapping[int, Mapping[int, Arrival]]
_NOTHING = Arrival()


def arrival_of(member: Membership, arrivals: Arrivals) -> Arrival | None:
    """None: the barriers' words of its runtime, or which are its own, are not known."""
    known = arrivals.get(member.runtime)
    number = member.raw.runtime_id
    return known.get(number, _NOTHING) if known is not None and number is not None else None


def needs_of(
    process: Process, locks: Locks, tasks: Tasks | None, arrivals: Arrivals
) -> list[Needs]:
    """Of all threads that wait. tasks: None if the runtime's cannot be read."""
    return _Edges(locks, tasks, arrivals).of(process)


class _Edges:
    def __init__(self, locks: Locks, tasks: Tasks | None, arrivals: Arrivals) -> None:
        self._locks = locks
        self._tasks = tasks
        self._arrivals = arrivals
        self._meetings: dict[tuple[int, int], Meeting] = {}

    def of(self, process: Process) -> list[Needs]:
        return [one for thread in process.threads if (one := self._of_thread(thread))]

    def _of_thread(self, thread: Thread) -> Needs | None:
        """None: it does not wait."""
        for member in thread.openmp:
            if member.wait is not None:
                needs = Needs(thread, member, member.wait)
                if "state" in member.doubts:
                    needs.unknown = member.doubts["state"].why
                else:
                    self._need(needs, member, member.wait)
                return needs
        call = thread.in_call.function if thread.in_call is not None else None
        if call is None or not thread.openmp or not OUTSIDE.match(call):
            return None
        member = thread.openmp[0]
        return Needs(thread, member, Wait("call", thread.where), outside=call)

    def _need(self, needs: Needs, member: Membership, wait: Wait) -> None:
        if wait.kind in CONSTRUCTS:
            self._need_holder(needs, member, wait)
        elif wait.kind == "barrier":
            self._need_missing(needs, member, wait)
        elif wait.kind in ("taskwait", "taskgroup"):
            self._need_tasks(needs, member, wait)
        elif wait.kind == "atomic":
            needs.progress = True  # only while another thread is inside
        elif wait.kind == "depend":
            needs.unknown = "the runtime does not list the tasks that a thread waits for"
        else:
            needs.unknown = "the runtime does not tell whose turn it is in an ordered construct"

    def _need_holder(self, needs: Needs, member: Membership, wait: Wait) -> None:
        lock = self._locks.wanted_by(needs.thread)
        if lock is None:
            # Either it has just been given the lock, or which one it is could not be told.
            needs.unknown = "it is not known which lock a thread waits for"
            needs.progress = needs.thread not in self._locks.lost + self._locks.unread
        elif lock.raw.held is False:
            needs.progress = True
        elif lock.holder is None:
            needs.unknown = f"it is not known who holds {lock.id}"
        elif lock.holder is needs.thread and lock.holder not in lock.told:
            needs.unknown = (
                f"either {lock.id} has just been given to the thread that is in its code, or that"
                " thread waits for itself"
            )
        else:
            doubt = lock.doubts.get("holder")
            if doubt is None and lock.holder is needs.thread:
                doubt = doubts.HELD_TWICE
            if doubt is None and needs.thread in lock.likely_waiters:
                doubt = doubts.OBJECT_NOT_EXACT
            needs.edges.append(
                Edge(needs.thread, lock.holder, member, wait, lock=lock, doubt=doubt)
            )

    def _need_missing(self, needs: Needs, member: Membership, wait: Wait) -> None:
        region = member.region
        if region is None:
            needs.unknown = "it is not known which region a thread is in"
            return
        if wait.construct == "teams":
            needs.unknown = "who is missing at the end of a league is not read"
            return
        meeting = self._meeting(region, _barrier_of(wait))
        if self._arrival(member).released & _barrier_of(wait):
            needs.progress = True
            return
        needs.meeting = meeting
        if not meeting.complete:
            needs.unknown = f"not all threads of {region.id} are known"
        elif not meeting.missing:
            needs.progress = True  # all have come: they are being let go

    def _meeting(self, region: Region, barrier: int) -> Meeting:
        """Unless the barrier's words say that somebody has not come, those who stand there may have
        been let go."""
        key = (id(region), barrier)
        if key not in self._meetings:
            there = [self._is_there(thread, region, barrier) for thread in region.members]
            missing = [thread for thread, here in zip(region.members, there) if not here]
            proven = any(
                self._arrival(member).arrived & barrier
                for thread, here in zip(region.members, there)
                if here and (member := barriers.member_of(thread, region)) is not None
            )
            known = [thread for thread in missing if thread is not None]
            self._meetings[key] = Meeting(
                region,
                known,
                len(known) == len(missing),
                None if proven else doubts.BARRIER_NOT_PROVEN,
            )
        return self._meetings[key]

    def _is_there(self, thread: Thread | None, region: Region, barrier: int) -> bool:
        member = barriers.member_of(thread, region)
        if member is None or member.region is not region or member.wait is None:
            return False
        if member.wait.kind != "barrier" or self._arrival(member).released & barrier:
            return False
        return _barrier_of(member.wait) == barrier

    def _arrival(self, member: Membership) -> Arrival:
        return arrival_of(member, self._arrivals) or _NOTHING

    def _need_tasks(self, needs: Needs, member: Membership, wait: Wait) -> None:
        tasks = self._tasks
        if tasks is None:
            needs.unknown = "where this build of the runtime keeps tasks is not known"
            return
        pending = _awaited_tasks(tasks, member, wait)
        if not pending:
            needs.unknown = "the runtime does not list the tasks that a thread waits for"
        seen: set[int] = set()
        while pending and len(seen) < MOST_STEPS:
            task = pending.pop()
            if id(task) in seen or task.raw.state == "finished":
                continue
            seen.add(id(task))
            if task.raw.state == "ready":
                needs.progress = True  # any thread that waits for tasks may take it
            elif task.raw.state in ("executing", "suspended") and task.thread is not None:
                needs.edges.append(Edge(needs.thread, task.thread, member, wait, task=task))
            elif task.raw.state == "blocked" and task.predecessors:
                pending += task.predecessors
            elif task.raw.state == "detached":
                needs.unknown = f"{task.id} waits for its event, which the program fulfils"
            else:
                needs.unknown = f"it is not known which thread will go on with {task.id}"
        if tasks.problem or tasks.unseen:
            needs.unknown = needs.unknown or "the runtime keeps tasks that it does not list"


def _barrier_of(wait: Wait) -> int:
    """The runtime has one barrier for the ends of regions, one for reductions and one for all else:
    threads at different constructs of a kind meet."""
    return {"parallel": BARRIER_REGION, "reduction": BARRIER_REDUCTION}.get(
        wait.construct or "", BARRIER_PLAIN
    )


def _awaited_tasks(tasks: Tasks, member: Membership, wait: Wait) -> list[ExplicitTask]:
    current = member.task.address if member.task is not None else 0
    mine = [task for task in tasks.all if task.runtime == member.runtime]
    if wait.kind == "taskwait":
        return [task for task in mine if task.parent_address == current]
    group = tasks.taskgroup_of(member.runtime, current)
    return [
        task
        for task in mine
        if group and task.raw.taskgroup == group and task.raw.address != current
    ]
