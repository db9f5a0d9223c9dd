# SPDX-License-Identifier: Apache-2.0
"""What has moved between two stops? Words of the runtime's memory are compared, and what the kernel
counts of each thread. Of a thread that waits never places: one that takes turns is at the same one
each time."""

from __future__ import annotations

from typing import Mapping, Sequence, Tuple

from .. import late_patterns
from ..library.types import Arrival, TeamArrivals
from ..light_classes import NamedTuple, dataclass, field
from . import turns
from .barriers import barrier_of
from .glibc import Kept, holders_words
from .locks import Lock, Locks
from .loops import HandedOut
from .native import Location
from .posts import Posts
from .process import Membership, Process, Thread
from .tasks import Tasks
from .waits import Arrivals, arrival_of

# By runtime, then by ViewRegion.address.
Counted = Mapping[int, Mapping[int, TeamArrivals]]
# How GDB knows a thread.
Ptid = Tuple[int, int, int]

WAIT, LOCK, BARRIER, TASKS, TURN = "wait", "lock", "barrier", "tasks", "turn"
ITERATION = "iteration"
_WORDS = {
    LOCK: "the locks' words and queues",
    BARRIER: "the barriers' counters",
    TASKS: "the tasks and their counters",
    TURN: "the turns of ordered constructs",
    ITERATION: "the iterations of doacross loops that threads wait for",
}
# Whoever sleeps in these runs only when the wait has ended. MPI's calls and poll may look again and
# again.
_BLOCKING_CALLS = late_patterns.compile(r"(__)?(read|recv\w*|accept4?)$")
_BLOCKING_KINDS = ("condition", "semaphore")
# Kinds of locks whose words count up.
_COUNTING = ("ticket", "drdpa")
# Whose structures of all kinds lie within so many bytes.
LOCK_SIZE = 64


class Watched(NamedTuple):
    """Seen from outside, while the program ran."""

    ran: Mapping[
        int, bool
    ] | None  # by LWP: has it used a processor? None: the kernel does not tell
    words: frozenset[int]  # the addresses that were watched
    changed: frozenset[int]  # those of them whose words changed
    again: frozenset[int] = frozenset()  # LWPs that ran in each half of the time
    starved: frozenset[int] = frozenset()  # LWPs that would have run, and got no processor for it


class Words(NamedTuple):
    """Of one thread that waits."""

    by_kind: dict[str, object]
    lock: tuple[int, int] | None = None  # the memory of its lock: address and size
    counts: bool = False  # one of them counts up: equal ones cannot be a later turn's
    steps: bool = False  # one counts up when the thread comes to the next barrier
    timed: bool = False  # it waits for so long only
    blocks: bool = False  # it sleeps until somebody ends the wait
    holder: Ptid | None = None  # of what it waits for so long only


@dataclass
class Moment:
    threads: set[Ptid] = field(default_factory=set)
    waiting: dict[Ptid, Words] = field(default_factory=dict)  # OpenMP's that wait
    others: dict[Ptid, Words] = field(default_factory=dict)  # and those that are not OpenMP's
    # Of those in regions: see root_of, and how many barriers each has been through.
    roots: dict[Ptid, int] = field(default_factory=dict)
    barriers: dict[Ptid, object] = field(default_factory=dict)
    places: dict[Ptid, object] = field(default_factory=dict)  # in the user's code

    @property
    def addresses(self) -> set[tuple[int, int]]:
        """What is to be watched while the program runs: address and size."""
        every = (*self.waiting.values(), *self.others.values())
        return {words.lock for words in every if words.lock is not None}

    def words(self, ptid: Ptid) -> Words | None:
        """None: it does not wait."""
        return self.waiting.get(ptid) or self.others.get(ptid)


