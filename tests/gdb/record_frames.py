# SPDX-License-Identifier: Apache-2.0
"""Run by GDB: `record-frames FILE' writes, of each thread, what the runtime recorded of its tasks'
frames for tools, the current task first, and where each frame of GDB's begins and ends."""

from __future__ import annotations

import json
from typing import Any

import gdb

MOST = 64


class RecordFrames(gdb.Command):
    def __init__(self) -> None:
        super().__init__("record-frames", gdb.COMMAND_USER)

    def invoke(self, argument: str, from_tty: bool) -> None:
        from ompd_gdb import session

        here = session.current()
        picture, opened = here.picture(), here._opened()
        (routines,) = [opened._routines(space) for _, space in opened._in_use()]
        found = {}
        for native in picture.process.threads:
            if native.native is None:
                continue
            thread = here.target.threads.by_number(native.native.num)
            handle = routines.thread_handle(native.native)
            tasks = self.tasks(routines, handle) if handle is not None else []
            thread.switch()
            found[native.native.num] = {"tasks": tasks, "frames": self.frames()}
        with open(argument, "w", encoding="utf-8") as out:
            json.dump(found, out)

    @staticmethod
    def tasks(routines: Any, thread: Any) -> "list[dict[str, int]]":
        """Each with the one below it on the stack. Handles are left to the library's end."""
        from ompd_core.library import capi

        found = []
        task = routines.made("ompd_get_curr_task_handle", thread)
        while task is not None and len(found) < MOST:
            exit_frame, enter_frame = capi.ompd_frame_info_t(), capi.ompd_frame_info_t()
            outs = [capi.byref(out) for out in (exit_frame, enter_frame)]
            if not routines.ok("ompd_get_task_frame", task, *outs):
                break
            found.append(
                {
                    "exit": exit_frame.frame_address.address,
                    "enter": enter_frame.frame_address.address,
                }
            )
            outer = routines.made("ompd_get_scheduling_task_handle", task)
            task = outer or routines.made("ompd_get_generating_task_handle", task)
        return found

    @staticmethod
    def frames() -> "list[list[int]]":
        """The stack pointer in each frame and in its caller."""
        found = []
        frame = gdb.newest_frame()
        while frame is not None:
            sp = int(frame.read_register("rsp"))
            outer = frame.older()
            found.append([sp, int(outer.read_register("rsp")) if outer is not None else 0])
            frame = outer
        return found


RecordFrames()
