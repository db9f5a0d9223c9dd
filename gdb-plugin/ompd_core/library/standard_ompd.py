# SPDX-License-Identifier: Apache-2.0
"""What can be had of a library that has OMPD's own routines only, as LLVM's libompd? The answers of
library.AddressSpace, with much of them missing.

OMPD lists neither threads nor regions: each of the debugger's threads is asked for, and regions are
told apart by comparing handles. A thread's number in an outer region is that of the thread 0 of the
region inside it.
"""

from __future__ import annotations

from typing import Any, Callable, Sequence

from ..errors import UserError
from . import capi, standard_icvs
from .library import Library
from .routines import LEVELS_MAX, Routines
from .types import (
    Arrival,
    Diagnostic,
    Icvs,
    LockVariable,
    NativeIds,
    RuntimeInfo,
    TeamArrivals,
    View,
    ViewDoacross,
    ViewLocks,
    ViewLoop,
    ViewRegion,
    ViewTasks,
    ViewThread,
)

TEAM_MAX = 131072


class StandardSpace:
    """The runtime that the library finds by itself. Raises OmpdError as AddressSpace does."""

    def __init__(self, library: Library, context: int, pointer_size: int) -> None:
        self._library = library
        self._handle = capi.Handle()
        library._call("ompd_process_initialize", context, capi.byref(self._handle))
        self.routines = Routines(library, self._handle, pointer_size)

    def close(self) -> None:
        self.routines.release("address_space", self._handle)

    def diagnostics(self) -> list[Diagnostic]:
        return []

    def info(self) -> RuntimeInfo:
        text = self._library._text("ompd_get_omp_version_string", self._handle)
        return RuntimeInfo(
            kind="llvm",
            version=None,
            version_text=f"OpenMP runtime {text}".strip(),
            build_id=None,
            descriptors=None,
            record=None,
            initialized=True,
            state_tracking=None,
            start=0,
            end=0,
        )

    def snapshot(self, threads: Sequence[NativeIds]) -> StandardSnapshot:
        view = _Picture(self.routines, threads).view
        return StandardSnapshot(
            self._library.path,
            view,
            lambda: standard_icvs.read(self.routines, self._handle, threads),
        )


class StandardSnapshot:
    """Threads and regions, and no more."""

    def __init__(self, path: str, view: View, icvs: Callable[[], Icvs]) -> None:
        self._path = path
        self._view = view
        self.icvs = icvs

    def close(self) -> None:
        """Nothing of it is the library's."""

    def diagnostics(self) -> list[Diagnostic]:
        return []

    def view(self) -> View:
        return self._view

    def tasks(self) -> ViewTasks:
        raise self._lacking("list no tasks")

    def locks(self, variables: Sequence[LockVariable]) -> ViewLocks:
        raise self._lacking("list no locks")

    def arrivals(self) -> dict[int, Arrival]:
        raise self._lacking("tell nothing of barriers")

    def team_arrivals(self) -> dict[int, TeamArrivals]:
        raise self._lacking("tell nothing of barriers")

    def loops(self) -> list[ViewLoop]:
        raise self._lacking("tell nothing of loops")

    def doacross(self, team: int, number: int, iteration: Sequence[int]) -> ViewDoacross:
        raise self._lacking("tell nothing of loops")

    def _lacking(self, what: str) -> UserError:
        return UserError(
            "library_lacks_extensions",
            f"{self._path} has only OMPD's own routines, which {what}.",
            "To use the library that came with these commands: `set ompd library'.",
        )


