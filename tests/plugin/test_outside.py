# SPDX-License-Identifier: Apache-2.0
"""Whom do threads wait for outside of OpenMP, who of the others counts, and when will nobody give
up a lock that is held?"""

from __future__ import annotations

from typing import Any, Callable, Dict, List, Optional

import pytest
from ompd_core.library.types import ViewLock, ViewThread
from ompd_core.model import forgotten, locks
from ompd_core.model.deadlock import Deadlock, find
from ompd_core.model.forgotten import Stack, Unpaired
from ompd_core.model.glibc import Kept
from ompd_core.model.holding import Ended, Held
from ompd_core.model.locks import Lock, Locks
from ompd_core.model.native import NativeThread
from ompd_core.model.process import Membership, Process, Thread
from ompd_core.model.tasks import Tasks

A = 0x10


def process_of(waits: Dict[int, Optional[Kept]], openmp: int) -> Process:
    """By GDB's number; the first ones are OpenMP's."""
    process = Process([NativeThread(n, 1, n, (100, 100 + n, 0)) for n in sorted(waits)], [])
    for thread in process.threads:
        assert thread.native is not None
        thread.kept = waits[thread.native.num]
        if thread.native.num <= openmp:
            thread.openmp.append(Membership(0, ViewThread(None, "worker")))
    return process


def judged(waits: Dict[int, Optional[Kept]], openmp: int) -> Deadlock:
    process = process_of(waits, openmp)
    nothing = locks.gather(process, {}, {}, lambda address, critical: None)
    return find(process, nothing, None, {})


def mutex(owner: int) -> Kept:
    return Kept("mutex", A, "m", owner)


def numbers(threads: List[Thread]) -> List[int]:
    return [thread.native.num for thread in threads if thread.native is not None]


def test_a_circle_over_a_thread_of_nobodys() -> None:
    found = judged({1: mutex(3), 2: None, 3: mutex(1)}, 2)
    assert (found.verdict, found.certain, numbers(found.stuck)) == ("deadlock", True, [1, 3])


def test_a_circle_of_threads_of_nobodys() -> None:
    found = judged({1: None, 2: mutex(3), 3: mutex(2)}, 1)
    assert numbers(found.stuck) == [2, 3]


def test_a_thread_that_owns_what_it_waits_for() -> None:
    assert numbers(judged({1: mutex(1)}, 1).stuck) == [1]


def test_who_is_none_of_openmps_counts_only_where_a_way_leads_to_it() -> None:
    unknown = Kept("condition", unknown="who signals is not known")
    found = judged({1: None, 2: unknown, 3: mutex(2), 4: Kept("join", owner=3)}, 1)
    assert (found.needs, found.verdict) == ([], "none")
    found = judged({1: mutex(3), 2: unknown, 3: unknown}, 1)
    assert numbers([one.thread for one in found.needs]) == [1, 3]


def test_who_has_been_let_go_needs_nobody() -> None:
    found = judged({1: Kept("mutex", owner=2, goes_on=True), 2: mutex(1)}, 2)
    assert found.verdict == "none" and not found.circles


def test_one_at_work_for_all_others() -> None:
    """It is none of OpenMP's, and yet what is not known of the others is no reason to doubt."""
    unknown = Kept("condition", unknown="who signals is not known")
    assert judged({1: mutex(3), 2: unknown, 3: None}, 2).verdict == "none"
    assert judged({1: unknown, 2: unknown, 3: None}, 2).verdict == "unknown"


def test_an_owner_that_is_gone() -> None:
    found = judged({1: Kept("mutex", A, "m", nobody="its owner is gone"), 2: None}, 2)
    assert numbers([one.thread for one in found.forsaken]) == [1]


# ---- Locks that stay set -------------------------------------------------------------------------

HERE = Stack(whole=True, in_routine=False)
WAITER = Stack(whole=True, in_routine=True)


