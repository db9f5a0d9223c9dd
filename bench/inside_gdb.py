# SPDX-License-Identifier: Apache-2.0
"""Runs inside GDB, stopped in a program: what do the library and the commands cost? Counts of
libompd's callbacks, written as JSON to $BENCH_ANSWER."""

from __future__ import annotations

import json
import os
from typing import Any, Callable

import gdb
from ompd_core.library.library import Library, Snapshot
from ompd_core.library.types import NativeIds
from ompd_gdb import session


def counted(loaded: Library, work: Callable[[], Any]) -> tuple[Any, dict[str, int]]:
    before = dict(vars(loaded.callbacks.counts))
    result = work()
    after = dict(vars(loaded.callbacks.counts))
    return result, {name: after[name] - before[name] for name in after}


def _everything(snapshot: Snapshot) -> None:
    snapshot.view()
    snapshot.tasks()
    snapshot.locks([])
    snapshot.arrivals()
    snapshot.loops()
    snapshot.icvs()


def measure() -> dict[str, Any]:
    costs: dict[str, Any] = {}
    loaded = session.library()
    here = session.current()
    context = loaded.add_target(here.target)
    found, costs["find the runtimes"] = counted(loaded, lambda: loaded.find_runtimes(context))
    space, costs["open the runtime"] = counted(
        loaded, lambda: loaded.open_runtime(context, found[0].image)
    )
    info, costs["recover the descriptors"] = counted(loaded, space.info)
    natives = [NativeIds(thread.pthread_id) for thread in here.target.native_threads()]
    # What is found once for all: the table of locks.
    _everything(space.snapshot(natives))
    snapshot, costs["view"] = counted(loaded, lambda: space.snapshot(natives))
    costs["parts"] = counted(loaded, lambda: _everything(snapshot))[1]
    view = snapshot.view()
    snapshot.close()
    space.close()
    loaded.remove_target(context)
    teams = len({region.address for region in view.regions})

    def command(name: str) -> dict[str, int]:
        return counted(loaded, lambda: str(gdb.execute(name, to_string=True)))[1]

    costs["first command"] = command("ompd threads")
    here.drop_picture()  # as continuing does
    costs["later command"] = command("ompd threads")
    costs["ICVs"] = command("ompd icvs")
    breakpoints = gdb.execute("maint info breakpoints", to_string=True)
    return {
        "threads": len(natives),
        "teams": teams,
        "descriptors": info.descriptors,
        "costs": costs,
        "breakpoints": breakpoints,
    }


with open(os.environ["BENCH_ANSWER"], "w", encoding="utf-8") as file:
    json.dump(measure(), file)
