# SPDX-License-Identifier: Apache-2.0
"""What do the words of the C library's mutexes, locks and threads say? And does a thread that has
been let go never wait?"""

from __future__ import annotations

from typing import Dict, Optional

import pytest
from ompd_core.model.glibc import (
    FutexWait,
    Internal,
    Kept,
    Threads,
    kept,
    kind_of,
    waits_in_headers,
)

AT = 0x5000
PRIVATE = 0x80
OWNER, OTHER = 901, 902
PTHREAD = 0x7F0000
THREAD_ID = 0x2D0  # of x86-64
KNOWN = Threads({OWNER: 1, OTHER: 2}, {PTHREAD + THREAD_ID: 2}, True)
ASLEEP = FutexWait(AT, PRIVATE, 2, False, True)


def mutex(lock: int = 2, owner: int = OWNER, users: int = 1, kind: int = 0) -> Dict[int, int]:
    return {AT: lock, AT + 8: owner, AT + 12: users, AT + 16: kind}


def found(
    words: Dict[int, int],
    function: Optional[str] = "pthread_mutex_lock",
    call: Optional[FutexWait] = ASLEEP,
    spinning_on: Optional[int] = None,
    threads: Threads = KNOWN,
    names: Optional[Dict[int, str]] = None,
) -> Optional[Kept]:
    name_of = (names or {AT: "queue.mutex"}).get
    return kept(function, call, spinning_on, words.get, name_of, threads)


def test_names_of_functions() -> None:
    assert kind_of("pthread_mutex_clocklock") == kind_of("pthread_mutex_timedlock") == "mutex"
    assert kind_of("pthread_rwlock_timedrdlock") == "rwlock"
    assert kind_of("pthread_cond_clockwait64") == kind_of("cnd_timedwait") == "condition"
    assert kind_of("new_sem_wait_slow64") == kind_of("sem_clockwait") == "semaphore"
    assert kind_of("pthread_mutex_unlock") is kind_of("pthread_cond_signal") is None


def test_owner_of_a_mutex() -> None:
    one = found(mutex())
    assert one is not None and (one.owner, one.goes_on, one.unknown) == (1, False, None)
    assert one.words == "mutex `queue.mutex'"


@pytest.mark.parametrize(
    "words, call",
    [
        (mutex(lock=0, owner=0), ASLEEP),  # given up meanwhile
        (mutex(lock=1), ASLEEP),  # and taken by a third, who knows of nobody that waits
        (mutex(), ASLEEP._replace(asleep=False)),  # woken
        (mutex(), None),  # not in the kernel
    ],
)
def test_it_goes_on(words: Dict[int, int], call: Optional[FutexWait]) -> None:
    one = found(words, call=call)
    assert one is not None and one.goes_on and one.unknown is None


def test_a_limit_of_time_does_not_let_it_go() -> None:
    one = found(mutex(), "pthread_mutex_clocklock", ASLEEP._replace(timed=True))
    assert one is not None and one.timed and not one.goes_on and one.owner == 1
    one = found(mutex(lock=0, owner=0), call=ASLEEP._replace(timed=True))
    assert one is not None and one.goes_on


@pytest.mark.parametrize(
    "words",
    [
        {},
        mutex(owner=0),  # between taking it and writing that down
        mutex(kind=0x1234),
        mutex(users=0),
        mutex(owner=77, kind=0x80),  # of another process
    ],
)
def test_owner_is_not_known(words: Dict[int, int]) -> None:
    one = found(words)
    assert one is not None and one.unknown is not None
    assert (one.owner, one.nobody, one.goes_on) == (None, None, False)


def test_owner_that_is_gone() -> None:
    one = found(mutex(owner=77))
    assert one is not None and one.nobody is not None and "thread 77" in one.nobody
    one = found(mutex(owner=77), threads=Threads({OWNER: 1}))
    assert one is not None and one.nobody is None and one.unknown is not None


@pytest.mark.parametrize("kind", [0x10, 0x20, 0x33])
def test_robust_and_inheriting_mutexes_have_the_owner_in_the_lock(kind: int) -> None:
    call = FutexWait(AT, 6 | PRIVATE, 0, False, True)
    one = found(mutex(lock=0x80000000 | OTHER, owner=0, kind=kind), call=call)
    assert one is not None and one.owner == 2
    one = found(mutex(lock=0x40000000, owner=0, kind=kind), call=call)
    assert one is not None and one.goes_on


def test_ceiling_is_no_owner() -> None:
    one = found(mutex(lock=5 << 19 | 2, kind=0x40))
    assert one is not None and one.owner == 1


