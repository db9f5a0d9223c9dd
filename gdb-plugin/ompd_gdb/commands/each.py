# SPDX-License-Identifier: Apache-2.0
"""`ompd each': one command in many threads."""

from __future__ import annotations

from .arguments import Arguments
from .raw import RawCommand


class Each(RawCommand):
    """Run a command in each thread; equal outputs are shown once.

    Usage: ompd each [-all] [IDS] [--] COMMAND

    IDS choose threads as for `ompd threads': R1, R1.0-3, *, 2-7. Without IDS
    the command runs in the threads of the region that the selected thread is in
    or, if it is in none, in all OpenMP threads. In each thread it acts in the
    innermost frame of your own code, as `ompd print' does; where there is none,
    in the innermost.

    Functions that the command calls in the program run with the other threads
    held.

    -all shows each thread's output, also when it is another's. `--' ends ids
    and options. The thread and frame that are selected stay selected."""

    name = "ompd each"
    lets_run = True
    flags = ("all",)
    what = "a command to run"
    completes = ""

    def _options(self) -> "list[str]":
        return list(self.flags)

    def run(self, arguments: Arguments) -> None:
        from ompd_core.views import values

        from .. import session
        from . import output, selecting

        here = session.current()
        picture = here.picture()
        chosen = selecting.team(here, picture.process, selecting.parse(arguments.words))
        found = [(thread, picture.run_in(thread, arguments.text)) for thread in chosen]
        output.lines(values.outputs(found, output.style(arguments)))
