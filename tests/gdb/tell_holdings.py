# SPDX-License-Identifier: Apache-2.0
"""Run inside GDB: what does the plugin take each thread to hold? One line of JSON, no command shows
all of it."""

from __future__ import annotations

import json

import gdb
from ompd_gdb import session
from ompd_gdb.model.naming import critical_name
from ompd_gdb.model.where import CodeMap, Runtime
from ompd_gdb.target.holding import Holdings
from ompd_gdb.target.selection import on_thread
from ompd_gdb.target.stacks import Code


def tell() -> None:
    current = session.current()
    runtimes = current.runtimes()
    code = current.target.code
    code_map = CodeMap(Runtime(r.start, r.end, r.path, r.embedded, r.id) for r in runtimes)
    holdings = Holdings(code, code_map)
    told = []
    for thread in gdb.selected_inferior().threads():
        with on_thread(thread):
            held = holdings.of_selected_thread()
            waited = holdings.waited_for()
        entries = [
            {
                "kind": one.kind,
                **named(code, one.address),
                "line": one.location.line if one.location else None,
                "always": one.always,
                "exact": one.exact,
            }
            for one in held
        ]
        waits = {**named(code, waited.address), "exact": waited.exact} if waited else None
        told.append({"lwp": thread.ptid[1], "held": entries, "waits": waits})
    gdb.write(json.dumps(told) + "\n")


def named(code: Code, address: int | None) -> dict[str, object]:
    symbol = code.object(address) if address is not None else None
    return {"address": address, "name": critical_name(symbol) if symbol is not None else None}


tell()
