# SPDX-License-Identifier: Apache-2.0
"""Is what is said of one stop, and of two, what the runtime's words prove, and no more?"""

from __future__ import annotations

from typing import Any, Dict, Optional, Sequence

import pytest
from ompd_core.library.types import (
    BARRIER_PLAIN,
    BARRIER_REGION,
    Arrival,
    LockVariable,
    TeamArrivals,
    ViewDoacross,
    ViewLock,
    ViewLocks,
    ViewRegion,
    ViewTask,
    ViewTasks,
    ViewThread,
)
from ompd_core.model import doubts, locks, moments, passing
from ompd_core.model.assessment import Assessment
from ompd_core.model.deadlock import Deadlock, find
from ompd_core.model.glibc import Kept
from ompd_core.model.judgement import Judgement, judge
from ompd_core.model.locks import Locks
from ompd_core.model.moments import Movement, Watched
from ompd_core.model.native import Location, NativeThread
from ompd_core.model.posts import Post
from ompd_core.model.process import Process, Region, Task, Thread, Wait
from ompd_core.model.tasks import Tasks
from ompd_core.model.waits import Edge
from ompd_core.views import barriers as barriers_view
from ompd_core.views import deadlock as deadlock_view
from ompd_core.views import status
from ompd_core.views import threads as threads_view
from ompd_core.views.table import Style

VARIABLE = LockVariable(0x10, True)


def team(count: int, *waits: Optional[Wait]) -> Process:
    """One region; its threads wait so, or work."""
    process = Process([NativeThread(n, 1, n, (100, 100 + n, 0)) for n in range(count)], [])
    raw = ViewRegion(0x1000, None, "parallel", 1, 1, count)
    region = Region(0, raw, 1, members=list(process.threads))
    process.regions = [region]
    for num, thread in enumerate(process.threads):
        member = locks.Membership(0, ViewThread(num, "worker", index=num))
        member.chain = [(region, num)]
        member.state, member.wait = "work_parallel", waits[num] if num < len(waits) else None
        if member.wait is not None:
            member.state = f"wait_{member.wait.kind}"
        thread.openmp.append(member)
    return process


def at_barrier(line: int = 10, construct: Optional[str] = "barrier") -> Wait:
    return Wait("barrier", Location("f", "a.c", None, line), construct)


CRITICAL = Wait("critical", None, None, VARIABLE.address, "update")


def settled(
    process: Process,
    arrivals: Dict[int, Arrival],
    lock: Optional[ViewLock] = None,
    tasks: Optional[Tasks] = None,
) -> Judgement:
    view = ViewLocks([lock], [0]) if lock is not None else ViewLocks([], [None])
    passing.settle(
        process, lambda: {0: arrivals}, lambda: {0: ([VARIABLE], view)}, lambda: {}, lambda: {}
    )
    asked = passing.wanted(process, 0)
    views = {0: (asked, ViewLocks(view.locks, [0 if lock else None] * len(asked)))}
    known = locks.gather(process, views, {}, lambda address, critical: "update")
    return judge(find(process, known, tasks, {0: arrivals}))


def queuing(*waiters: int, word: int = 1) -> ViewLock:
    return ViewLock(0x20, "queuing", held=True, waiters=waiters, word=word)


def codes(judgement: Judgement) -> Sequence[str]:
    return [code for code, _ in status.findings(Assessment(judgement.process, judgement))]


def test_a_thread_that_got_its_lock_does_not_wait() -> None:
    judgement = settled(team(4, CRITICAL, CRITICAL, CRITICAL, CRITICAL), {}, queuing(3, 1, 2))
    member = judgement.process.threads[0].openmp[0]
    assert (member.state, member.wait) == ("overhead", None)
    assert member.passed is not None and member.passed.wait is CRITICAL
    assert (judgement.verdict, codes(judgement)) == ("none", [])
    # The lock tells whom its waiters wait for, as the graph does.
    (edge,) = judgement.waits.needs[0].edges
    assert edge.lock is not None and edge.likely
    assert edge.lock.holder is edge.needed is judgement.process.threads[0]


def test_who_is_in_the_queue_waits() -> None:
    judgement = settled(team(2, CRITICAL, CRITICAL), {}, queuing(0, 1))
    assert [one.wait for one in judgement.waits.needs] == [CRITICAL, CRITICAL]
    assert (judgement.verdict, codes(judgement)) == ("unknown", ["cannot_tell"])


