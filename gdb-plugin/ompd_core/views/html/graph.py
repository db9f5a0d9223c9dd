# SPDX-License-Identifier: Apache-2.0
"""Who waits for whom, as a graph: threads lead to what they want, and that to who has it."""

from __future__ import annotations

from typing import Callable

from ...light_classes import dataclass, field
from . import locks, places, states, who
from .document import Json, number, object_of, objects, word, words
from .report import Report, plural

SHORT_LIST = 16  # characters of a list of ids
MOST_GROUPS = 12  # of threads outside of the circles
MOST_RINGS, LONGEST_RING = 4, 16  # circles that are drawn, edges of one


@dataclass(eq=False)
class Node:
    kind: str  # "thread", or what is waited for: "lock", "barrier", "task", "outside", "unknown"
    lines: list[str]
    stuck: bool = False
    names: list[str] = field(default_factory=list)  # of threads


@dataclass(eq=False)
class Arrow:
    source: Node
    target: Node
    words: str
    likely: bool = False
    stuck: bool = False


@dataclass
class Graph:
    nodes: list[Node] = field(default_factory=list)
    arrows: list[Arrow] = field(default_factory=list)
    rings: list[list[Node]] = field(default_factory=list)
    left_out: int = 0  # threads that wait and are not drawn


def of_report(report: Report) -> Graph:
    return _Maker(report).graph


