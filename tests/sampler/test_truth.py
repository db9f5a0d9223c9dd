# SPDX-License-Identifier: Apache-2.0
"""Does a record tell what the program did? By a program whose phases are drawn when the test runs,
and that tells what it did when the sampler has ended."""

from __future__ import annotations

import os
import random
import signal
import subprocess
from bisect import bisect_right
from collections import defaultdict
from pathlib import Path
from typing import NamedTuple

import pytest
from conftest import SAMPLER
from moments import let_all_run, wait_for_a_record
from record import Record, read

pytestmark = pytest.mark.alone
FULL = os.environ.get("OMPD_FULL") == "1"
RATE = 1000
# Seconds on a processor of each thread, and the samples that these are at least.
SECONDS = 6.5 if FULL else 2
SAMPLES = 5000 if FULL else 1000
LIMIT = 600  # seconds, of a program that nobody ends
PROCESSORS = len(os.sched_getaffinity(0))
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


class Note(NamedTuple):
    """What a thread began, and when."""

    time: int
    processor: int
    state: str
    delay: int  # -1: not known


def notes_of(path: Path) -> dict[int, list[Note]]:
    """Of each LWP."""
    found: dict[int, list[Note]] = defaultdict(list)
    for line in path.read_text().splitlines():
        lwp, time, processor, state, delay = line.split()
        note = Note(int(time), int(processor), ALSO.get(state, state), int(delay))
        found[int(lwp)].append(note)
    return found


def by_state(notes: list[Note], start: int, end: int) -> dict[str, float]:
    """Nanoseconds on a processor between two moments."""
    sums: dict[str, float] = defaultdict(float)
    first = bisect_right([note.time for note in notes], start) - 1
    for note, after in zip(notes[max(0, first) :], notes[max(0, first) + 1 :]):
        inside = min(after.time, end) - max(note.time, start)
        if inside <= 0:
            break
        share = inside / (after.time - note.time)
        sums[note.state] += (after.processor - note.processor) * share
    return sums


def delay_until(notes: list[Note], moment: int) -> float:
    """Nanoseconds without a processor that it wanted: between two notes, in proportion."""
    known = [note for note in notes if note.delay >= 0]
    at = bisect_right([note.time for note in known], moment)
    if at == 0:
        return known[0].delay
    if at == len(known):
        return known[-1].delay
    before, after = known[at - 1], known[at]
    part = (moment - before.time) / (after.time - before.time)
    return before.delay + (after.delay - before.delay) * part


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


def sampled(
    program: Path,
    folder: Path,
    rate: int,
    threads: int,
    seconds: float,
    *how: str,
    **settings: str,
) -> tuple[Record, dict[int, list[Note]]]:
    """Until each of its threads has had a processor so long, and what the program then tells."""
    seed = random.randrange(1 << 32)
    path, truth = folder / "record", folder / "truth"
    print("seed", seed)
    words = [str(word) for word in (program, seed, LIMIT, truth, threads, *how)]
    with subprocess.Popen(words, cwd=folder, env={**os.environ, **settings}) as process:
        try:
            let_all_run(process.pid, threads, 0)
            options = ("-F", str(rate), "--budget", "0", "-o", path)
            with subprocess.Popen((SAMPLER, *options, "-p", str(process.pid))) as sampler:
                wait_for_a_record(path)
                let_all_run(process.pid, threads, seconds)
                sampler.send_signal(signal.SIGINT)
                assert sampler.wait(60) == 0
            assert not truth.exists(), "the program tells what it did when the sampler has ended"
            process.terminate()
            assert process.wait(60) == 0
        finally:
            process.kill()
    return read(path), notes_of(truth)


def truth_of(record: Record, notes: dict[int, list[Note]]) -> dict[int, dict[str, float]]:
    end = record.start + record.end["end"]
    return {lwp: by_state(own, record.start, end) for lwp, own in notes.items()}


def of_phases(program: Path, folder: Path, *how: str) -> tuple[Record, dict[int, dict[str, float]]]:
    record, notes = sampled(program, folder, RATE, 2, SECONDS, *how)
    return record, truth_of(record, notes)


@pytest.fixture(scope="module", params=["clang", "gcc"])
def observed(request, build, tmp_path_factory):
    program = build("phases", request.param)
    return of_phases(program, tmp_path_factory.mktemp("truth"))


def test_states_are_what_the_program_did(observed) -> None:
    record, truth = observed
    assert set(truth) <= {thread["lwp"] for thread in record.tables["thread"].values()}
    errors = worst(truth, record)
    print(errors[:6])
    assert all(samples_of(record, lwp) >= SAMPLES for lwp in truth)
    assert all(error <= (2 if FULL else allowed) for error, allowed, _ in errors), errors[:4]


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
    record, truth = of_phases(build("phases", "clang"), tmp_path, "twin")
    states = {state for sums in told_by(record).values() for state in sums}
    assert not states & {"barrier", "critical"}, states
    errors = worst(truth, record)
    assert all(error <= allowed for error, allowed, _ in errors), errors[:4]


# Who waits passively sleeps, and has to be woken; else it gives its processor away.
CROWDS = [("clang", "passive"), ("clang", "active"), ("gcc", "passive"), ("gcc", "active")]


@pytest.mark.parametrize("compiler, policy", CROWDS if FULL else CROWDS[:1])
def test_preempted_is_the_run_delay(build, tmp_path, compiler: str, policy: str) -> None:
    """Of four threads for each processor. And time on a processor is what each had by its clock."""
    crowd, seconds = 4 * PROCESSORS, 1.0 if FULL else 0.4
    record, notes = sampled(
        build("phases", compiler), tmp_path, 100, crowd, seconds, OMP_WAIT_POLICY=policy
    )
    told: dict[int, int] = defaultdict(int)
    for thread, _, duration, activity, _ in record.rows():
        told[thread] += duration if activity["state"] == "preempted" else 0
    start, end = record.start, record.start + record.end["end"]
    for number, sums in record.tables["sums"].items():
        own = notes[record.tables["thread"][number]["lwp"]]
        truth = delay_until(own, end) - delay_until(own, start)
        allowed = 0.02 * sums["wall"]
        assert told[number] == sums["preempted"]
        assert truth > 0.1 * sums["wall"], "they are too many for the processors"
        assert -sums["missing"] - allowed < told[number] - truth < allowed, (truth, sums)
        on = sum(by_state(own, start, end).values())
        # What it notes last it has not done by then, and the kernel counts in ticks.
        allowed = 0.02 * on + 2 * 10**7
        assert -sums["missing"] - allowed < sums["on"] - on < allowed, (on, sums)