def test_who_is_in_no_queue_does_not_wait_whichever_lock_it_is() -> None:
    """Its address is told by code, and may be wrong; where it is a tas lock nobody can tell."""
    guess = CRITICAL._replace(exact=False)
    process = settled(team(2, guess, guess), {}, queuing(1)).process
    assert process.threads[0].openmp[0].passed is not None
    assert process.threads[1].openmp[0].wait is guess
    process = settled(team(1, guess), {}, ViewLock(0x20, "tas", held=True)).process
    assert process.threads[0].openmp[0].wait is guess


@pytest.mark.parametrize("exact, codes_told", [(True, []), (False, ["cannot_tell"])])
def test_a_free_lock_proves_something_only_if_it_is_the_one(
    exact: bool, codes_told: Sequence[str]
) -> None:
    """A word that may be of any lock is no proof that the thread can go on, nor that it waits."""
    process = team(1, CRITICAL._replace(exact=exact))
    judgement = settled(process, {}, ViewLock(0x20, "tas", held=False))
    assert codes(judgement) == codes_told
    assert (process.threads[0].openmp[0].wait is None) == exact
    for one in judgement.waits.needs:
        assert not one.progress and one.unknown is not None and "L1 is free" in one.unknown


def test_a_queue_that_cannot_be_read_lets_nobody_go() -> None:
    lock = ViewLock(0x20, "queuing", held=True, waiters=(), problem="inconsistent")
    judgement = settled(team(1, CRITICAL), {}, lock)
    assert judgement.process.threads[0].openmp[0].wait is CRITICAL


def test_a_thread_that_was_let_go_from_a_barrier_does_not_wait() -> None:
    process = team(2, at_barrier(10), at_barrier(20))
    judgement = settled(
        process, {0: Arrival(released=BARRIER_PLAIN), 1: Arrival(arrived=BARRIER_PLAIN)}
    )
    assert process.threads[0].openmp[0].passed is not None
    assert (judgement.verdict, codes(judgement)) == ("none", [])
    (barrier,) = judgement.barriers
    assert (barrier.arrived, barrier.missing, barrier.doubt) == ([1], [0], None)


ARRIVED = Arrival(arrived=BARRIER_PLAIN)
AT_END = Arrival(arrived=BARRIER_REGION)


@pytest.mark.parametrize(
    "first, sleeps, found",
    [
        (ARRIVED, False, ["barrier_divergence"]),
        (Arrival(), True, ["barrier_divergence"]),
        (Arrival(), False, ["cannot_tell"]),  # it may be about to leave
    ],
)
def test_threads_at_different_barriers(first: Arrival, sleeps: bool, found: Sequence[str]) -> None:
    process = team(2, at_barrier(10), at_barrier(20, "parallel"))
    process.threads[0].openmp[0].sleeps = sleeps
    judgement = settled(process, {0: first, 1: AT_END})
    assert codes(judgement) == found
    assert judgement.verdict == ("deadlock" if sleeps or first is ARRIVED else "unknown")


@pytest.mark.parametrize(
    "first, second, found",
    [
        ("for", "for", []),  # the line of one barrier can differ
        ("for", None, []),  # gcc's code may call the same for a loop of another schedule
        ("worksharing", "sections", []),
        ("for", "sections", ["barrier_divergence"]),
        ("single", "for", ["barrier_divergence"]),
        # Whatever construct gcc's call is of, no code calls the barrier at a region's end.
        (None, "parallel", ["barrier_divergence"]),
    ],
)
def test_lines_that_the_compiler_left_to_what_is_before(
    first: Optional[str], second: Optional[str], found: Sequence[str]
) -> None:
    waits = [
        at_barrier(n, kind)._replace(exact_line=False) for n, kind in ((10, first), (20, second))
    ]
    process = team(3, *waits)
    for thread in process.threads:
        thread.openmp[0].sleeps = True
    judgement = settled(process, {0: ARRIVED, 1: ARRIVED})
    assert [code for code in codes(judgement) if code == "barrier_divergence"] == found
    if not found:
        assert [one.doubt for one in judgement.barriers] == [doubts.MAYBE_ONE_BARRIER] * 2


def test_copyprivate_is_one_barrier() -> None:
    """Who executes the construct waits at its end, the others where it begins."""
    waits = [at_barrier(line, "single")._replace(exact_line=False) for line in (10, 20)]
    judgement = settled(team(3, *waits), {0: ARRIVED, 1: ARRIVED})
    (barrier,) = judgement.barriers
    assert (barrier.arrived, barrier.missing) == ([0, 1], [2])


