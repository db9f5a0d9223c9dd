# SPDX-License-Identifier: Apache-2.0
"""Do threads wait for each other in a circle?

Each thread that waits needs all that it waits for, so any circle is a deadlock. What is not known
is no edge of the graph. Without a circle the verdict is that there is none if somebody can go on,
and it is certain if what is not known cannot close one.
"""

from __future__ import annotations

from typing import Iterable, Mapping, Sequence, Union

from ..light_classes import dataclass, field, replace
from . import doubts, ids, spinning
from .doubts import Doubt
from .locks import Lock, Locks
from .loops import HandedOut
from .moments import Movement, root_of
from .posts import Posts
from .process import Membership, Process, Thread, pairs
from .standstill import Standstill
from .tasks import ExplicitTask, Tasks
from .waits import Arrivals, Edge, Meeting, Needs, needs_of, waits_in

# A task waits for those that it generated, or for earlier ones, and a turn comes after the turns
# before it: such waits alone make no circle. A barrier makes one only with a second barrier.
_IN_ORDER = ("taskwait", "taskgroup", "depend", "ordered", "doacross", "barrier")

MOST_TASKS = 16


@dataclass
class Deadlock:
    """What the graph says."""

    process: Process
    needs: list[Needs]
    circles: list[list[Edge]] = field(default_factory=list)  # each edge leads to the next's waiter
    bystanders: list[Thread] = field(default_factory=list)  # they wait for those in the circles
    unknown: list[str] = field(default_factory=list)  # why it cannot be told
    open: list[str] = field(default_factory=list)  # not known either, but somebody is at work
    gone_on: list[Thread] = field(default_factory=list)  # since an earlier moment; they wait again
    standstill: Standstill | None = None  # of which it matters what may wake them
    queued: list[ExplicitTask] = field(default_factory=list)  # that nobody comes to take then

    @property
    def verdict(self) -> str:
        if self.circles:
            return "deadlock"
        if self.forsaken:
            return "never_released"
        if self.nobody_wakes:
            return "standstill"
        return "unknown" if self.unknown else "none"

    @property
    def stuck(self) -> list[Thread]:
        """The threads of the circles."""
        return list(dict.fromkeys(edge.waiter for circle in self.circles for edge in circle))

    @property
    def forsaken(self) -> list[Needs]:
        """Those that wait for what nobody will give up."""
        return [one for one in self.needs if one.nobody is not None]

    @property
    def nobody_wakes(self) -> bool:
        """All threads of the process sleep, and nothing wakes one."""
        return self.standstill is not None and self.standstill.lasts

    @property
    def certain(self) -> bool:
        """Is one of the circles; without one, are all that the verdict rests on?"""
        if self.circles:
            return any(not any(edge.likely for edge in circle) for circle in self.circles)
        if self.standstill is not None and self.verdict == "standstill":
            return self.standstill.unseen is None
        rests = [edge.likely for one in self.needs for edge in one.edges]
        return not (any(rests) or self.open or self.gone_on)

    def named_tasks(self) -> list[ExplicitTask]:
        """That threads wait for, or that nobody takes: so many as are told."""
        found = [*(task for one in self.needs for task in one.tasks), *self.queued]
        return list(dict.fromkeys(found))[:MOST_TASKS]

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


def find(
    process: Process,
    locks: Locks,
    tasks: Tasks | None,
    arrivals: Arrivals,
    loops: HandedOut | None = None,
    posts: Posts | None = None,
    movement: Movement | None = None,
    standstill: Standstill | None = None,
) -> Deadlock:
    """loops: that the runtimes schedule; posts: that threads wait for; movement: since an earlier
    moment; standstill: all threads sleep."""
    needs = needs_of(process, locks, tasks, arrivals, loops or {}, posts or {})
    found = Deadlock(process, needs)
    if movement is not None:
        found.gone_on = [one.thread for one in needs if movement.has_gone_on(one.thread)]
    for one in needs:
        if one.thread in found.gone_on:
            one.progress = True  # whatever it waits for has come before
        elif movement is not None and one.doubt and movement.stood_still(one.thread):
            one.doubt = None
        if one.timed is not None:
            _settle_poll(one, movement)
    found.circles = _Graph([_proven(one) for one in needs]).circles()
    bystanders = _Graph(needs).leading_to(found.stuck).difference(found.stuck)
    found.bystanders = [one.thread for one in needs if one.thread in bystanders]
    if standstill is not None and _concerns(standstill, needs):
        found.standstill = standstill if _all_stay(found, standstill, tasks, movement) else None
    if found.standstill is not None and tasks is not None:
        found.queued = [task for task in tasks.all if task.raw.state == "ready"]
    if not found.circles:
        _add_unknown(found, movement.moved_roots if movement is not None else set())
    return found