@dataclass
class Movement:
    """Since an earlier moment."""

    seconds: float
    whole: bool  # the program ran all that time
    before: Moment
    now: Moment
    watched: Watched | None  # None: it was not

    def has_gone_on(self, thread: Thread) -> bool:
        """It does not wait for what it waited for then, if it did."""
        ptid = thread.native.ptid if thread.native is not None else None
        return ptid in self.before.threads and self._is_other(ptid)

    def stood_still(self, thread: Thread) -> bool:
        """For certain: it waited for the same all the time."""
        return thread.native is not None and self._stood_still(thread.native.ptid)

    def stayed(self, thread: Thread) -> bool:
        """Was it at the same place of the user's code both times? It may have been elsewhere."""
        if thread.native is None:
            return False
        there = self.now.places.get(thread.native.ptid)
        return there is not None and there == self.before.places.get(thread.native.ptid)

    def polled(self, thread: Thread) -> bool:
        """Did it wait for so long again and again? One such wait may be a long one."""
        return thread.native is not None and self._has_run(thread.native.ptid) is True

    @property
    def gone_on(self) -> list[Ptid]:
        """Of those that waited."""
        return [ptid for ptid in self.before.waiting if self._is_other(ptid)]

    @property
    def moved_roots(self) -> set[int]:
        """Of those that waited, and have gone on, or have been through barriers."""
        before = self.before
        passed = [ptid for ptid in before.barriers if self._counts_differ(ptid)]
        return {before.roots[ptid] for ptid in (*self.gone_on, *passed) if ptid in before.roots}

    @property
    def unsure(self) -> list[Ptid]:
        """Of those that waited, and wait again: it may be for the same."""
        return [
            ptid
            for ptid in self.before.waiting
            if not self._is_other(ptid) and not self._stood_still(ptid)
        ]

    @property
    def spinning(self) -> list[Ptid]:
        """Of those that waited all the time. One that polls does not."""
        waiting = self.before.waiting
        still = [ptid for ptid in waiting if not waiting[ptid].timed and self._stood_still(ptid)]
        return [ptid for ptid in still if self._has_run(ptid)]

    @property
    def compared(self) -> list[str]:
        found = {kind for words in self.now.waiting.values() for kind in words.by_kind}
        told = [text for kind, text in _WORDS.items() if kind in found]
        polls = any(words.timed for words in self.now.waiting.values())
        if self.watched is not None and self.watched.ran is not None:
            if not (self.spinning or polls):
                told.append("processor time and context switches")
        return told

    def _is_other(self, ptid: Ptid) -> bool:
        then, now = self.before.words(ptid), self.now.words(ptid)
        if then is None or now is None or then.by_kind != now.by_kind:
            return True
        if self._counts_differ(ptid):
            return True
        # A stop wakes it too, once.
        if now.blocks and self.watched is not None and ptid[1] in self.watched.again:
            return True
        if self.watched is None or then.lock is None:
            return False
        return then.lock[0] in self.watched.changed

    def _counts_differ(self, ptid: Ptid) -> bool:
        return self.before.barriers.get(ptid) != self.now.barriers.get(ptid)

    def _stood_still(self, ptid: Ptid) -> bool:
        if self._is_other(ptid) or (self.watched is not None and ptid[1] in self.watched.starved):
            return False
        words = self.now.words(ptid)
        assert words is not None
        if words.timed:
            return words.holder is not None and self._holds_on(words.holder)
        if words.steps and self.watched is not None and ptid[1] in self.watched.again:
            return True  # or it would have left the barrier, or come to the next one
        return words.counts or self._was_watched(words) or self._has_run(ptid) is False

    def _holds_on(self, holder: Ptid) -> bool:
        """A lock is not given up, and taken again, by one that only waits."""
        words = self.now.words(holder)
        return words is not None and not words.timed and self._stood_still(holder)

    def _was_watched(self, words: Words) -> bool:
        if self.watched is None or words.lock is None:
            return False
        return words.lock[0] in self.watched.words

    def _has_run(self, ptid: Ptid) -> bool | None:
        if self.watched is None or self.watched.ran is None:
            return None
        return self.watched.ran.get(ptid[1])


def take(
    process: Process,
    locks: Locks,
    tasks: Tasks | None,
    arrivals: Arrivals,
    loops: HandedOut,
    posts: Posts,
    counted: Counted,
) -> Moment:
    """tasks: None if they are not read."""
    every_task = _of_tasks(tasks) if tasks is not None else None
    wanted = {thread: lock for lock in locks.all for thread in lock.waiters}
    ptids = {t.native.num: t.native.ptid for t in process.threads if t.native is not None}
    moment = Moment()
    for thread in process.threads:
        if thread.native is not None:
            ptid = thread.native.ptid
            moment.threads.add(ptid)
            if thread.where is not None:
                moment.places[ptid] = _place(thread.where, thread.in_call)
            inside = [member for member in thread.openmp if member.chain]
            if inside:
                moment.roots[ptid] = root_of(inside[0])
                moment.barriers[ptid] = _barriers(inside, arrivals, counted)
            if _waits(thread):
                known = moment.waiting if thread.openmp else moment.others
                words = _words(thread, wanted.get(thread), every_task, arrivals, loops, counted)
                post = posts.get(thread)
                if post is not None:
                    words.by_kind[ITERATION] = (post.iteration, post.loop.loop)
                known[ptid] = _of_library(words, thread.kept, ptids)
    return moment


