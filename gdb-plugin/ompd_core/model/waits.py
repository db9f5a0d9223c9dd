# SPDX-License-Identifier: Apache-2.0
"""Whom does each thread wait for?

A thread that waits needs every thread that it waits for: the one that holds a lock, all that are
missing at a barrier, those that execute the tasks of a taskwait. What is not known is no edge.
"""

from __future__ import annotations

from typing import Mapping, Sequence

from .. import late_patterns
from ..library.types import Arrival, ViewThread
from ..light_classes import NamedTuple, dataclass, field
from . import barriers, doubts, ids, posts, turns
from .barriers import barrier_of
from .doubts import Doubt
from .glibc import Kept
from .locks import CONSTRUCTS, Lock, Locks
from .loops import HandedOut
from .posts import Post, Posts, Unposted
from .process import Membership, Process, Region, Thread, Wait, pairs
from .tasks import ExplicitTask, Tasks

# Functions that wait for other processes or for the user, as far as their names tell.
_ELSEWHERE = (
    r"P?MPI_\w+|p?poll|p?select|epoll_p?wait|recv\w*|accept4?|connect"
    r"|wait(pid|id|3|4)?|msgrcv|mq_receive|sigwait\w*|pause"
    r"|flock|lockf(64)?|fcntl(64)?|sem(timed)?op"
)
_IS_ELSEWHERE = late_patterns.compile(rf"(__)?({_ELSEWHERE})$")
# And those that may do so for other threads too, through a pipe.
_THROUGH_PIPES = r"readv?|writev?|send\w*"
MAYBE_ELSEWHERE = late_patterns.compile(rf"(__)?({_THROUGH_PIPES}|{_ELSEWHERE})$")
# Those, and the ones that wait for other threads. A sleep ends.
OUTSIDE = late_patterns.compile(
    r"(__)?(pthread_(mutex_lock|cond_wait|cond_timedwait|barrier_wait|join)"
    r"|pthread_rwlock_(timed|clock)?(rd|wr)lock"
    rf"|sem_(timed)?wait|futex|syscall|{_THROUGH_PIPES}|{_ELSEWHERE})$"
)
# Of a thread that is none of OpenMP's.
_NO_MEMBER = Membership(-1, ViewThread(None, "none"))
# Steps along the dependences of one taskwait, whatever the target says.
MOST_STEPS = 1 << 16
UNLISTED = (
    "the runtime keeps tasks that it does not list, such as detached ones whose event the program"
    " has not fulfilled"
)


def waits_in(thread: Thread) -> str | None:
    """The function outside OpenMP that it waits in: what the user's code called, or what that led
    to, as fgets () leads to read ()."""
    called = thread.in_call.function if thread.in_call is not None else None
    if called is not None and OUTSIDE.match(called):
        return called
    return thread.system_call if called is not None else None


class Edge(NamedTuple):
    """waiter cannot go on before needed has."""

    waiter: Thread
    needed: Thread
    member: Membership  # what the waiter's runtime knows of it
    wait: Wait
    lock: Lock | None = None
    region: Region | None = None  # whose barrier it is
    task: ExplicitTask | None = None  # that the needed thread executes
    after: ExplicitTask | None = None  # that is waited for, if it is not that one: depends on it
    kept: Kept | None = None  # what of the C library's it is
    ordered: bool = False  # the needed thread has the iteration whose turn it is
    post: Post | None = None  # which iteration of a doacross loop it is
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
    doubt: Doubt | None = None  # that anybody is missing
    over: bool = False  # all have come to it; who has come again since then waits for the next one


@dataclass(eq=False)
class Needs:
    """Of one thread that waits."""

    thread: Thread
    member: Membership
    wait: Wait
    edges: list[Edge] = field(default_factory=list)
    meeting: Meeting | None = None
    unknown: str | None = None  # why it is not known all that it waits for
    nobody: str | None = None  # why there is nobody who will let it go
    forgotten: Lock | None = None  # the lock that nobody will give up
    unposted: Unposted | None = None  # the iteration that nobody will post
    events: list[ExplicitTask] = field(default_factory=list)  # detached tasks that it waits for
    held: bool = False  # by another thread, whichever it is: the lock that it waits for
    ended: bool = False  # whoever should has ended
    outside: str | None = None  # the function outside of OpenMP that it waits in
    elsewhere: bool = False  # there, for another process or the user
    progress: bool = False  # nothing that is not known keeps it: it is being let go, or can be
    doubt: Doubt | None = None  # that it waits at the meeting: it may have been let go
    open_ended: bool = False  # what is no OpenMP thread may end it
    timed: str | None = None  # it does so with a limit of time: "wait", or "poll" again and again

    @property
    def tasks(self) -> list[ExplicitTask]:
        """That have to end before it goes on, and that nobody waits to begin."""
        found = (task for edge in self.edges for task in (edge.after, edge.task))
        return [*(task for task in found if task is not None), *self.events]

    @property
    def needed(self) -> list[Thread]:
        """Those that it cannot go on without, as far as they are certain."""
        found = [edge.needed for edge in self.edges if edge.doubt is None]
        return [*found, *(self.meeting.missing if self.meeting is not None else ())]

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
            doubt=self.doubt,
        )


