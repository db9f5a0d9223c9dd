# SPDX-License-Identifier: Apache-2.0
"""Programs of other kinds: what does a record tell of them?"""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from conftest import SAMPLER
from record import Record, read


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
