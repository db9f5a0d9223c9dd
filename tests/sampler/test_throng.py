# SPDX-License-Identifier: Apache-2.0
"""Are thousands of threads recorded in bounds, whether they stay or come and go, and is it said of
how many nothing is told?"""

from __future__ import annotations

import os
import resource
import subprocess
from pathlib import Path
from typing import Iterator

import pytest
from conftest import SAMPLER, TREE
from record import Record, read

pytestmark = pytest.mark.alone
FULL = os.environ.get("OMPD_FULL") == "1"
COUNT = 10_000 if FULL else 1_000
OMPD = TREE / "gdb-plugin" / "bin" / "ompd"
# What the sampler itself takes, and for each thread; some 2 KiB are.
MOST_BYTES = (48 << 20) + COUNT * 4096


def notes(record: Record, code: str) -> list[str]:
    return [line["text"] for line in record.lines if line.get("note") == code]


def no_more_than_the_kernel_counts(record: Record) -> None:
    for sums in record.tables["sums"].values():
        if sums["schedstat_on"] is not None:
            assert sums["on"] <= 1.02 * sums["schedstat_on"] + 3 * 10**7, sums


def limited_to(descriptors: int) -> None:
    resource.setrlimit(resource.RLIMIT_NOFILE, (descriptors, descriptors))


def ompd(*arguments: object) -> str:
    command = [str(word) for word in (OMPD, *arguments)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0 and "Traceback" not in done.stderr, done
    return done.stdout


@pytest.fixture
def throng(build) -> Iterator[tuple[int, int]]:
    """Of which process, how many threads."""
    command = (build("throng"), "alive", str(COUNT), "600")
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout
            made = int(process.stdout.readline().split()[1])
            assert made == COUNT, "the machine's limits: kernel.pid_max, ulimit -u, memory"
            # A team of two, and of libomp's own.
            yield process.pid, made + 2
        finally:
            process.kill()


@pytest.mark.parametrize("descriptors", [20_000, 200] if FULL else [200])
def test_threads_that_stay(throng, tmp_path: Path, descriptors: int) -> None:
    """More than there are descriptors for, too: the kernel's count and their sleep tell those."""
    pid, count = throng
    record = tmp_path / "record"
    done = subprocess.run(
        (SAMPLER, "--budget", "0", "-d", "3", "-o", record, "-p", str(pid)),
        preexec_fn=lambda: limited_to(descriptors),
        timeout=600,
    )
    assert done.returncode == 0
    told = read(record)
    print(told.end["sampler"])
    assert told.end["how"] == "duration" and len(told.tables["thread"]) == count
    assert told.end["sampler"]["memory_bytes"] < MOST_BYTES
    no_more_than_the_kernel_counts(told)
    left_out = notes(told, "threads_left_out")
    if descriptors < count:
        assert "ulimit -n" in left_out[0]
        number = int(left_out[1].split()[0])
        # The others had a descriptor each, or one for each processor.
        assert count - descriptors < number < count
        assert left_out[1] == f"{number} of {count} threads were not sampled."
    # Nobody but the team has done anything.
    busy = [one for one in told.tables["sums"].values() if one["on"] > 0.1 * one["wall"]]
    assert len(busy) <= 2, busy
    assert not descriptors < count or left_out[1] in " ".join(ompd("show", record).split())


@pytest.mark.skipif(not FULL, reason="in --full")
def test_a_table_of_threads_that_stay(throng) -> None:
    pid, count = throng
    told = ompd("top", "--once", pid)
    assert f"{count} threads" in told, told


@pytest.mark.parametrize("compiler", ["clang", "gcc"] if FULL else ["gcc"])
def test_threads_that_come_and_go(build, tmp_path: Path, compiler: str) -> None:
    record = tmp_path / "record"
    command = (SAMPLER, "-o", record, "--", build("throng", compiler), "gone", str(COUNT))
    done = subprocess.run(command, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    told, made = read(record), int(done.stdout.split()[1])
    print(told.end["sampler"])
    assert told.end["sampler"]["memory_bytes"] < MOST_BYTES
    no_more_than_the_kernel_counts(told)
    (unseen,) = notes(told, "threads_unseen")
    # Who is begun by a thread that was not seen is not told either.
    known = len(told.tables["thread"]) + int(unseen.split()[2])
    assert COUNT < known <= made + 1
    assert unseen in " ".join(ompd("show", record).split())


def test_many_that_wait_and_one_that_works(build, tmp_path: Path) -> None:
    """They take the whole budget, whatever is sampled: passes become rare, and still nothing that
    the one did is lost, and everybody's turn to be looked at comes."""
    record = tmp_path / "record"
    command = (SAMPLER, "-d", "8", "-o", record, "--", build("wakes", "plain"), "400", "9")
    done = subprocess.run(command, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    told = read(record)
    worker = told.tables["sums"][0]
    print(told.end["sampler"], worker)
    assert not notes(told, "lost") and worker["missing"] < 10**7
    assert worker["on"] > 0.5 * worker["wall"] and worker["untold"] < 0.05 * worker["on"]
    time_of: dict[str, int] = {}
    for thread, _, duration, activity, _ in told.rows():
        if thread:
            time_of[activity["state"]] = time_of.get(activity["state"], 0) + duration
    print(time_of)
    assert time_of.get("?", 0) < 0.4 * sum(time_of.values()), time_of
