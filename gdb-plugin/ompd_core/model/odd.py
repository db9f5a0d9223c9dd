# SPDX-License-Identifier: Apache-2.0
"""Which threads does one want to look at more closely? Those that something is wrong with."""

from __future__ import annotations

from typing import Iterator

from . import barriers
from .judgement import Judgement
from .process import Process, Thread

MOST = 12


def threads(process: Process, judgement: Judgement | None) -> list[Thread]:
    """The one that crashed, or that the signal came to, first. Of many that stand still only those
    of different places. judgement: None if there is none."""
    return list(dict.fromkeys(_all(process, judgement)))[:MOST]


def _all(process: Process, judgement: Judgement | None) -> Iterator[Thread]:
    signal = process.signal
    for thread in process.threads:
        if signal is not None and thread.native and thread.native.ptid[1] == signal.lwp:
            yield thread
    if judgement is None:
        return
    yield from judgement.waits.stuck
    for group in judgement.diverging:
        for barrier in group:
            yield from _known(barrier.region.members[num] for num in barrier.arrived[:1])
        yield from _known(thread for _, thread in barriers.missing_members(group))
    places = set()
    for thread in judgement.standing_still:
        at = thread.where
        place = (at.function, at.file, at.line) if at is not None else None
        if place not in places:
            places.add(place)
            yield thread


def _known(threads: Iterator[Thread | None]) -> Iterator[Thread]:
    return (thread for thread in threads if thread is not None)
