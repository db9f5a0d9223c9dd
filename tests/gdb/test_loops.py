# SPDX-License-Identifier: Apache-2.0
"""`ompd parallel ID': which iterations of its loop has each thread? Compared with what each thread
published."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import machine
import pytest
from sessions import Target, ask, target

THREADS, COUNT, CHUNK = 4, 120, 4
ASK = "ompd parallel R1 -json"
# Each schedule in one kind of session, and all through the oldest of them.
CELLS = [("core", "libomp-14"), ("attach", "libomp-19"), ("live", "libomp-19-ompd")]
SCHEDULES = ["static", "chunked", "nonmonotonic", "dynamic", "guided", "down", "ordered"]
# What each is told to be; that of the runtime's own choice for nonmonotonic:dynamic has a name.
TOLD = {
    "static": "static",
    "orphaned": "static",
    "behind-static": "static",
    "chunked": "static",
    "nonmonotonic": "static_steal",
    "nested": "static_steal",
    "guided": "guided",
}

Json = dict[str, Any]
Truth = dict[int, tuple[int, int]]  # by thread number: the first iteration, and the one it is at


def truth_of(made: Target) -> Truth:
    path = Path(f"{made.record}.loops")
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    found = [[int(word) for word in line.split()] for line in lines]
    return {number: (first, at) for number, first, at in found}


def look(
    kind: str, runtime: Path, schedule: str, folder: Path, executable: Path
) -> tuple[Json, Truth, str]:
    """The loop of region R1, what is true, and the text."""
    with target(kind, executable, (schedule,), runtime, folder) as made:
        answer = ask("gdb", [ASK, "ompd parallel R1"], made.before, made.files, folder=folder)
        truth = truth_of(made)
    regions = answer.document(ASK)["regions"]
    assert len(regions) == 1 and len(regions[0]["loops"]) <= 1, answer.everything
    loops = regions[0]["loops"]
    return (loops[0] if loops else {}), truth, answer.texts[1]


def compare(loop: Json, truth: Truth, schedule: str) -> None:
    """All that is told has to be true."""
    assert loop["schedule"] == TOLD.get(schedule, "dynamic")
    parts = {int(part["id"].split(".")[1]): part for part in loop["parts"]}
    assert set(parts) == set(truth)
    firsts = sorted(first for first, _ in truth.values())
    for number, (first, at) in truth.items():
        part = parts[number]
        assert part["at"] in (None, at), part
        if part["first"] is None:
            assert part["doubts"]["iterations"]["certainty"] == "unknown"
            continue
        assert part["first"] == first and part["last"] >= at, part
        behind = next((other for other in firsts if other > first), COUNT)
        assert part["last"] < behind
        if schedule == "static":
            assert part["last"] == behind - 1
        elif schedule not in ("guided", "orphaned", "behind-static"):
            assert part["last"] == min(first + CHUNK, COUNT) - 1
    if schedule in ("dynamic", "down", "ordered"):
        assert loop["handed_out"] == CHUNK * THREADS
    if loop["iterations"] is not None:
        assert loop["iterations"] == COUNT
    if schedule == "ordered":
        assert loop["ordered_turn"] == 0


@pytest.mark.parametrize(
    ("schedule", "kind", "runtime"),
    [
        (schedule, *cell)
        for number, schedule in enumerate([*SCHEDULES, "orphaned"])
        for cell in dict.fromkeys(CELLS if machine.FULL else (CELLS[0], CELLS[number % 3]))
    ],
)
def test_all_is_told(schedule: str, kind: str, runtime: str, folder: Path) -> None:
    executable = machine.compiled("loops")
    loop, truth, text = look(kind, machine.cached(runtime), schedule, folder, executable)
    assert len(truth) == THREADS
    compare(loop, truth, schedule)
    for part in loop["parts"]:
        assert part["first"] is not None and part["at"] is not None, text
    assert f"Loop at loops.c:{loop['loc']['line']}, " in text
    assert loop["loc"]["function"] == ("orphaned" if schedule == "orphaned" else "run")
    if schedule == "nonmonotonic":
        chunks = [8, 8, 7, 7]  # of 30, set aside for each
        parts = {part["id"]: part["left"] for part in loop["parts"]}
        assert parts == {f"R1.{i}": CHUNK * (n - 1) for i, n in enumerate(chunks)}
    if schedule == "ordered":
        holder = next(number for number, (first, _) in truth.items() if first == 0)
        assert f"ordered: it is the turn of iteration 0, which R1.{holder} has." in text


@pytest.mark.parametrize("build", ["optimised", "release"])
@pytest.mark.parametrize("schedule", SCHEDULES)
def test_optimized_code_tells_less_and_nothing_wrong(
    schedule: str, build: str, folder: Path
) -> None:
    runtime = machine.cached("libomp-14" if build == "release" else "libomp-19")
    loop, truth, text = look("core", runtime, schedule, folder, machine.compiled("loops", build))
    if loop:
        compare(loop, truth, schedule)
    else:
        assert TOLD.get(schedule) == "static", text


@pytest.mark.parametrize("kind", ["live", "core"])
@pytest.mark.parametrize("schedule", ["nonmonotonic", "guided", "down", "ordered", "static"])
def test_code_of_gcc(schedule: str, kind: str, folder: Path) -> None:
    """It computes static bounds in the code, and leaves no variables."""
    executable = machine.compiled("loops", compiler="gcc")
    runtime = machine.as_libgomp(machine.cached("libomp-19"), folder / "runtime")
    loop, truth, text = look(kind, runtime, schedule, folder, executable)
    if schedule == "static":
        assert not loop, text
        return
    # gcc's entry points let libomp deal out chunk by chunk also what is nonmonotonic.
    compare(loop, truth, "dynamic" if schedule == "nonmonotonic" else schedule)
    assert all((part["first"] is not None) == (schedule == "ordered") for part in loop["parts"])


@pytest.mark.parametrize("runtime", ["libomp-14", "libomp-19"])
@pytest.mark.parametrize("schedule", ["behind", "behind-static"])
def test_who_has_left_is_not_in_it(schedule: str, runtime: str, folder: Path) -> None:
    executable = machine.compiled("loops")
    loop, truth, text = look("core", machine.cached(runtime), schedule, folder, executable)
    assert list(truth) in ([0], [])
    assert [part["id"] for part in loop.get("parts", [])] == [f"R1.{number}" for number in truth]
    if truth:
        assert "Not in it: R1.1-3." in text


@pytest.mark.parametrize("runtime", ["libomp-14", "libomp-19"])
def test_around_other_regions(runtime: str, folder: Path) -> None:
    executable = machine.compiled("loops")
    loop, truth, _ = look("core", machine.cached(runtime), "nested", folder, executable)
    compare(loop, truth, "nested")
    assert all(part["first"] is not None for part in loop["parts"])


# ---- GNU's runtime: what is left of a loop, whose turn it is, and chunks of static schedules -----

OF_GNUS = ["dynamic", "guided", "down", "ordered", "nonmonotonic", "runtime", "even", "second"]
GNUS = ["libgomp-12", "libgomp-10", "libgomp-14", "libgomp-16"]


def compare_on_gnus(loop: Json, truth: Truth, schedule: str) -> None:
    """All that is told has to be true."""
    is_static = schedule in ("runtime", "even")
    assert loop["schedule"] == ("static" if is_static else TOLD.get(schedule, "dynamic")) or (
        schedule == "nonmonotonic" and loop["schedule"] == "dynamic"
    )
    parts = {int(part["id"].split(".")[1]): part for part in loop["parts"]}
    assert set(parts) <= set(truth)
    last_first = max(first for first, _ in truth.values())
    size = CHUNK if schedule != "guided" else -(-(COUNT - last_first) // THREADS)
    for number, part in parts.items():
        first, _ = truth[number]
        count = COUNT // THREADS if schedule == "even" else CHUNK
        chunk = (first, first + count - 1) if is_static else (None, None)
        assert (part["first"], part["last"], part["at"]) == (*chunk, None)
        assert ("doubts" in part) == (not is_static)
    assert loop["chunk"] == (None if schedule == "even" else CHUNK)
    assert loop["iterations"] == (COUNT if is_static else None)
    assert loop["remaining"] == (None if is_static else COUNT - last_first - size)
    assert loop["handed_out"] is loop["ordered_turn"] is None and loop["completed"] == 0
    holder = next(f"R1.{number}" for number, (first, _) in truth.items() if first == 0)
    assert loop["ordered_by"] == (holder if schedule == "ordered" else None)


@pytest.mark.parametrize(
    ("schedule", "kind", "runtime"),
    [
        (schedule, kind, runtime)
        for number, schedule in enumerate(OF_GNUS)
        for place, runtime in enumerate(GNUS)
        for at, kind in enumerate(["core", "live", "attach"])
        if machine.FULL
        or (at == (number + place) % 3 and (place == 0 or schedule in ("even", "second")))
    ],
)
def test_on_gnus(schedule: str, kind: str, runtime: str, folder: Path) -> None:
    executable = machine.built_for(runtime, "loops")
    loop, truth, text = look(kind, machine.cached(runtime), schedule, folder, executable)
    assert len(truth) == THREADS == len(loop["parts"]), text
    compare_on_gnus(loop, truth, schedule)
    if schedule == "ordered":
        assert f"ordered: it is the turn of {loop['ordered_by']}." in text
    if schedule == "dynamic":
        assert f"dynamic in chunks of 4, {COUNT - CHUNK * THREADS} more to hand out." in text


@pytest.mark.parametrize("schedule", ["dynamic", "ordered", "runtime", "second"])
def test_optimized_code_on_gnus(schedule: str, folder: Path) -> None:
    """Whether a thread is in a loop only the code tells."""
    executable = machine.built_for("libgomp-12", "loops", "release")
    loop, truth, _ = look("core", machine.cached("libgomp-12"), schedule, folder, executable)
    if loop:
        compare_on_gnus(loop, truth, schedule)


@pytest.mark.parametrize("build", ["debug", "release"])
@pytest.mark.parametrize("schedule", ["after", "behind", "nested"])
def test_who_is_in_no_loop_on_gnus(schedule: str, build: str, folder: Path) -> None:
    """Whatever an earlier loop has left in the runtime's memory."""
    executable = machine.built_for("libgomp-14", "loops", build)
    runtime = machine.cached("libgomp-14")
    loop, truth, text = look("core", runtime, schedule, folder, executable)
    told = [int(part["id"].split(".")[1]) for part in loop.get("parts", [])]
    if schedule == "behind":
        assert set(told) <= set(truth) and set(truth) <= {0}
        if truth and build == "debug":
            assert told == [0] and loop["completed"] == 3, text
            assert "3 threads left it already" in text
    elif schedule == "after":
        assert not loop, text
    else:
        assert not loop or sorted(told) == sorted(truth), text


