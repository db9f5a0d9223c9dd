# SPDX-License-Identifier: Apache-2.0
"""Run by GDB: `record-steps FILE COMMAND, COMMAND, ...' gives the commands one by one, and writes
where each has led the selected thread, or the error that it made."""

from __future__ import annotations

import json

import gdb


class RecordSteps(gdb.Command):
    def __init__(self) -> None:
        super().__init__("record-steps", gdb.COMMAND_USER)

    def invoke(self, argument: str, from_tty: bool) -> None:
        file, commands = argument.split(None, 1)
        steps = []
        for command in commands.split(","):
            try:
                gdb.execute(command.strip())
            except gdb.error as error:
                steps.append({"error": str(error)})
                continue
            if gdb.selected_thread() is None:
                break
            steps.append(self.here())
        with open(file, "w", encoding="utf-8") as out:
            json.dump(steps, out)

    @staticmethod
    def here() -> "dict[str, object]":
        frame = gdb.selected_frame()
        level, num = (int(gdb.parse_and_eval(f"$_omp_{n}()")) for n in ("level", "thread_num"))
        return {
            "function": frame.name(),
            "line": frame.find_sal().line,
            "thread": gdb.selected_thread().num,
            "id": f"{level}.{num}",
        }


RecordSteps()