@pytest.mark.parametrize(
    "function, expected, offset",
    [
        ("pthread_rwlock_rdlock", 3, 8),
        ("pthread_rwlock_rdlock", 0x16, 0),
        ("pthread_rwlock_wrlock", 3, 12),
        ("pthread_rwlock_wrlock", 2, 8),
    ],
)
def test_writer_of_a_lock(function: str, expected: int, offset: int) -> None:
    call = FutexWait(AT + offset, 0x189, expected, False, True)
    one = found({AT: 0x13, AT + offset: expected, AT + 24: OTHER}, function, call)
    assert one is not None and (one.owner, one.address) == (2, AT)
    one = found({AT: 0x13, AT + offset: expected ^ 1, AT + 24: OTHER}, function, call)
    assert one is not None and one.goes_on


@pytest.mark.parametrize(
    "function, offset, readers", [("pthread_rwlock_rdlock", 0, 0), ("pthread_rwlock_wrlock", 12, 2)]
)
def test_readers_of_a_lock(function: str, offset: int, readers: int) -> None:
    """Where writers come first, readers wait for them and not for those who read."""
    words = {AT: 0x16, AT + 12: 3, AT + 24: 0}
    call = FutexWait(AT + offset, 0x189, words[AT + offset], False, True)
    one = found(words, function, call)
    assert one is not None and one.unknown is not None and "held by 2 readers" in one.unknown
    assert (one.readers, one.owner) == (readers, None)


def test_readers_who_wait_for_writers() -> None:
    """They are counted, and hold nothing."""
    call = FutexWait(AT + 12, 0x189, 3, False, True)
    one = found({AT: 0x17, AT + 12: 3, AT + 24: 0}, "pthread_rwlock_wrlock", call)
    assert one is not None and "being passed on" in (one.unknown or "") and not one.readers


@pytest.mark.parametrize(
    "come, complete, expected",
    [
        (7, True, "3 of 4 have come, and the process has 2 threads"),
        (7, False, "3 of 4 have come"),
        (8, True, None),  # they are being let go
    ],
)
def test_barriers_count(come: int, complete: bool, expected: Optional[str]) -> None:
    words = {AT: come, AT + 4: 4, AT + 8: 4}
    threads = KNOWN if complete else Threads(KNOWN.by_id, KNOWN.by_id_word, False)
    call = FutexWait(AT + 4, PRIVATE, 4, False, True)
    one = found(words, "pthread_barrier_wait", call, threads=threads)
    assert one is not None and one.counted == expected
    assert expected is None or expected in (one.unknown or "")


def test_semaphores_count() -> None:
    call = FutexWait(AT, PRIVATE, 0, False, True)
    one = found({AT: 0, AT + 4: 3}, "sem_wait", call)
    assert one is not None and one.counted == "its count is 0, 3 threads wait"


@pytest.mark.parametrize(
    "kind, expected, words, goes_on, counted",
    [
        # Whoever counts down wakes nobody before it is 0.
        ("latch", 3, {AT: 1}, False, "1 more to arrive"),
        ("latch", 2, {AT: 1}, False, "1 more to arrive"),
        ("latch", 2, {AT: 0}, True, None),
        ("latch", 7, {AT: 8}, True, None),  # of the library's pool, where all are woken
        ("semaphore", 0, {AT: 1, AT + 4: 2}, False, "its count is 1, 2 threads wait"),
        ("semaphore", 0, {AT: 2, AT + 4: 2}, True, None),
        ("once", 1, {AT: 2}, True, None),
    ],
)
def test_who_is_let_go_by_a_change(
    kind: str, expected: int, words: Dict[int, int], goes_on: bool, counted: Optional[str]
) -> None:
    call = FutexWait(AT, PRIVATE, expected, False, True)
    one = kept(None, call, None, words.get, {}.get, KNOWN, 1, None, Internal(kind))
    assert one is not None and not one.changed
    assert (one.goes_on, one.counted) == (goes_on, counted)
    assert one.sleeps_again == (kind == "latch" and not goes_on)


def test_slept_on() -> None:
    """What a changed word proves depends on whether the sleeper was watched. None: it was not."""
    call = FutexWait(AT, PRIVATE, 0, False, True)
    names = {AT: "slots"}
    for function, overslept, goes_on in (
        ("sem_wait", False, True),
        ("sem_wait", None, True),  # the C library wakes whom it lets go
        ("sem_wait", True, False),
        (None, None, False),
        (None, False, True),
        ("pthread_cond_wait", True, False),
        ("counting_semaphore", None, False),  # which another one may get
    ):
        of = Internal(function) if function == "counting_semaphore" else None
        one = kept(function, call, None, {AT: 1}.get, names.get, KNOWN, 1, overslept, of)
        assert one is not None and (one.goes_on, one.changed) == (goes_on, not goes_on)
        assert goes_on or "has changed under a thread that sleeps" in (one.unknown or "")


