# SPDX-License-Identifier: Apache-2.0
"""What explains that a program is slow, as notes: nothing of it is wrong."""

from __future__ import annotations

from typing import Sequence

from ..model import ids
from ..model.process import Region, Thread, pairs
from ..model.slowdowns import (
    Alone,
    Cancelled,
    Crowded,
    Fewer,
    HeldUp,
    Pool,
    SeveralRuntimes,
    Slowdown,
    Throttled,
    Uncancelled,
    Uneven,
)
from .slow_words import LOOK_AT_THREADS, TAKE_TURNS, smaller
from .table import count, listed, place
from .terminal import plain

_CODES = {
    Crowded: "few_processors",
    Throttled: "little_time",
    SeveralRuntimes: "several_runtimes",
    Uneven: "uneven_work",
    HeldUp: "held_up",
    Cancelled: "cancelled",
    Uncancelled: "cancellation_off",
    Fewer: "few_threads",
    Alone: "one_thread",
}
_LIMITS = {
    "max-active-levels-var": "where {0} are active around a region, it gets one"
    " (OMP_MAX_ACTIVE_LEVELS, max-active-levels-var)",
    "thread-limit-var": "the program may have no more than {0} at a time (OMP_THREAD_LIMIT,"
    " thread-limit-var)",
    "dyn-var": "the runtime may make teams smaller (OMP_DYNAMIC, dyn-var)",
}


def of_slowdowns(found: Sequence[Slowdown]) -> list[tuple[str, str]]:
    """Of each its code and a sentence."""
    return [(_CODES[type(one)], _sentence(one)) for one in found]


def _sentence(one: Slowdown) -> str:
    if isinstance(one, Crowded):
        return _crowded(one)
    if isinstance(one, Throttled):
        return (
            f"{_who(one)} may use {one.quota:.1f} processors' worth of time in all:"
            " their control group has a limit (cpu.max). Each of them is held back in turn."
            f"{_advice(one)}"
        )
    if isinstance(one, SeveralRuntimes):
        return _several(len(one.runtimes))
    if isinstance(one, HeldUp):
        return _held_up(one)
    if isinstance(one, Cancelled):
        return _cancelled(one)
    if isinstance(one, Uncancelled):
        return _uncancelled(one)
    if isinstance(one, Fewer):
        return _fewer(one)
    if isinstance(one, Alone):
        begun = one.region.location
        where = f", {place(begun.name, begun.file, begun.line)}," if begun is not None else ""
        return (
            f"{one.region.id}{where} has one thread, of {count(one.processors, 'processor')} that"
            f" it may use: nthreads-var is 1. {LOOK_AT_THREADS}"
        )
    who = _numbers(one.working)
    verb = "works" if len(one.working) == 1 else "work"
    where = _where(one.working[0])
    return (
        f"{len(one.waiting)} of the {len(one.region.members)} threads of {one.region.id} wait at"
        f" its barrier for {who}, which {verb}{where}. If it is often so, their work is uneven."
    )


def _crowded(one: Crowded) -> str:
    many = len(one.processors)
    if many == 1:
        return (
            f"{_who(one)} are bound to processor {min(one.processors)}: {TAKE_TURNS}."
            f"{_advice(one)} Look at OMP_PROC_BIND, OMP_PLACES, `taskset' and how the job was"
            " started."
        )
    return (
        f"{_who(one)} may use {count(many, 'processor')}"
        f" ({ids.compress(one.processors)}): {TAKE_TURNS}.{_advice(one)}"
    )


def _who(one: Crowded | Throttled) -> str:
    """2 pools, 4 threads of R1 (GNU libgomp 12) and 3 of libopenblas.so.0,"""
    if not one.pools:
        return _threads(one.threads)
    return f"{len(one.pools)} pools, {listed([_pool(pool) for pool in one.pools])},"


