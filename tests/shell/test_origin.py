# SPDX-License-Identifier: Apache-2.0
"""Is the rank that a launcher gave to a process found, in the process and in its core, and do files
go by it?"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import command
import machine
import pytest
from command import CANNOT_READ, ompd
from ompd_cli import initial_stack
from ompd_cli.origin import Origin, named, problem_of
from ompd_core.formats.corefile import CoreFile
from sessions import kernel_core


@pytest.mark.each("environment")
@pytest.mark.parametrize(
    "environment, rank, count",
    [
        ({}, None, None),
        ({"OMPI_COMM_WORLD_RANK": "3", "OMPI_COMM_WORLD_SIZE": "4"}, 3, 4),
        ({"PMI_RANK": "0", "PMI_SIZE": "2"}, 0, 2),
        ({"MV2_COMM_WORLD_RANK": "7", "MV2_COMM_WORLD_SIZE": "8"}, 7, 8),
        ({"SLURM_PROCID": "5", "SLURM_STEP_NUM_TASKS": "6"}, 5, 6),
        # `srun --mpi=pmix': the same ranks.
        ({"PMIX_RANK": "5", "SLURM_PROCID": "5", "SLURM_STEP_NUM_TASKS": "6"}, 5, 6),
        # `mpirun' in a job of Slurm's, which has started only mpirun's helpers.
        ({"PMIX_RANK": "5", "SLURM_PROCID": "1", "SLURM_STEP_NUM_TASKS": "2"}, 5, None),
        ({"OMPI_COMM_WORLD_RANK": "9", "OMPI_COMM_WORLD_SIZE": "4"}, 9, None),
        ({"OMPI_COMM_WORLD_RANK": "x", "PMI_RANK": "-1", "SLURM_PROCID": "9" * 30}, None, None),
    ],
)
def test_launchers(environment: dict[str, str], rank: int | None, count: int | None) -> None:
    origin = Origin()
    origin.learn(environment)
    assert (origin.rank, origin.rank_count) == (rank, count)


def test_hosts() -> None:
    origin = Origin()
    origin.learn({"PMIX_HOSTNAME": "n" * 65, "SLURMD_NODENAME": "node7"})
    assert origin.host == "node7"
    origin.learn({"SLURMD_NODENAME": "node8"})
    assert origin.host == "node7", "what is known is not changed"


def test_names_of_files() -> None:
    known = Origin(pid=12, host="n/1", rank=3)
    assert named("%r.%h.%p.%%.json", known) == "3.n_1.12.%.json"
    assert named("%r", Origin(pid=12, host="n1")) == "n1-12"
    assert problem_of("a%%b%r") is None and problem_of("plain") is None
    assert "`%x'" in (problem_of("a%xb") or "") and "`%'" in (problem_of("a%") or "")


def test_wrong_placeholder(folder: Path) -> None:
    answer = ompd("pid", "1", "-o", "%d.json", folder=folder)
    assert answer.status == CANNOT_READ and "`%d' in %d.json stands for nothing" in answer.errors
    assert not list(folder.glob("*.json"))


PROGRAM = """
#include <stdlib.h>
int main(int argc, char **argv)
{
    unsetenv("GONE");
    setenv("CHANGED", "something longer than before", 1);
    setenv("NEW", "1", 1);
    putenv("OMPI_COMM_WORLD_RANK=99");
    abort();
}
"""


@pytest.mark.parametrize("arguments", [(), ("SLURM_PROCID=7", "")], ids=str)
def test_environment_of_a_core(arguments: tuple[str, ...], folder: Path) -> None:
    """What it was started with, whatever it has done since: a rank is not what it calls itself."""
    executable = folder / "program"
    source = folder / "program.c"
    source.write_text(PROGRAM, encoding="utf-8")
    machine.run("gcc", source, "-o", executable)
    odd = {"EMPTY": "", "EQUALS": "a=b", "LONG": "x" * 100_000, "CHANGED": "0", "GONE": "1"}
    core = CoreFile(str(kernel_core(executable, arguments, odd, folder)))
    found = initial_stack.environment(core)
    expected = {**os.environ, **odd, "OMPD_TRUTH_STOP": "abort"}
    for name in ("GONE", "CHANGED", "OMPI_COMM_WORLD_RANK"):
        expected.pop(name, None)
    assert {name: found.get(name) for name in expected} == expected
    assert not {"SLURM_PROCID", "NEW"} & set(found)
    core.auxv[31] += 4096 * 1000
    assert initial_stack.environment(core) == {}
    core.close()


def test_rank_of_a_core(folder: Path) -> None:
    environment = {"PMI_RANK": "6", "PMI_SIZE": "8", "SLURMD_NODENAME": "n6"}
    env = {**command.environment(folder), **environment}
    core = kernel_core(command.program(), ("abort",), env, folder)
    ompd("core", "--json", "-o", "%r.json", core, folder=folder)
    text = (folder / "6.json").read_text(encoding="utf-8")
    told = command.Answer(0, text, "").document
    assert (told["rank"], told["rank_count"], told["host"]) == (6, 8, "n6")
    assert "Rank    : 6 of 8 (PMI_RANK), on n6" in ompd("core", core, folder=folder).text


def test_no_report_no_file(folder: Path) -> None:
    """A program that ends by itself leaves none, and an error says whose it is."""
    env = command.environment(folder)
    words = ("run", "--json", "-o", "%r.json", "--", command.program())
    assert ompd(*words, "0", folder=folder, environment={**env, "PMI_RANK": "1"}).status == 0
    assert not list(folder.glob("*.json"))
    with subprocess.Popen(["sleep", "60"], env={**os.environ, "PMI_RANK": "2"}) as other:
        words = ("pid", str(other.pid), "--json", "--timeout", "0.001", "-o", "%r.json")
        assert ompd(*words, folder=folder).status == CANNOT_READ
        other.kill()
    text = (folder / "2.json").read_text(encoding="utf-8")
    told = command.Answer(0, text, "").document
    assert (told["error"]["code"], told["rank"], told["pid"]) == ("timeout", 2, other.pid)
