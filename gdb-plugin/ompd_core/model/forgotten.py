# SPDX-License-Identifier: Apache-2.0
"""Is a lock held that nobody will give up?

Shown by elimination: no function of the program gives up what it has not taken itself, so whoever
may do it is between both, in a frame of some stack; and nobody is. Anything that is not known there
leaves it open.
"""

from __future__ import annotations

from typing import Collection, Mapping, Sequence

from ..light_classes import NamedTuple
from .holding import Ended
from .locks import Holdings, Lock, Locks
from .native import Location
from .process import Thread
from .tasks import Tasks


class Left(NamedTuple):
    """What a function may still hold when it returns."""

    kind: str
    address: int | None  # None: not known
    location: Location  # of the call that took it


class Unpaired(NamedTuple):
    """Of a function that takes locks, or gives them up."""

    ended: frozenset[Ended]  # it may not have taken them itself
    left: tuple[Left, ...]


class Stack(NamedTuple):
    """Of a thread."""

    whole: bool  # every frame was seen, and what each of them holds
    in_routine: bool  # it is inside one that takes locks or gives them up


def candidates(locks: Locks) -> list[Lock]:
    """Held, waited for, and by nobody but those who wait, as far as the code tells."""
    return [
        lock
        for lock in locks.all
        if lock.raw.held
        and lock.waiters
        and lock.variable is not None
        and not lock.raw.problem
        and lock.holder not in lock.waiters
        and set(lock.told + lock.possible) <= set(lock.waiters)
    ]


def is_forgotten(
    lock: Lock,
    locks: Locks,
    holdings: Holdings,
    stacks: Mapping[Thread, Stack | None],
    functions: Sequence[Unpaired],
    tasks: Tasks | None,
) -> bool:
    """stacks: of all threads that have frames of the program's; None: it could not be looked at.
    functions: all that take locks or give them up."""
    kind = lock.construct or ""
    return (
        not locks.lost
        and not locks.unread
        and not _may_sleep(tasks)
        and all(_is_elsewhere(thread, stack, lock, locks) for thread, stack in stacks.items())
        and not _any_unknown(holdings, kind)
        and not any(_may_end(one.ended, kind, lock.variable) for one in functions)
        and lock.all_waiters_are_counted
    )


def left_at(lock: Lock, functions: Sequence[Unpaired]) -> list[Location]:
    """Where it was taken by functions that may return without giving it up."""
    mine = [one for f in functions for one in f.left if one.kind == lock.construct]
    exact = [one.location for one in mine if one.address == lock.variable]
    return list(dict.fromkeys(exact or [one.location for one in mine if one.address is None]))


def _may_sleep(tasks: Tasks | None) -> bool:
    """Is there a task that is on no stack, and may hold something?"""
    if tasks is None or tasks.problem or tasks.unseen:
        return True
    return any(task.raw.state == "suspended" and not task.raw.tied for task in tasks.all)


def _is_elsewhere(thread: Thread, stack: Stack | None, lock: Lock, locks: Locks) -> bool:
    if stack is None or not stack.whole:
        return False
    if thread in lock.waiters or not stack.in_routine:
        return True
    if lock.raw.tells_owner:
        # Who has just got it is in the call that took it.
        return thread is not lock.holder
    return locks.wanted_by(thread) is not None


def _any_unknown(holdings: Holdings, kind: str) -> bool:
    """Is something held of which it is not known which one it is?"""
    return any(
        held.kind == kind and held.address is None for found in holdings.values() for held in found
    )


def _may_end(ended: Collection[Ended], kind: str, variable: int | None) -> bool:
    exact = kind != "critical"  # an unnamed one has no variable in the code
    return any(one.kind == kind and (not exact or one.address in (None, variable)) for one in ended)
