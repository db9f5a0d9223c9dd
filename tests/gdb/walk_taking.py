# SPDX-License-Identifier: Apache-2.0
"""Run by GDB: `walk-taking FILE COUNT STEP' runs the program until a thread is about to take a
lock, and lets it make so many steps from there on, while all others run, and writes what is said at
each. STEP: step, or stepi."""

from __future__ import annotations

import json

import gdb

TAKES = (
    "omp_set_lock",
    "omp_set_nest_lock",
    "__kmpc_critical_with_hint",
    "GOMP_critical_name_start",
)


class WalkTaking(gdb.Command):
    def __init__(self) -> None:
        super().__init__("walk-taking", gdb.COMMAND_USER)

    def invoke(self, argument: str, from_tty: bool) -> None:
        file, count, step = argument.split()
        for name in TAKES:
            gdb.execute(f"tbreak {name}", to_string=True)
        gdb.execute("run", to_string=True)
        gdb.execute("delete", to_string=True)
        stops = []
        for _ in range(int(count)):
            frame = gdb.selected_frame()
            where = f"{frame.name()}:{frame.find_sal().line}"
            stops.append({"at": where, "told": gdb.execute("ompd deadlock", to_string=True)})
            gdb.execute(step, to_string=True)
        with open(file, "w", encoding="utf-8") as out:
            json.dump(stops, out)


WalkTaking()
