# SPDX-License-Identifier: Apache-2.0
"""Does each path by which a region is begun get its share of the time, with regions inside and
tasks? Of a program in step with the sampler, too? And one that loads and unloads its runtime?"""

from __future__ import annotations

import os
import random
import subprocess
from collections import defaultdict
from pathlib import Path

import pytest
from conftest import COMPILERS, PROGRAMS, SAMPLER
from record import Record, read

pytestmark = pytest.mark.alone
FULL = os.environ.get("OMPD_FULL") == "1"


def sampled(folder: Path, rate: int, program: Path, *words: object) -> tuple[Record, str]:
    options = ("-F", str(rate), "--budget", "0", "-o", folder / "r")
    command = [str(word) for word in (SAMPLER, *options, "--", program, *words)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return read(folder / "r"), done.stdout


def shares(sums: dict[str, float]) -> dict[str, float]:
    whole = sum(sums.values())
    return {name: value / whole for name, value in sums.items()}


def told_by(record: Record, names: dict[str, str]) -> tuple[dict[str, float], int]:
    """Time on a processor by which of these functions are on the stack, outermost first."""
    sums: dict[str, float] = defaultdict(float)
    samples = 0
    for _, _, duration, activity, count in record.rows():
        if not activity.get("on") or activity["state"] != "work_parallel":
            continue
        on_it = [str(frame.get("function")) for frame in record.stack(activity["stack"])]
        path = " ".join(names[one] for one in on_it if one in names)
        sums[path] += duration
        samples += count
    return sums, samples


def close(truth: dict[str, float], sums: dict[str, float], samples: int) -> None:
    told = shares(sums)
    for name, share in truth.items():
        chance = (max(share, 0.02) * (1 - share) / samples) ** 0.5
        assert abs(told.get(name, 0) - share) < 0.02 + 4 * chance, (name, truth, told)
    assert sum(told.get(name, 0) for name in truth) > 0.97, told


def by_side(sums: dict[str, float]) -> dict[str, dict[str, float]]:
    """By what is done: how much of it by which path."""
    found: dict[str, dict[str, float]] = defaultdict(lambda: defaultdict(float))
    for name, ns in sums.items():
        side, _, kind = name.rpartition(" ")
        if kind in ("own", "inner", "tasks"):
            found[kind][side or "not known"] += ns
    return found


def sides_agree(truth: dict[str, float], sums: dict[str, float], samples: int) -> None:
    expected, told = by_side(truth), by_side(sums)
    for kind, sides in expected.items():
        found = told[kind]
        known, whole = found["left"] + found["right"], sum(found.values())
        assert known > 0.5 * whole, (kind, dict(found))
        share = sides["left"] / (sides["left"] + sides["right"])
        of_kind = max(samples * whole / sum(sums.values()), 1)
        chance = (max(share, 0.05) * max(1 - share, 0.05) / of_kind) ** 0.5
        assert abs(found["left"] / known - share) < 0.05 + 4 * chance, (kind, sides, dict(found))


@pytest.mark.parametrize("compiler", ["clang", "gcc"])
def test_each_path_has_its_share(build, tmp_path, compiler) -> None:
    """Where the path to a region inside is told: of a thread whose neighbours have no processor it
    may not be."""
    seed = random.randrange(1 << 32)
    print("seed", seed)
    # libgomp makes new threads for each region inside, which live too short for a clock of theirs.
    flat = ["flat"] if compiler == "gcc" else []
    record, text = sampled(tmp_path, 500, build("paths", compiler), seed, 1.5, *flat)
    words = [line.split() for line in text.splitlines()]
    truth = shares({f"{side} {kind}": float(ns) for side, kind, ns in words if float(ns)})
    names = {"left": "left", "right": "right", "own_work": "own"}
    names.update({"inner_work": "inner", "task_work": "tasks"})
    sums, samples = told_by(record, names)
    sides_agree(truth, sums, samples)
    kinds = {kind: sum(sides.values()) for kind, sides in by_side(sums).items()}
    close({kind: sum(sides.values()) for kind, sides in by_side(truth).items()}, kinds, samples)
    turned = {"left": "right", "right": "left"}
    other = {f"{turned[one.split()[0]]} {one.split()[1]}": ns for one, ns in truth.items()}
    if abs(sum(ns for one, ns in truth.items() if one.startswith("left")) - 0.5) > 0.2:
        with pytest.raises(AssertionError):
            sides_agree(other, sums, samples)


@pytest.mark.parametrize("compiler", ["clang", "gcc"] if FULL else ["clang"])
def test_a_region_whose_code_has_jumped_on_is_itself(build, tmp_path, compiler) -> None:
    """What the runtime seems to have called is the function that two regions jump to."""
    seed = random.randrange(1 << 32)
    print("seed", seed)
    record, text = sampled(tmp_path, 500, build("jumps", compiler), seed, 3)
    truth = {int(line.split()[0]): float(line.split()[1]) for line in text.splitlines()}

    def construct(line: int | None) -> str:
        """gcc records the line of its first statement."""
        return str(next((one for one in truth if line in (one, one + 1)), line))

    lines = [one["line"] for one in record.tables["region"].values()]
    assert sorted(map(construct, lines)) == sorted(map(str, truth)), lines
    sums: dict[str, float] = defaultdict(float)
    samples = 0
    for _, _, duration, activity, count in record.rows():
        if activity.get("on") and activity["state"] == "work_parallel":
            region = record.tables["region"].get(activity["region"], {})
            on_it = [
                construct(frame.get("line"))
                for frame in record.stack(activity["stack"])
                if frame["kind"] == "construct"
            ]
            told = construct(region.get("line"))
            sums[told if on_it == [told] else f"{told} on {on_it}"] += duration
            samples += count
    close(shares({str(line): of for line, of in truth.items()}), sums, samples)


@pytest.mark.parametrize("periods", [0.5, 1, 2] if FULL else [1])
def test_program_in_step_with_the_sampler(build, tmp_path, periods) -> None:
    """At 100 Hz: of 10 ms, half and twice that."""
    record, text = sampled(tmp_path, 100, build("beat"), 10 * periods, 5)
    truth = shares({name: float(ns) for name, ns in (line.split() for line in text.splitlines())})
    sums, samples = told_by(record, {"first": "first", "second": "second"})
    close(truth, sums, samples)


@pytest.mark.parametrize("compiler", ["clang", "gcc"])
def test_runtime_that_comes_and_goes(build, tmp_path, compiler) -> None:
    """Before it comes nothing is OpenMP's, and each region is told."""
    library = tmp_path / "region.so"
    made = COMPILERS[compiler][0]
    options = ["-DLIBRARY", "-shared", "-fPIC", "-fopenmp", "-O2", "-g", "-o", library]
    if compiler == "gcc":
        options.append("-Wl,-z,nodelete")  # libgomp does not survive it, with its threads
    subprocess.run((made, *options, PROGRAMS / "plugin.c"), check=True)
    record, text = sampled(tmp_path, 250, build("plugin", "plain", "-ldl"), library, 3)
    assert text == "done\n"
    assert record.tables["runtime"] and record.tables["region"]
    sums = shares(
        {
            state: sum(of.get(state, 0) for of in record.on_by_state().values())
            for state in ("outside", "work_serial", "work_parallel", "?")
        }
    )
    # Of 0.1 s serial and 0.4 s in a region, three times.
    assert sums["work_parallel"] > 0.6 and sums["?"] < 0.2, sums
    assert sums["outside"] + sums["work_serial"] > 0.1, sums


@pytest.mark.skipif(not FULL, reason="in --full")
def test_library_that_is_never_where_it_was(build, tmp_path) -> None:
    """Little is remembered of those that are gone, and what was met in them has its names."""
    library = tmp_path / "elsewhere.so"
    options = ("-DLIBRARY", "-shared", "-fPIC", "-O2", "-g3", "-o", library)
    subprocess.run(("gcc", *options, PROGRAMS / "elsewhere.c"), check=True)
    program, memory = build("elsewhere", "plain", "-D_GNU_SOURCE", "-ldl"), []
    for times in (20, 250):
        (tmp_path / "r").unlink(missing_ok=True)
        record, text = sampled(tmp_path, 500, program, library, times)
        assert text == "done\n"
        memory.append(record.end["sampler"]["memory_bytes"])
    images = record.tables["image"].values()
    of_it = {one["image"] for one in images if one["path"] == str(library)}
    print(memory, len(of_it))
    # What is read of the file is some ten times that.
    assert len(of_it) > 50 and memory[1] - memory[0] < len(of_it) * 8192
    frames = [one for one in record.tables["frame"].values() if one.get("image") in of_it]
    assert len({one["image"] for one in frames}) > 50
    assert all(one["function"] for one in frames)
    of_work = [one for one in frames if one["function"].startswith("work")]
    assert len(of_work) > 50 and all(one["line"] for one in of_work)
