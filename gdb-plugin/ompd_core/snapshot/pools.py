# SPDX-License-Identifier: Apache-2.0
"""Which threads that are not OpenMP's own did a library, or the program, start to work beside a
team? Of a pool all begin in the same function."""

from __future__ import annotations

from typing import Sequence

from ..debugger import MOST_FRAMES
from ..model.naming import system_name, without_parameters
from ..model.native import Frame, Location
from ..model.process import Process, Thread
from ..model.slowdowns import Pool
from ..model.thread_starts import is_in_headers, is_starter
from ..model.where import CodeMap, starts_thread
from .stacks import Stacks


def busy(process: Process, stacks: Stacks, code: CodeMap) -> list[Pool]:
    """Those of which several threads are at work, or that threads of a team are in a call of."""
    pools: dict[tuple[str | None, int | str | None], Pool] = {}
    awake: set[Thread] = set()
    for thread in process.threads:
        walked = None if thread.openmp else stacks.walked(thread, MOST_FRAMES)
        if walked is None or not walked.whole:
            continue
        began = _began(walked.frames, code)
        if began is None:
            continue
        first, users = began
        library = None if first.executable else first.location.objfile
        key = (library, first.entry or first.location.function or first.location.offset)
        named = Location(_name(users.location.function), objfile=library)
        pools.setdefault(key, Pool([], named)).threads.append(thread)
        if _is_awake(walked.frames[0], code):
            awake.add(thread)
    teams = [thread for thread in process.threads if thread.in_team]
    return [one for one in pools.values() if _is_busy(one, awake, teams, stacks)]


def _is_busy(pool: Pool, awake: set[Thread], teams: Sequence[Thread], stacks: Stacks) -> bool:
    """One thread alone may be there for anything: it works for a team if that calls its library."""
    working = len(awake.intersection(pool.threads))
    if working > 1:
        return True
    is_called = any(_is_in(pool.where.objfile, thread, stacks) for thread in teams)
    return is_called and (working > 0 or len(pool.threads) > 1)


def _is_in(library: str | None, thread: Thread, stacks: Stacks) -> bool:
    walked = stacks.walked(thread, MOST_FRAMES) if library is not None else None
    return walked is not None and any(f.location.objfile == library for f in walked.frames)


def _began(frames: Sequence[Frame], code: CodeMap) -> tuple[Frame, Frame] | None:
    """The frame of the function that the thread was started with, and of the one that its user
    knows. None: it is the program's first thread, or was started by a runtime."""
    outer = list(frames)
    started = False
    while outer and (code.is_system(outer[-1]) or starts_thread(outer[-1])):
        started = True
        outer.pop()
    while outer and is_starter(outer[-1].location.objfile):
        outer.pop()
    if not outer or not started or code.is_runtime(outer[-1]) or code.is_unknown(outer[-1]):
        return None
    if outer[-1].executable and outer[-1].location.function in ("main", "_start"):
        return None
    own = (one for one in reversed(outer) if not is_in_headers(one.location.function))
    return outer[-1], next(own, outer[-1])


def _name(function: str | None) -> str | None:
    return without_parameters(function) if function is not None else None


def _is_awake(innermost: Frame, code: CodeMap) -> bool:
    """A thread sleeps in the C library."""
    if not code.is_system(innermost):
        return True
    return system_name(innermost.location.function or "") == "sched_yield"