def test_a_barrier_to_which_all_have_come_is_waited_for_by_nobody() -> None:
    """The primary lets the others go one by one: the last has come to the end of the region before
    the next one knows that it may leave."""
    process = team(3, at_barrier(), at_barrier(), at_barrier(20, "parallel"))
    for number in (1, 2):
        process.threads[number].openmp[0].sleeps = True
    words = {1: Arrival(complete=BARRIER_PLAIN), 2: AT_END}
    judgement = settled(process, words, tasks=Tasks(process, {}))
    assert (judgement.verdict, codes(judgement)) == ("none", [])
    first, _ = judgement.barriers
    assert first.doubt is not None


@pytest.mark.parametrize(
    "kind, sleeps, verdict",
    [
        ("explicit", False, "unknown"),  # the runtime ends the task, and lets the primary go on
        ("explicit", True, "deadlock"),  # the task's code has called the barrier
        ("implicit", False, "deadlock"),
    ],
)
def test_who_ends_a_task_at_a_barrier_is_on_its_way(kind: str, sleeps: bool, verdict: str) -> None:
    process = team(2, Wait("taskwait"), at_barrier())
    own = ViewTask(0x100, "implicit", "executing", 0x1000, thread=0, children=1)
    child = ViewTask(0x200, "explicit", "executing", 0x1000, parent=0, thread=1, children=0)
    for thread, task in zip(
        process.threads, [Task("implicit", 0x100, False), Task(kind, 2, False)]
    ):
        thread.openmp[0].task = task
    process.threads[1].openmp[0].sleeps = sleeps
    tasks = Tasks(process, {0: ViewTasks([own, child])})
    tasks.all[0].thread = process.threads[1]
    judgement = settled(process, {1: ARRIVED}, tasks=tasks)
    assert judgement.verdict == verdict
    if verdict == "unknown":
        (reason,) = judgement.waits.unknown
        assert reason.startswith("of R1.1, the runtime begins or ends a task")


@pytest.mark.parametrize("problem", [None, "unreadable"])
@pytest.mark.parametrize("wait", ["taskwait", "taskgroup"])
@pytest.mark.parametrize("left", [0, 1, None])
def test_whoever_has_no_tasks_left_does_not_wait_for_any(
    left: Optional[int], wait: str, problem: Optional[str]
) -> None:
    """By the runtime's own count, which is 1 while a task is in no list: then nobody knows."""
    process = team(2, Wait(wait), at_barrier())
    process.threads[0].openmp[0].task = Task("implicit", 0x100, False)
    own = ViewTask(0x100, "implicit", "executing", 0x1000, thread=0)
    own = own._replace(children=left, taskgroup_count=left, taskgroup=0x800)
    tasks = Tasks(process, {0: ViewTasks([own], [], problem)})
    verdict = settled(process, {1: ARRIVED}, tasks=tasks).verdict
    assert verdict == ("none" if left == 0 and problem is None else "unknown")


def test_different_places_of_one_barrier_of_the_runtimes_are_no_hang() -> None:
    """The first is leaving it, or both will be let go."""
    judgement = settled(team(2, at_barrier(10), at_barrier(20)), {1: ARRIVED})
    assert (judgement.verdict, codes(judgement)) != ("deadlock", ["barrier_divergence"])
    assert all(barrier.doubt is not None for barrier in judgement.barriers)


def test_one_who_works_is_no_circle_whatever_the_rest_is() -> None:
    """Tasks that are not listed make no circle by themselves."""
    judgement = settled(
        team(3, Wait("taskwait"), at_barrier(), None), {1: Arrival(arrived=BARRIER_PLAIN)}
    )
    assert (judgement.verdict, judgement.waits.certain) == ("none", True)
    assert judgement.waits.open == []


def test_an_unknown_holder_while_somebody_works() -> None:
    judgement = settled(team(3, CRITICAL, CRITICAL, None), {}, queuing(0, 1))
    assert (judgement.verdict, judgement.waits.certain) == ("none", False)
    assert judgement.waits.open[0].startswith("it is not known who holds L1")
    assert not codes(judgement)


def test_threads_that_run_are_no_proof() -> None:
    process = team(2)
    natives = [NativeThread(n, 1, n, (100, 100 + n, 0), running=True) for n in range(2)]
    for thread, native in zip(process.threads, natives):
        thread.native = native
    found = find(process, Locks(process), None, {})
    assert found.verdict == "unknown" and "R1.0-1 run" in found.unknown[0]


