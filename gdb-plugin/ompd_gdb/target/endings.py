# SPDX-License-Identifier: Apache-2.0
"""A stop where a library gives up a program that is run: it calls exit (), and nothing would be
left to look at."""

from __future__ import annotations

import gdb
from ompd_core.model import gave_up

from .. import texts

_met: list[int] = []


def lwp() -> int | None:
    """Of the thread that calls it, at this stop."""
    return _met[0] if _met else None


class Watch(gdb.Breakpoint):
    def __init__(self) -> None:
        super().__init__("exit", internal=True, qualified=True)
        self.silent = True
        gdb.events.cont.connect(_forget)

    def stop(self) -> bool:
        """GDB forbids all but to read."""
        try:
            caller = gdb.newest_frame().older()
            given_up = caller is not None and gave_up.library(_file(caller))
            if given_up:
                _met[:] = [gdb.selected_thread().ptid[1]]
            return bool(given_up)
        except (gdb.error, KeyboardInterrupt):
            return False  # it ends as it would have


def _file(frame: gdb.Frame) -> str | None:
    return texts.library(gdb.current_progspace(), frame.pc())


def _forget(_: gdb.ThreadEvent) -> None:
    _met.clear()