def _settle_poll(one: Needs, movement: Movement | None) -> None:
    """A lock is one, also if it is waited for with a limit of time, again and again. By one look
    that cannot be told from a wait that ends."""
    if movement is not None and not one.progress and movement.polled(one.thread):
        one.timed = "poll"
        if one.edges and movement.stood_still(one.thread):
            one.timed = None
            one.edges = [edge._replace(doubt=doubts.POLLED) for edge in one.edges]
            return
    call = one.thread.in_call
    one.edges, one.unknown, one.open_ended = [], None, True
    one.outside = call.function if call is not None else None


def _concerns(standstill: Standstill, needs: Sequence[Needs]) -> bool:
    """What is only likely is said where somebody waits in a region: many a program without work
    waits for a signal, and looks the same."""
    return standstill.unseen is None or any(_is_in_region(one.thread) for one in needs)


def _all_stay(
    found: Deadlock, standstill: Standstill, tasks: Tasks | None, movement: Movement | None
) -> bool:
    """Also those that are awake?"""
    if not standstill.awake:
        return True
    by_lwp = {t.native.ptid[1]: t for t in found.process.threads if t.native is not None}
    awake = {by_lwp[lwp] for lwp in standstill.awake if lwp in by_lwp}
    asleep = {by_lwp[lwp] for lwp in standstill.lwps if lwp in by_lwp}
    if len(awake) < len(standstill.awake):
        return False
    return spinning.can_only_wait(
        *(awake, asleep, found.needs, tasks),
        lambda thread: movement is not None and movement.stood_still(thread),
    )


def _is_in_region(thread: Thread) -> bool:
    regions = (member.region for member in thread.openmp if member.chain)
    return any(one is not None and one.raw.generator != "program" for one in regions)


def _proven(one: Needs) -> Needs:
    """Without a barrier that it may have been let go from."""
    return one if one.doubt is None else replace(one, meeting=None)


def _add_unknown(found: Deadlock, moved_roots: set[int]) -> None:
    """What is not known decides where nobody is at work, and nobody has gone on since.
    moved_roots: where somebody that waited has, who may not wait any more."""
    moved = moved_roots | {root_of(m) for t in found.gone_on for m in t.openmp if m.chain}
    unclear = found.process.unclear()
    standing = _without_anybody_free(found.process, found.needs, [thread for thread, _ in unclear])
    still = {thread for root in standing for thread in root}
    in_doubt = [m for thread, m in unclear if thread in still and root_of(m) not in moved]
    runs = found.process.who_runs()
    found.unknown = [runs] if runs is not None else []
    found.unknown += _unclear(in_doubt)
    # Where it is not known who waits, it does not matter yet for what the others do.
    decided = moved_roots.union(map(root_of, in_doubt))
    blocking = [
        one
        for one in _open_ends(found.needs)
        if one.thread in still and not one.progress and not _is_of(one.member, decided)
    ]
    found.unknown += _reasons(blocking)
    found.unknown += _what_may_wake(found)
    found.open = _unclear([member for _, member in unclear if member not in in_doubt])
    found.open += _reasons([one for one in _in_doubt(found.needs) if one not in blocking])


def _what_may_wake(found: Deadlock) -> list[str]:
    """Where nobody is at work: a signal, or what else there is to an open question."""
    asleep = found.standstill
    if asleep is None or asleep.lasts or not (asleep.signals or found.unknown):
        return []
    number, verb = len(asleep.lwps | asleep.awake), "wait" if asleep.awake else "sleep"
    all_sleep = (
        f"all {number} threads of the process {verb}" if number > 1 else f"its only thread {verb}s"
    )
    if asleep.doubts:
        return [f"{all_sleep}, but {asleep.doubts[0]}"]
    have = "has a handler" if len(asleep.signals) == 1 else "have handlers"
    return [f"{all_sleep}, and only a signal could wake one ({', '.join(asleep.signals)} {have})"]


def _is_of(member: Membership, roots: set[int]) -> bool:
    return bool(member.chain) and root_of(member) in roots


def _unclear(members: Sequence[Membership]) -> list[str]:
    """They may wait or not."""
    if not members:
        return []
    verb = "does" if len(members) == 1 else "do"
    return [f"it is not known what {ids.short_thread_list(pairs(members))} {verb}"]


def _in_doubt(needs: Sequence[Needs]) -> list[Needs]:
    """The waits that may be parts of a circle."""
    possible = _Graph(needs, _at_worst(needs))
    together = [one for group in possible.sets() if _may_be_circle(group) for one in group]
    within = {one.thread for one in together}
    return [one for one in _open_ends(needs) if one.thread in within and not one.progress]


def _open_ends(needs: Sequence[Needs]) -> list[Needs]:
    """Of which not all is known."""
    return [one for one in needs if one.unknown or one.outside or one.timed or one.doubt]


def _at_worst(needs: Sequence[Needs]) -> dict[Thread, _Anybody]:
    """For each wait of which not all is known: those who may have to end it."""
    anybody = _Anybody([one.thread for one in needs])
    # Whoever is at a barrier behind a loop has had all its turns.
    in_loop = _Anybody([one.thread for one in needs if one.wait.kind != "barrier"])
    return {
        one.thread: in_loop if one.wait.kind in ("ordered", "doacross") else anybody
        for one in needs
        if (one.unknown or one.outside or one.timed) and not one.progress
    }