@pytest.mark.parametrize("word, found", [(ARRIVED, ["thread_ended"]), (Arrival(), ["cannot_tell"])])
def test_a_thread_that_has_ended(word: Arrival, found: Sequence[str]) -> None:
    """Whoever waits for it at a barrier waits for ever, if he waits there."""
    process = team(3, at_barrier(), at_barrier())
    ended = process.threads[2]
    ended.native, ended.ended = None, True
    ended.openmp[0].state = None
    judgement = settled(process, {0: word, 1: word})
    assert [code for code in codes(judgement) if code != "thread_unknown"] == found
    if word is ARRIVED:
        ((_, text),) = deadlock_view.forsaken(judgement)
        assert text == "R1.2 has ended, and others of R1 wait at a barrier for it."
        assert (judgement.verdict, judgement.waits.certain) == ("never_released", True)


def test_a_lock_of_a_thread_that_has_ended() -> None:
    process = team(2, CRITICAL)
    ended = process.threads[1]
    ended.native, ended.ended = None, True
    ended.openmp[0].state = None
    judgement = settled(process, {}, queuing(0)._replace(owner=1, owner_id=1))
    ((code, text),) = deadlock_view.forsaken(judgement)
    assert (code, text) == (
        "thread_ended",
        "R1.1 has ended, and it holds L1, which others wait for.",
    )
    # Where nobody tells who holds it, it may be the one that has ended.
    process = team(2, CRITICAL)
    process.threads[1].native, process.threads[1].ended = None, True
    assert "cannot_tell" in codes(settled(process, {}, queuing(0)))


def test_who_is_let_go_lets_others_go() -> None:
    """In a tree of threads: those below are still at the barrier that others have left."""
    for is_leaving in (False, True):
        process = team(3, at_barrier(10), at_barrier(10), at_barrier(20, "parallel"))
        if is_leaving:
            process.threads[0].openmp[0].let_go()
        judgement = settled(process, {0: ARRIVED, 1: ARRIVED, 2: AT_END})
        assert codes(judgement) == ([] if is_leaving else ["barrier_divergence"])


# ---- Two moments ---------------------------------------------------------------------------------


def second(
    before: ViewLock, now: ViewLock, watched: Optional[Watched]
) -> "tuple[Judgement, Movement]":
    taken = []
    for lock in (before, now):
        process = team(2, CRITICAL, CRITICAL)
        views = {0: ([VARIABLE], ViewLocks([lock], [0]))}
        known = locks.gather(process, views, {}, lambda address, critical: "update")
        taken.append((process, known, moments.take(process, known, None, {}, {}, {}, {})))
    process, known, moment = taken[1]
    movement = Movement(1.0, True, taken[0][2], moment, watched)
    found: Deadlock = find(process, known, None, {}, movement=movement)
    return judge(found, movement), movement


ASLEEP = {100: False, 101: False}
RAN = {100: True, 101: True}
SEEN = frozenset({0x20})
NO_PROCESSOR = Watched(ASLEEP, SEEN, frozenset(), starved=frozenset(ASLEEP))


@pytest.mark.parametrize(
    "before, now, watched, outcome",
    [
        # The queue's order has changed.
        (queuing(0, 1), queuing(1, 0), None, "gone_on"),
        # It is the same by chance: the words had changed in between.
        (queuing(0, 1), queuing(0, 1), Watched(RAN, SEEN, SEEN), "gone_on"),
        # Nobody watched.
        (queuing(0, 1), queuing(0, 1), None, "cannot_tell"),
        (queuing(0, 1), queuing(0, 1), Watched(RAN, frozenset(), frozenset()), "cannot_tell"),
        # It stood still, asleep or spinning.
        (queuing(0, 1), queuing(0, 1), Watched(ASLEEP, frozenset(), frozenset()), "standing_still"),
        (queuing(0, 1), queuing(0, 1), Watched(RAN, SEEN, frozenset()), "standing_still"),
        # One has it, it may be, and got no processor to go on with.
        (queuing(0, 1), queuing(0, 1), NO_PROCESSOR, "cannot_tell"),
    ],
)
def test_two_moments(
    before: ViewLock,
    now: ViewLock,
    watched: Optional[Watched],
    outcome: str,
) -> None:
    judgement, movement = second(before, now, watched)
    text = deadlock_view.second_look(movement)
    if outcome == "gone_on":
        assert (judgement.verdict, codes(judgement)) == ("none", [])
        assert text == "Looked twice, 1 s apart: 2 of 2 threads that waited have gone on since."
        return
    assert (judgement.verdict, codes(judgement)) == ("unknown", [outcome])
    if outcome == "standing_still":
        assert "nothing of it moved" in text and "the locks' words and queues" in text
        assert ("2 of them use a processor" in text) == (watched is not None and watched.ran is RAN)
    else:
        assert "nothing tells whether 2 of them went on" in text


