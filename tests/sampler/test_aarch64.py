# SPDX-License-Identifier: Apache-2.0
"""Does a record tell what the program did on AArch64, on a real kernel in a virtual machine, with
and without signed return addresses? (`--full')"""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import PROGRAMS, TREE
from record import read
from test_locks import judge_addresses
from test_truth import notes_of, samples_of, shares, told_by, truth_of

sys.path.append(str(TREE / "tests" / "gdb"))
import machine  # noqa: E402
import virtual  # noqa: E402
from virtual import PLAIN_CPU, SIGNED, SIGNING_CPU, Build  # noqa: E402

pytestmark = pytest.mark.skipif(os.environ.get("OMPD_FULL") != "1", reason="in --full")
SECONDS = 20
# What is emulated is so slow that many samples come too late: the time before them is untold, and
# missing in any state.
LATE = "?"


def with_sampler(folder: Path, runtime: str) -> virtual.Shared:
    """It, and the libraries that it is linked with."""
    built = machine.variant("aarch64")
    assert (built / "CMakeCache.txt").exists(), "tools/check build-aarch64 makes it"
    subprocess.run(("cmake", "--build", built, "--target", "ompd-sampler"), check=True)
    made = virtual.shared(folder, runtime)
    libraries = made.host / "lib"
    root = machine.cached("libraries-arm64")
    found = [*(built / "libompd").glob("libompd.so*"), *root.glob("**/aarch64-linux-gnu/*.so.*")]
    for library in found:
        shutil.copy2(library, libraries)
    shutil.copy2(built / "sampler" / "ompd-sampler", made.host)
    return made


@pytest.mark.parametrize(
    "cpu, runtime, build",
    [
        (PLAIN_CPU, "libomp-19", Build(("-O2", "-g"))),
        (SIGNING_CPU, "libomp-19", Build(("-O2", "-g", SIGNED))),
        (SIGNING_CPU, "libgomp-12", Build(("-O2", "-g", SIGNED), "gcc")),
    ],
)
def test_states_are_the_programs(cpu: str, runtime: str, build: Build, tmp_path: Path) -> None:
    made = with_sampler(tmp_path, runtime)
    made.compiled(PROGRAMS / "phases.c", build, "phases")
    seed = random.randrange(1 << 32)
    print("seed", seed)
    command = f"/host/ompd-sampler -F 100 --budget 0 -o /host/record -- /host/phases {seed}"
    made.lines.append(f"LD_LIBRARY_PATH=/host/lib {command} {SECONDS} /host/truth")
    done = subprocess.run(made.command(cpu), capture_output=True, timeout=20 * virtual.PATIENCE)
    assert (made.host / "truth").exists(), done.stdout[-2000:]
    record = read(made.host / "record")
    assert record.header["machine"] == "aarch64" and record.header["clock"] == "perf"
    # libgomp's threads sleep in a function without a frame, and may wake while they are looked at.
    assert record.end["cut"] <= (0.05 if build.compiler == "gcc" else 0.03) * record.end["stacks"]
    truth = truth_of(record, notes_of(made.host / "truth"))
    told = told_by(record)
    assert len(truth) == 2
    for lwp, sums in truth.items():
        expected, count, got = shares(sums), samples_of(record, lwp), shares(told[lwp])
        late = got.pop(LATE, 0)
        assert late < 45
        for state in {*expected, *got}:
            share = expected.get(state, 0) / 100
            chance = 100 * (max(share, 0.02) * (1 - share) / count) ** 0.5
            error, allowed = got.get(state, 0) - 100 * share, 5 + 4 * chance
            # libgomp's waits end in system calls, which take long in an emulator, and whose samples
            # come behind them.
            allowed += 12 if build.compiler == "gcc" else 0
            assert -late - allowed < error < allowed, (state, expected, got)
    regions = [
        (one["function"], Path(one["file"]).name) for one in record.tables["region"].values()
    ]
    assert ("round_of_phases", "phases.c") in regions


@pytest.mark.parametrize(
    "runtime, build",
    [
        ("libomp-19", Build(("-O2", "-g"))),
        ("libgomp-12", Build(("-O0", "-g"), "gcc")),
        ("libgomp-12", Build(("-O2", "-g", "-fno-pie", "-no-pie"), "gcc")),
    ],
)
def test_a_lock_that_a_call_always_passes(runtime: str, build: Build, tmp_path: Path) -> None:
    made = with_sampler(tmp_path, runtime)
    made.compiled(PROGRAMS / "holders.c", build, "holders")
    command = "/host/ompd-sampler -F 100 --budget 0 -o /host/record -- /host/holders 7 120 2"
    made.lines.append(f"LD_LIBRARY_PATH=/host/lib {command} > /host/log")
    done = subprocess.run(made.command(PLAIN_CPU), capture_output=True, timeout=virtual.PATIENCE)
    assert (made.host / "log").exists(), done.stdout[-2000:]
    one = int((made.host / "log").read_text().splitlines()[0], 16)
    judge_addresses(read(made.host / "record"), one)


@pytest.mark.parametrize(
    "cpu, flags", [(PLAIN_CPU, ()), (SIGNING_CPU, (SIGNED,))], ids=("plain", "signed")
)
def test_who_called_a_function_without_a_frame(
    cpu: str, flags: tuple[str, ...], tmp_path: Path
) -> None:
    """libgomp's threads sleep in such a one. Told without a stop, it is what a register says."""
    made = with_sampler(tmp_path, "libgomp-12")
    for program in ("leaves", "lazy"):
        subprocess.run(
            ("cmake", "--build", machine.variant("aarch64"), "--target", program), check=True
        )
        made_there = machine.variant("aarch64") / "tests" / "unwind"
        shutil.copy2(made_there / program, made.host)
    made.compiled(PROGRAMS / "phases.c", Build(("-O2", "-g", *flags), "gcc"), "phases")
    # Who waits sleeps at once.
    leaves = "GOMP_SPINCOUNT=0 /host/leaves 40 /host/phases 1 90 /host/truth"
    made.lines += [
        f"LD_LIBRARY_PATH=/host/lib {leaves} > /host/told",
        "LD_LIBRARY_PATH=/host/lib /host/lazy > /host/called",
    ]
    done = subprocess.run(made.command(cpu), capture_output=True, timeout=virtual.PATIENCE)
    assert (made.host / "told").exists(), done.stdout[-2000:]
    told, right, unknown = map(int, (made.host / "told").read_text().split())
    print(told, right, unknown)
    assert right == told > 50 and unknown < told / 5
    assert (made.host / "called").read_text() == "behind the call: known\n"
