# SPDX-License-Identifier: Apache-2.0
"""Does a call ask no more of the debugger than LLVM's own library does?"""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import machine
import pytest
import sessions
from test_host import host

RUNTIME = "libomp-19-ompd"
# Where we read more, and why.
MORE = {
    "icv thread-num-var": (
        2,
        "a worker is in its team only if the team says that its region lasts",
    ),
    "get_task_frame": (3, "serialized regions inside move it; and OMPT may be off by now"),
    "get_tool_data task": (3, "the same"),
    "get_tool_data thread": (3, "the thread may have ended, and its structure be another's"),
}


def calls(pid: int, library: Path, api: int) -> Any:
    command = [host(), "--library", library, "--api", str(api), "calls", str(pid)]
    done = subprocess.run(
        [str(word) for word in command], capture_output=True, text=True, timeout=300, check=True
    )
    return json.loads(done.stdout)["calls"]


def both(threads: int, folder: Path) -> tuple[Any, Any]:
    """Of the same process: ours, theirs."""
    place = machine.cached(RUNTIME)
    executable = machine.compiled("wide")
    environment = {"OMP_DEBUG": "enabled"}
    arguments = (str(threads),)
    with sessions.target("attach", executable, arguments, place, folder, environment) as target:
        pid = target.pid or 0
        ours = calls(pid, machine.BUILD / "libompd" / "libompd.so", 202411)
        theirs = calls(pid, place / "libompd.so", 201811)
    return ours, theirs


@pytest.mark.parametrize("threads", [4, 300])
def test_no_more_reads(threads: int, folder: Path) -> None:
    ours, theirs = both(threads, folder)
    compared = [name for name in ours if name in theirs and theirs[name]["rc"] != "unsupported"]
    assert len(compared) > 40
    for name in compared:
        bound, why = MORE.get(name, (theirs[name]["reads"], ""))
        assert ours[name]["reads"] <= bound, (name, ours[name], theirs[name], why)
        assert ours[name]["symbols"] == 0, name


def test_costs_do_not_depend_on_the_team(folder: Path) -> None:
    few, _ = both(4, folder)
    many, _ = both(300, folder)
    assert {name: call["reads"] for name, call in few.items()} == {
        name: call["reads"] for name, call in many.items()
    }
    print(f"one row of a table of threads: {few['row']['reads']} reads")
