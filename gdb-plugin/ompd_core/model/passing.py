# SPDX-License-Identifier: Apache-2.0
"""Which threads that seem to wait have been let go already? On its stack a thread to which a lock
was given, or whose barrier is complete, looks as before until it has woken up; the runtime's words
tell.
"""

from __future__ import annotations

from typing import Callable, Mapping, Sequence

from ..library.types import LockVariable, ViewLock, ViewLocks
from . import turns
from .barriers import barrier_of
from .locks import CONSTRUCTS
from .loops import HandedOut
from .posts import Posts, waits_in_loop
from .process import Membership, Process, Wait
from .waits import Arrivals, arrival_of

# By runtime: what was asked, and the answer.
Queues = Mapping[int, "tuple[Sequence[LockVariable], ViewLocks]"]


def settle(
    process: Process,
    arrivals: Callable[[], Arrivals],
    queues: Callable[[], Queues],
    loops: Callable[[], HandedOut],
    posts: Callable[[], Posts],
) -> None:
    """Those are not told to wait. arrivals, queues, loops, posts: asked for if there may be any."""
    waiting = [m for t in process.threads for m in t.openmp if m.wait and "state" not in m.doubts]
    at_barriers = [m for m in waiting if m.wait and m.wait.kind == "barrier"]
    if at_barriers:
        words = arrivals()
        for member in at_barriers:
            if _is_released(member, words):
                member.let_go()
    for_locks = [m for m in waiting if m.wait and m.wait.kind in CONSTRUCTS]
    if for_locks:
        known = queues()
        for member in for_locks:
            if _has_got(member, known):
                member.let_go()
    in_order = [m for m in waiting if m.wait and m.wait.kind == "ordered"]
    if in_order:
        handed_out = loops()
        for member in in_order:
            loop = turns.loop_of(member, handed_out)
            if loop is not None and turns.has_come(loop):
                member.let_go()
    if any(m.wait and m.wait.kind == "doacross" for m in waiting):
        for thread, post in posts().items():
            waiting_in = waits_in_loop(thread)
            if post.posted and waiting_in is not None:
                waiting_in.let_go()


def wanted(process: Process, runtime: int) -> list[LockVariable]:
    """The locks that threads seem to wait for."""
    waits = (member.wait for t in process.threads if (member := t.member(runtime)) is not None)
    return list(dict.fromkeys(v for wait in waits if (v := _variable(wait)) is not None))


def _variable(wait: Wait | None) -> LockVariable | None:
    if wait is None or wait.address is None or wait.kind not in CONSTRUCTS:
        return None
    return LockVariable(wait.address, wait.kind == "critical")


def _is_released(member: Membership, words: Arrivals) -> bool:
    word = arrival_of(member, words)
    if word is None or member.wait is None or member.wait.construct in ("parallel", "teams"):
        return False  # region_ends tells of these
    return bool(word.released & barrier_of(member.wait))


def _has_got(member: Membership, queues: Queues) -> bool:
    """It has the lock, or has yet to ask for it. Only what the lock itself says counts."""
    variable = _variable(member.wait)
    asked, view = queues.get(member.runtime, ((), ViewLocks()))
    if variable is None or variable not in asked:
        return False
    index = view.variables[list(asked).index(variable)]
    if index is None or index >= len(view.locks):
        return False
    lock, number = view.locks[index], member.raw.index
    if member.wait is not None and member.wait.exact:
        return _keeps_nobody(lock, number)
    # Which lock it is may be told wrong; whoever waits for a lock of this kind is in some queue.
    return view.problem is None and all(
        one.kind == "queuing" and one.held and _keeps_nobody(one, number) for one in view.locks
    )


def _keeps_nobody(lock: ViewLock, number: int | None) -> bool:
    if lock.held is False:
        return True
    in_queue = number in lock.waiters or lock.problem is not None
    return lock.kind == "queuing" and number is not None and not in_queue