def _may_be_circle(group: Sequence[Needs]) -> bool:
    meetings = {id(one.meeting) for one in group if one.meeting is not None}
    outside = any(one.outside or one.wait.kind not in _IN_ORDER for one in group)
    return len(meetings) > 1 or outside


def _without_anybody_free(
    process: Process, needs: Sequence[Needs], unclear: Iterable[Thread]
) -> list[list[Thread]]:
    """For each program's initial region: its threads, if each of them waits for something, or may,
    and nobody else is at work for whom they do, be it another process."""
    waiting = {one.thread: one.progress for one in needs}
    at_work = {thread for thread, goes_on in waiting.items() if goes_on}
    others_work = any(_is_free(thread) for thread in process.threads if not thread.openmp)
    for one in needs:
        held_by_one_at_work = any(e.kept and e.needed not in waiting for e in one.edges)
        if held_by_one_at_work or one.elsewhere or (one.open_ended and others_work):
            waiting[one.thread] = True
    unknown = set(unclear)
    for thread in unknown:
        waiting.setdefault(thread, False)
    groups: dict[object, list[Thread]] = {}
    for thread in process.threads:
        if thread.ended:
            continue
        roots = [member.chain[-1][0] for member in thread.openmp if member.chain]
        if roots or thread in waiting:
            groups.setdefault(roots[0] if roots else None, []).append(thread)
    let_go = {thread for thread, goes_on in waiting.items() if goes_on}
    standing = []
    for group in groups.values():
        # Who is at work for one that waits need not be for one of which nothing is known.
        free = let_go if unknown.isdisjoint(group) else at_work
        if all(thread in waiting and thread not in free for thread in group):
            standing.append(group)
    return standing


def _is_free(thread: Thread) -> bool:
    """Of one that is none of OpenMP's: is it at work, as far as is seen?"""
    kept = thread.kept is not None and not thread.kept.goes_on
    return thread.where is not None and not (kept or waits_in(thread) or thread.broken)


def _reasons(doubted: Sequence[Needs]) -> list[str]:
    """Those who wait outside of OpenMP are named, alike ones together."""
    found = dict.fromkeys(one.unknown for one in doubted if one.unknown)
    unproven: dict[Doubt, list[Membership]] = {}
    for one in doubted:
        if one.doubt is not None and not one.unknown:
            unproven.setdefault(one.doubt, []).append(one.member)
    for doubt, members in unproven.items():
        found[f"of {ids.short_thread_list(pairs(members))}, {doubt.why}"] = None
    calls: dict[tuple[str | None, str | None], list[Needs]] = {}
    for one in doubted:
        is_outside = one.outside is not None and one.unknown is None and one.member.chain
        if is_outside or one.timed is not None:
            calls.setdefault((one.outside, one.timed), []).append(one)
    return [*found, *(_in_call(call, timed, those) for (call, timed), those in calls.items())]


def _in_call(call: str | None, timed: str | None, those: Sequence[Needs]) -> str:
    """R1.0-2 poll with a limit of time in sem_timedwait ()"""
    strangers = [
        t.native.num for t in (one.thread for one in those if not one.member.chain) if t.native
    ]
    named = [ids.short_thread_list(pairs(one.member for one in those))]
    named += [f"T{ids.compress(strangers)}"] if strangers else []
    verb = (timed or "wait") + ("s" if len(those) == 1 else "")
    words = f"{' '.join(filter(None, named))} {verb}"
    if timed is None:
        return f"{words} outside of OpenMP, in {call}"
    return f"{words} with a limit of time" + (f" in {call} ()" if call is not None else "")


@dataclass(eq=False)
class _Anybody:
    threads: list[Thread]


_Vertex = Union[Thread, Meeting, _Anybody]


class _Graph:
    """Its vertices are threads, and barriers, which stand between those that wait there and those
    that are missing. possible: also those whom a thread may wait for."""

    def __init__(self, needs: Sequence[Needs], possible: Mapping[Thread, _Anybody] = {}) -> None:
        self._needs: dict[_Vertex, Needs] = {one.thread: one for one in needs}
        self._next: dict[_Vertex, list[_Vertex]] = {}
        for one in needs:
            wanted: list[_Vertex] = [e.needed for e in sorted(one.edges, key=lambda e: e.likely)]
            if one.meeting is not None:
                wanted.append(one.meeting)
                self._next[one.meeting] = list(one.meeting.missing)
            anybody = possible.get(one.thread)
            if anybody is not None:
                wanted.append(anybody)
                self._next[anybody] = list(anybody.threads)
            self._next[one.thread] = wanted
        # Whoever does not wait leads nowhere.
        self._next = {
            vertex: [target for target in ahead if target in self._next]
            for vertex, ahead in self._next.items()
        }

    def sets(self) -> list[list[Needs]]:
        """The threads that all wait for each other, of each such set."""
        return [
            [self._needs[vertex] for vertex in self._needs if vertex in together]
            for together in self._components()
        ]

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
