# SPDX-License-Identifier: Apache-2.0
"""What are the ICVs, for the process and for each thread? Asked for one by one, of a library that
has OMPD's own routines only."""

from __future__ import annotations

from typing import Any, Sequence

from .icvs import scope_name
from .routines import LEVELS_MAX, Routines
from .types import Icvs, IcvValue, NativeIds


def read(routines: Routines, handle: Any, threads: Sequence[NativeIds]) -> Icvs:
    scopes = {name: scope_name(scope) for name, (_, scope) in routines.icvs().items()}
    process = {
        name: routines.value(name, handle) for name, scope in scopes.items() if scope == "process"
    }
    with _Region(routines, scopes) as region:
        found = [_of_thread(routines, scopes, region, ids) for ids in threads]
    return Icvs(scopes, process, _of_initial_task(routines, scopes, threads), found)


class _Region:
    """The one that was asked last: most threads are in the same as the one before."""

    def __init__(self, routines: Routines, scopes: dict[str, str]) -> None:
        self._routines = routines
        self._names = [name for name, scope in scopes.items() if scope == "region"]
        self._handle: Any | None = None
        self._values: dict[str, IcvValue] = {}

    def __enter__(self) -> _Region:
        return self

    def __exit__(self, *_: object) -> None:
        _release(self._routines, parallel=self._handle)

    def values(self, handle: Any) -> dict[str, IcvValue]:
        """The handle is released here."""
        if self._handle is not None and self._routines.same("parallel", self._handle, handle):
            self._routines.release("parallel", handle)
            return self._values
        _release(self._routines, parallel=self._handle)
        self._handle = handle
        self._values = {name: self._routines.value(name, handle) for name in self._names}
        return self._values


def _of_thread(
    routines: Routines, scopes: dict[str, str], region: _Region, ids: NativeIds
) -> dict[str, IcvValue] | None:
    thread = routines.thread_handle(ids)
    if thread is None:
        return None
    current = routines.made("ompd_get_curr_parallel_handle", thread)
    of_region = region.values(current) if current is not None else None
    task = routines.made("ompd_get_curr_task_handle", thread)
    handles = {"thread": thread, "task": task}
    try:
        if of_region is None or task is None:
            return None
        return {
            name: of_region[name] if scope == "region" else routines.value(name, handles[scope])
            for name, scope in scopes.items()
            if scope in handles or scope == "region"
        }
    finally:
        _release(routines, thread=thread, task=task)


def _of_initial_task(
    routines: Routines, scopes: dict[str, str], threads: Sequence[NativeIds]
) -> dict[str, IcvValue]:
    """Outwards from the first thread that is in a region."""
    for ids in threads:
        thread = routines.thread_handle(ids)
        if thread is None:
            continue
        region = routines.made("ompd_get_curr_parallel_handle", thread)
        routines.release("thread", thread)
        if region is not None:
            return _outwards(routines, scopes, region)
    return {}


def _outwards(routines: Routines, scopes: dict[str, str], region: Any) -> dict[str, IcvValue]:
    for _ in range(LEVELS_MAX):
        outer = routines.made("ompd_get_enclosing_parallel_handle", region)
        if outer is None:
            break
        routines.release("parallel", region)
        region = outer
    task = routines.made("ompd_get_task_in_parallel", region, 0)
    routines.release("parallel", region)
    if task is None:
        return {}
    try:
        return {
            name: routines.value(name, task) for name, scope in scopes.items() if scope == "task"
        }
    finally:
        routines.release("task", task)


def _release(routines: Routines, **handles: Any) -> None:
    for kind, handle in handles.items():
        if handle is not None:
            routines.release(kind, handle)