# By runtime, then by ViewThread.index. A runtime whose barriers cannot be read is not in it.
Arrivals = Mapping[int, Mapping[int, Arrival]]
_NOTHING = Arrival()


def any_is_over(arrivals: Arrivals) -> bool:
    """Is there a barrier to which all have come, and where somebody still sleeps?"""
    return any(word.complete for words in arrivals.values() for word in words.values())


def arrival_of(member: Membership, arrivals: Arrivals) -> Arrival | None:
    """None: the barriers' words of its runtime, or which are its own, are not known."""
    known = arrivals.get(member.runtime)
    number = member.raw.index
    return known.get(number, _NOTHING) if known is not None and number is not None else None


def needs_of(
    process: Process,
    locks: Locks,
    tasks: Tasks | None,
    arrivals: Arrivals,
    loops: HandedOut,
    awaited: Posts,
) -> list[Needs]:
    """Of all threads that wait. tasks: None if the runtime's cannot be read."""
    return _Edges(process, locks, tasks, arrivals, loops, awaited).of(process)


class _Edges:
    def __init__(
        self,
        process: Process,
        locks: Locks,
        tasks: Tasks | None,
        arrivals: Arrivals,
        loops: HandedOut,
        awaited: Posts,
    ) -> None:
        self._by_number = {t.native.num: t for t in process.threads if t.native is not None}
        self._locks = locks
        self._tasks = tasks
        self._arrivals = arrivals
        self._loops = loops
        self._posts = awaited
        self._meetings: dict[tuple[int, int], Meeting] = {}
        self._left: dict[int, set[object]] = {}  # barriers that somebody is leaving, by region

    def of(self, process: Process) -> list[Needs]:
        found = [one for thread in process.threads if (one := self._of_thread(thread))]
        self._need_posts([one for one in found if one.wait.kind == "doacross" and not one.unknown])
        inside = {one.thread for one in found if one.thread.openmp}
        concerned = _led_to(found, inside) | _circling(found)
        return [one for one in found if one.thread in inside | concerned]

    def _of_thread(self, thread: Thread) -> Needs | None:
        """None: it does not wait."""
        for member in thread.openmp:
            if member.wait is not None and member.wait.phase is not None:
                # A device is at work; of threads only one that holds a lock of the offload
                # runtime's can keep it.
                return self._outside(thread, member, thread.kept) if thread.kept else None
            if member.wait is not None:
                needs = Needs(thread, member, member.wait)
                if "state" in member.doubts:
                    needs.unknown = member.doubts["state"].why
                else:
                    self._need(needs, member, member.wait)
                return needs
            if member.region is not None and member.region.stays_at_start:
                needs = Needs(thread, member, Wait("barrier", thread.where), ended=True)
                needs.nobody = _left_by_fork(thread, member.region)
                return needs
        member = thread.openmp[0] if thread.openmp else _NO_MEMBER
        if thread.kept is not None:
            return self._outside(thread, member, thread.kept)
        call = waits_in(thread)
        if call is None or not thread.openmp:
            return None
        wait = Wait("call", thread.where)
        # What the C library reads into its buffers or writes from them is hardly a thread's.
        buffered = thread.in_call is not None and thread.in_call.function != call
        elsewhere = buffered or _IS_ELSEWHERE.match(call) is not None
        return Needs(thread, member, wait, outside=call, elsewhere=elsewhere, open_ended=True)

    def _outside(self, thread: Thread, member: Membership, kept: Kept) -> Needs:
        wait = Wait(kept.kind, thread.where, address=kept.address, name=kept.name)
        needs = Needs(thread, member, wait, progress=kept.goes_on, nobody=kept.nobody)
        owner = self._by_number.get(kept.owner) if kept.owner is not None else None
        if kept.timed and owner is None and thread.openmp and not thread.in_team:
            needs.progress = True  # an event loop of a serial part is no lock
        if needs.progress:
            return needs
        if kept.timed:
            needs.timed, needs.nobody = "wait", None
        if owner is not None:
            others = [one for n in kept.also if (one := self._by_number.get(n)) is not None]
            doubt = doubts.RWLOCK_BY_CODE if kept.by_code else None
            for needed in (owner, *others):
                needs.edges.append(Edge(thread, needed, member, wait, kept=kept, doubt=doubt))
            needs.open_ended = not any(one.chain for one in owner.openmp)
        elif needs.nobody is None:
            needs.unknown = kept.unknown
            needs.open_ended = True
            needs.outside = thread.in_call.function if thread.in_call is not None else None
        return needs

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
        elif wait.kind == "ordered" and member.region is not None:
            self._need_turn(needs, member, wait, member.region)
        elif wait.kind == "doacross":
            if needs.thread not in self._posts:
                needs.unknown = (
                    "it is not known for which iteration a thread waits in a doacross loop"
                )
        else:
            needs.unknown = "the runtime does not tell whose turn it is in an ordered construct"

    def _need_turn(self, needs: Needs, member: Membership, wait: Wait, region: Region) -> None:
        thread = turns.holder(member, region, self._loops)
        if thread is not None and thread is not needs.thread:
            needs.edges.append(Edge(needs.thread, thread, member, wait, ordered=True))
            if thread.ended:
                self._mourn(needs, [thread], "and others wait for its turn in ordered")
        else:
            needs.unknown = "it is not known which thread has the iteration whose turn it is"

    def _need_posts(self, waiting: Sequence[Needs]) -> None:
        """Of all that wait in doacross loops together: it is looked for who of them can go on."""
        found = {
            one.thread: posts.posters(one.thread, one.member, self._posts[one.thread])
            for one in waiting
        }
        stuck = posts.never(found)
        for one in waiting:
            post = self._posts[one.thread]
            if one.thread in stuck:
                one.nobody = "nobody will post the iteration that it waits for"
                one.unposted = posts.first_unposted(one.thread, stuck, self._posts)
                continue
            movers = posts.movers(one.thread, found)
            known = [thread for thread in movers if thread is not None]
            if len(movers) == len(known) == 1:
                one.edges.append(Edge(one.thread, known[0], one.member, one.wait, post=post))
            else:
                one.unknown = (
                    "it is not known which thread executes the iteration of a doacross loop that"
                    " others wait for"
                )

    def _need_holder(self, needs: Needs, member: Membership, wait: Wait) -> None:
        lock = self._locks.wanted_by(needs.thread)
        if lock is None:
            needs.unknown = "it is not known which lock a thread waits for"
        elif lock.raw.held is False:
            self._need_free(needs, lock)
        elif lock.never_released and lock.holder is None:
            self._forget(needs, lock)
        elif lock.holder is None:
            doubt = lock.doubts.get("holder")
            how = f"; {doubt.advice}" if doubt is not None and doubt.advice else ""
            certain = needs.thread not in lock.likely_waiters and lock.all_waiters_are_counted
            needs.held = bool(lock.raw.held) and certain
            needs.unknown = f"it is not known who holds {lock.id}{how}"
        elif lock.holder is needs.thread and lock.holder not in lock.told:
            needs.unknown = (
                f"either {lock.id} has just been given to the thread that is in its code, or that"
                " thread waits for itself"
            )
        elif lock.holder is needs.thread and lock.raw.nested:
            # libgomp's are a task's: another one of the same thread has to wait.
            needs.unknown = (
                f"the thread that is in a call to set {lock.id} has set it before, which can be set"
                " again"
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
            if lock.never_released:
                self._forget(needs, lock)
            elif doubt is None and lock.holder.ended:
                self._mourn(needs, [lock.holder], f"and it holds {lock.id}, which others wait for")

    @staticmethod
    def _need_free(needs: Needs, lock: Lock) -> None:
        """Either the thread can take it, or it waits for another one."""
        if needs.thread in lock.likely_waiters:
            needs.unknown = (
                f"{lock.id} is free, and whether a thread in a lock's code waits for it is not"
                " certain"
            )
        else:
            needs.progress = True

    @staticmethod
    def _mourn(needs: Needs, those: Sequence[Thread], what: str) -> None:
        members = (member for thread in those for member in thread.openmp)
        verb = "has" if len(those) == 1 else "have"
        needs.nobody = f"{ids.short_thread_list(pairs(members))} {verb} ended, {what}"
        needs.ended = True

    @staticmethod
    def _forget(needs: Needs, lock: Lock) -> None:
        needs.forgotten = lock
        needs.nobody = f"nobody is between the set and the unset of {lock.id}, which is held"

    def _need_missing(self, needs: Needs, member: Membership, wait: Wait) -> None:
        region = member.region
        if region is None:
            needs.unknown = "it is not known which region a thread is in"
            return
        if wait.construct == "teams":
            needs.unknown = "who is missing at the end of a league is not read"
            return
        barrier = barrier_of(wait)
        meeting = self._meeting(region, barrier)
        if meeting.over and not self._arrival(member).arrived & barrier:
            meeting = Meeting(region, [], True, doubts.BARRIER_NOT_PROVEN)
        needs.meeting = meeting
        proven = self._is_proven(member, barrier)
        if not proven or barriers.likeness(wait) in self._being_left(region):
            needs.doubt = doubts.BARRIER_NOT_PROVEN
            if _is_between_tasks(member):
                needs.doubt = doubts.BETWEEN_TASKS
        if not meeting.complete:
            needs.unknown = f"not all threads of {region.id} are known"
        elif not meeting.missing:
            # All have come: they are being let go, if no task keeps them.
            needs.unknown = self._kept_by_tasks(needs, region)
            needs.progress = needs.unknown is None
            needs.open_ended = True  # detached tasks
        ended = [thread for thread in meeting.missing if thread.ended]
        if region.gone and needs.doubt is None:
            needs.nobody, needs.ended, needs.unknown = _gone(needs.thread, region), True, None
        elif ended and needs.doubt is None:
            them = "it" if len(ended) == 1 else "them"
            self._mourn(needs, ended, f"and others of {region.id} wait at a barrier for {them}")

    def _being_left(self, region: Region) -> set[object]:
        if id(region) not in self._left:
            self._left[id(region)] = barriers.being_left(region)
        return self._left[id(region)]

    def _meeting(self, region: Region, barrier: int) -> Meeting:
        """Unless it is proven of somebody that he waits, those who stand there may have been let
        go."""
        key = (id(region), barrier)
        if key not in self._meetings:
            missing = []
            proven = over = False
            for thread in region.members:
                member = barriers.member_of(thread, region)
                if barriers.is_at(member, region, barrier):
                    proven = proven or self._is_proven(member, barrier)
                    over = over or self._is_over(member, barrier)
                else:
                    missing.append(thread)
            known = [thread for thread in missing if thread is not None]
            self._meetings[key] = Meeting(
                region,
                known,
                len(known) == len(missing),
                None if proven else doubts.BARRIER_NOT_PROVEN,
                over,
            )
        return self._meetings[key]

    def _is_proven(self, member: Membership | None, barrier: int) -> bool:
        """Does it wait, for certain? On its stack a thread that has just been let go looks the
        same, and so does one in what the runtime does before and after a task's code."""
        assert member is not None
        known = member.sleeps or member.round is not None
        sleeps = known and not self._is_over(member, barrier)
        arrived = self._arrival(member).arrived & barrier and not _is_between_tasks(member)
        return sleeps or bool(arrived)

    def _is_over(self, member: Membership | None, barrier: int) -> bool:
        """Have all come to the barrier at which it is?"""
        assert member is not None
        return bool(self._arrival(member).complete & barrier)

    def _kept_by_tasks(self, needs: Needs, region: Region) -> str | None:
        """Why threads that have all come to a barrier may have to stay: its tasks."""
        if self._tasks is None:
            return "where this build of the runtime keeps tasks is not known"
        left = [task for task in self._tasks.all if task.region in (region, None)]
        if any(task.raw.state == "ready" for task in left):
            return None  # whoever waits there may take it
        needs.events = [task for task in left if task.raw.state == "detached"]
        if needs.events:
            return _unfulfilled(needs.events)
        if any(task.raw.state == "blocked" for task in left):
            return f"tasks of {region.id} wait for others, and nobody executes those"
        if self._tasks.problem or self._tasks.unseen:
            return UNLISTED
        return None

    def _arrival(self, member: Membership) -> Arrival:
        return arrival_of(member, self._arrivals) or _NOTHING

    def _need_tasks(self, needs: Needs, member: Membership, wait: Wait) -> None:
        tasks = self._tasks
        if tasks is None:
            needs.unknown = "where this build of the runtime keeps tasks is not known"
            return
        awaited = _awaited_tasks(tasks, member, wait)
        current = member.task.address if member.task is not None else 0
        if not awaited and tasks.has_none_left(member.runtime, current, wait.kind):
            needs.progress = True
            return
        if not awaited:
            needs.unknown = "the runtime does not list the tasks that a thread waits for"
        seen: set[int] = set()
        # What is waited for itself comes before what leads there.
        pending = [(task, task) for task in awaited]
        for task, of in pending:
            if len(seen) >= MOST_STEPS or id(task) in seen or task.raw.state == "finished":
                continue
            seen.add(id(task))
            if task.raw.state == "ready":
                needs.progress = True  # any thread that waits for tasks may take it
            elif task.raw.state in ("executing", "suspended") and task.thread is not None:
                doubt = task.doubts.get("thread")
                after = of if of is not task else None
                edge = Edge(needs.thread, task.thread, member, wait, task=task, after=after)
                needs.edges.append(edge._replace(doubt=doubt))
            elif task.raw.state == "blocked" and task.predecessors:
                pending += [(before, of) for before in task.predecessors]
            elif task.raw.state == "detached":
                needs.events.append(task)
            else:
                needs.unknown = f"it is not known which thread will go on with {task.id}"
        if needs.events:
            needs.unknown = needs.unknown or _unfulfilled(needs.events)
            needs.open_ended = True
        if tasks.problem or tasks.unseen:
            needs.unknown = needs.unknown or UNLISTED
            needs.open_ended = True


def _unfulfilled(events: Sequence[ExplicitTask]) -> str:
    """Why it is not known whether somebody waits for ever."""
    ids_of = f"t{ids.compress(task.number for task in events)}"
    if len(events) == 1:
        return f"{ids_of} is detached, and the program has not fulfilled its event"
    return f"{ids_of} are detached, and the program has not fulfilled their events"


def _is_between_tasks(member: Membership) -> bool:
    """Of one at a barrier: the code of an explicit task must not wait at any."""
    return member.task is not None and member.task.kind == "explicit"


def _led_to(found: Sequence[Needs], start: set[Thread]) -> set[Thread]:
    """Those that wait, and that these wait for, over however many others."""
    ahead = {one.thread: _needed(one) for one in found}
    reached: set[Thread] = set()
    pending = list(start)
    while pending:
        for needed in ahead.get(pending.pop(), ()):
            if needed in ahead and needed not in reached:
                reached.add(needed)
                pending.append(needed)
    return reached


def _circling(found: Sequence[Needs]) -> set[Thread]:
    """Those that are none of OpenMP's, and wait for themselves, over however many others."""
    others = [one.thread for one in found if not one.thread.openmp]
    return {thread for thread in others if thread in _led_to(found, {thread})}


def _needed(one: Needs) -> list[Thread]:
    meeting = one.meeting.missing if one.meeting is not None else []
    return [*(edge.needed for edge in one.edges), *meeting]


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


def _in_process(thread: Thread) -> str:
    return f"process {thread.native.ptid[0]}" if thread.native is not None else "the process"


_FORK = (
    "the runtime's workers do not come along, and this runtime does not survive a fork after a"
    " parallel region. Call exec() after fork(), or fork before the first region"
)


def _left_by_fork(thread: Thread, region: Region) -> str:
    """Nothing else ends workers that wait for a region to begin."""
    return (
        f"{_in_process(thread)} is a child of fork(): of the parent's threads it has only the one"
        f" that forked, and the team of {region.id} has {len(region.members)}. That one waits for"
        f" the others for ever: {_FORK}"
    )


def _gone(thread: Thread, region: Region) -> str:
    gone = ids.short_thread_list([(region.number, number) for number in region.gone])
    if len(region.gone) + 1 == len(region.members):
        return (
            f"{_in_process(thread)} has only one of the {len(region.members)} threads of"
            f" {region.id}, and it waits at a barrier for {gone} for ever. Either they have ended,"
            f" as by pthread_exit, or the process is a child of fork(): {_FORK}"
        )
    them, have = ("it", "has") if len(region.gone) == 1 else ("them", "have")
    return f"{gone} {have} ended, and others of {region.id} wait at a barrier for {them}"