def _pool(pool: Pool) -> str:
    size = count(len(pool.threads), "thread")
    if pool.runtime is not None:
        return f"{size} of {_of_regions(pool.threads)} ({plain(pool.runtime)})"
    if pool.where.objfile is not None:
        return f"{size} of {plain(pool.where.objfile.rsplit('/', 1)[-1])}"
    return f"{size} in {place(pool.where.function, None, None)}"


def _advice(one: Crowded | Throttled) -> str:
    if not one.pools:
        return ""
    return f" {smaller(pool.where.objfile or '' for pool in one.pools)}"


def _several(runtimes: int) -> str:
    return (
        f"The program uses {runtimes} OpenMP runtimes. Each has threads and settings of its own;"
        " together they can ask for more threads than there are processors. None of them knows"
        " of the others' regions, locks, critical constructs and barriers."
    )


def _held_up(one: HeldUp) -> str:
    waits = "waits" if len(one.waiting) == 1 else "wait"
    works = "is" if len(one.working) == 1 else "are"
    return (
        f"At two looks, {one.seconds:.1f} s apart, {_numbers(one.waiting)} {waits} for"
        f" {_numbers(one.working)}, which {works} both times{_where(one.working[0])}"
        f"{_inside(one.working[0])}."
        " That takes long, or never ends: a loop there may poll for what nobody sets."
    )


_CANCELS = {"worksharing": "`cancel for' or `cancel sections'"}  # of others as they are called


def _cancelled(one: Cancelled) -> str:
    """At two looks, 1.0 s apart, R1.0 waits for R1.1-2, which are both times in work () at f.c:21.
    A thread has requested `cancel parallel' ..."""
    waits = "waits" if len(one.waiting) == 1 else "wait"
    them = "it comes" if len(one.inside) == 1 else "they come"
    looks = f"At two looks, {one.seconds:.1f} s apart, " if one.seconds is not None else ""
    is_there = f"which {'is' if len(one.inside) == 1 else 'are'}"
    is_there += " both times" if one.seconds is not None else ""
    none = f", and {plain(one.without)} () has none" if one.without is not None else ""
    what = _CANCELS.get(one.what, f"`cancel {one.what}'")
    return (
        f"{looks}{_numbers(one.waiting)} {waits} for {_numbers(one.inside)},"
        f" {is_there}{_where(one.inside[0])}{_inside(one.inside[0])}. A thread has requested"
        f" {what}, which ends the work of the others only where {them} to a cancellation"
        f" point{none}."
    )


def _uncancelled(one: Uncancelled) -> str:
    places = listed([place(at.name, at.file, at.line) for at in one.places])
    does = "does" if len(one.places) == 1 else "do"
    return (
        f"The `cancel' in {places} {does} nothing: cancellation is off (cancel-var). For it, start"
        " the program with OMP_CANCELLATION=true."
    )


def _where(thread: Thread) -> str:
    at = thread.where
    return f" in {place(at.name, at.file, at.line)}" if at is not None else ""


def _inside(thread: Thread) -> str:
    call = thread.in_call
    return f", in {plain(call.function)} ()" if call is not None and call.function else ""


def _fewer(one: Fewer) -> str:
    size = count(len(one.regions[0].members), "thread")
    if len(one.regions) > 1:
        who = f"{len(one.regions)} regions have fewer threads"
    else:
        who = f"{one.regions[0].id} has {size}"
    return f"{who}, not {one.asked} (nthreads-var): {_LIMITS[one.limit].format(one.value)}."


def _threads(threads: Sequence[Thread]) -> str:
    return f"The {len(threads)} threads of {_of_regions(threads)}"


def _of_regions(threads: Sequence[Thread]) -> str:
    regions = _regions(threads)
    return regions[0].id if len(regions) == 1 else count(len(regions), "region")


def _regions(threads: Sequence[Thread]) -> list[Region]:
    innermost = (one.region for thread in threads for one in thread.openmp)
    return list(dict.fromkeys(region for region in innermost if region is not None))


def _numbers(threads: Sequence[Thread]) -> str:
    return ids.short_thread_list(pairs(one for thread in threads for one in thread.openmp))
