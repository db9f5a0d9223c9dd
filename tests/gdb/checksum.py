# SPDX-License-Identifier: Apache-2.0
"""Run by GDB: `checksum' prints one of the stopped process's writable memory and its registers."""

from __future__ import annotations

import hashlib

import gdb


class Checksum(gdb.Command):
    def __init__(self) -> None:
        super().__init__("checksum", gdb.COMMAND_USER)

    def invoke(self, argument: str, from_tty: bool) -> None:
        found = hashlib.sha256(
            gdb.execute("thread apply all info registers", to_string=True).encode()
        )
        process = f"/proc/{gdb.selected_inferior().pid}"
        with open(f"{process}/maps", encoding="utf-8") as maps, open(
            f"{process}/mem", "rb"
        ) as memory:
            for line in maps:
                place, rights = line.split()[:2]
                if rights.startswith("rw"):
                    start, end = (int(word, 16) for word in place.split("-"))
                    memory.seek(start)
                    found.update(memory.read(end - start))
        print(f"checksum {found.hexdigest()}")


Checksum()
