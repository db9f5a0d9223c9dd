# SPDX-License-Identifier: Apache-2.0
"""Which processors, and how much of their time, does the kernel grant a living process?"""

from __future__ import annotations

import os

from ..debugger import Debugger
from ..formats import control_groups, procfs
from ..model.slowdowns import Processors

_FILES = {1: ("cpu.cfs_quota_us", "cpu.cfs_period_us"), 2: ("cpu.max",)}


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
    be read."""
    found = (_limit(group.folder, _FILES[group.version]) for group in control_groups.of(pid, "cpu"))
    return min((one for one in found if one is not None), default=None)


def _limit(folder: str, files: tuple[str, ...]) -> float | None:
    words = " ".join(procfs.text(f"{folder}/{name}") for name in files).split()
    try:
        most, period = map(int, words)
    except ValueError:
        return None  # "max"
    return most / period if most > 0 and period > 0 else None
