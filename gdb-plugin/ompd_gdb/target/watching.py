# SPDX-License-Identifier: Apache-2.0
"""What does a process on this machine do between two stops? Told by what the kernel counts of its
threads, and by words of its memory, read again and again while it runs."""

from __future__ import annotations

import os
import threading
import time
from typing import Collection, Dict, Tuple

from ompd_core.light_classes import NamedTuple
from ompd_core.model.moments import Watched

# A stop wakes each thread; what that costs is counted shortly after.
SETTLED = 0.1  # seconds
# Seconds between two looks at the words, and how many are looked at.
PAUSE = 0.005
MOST_WORDS = 1024


class _Usage(NamedTuple):
    used: Tuple[int, int]  # processor time in ns, and context switches
    runnable: bool  # it has a processor, or waits for one


_Usages = Dict[int, _Usage]  # by LWP


def watch(
    pid: int, seconds: float, stopped: threading.Event, words: Collection[tuple[int, int]]
) -> Watched:
    """For so long while the process runs, or until it has stopped. words: address and size."""
    end = time.monotonic() + seconds
    stopped.wait(min(SETTLED, seconds / 2))
    middle = (time.monotonic() + end) / 2
    usages = [_usages(pid)]
    changed: set[int] = set()
    seen: set[int] = set()
    for half in (middle, end):
        altered, readable = _watch_words(pid, half, stopped, list(words)[:MOST_WORDS])
        changed |= altered
        seen |= readable
        usages.append(_usages(pid))
    first, second, third = usages
    whole, *halves = _ran(first, third), _ran(first, second), _ran(second, third)
    again = frozenset(lwp for lwp in first if all(half.get(lwp) for half in halves))
    starved = frozenset(lwp for lwp, did in whole.items() if third[lwp].runnable and not did)
    ran = whole if first and third else None
    return Watched(ran, frozenset(seen), frozenset(changed), again, starved)


def _ran(before: _Usages, after: _Usages) -> dict[int, bool]:
    """Has it used a processor?"""
    return {lwp: before[lwp].used != one.used for lwp, one in after.items() if lwp in before}


def _watch_words(
    pid: int, end: float, stopped: threading.Event, words: list[tuple[int, int]]
) -> tuple[set[int], set[int]]:
    """The addresses of those that changed, and of all that could be read."""
    changed: set[int] = set()
    try:
        file = os.open(f"/proc/{pid}/mem", os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        stopped.wait(max(0.0, end - time.monotonic()))
        return changed, set()
    try:
        first = {at: found for at, size in words if (found := _read(file, at, size))}
        while time.monotonic() < end and not stopped.is_set():
            stopped.wait(PAUSE if first else max(0.0, end - time.monotonic()))
            left = [at for at in first if at not in changed]
            changed.update(at for at in left if _read(file, at, len(first[at])) != first[at])
    finally:
        os.close(file)
    return changed, set(first)


def _read(file: int, address: int, size: int) -> bytes | None:
    try:
        return os.pread(file, size, address)
    except (OSError, OverflowError):
        return None


def _usages(pid: int) -> _Usages:
    found = {}
    try:
        for name in os.listdir(f"/proc/{pid}/task"):
            usage = _usage(f"/proc/{pid}/task/{name}")
            if usage is not None:
                found[int(name)] = usage
    except OSError:
        pass  # it has ended
    return found


def _usage(folder: str) -> _Usage | None:
    try:
        with open(f"{folder}/schedstat", encoding="ascii") as file:
            nanoseconds = int(file.read().split()[0])
        with open(f"{folder}/status", encoding="ascii", errors="replace") as file:
            lines = [line.split() for line in file]
        switches = sum(int(words[1]) for words in lines if words and "ctxt_switches" in words[0])
        return _Usage((nanoseconds, switches), ["State:", "R"] in (words[:2] for words in lines))
    except (OSError, ValueError, IndexError):
        return None  # it has ended, or this kernel does not count
