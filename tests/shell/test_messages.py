# SPDX-License-Identifier: Apache-2.0
"""For which rank does a rank wait in a call of MPI's? As it wrote it down before; where optimised
code does not keep what it passed, that is said, and nothing else."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import machine
import pytest
from command import NOTHING_ODD, ompd
from job import RANKS, executable, launched
from sessions import PATIENCE

# Ranks that wait spin: two jobs beside each other take for ever.
pytestmark = pytest.mark.xdist_group("ranks")


@pytest.mark.parametrize("level", ["-O0", "-O2"] if machine.FULL else ["-O2"])
def test_truth(level: str, folder: Path) -> None:
    (folder / "truth").mkdir()
    with launched([executable("messages", level), folder / "truth"], folder) as job:
        end = time.monotonic() + PATIENCE
        while len(list((folder / "truth").glob("[0-9]"))) < RANKS:
            assert job.launcher.poll() is None and time.monotonic() < end, job.complaints()
            time.sleep(0.05)
        truth = [(folder / "truth" / str(rank)).read_text().split() for rank in range(RANKS)]
        for rank, (pid, call, direction, whom, world) in enumerate(truth):
            message = waited_for(pid, call, folder)
            right = {
                "direction": direction,
                "rank": None if whom == "any" else int(whom),
                "any_rank": whom == "any",
                "world": world == "1",
            }
            if level == "-O0":
                assert message == right, f"rank {rank}"
            doubts = message.pop("doubts", {})
            print(rank, message)
            for name, told in message.items():
                assert told in (None, right[name]), f"rank {rank}: {name}"
            if message["rank"] is None and not message["any_rank"]:
                assert doubts["rank"]["certainty"] == "unknown"
        merged = ompd("job", "--mpirun", str(job.launcher.pid), folder=folder)
    if level == "-O0":
        for line in (
            "rank 0: in PMPI_Recv from any rank",
            "rank 1: in PMPI_Ssend to rank 0",
            "rank 2: in PMPI_Probe from rank 1 of another communicator",
            "rank 3: in PMPI_Recv from rank 2",
        ):
            assert f"\n{line}\n" in merged.text, merged.text


def waited_for(pid: str, call: str, folder: Path) -> Any:
    """The rank may be on its way into the call yet."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        answer = ompd("pid", pid, "--json", folder=folder)
        assert answer.status == NOTHING_ODD, answer
        found = [one for one in answer.document["threads"] if one.get("message")]
        if found:
            (one,) = found
            assert one["in_call"]["function"] == f"P{call}"
            return one["message"]
    raise AssertionError(f"{call} was not entered")
