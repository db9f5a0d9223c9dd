# SPDX-License-Identifier: Apache-2.0
"""Run inside GDB: what does the plugin take each thread to hold? One line of JSON, no command shows
all of it."""

from __future__ import annotations

import json

import gdb
from ompd_core.model.naming import critical_name
from ompd_core.model.where import CodeMap, Runtime
from ompd_core.snapshot.code_holdings import Holdings
from ompd_gdb import session
from ompd_gdb.target.stacks import Code


def tell() -> None:
    current = session.current()
    runtimes = current.runtimes()
    target, machine = current.target, current.target.machine
    assert machine is not None
    code_map = CodeMap(Runtime(r.start, r.end, r.path, r.embedded, r.id) for r in runtimes)
    holdings = Holdings(target, machine, code_map)
    told = []
    for thread in target.native_threads():
        with target.at(thread) as stopped:
            assert stopped is not None
            held = holdings.of(stopped)
            waited = holdings.waited_for(stopped)
        entries = [
            {
                "kind": one.kind,
                **named(target.code, one.address),
                "line": one.location.line if one.location else None,
                "always": one.always,
                "exact": one.exact,
            }
            for one in held
        ]
        waits = {**named(target.code, waited.address), "exact": waited.exact} if waited else None
        told.append({"lwp": thread.ptid[1], "held": entries, "waits": waits})
    gdb.write(json.dumps(told) + "\n")


def named(code: Code, address: int | None) -> dict[str, object]:
    symbol = code.object(address) if address is not None else None
    return {"address": address, "name": critical_name(symbol) if symbol is not None else None}


tell()
