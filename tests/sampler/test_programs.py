# SPDX-License-Identifier: Apache-2.0
"""Programs of other kinds: what does a record tell of them?"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from conftest import PROGRAMS, SAMPLER, TREE
from record import Record, read

sys.path.append(str(TREE / "tests" / "gdb"))
import machine  # noqa: E402


def recorded(folder: Path, *command: object) -> Record:
    options = ("-F", "500", "--budget", "0", "-o", folder / "r", "--")
    subprocess.run([str(c) for c in (SAMPLER, *options, *command)], check=True, timeout=120)
    return read(folder / "r")


@pytest.mark.parametrize("compiler", ["clang", "gcc"])
def test_a_teams_region_is_no_parallel_one(build, tmp_path, compiler) -> None:
    record = recorded(tmp_path, build("league", compiler), "1.5")
    regions = record.tables["region"]
    seen = set()
    for number in record.tables["stack"]:
        frames = [f for f in record.stack(number) if f["kind"] == "construct"]
        for frame in frames:
            assert frame["text"] == f"#pragma omp {regions[frame['region']]['generator']}"
        seen.add(tuple(frame["text"].split()[-1] for frame in frames))
    assert ("teams", "parallel") in seen and ("parallel", "teams") not in seen, seen


def test_a_program_calls_its_regions_code_itself(build, tmp_path) -> None:
    """As GCC 4.8 made it: who begins a region is in it, and is one of its threads."""
    record = recorded(tmp_path, build("between_calls", "gcc", "-fno-optimize-sibling-calls"), "500")
    first = min(record.tables["thread"])
    work: dict[int, int] = {}
    for thread, _, duration, activity, _ in record.rows():
        if activity["state"].startswith("work"):
            assert activity["state"] == "work_parallel", activity
            assert record.tables["region"][activity["region"]]["function"] == "program"
            assert thread != first or (activity["team"], activity["thread_num"]) == (first, 0)
            work[thread] = work.get(thread, 0) + duration
    assert len(work) == 4, work


@pytest.mark.parametrize("how", ["-static-pie", "-static"] if machine.FULL else ["-static"])
def test_a_static_program_has_its_runtime_inside(build, tmp_path, how) -> None:
    """Wherever it lies beside the vDSO, and where no header says how to unwind."""
    program = build("victim", "gcc", how)
    record = recorded(tmp_path, program, "1000")
    (runtime,) = record.tables["runtime"].values()
    assert "victim" in record.tables["image"][runtime["image"]]["path"]
    told: dict[str, int] = {}
    for _, _, _, activity, samples in record.rows():
        told[activity["state"]] = told.get(activity["state"], 0) + samples
    assert told["work_parallel"] > 10 * told.get("work_serial", 0), told
    assert record.end["cut"] * 5 < record.end["in_rows"], record.end
    # Without its names nobody knows whether a runtime is in it.
    stripped = tmp_path / "of stripped" / "victim"
    stripped.parent.mkdir()
    machine.run("strip", "-o", stripped, program)
    record = recorded(stripped.parent, stripped, "500")
    assert not record.tables["runtime"]
    assert {row[3]["state"] for row in record.rows()} <= {"?", "preempted"}
    assert record.end["cut"] * 5 < record.end["in_rows"], record.end


@pytest.mark.parametrize("compiler", ["gfortran", machine.FLANG])
@pytest.mark.parametrize("level", ["-O0", "-O2"] if machine.FULL else ["-O2"])
def test_fortran(tmp_path, monkeypatch, compiler, level) -> None:
    """By the program's names and lines, and who is slow waits for nobody."""
    source, program = PROGRAMS / "uneven.f90", tmp_path / "uneven"
    words = [compiler, level, "-g", "-fopenmp", source, "-o", program]
    if compiler == machine.FLANG:
        runtime = machine.cached("libomp-19")
        words += [f"-L{runtime}", f"-Wl,-rpath,{runtime}"]
    subprocess.run([str(word) for word in words], check=True, cwd=tmp_path)
    monkeypatch.setenv("OMP_WAIT_POLICY", "passive")
    record = recorded(tmp_path, program)
    (region,) = record.tables["region"].values()
    lines = source.read_text(encoding="utf-8").split("\n")
    (line,) = [i for i, text in enumerate(lines, 1) if text.endswith("! REGION")]
    # Of optimised code gfortran's first line can be the next.
    assert Path(region["file"]).name == "uneven.f90" and region["line"] in (line, line + 1), region
    work: dict[int, int] = {}
    wait: dict[int, int] = {}
    for thread, _, duration, activity, _ in record.rows():
        if activity["state"] == "work_parallel":
            work[thread] = work.get(thread, 0) + duration
        elif activity["state"].startswith("wait_barrier"):
            wait[thread] = wait.get(thread, 0) + duration
    (first, other) = record.tables["thread"]
    assert work[other] > 1.5 * work[first] and wait.get(first, 0) > wait.get(other, 0), (work, wait)
    on_it = {
        str(frame.get("function"))
        for _, _, _, activity, _ in record.rows()
        for frame in record.stack(activity["stack"])
    }
    assert any("solve" in name for name in on_it) and any("slow_part" in name for name in on_it)
