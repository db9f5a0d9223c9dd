# SPDX-License-Identifier: Apache-2.0
"""Is anybody at work? A picture of one moment can tell that nobody is; only a second one can tell
that nobody will be."""

from __future__ import annotations

from .process import Process, Region, Thread, Wait

# Whoever waits for one of these is let go by a thread, and not by having come last.
_EXCLUSIVE = ("critical", "lock", "nest_lock", "ordered", "doacross")


def standing_still(process: Process) -> list[list[Thread]]:
    """For each program's initial region: its threads, if each of them waits, and one at least for
    what another has to give up. Threads in taskwait are taken for busy: they execute tasks there.
    """
    found = []
    for root in process.regions:
        if root.parent is None:
            threads = _inside(process, root)
            waits = [_wait_of(thread, root) for thread in threads]
            if all(waits) and any(wait and wait.kind in _EXCLUSIVE for wait in waits):
                found.append(threads)
    return found


def _inside(process: Process, root: Region) -> list[Thread]:
    return [
        thread
        for thread in process.threads
        if any(member.chain and member.chain[-1][0] is root for member in thread.openmp)
    ]


def _wait_of(thread: Thread, root: Region) -> Wait | None:
    """For certain, and not for tasks, which it would execute meanwhile."""
    member = thread.member(root.runtime)
    if member is None or member.wait is None or "state" in member.doubts or len(thread.openmp) > 1:
        return None
    exclusive = member.wait.kind in _EXCLUSIVE
    return member.wait if exclusive or member.wait.kind == "barrier" else None
