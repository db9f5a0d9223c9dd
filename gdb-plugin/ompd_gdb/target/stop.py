# SPDX-License-Identifier: Apache-2.0
"""By which signal did a living process stop, if by one that says that it crashed?"""

from __future__ import annotations

from typing import Sequence

import gdb
from ompd_core.model.native import NativeThread
from ompd_core.signals import Signal, from_siginfo

from .selection import kept_selection, on_thread, selected_thread
from .threads import Threads


def crash(threads: Threads, natives: Sequence[NativeThread], pid: int) -> Signal | None:
    """GDB tells which thread stopped it only while it stops: here each is asked for its last
    signal, the selected one first."""
    selected = selected_thread()
    number = selected.num if selected is not None else 0
    with kept_selection():
        for native in sorted(natives, key=lambda native: native.num != number):
            thread = threads.by_number(native.num)
            if thread is None or native.running:
                continue
            with on_thread(thread):
                found = _last_signal(native.ptid[1], pid)
            if found is not None and found.is_crash:
                return found
    return None


def _last_signal(lwp: int, pid: int) -> Signal | None:
    try:
        info = gdb.convenience_variable("_siginfo")
        if info is None:
            return None
        fields = info["_sifields"]
        return from_siginfo(
            int(info["si_signo"]),
            lwp,
            int(info["si_code"]),
            int(fields["_sigfault"]["si_addr"]),
            int(fields["_kill"]["si_pid"]),
            pid,
        )
    except gdb.error:
        return None  # the target does not tell