def test_a_place_in_the_view_is_nobodys_name() -> None:
    """The debugger lists the threads in another order at the second look: the queue is the same."""
    taken = []
    for waiters, places in [((0, 1), (0, 1)), ((1, 0), (1, 0))]:
        process = team(2, CRITICAL, CRITICAL)
        for thread, place in zip(process.threads, places):
            thread.openmp[0].raw = ViewThread(place, "worker", index=place)
        views = {0: ([VARIABLE], ViewLocks([queuing(*waiters)], [0]))}
        known = locks.gather(process, views, {}, lambda address, critical: "update")
        taken.append(moments.take(process, known, None, {}, {}, {}, {}))
    assert Movement(1.0, True, *taken, None).gone_on == []


@pytest.mark.parametrize("ran, confirmed", [(False, True), (True, False), (None, False)])
def test_a_circle_of_threads_that_have_waited_all_the_time(
    ran: Optional[bool], confirmed: bool
) -> None:
    """It is of two looks, whether or not the first one could prove it."""
    process = team(2, CRITICAL, CRITICAL)
    one, other = process.threads
    wait = one.openmp[0].wait
    assert wait is not None
    circle = [Edge(a, b, a.openmp[0], wait) for a, b in ((one, other), (other, one))]
    moment = moments.take(process, Locks(process), None, {}, {}, {}, {})
    of_each = {lwp: ran for lwp in ASLEEP} if ran is not None else None
    watched = Watched(of_each, frozenset(), frozenset())
    found = Deadlock(process, [], [circle])
    movement = Movement(1.0, True, moment, moment, watched)
    assert Judgement(found, movement).by_two_looks == confirmed
    assert not Judgement(found).by_two_looks


@pytest.mark.parametrize(
    "call, found", [("poll", []), ("read", ["cannot_tell"]), ("pthread_cond_wait", ["cannot_tell"])]
)
def test_a_wait_that_the_outside_may_end_is_never_said_to_stand_still(
    call: str, found: Sequence[str]
) -> None:
    process = team(2, None, None)
    for thread in process.threads:
        thread.in_call = Location(call)
    moment = moments.take(process, Locks(process), None, {}, {}, {}, {})
    movement = Movement(1.0, True, moment, moment, Watched(ASLEEP, frozenset(), frozenset()))
    judgement = judge(find(process, Locks(process), None, {}), movement)
    assert codes(judgement) == found


@pytest.mark.parametrize("later, found", [(0x40, ["cannot_tell"]), (0x80, [])])
def test_a_thread_that_is_not_openmps_has_gone_on_if_it_waits_for_something_else(
    later: int, found: Sequence[str]
) -> None:
    """The team waits for a mutex of its, it for a semaphore."""
    taken = []
    for address in (0x40, later):
        process = team(2)
        native = NativeThread(2, 1, 2, (100, 102, 0))
        logger = Thread(native, kept=Kept("semaphore", address, unknown="nobody knows who posts"))
        process.threads.append(logger)
        for thread in process.threads[:2]:
            thread.in_call, thread.kept = Location("pthread_mutex_lock"), Kept(
                "mutex", 0x10, owner=2
            )
        taken.append((process, moments.take(process, Locks(process), None, {}, {}, {}, {})))
    process, now = taken[1]
    movement = Movement(1.0, True, taken[0][1], now, Watched({}, frozenset(), frozenset()))
    waits = find(process, Locks(process), None, {}, movement=movement)
    assert codes(judge(waits, movement)) == found
    # The sentence counts those of OpenMP.
    assert len(movement.before.waiting) == 2


def test_a_thread_whose_structures_are_broken_is_not_known_to_work() -> None:
    """Another one waits for what somebody who works could end."""
    process = team(1)
    process.threads[0].kept = Kept("semaphore", 0x40, unknown="nobody knows who posts")
    stranger = Thread(NativeThread(2, 1, 2, (100, 102, 0)), where=Location("f"))
    process.threads.append(stranger)
    assert find(process, Locks(process), None, {}).verdict == "none"
    stranger.doubts["kind"] = doubts.of_problem("inconsistent")
    assert find(process, Locks(process), None, {}).verdict == "unknown"


MUTEX = Kept("mutex", 0x40, "m", owner=0, timed=True)
STUCK = {100: False, 101: True}


