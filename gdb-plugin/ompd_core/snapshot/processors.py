# SPDX-License-Identifier: Apache-2.0
"""Which processors, and how much of their time, does the kernel grant a living process?"""

from __future__ import annotations

import os
from typing import Iterator

from ..debugger import Debugger
from ..model.slowdowns import Processors

_GROUPS = "/sys/fs/cgroup"
_OF_PROCESS = "/proc/{}/cgroup"


def granted(debugger: Debugger) -> Processors | None:
    """None: it does not run on this machine."""
    if debugger.kind != "live":
        return None
    allowed = {}
    for thread in debugger.native_threads():
        try:
            allowed[thread.ptid[1]] = frozenset(os.sched_getaffinity(thread.ptid[1]))
        except (OSError, OverflowError):
            pass  # it has ended
    return Processors(allowed, quota(debugger.pid))


def quota(pid: int) -> float | None:
    """Processors, by the control group that allows the least. None: there is no limit, or it cannot
    be read, as that of a container seen from inside of it may not be."""
    return min(_quotas(pid), default=None)


def _quotas(pid: int) -> Iterator[float]:
    try:
        with open(_OF_PROCESS.format(pid), encoding="utf-8", errors="surrogateescape") as file:
            lines = file.read().splitlines()
    except OSError:
        return
    for line in lines:
        _, controllers, group = (line.split(":", 2) + ["", ""])[:3]
        if not controllers:  # version 2
            yield from _up(_GROUPS, group, ("cpu.max",))
        elif "cpu" in controllers.split(","):
            files = ("cpu.cfs_quota_us", "cpu.cfs_period_us")
            yield from _up(os.path.join(_GROUPS, controllers), group, files)


def _up(root: str, group: str, files: tuple[str, ...]) -> Iterator[float]:
    """The limits of a group and of all that it is in."""
    names = [name for name in group.split("/") if name and name != ".."]
    for depth in range(len(names), -1, -1):
        found = _limit(os.path.join(root, *names[:depth]), files)
        if found is not None:
            yield found


def _limit(folder: str, files: tuple[str, ...]) -> float | None:
    words = []
    for name in files:
        try:
            with open(os.path.join(folder, name), encoding="ascii") as file:
                words += file.read().split()
        except (OSError, ValueError):
            return None
    try:
        most, period = map(int, words)
    except ValueError:
        return None  # "max"
    return most / period if most > 0 and period > 0 else None
