# SPDX-License-Identifier: Apache-2.0
"""What explains that a program is slow, as notes: nothing of it is wrong."""

from __future__ import annotations

from typing import Sequence

from ..model import ids
from ..model.process import Region, Thread, pairs
from ..model.slowdowns import Crowded, Slowdown, Throttled, Uneven
from .table import count, place

_CODES = {Crowded: "few_processors", Throttled: "little_time", Uneven: "uneven_work"}


def of_slowdowns(found: Sequence[Slowdown]) -> list[tuple[str, str]]:
    """Of each its code and a sentence."""
    return [(_CODES[type(one)], _sentence(one)) for one in found]


def _sentence(one: Slowdown) -> str:
    if isinstance(one, Crowded):
        return _crowded(one)
    if isinstance(one, Throttled):
        return (
            f"{_threads(one.threads)} may use {one.quota:.1f} processors' worth of time in all:"
            " their control group has a limit (cpu.max). Each of them is held back in turn."
        )
    who = _numbers(one.working)
    verb = "works" if len(one.working) == 1 else "work"
    at = one.working[0].where
    where = f" in {place(at.function, at.file, at.line)}" if at is not None else ""
    return (
        f"{len(one.waiting)} of the {len(one.region.members)} threads of {one.region.id} wait at"
        f" its barrier for {who}, which {verb}{where}. If it is often so, their work is uneven."
    )


def _crowded(one: Crowded) -> str:
    many = len(one.processors)
    if many == 1:
        return (
            f"{_threads(one.threads)} are bound to processor {min(one.processors)}: they take"
            " turns. Look at OMP_PROC_BIND, OMP_PLACES, `taskset' and how the job was started."
        )
    return (
        f"{_threads(one.threads)} may use {count(many, 'processor')}"
        f" ({ids.compress(one.processors)}): they take turns."
    )


def _threads(threads: Sequence[Thread]) -> str:
    regions = _regions(threads)
    of = regions[0].id if len(regions) == 1 else count(len(regions), "region")
    return f"The {len(threads)} threads of {of}"


def _regions(threads: Sequence[Thread]) -> list[Region]:
    innermost = (one.region for thread in threads for one in thread.openmp)
    return list(dict.fromkeys(region for region in innermost if region is not None))


def _numbers(threads: Sequence[Thread]) -> str:
    return ids.short_thread_list(pairs(one for thread in threads for one in thread.openmp))
