# SPDX-License-Identifier: Apache-2.0
"""A job of Open MPI's on several hosts that have no file of ours: does `ompd job --mpirun' follow
the launcher's daemons to all of them, and `ompd job --hosts' go there by ClusterShell? And does the
job stay as it was?"""

from __future__ import annotations

import contextlib
import os
import random
import signal
import subprocess
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Iterator

import hosts
import machine
import pytest
from command import CANNOT_READ, FINDING, OMPD, Answer, ompd
from hosts import Hosts
from job import RANKS, Truth, running
from sessions import PATIENCE
from test_job import clustershell, right

NAMES = ("a1", "a2", "a3")  # the last one without a rank
PER_HOST = 2
KILLS = 40 if machine.FULL else 1
ENDED_BY = [signal.SIGKILL, *([signal.SIGINT, signal.SIGTERM] if machine.FULL else [])]

pytestmark = pytest.mark.xdist_group("ranks")  # of `test_job.py', too


@dataclass
class HostsJob:
    hosts: Hosts
    launcher: int
    truth: dict[int, Truth]

    def ask(self, folder: Path, *words: str) -> Answer:
        return ompd("job", "--mpirun", str(self.launcher), "--json", *words, folder=folder)

    def where(self) -> dict[int, str]:
        return {rank: NAMES[rank // PER_HOST] for rank in self.truth}

    def runs(self) -> bool:
        """No rank is stopped or traced, and on no host is anything of ours."""
        held = "grep -hE '^(State:.[Tt]|TracerPid:.[1-9])' /proc/{}/task/*/status; "
        ours = "grep -l -e '--coll[e]ct' /proc/[0-9]*/cmdline; ls -d /tmp/ompd-ship-*"
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            found = ""
            for host in NAMES:
                pids = [one.pid for rank, one in self.truth.items() if self.where()[rank] == host]
                script = "".join(held.format(pid) for pid in pids) + ours
                found += self.hosts.run(host, script)
            if not found:
                return True
            time.sleep(0.1)
        return False


@pytest.fixture(name="job", scope="module")
def fixture_job() -> Iterator[HostsJob]:
    hidden = [machine.ROOT / "gdb-plugin", machine.BUILD / "libompd"]
    with tempfile.TemporaryDirectory(prefix="ompd-shell-") as name:
        folder = Path(name)
        with hosts.running(folder, NAMES, hidden) as found:
            # One daemon starts the next one: a tree that is as deep as can be.
            options = ["--mca", "plm_rsh_agent", str(found.ssh), "--mca", "routed_radix", "1"]
            options += ["--host", ",".join(f"{one}:{PER_HOST}" for one in NAMES)]
            with running("lock", folder, where=options) as job:
                yield HostsJob(found, job.launcher.pid, job.settle())


def hosts_of(document: Any) -> dict[int, str]:
    return {one["rank"]: one["host"] for one in document["reports"]}


def test_the_launchers_daemons(job: HostsJob, folder: Path) -> None:
    before = job.hosts.gone_to()
    answer = job.ask(folder, "--ship")
    assert answer.status == FINDING, answer
    right(answer.document, job.truth)
    assert hosts_of(answer.document) == job.where()
    assert job.hosts.gone_to() == before + list(NAMES)
    opens = {one["ranks"]: one["command"] for one in answer.document["closer"]}
    assert opens["2"].endswith(f" {job.hosts.ssh} -x a2 'gdb -p {job.truth[2].pid}'")
    assert job.runs()


@pytest.mark.full
def test_hosts_without_the_package(job: HostsJob, folder: Path) -> None:
    answer = job.ask(folder)
    assert answer.status == CANNOT_READ
    (lost,) = answer.document["lost"]
    assert lost["hosts"] == "a1" and "bin/ompd" in lost["message"]


@pytest.mark.full
def test_a_host_that_is_gone(job: HostsJob, folder: Path) -> None:
    """Who is on it, and behind it, is named by number."""
    with job.hosts.without("a2"):
        answer = job.ask(folder, "--ship")
    document = answer.document
    (lost,) = document["lost"]
    assert lost["hosts"] == "a2" and "connect to host a2" in lost["message"]
    assert answer.status == CANNOT_READ and document["absent"] == f"{PER_HOST}-{RANKS - 1}"
    assert job.runs()


@pytest.mark.full
def test_clustershell(job: HostsJob, folder: Path) -> None:
    environment = clustershell(folder, job.hosts.ssh)
    words = ("job", "--hosts", "a[1-2,9]", "--ship", "--json")
    answer = ompd(*words, folder=folder, environment=environment)
    assert answer.status == FINDING, answer
    document = answer.document
    assert {one["rank"]: one["pid"] for one in document["reports"]} == {
        rank: one.pid for rank, one in job.truth.items()
    }
    (finding,) = document["findings"]
    assert (finding["code"], finding["ranks"]) == ("deadlock", "2")
    (lost,) = document["lost"]
    assert lost["hosts"] == "a9" and "connect to host a9" in lost["message"]
    assert job.runs()


@pytest.mark.parametrize("how", ENDED_BY)
def test_ended_at_any_moment(job: HostsJob, folder: Path, how: signal.Signals) -> None:
    dice = random.Random(int(how))
    for _ in range(KILLS):
        with subprocess.Popen(
            [OMPD, "job", "--mpirun", str(job.launcher), "--ship", "--json", "-o", "killed.json"],
            cwd=folder,
            env={**os.environ, "TMPDIR": str(folder)},
            stdin=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        ) as asking:
            with contextlib.suppress(subprocess.TimeoutExpired):
                asking.wait(dice.uniform(0, 4))
            asking.send_signal(how)
            assert asking.wait(PATIENCE) in (FINDING, 130, 128 + how, -how)
        assert job.runs()