def test_thread_that_is_joined() -> None:
    """Also where the function has no name."""
    call = FutexWait(PTHREAD + THREAD_ID, 0x109, OTHER, False, True)
    for function in ("pthread_join", "pthread_clockjoin_ex", None):
        one = found({PTHREAD + THREAD_ID: OTHER}, function, call)
        assert one is not None and (one.kind, one.owner) == ("join", 2)
    newer = call._replace(address=PTHREAD + 0x628, expected=2)
    one = found({newer.address: 2}, "pthread_join", newer)
    assert one is not None and one.owner == 2
    ids = Threads({2: 1})  # a thread of that number is another one
    one = found({newer.address: 2}, "pthread_join", newer, threads=ids)
    assert one is not None and one.owner is None
    one = found({PTHREAD + THREAD_ID: 0}, "pthread_join", call)
    assert one is not None and one.owner == 2 and not one.goes_on
    one = found({PTHREAD + THREAD_ID: 0}, "pthread_join", call, threads=Threads())
    assert one is not None and one.goes_on


def test_condition_and_its_mutex() -> None:
    """Signalled, it waits for the mutex, in the same function."""
    one = found(mutex(), "pthread_cond_wait")
    assert one is not None and (one.kind, one.owner) == ("mutex", 1)
    for operation, offset in ((0x189, 40), (PRIVATE, 44), (0x189, 32)):
        call = FutexWait(AT + offset, operation, 0, False, True)
        one = found({AT + offset: 0}, "pthread_cond_wait", call, names={AT: "ready"})
        assert one is not None and one.words == "condition variable `ready'"
        assert one.unknown == "it is not known who will signal condition variable `ready'"
    one = found({}, "pthread_cond_wait", call, names={AT: "buffer+8"})
    assert one is not None and one.words == "a condition variable"


def condition(base: int, is_older: bool, group: int, come: int) -> Dict[int, int]:
    """All that have come before were let go."""
    numbers = {0: come << 1 | group, 4: 0, 8: (come - 1) << 1, 12: 0}
    if is_older:
        numbers |= {16: 0, 20: 0, 16 + 4 * group: 2, 24: 0, 28: 0, 32: 0, 36: 8, 40: 0, 44: 0}
    else:
        numbers |= {16: 0, 20: 0, 24: 0, 28: 8, 32: 0, 36: 0, 40: 0, 44: 0}
    return {base + offset: number for offset, number in numbers.items()}


@pytest.mark.parametrize("is_older", (False, True))
@pytest.mark.parametrize("group", (0, 1))
@pytest.mark.parametrize("names", ({}, {-8: "flag", -4: "number"}, {8: "ready+8"}))
def test_condition_among_other_variables(is_older: bool, group: int, names: Dict[int, str]) -> None:
    """Of all layouts that a release may have, those of which the program has a variable there."""
    offset = (40 if is_older else 32) + 4 * group
    call = FutexWait(AT + offset, PRIVATE, 0, False, True)
    named = {AT: "ready", AT + offset: f"ready+{offset}"}
    named |= {AT + at: name for at, name in names.items()}
    one = found(condition(AT, is_older, group, 1), "pthread_cond_wait", call, names=named)
    assert one is not None and one.words == "condition variable `ready'"


@pytest.mark.parametrize("is_older", (False, True))
@pytest.mark.parametrize("group", (0, 1))
def test_condition_in_a_structure(is_older: bool, group: int) -> None:
    """Its neighbours are parts of the same variable: what the words say decides."""
    offset = (40 if is_older else 32) + 4 * group
    call = FutexWait(AT + offset, PRIVATE, 0, False, True)
    named = {AT + at: f"pool.{name}" for at, name in ((-8, "size"), (-4, "used"), (0, "filled"))}
    named |= {AT + offset: f"pool+{offset + 8}", AT + 48: "pool.count"}
    for come in (1, 2, 9):
        words = {**condition(AT, is_older, group, come), AT - 8: 7, AT - 4: 0, AT + 48: 3}
        one = found(words, "pthread_cond_wait", call, names=named)
        assert one is not None
        assert one.words in ("condition variable `pool.filled'", "a condition variable")
        if come == 1:
            assert one.words == "condition variable `pool.filled'"


def test_semaphore_barrier_and_other_words() -> None:
    call = FutexWait(AT, 0x189, 0, False, True)
    for function, kind in (("sem_wait", "semaphore"), ("syscall", "futex"), (None, "futex")):
        one = found({AT: 0}, function, call)
        assert one is not None and one.kind == kind and one.unknown is not None
        one = found({AT: 1}, function, call)
        assert one is not None and one.goes_on
    one = found({AT + 4: 0}, "pthread_barrier_wait", call._replace(address=AT + 4))
    assert one is not None and one.address == AT and one.unknown is not None


