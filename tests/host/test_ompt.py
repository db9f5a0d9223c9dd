# SPDX-License-Identifier: Apache-2.0
"""Is what the library tells of states, frames, tasks and a tool's data what OMPT itself says?"""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import cells
import comparison
import machine
import pytest
from test_host import host

EXPLICIT = 0x4  # ompt_task_explicit


def ask(runtime: str, folder: Path, environment: dict[str, str]) -> tuple[Any, Any]:
    """What the host prints when the program dies, and what the program recorded."""
    record = folder / "truth.json"
    env = {
        **os.environ,
        "LD_LIBRARY_PATH": str(machine.cached(runtime)),
        "OMPD_TRUTH_FILE": str(record),
        **environment,
    }
    library = machine.BUILD / "libompd" / "libompd.so"
    command = [host(), "--library", library, "run", machine.compiled("ompt_truth")]
    done = subprocess.run(
        [str(word) for word in command], capture_output=True, text=True, timeout=300, env=env
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout), json.loads(record.read_text(encoding="utf-8"))


def frame(told: Any) -> tuple[int, int]:
    """OMPT's flags are an int."""
    flags = told["flag"]
    return int(told["address"], 16), flags - (1 << 32) if flags >= 1 << 31 else flags


@pytest.mark.parametrize("debug", ["enabled", "disabled"])
@pytest.mark.parametrize("runtime", cells.RUNTIMES)
def test_ompt(runtime: str, debug: str, folder: Path) -> None:
    told, record = ask(runtime, folder, {"OMP_DEBUG": debug})
    threads = {thread["lwp"]: thread for thread in told["threads"]}
    assert len(record["threads"]) == 4
    for truth in record["threads"]:
        thread = threads[truth["tid"]]
        assert thread["tool_data"]["value"] == truth["thread_data"]
        assert thread["state"]["state"] == truth["state"]
        compare_regions(thread["regions"], truth["regions"])
        compare_tasks(thread["tasks"], truth["tasks"])
    assert told["cost"]["live_allocations_at_end"] == 0


def compare_regions(told: list[Any], truth: list[Any]) -> None:
    """OMPT knows no data of the initial region."""
    assert len(told) == len(truth)
    for region, true in zip(told, truth):
        assert region["icvs"]["team-size-var"]["value"] == true["size"]
        assert region["tool_data"] == {**region["tool_data"], "rc": "ok", "value": true["data"]}
        comparison.compared["region of OMPT's"] += 1


def compare_tasks(told: list[Any], truth: list[Any]) -> None:
    assert len(told) == len(truth)
    for task, true in zip(told, truth):
        explicit = bool(true["flags"] & EXPLICIT)
        assert task["icvs"]["explicit-task-var"]["value"] == explicit
        assert task["tool_data"]["rc"] == "ok" and task["tool_data"]["value"] == true["data"]
        assert task["frames"]["rc"] == "ok"
        assert frame(task["frames"]["exit"]) == (true["exit"], true["exit_flags"])
        assert frame(task["frames"]["enter"]) == (true["enter"], true["enter_flags"])
        assert task["scheduling"] == ("ok" if explicit else "unavailable")
        comparison.compared["task of OMPT's"] += 1
