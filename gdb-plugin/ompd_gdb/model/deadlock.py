# SPDX-License-Identifier: Apache-2.0
"""Do threads wait for each other in a circle?

Each thread that waits needs all that it waits for, so any circle is a deadlock. What is not known
is no edge of the graph: without a circle the verdict is then that it cannot be told.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Iterable, Sequence, Union

from . import ids
from .locks import Lock, Locks
from .process import Membership, Process, Thread, pairs
from .tasks import Tasks
from .waits import Arrivals, Edge, Meeting, Needs, needs_of


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
    def stuck(self) -> list[Thread]:
        """The threads of the circles."""
        return list(dict.fromkeys(edge.waiter for circle in self.circles for edge in circle))

    @property
    def certain(self) -> bool:
        """Is one of the circles?"""
        return any(not any(edge.likely for edge in circle) for circle in self.circles)

    def awaited(self) -> list[tuple[Thread, list[Needs]]]:
        """Those that others wait for, and that do not wait themselves; and the others."""
        waiting = {one.thread for one in self.needs}
        found: dict[Thread, list[Needs]] = {}
        for one in self.needs:
            needed = [edge.needed for edge in one.edges]
            needed += one.meeting.missing if one.meeting is not None else []
            for thread in needed:
                if thread not in waiting:
                    found.setdefault(thread, []).append(one)
        return list(found.items())


def find(process: Process, locks: Locks, tasks: Tasks | None, arrivals: Arrivals) -> Deadlock:
    needs = needs_of(process, locks, tasks, arrivals)
    found = Deadlock(process, needs)
    graph = _Graph(needs)
    found.circles = graph.circles()
    bystanders = graph.leading_to(found.stuck).difference(found.stuck)
    found.bystanders = [one.thread for one in needs if one.thread in bystanders]
    if not found.circles:
        found.unknown = _unknown(process, needs)
    return found


def _unknown(process: Process, needs: Sequence[Needs]) -> list[str]:
    """Why it cannot be told. Those who wait outside of OpenMP are named, alike ones together."""
    found = dict.fromkeys(one.unknown for one in needs if one.unknown and not one.progress)
    unclear = process.unclear()
    if unclear:
        verb = "does" if len(unclear) == 1 else "do"
        found[f"it is not known what {ids.short_thread_list(pairs(unclear))} {verb}"] = None
    calls: dict[str, list[Membership]] = {}
    for one in needs:
        if one.outside is not None and one.member.chain:
            calls.setdefault(one.outside, []).append(one.member)
    outside = [
        f"{ids.short_thread_list(pairs(who))} {'waits' if len(who) == 1 else 'wait'} outside of"
        f" OpenMP, in {call}"
        for call, who in calls.items()
    ]
    return [*found, *outside]


_Vertex = Union[Thread, Meeting]


class _Graph:
    """Its vertices are threads, and barriers, which stand between those that wait there and those
    that are missing."""

    def __init__(self, needs: Sequence[Needs]) -> None:
        self._needs: dict[_Vertex, Needs] = {one.thread: one for one in needs}
        self._next: dict[_Vertex, list[_Vertex]] = {}
        for one in needs:
            wanted: list[_Vertex] = [e.needed for e in sorted(one.edges, key=lambda e: e.likely)]
            if one.meeting is not None:
                wanted.append(one.meeting)
                self._next[one.meeting] = list(one.meeting.missing)
            self._next[one.thread] = wanted
        # Whoever does not wait leads nowhere.
        self._next = {
            vertex: [target for target in ahead if target in self._next]
            for vertex, ahead in self._next.items()
        }

    def circles(self) -> list[list[Edge]]:
        """A short circle of each set of threads that all wait for each other."""
        found = []
        for together in self._components():
            start = next(v for v in self._next if v in together and v in self._needs)
            way = self._way_back(start, together)
            if way:
                found.append(self._edges(way))
        return found

    def _components(self) -> list[set[_Vertex]]:
        """The sets of vertices that lead to each other (Tarjan's algorithm, without recursion);
        those of one vertex only if it leads to itself."""
        number: dict[_Vertex, int] = {}
        lowest: dict[_Vertex, int] = {}
        path: list[_Vertex] = []
        on_path: set[_Vertex] = set()
        found = []
        for root in self._next:
            pending = [(root, 0)] if root not in number else []
            while pending:
                vertex, place = pending.pop()
                if place == 0:
                    number[vertex] = lowest[vertex] = len(number)
                    path.append(vertex)
                    on_path.add(vertex)
                ahead = self._next[vertex]
                if place:
                    lowest[vertex] = min(lowest[vertex], lowest[ahead[place - 1]])
                while place < len(ahead):
                    following = ahead[place]
                    place += 1
                    if following not in number:
                        pending += [(vertex, place), (following, 0)]
                        break
                    if following in on_path:
                        lowest[vertex] = min(lowest[vertex], number[following])
                else:
                    if lowest[vertex] == number[vertex]:
                        at = path.index(vertex)
                        together = set(path[at:])
                        del path[at:]
                        on_path -= together
                        if len(together) > 1 or vertex in ahead:
                            found.append(together)
        return found

    def _way_back(self, start: _Vertex, together: set[_Vertex]) -> list[_Vertex]:
        """The shortest way from a vertex to itself, from the vertex on."""
        came: dict[_Vertex, _Vertex] = {}
        frontier = [start]
        while frontier:
            following = []
            for vertex in frontier:
                for target in self._next[vertex]:
                    if target is start:
                        way = [vertex]
                        while way[-1] is not start:
                            way.append(came[way[-1]])
                        return way[::-1]
                    if target in together and target not in came:
                        came[target] = vertex
                        following.append(target)
            frontier = following
        return []

    def _edges(self, way: Sequence[_Vertex]) -> list[Edge]:
        threads = [self._needs[vertex].thread for vertex in way if vertex in self._needs]
        return [
            self._needs[waiter].edge_to(needed)
            for waiter, needed in zip(threads, [*threads[1:], threads[0]])
        ]

    def leading_to(self, vertices: Sequence[_Vertex]) -> set[_Vertex]:
        """All that wait, over however many others, for one of them; and these."""
        before: dict[_Vertex, list[_Vertex]] = {}
        for vertex, ahead in self._next.items():
            for target in ahead:
                before.setdefault(target, []).append(vertex)
        reached = set(vertices)
        pending = list(vertices)
        while pending:
            for vertex in before.get(pending.pop(), ()):
                if vertex not in reached:
                    reached.add(vertex)
                    pending.append(vertex)
        return reached


def locks_of(circle: Iterable[Edge]) -> list[Lock]:
    return [edge.lock for edge in circle if edge.lock is not None]
