# SPDX-License-Identifier: Apache-2.0
"""Who wakes a process when its tracer is killed in mid-attach, and its guardian with it, as a
resource manager kills all processes of a step? The kernel, asked before.

A pipe whose both ends are the tracer's: each end asks for SIGCONT to the traced process when
something happens to the other. Nothing does, but that the tracer dies and the kernel closes them,
one first. At that time it attaches to no thread any more, and still holds those that it has: the
signal takes back each stop that is pending or in hand, and all run on when the kernel lets go. No
process that the tracer forks meanwhile may outlive it: it would hold the pipe too."""

from __future__ import annotations

import fcntl
import os
import signal
from contextlib import contextmanager, suppress
from typing import Iterator

from .guardian import is_stopped


@contextmanager
def woken(pid: int) -> Iterator[None]:
    """For the tracer itself. What the user has stopped before stays so."""
    if is_stopped(pid):
        yield
        return
    ends = os.pipe()
    try:
        with suppress(ProcessLookupError):  # it has ended: the tracer says so
            for end in ends:
                fcntl.fcntl(end, fcntl.F_SETOWN, pid)
                fcntl.fcntl(end, fcntl.F_SETSIG, signal.SIGCONT)
                _ask(end, os.O_ASYNC)
        yield
    finally:
        for end in ends:
            _ask(end, 0)
        for end in ends:
            os.close(end)


def _ask(end: int, flag: int) -> None:
    flags = fcntl.fcntl(end, fcntl.F_GETFL)
    fcntl.fcntl(end, fcntl.F_SETFL, flags & ~os.O_ASYNC | flag)
