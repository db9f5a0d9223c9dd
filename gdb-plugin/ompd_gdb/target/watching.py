# SPDX-License-Identifier: Apache-2.0
"""What does a process on this machine do between two stops? Told by what the kernel counts of its
threads, and by words of its memory, read again and again while it runs."""

from __future__ import annotations

import os
import threading
import time
from typing import Collection, Dict, Tuple

from ompd_core.model.moments import Watched

# A stop wakes each thread; what that costs is counted shortly after.
SETTLED = 0.1  # seconds
# Seconds between two looks at the words, and how many are looked at.
PAUSE = 0.005
MOST_WORDS = 1024

_Usages = Dict[int, Tuple[int, int]]


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
    ran = _ran(first, third) if first and third else None
    halves = (_ran(first, second), _ran(second, third))
    again = frozenset(lwp for lwp in first if all(half.get(lwp) for half in halves))
    return Watched(ran, frozenset(seen), frozenset(changed), again)


def _ran(before: _Usages, after: _Usages) -> dict[int, bool]:
    """Has it used a processor?"""
    return {lwp: before[lwp] != usage for lwp, usage in after.items() if lwp in before}


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
    """By LWP: processor time in ns, and context switches."""
    found = {}
    try:
        for name in os.listdir(f"/proc/{pid}/task"):
            usage = _usage(f"/proc/{pid}/task/{name}")
            if usage is not None:
                found[int(name)] = usage
    except OSError:
        pass  # it has ended
    return found


def _usage(folder: str) -> tuple[int, int] | None:
    try:
        with open(f"{folder}/schedstat", encoding="ascii") as file:
            nanoseconds = int(file.read().split()[0])
        with open(f"{folder}/status", encoding="ascii", errors="replace") as file:
            lines = [line.split() for line in file if "ctxt_switches" in line]
        return nanoseconds, sum(int(words[1]) for words in lines)
    except (OSError, ValueError, IndexError):
        return None  # it has ended, or this kernel does not count
