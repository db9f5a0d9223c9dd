# SPDX-License-Identifier: Apache-2.0
"""What does `ompd job' make of a launcher's children: which are on their way to another host,
how does one follow, and when is nobody followed?"""

from __future__ import annotations

import contextlib
import json
import os
import shlex
import subprocess
from pathlib import Path
from typing import Iterator, Sequence

import machine
import pytest
from ompd_cli.job import daemons
from ompd_cli.job.ranks import Processes

# A process whose children have these words behind their own.
PARENT = """\
import json, os, subprocess, sys
os.setuid(int(sys.argv[2]))
script = "print(1, flush=True); import sys; sys.stdin.read()"
made = []
for line in json.loads(sys.argv[1]):
    words = [line[0], "-c", script, *line[1:]]
    made.append(subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE))
for one in made:
    one.stdout.readline()
print(1, flush=True)
sys.stdin.read()
"""
ORTED = ["-mca", "ess", '"env"', "-mca", "ess_base_jobid", '"927924224"', "-mca", "ess_base_vpid"]
ORTED += ["2", "-mca", "ess_base_num_procs", '"3"', "-mca", "orte_node_regex", '"n[1:1-2]@0(3)"']


@contextlib.contextmanager
def parent(*lines: Sequence[str], user: int = os.geteuid()) -> Iterator[int]:
    """lines: a program that is Python's, and what is said to it."""
    with subprocess.Popen(
        ["/usr/bin/python3", "-c", PARENT, json.dumps(lines), str(user)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None and process.stdout.readline()
        yield process.pid
        assert process.stdin is not None
        process.stdin.close()


def found(*lines: Sequence[str]) -> daemons.Found:
    with parent(*lines) as pid:
        return daemons.below(Processes(), pid)


@pytest.fixture(name="ssh")
def fixture_ssh(folder: Path) -> str:
    (folder / "ssh").symlink_to("/usr/bin/python3")
    return str(folder / "ssh")


@pytest.mark.parametrize(
    "daemon",
    [
        [" orted", *ORTED],
        ["/opt/mpi/bin/orted", *ORTED],
        ["PATH=/opt/mpi/bin:$PATH ; export PATH ;  /opt/mpi/bin/orted", *ORTED],
        [" ".join(["orted", *ORTED])],
    ],
)
def test_a_daemon(ssh: str, daemon: list[str]) -> None:
    """However the words are parted."""
    told = found([ssh, "-x", "-n", "n2", *daemon])
    (one,) = told.beyond
    assert (one.host, one.job, one.number, one.levels) == ("n2", "927924224", "2", 2)
    assert (one.agent[0], one.agent[3:]) == (ssh, ("-x",)) and len(told.agents) == 1
    assert one.line(["ompd", "a b"])[-2:] == ["n2", "ompd 'a b'"]
    assert one.opens("n7", "gdb -p 1").endswith(" n7 'gdb -p 1'")
    assert shlex.split(one.opens("n7", "gdb -p 1"))[:2] == [ssh, "-t"]
    assert not told.unknown


def test_newer_names(ssh: str) -> None:
    words = ["prted", "--prtemca", "ess_base_nspace", '"prterun-vm-7@0"', "--prtemca"]
    (one,) = found([ssh, "n2", *words, "ess_base_vpid", '"1"']).beyond
    assert (one.job, one.number, one.levels) == ("prterun-vm-7@0", "1", daemons.MOST_LEVELS)


@pytest.mark.parametrize(
    "line, why",
    [
        (["-x", "-p", "22", "n2", "hydra_pmi_proxy", "--proxy-id", "0"], "--hosts"),
        (["--via", "-n2", "orted", *ORTED], "not understood"),
        (["n2", "orted", "-mca", "ess_base_vpid", "1"], "not understood"),
        (["n2;reboot", "orted", *ORTED], "not understood"),
        (["n2", "orted", *[word.replace("927924224", "$(id)") for word in ORTED]], "not under"),
    ],
)
def test_not_followed(ssh: str, line: list[str], why: str) -> None:
    told = found([ssh, *line])
    (words,) = told.unknown.values()
    assert not told.beyond and why in words


def test_slurm_of_the_launchers_own(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "srun").symlink_to("/usr/bin/python3")
    monkeypatch.setenv("SLURM_JOB_ID", "47")
    told = found([str(folder / "srun"), "--nodelist=n[1-3]", "--ntasks=3", "orted", *ORTED])
    assert told.unknown["n[1-3]"].endswith("`ompd job 47' does so too.") and not told.beyond


def test_nobody_elses_agent_is_executed(ssh: str, folder: Path) -> None:
    """Not by root either: it could be anything."""
    if os.geteuid() != 0:
        raise machine.Missing("Only root can be somebody else: run it as root.")
    folder.chmod(0o755)
    with parent([ssh, "n2", "orted", *ORTED], user=65534) as pid:
        told = daemons.below(Processes(), pid)
    assert not told.beyond and "another user's" in told.unknown["n2"] and len(told.agents) == 1


def test_which_daemon(folder: Path) -> None:
    (folder / "orted").symlink_to("/usr/bin/python3")
    plain = [word.strip('"') for word in ORTED]
    with parent([str(folder / "orted"), *plain]) as pid:
        (expected,) = Processes().children(pid)
        assert daemons.daemon(Processes(), "927924224", "2") == expected
        for job, number in (("927924225", "2"), ("927924224", "1")):
            assert daemons.daemon(Processes(), job, number) is None
        # It is none itself that is on its way.
        assert daemons.below(Processes(), pid) == daemons.Found([], {}, [])
