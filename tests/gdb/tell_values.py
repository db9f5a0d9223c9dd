# SPDX-License-Identifier: Apache-2.0
"""Run by GDB: `tell-values RECORD FILE' continues the program until it ends. At each stop it has
each expression that the program's threads have told the value of evaluated in all of them, and
writes what is said."""

from __future__ import annotations

import json

import gdb


class TellValues(gdb.Command):
    def __init__(self) -> None:
        super().__init__("tell-values", gdb.COMMAND_USER)

    def invoke(self, argument: str, from_tty: bool) -> None:
        record, file = argument.split()
        stops: "list[dict[str, object]]" = []
        while gdb.selected_thread() is not None:
            lines = [line.rstrip("\n").split("\t") for line in open(record, encoding="utf-8")]
            here = [line[1:] for line in lines if int(line[0]) == len(stops)]
            names = dict.fromkeys(name for _, name, _ in here)
            stops.append({name: _told(name, f"{file}.one") for name in names})
            gdb.execute("continue", to_string=True)
        with open(file, "w", encoding="utf-8") as out:
            json.dump(stops, out)


def _told(name: str, file: str) -> "dict[str, object]":
    """Whose value is what: by the kernel's numbers of threads."""
    numbers = {f"1.{one.num}": one.ptid[1] for one in gdb.selected_inferior().threads()}
    try:
        gdb.execute(f"ompd print * -- {name} -json {file}", to_string=True)
    except gdb.error as error:
        return {"failed": str(error)}
    with open(file, encoding="utf-8") as written:
        said = json.load(written)["print"]
    for value in said["values"]:
        value["lwps"] = [numbers[one] for one in value["gdb"]]
    return said


TellValues()
