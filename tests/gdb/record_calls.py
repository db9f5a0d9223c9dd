# SPDX-License-Identifier: Apache-2.0
"""Run by GDB: `record-calls FILE' writes, of each thread by its LWP, the function and the address
of each frame, the innermost first, and whether the stack ends there because it is whole. What is
inlined has no frame of its own."""

from __future__ import annotations

import json

import gdb


class RecordCalls(gdb.Command):
    def __init__(self) -> None:
        super().__init__("record-calls", gdb.COMMAND_USER)

    def invoke(self, argument: str, from_tty: bool) -> None:
        found = {}
        for thread in gdb.selected_inferior().threads():
            thread.switch()
            found[thread.ptid[1]] = {"calls": self.calls(), "whole": self.is_whole()}
        with open(argument, "w", encoding="utf-8") as out:
            json.dump(found, out)

    @staticmethod
    def calls() -> "list[tuple[str, int]]":
        found = []
        frame = gdb.newest_frame()
        while frame is not None:
            if frame.type() != gdb.INLINE_FRAME:
                found.append((frame.name() or "", frame.pc()))
            frame = frame.older()
        return found

    @staticmethod
    def is_whole() -> bool:
        frame = gdb.newest_frame()
        while frame.older() is not None:
            frame = frame.older()
        return frame.unwind_stop_reason() in (
            gdb.FRAME_UNWIND_NO_REASON,
            gdb.FRAME_UNWIND_OUTERMOST,
        )


RecordCalls()
