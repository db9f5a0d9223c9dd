# SPDX-License-Identifier: Apache-2.0
"""How is a process looked at twice, to tell what moves from what only stands? For the shell's
command, which lets it run in between, traced or not."""

from __future__ import annotations

import threading

import gdb
from ompd_core.errors import UserError
from ompd_core.formats import free_memory
from ompd_core.library.library import OmpdError
from ompd_core.model import slowdowns
from ompd_core.model.moments import Moment
from ompd_core.model.standstill import Slept
from ompd_core.snapshot.picture import Earlier

from . import session
from .target import machines, sleeping, standstill, watching
from .target.sleeping import Look


def moment() -> Moment | None:
    """Of this stop. None: of its OpenMP nothing can be told."""
    try:
        return session.current().picture().moment
    except (UserError, OmpdError):
        return None


def may_have_ended_it() -> bool:
    """Has this stop had the kernel look at the word of a thread whose wake-up may be lost? Then
    what a second look shows is the first one's doing."""
    try:
        threads = session.current().picture().process.threads
    except (UserError, OmpdError):
        return False
    return any(one.kept is not None and one.kept.changed for one in threads)


def somebody_is_awaited() -> bool:
    """Do threads wait for one that works? What it does may be to poll, for ever."""
    try:
        needs = session.current().picture().judgement().waits.needs
    except (UserError, OmpdError):
        return False
    return bool(slowdowns.awaited_at_work(needs))


def executed(pid: int) -> bytes | None:
    """What no other program has that the process executes, before or after. None: it is gone."""
    return free_memory.random_bytes(pid)


def who_sleeps(pid: int) -> Look | None:
    """While the process runs free: a stop has the kernel wake all, and look at their words."""
    machine = machines.of_inferior(gdb.selected_inferior())
    return sleeping.look(pid, machine.LIBC.futex) if machine is not None else None


def calls_untold(pid: int) -> str | None:
    """Why the kernel does not tell that."""
    return sleeping.untold(pid)


def slept(pid: int, before: Look | None) -> Slept:
    """Since then, shortly before a stop."""
    now = who_sleeps(pid) if before is not None else None
    if before is None or now is None:
        return Slept()
    overslept = sleeping.overslept(before, now)
    machine = machines.of_inferior(gdb.selected_inferior())
    if machine is None or not sleeping.all_slept(before, now):
        return Slept(overslept)
    return Slept(overslept, standstill.of(pid, now, machine))


def note_slept(found: Slept) -> None:
    """Of this stop."""
    session.current().note_slept(found)


def apart(pid: int, first: Moment, seconds: float) -> Earlier:
    """Waits so long while the process runs free: GDB is not attached."""
    watched = watching.watch(pid, seconds, threading.Event(), first.addresses)
    return Earlier(first, seconds, True, watched)


def compare_with(earlier: Earlier) -> None:
    """What is asked next at this stop."""
    session.current().compare_with(earlier)


def let_run(seconds: float) -> None:
    """In GDB; what is asked next is compared with this stop. Raises UserError."""
    session.current().watch_for(seconds)
