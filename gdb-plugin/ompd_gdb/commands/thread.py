# SPDX-License-Identifier: Apache-2.0
"""`ompd thread': GDB's `thread', by OpenMP ids."""

from __future__ import annotations

from .arguments import Arguments
from .raw import RawCommand


class Thread(RawCommand):
    """Select a thread by its OpenMP id, or run a command in it.

    Usage: ompd thread ID [COMMAND]

    ID names one thread: R1.7, t3 (the thread that executes task 3), or GDB's
    own number. With a COMMAND of GDB's, it runs in the innermost frame of your
    own code in that thread, as `ompd print' does, and the thread and frame that
    were selected before stay selected."""

    name = "ompd thread"
    lets_run = True
    what = "an id, as `ompd threads' shows them"
    text_optional = True
    completes = ""

    def _options(self) -> "list[str]":
        return []

    def run(self, arguments: Arguments) -> None:
        import gdb
        from ompd_core.errors import UserError

        from .. import session
        from . import output, selecting

        if len(arguments.words) != 1:
            raise UserError(
                "bad_argument",
                f"`{self.name}' needs one id, as `ompd threads' shows them.",
                "For several threads: `ompd each'.",
            )
        here = session.current()
        picture = here.picture()
        chosen = selecting.threads(
            picture.process, selecting.parse(arguments.words), here.inferior.num
        )
        if len(chosen) != 1:
            raise UserError(
                "bad_argument",
                f"{arguments.words[0]} names {len(chosen)} threads.",
                "Name one; for several: `ompd each'.",
            )
        if chosen[0].native is None:
            raise UserError("no_such_thread", "GDB does not know this thread.")
        if arguments.text:
            gdb.write(picture.run_in(chosen[0], arguments.text))
            return
        gdb.execute(f"thread {chosen[0].native.id}")
        names = ", ".join(m.id for m in chosen[0].openmp if m.id is not None)
        if names:
            output.lines([f"[OpenMP thread {names}]"])
