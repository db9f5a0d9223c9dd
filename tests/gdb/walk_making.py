# SPDX-License-Identifier: Apache-2.0
"""Run by GDB: `walk-making FILE' runs the program, stops the thread that makes teams at each line
of libomp's that does so while whom it has made stands still, and writes what was said there."""

from __future__ import annotations

import json

import gdb

MAKERS = ("__kmp_allocate_thread", "__kmp_initialize_info", "__kmp_create_worker")
# Here the maker waits for what it has made, and this is what a new thread begins with.
WAITS, BEGINS = "__kmp_join_call", "__kmp_launch_worker"
MOST = 10000


class WalkMaking(gdb.Command):
    def __init__(self) -> None:
        super().__init__("walk-making", gdb.COMMAND_USER)

    def invoke(self, argument: str, from_tty: bool) -> None:
        gdb.execute(f"tbreak {MAKERS[0]}", to_string=True)
        gdb.execute("run", to_string=True)
        for name in MAKERS:
            self.stop_at_each_line_of(name)
        for name in (WAITS, BEGINS):
            gdb.Breakpoint(name, internal=True).silent = True
        stops, locked = [], True
        while gdb.selected_thread() is not None and len(stops) < MOST:
            name, line = gdb.selected_frame().name(), gdb.selected_frame().find_sal().line
            if name != WAITS:
                stops.append({"at": f"{name}:{line}", "told": self.told()})
            if name == BEGINS:
                gdb.execute("thread 1", to_string=True)
            else:
                locked = name in MAKERS
            gdb.execute(f"set scheduler-locking {'on' if locked else 'off'}")
            gdb.execute("continue", to_string=True)
        with open(argument, "w", encoding="utf-8") as out:
            json.dump(stops, out)

    @staticmethod
    def stop_at_each_line_of(name: str) -> None:
        symbol = gdb.lookup_global_symbol(name) or gdb.lookup_static_symbol(name)
        block = gdb.block_for_pc(int(symbol.value().address))
        first: "dict[int, int]" = {}
        for entry in symbol.symtab.linetable():
            if block.start <= entry.pc < block.end and entry.line:
                first.setdefault(entry.line, entry.pc)
        for pc in first.values():
            gdb.Breakpoint(f"*{pc:#x}", internal=True).silent = True

    @staticmethod
    def told() -> str:
        return "".join(gdb.execute(each, to_string=True) for each in ("ompd", "ompd threads"))


WalkMaking()
