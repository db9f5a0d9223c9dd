# SPDX-License-Identifier: Apache-2.0
"""Waits for what has to have happened, by what the kernel tells, never by the clock: a machine that
has no time for a test makes it longer, not another one."""

from __future__ import annotations

import os
import time
from pathlib import Path


def wait_for_a_record(path: Path) -> None:
    """A sampler that has not come so far in minutes has ended."""
    for _ in range(10000):
        if path.exists() and path.stat().st_size:
            return
        time.sleep(0.02)
    raise AssertionError(f"{path} was not begun")


def let_run(pid: int, seconds: float) -> None:
    """Until it has had a processor for that long."""

    def used() -> float:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    until = used() + seconds
    while used() < until:
        time.sleep(0.02)


def let_all_run(pid: int, count: int, seconds: float) -> None:
    """Until it has so many threads, and each has had a processor for that long."""
    tasks = Path(f"/proc/{pid}/task")

    def used() -> dict[str, int]:
        return {
            task.name: int((task / "schedstat").read_text().split()[0]) for task in tasks.iterdir()
        }

    while len(used()) < count:
        time.sleep(0.02)
    before = used()
    while any(now - before.get(lwp, 0) < seconds * 1e9 for lwp, now in used().items()):
        time.sleep(0.02)
