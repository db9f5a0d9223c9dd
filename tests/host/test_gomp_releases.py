# SPDX-License-Identifier: Apache-2.0
"""Does libompd tell the truth on each release of GNU's runtime, and does it refuse to take one for
another? The programs of tests/gomp look at themselves, each with the runtime that it is given."""

from __future__ import annotations

import os
import re
import subprocess

import comparison
import machine
import pytest

RELEASES = range(9, 17)
OLD = "libgomp-7"
PACKAGED = [OLD, *(f"libgomp-{release}" for release in (10, 12, 14, 16))]
BUILT = [f"libgomp-{release}-built" for release in RELEASES]
PATIENCE = 120  # seconds for anything; a hang is a failure


def said(program: str, runtime: str) -> str:
    """By a program of tests/gomp, with this runtime and the C library that it wants."""
    path = machine.BUILD / "tests" / "gomp" / f"test_gomp_{program}"
    if not path.is_file():
        raise machine.Missing(f"There is no {path}: build it with gcc.")
    home = machine.cached(runtime)
    own_loader = [home / "run"] if (home / "run").exists() else []
    done = subprocess.run(
        [*own_loader, path],
        env={**os.environ, "LD_LIBRARY_PATH": str(home), "OMP_MAX_TASK_PRIORITY": "9"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    return done.stdout


@pytest.mark.parametrize("runtime", PACKAGED + (BUILT if machine.FULL else []))
def test_release(runtime: str) -> None:
    own = "own_regions_without_teams" if runtime == OLD else "own_regions"
    regions = re.search(r"(\d+) facts compared$", said(own, runtime), re.MULTILINE)
    for program in ("own_tasks", "own_functions"):
        said(program, runtime)
    forced = said("forced_layouts", runtime)
    refused = re.search(r"(\S+): \d+ other layouts refused, 0 believed$", forced, re.MULTILINE)
    assert regions is not None and refused is not None
    comparison.compared[f"on {runtime}"] += int(regions[1])
    print(f"{runtime}: {regions[1]} facts right, laid out as {refused[1]}")


@pytest.mark.skipif(not machine.FULL, reason="the runtimes are built for --full only")
def test_measured_layouts() -> None:
    """What layout.def says is what the releases' debug information says."""
    libraries = [
        f"{release}={machine.cached(name).parent / 'debug' / 'libgomp.so.1'}"
        for release, name in zip(RELEASES, BUILT)
    ]
    told = machine.run(machine.ROOT / "tools" / "gomp-layouts", *libraries)
    assert told.count(", 0 differ") == len(libraries), told