@pytest.mark.parametrize("runtime", GNUS)
@pytest.mark.parametrize("build", ["debug", "optimised"])
@pytest.mark.parametrize("schedule", ["sections", "combined"])
def test_sections_on_gnus(schedule: str, build: str, runtime: str, folder: Path) -> None:
    """Of more sections than there are threads the runtime keeps how many are left."""
    executable = machine.built_for(runtime, "loops", build)
    told, truth, text = look("core", machine.cached(runtime), schedule, folder, executable)
    assert len(truth) == THREADS
    assert told["sections"] and told["schedule"] == "dynamic", text
    assert {part["id"] for part in told["parts"]} == {f"R1.{number}" for number in truth}
    left = (6 if schedule == "combined" else 5) - THREADS
    assert (told["remaining"], told["completed"]) == (left, 0), text
    assert all(part["first"] is None and "doubts" in part for part in told["parts"])
    assert f"{left} more to hand out" in text and "Sections" in text
    assert "Iterations are counted" not in text


@pytest.mark.parametrize("build", ["debug", "optimised"])
def test_who_is_behind_sections_on_gnus(build: str, folder: Path) -> None:
    executable = machine.built_for("libgomp-12", "loops", build)
    runtime = machine.cached("libgomp-12")
    told, truth, text = look("core", runtime, "behind-sections", folder, executable)
    inside = [part["id"] for part in told.get("parts", [])]
    assert inside == [f"R1.{number}" for number in truth], text
    if truth:
        assert told["completed"] == THREADS - 1 and told["remaining"] == 0, text


@pytest.mark.parametrize("place", ["inside", "before", "abort"])
def test_code_that_is_moved_away(place: str, folder: Path) -> None:
    """gcc's cold code is no less of the loop, or before it, wherever it lies."""
    executable = machine.compiled("cold_loop", "optimised", compiler=machine.GCC)
    symbols = machine.run("nm", executable)
    assert "main._omp_fn.0.cold" in symbols, "it tests nothing"
    with target("live", executable, (place,), machine.cached("libgomp-12"), folder) as made:
        answer = ask("gdb", [ASK, "ompd parallel R1"], made.before, made.files, folder=folder)
    (loop,) = answer.document(ASK)["regions"][0]["loops"]
    parts = [part["id"] for part in loop["parts"]]
    assert parts == (["R1.0"] if place == "before" else ["R1.0", "R1.1"]), answer.everything
    assert ("Not in it: R1.1" in answer.text) == (place == "before")
    assert ("may not be in the loop" in answer.text) == (place == "abort")