@pytest.mark.parametrize(
    "kept, watched, found",
    [
        # It polled, and the holder waited at the barrier all the time.
        (MUTEX, Watched(STUCK, frozenset({0x40}), frozenset()), ["deadlock"]),
        # The holder has given it up in between.
        (MUTEX, Watched(STUCK, frozenset({0x40}), frozenset({0x40})), []),
        (MUTEX, Watched({100: True, 101: True}, frozenset({0x40}), frozenset()), ["cannot_tell"]),
        # One long wait, which ends.
        (MUTEX, Watched(ASLEEP, frozenset({0x40}), frozenset()), ["cannot_tell"]),
        (MUTEX._replace(owner=None), Watched(STUCK, frozenset(), frozenset()), ["cannot_tell"]),
        (MUTEX, None, ["cannot_tell"]),
    ],
)
def test_a_lock_that_is_polled(
    kept: Kept, watched: Optional[Watched], found: Sequence[str]
) -> None:
    process = team(2, at_barrier())
    process.threads[1].in_call, process.threads[1].kept = Location("pthread_mutex_timedlock"), kept
    words = {0: {0: Arrival(BARRIER_PLAIN)}}
    moment = moments.take(process, Locks(process), None, words, {}, {}, {})
    # That the barrier counts is left out: then only the kernel tells that the holder stood still.
    moment.waiting[(100, 100, 0)] = moment.waiting[(100, 100, 0)]._replace(counts=False)
    movement = Movement(1.0, True, moment, moment, watched)
    waits = find(process, Locks(process), None, words, movement=movement)
    judgement = judge(waits, movement)
    assert codes(judgement) == found
    assert judgement.by_two_looks == (found == ["deadlock"])
    of_one_look = judge(find(process, Locks(process), None, words))
    assert codes(of_one_look) == ["cannot_tell"]
    assert "with a limit of time in pthread_mutex_timedlock ()" in of_one_look.waits.unknown[0]


def test_missing_that_run() -> None:
    """Of a running thread it is not known that it is missing."""
    process = team(3, at_barrier(), None, None)
    last = process.threads[2]
    assert last.native is not None
    last.native = last.native._replace(running=True)
    last.openmp[0].state = None
    judgement = settled(process, {0: Arrival(BARRIER_PLAIN)})
    (barrier,) = judgement.barriers
    assert (barrier.missing, barrier.doubt) == ([1, 2], doubts.MISSING_MAY_RUN)
    shown = " ".join(barriers_view.lines(judgement, Style(80)))
    assert "R1.2 (T2): running" in shown and "they may be at the barrier all the same" in shown


@pytest.mark.parametrize(
    "queues, is_unclear, found",
    [
        # One of the team has got the lock in between, whatever the others wait in.
        ((queuing(0, 1), queuing(1, 0)), False, []),
        ((queuing(0, 1), queuing(1, 0)), True, []),
        ((queuing(0, 1), queuing(0, 1)), False, ["cannot_tell"]),
        ((queuing(0, 1), queuing(0, 1)), True, ["cannot_tell"]),
    ],
)
def test_a_team_of_which_one_has_gone_on_is_not_unclear(
    queues: Sequence[ViewLock], is_unclear: bool, found: Sequence[str]
) -> None:
    taken = []
    for lock in queues:
        process = team(3, CRITICAL, CRITICAL)
        other = process.threads[2]
        if is_unclear:
            other.openmp[0].state, other.openmp[0].doubts["state"] = None, doubts.MAYBE_ONE_BARRIER
        else:
            other.in_call = Location("pthread_cond_wait")
        views = {0: ([VARIABLE], ViewLocks([lock], [0]))}
        known = locks.gather(process, views, {}, lambda address, critical: "update")
        taken.append((process, known, moments.take(process, known, None, {}, {}, {}, {})))
    process, known, now = taken[1]
    movement = Movement(1.0, True, taken[0][2], now, None)
    waits = find(process, known, None, {}, movement=movement)
    judgement = judge(waits, movement)
    assert codes(judgement) == found
    assert judgement.waits.unknown or judgement.waits.open


@pytest.mark.parametrize("left, found", [([1, 2], []), ([], ["cannot_tell"])])
def test_whose_workers_have_left_is_not_unclear(left: Sequence[int], found: Sequence[str]) -> None:
    """They waited in the region, and are idle: the one that has not gone on can."""
    at_end = [at_barrier(10, "parallel")] * 3
    before, process = team(3, *at_end), team(3, *at_end)
    for number in left:
        process.threads[number].openmp.clear()
    then, now = (moments.take(one, Locks(one), None, {}, {}, {}, {}) for one in (before, process))
    movement = Movement(1.0, True, then, now, None)
    judgement = judge(find(process, Locks(process), None, {}, movement=movement), movement)
    assert codes(judgement) == found


