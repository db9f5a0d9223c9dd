# SPDX-License-Identifier: Apache-2.0
"""Does a record tell what the program did? By a program whose phases are drawn when the test runs,
and that tells what it did when the sampler has ended."""

from __future__ import annotations

import os
import random
import subprocess
from bisect import bisect_right
from collections import defaultdict
from pathlib import Path

import pytest
from conftest import SAMPLER
from record import Record, read

FULL = os.environ.get("OMPD_FULL") == "1"
SECONDS = 12 if FULL else 5
RATE = 1000
# The states of a record, by what the program calls them. libgomp's barriers tell no construct, and
# a thread without code of the program's may be idle or at its region's end: the program cannot
# tell either.
CALLED = {
    "work_serial": "serial",
    "work_parallel": "work",
    "wait_barrier_explicit": "barrier",
    "wait_barrier_implicit_workshare": "barrier",
    "wait_barrier": "barrier",
    "wait_critical": "critical",
    "wait_barrier_implicit_parallel": "between",
    "idle": "between",
    "overhead": "between",
}
ALSO = {"explicit": "barrier", "workshare": "barrier"}


def truth_of(path: Path, start: int, end: int) -> dict[int, dict[str, float]]:
    """Of each LWP: nanoseconds on a processor between two moments, by state."""
    notes: dict[int, list[tuple[int, int, str]]] = defaultdict(list)
    for line in path.read_text().splitlines():
        lwp, time, processor, state = line.split()
        notes[int(lwp)].append((int(time), int(processor), ALSO.get(state, state)))
    truth: dict[int, dict[str, float]] = {}
    for lwp, own in notes.items():
        times = [time for time, _, _ in own]
        sums: dict[str, float] = defaultdict(float)
        for index in range(max(0, bisect_right(times, start) - 1), len(own) - 1):
            (time, processor, state), (after, processor_after, _) = own[index : index + 2]
            inside = min(after, end) - max(time, start)
            if inside <= 0:
                break
            sums[state] += (processor_after - processor) * inside / (after - time)
        truth[lwp] = sums
    return truth


def shares(sums: dict[str, float]) -> dict[str, float]:
    total = sum(sums.values())
    return {state: 100 * value / total for state, value in sums.items()} if total else {}


def told_by(record: Record) -> dict[int, dict[str, float]]:
    told: dict[int, dict[str, float]] = {}
    for lwp, states in record.on_by_state().items():
        told[lwp] = defaultdict(float)
        for state, value in states.items():
            told[lwp][CALLED.get(state, state)] += value
    return told


def samples_of(record: Record, lwp: int) -> int:
    return sum(
        sums["samples"]
        for number, sums in record.tables["sums"].items()
        if record.tables["thread"][number]["lwp"] == lwp
    )


def worst(truth: dict[int, dict[str, float]], record: Record) -> list[tuple[float, float, str]]:
    """Points of a thread's processor time by which a state is wrong, what is allowed, and which."""
    told = told_by(record)
    found = []
    for lwp, sums in truth.items():
        expected, got = shares(sums), shares(told.get(lwp, {}))
        count = max(samples_of(record, lwp), 1)
        for state in sorted({*expected, *got}):
            share = expected.get(state, 0) / 100
            chance = 100 * (max(share, 0.02) * (1 - share) / count) ** 0.5
            error = got.get(state, 0) - expected.get(state, 0)
            found.append(
                (
                    abs(error),
                    2 + 4 * chance,
                    f"{state} {got.get(state, 0):.1f} for {100 * share:.1f}",
                )
            )
    return sorted(found, reverse=True)


def sampled(program: Path, folder: Path, *more: str) -> tuple[Record, dict[int, dict[str, float]]]:
    seed = random.randrange(1 << 32)
    record, truth = folder / "record", folder / "truth"
    print("seed", seed)
    options = ("-F", str(RATE), "--budget", "0", "-d", str(SECONDS), "-o", record)
    process = subprocess.Popen((program, str(seed), str(SECONDS + 3), truth, *more), cwd=folder)
    try:
        subprocess.run((SAMPLER, *options, "-p", str(process.pid)), check=True)
        assert not truth.exists(), "the program tells what it did only when the sampler has ended"
        assert process.wait(60) == 0
    finally:
        process.kill()
    read_back = read(record)
    window = read_back.start, read_back.start + read_back.end["end"]
    return read_back, truth_of(truth, *window)


@pytest.fixture(scope="module", params=["clang", "gcc"])
def observed(request, build, tmp_path_factory):
    program = build("phases", request.param)
    return sampled(program, tmp_path_factory.mktemp("truth"))


def test_states_are_what_the_program_did(observed) -> None:
    record, truth = observed
    assert set(truth) <= {thread["lwp"] for thread in record.tables["thread"].values()}
    errors = worst(truth, record)
    print(errors[:6])
    assert all(error <= allowed for error, allowed, _ in errors), errors[:4]


def test_an_end_is_told_from_a_beginning(observed) -> None:
    """libgomp's threads also meet where a region begins."""
    record, _ = observed
    if record.tables["runtime"][0]["kind"] == "gomp":
        doubted = sum(
            samples for *_, a, samples in record.rows() if "begins it" in (a["why"] or "")
        )
        assert doubted <= 0.01 * record.end["samples"]


def test_wrong_labels_are_seen(observed) -> None:
    record, truth = observed
    turned = {
        lwp: dict(zip(sums, [*list(sums.values())[1:], list(sums.values())[0]]))
        for lwp, sums in truth.items()
    }
    assert any(error > allowed for error, allowed, _ in worst(turned, record))


def test_time_on_a_processor_is_the_kernels(observed) -> None:
    record, _ = observed
    for sums in record.tables["sums"].values():
        if sums["schedstat_on"] is not None and sums["schedstat_on"] > 10**8:
            # What thousands of switches take themselves is the thread's for the kernel.
            apart = abs(sums["on"] - sums["schedstat_on"])
            assert apart <= 0.02 * sums["schedstat_on"] + 3 * 10**7, sums


def test_stacks_are_whole(observed) -> None:
    record, _ = observed
    assert record.end["cut"] <= 0.01 * record.end["stacks"]


def test_places_are_the_programs(observed) -> None:
    record, _ = observed
    regions = {
        (r["function"], Path(r["file"] or "").name) for r in record.tables["region"].values()
    }
    assert ("round_of_phases", "phases.c") in regions, regions
    kinds = {c["kind"]: c for c in record.tables["construct"].values()}
    text = (Path(__file__).parent / "programs" / "phases.c").read_text().splitlines()
    line = text[kinds["critical"]["line"] - 1]
    assert "critical" in line, kinds["critical"]


def test_workers_stand_on_the_path_to_their_region(observed) -> None:
    record, truth = observed
    checked = wrong = 0
    for thread, _, _, activity, samples in record.rows():
        if activity["state"] != "work_parallel" or activity["stack"] is None or not samples:
            continue
        functions = [f["function"] for f in record.stack(activity["stack"]) if f["kind"] == "user"]
        checked += samples
        wrong += samples * (functions[:2] != ["_start", "main"])
    assert checked > 20 and wrong <= 0.02 * checked, (checked, wrong)


def test_innocent_twin_never_waits(build, tmp_path) -> None:
    record, truth = sampled(build("phases", "clang"), tmp_path, "twin")
    states = {state for sums in told_by(record).values() for state in sums}
    assert not states & {"barrier", "critical"}, states
    errors = worst(truth, record)
    assert all(error <= allowed for error, allowed, _ in errors), errors[:4]
