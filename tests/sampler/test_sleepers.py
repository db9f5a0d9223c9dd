# SPDX-License-Identifier: Apache-2.0
"""Threads that sleep without a break are told while they do, for certain, and a record that is cut
short has their time. A sleep that nobody looked at is not certain."""

from __future__ import annotations

import os
import signal
import subprocess
from itertools import groupby
from pathlib import Path
from typing import Iterator

import pytest
from conftest import SAMPLER
from record import Record, parse, read

COUNT = 5
FLUSHES = 5


@pytest.fixture(name="sleeping")
def fixture_sleeping(build) -> Iterator[int]:
    """A process of which all threads do."""
    command = [str(build("asleep", "gcc")), str(COUNT)]
    environment = {**os.environ, "OMP_WAIT_POLICY": "passive"}
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE) as process:
        assert process.stdout and process.stdout.readline() == b"asleep\n"
        waiting = [f"/proc/{process.pid}/task/{lwp}/syscall" for lwp in tasks(process.pid)]
        while any(Path(one).read_text().startswith("running") for one in waiting):
            pass
        yield process.pid
        process.kill()


def tasks(pid: int) -> list[str]:
    while len(found := os.listdir(f"/proc/{pid}/task")) < COUNT:
        pass
    return found


def told(record: Record) -> list[int]:
    return [line["told"] for line in record.lines if "told" in line]


def ends(record: Record) -> dict[int, int]:
    return {thread: start + duration for thread, start, duration, _, _ in record.rows()}


def test_what_is_told_goes_on(sleeping, tmp_path) -> None:
    command = (SAMPLER, "-p", str(sleeping), "-d", "4", "-o", tmp_path / "r")
    subprocess.run(command, check=True, timeout=120)
    record = read(tmp_path / "r")
    moments = told(record)
    # As often as it is written, whatever threads do; the first is of the record's beginning.
    assert len(moments) > FLUSHES and len(set(moments)) == len(moments), moments
    assert ends(record) == {thread: moments[-1] for thread in record.tables["thread"]}
    # One line goes on for all of them.
    spans = [line["threads"] for line in record.lines if "go_on" in line]
    assert len(spans) >= FLUSHES - 2 and all(len(one) == 1 for one in spans), spans
    samples = sum(count for _, _, _, _, count in record.rows())
    assert record.end["in_rows"] == samples == COUNT
    sums: dict[str, int] = {}
    for _, _, duration, activity, _ in record.rows():
        if activity["certainty"] == "certain" and activity["on"] is False:
            sums[activity["state"]] = sums.get(activity["state"], 0) + duration
    known, wall = sum(sums.values()), sum(one["wall"] for one in record.tables["sums"].values())
    assert set(sums) == {"asleep", "wait_barrier"} and known > 0.98 * wall, (sums, wall)


def test_record_that_is_cut_short_has_it(sleeping) -> None:
    command = [str(SAMPLER), "-p", str(sleeping), "--fd", "1"]
    lines: list[str] = []
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as sampler:
        assert sampler.stdout
        for line in sampler.stdout:
            lines.append(line)
            if sum(one.startswith('{"told"') for one in lines) == FLUSHES:
                break
        sampler.send_signal(signal.SIGKILL)
    record = parse("".join(lines))
    assert len(record.tables["thread"]) == COUNT
    last = told(record)[-1]
    assert last > 0 and ends(record) == {thread: last for thread in record.tables["thread"]}


def test_sleep_that_nobody_looked_at_is_not_certain(build, tmp_path) -> None:
    """Of thousands of short ones some are met: the others are likely the same."""
    program = build("wakes", "plain")
    # A machine with nothing else to do may meet all of one record.
    assert any(some_are_likely(program, tmp_path / f"{number}") for number in range(10))


def some_are_likely(program: Path, path: Path) -> bool:
    command = (SAMPLER, "-o", path, "--", program)
    subprocess.run(command, check=True, timeout=120, stdout=subprocess.DEVNULL)
    off = [
        (thread, activity, count)
        for thread, _, _, activity, count in sorted(read(path).rows(), key=lambda row: row[:2])
        if activity.get("on") is False and activity["state"] not in ("preempted", "?")
    ]
    # What is written at two times is one row.
    runs = [(key[1], list(rows)) for key, rows in groupby(off, lambda row: (row[0], row[1]))]
    for activity, rows in runs:
        looked_at = any(count for _, _, count in rows)
        assert looked_at or activity["certainty"] == "likely", activity
    return any(activity["certainty"] == "likely" for activity, _ in runs)
