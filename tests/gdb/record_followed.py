# SPDX-License-Identifier: Apache-2.0
"""Run by GDB: `record-followed FILE' writes, of each thread, its frames as the commands are told
them, twice, and as GDB unwinds them; and how many frames GDB has been asked for."""

from __future__ import annotations

import json
from typing import Any, Iterator

import gdb

MOST = 10_000


class RecordFollowed(gdb.Command):
    def __init__(self) -> None:
        super().__init__("record-followed", gdb.COMMAND_USER)

    def invoke(self, argument: str, from_tty: bool) -> None:
        from ompd_gdb import session
        from ompd_gdb.target import unwound

        target = session.current().target
        code = target.code
        code.forget()
        asked = 0
        unwind = unwound.Unwound._unwind

        def counted(one: unwound.Unwound) -> None:
            nonlocal asked
            asked += 1
            unwind(one)

        threads = [native.num for native in target.native_threads()]
        found: dict[int, dict[str, Any]] = {number: {} for number in threads}
        unwound.Unwound._unwind = counted  # type: ignore[method-assign]
        try:
            for turn in ("first", "second"):
                before = asked
                for number in threads:
                    target.threads.by_number(number).switch()
                    walk = code.frames(MOST)
                    frames = [self.record(one) for one in walk]
                    found[number][turn] = {"frames": frames, "whole": walk.whole}
                found[threads[0]][f"asked, {turn}"] = asked - before
        finally:
            unwound.Unwound._unwind = unwind  # type: ignore[method-assign]
        for number in threads:
            target.threads.by_number(number).switch()
            code.forget()
            frames = [self.record(code.record(one, not i)) for i, one in enumerate(self.frames())]
            found[number]["by GDB"] = frames
        with open(argument, "w", encoding="utf-8") as out:
            json.dump(list(found.values()), out)

    @staticmethod
    def frames() -> Iterator[gdb.Frame]:
        frame = gdb.newest_frame()
        while frame is not None:
            yield frame
            frame = frame.older()

    @staticmethod
    def record(frame: Any) -> list[Any]:
        place = frame.location
        return [frame.pc, place.function, place.line, frame.inlined, frame.signal]


RecordFollowed()
