# SPDX-License-Identifier: Apache-2.0
"""An MPI job of four ranks with four threads, of which one stays behind: does `ompd merge' tell
which, whatever way the reports were made? Open MPI's own threads are no threads of OpenMP's."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import time
from pathlib import Path
from typing import Any

import command
import pytest
from command import FINDING, NOTHING_ODD, OMPD, ompd
from job import ODD, RANKS, THREADS, RunningJob, Truth, core_in, running
from sessions import PATIENCE

OTHERS = "0-1,3"
GRACE = 30  # seconds for the reports; Open MPI waits as long before its SIGTERM
STATES = {
    "lock": "wait_lock",
    "barrier": "wait_barrier_implicit_parallel",
    "idle": "idle",
    "mpi": "work_serial",
}
# Ranks that wait spin: two jobs beside each other take for ever.
pytestmark = pytest.mark.xdist_group("ranks")


def test_processes(folder: Path) -> None:
    with running("lock", folder) as job:
        truth = job.settle()
        for rank, process in truth.items():
            words = ("pid", "--timeout", str(PATIENCE), "--json", "-o", "%r.json")
            answer = ompd(*words, str(process.pid), folder=folder)
            assert answer.status == (FINDING if rank == ODD else NOTHING_ODD), answer
        documents = compare(truth, folder)
    assert {document["host"] for document in documents.values()} == {os.uname().nodename}
    a_rank_waits(folder)


def test_cores(folder: Path) -> None:
    with running("lock", folder) as job:
        truth = job.settle()
        # It would end those that are not through with their cores.
        job.launcher.send_signal(signal.SIGSTOP)
        for process in truth.values():
            os.kill(process.pid, signal.SIGQUIT)  # Open MPI raises others anew
        for process in truth.values():
            ended(process.pid)
    for rank, process in truth.items():
        core = core_in(folder / str(rank))
        answer = ompd("core", core, "--json", "-o", "%r.json", folder=folder)
        assert answer.status == (FINDING if rank == ODD else NOTHING_ODD), answer
    documents = compare(truth, folder)
    assert {document["signal"]["reason"] for document in documents.values()} == {
        f"sent by process {os.getpid()}"
    }
    a_rank_waits(folder)


@pytest.mark.full
def test_from_the_start(folder: Path) -> None:
    """Reports are made when the launcher is ended: it announces that to the ranks."""
    with running("lock", folder, reporting(folder), GRACE) as job:
        truth = job.settle()
        job.launcher.send_signal(signal.SIGTERM)
        all_there(folder, job)
    documents = compare(truth, folder)
    assert {document["inferior"]["kind"] for document in documents.values()} == {"live"}
    a_rank_waits(folder)


def test_crash(folder: Path) -> None:
    """Of the ranks that the launcher ends there is no core, and that is told."""
    with running("crash", folder) as job:
        assert job.launcher.wait(PATIENCE) != 0
        truth = job.truth()
    cores = list(folder.glob("*/core*"))
    assert cores == [core_in(folder / str(ODD))]
    answer = ompd("core", cores[0], "--json", "-o", "%r.json", folder=folder)
    assert answer.status == FINDING
    merged = ompd("merge", folder / f"{ODD}.json", "--json", folder=folder)
    assert merged.status == FINDING and merged.document["absent"] == OTHERS
    (finding,) = merged.document["findings"]
    assert (finding["code"], finding["ranks"]) == ("crash", str(ODD))
    assert "SIGSEGV" in finding["text"] and "stay_behind () at ranks.c" in finding["text"]
    assert truth[ODD].pid == merged.document["reports"][0]["pid"]
    text = ompd("merge", folder / f"{ODD}.json", folder=folder).text
    assert f"of 3 of 4 ranks there is none: {OTHERS}" in text


@pytest.mark.full
def test_crash_from_the_start(folder: Path) -> None:
    """Here the launcher ends the others too, and they report."""
    with running("crash", folder, reporting(folder), GRACE) as job:
        truth = job.settle()
        all_there(folder, job)
    merged = ompd("merge", *reports(folder), "--json", folder=folder)
    assert merged.status == FINDING
    (finding,) = merged.document["findings"]
    assert (finding["code"], finding["ranks"]) == ("crash", str(ODD))
    odd, usual = merged.document["classes"]
    assert (odd["ranks"], odd["codes"], usual["ranks"]) == (str(ODD), ["crash"], OTHERS)
    waiting = [one for one in usual["threads"] if one["states"] == ["work_serial"]]
    assert [(one["count"], one["in_call"]) for one in waiting] == [(RANKS - 1, "PMPI_Recv")]
    (awaited,) = merged.document["awaiting"]
    assert (awaited["ranks"], awaited["message"]["rank"]) == (OTHERS, ODD)
    text = command.ompd("merge", *reports(folder), folder=folder).text
    assert f"from rank {ODD}, which has a finding: crash" in text
    assert truth[ODD].threads and set(truth[ODD].threads.values()) == {"crash", "barrier"}


def reporting(folder: Path) -> list[str | Path]:
    return [OMPD, "run", "--json", "-o", folder / "%r.json", "--"]


def reports(folder: Path) -> list[Path]:
    return sorted(folder.glob("[0-9].json"))


def ended(pid: int) -> None:
    """Its core is complete then."""
    end = time.monotonic() + PATIENCE
    while True:
        with contextlib.suppress(OSError):
            if Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2][1] != "Z":
                assert time.monotonic() < end, f"process {pid} does not end"
                time.sleep(0.01)
                continue
        return


def all_there(folder: Path, job: RunningJob) -> None:
    end = time.monotonic() + PATIENCE
    while len(reports(folder)) < RANKS or not all(map(complete, reports(folder))):
        assert job.launcher.poll() is None, job.complaints()
        assert time.monotonic() < end, f"{reports(folder)}\n{job.complaints()}"
        time.sleep(0.1)


def complete(path: Path) -> bool:
    try:
        return bool(json.loads(path.read_text(encoding="utf-8")))
    except ValueError:
        return False


def compare(truth: dict[int, Truth], folder: Path) -> dict[int, Any]:
    """Each report with what its rank recorded: who it is, and what each of its threads does."""
    documents = {}
    for rank in range(RANKS):
        text = (folder / f"{rank}.json").read_text(encoding="utf-8")
        documents[rank] = document = command.Answer(0, text, "").document
        told = (document["rank"], document["rank_count"], document["pid"])
        assert told == (rank, truth[rank].size, truth[rank].pid)
        states = {}
        for thread in document["threads"]:
            if thread["openmp"]:
                states[thread["lwp"]] = thread["openmp"][0]["state"]
            else:
                assert thread["kind"] == "none", f"rank {rank}: {thread}"
        expected = {lwp: STATES[what] for lwp, what in truth[rank].threads.items()}
        assert states == expected, f"rank {rank}"
        assert len(document["threads"]) > THREADS, "Open MPI has threads of its own"
    return documents


def a_rank_waits(folder: Path) -> None:
    """What `ompd merge' says of the job that hangs."""
    merged = ompd("merge", *reports(folder), "--json", folder=folder)
    assert merged.status == FINDING
    document = merged.document
    assert (document["rank_count"], document["absent"]) == (RANKS, None)
    (finding,) = document["findings"]
    assert (finding["code"], finding["ranks"]) == ("deadlock", str(ODD))
    odd, usual = document["classes"]
    assert (odd["ranks"], odd["odd"]) == (str(ODD), True)
    assert (usual["ranks"], usual["odd"]) == (OTHERS, False)
    assert counted(odd) == {"wait_lock": 2, "wait_barrier_implicit_parallel": 2}
    assert counted(usual) == {"work_serial": 3, "idle": 9}
    waiting = [one for one in usual["threads"] if one["states"] == ["work_serial"]]
    assert [one["in_call"] for one in waiting] == ["PMPI_Barrier"]
    branches = {(one["ranks"], one["threads"]) for one in top(document, "main")}
    assert branches == {(str(ODD), THREADS), (OTHERS, RANKS - 1)}
    text = ompd("merge", *reports(folder), folder=folder).text
    first = " ".join(text.split("Classes of ranks")[0].split())
    assert first.startswith("Odd : 1 of 4 ranks has a finding: deadlock. rank 2: DEADLOCK")
    assert f"Others : 3 ranks ({OTHERS}): working, serial: wait_for () at ranks.c" in first
    assert len(text.splitlines()) < 60, "a screen or two"


def counted(of_class: Any) -> dict[str, int]:
    """Threads of OpenMP, by state."""
    found: dict[str, int] = {}
    for one in of_class["threads"]:
        for state in one["states"]:
            found[state] = found.get(state, 0) + one["count"]
    return found


def top(document: Any, function: str) -> list[Any]:
    """The outermost frames of that function."""
    return [
        one
        for one in document["merged"]["children"]
        if (one["place"] or {}).get("function") == function
    ]
