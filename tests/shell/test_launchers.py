# SPDX-License-Identifier: Apache-2.0
"""A launcher inside of a Slurm job has a number of Slurm's, as all that Slurm starts. It is no rank
of the job that it launches, nor are its daemons, nor the script that has started it."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest
from ompd_cli.job import ranks
from ompd_cli.origin import Origin

# A process starts its children, tells their numbers below its own, and waits.
NODE = """\
import json, os, subprocess, sys
name, variables, children = json.loads(sys.argv[1])
made = []
for one in children:
    words = [sys.argv[2] + "/" + one[0], "-c", sys.argv[3], json.dumps(one), *sys.argv[2:]]
    made.append(subprocess.Popen(words, env={**os.environ, **one[1]}, stdin=subprocess.PIPE,
                                 stdout=subprocess.PIPE))
below = [json.loads(one.stdout.readline()) for one in made]
print(json.dumps({"pid": os.getpid(), "name": name, "below": below}), flush=True)
sys.stdin.read()
"""


def slurm(number: int, step: str = "0") -> dict[str, str]:
    task = {"SLURM_JOB_ID": "47", "SLURM_PROCID": str(number), "SLURM_STEP_ID": step}
    return {**task, "SLURM_STEP_NUM_TASKS": "3"}


def open_mpi(number: int) -> Any:
    variables = {"OMPI_COMM_WORLD_RANK": str(number), "OMPI_COMM_WORLD_SIZE": "6"}
    return ["halo", {**variables, "OMPI_MCA_ess_base_jobid": "1"}, []]


def prrte(number: int) -> Any:
    return ["halo", {"PMIX_RANK": str(number), "PMIX_NAMESPACE": "prterun-n1-7@1"}, []]


def mpich(number: int) -> Any:
    return ["halo", {"PMI_RANK": str(number), "PMI_SIZE": "6"}, []]


SRUN = ["srun", {}, [["srun", {}, []]]]
PMIX = {"PMIX_RANK": "1", "PMIX_NAMESPACE": "slurm.pmix.47.0"}
JOBS = {
    "mpirun": (["orted", slurm(2), [open_mpi(4), open_mpi(5)]], [4, 5]),
    "mpirun below sbatch": (
        ["bash", slurm(0, "batch"), [["mpirun", {}, [SRUN, open_mpi(0), open_mpi(1)]]]],
        [0, 1],
    ),
    "a daemon that has none yet": (["orted", slurm(1), []], []),
    "prterun": (["prted", {**slurm(1), **PMIX}, [prrte(1), prrte(2)]], [1, 2]),
    "mpiexec": (["hydra_pmi_proxy", slurm(1), [mpich(2), mpich(3)]], [2, 3]),
    "srun below sbatch": (["bash", slurm(0, "batch"), [SRUN]], []),
    "a launcher nobody knows": (["my_launch", slurm(1), [open_mpi(0)]], [0]),
    "srun": (["halo", slurm(1), []], [1]),
    "srun, a script": (["bash", slurm(1), [["halo", {}, []]]], [1]),
    "srun, PMI": (["bash", {**slurm(1), "PMI_RANK": "1"}, [["halo", {}, []]]], [1]),
}


@pytest.mark.each("launched")
@pytest.mark.parametrize("launched", JOBS)
def test_ranks(launched: str, folder: Path) -> None:
    tree, expected = JOBS[launched]
    for name in names(tree):
        if not (folder / name).exists():
            (folder / name).symlink_to("/usr/bin/python3")
    words = [folder / tree[0], "-S", "-c", NODE, json.dumps(tree), folder, NODE]
    with subprocess.Popen(
        words,
        env={"PATH": os.environ["PATH"], **tree[1]},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None
        made = processes(json.loads(process.stdout.readline()))
        told = ranks.among(made)
    assert sorted(one.origin.rank or 0 for one in told) == expected
    assert {made[one.pid] for one in told} <= {"halo"}


def names(tree: Any) -> list[str]:
    return [tree[0], *(name for one in tree[2] for name in names(one))]


def processes(tree: Any) -> dict[int, str]:
    found = {tree["pid"]: tree["name"]}
    for one in tree["below"]:
        found.update(processes(one))
    return found


@pytest.mark.each("variables")
@pytest.mark.parametrize("variables, expected", [(PMIX, 3), (prrte(1)[1], None)])
def test_how_many_there_are(variables: dict[str, str], expected: int | None) -> None:
    """Slurm's number is of what it has started itself."""
    origin = Origin()
    origin.learn({**slurm(1), **variables})
    assert (origin.rank, origin.rank_count) == (1, expected)
