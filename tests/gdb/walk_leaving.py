# SPDX-License-Identifier: Apache-2.0
"""Run by GDB: `walk-leaving' runs the program to where the primary thread has let one thread of its
team go from a barrier and not the next one, and leads the one that may go to its region's end."""

from __future__ import annotations

import gdb

RESUME = "z_Linux_util.cpp:__kmp_resume_64<false, true>"


class WalkLeaving(gdb.Command):
    def __init__(self) -> None:
        super().__init__("walk-leaving", gdb.COMMAND_USER)

    def invoke(self, argument: str, from_tty: bool) -> None:
        gdb.execute("tbreak usleep", to_string=True)
        gdb.execute("run", to_string=True)
        gdb.Breakpoint(RESUME, internal=True).silent = True
        while gdb.selected_thread().num != 1 or "__kmpc_barrier" not in names():
            gdb.execute("continue", to_string=True)
        let_go = int(gdb.parse_and_eval("target_gtid"))
        gdb.execute("set scheduler-locking on")
        gdb.execute("finish", to_string=True)
        for thread in gdb.selected_inferior().threads():
            thread.switch()
            if gtid() == let_go:
                break
        gdb.Breakpoint("pthread_cond_wait", internal=True).silent = True
        gdb.execute("continue", to_string=True)
        gdb.execute("set scheduler-locking off")


def names() -> "list[str]":
    found, frame = [], gdb.newest_frame()
    while frame is not None:
        found.append(frame.name())
        frame = frame.older()
    return found


def gtid() -> "int | None":
    frame = gdb.newest_frame()
    while frame is not None and frame.name() != "__kmp_launch_thread":
        frame = frame.older()
    if frame is None:
        return None
    frame.select()
    return int(gdb.parse_and_eval("this_thr->th.th_info.ds.ds_gtid"))


WalkLeaving()