class _Maker:
    def __init__(self, report: Report) -> None:
        self.graph = Graph()
        self._report = report
        self._objects: dict[tuple[str, ...], Node] = {}
        self._threads: dict[str, Node] = {}
        self._ways: set[tuple[int, int]] = set()
        waits = objects(report.deadlock, "waits")
        self._barriers = {
            name: barrier
            for one in waits
            if (barrier := object_of(one, "barrier"))
            for name in who.expanded(word(one, "who"))
        }
        self._held = _held(waits)
        for cycle in report.cycles[:MOST_RINGS]:
            if 0 < len(cycle) <= LONGEST_RING:
                self.graph.rings.append(self._ring(cycle))
        self._others(waits)

    # ---- Circles

    def _ring(self, cycle: list[Json]) -> list[Node]:
        ring: list[Node] = []
        threads = [self._stuck(word(edge, "thread") or "?") for edge in cycle]
        for i, edge in enumerate(cycle):
            waiter, needed = threads[i], threads[(i + 1) % len(threads)]
            ring.append(waiter)
            likely = edge.get("certainty") == "likely"
            wanted = self._wanted(edge)
            if wanted is None:
                self._lead(waiter, needed, word(edge, "kind") or "waits for", likely, True)
                continue
            wanted.stuck = True
            ring.append(wanted)
            self._lead(waiter, wanted, "waits for", False, True)
            self._lead(wanted, needed, _HAVING[wanted.kind], likely, True)
        return ring

    def _stuck(self, name: str) -> Node:
        if name not in self._threads:
            thread = self._report.thread(name)
            gdb = who.gdb_name(thread) if thread is not None else ""
            title = f"{name} ({gdb})" if gdb and gdb != name else name
            at = places.short(object_of(thread, "where")) if thread is not None else ""
            self._threads[name] = self._add(Node("thread", [title, at], True, [name]))
        return self._threads[name]

    def _wanted(self, edge: Json) -> Node | None:
        lock, task, region = word(edge, "wants"), word(edge, "task"), word(edge, "region")
        if lock is not None:
            return self._lock(lock)
        if task is not None:
            return self._object("task", task, f"task {task}", "")
        if region is not None:
            barrier = self._barriers.get(word(edge, "thread") or "", {})
            return self._barrier({"region": region, "name": "barrier", **barrier})
        return None

    # ---- What is waited for

    def _lock(self, name: str) -> Node:
        lock = self._report.locks.get(name, {})
        return self._object("lock", name, locks.in_words(lock) if lock else "lock", name)

    def _barrier(self, barrier: Json) -> Node:
        """Two may have one name; those who wait at one miss the same threads."""
        region, name = word(barrier, "region") or "?", word(barrier, "name") or "barrier"
        return self._object("barrier", f"{region} {name} {barrier.get('missing')}", name, region)

    def _object(self, kind: str, key: str, *lines: str) -> Node:
        if (kind, key) not in self._objects:
            shown = [line for line in lines if line]
            self._objects[kind, key] = self._add(Node(kind, shown))
        return self._objects[kind, key]

    # ---- Those that no circle holds

    def _others(self, waits: list[Json]) -> None:
        groups: list[tuple[Json, Node]] = []
        for one in sorted(waits, key=lambda one: -(number(one, "count") or 0)):
            names = [n for n in who.expanded(word(one, "who")) if n not in self._threads]
            goes_on = one.get("progress") and not one.get("for") and not one.get("barrier")
            if not names or goes_on:
                continue
            for alike in self._alike(names, lambda name: ""):
                if len(groups) >= MOST_GROUPS:
                    self.graph.left_out += len(alike)
                    continue
                groups.append((one, self._group(alike)))
        for one, node in groups:
            self._lead_on(one, node)
        for one in waits:  # the circles' own, which may need others too
            for name in who.expanded(word(one, "who")):
                if name in self._report.stuck and name in self._threads:
                    self._lead_on(one, self._threads[name])

    def _group(self, names: list[str]) -> Node:
        found = self._report.thread(names[0])
        said = states.words(found) if found is not None else ""
        title = who.compressed(names)
        gdb = who.gdb_name(found) if found is not None else ""
        if len(names) > 1:
            shown = title if len(title) <= SHORT_LIST else f"{title[:SHORT_LIST]}..."
            title = f"{plural(len(names), 'thread')}: {shown}"
        elif gdb and gdb != title:
            title += f" ({gdb})"
        node = self._add(Node("thread", [title, said], False, names))
        self._threads.update(dict.fromkeys(names, node))
        return node

    def _lead_on(self, one: Json, node: Node) -> None:
        for edge in objects(one, "for"):
            lock, task = word(edge, "lock"), word(edge, "task")
            wanted = self._lock(lock) if lock else None
            if wanted is None and task:
                wanted = self._object("task", task, f"task {task}", "")
            likely = edge.get("certainty") == "likely"
            target = self._holder(word(edge, "thread") or "?")
            if wanted is None:
                self._lead(node, target, "waits for", likely)
            else:
                self._lead(node, wanted, "waits for")
                self._lead(wanted, target, _HAVING[wanted.kind], likely)
        barrier = object_of(one, "barrier")
        if barrier:
            meeting = self._barrier(barrier)
            self._lead(node, meeting, "waits at")
            likely = barrier.get("certainty") == "likely"
            for target in self._missing(who.expanded(word(barrier, "missing"))):
                self._lead(meeting, target, _HAVING["barrier"], likely)
        outside = word(one, "outside")
        if outside:
            call = self._object("outside", outside, outside, "outside of OpenMP")
            self._lead(node, call, "waits in")
        unknown = word(one, "unknown")
        if unknown and not one.get("progress"):
            self._lead(node, self._object("unknown", unknown, "?", unknown), "waits for")

    def _holder(self, name: str) -> Node:
        return self._threads.get(name) or self._group([name])

    def _missing(self, names: list[str]) -> list[Node]:
        """Alike ones that do not wait stand together."""
        found = [self._threads[name] for name in names if name in self._threads]
        others = [name for name in names if name not in self._threads]
        found += [self._group(alike) for alike in self._alike(others, self._state)]
        return list(dict.fromkeys(found))

    def _state(self, name: str) -> str:
        thread = self._report.thread(name)
        return states.words(thread) if thread is not None else "?"

    def _alike(self, names: list[str], state: Callable[[str], str]) -> list[list[str]]:
        """Who has different things to himself is not drawn as one who has them all."""
        found: dict[tuple[str, frozenset[str]], list[str]] = {}
        for name in names:
            key = state(name), self._held.get(name, frozenset())
            found.setdefault(key, []).append(name)
        return list(found.values())

    # ----

    def _add(self, node: Node) -> Node:
        self.graph.nodes.append(node)
        return node

    def _lead(
        self, source: Node, target: Node, said: str, likely: bool = False, stuck: bool = False
    ) -> None:
        if (id(source), id(target)) not in self._ways:
            self._ways.add((id(source), id(target)))
            self.graph.arrows.append(Arrow(source, target, said, likely, stuck))


def _held(waits: list[Json]) -> dict[str, frozenset[str]]:
    """By thread, what others want of it alone: locks and tasks."""
    found: dict[str, set[str]] = {}
    for one in waits:
        for edge in objects(one, "for"):
            wanted = word(edge, "lock") or word(edge, "task") or word(one, "who") or ""
            found.setdefault(word(edge, "thread") or "?", set()).add(wanted)
    return {name: frozenset(wanted) for name, wanted in found.items()}


_HAVING = {"lock": "held by", "task": "executed by", "barrier": "missing"}


def unknown(report: Report) -> list[str]:
    return words(report.deadlock, "unknown")