def test_spin_lock_of_other_machines() -> None:
    """Where a free one holds zero."""
    for word, goes_on in ((0, True), (1, False)):
        one = kept("pthread_spin_lock", None, AT, {AT: word}.get, {}.get, KNOWN, free_spin_lock=0)
        assert one is not None and one.goes_on == goes_on


def test_spin_lock() -> None:
    one = found({AT: 0}, "pthread_spin_lock", None, AT)
    assert one is not None and one.unknown is not None and "spin lock" in one.unknown
    one = found({AT: 1}, "pthread_spin_lock", None, AT)
    assert one is not None and one.goes_on


def test_whatever_else_waits_for_nothing() -> None:
    assert found({}, "nanosleep", None) is None
    assert found({}, None, None) is None


def test_names_of_the_program_are_no_commands() -> None:
    one = found(mutex(), names={AT: "\x1b[2Jx"})
    assert one is not None and one.words.isprintable()


@pytest.mark.parametrize(
    "lock, owner, nobody, unknown",
    [
        (Internal("stream", "stdout", 2), 2, None, None),
        (Internal("stream", "stdout", None, True), None, "its owner is gone", None),
        (Internal("stream", "stdout", None), None, None, "not known who holds the lock of the"),
        (Internal("stream", "stdout", 0), None, None, "being passed on at this moment"),
        (Internal("malloc"), None, None, "not known who holds malloc's lock"),
    ],
)
def test_locks_of_its_own(
    lock: Internal, owner: Optional[int], nobody: Optional[str], unknown: Optional[str]
) -> None:
    one = kept(None, ASLEEP, None, {AT: 2}.get, {}.get, KNOWN, internal=lock)
    assert one is not None and (one.kind, one.owner, one.goes_on) == (lock.kind, owner, False)
    for text, expected in ((one.nobody, nobody), (one.unknown, unknown)):
        assert (text is None) == (expected is None) and (expected or "") in (text or "")
    free = kept(None, ASLEEP, None, {AT: 0}.get, {}.get, KNOWN, internal=lock)
    assert free is not None and free.goes_on


def test_initialisers() -> None:
    """Only GNU's C++ library has the guard in the word that a thread sleeps on."""
    names = {AT: "guard variable for table()::made"}
    asleep = ASLEEP._replace(operation=0, expected=0x10100)
    one = found({AT: 0x10100}, "cxa_guard_acquire", asleep, names=names)
    assert one is not None and one.unknown is not None
    assert (one.address, one.words) == (
        AT,
        "the initialiser of static variable `table()::made'",
    )
    other = found({AT: 2}, "cxa_guard_acquire", names=names)
    assert other is not None and (other.kind, other.address) == ("static", None)
    once = found({AT: 1}, "pthread_once", ASLEEP._replace(expected=1), names={AT: "flag"})
    assert once is not None and once.words == "the initialiser of once flag `flag'"


@pytest.mark.parametrize(
    "function, kind",
    [
        ("void std::__atomic_wait_address<int, std::latch::wait() const::{lambda()#1}>", "latch"),
        ("std::__1::latch::wait", "latch"),
        ("std::__tree_barrier<std::__empty_completion>::wait", "std_barrier"),
        ("std::counting_semaphore<4l>::acquire", "counting_semaphore"),
        ("std::__atomic_futex_unsigned_base::_M_futex_wait_until", "future"),
        ("std::__future_base::_State_baseV2::wait", "future"),
        ("std::__detail::__platform_wait<int>", None),
        ("mystd::latch::wait", None),
        (None, None),
    ],
)
def test_what_headers_define(function: Optional[str], kind: Optional[str]) -> None:
    assert waits_in_headers(function) == kind


def test_what_headers_wait_for() -> None:
    call = FutexWait(AT, 0, 2, False, True)
    for kind, names, expected in (
        ("latch", {AT: "done"}, "std::latch `done'"),
        ("latch", {AT: "std::__detail::__waiter_pool_base::_S_for+832"}, "a std::latch"),
        ("std_barrier", {AT: "elsewhere"}, "a std::barrier"),
        ("counting_semaphore", {AT: "slots"}, "std::counting_semaphore `slots'"),
        ("future", {}, "a future"),
    ):
        one = kept(None, call, None, {AT: 2}.get, names.get, KNOWN, internal=Internal(kind))
        assert one is not None and one.words == expected and expected in (one.unknown or "")
        assert (one.counted is not None) == ("`" in expected), one
