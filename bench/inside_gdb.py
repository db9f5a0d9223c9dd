# SPDX-License-Identifier: Apache-2.0
"""Runs inside GDB, stopped in a program: what do the library and the commands cost? Counts of
libompd's callbacks, written as JSON to $BENCH_ANSWER."""

from __future__ import annotations

import json
import os
from dataclasses import asdict
from typing import Any, Callable

import gdb
from ompd_gdb import session
from ompd_gdb.answers import NativeIds
from ompd_gdb.library import Library


def counted(loaded: Library, work: Callable[[], Any]) -> tuple[Any, dict[str, int]]:
    before = asdict(loaded.callbacks.counts)
    result = work()
    after = asdict(loaded.callbacks.counts)
    return result, {name: after[name] - before[name] for name in after}


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
    view, costs["view"] = counted(loaded, lambda: space.view(natives))
    costs["tasks"] = counted(loaded, space.tasks)[1]
    space.close()
    loaded.remove_target(context)
    teams = len({region.address for region in view.regions})

    def command() -> str:
        return str(gdb.execute("ompd threads", to_string=True))

    costs["first command"] = counted(loaded, command)[1]
    here.drop_picture()  # as continuing does
    costs["later command"] = counted(loaded, command)[1]
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