class Scene:
    """Thread 1 waits for the lock at A, which is held; thread 2 is elsewhere; and all is known."""

    def __init__(self, **raw: Any) -> None:
        self.process = process_of({1: None, 2: None}, 2)
        self.waiter, self.other = self.process.threads
        view = {"kind": "queuing", "held": True, "waiters": (1,), "waiting": 1, **raw}
        self.lock = Lock(0, ViewLock(0x20, **view), variable=A, construct="lock")
        self.lock.waiters = [self.waiter]
        self.locks = Locks(self.process, [self.lock])
        self.holdings: Dict[Thread, List[Held]] = {}
        self.stacks: Dict[Thread, Optional[Stack]] = {self.waiter: WAITER, self.other: HERE}
        self.functions = [Unpaired(frozenset(), ())]
        self.tasks: Optional[Tasks] = Tasks(self.process, {})

    def is_forgotten(self) -> bool:
        if self.lock not in forgotten.candidates(self.locks):
            return False
        return forgotten.is_forgotten(
            self.lock, self.locks, self.holdings, self.stacks, self.functions, self.tasks
        )


def test_all_is_known() -> None:
    assert Scene().is_forgotten()
    assert Scene(kind="ticket", waiting=1).is_forgotten()
    assert Scene(kind="tas", owner=2, owner_id=2, waiting=None).is_forgotten()


def another_holds(scene: Scene) -> None:
    scene.lock.told = [scene.other]


def another_may_hold(scene: Scene) -> None:
    scene.lock.possible = [scene.other]


def another_holds_what_is_not_known(scene: Scene) -> None:
    scene.holdings = {scene.other: [Held("lock", None, None, True, False)]}


def stack_is_cut(scene: Scene) -> None:
    scene.stacks[scene.other] = Stack(whole=False, in_routine=False)


def stack_cannot_be_seen(scene: Scene) -> None:
    scene.stacks[scene.other] = None


def another_is_in_a_routine(scene: Scene) -> None:
    scene.stacks[scene.other] = WAITER


def its_owner_is_in_the_call_that_took_it(scene: Scene) -> None:
    scene.lock.raw = scene.lock.raw._replace(owner=2, owner_id=2)
    scene.lock.holder = scene.other
    scene.stacks[scene.other] = WAITER


def a_function_gives_it_up_for_others(scene: Scene) -> None:
    scene.functions.append(Unpaired(frozenset({Ended("lock", A)}), ()))


def a_function_gives_up_what_it_is_given(scene: Scene) -> None:
    scene.functions.append(Unpaired(frozenset({Ended("lock", None)}), ()))


def tasks_cannot_be_read(scene: Scene) -> None:
    scene.tasks = None


def somebody_waits_for_what_is_not_known(scene: Scene) -> None:
    scene.locks.lost = [scene.other]


def nobody_waits(scene: Scene) -> None:
    scene.lock.waiters = []


@pytest.mark.parametrize(
    "spoil",
    [
        another_holds,
        another_may_hold,
        another_holds_what_is_not_known,
        stack_is_cut,
        stack_cannot_be_seen,
        another_is_in_a_routine,
        its_owner_is_in_the_call_that_took_it,
        a_function_gives_it_up_for_others,
        a_function_gives_up_what_it_is_given,
        tasks_cannot_be_read,
        somebody_waits_for_what_is_not_known,
        nobody_waits,
    ],
)
def test_one_thing_is_not_known(spoil: Callable[[Scene], None]) -> None:
    scene = Scene()
    spoil(scene)
    assert not scene.is_forgotten()


def test_a_waiter_that_has_just_got_it() -> None:
    assert not Scene(kind="ticket", waiting=0).is_forgotten()
    assert not Scene(held=False).is_forgotten()
    assert not Scene(problem="inconsistent").is_forgotten()


def test_another_lock_that_is_given_up_does_not_matter() -> None:
    scene = Scene()
    scene.functions.append(Unpaired(frozenset({Ended("lock", A + 8), Ended("critical", None)}), ()))
    assert scene.is_forgotten()


def test_another_than_the_owner_is_in_a_routine() -> None:
    scene = Scene(owner=2, owner_id=2)
    scene.lock.holder = scene.other
    (third,) = process_of({3: None}, 3).threads
    scene.stacks[third] = WAITER
    assert scene.is_forgotten()


def test_a_waiter_may_hold_it_itself() -> None:
    """Then it will not give it up either."""
    scene = Scene()
    scene.lock.possible = [scene.waiter]
    assert scene.is_forgotten()