@pytest.mark.parametrize("again, found", [([100, 101], []), ([100], []), ([], ["cannot_tell"])])
@pytest.mark.parametrize("call", ["read", "condition"])
def test_whoever_is_woken_again_and_again_goes_on(
    call: str, again: Sequence[int], found: Sequence[str]
) -> None:
    """A thread that sleeps until others end its wait runs only then; a stop wakes it once."""
    taken = []
    for _ in range(2):
        process = team(2)
        for thread in process.threads:
            thread.in_call = Location("read" if call == "read" else "pthread_cond_wait")
            if call != "read":
                thread.kept = Kept("condition", 0x40, unknown="it is not known who will signal it")
        nothing = Locks(process)
        taken.append((process, moments.take(process, nothing, None, {}, {}, {}, {})))
    process, now = taken[1]
    watched = Watched(RAN, frozenset(), frozenset(), frozenset(again))
    movement = Movement(1.0, True, taken[0][1], now, watched)
    waits = find(process, Locks(process), None, {}, movement=movement)
    assert codes(judge(waits, movement)) == found
    for polling in (Location("MPI_Recv"), Location("poll")):
        process.threads[0].in_call, process.threads[0].kept = polling, None
        assert (
            not moments.take(process, Locks(process), None, {}, {}, {}, {})
            .waiting[(100, 100, 0)]
            .blocks
        )


@pytest.mark.parametrize("states", ["waits", "unclear", "both unclear"])
@pytest.mark.parametrize(
    "passed, found",
    [(((7, 3), (9, 3)), []), (((1, 3), (1, 4)), []), (((7, 3), (7, 3)), ["cannot_tell"])],
)
def test_a_team_that_has_been_through_a_barrier_is_not_unclear(
    states: str, passed: "Sequence[tuple[int, int]]", found: Sequence[str]
) -> None:
    """Though nothing tells what its threads do now, or whether they wait for the same."""
    taken = []
    for steps, regions in passed:
        process = team(2, *(at_barrier() for _ in range(1 if states == "unclear" else 2)))
        members = [thread.openmp[0] for thread in process.threads]
        if states == "waits":
            members[0].doubts["state"] = doubts.END_OR_BEGINNING
        for member in members[1:] if states == "unclear" else members:
            if states != "waits":
                member.state, member.wait = None, None
                member.doubts["state"] = doubts.MAYBE_ONE_BARRIER
        team_arrivals = {0: {0x1000: TeamArrivals(2, None, None, False, steps, regions)}}
        none = Locks(process)
        taken.append((process, moments.take(process, none, None, {}, {}, {}, team_arrivals)))
    process, now = taken[1]
    movement = Movement(1.0, True, taken[0][1], now, Watched(RAN, frozenset(), frozenset()))
    waits = find(process, Locks(process), None, {}, movement=movement)
    assert codes(judge(waits, movement)) == found


def in_doacross(
    count: int,
    waiting: "Dict[int, int]",
    owners: "Optional[Dict[int, int]]" = None,
    members: "Optional[Sequence[str]]" = None,
    at_end: Sequence[int] = (),
) -> "tuple[Process, Dict[Thread, Post]]":
    """A team of which threads wait for an iteration each; owners: who executes which."""
    waits = {number: Wait("doacross") for number in waiting}
    waits.update({number: at_barrier(12, "for") for number in at_end})
    process = team(count, *(waits.get(number) for number in range(count)))
    of_loop = tuple(members or ("inside" for _ in range(count)))
    posts = {
        process.threads[number]: Post(
            (iteration,), ViewDoacross(1, False, (owners or {}).get(iteration), 3, of_loop)
        )
        for number, iteration in waiting.items()
    }
    return process, posts


def doacross(*arguments: Any, **named: Any) -> Deadlock:
    process, posts = in_doacross(*arguments, **named)
    arrivals = {0: {number: Arrival() for number in range(len(process.threads))}}
    return find(process, Locks(process), None, arrivals, {}, posts)


def forsaken(found: Deadlock) -> Sequence[str]:
    return [text for _, text in deadlock_view.forsaken(judge(found))]


def test_an_iteration_that_nobody_posts() -> None:
    """All others wait for it, or for what comes after it."""
    found = doacross(3, {0: 77, 1: 78, 2: 76})
    assert forsaken(found) == [
        "Nobody will post iteration 76 of a doacross loop, for which R1.2 (T2) waits: all others of"
        " its team wait in the loop too, or have left it. R1.0-1 wait in that loop too."
    ]
    assert found.certain and len(found.forsaken) == 3
    assert deadlock_view.headline(found).startswith("NEVER POSTED: 3 threads wait")