class _Picture:
    """Made once per view; holds the handles until it is made."""

    def __init__(self, space: Routines, natives: Sequence[NativeIds]) -> None:
        self._space = space
        self._regions: list[Any] = []  # handles
        self._raw: list[ViewRegion] = []
        self._native_of = {
            ids.pthread_id: i for i, ids in enumerate(natives) if ids.pthread_id is not None
        }
        try:
            threads = [self._thread(i, ids) for i, ids in enumerate(natives)]
        finally:
            for region in self._regions:
                space.release("parallel", region)
        self.view = View(threads, self._raw)

    def _thread(self, native: int, ids: NativeIds) -> ViewThread:
        space = self._space
        handle = space.thread_handle(ids)
        if handle is None:
            return ViewThread(native, "none")
        try:
            chain = self._chain(handle)
            levels = [(region, self._number(chain, i, native)) for i, region in enumerate(chain)]
            state, wait_id = space.state(handle)
            kind, final = self._task(handle)
            known = [(region, number) for region, number in levels if number is not None]
            first = bool(chain) and all(number == 0 for _, number in levels)
            return ViewThread(
                native,
                ("initial" if native == 0 else "root") if first else "worker",
                tuple(known) if len(known) == len(levels) else (),
                None if len(known) == len(levels) else "inconsistent",
                pthread_id=ids.pthread_id or 0,
                task_kind=kind,
                task_final=final,
                tracked_state=state,
                tracked_wait_id=wait_id,
            )
        finally:
            space.release("thread", handle)

    def _task(self, thread: Any) -> tuple[str | None, bool | None]:
        task = self._space.made("ompd_get_curr_task_handle", thread)
        if task is None:
            return None, None
        try:
            implicit = self._space.number("implicit-task-var", task)
            final = self._space.number("final-task-var", task)
            kind = None if implicit is None else "implicit" if implicit else "explicit"
            return kind, None if final is None else bool(final)
        finally:
            self._space.release("task", task)

    def _chain(self, thread: Any) -> list[int]:
        """The regions around the thread, innermost first."""
        chain: list[int] = []
        handle = self._space.made("ompd_get_curr_parallel_handle", thread)
        while handle is not None and len(chain) < LEVELS_MAX:
            index, new = self._region(handle)
            chain.append(index)
            enclosing = self._space.made("ompd_get_enclosing_parallel_handle", self._regions[index])
            if not new:
                self._space.release("parallel", handle)
            handle = enclosing
        if handle is not None:
            self._space.release("parallel", handle)
        for inner, outer in zip(chain, chain[1:]):
            raw = self._raw[inner]
            if raw.parent is None:
                self._raw[inner] = raw._replace(parent=outer)
        return chain

    def _region(self, handle: Any) -> tuple[int, bool]:
        """Its index; whether it is seen for the first time."""
        for i, known in enumerate(self._regions):
            if self._space.same("parallel", known, handle):
                return i, False
        self._regions.append(handle)
        self._raw.append(self._describe(handle))
        return len(self._regions) - 1, True

    def _describe(self, handle: Any) -> ViewRegion:
        icv = self._space.number
        size, level = icv("team-size-var", handle), icv("levels-var", handle)
        count = min(size or 0, TEAM_MAX)
        return ViewRegion(
            address=0,
            parent=None,
            generator="program" if level == 0 else "parallel",
            level=level,
            active_level=icv("active-levels-var", handle),
            team_size=size,
            members=tuple(self._member(handle, i) for i in range(count)),
            serialized=False if level == 0 or (size or 0) > 1 else None,
            function=self._function(handle) if level else 0,
        )

    def _member(self, region: Any, number: int) -> int | None:
        thread = self._space.made("ompd_get_thread_in_parallel", region, number)
        if thread is None:
            return None
        try:
            return self._native_of.get(self._space.pthread_of(thread) or 0)
        finally:
            self._space.release("thread", thread)

    def _function(self, region: Any) -> int:
        task = self._space.made("ompd_get_task_in_parallel", region, 0)
        if task is None:
            return 0
        try:
            return self._space.function(task)
        finally:
            self._space.release("task", task)

    def _number(self, chain: list[int], place: int, native: int) -> int | None:
        """The thread's number in a region of its chain; None: it cannot be told."""
        member: int | None = native
        if place:
            inside = self._raw[chain[place - 1]].members
            member = inside[0] if inside else None
        members = self._raw[chain[place]].members
        return members.index(member) if member is not None and member in members else None
