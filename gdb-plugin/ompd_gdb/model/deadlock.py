# SPDX-License-Identifier: Apache-2.0
"""Who waits for whom, and does that go in a circle?

A thread that waits needs every thread that it waits for: the one that holds a lock, all that are
missing at a barrier, those that execute the tasks of a taskwait. So any circle is a deadlock. What
is not known is no edge: then the verdict is that it cannot be told.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Iterable, Mapping, Sequence

from ..answers import BARRIER_PLAIN, BARRIER_REDUCTION, BARRIER_REGION, Arrival
from . import barriers, doubts
from .doubts import Doubt
from .locks import CONSTRUCTS, Lock, Locks
from .process import Membership, Process, Region, Thread, Wait
from .tasks import ExplicitTask, Tasks

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


@dataclass
class Needs:
    """Of one thread that waits."""

    thread: Thread
    edges: list[Edge] = field(default_factory=list)
    unknown: str | None = None  # why it is not known all that it waits for
    progress: bool = False  # nothing that is not known keeps it: it is being let go, or can be


@dataclass
class Deadlock:
    """What the graph says."""

    process: Process
    needs: list[Needs]
    circles: list[list[Edge]] = field(default_factory=list)  # each edge leads to the next's waiter
    bystanders: list[Thread] = field(default_factory=list)  # they wait for those in the circles
    unknown: list[str] = field(default_factory=list)  # why it cannot be told

    @property
    def verdict(self) -> str:
        if self.circles:
            return "deadlock"
        return "unknown" if self.unknown else "none"

    @property
    def certain(self) -> bool:
        """Is one of the circles?"""
        return any(not any(edge.likely for edge in circle) for circle in self.circles)

    @property
    def awaited(self) -> list[Thread]:
        """Those that others wait for, and that do not wait themselves."""
        waiting = {id(one.thread) for one in self.needs}
        found = {
            id(edge.needed): edge.needed
            for one in self.needs
            for edge in one.edges
            if id(edge.needed) not in waiting
        }
        return list(found.values())


def find(
    process: Process, locks: Locks, tasks: Tasks | None, arrivals: Arrivals | None
) -> Deadlock:
    needs = _Edges(locks, tasks, arrivals).of(process)
    found = Deadlock(process, needs)
    graph = {id(one.thread): one for one in needs}
    found.circles = _circles(graph)
    stuck = {id(edge.waiter) for circle in found.circles for edge in circle}
    found.bystanders = _waiting_for(graph, stuck)
    if not found.circles:
        found.unknown = list(
            dict.fromkeys(one.unknown for one in needs if one.unknown and not one.progress)
        )
    return found


# ---- Edges ---------------------------------------------------------------------------------------


# By runtime, then by ViewThread.runtime_id. None: the barriers' words could not be read.
Arrivals = Mapping[int, Mapping[int, Arrival]]


class _Edges:
    def __init__(self, locks: Locks, tasks: Tasks | None, arrivals: Arrivals | None) -> None:
        self._locks = locks
        self._tasks = tasks
        self._arrivals = arrivals or {}
        self._missing: dict[tuple[int, int], tuple[list[Thread | None], bool]] = {}

    def of(self, process: Process) -> list[Needs]:
        return [one for thread in process.threads if (one := self._of_thread(thread))]

    def _of_thread(self, thread: Thread) -> Needs | None:
        """None: it does not wait."""
        for member in thread.openmp:
            if member.wait is not None:
                needs = Needs(thread)
                if "state" in member.doubts:
                    needs.unknown = member.doubts["state"].why
                else:
                    self._need(needs, member, member.wait)
                return needs
        return None

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
            needs.progress = needs.thread not in self._locks.lost
        elif lock.raw.held is False:
            needs.progress = True
        elif lock.holder is None:
            needs.unknown = f"it is not known who holds {lock.id}"
        else:
            doubt = lock.doubts.get("holder")
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
        missing, proven = self._missing_at(region, _barrier_of(wait))
        doubt = None if proven else doubts.BARRIER_NOT_PROVEN
        if self._arrival(member).released & _barrier_of(wait) or not missing:
            needs.progress = True  # it is being let go
            return
        for thread in missing:
            if thread is None:
                needs.unknown = f"not all threads of {region.id} are known"
            else:
                needs.edges.append(
                    Edge(needs.thread, thread, member, wait, region=region, doubt=doubt)
                )

    def _missing_at(self, region: Region, barrier: int) -> tuple[list[Thread | None], bool]:
        """Who has not come, and whether the barrier's words say that somebody has not: else those
        who stand there may have been let go."""
        key = (id(region), barrier)
        if key not in self._missing:
            there = [self._is_there(thread, region, barrier) for thread in region.members]
            missing = [thread for thread, here in zip(region.members, there) if not here]
            proven = any(
                self._arrival(member).arrived & barrier
                for thread, here in zip(region.members, there)
                if here and (member := barriers.member_of(thread, region)) is not None
            )
            self._missing[key] = (missing, proven)
        return self._missing[key]

    def _is_there(self, thread: Thread | None, region: Region, barrier: int) -> bool:
        member = barriers.member_of(thread, region)
        if member is None or member.region is not region or member.wait is None:
            return False
        if member.wait.kind != "barrier" or self._arrival(member).released & barrier:
            return False
        return _barrier_of(member.wait) == barrier

    def _arrival(self, member: Membership) -> Arrival:
        known = self._arrivals.get(member.runtime, {})
        return known.get(-1 if member.raw.runtime_id is None else member.raw.runtime_id, _NOTHING)

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
            elif task.raw.state == "executing" and task.thread is not None:
                needs.edges.append(Edge(needs.thread, task.thread, member, wait, task=task))
            elif task.raw.state == "blocked" and task.predecessors:
                pending += task.predecessors
            elif task.raw.state == "detached":
                needs.unknown = f"{task.id} waits for its event, which the program fulfils"
            else:
                needs.unknown = f"it is not known which thread will go on with {task.id}"
        if tasks.problem or tasks.unseen:
            needs.unknown = needs.unknown or "the runtime keeps tasks that it does not list"


_NOTHING = Arrival()


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


# ---- Circles -------------------------------------------------------------------------------------


def _circles(graph: dict[int, Needs]) -> list[list[Edge]]:
    """One shortest circle of each set of threads that wait for each other."""
    found: list[list[Edge]] = []
    done: set[int] = set()
    for start in graph:
        if start in done:
            continue
        circle = _shortest_back(graph, start)
        if circle:
            found.append(circle)
            for edge in circle:
                done.update(_reaching(graph, id(edge.waiter)))
    return found


def _shortest_back(graph: dict[int, Needs], start: int) -> list[Edge]:
    """The shortest way from a thread along the edges to itself; certain edges first."""
    came: dict[int, Edge] = {}
    frontier = [start]
    while frontier:
        following: list[int] = []
        for node in frontier:
            needs = graph.get(node)
            for edge in sorted(needs.edges, key=lambda e: e.likely) if needs else ():
                target = id(edge.needed)
                if target == start:
                    return _way(came, start, edge)
                if target not in came and target in graph:
                    came[target] = edge
                    following.append(target)
        frontier = following
    return []


def _way(came: dict[int, Edge], start: int, last: Edge) -> list[Edge]:
    way = [last]
    while id(way[-1].waiter) != start:
        way.append(came[id(way[-1].waiter)])
    return way[::-1]


def _reaching(graph: dict[int, Needs], node: int) -> set[int]:
    """All threads that a thread waits for, and those in turn; itself included."""
    seen = {node}
    pending = [node]
    while pending:
        needs = graph.get(pending.pop())
        for edge in needs.edges if needs else ():
            if id(edge.needed) not in seen:
                seen.add(id(edge.needed))
                pending.append(id(edge.needed))
    return seen


def _waiting_for(graph: dict[int, Needs], stuck: set[int]) -> list[Thread]:
    """Who waits, over however many others, for one of them."""
    waiters: dict[int, list[int]] = {}
    for node, needs in graph.items():
        for edge in needs.edges:
            waiters.setdefault(id(edge.needed), []).append(node)
    reached = set(stuck)
    pending = list(stuck)
    while pending:
        for node in waiters.get(pending.pop(), ()):
            if node not in reached:
                reached.add(node)
                pending.append(node)
    return [needs.thread for node, needs in graph.items() if node in reached - stuck]


def threads_of(circle: Sequence[Edge]) -> list[Thread]:
    return [edge.waiter for edge in circle]


def locks_of(circle: Iterable[Edge]) -> list[Lock]:
    return [edge.lock for edge in circle if edge.lock is not None]