@pytest.mark.parametrize(
    "waiting, owners, said",
    [
        ({1: 76, 2: 79}, {76: 2, 79: 1}, "R1.2 (T2), which has it, waits for iteration 79."),
        ({1: 76}, {76: 1}, "it executes that iteration itself."),
        ({1: 76}, {76: 0}, "R1.0 (T0), which had it, has left the loop."),
    ],
)
def test_who_should_have_posted_it(
    waiting: "Dict[int, int]", owners: "Dict[int, int]", said: str
) -> None:
    (text,) = forsaken(doacross(4, waiting, owners, at_end=[0]))
    assert said in text, text


@pytest.mark.parametrize("other", ["inside", "elsewhere"])
def test_an_iteration_that_somebody_may_post(other: str) -> None:
    """One is at work in the loop, or has yet to come to it."""
    found = doacross(4, {0: 5, 1: 6}, None, ("inside", "inside", other, "left"))
    assert found.verdict == "none" and not found.forsaken
    edges = [edge for one in found.needs for edge in one.edges]
    assert [edge.needed for edge in edges] == [found.process.threads[2]] * 2
    assert deadlock_view.sentence(edges[0]) == (
        "R1.0 (T0) waits for iteration 5 of a doacross loop, which nobody posts before R1.2 (T2)"
        " goes on."
    )


def test_of_two_at_work_it_is_not_known_who_has_the_iteration() -> None:
    found = doacross(4, {0: 5, 1: 6})
    assert found.verdict == "none"
    assert all(one.unknown is not None and not one.edges for one in found.needs)


def test_whoever_has_left_the_loop_posts_nothing() -> None:
    """Behind a barrier at which it may still sleep it can be on its way to the loop."""
    gone = ("inside", "inside", "left")
    assert doacross(3, {0: 5, 1: 6}, None, gone).verdict == "never_released"
    assert doacross(3, {0: 5, 1: 6}, at_end=[2]).verdict == "never_released"
    elsewhere = ("inside", "inside", "elsewhere")
    found = doacross(3, {0: 5, 1: 6}, None, elsewhere, at_end=[2])
    assert found.verdict != "never_released"


def test_a_doacross_loop_goes_on_if_threads_wait_for_other_iterations() -> None:
    """Of one of them it is not known for which."""
    taken = []
    for iteration in (77, 80):
        process, posts = in_doacross(2, {0: iteration, 1: iteration})
        del posts[process.threads[1]]
        none = Locks(process)
        taken.append((process, posts, moments.take(process, none, None, {}, {}, posts, {})))
    process, posts, now = taken[1]
    for then, found in ((taken[0][2], []), (now, ["cannot_tell"])):
        movement = Movement(1.0, True, then, now, Watched(RAN, frozenset(), frozenset()))
        waits = find(process, Locks(process), None, {}, {}, posts, movement)
        assert codes(judge(waits, movement)) == found


def test_a_posted_iteration_keeps_nobody() -> None:
    process, posts = in_doacross(2, {0: 5, 1: 6})
    first, second = process.threads
    posts[first] = posts[first]._replace(loop=posts[first].loop._replace(posted=True))
    passing.settle(process, lambda: {}, lambda: {}, lambda: {}, lambda: posts)
    assert first.openmp[0].wait is None and second.openmp[0].wait is not None
    assert threads_view.state_of(first) == "leaving doacross"


@pytest.mark.parametrize(
    "call, is_last, decides",
    [
        ("read", True, "What would decide is whether anything still ends read ()."),
        ("read", False, "What would decide is whether anything still ends read ()."),
        ("sem_wait", True, "and a second core tells too."),
        ("sem_wait", False, "seconds later: let it run, and look again."),
        (None, False, "who has taken spin lock `busy': a thread whose code is between locking"),
    ],
)
def test_what_would_decide(
    call: str | None, is_last: bool, decides: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    process = team(1)
    (thread,) = process.threads
    thread.in_call = Location(call or "pthread_spin_lock")
    if call is None:
        thread.kept = Kept("spin", 0x10, "busy", unknown="nobody knows who holds it")
    monkeypatch.setattr(doubts.Stop, "is_last", is_last)
    judgement = judge(find(process, Locks(process), None, {}))
    assert decides in deadlock_view.cannot_tell(judgement)