def root_of(member: Membership) -> int:
    """Of whose program it is: the address of its initial region."""
    return member.chain[-1][0].raw.address


def _barriers(inside: Sequence[Membership], arrivals: Arrivals, counted: Counted) -> object:
    """How many it has been through in each of its regions, as far as the runtimes count them."""
    found: list[object] = []
    for member in inside:
        arrival = arrival_of(member, arrivals) or Arrival()
        found += [arrival.steps, arrival.team_steps]
        teams = counted.get(member.runtime, {})
        for region, _ in member.chain:
            team = teams.get(region.raw.address)
            found += [region.raw.address, (team.steps, team.regions) if team is not None else None]
    return found


def _waits(thread: Thread) -> bool:
    if not thread.openmp:
        return thread.kept is not None
    return thread.in_call is not None or any(member.wait is not None for member in thread.openmp)


def _words(
    thread: Thread,
    lock: Lock | None,
    every_task: object,
    arrivals: Arrivals,
    loops: HandedOut,
    counted: Counted,
) -> Words:
    kept = thread.kept
    outside = (kept.kind, kept.address, kept.owner) if kept is not None else None
    found: dict[str, object] = {WAIT: (outside, *(_wait(member) for member in thread.openmp))}
    counts = steps = False
    if lock is not None:
        queue = tuple(_ptid(one) for one in lock.waiters) if lock.ordered else ()
        found[LOCK] = (lock.raw.address, lock.raw.word, lock.raw.owner_id, queue)
        counts = lock.raw.kind in _COUNTING
    for member in thread.openmp:
        wait = member.wait
        if wait is None:
            continue
        if wait.kind == "barrier":
            arrival = arrival_of(member, arrivals) or Arrival()
            found[BARRIER] = (arrival, member.round)
            is_there = member.round is not None or bool(arrival.arrived & barrier_of(wait))
            counts = counts or is_there
            steps = steps or bool(arrival.steps)
            counts = counts or _counts_barriers(member, counted)
        if wait.kind == "ordered":
            loop = turns.loop_of(member, loops)
            found[TURN] = loop._replace(thread=None) if loop is not None else None
        if wait.kind in ("taskwait", "taskgroup", "depend", "barrier") and every_task is not None:
            found[TASKS] = every_task
    memory = (lock.raw.address, LOCK_SIZE) if lock is not None else None
    return Words(found, memory, counts, steps, blocks=_blocks(thread))


def _counts_barriers(member: Membership, counted: Counted) -> bool:
    """Does the count of its team tell whether it has come to another barrier? Of nested regions
    each has a team that begins to count anew."""
    if len(member.chain) > 2:
        return False
    return member.chain[0][0].raw.address in counted.get(member.runtime, {})


def _blocks(thread: Thread) -> bool:
    """Does it sleep for what others of the program or of other processes do, and not poll?"""
    kept = thread.kept
    if kept is not None:
        return kept.kind in _BLOCKING_KINDS and not (kept.timed or kept.goes_on)
    call = thread.in_call.function if thread.in_call is not None else None
    return call is not None and _BLOCKING_CALLS.match(call) is not None


def _of_library(words: Words, kept: Kept | None, ptids: Mapping[int, Ptid]) -> Words:
    """With what the C library tells of a wait with a limit of time."""
    if kept is None or not kept.timed:
        return words
    holder = ptids.get(kept.owner) if kept.owner is not None else None
    return words._replace(lock=holders_words(kept), timed=True, holder=holder)


def _wait(member: Membership) -> object:
    wait, region = member.wait, member.region
    return (
        member.state,
        (wait.kind, wait.construct, wait.address) if wait is not None else None,
        region.raw.address if region is not None else None,
        member.task.address if member.task is not None else None,
    )


def _place(where: Location, call: Location | None) -> object:
    at = where.line if where.line is not None else where.pc
    return (where.file, where.function, at, call.function if call is not None else None)


def _ptid(thread: Thread | None) -> Ptid | None:
    """What a thread is known by at another stop; its place in a view is not."""
    return thread.native.ptid if thread is not None and thread.native is not None else None


def _of_tasks(tasks: Tasks) -> object:
    return frozenset(
        (t.raw.address, t.raw.state, t.raw.children, _ptid(t.thread)) for t in tasks.all
    )
