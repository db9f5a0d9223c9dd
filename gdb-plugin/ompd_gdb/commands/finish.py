# SPDX-License-Identifier: Apache-2.0
"""`ompd finish': to the end of a region or an explicit task."""

from __future__ import annotations

from .arguments import Arguments
from .base import OmpdCommand


class Finish(OmpdCommand):
    """Run until this thread has done its region's code, or its task.

    Usage: ompd finish

    The thread that began the region stops behind the construct, when the whole
    team has done its part. A worker stops at the end of the region's code, and
    so does a thread that executes a deferred task at the end of the task's.
    Outside of regions and tasks it is GDB's `finish'.

    While the thread waits in the runtime, as at a barrier, the other threads
    may run, whatever `scheduler-locking' is; elsewhere that setting holds. A
    breakpoint or a signal stops the program as usual, also in another thread."""

    name = "ompd finish"
    lets_run = True
    gives_json = False

    def run(self, arguments: Arguments) -> None:
        from . import stepping

        stepping.finish()
