# SPDX-License-Identifier: Apache-2.0
"""Which limits keep a process of this machine from making one more thread, or from more memory? As
they are now: others may have ended since."""

from __future__ import annotations

from typing import Iterator

from ..formats import control_groups, procfs
from ..model.cause import Met

_PROCESSES, _MEMORY, _STACK = "Max processes", "Max address space", "Max stack size"
_NAME = 25  # characters of a line that name the limit
_USUAL_STACK = 8 << 20  # bytes, where there is no limit


def met(pid: int) -> Iterator[Met]:
    status, limits = _status(pid), _limits(pid)
    user = (status.get("Uid", "").split() or [""])[0]
    if _PROCESSES in limits and user not in ("", "0"):  # root may have more
        threads = _threads_of(user)
        if threads >= limits[_PROCESSES]:
            yield Met("ulimit -u", limits[_PROCESSES], threads)
    for group in control_groups.of(pid, "pids"):
        most, there = (_number(f"{group.folder}/pids.{name}") for name in ("max", "current"))
        if most is not None and there is not None and there >= most:
            yield Met("pids.max of its control group", most, there)
    yield from met_by_memory(pid, limits.get(_STACK, _USUAL_STACK))


def met_by_memory(pid: int, wanted: int) -> Iterator[Met]:
    """wanted: bytes."""
    limits, size = _limits(pid), _status(pid).get("VmSize", "").split()
    if _MEMORY in limits and size and size[0].isdecimal():
        used = int(size[0]) << 10
        if used + wanted > limits[_MEMORY]:
            yield Met("ulimit -v", limits[_MEMORY], used, True)


def _status(pid: int) -> dict[str, str]:
    return procfs.status(f"{procfs.ROOT}/{pid}")


def _limits(pid: int) -> dict[str, int]:
    """The soft ones, but those that are unlimited."""
    found = {}
    for line in procfs.text(f"{procfs.ROOT}/{pid}/limits").splitlines():
        name, words = line[:_NAME].strip(), line[_NAME:].split()
        if words and words[0].isdecimal():
            found[name] = int(words[0])
    return found


def _threads_of(user: str) -> int:
    count = 0
    for pid in procfs.processes():
        status = procfs.status(f"{procfs.ROOT}/{pid}")
        if status.get("Uid", "").split()[:1] == [user]:
            count += int(status.get("Threads", "0"))
    return count


def _number(path: str) -> int | None:
    text = procfs.text(path)
    return int(text) if text.isdecimal() else None
