# SPDX-License-Identifier: Apache-2.0
"""Which threads of a process on this machine sleep until another one wakes them? The kernel tells
it of a process that runs free. Whoever sleeps alike at two looks, and has not run in between, has
slept all the time: where that is so of all threads, there was a moment at which all slept.
"""

from __future__ import annotations

import os
import sys
from typing import Mapping, Sequence

from ompd_core.code.futex import FutexWait
from ompd_core.formats import procfs
from ompd_core.light_classes import NamedTuple

# Numbers of system calls that all machines have alike, and what they pass (linux/futex.h).
_FOR_ONE_OF, _FOR_WORD = 449, 455
_SIZES, _SIZE_OF_4 = 3, 2  # in futex2's flags
_ENDED = ("", "Z", "X")
_STRUCT, _MOST = 24, 128  # bytes of a struct futex_waitv, and how many of them


class Task(NamedTuple):
    """A thread at one look."""

    switches: int  # how often it has left a processor
    call: tuple[int, ...]  # the system call that it is in: its number and arguments
    waits: tuple[FutexWait, ...]  # that end only by a waking; empty: its sleep may end otherwise
    changed: bool  # one of their words has


Look = Mapping[int, Task]  # by LWP, of those that have not ended


def look(pid: int, futex: int) -> Look | None:
    """futex: the system call's number. None: it has ended, or this kernel does not tell."""
    if untold(pid) is not None:
        return None
    folder = f"{procfs.ROOT}/{pid}/task"
    try:
        names = os.listdir(folder)
    except OSError:
        return None
    tasks = ((int(name), _task(f"{folder}/{name}", futex)) for name in names)
    return {lwp: task for lwp, task in tasks if task is not None} or None


def untold(pid: int) -> str | None:
    """Why it is not known in which system calls its threads are, as where a sandbox makes the
    files, or lets nobody read them. None: it is known."""
    path = f"{procfs.ROOT}/{pid}/syscall"
    try:
        with open(path, encoding="ascii") as file:
            return None if file.read() else f"{path} is empty"
    except OSError as error:
        return f"{path}: {error.strerror}"


def living(pid: int) -> set[int]:
    """LWPs of its threads that have not ended."""
    try:
        names = os.listdir(f"{procfs.ROOT}/{pid}/task")
    except OSError:
        return set()
    folders = {int(name): f"{procfs.ROOT}/{pid}/task/{name}" for name in names}
    return {lwp for lwp, folder in folders.items() if _state(folder) not in _ENDED}


def overslept(before: Look, now: Look) -> frozenset[int]:
    """LWPs of those that have slept on though their words had changed."""
    return frozenset(lwp for lwp, one in now.items() if one.changed and one == before.get(lwp))


def all_slept(before: Look, now: Look) -> bool:
    return before == now and all(one.waits for one in now.values())


def _task(folder: str, futex: int) -> Task | None:
    status = procfs.status(folder)
    state = status.get("State", "")[:1]
    if state in _ENDED:
        return None
    switches = sum(int(count) for key, count in status.items() if "ctxt_switches" in key)
    call = _call(folder) if state == "S" else ()
    try:
        memory = os.open(f"{folder}/mem", os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return Task(switches, call, (), False)
    try:
        waits = _waits(call, futex, memory)
        return Task(switches, call, waits, any(_has_changed(one, memory) for one in waits))
    finally:
        os.close(memory)


def _state(folder: str) -> str:
    return procfs.status(folder).get("State", "")[:1]


def _call(folder: str) -> tuple[int, ...]:
    """Empty: it is in none."""
    try:
        return tuple(int(word, 0) for word in procfs.text(f"{folder}/syscall").split()[:7])
    except ValueError:
        return ()


def _waits(call: Sequence[int], futex: int, memory: int) -> tuple[FutexWait, ...]:
    number, *passed = (*call, 0, 0, 0, 0, 0, 0, 0)[:7]
    if number == futex:
        found = [FutexWait(passed[0], passed[1], passed[2] & 0xFFFFFFFF, passed[3] != 0, True)]
    elif number == _FOR_WORD:
        found = [_newer(passed[0], passed[1], passed[3], passed[4])]
    elif number == _FOR_ONE_OF:
        packed = _read(memory, passed[0], min(passed[1], _MOST) * _STRUCT)
        found = [
            _newer(_number(one[8:16]), _number(one[:8]), _number(one[16:20]), passed[3])
            for one in (packed[at : at + _STRUCT] for at in range(0, len(packed), _STRUCT))
        ]
    else:
        return ()
    return tuple(found) if all(one.ends_by_waking for one in found) else ()


def _newer(address: int, expected: int, flags: int, limit: int) -> FutexWait:
    """A wait of futex2's, as the older call would say it."""
    known = flags & _SIZES == _SIZE_OF_4
    return FutexWait(address, flags & ~_SIZES, expected & 0xFFFFFFFF, limit != 0, known)


def _has_changed(wait: FutexWait, memory: int) -> bool:
    word = _read(memory, wait.address, 4)
    return len(word) == 4 and wait.has_changed(_number(word))


def _number(word: bytes) -> int:
    return int.from_bytes(word, sys.byteorder)


def _read(memory: int, address: int, size: int) -> bytes:
    try:
        return os.pread(memory, size, address)
    except (OSError, OverflowError):
        return b""
