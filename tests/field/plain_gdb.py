# SPDX-License-Identifier: Apache-2.0
"""Run by a GDB that has nothing of ours: `plain-stacks FILE' writes where the frames of each thread
are as GDB unwinds them, what is mapped where, and when that was done."""

from __future__ import annotations

import json
import time

import gdb

MOST = 500


class PlainStacks(gdb.Command):
    def __init__(self) -> None:
        super().__init__("plain-stacks", gdb.COMMAND_USER)

    def invoke(self, argument: str, from_tty: bool) -> None:
        finished = time.monotonic()
        gdb.execute("set backtrace past-main on")
        stacks = {}
        process = gdb.selected_inferior()
        for thread in process.threads():
            thread.switch()
            stacks[thread.ptid[1]] = list(self.frames())
        with open(f"/proc/{process.pid}/maps", encoding="utf-8") as file:
            maps = file.read()
        with open(argument, "w", encoding="utf-8") as out:
            json.dump({"finished": finished, "stacks": stacks, "maps": maps}, out)

    @staticmethod
    def frames() -> "list[tuple[int, str | None]]":
        frame, found = gdb.newest_frame(), []
        while frame is not None and len(found) < MOST:
            found.append((frame.pc(), frame.name()))
            try:
                frame = frame.older()
            except gdb.error:
                break
        return found


PlainStacks()
