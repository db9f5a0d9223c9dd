# SPDX-License-Identifier: Apache-2.0
"""What does a process on this machine do between two stops? Told by what the kernel counts of its
threads, and by words of its memory, read again and again while it runs."""

from __future__ import annotations

import os
import sys
import threading
import time
from typing import Collection, Dict, Tuple

from ompd_core.model.moments import Watched

# A stop wakes each thread; what that costs is counted shortly after.
SETTLED = 0.1  # seconds
# Seconds between two looks at the words, and how many are looked at.
PAUSE = 0.005
MOST_WORDS = 1024
# linux/futex.h: FUTEX_WAIT, FUTEX_WAIT_BITSET; private to the process, and which clock.
_WAITS, _MARKS = (0, 9), 0x180

_Usages = Dict[int, Tuple[int, int]]
# By LWP: the system call that it is in, and how often it has run.
Asleep = Dict[int, Tuple[str, int]]


def watch(
    pid: int, seconds: float, stopped: threading.Event, words: Collection[tuple[int, int]]
) -> Watched:
    """For so long while the process runs, or until it has stopped. words: address and size."""
    end = time.monotonic() + seconds
    stopped.wait(min(SETTLED, seconds / 2))
    before = _usages(pid)
    changed, seen = _watch_words(pid, end, stopped, list(words)[:MOST_WORDS])
    now = _usages(pid)
    ran = None
    if before and now:
        ran = {lwp: before[lwp] != usage for lwp, usage in now.items() if lwp in before}
    return Watched(ran, frozenset(seen), frozenset(changed))


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


def overslept(pid: int, futex: int) -> Asleep | None:
    """Those that sleep without a limit of time though the word that they sleep for has changed. Who
    is the same in two of these has slept on. futex: the call's number. None: this kernel does not
    tell."""
    if not os.path.exists(f"/proc/{pid}/syscall"):
        return None
    found: Asleep = {}
    try:
        file = os.open(f"/proc/{pid}/mem", os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        for name in os.listdir(f"/proc/{pid}/task"):
            folder = f"/proc/{pid}/task/{name}"
            call, usage = _call(folder), _usage(folder)
            if usage is not None and _has_changed(file, call, futex):
                found[int(name)] = (" ".join(call), usage[1])
    except OSError:
        pass  # it has ended
    finally:
        os.close(file)
    return found


def _call(folder: str) -> list[str]:
    """Its number, six arguments, and the stack and the place in the code."""
    try:
        with open(f"{folder}/syscall", encoding="ascii") as file:
            return file.read().split()
    except OSError:
        return []  # it has ended


def _has_changed(memory: int, call: list[str], futex: int) -> bool:
    try:
        number, word, operation, expected, limit = (int(text, 0) for text in call[:5])
    except ValueError:
        return False  # it is in none
    if number != futex or (operation & ~_MARKS) not in _WAITS or limit:
        return False
    now = _read(memory, word, 4)
    return now is not None and int.from_bytes(now, sys.byteorder) != expected & 0xFFFFFFFF


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
