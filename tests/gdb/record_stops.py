# SPDX-License-Identifier: Apache-2.0
"""Run by GDB: `record-stops FILE COMMAND' starts or continues the program by COMMAND, continues it
until it ends, and writes what was said of each stop on the way."""

from __future__ import annotations

import json
import re

import gdb

WORDS = {
    "begin of a parallel region": "parallel begin",
    "call that begins a parallel region": "parallel entry",
    "end of a parallel region": "parallel end",
    "begin of a teams region": "teams begin",
    "end of a teams region": "teams end",
    "begin of an explicit task": "task begin",
    "end of an explicit task": "task end",
    "barrier": "barrier",
    "begin of a worker thread": "thread begin",
    "end of a worker thread": "thread end",
    "call that begins a target construct": "target begin",
    "end of a target construct": "target end",
    "call that maps data to a device": "data begin",
    "data of a device are unmapped": "data end",
    "call that updates data of a device": "update begin",
    "end of a target update": "update end",
}
MOST = 100000


class RecordStops(gdb.Command):
    def __init__(self) -> None:
        super().__init__("record-stops", gdb.COMMAND_USER)

    def invoke(self, argument: str, from_tty: bool) -> None:
        file, command = argument.split(None, 1)
        stops = []
        while len(stops) < MOST:
            text = gdb.execute(command, to_string=True)
            if gdb.selected_thread() is None:
                break
            stops += self.told(text)
            command = "continue"
        with open(file, "w", encoding="utf-8") as out:
            json.dump(stops, out)

    @staticmethod
    def told(text: str) -> "list[dict[str, object]]":
        """Several breakpoints can be hit by one stop."""
        found = re.findall(r"^OpenMP breakpoint (\d+), ([^,.]*).*?(?::(\d+))?\.$", text, re.M)
        if not found:
            raise gdb.GdbError(f"another stop: {text}")
        names = ("thread_num", "level", "team_size", "team_num", "num_teams")
        values = {name: int(gdb.parse_and_eval(f"$_omp_{name}()")) for name in names}
        values["said_size"] = int((re.search(r", of (\d+) thread", text) or [0, 0])[1])
        return [
            {"number": int(number), "what": WORDS[what], "line": int(line or 0), **values}
            for number, what, line in found
        ]


RecordStops()
