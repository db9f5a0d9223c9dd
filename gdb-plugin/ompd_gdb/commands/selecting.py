# SPDX-License-Identifier: Apache-2.0
"""Which threads, regions, tasks and locks do the ids mean that a user typed?"""

from __future__ import annotations

from typing import Sequence

from ompd_core.errors import UserError
from ompd_core.model import ids
from ompd_core.model.locks import Lock, Locks
from ompd_core.model.process import NoSuchId, Process, Region, Thread
from ompd_core.model.tasks import ExplicitTask, Tasks

from ..session import Session


def parse(words: Sequence[str]) -> list[ids.Ids]:
    try:
        return [ids.parse(word) for word in words]
    except ids.IdError as error:
        raise UserError("bad_argument", str(error)) from None


def parse_locks(words: Sequence[str]) -> list[ids.LockIds]:
    try:
        return [ids.parse_lock(word) for word in words]
    except ids.IdError as error:
        raise UserError("bad_argument", str(error)) from None


def threads(process: Process, wanted: Sequence[ids.Ids], inferior: int) -> list[Thread]:
    try:
        return process.select(wanted, inferior)
    except NoSuchId as error:
        raise UserError("no_such_id", str(error)) from None


def team(here: Session, process: Process, wanted: Sequence[ids.Ids]) -> list[Thread]:
    """The threads that are named or, without names, those of the region that the selected thread is
    in; if it is in none, all OpenMP threads. Only those that GDB knows."""
    if wanted:
        chosen = threads(process, wanted, here.inferior.num)
    else:
        chosen = [thread for thread in process.threads if thread.openmp]
        selected = here.selected_thread()
        own = [t for t in chosen if selected and t.native and t.native.num == selected.num]
        region = own[0].openmp[0].region if own else None
        if region is not None and region.parent is not None:
            chosen = [t for t in region.members if t is not None]
    known = [thread for thread in chosen if thread.native is not None]
    if not known:
        raise UserError("no_such_id", "There is no such thread that GDB knows.")
    return known


def tasks(found: Tasks, wanted: Sequence[ids.Ids], inferior: int) -> list[ExplicitTask]:
    """Those that are named, those of a region that is named, those that named threads execute."""
    chosen: list[ExplicitTask] = []
    for one in wanted:
        if isinstance(one, ids.TaskIds):
            named = [task for task in found.all if task.number in one.tasks]
            if not named:
                raise UserError(
                    "no_such_id", f"There is no task {one.text}: `ompd tasks' shows the tasks."
                )
        elif isinstance(one, ids.RegionIds) and one.threads is None:
            inside = regions(found.process, [one], inferior)
            named = [task for task in found.all if task.region in inside]
        else:
            executing = threads(found.process, [one], inferior)
            named = [
                task
                for task in found.all
                if task.raw.state == "executing" and task.thread in executing
            ]
        chosen += named
    return list(dict.fromkeys(chosen)) if wanted else found.all


def regions(process: Process, wanted: Sequence[ids.Ids], inferior: int) -> list[Region]:
    """Those that are named, and those that the named threads are in."""
    chosen: list[Region] = []
    for one in wanted:
        if isinstance(one, ids.RegionIds) and one.threads is None:
            found = [region for region in process.regions if region.number in one.regions]
            if not found:
                raise UserError("no_such_id", process.no_region(one.text))
        else:
            inside = [m.region for t in threads(process, [one], inferior) for m in t.openmp]
            found = [region for region in inside if region is not None]
            if not found:
                raise UserError("no_such_id", f"Thread {one.text} is in no parallel region.")
        chosen += found
    return list(dict.fromkeys(chosen))


def locks(found: Locks, wanted: Sequence[ids.LockIds]) -> list[Lock]:
    """Those that are named."""
    chosen: list[Lock] = []
    for one in wanted:
        named = [lock for lock in found.all if lock.number in one.locks]
        if not named:
            raise UserError("no_such_id", _no_lock(found, one.text))
        chosen += named
    return list(dict.fromkeys(chosen))


def _no_lock(found: Locks, text: str) -> str:
    if not found.all:
        return f"There is no lock {text}: none is held or waited for, as far as the runtime tells."
    known = f"are L1 to {found.all[-1].id}" if len(found.all) > 1 else "is only L1"
    return f"There is no lock {text}: at this stop there {known} (see `ompd locks')."
