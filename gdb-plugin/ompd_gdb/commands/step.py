# SPDX-License-Identifier: Apache-2.0
"""`ompd step': GDB's `step', into a region's code."""

from __future__ import annotations

from .arguments import Arguments
from .raw import RawCommand


class Step(RawCommand):
    """Step to the next line, at a construct into the region's code.

    Usage: ompd step [N]

    As GDB's `step', on the same thread: at a construct that begins a region the
    thread goes on in the region's code, where it is thread 0. From the end of
    that code it comes out behind the construct. It does not stop in the
    runtime: from the end of a deferred task the thread comes to the code that
    it waited in; where there is none, the command says that the task is done.
    With N, that many times.

    While the thread waits in the runtime, as at a barrier, the other threads
    may run, whatever `scheduler-locking' is; elsewhere that setting holds. A
    breakpoint or a signal stops the program as usual, also in another thread."""

    name = "ompd step"
    lets_run = True
    gdbs = "step"  # the command that it stands for
    takes_ids = False
    text_optional = True

    def run(self, arguments: Arguments) -> None:
        from . import stepping

        stepping.lines(self.gdbs, stepping.count(self.name, arguments.text))
