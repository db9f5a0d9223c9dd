# SPDX-License-Identifier: Apache-2.0
"""`ompd next': GDB's `next', over constructs."""

from __future__ import annotations

from .step import Step


class Next(Step):
    """Step to the next line, over constructs and calls.

    Usage: ompd next [N]

    As GDB's `next', on the same thread: over a parallel region, a barrier, a
    task's generation. From the end of a region's code the thread comes out
    behind the construct. It does not stop in the runtime. With N, that many
    times.

    While the thread waits in the runtime, as at a barrier, the other threads
    may run, whatever `scheduler-locking' is; elsewhere that setting holds. A
    breakpoint or a signal stops the program as usual, also in another thread."""

    name = "ompd next"
    lets_run = True
    gdbs = "next"
