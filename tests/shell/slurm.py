# SPDX-License-Identifier: Apache-2.0
"""A real Slurm of three nodes on this machine, with a key, sockets and ports of its own: nothing of
the machine's is used or changed, and nothing stays. And a job in it, tests/programs/ranks.c without
MPI, whose ranks record what they are and do."""

from __future__ import annotations

import contextlib
import os
import random
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Iterator

import machine
from job import Truth, truth_of
from ompd_cli import guardian
from sessions import PATIENCE

NODES = ("n1", "n2", "n3")
PER_NODE = 4
BEGUN = 30  # seconds until the nodes are there
LIFE = 7200 if machine.FULL else 600  # of a rank that outlives its test, seconds
RANKS, ODD = len(NODES) * PER_NODE, 5

_CONF = """\
ClusterName=ompd
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={port}
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/munge.sock
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool.%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.%n.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
ReturnToService=2
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
MpiDefault=none
KillWait=1
SlurmdParameters=config_overrides
NodeName={nodes} NodeHostname={host} NodeAddr=127.0.0.1 Port={ports} CPUs=4 State=UNKNOWN
PartitionName=p Nodes={nodes} Default=YES MaxTime=INFINITE State=UP OverSubscribe=FORCE:8
"""


class Slurm:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.environment = {**os.environ, "SLURM_CONF": str(folder / "slurm.conf")}

    def run(self, *words: str | Path) -> str:
        done = subprocess.run(
            list(map(str, words)),
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            check=False,
        )
        assert done.returncode == 0, f"{' '.join(map(str, words))}: {done.stdout}"
        return done.stdout

    def jobs(self) -> set[str]:
        return set(self.run("squeue", "-h", "-o", "%A").split())

    def steps(self) -> set[str]:
        return set(self.run("squeue", "-h", "-s", "-o", "%i").split())

    @contextlib.contextmanager
    def without(self, node: str) -> Iterator[None]:
        """Its daemon is killed; the ranks there live on."""
        path = self.folder / f"slurmd.{node}.pid"
        pid = int(path.read_text(encoding="ascii"))
        os.kill(pid, signal.SIGKILL)
        while _is_there(pid):
            time.sleep(0.01)
        try:
            yield
        finally:
            self.run("slurmd", "-N", node)
            end = time.monotonic() + PATIENCE
            while "*" in self.run("sinfo", "-h", "-N", "-n", node, "-o", "%t"):
                assert time.monotonic() < end, self.run("sinfo", "-N")
                time.sleep(0.1)

    def pids(self) -> list[int]:
        """Of the daemons."""
        found = []
        for path in self.folder.glob("*.pid"):
            with contextlib.suppress(OSError, ValueError):
                found.append(int(path.read_text(encoding="ascii")))
        return found


@dataclass
class SlurmJob:
    slurm: Slurm
    number: str
    truth: dict[int, Truth]

    def all_run(self) -> bool:
        """None is stopped or traced, and no step but its own is left."""
        end = time.monotonic() + PATIENCE
        pids = [one.pid for one in self.truth.values()]
        while time.monotonic() < end:
            held = [pid for pid in pids if guardian.is_stopped(pid) or guardian.is_traced(pid)]
            if not held and self.slurm.steps() == {f"{self.number}.0"}:
                return True
            time.sleep(0.1)
        return False


@contextlib.contextmanager
def running() -> Iterator[Slurm]:
    for tool in ("munged", "slurmctld", "slurmd", "srun"):
        if shutil.which(tool) is None:
            raise machine.Missing(
                f"There is no {tool}: apt-get install munge slurmctld slurmd slurm-client"
            )
    folder = Path(tempfile.mkdtemp(prefix="ompd-slurm-"))
    folder.chmod(0o755)  # munged wants its folder safe, and its socket open to all
    slurm = Slurm(folder)
    try:
        _start(slurm)
        yield slurm
    finally:
        _stop(slurm)
        shutil.rmtree(folder, ignore_errors=True)


def _start(slurm: Slurm) -> None:
    folder = slurm.folder
    # All in a row, as Slurm writes them.
    port = _free_ports(len(NODES) + 1)
    text = _CONF.format(
        host=os.uname().nodename,
        folder=folder,
        port=port,
        ports=f"[{port + 1}-{port + len(NODES)}]",
        nodes=f"n[1-{len(NODES)}]",
    )
    (folder / "slurm.conf").write_text(text, encoding="ascii")
    (folder / "state").mkdir()
    slurm.run("mungekey", "-c", "-k", folder / "key")
    files = [
        f"--{name}={folder / file}"
        for name, file in (
            ("key-file", "key"),
            ("socket", "munge.sock"),
            ("pid-file", "munge.pid"),
            ("log-file", "munge.log"),
            ("seed-file", "seed"),
        )
    ]
    slurm.run("munged", "--force", *files)
    slurm.run("slurmctld")
    for node in NODES:
        (folder / f"spool.{node}").mkdir()
        slurm.run("slurmd", "-N", node)
    end = time.monotonic() + BEGUN
    while slurm.run("sinfo", "-h", "-o", "%T %D").split() != ["idle", str(len(NODES))]:
        assert time.monotonic() < end, slurm.run("sinfo", "-N")
        time.sleep(0.1)


def _free_ports(number: int) -> int:
    for first in range(20000 + random.randrange(10000), 32000, number):
        with contextlib.ExitStack() as sockets, contextlib.suppress(OSError):
            for port in range(first, first + number):
                sockets.enter_context(socket.socket()).bind(("127.0.0.1", port))
            return first
    raise machine.Missing("There are no free ports.")


def _stop(slurm: Slurm) -> None:
    pids = slurm.pids()
    for number in (signal.SIGTERM, signal.SIGKILL):
        for pid in pids:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, number)
        end = time.monotonic() + 20
        while any(map(_is_there, pids)) and time.monotonic() < end:
            time.sleep(0.05)


def _is_there(pid: int) -> bool:
    return guardian.status_of(str(pid)).get("State", "Z")[:1] != "Z"


@contextlib.contextmanager
def job(slurm: Slurm, how: str, folder: Path) -> Iterator[SlurmJob]:
    """folder: for what its ranks record."""
    (folder / "truth").mkdir()
    before = slurm.jobs()
    words = machine.in_background(
        machine.compiled("ranks", link=("-DNO_MPI", f"-DLIFE_SECONDS={LIFE}")),
        how,
        ODD,
        folder / "truth",
    )
    with open(folder / "srun.log", "wb") as log, subprocess.Popen(
        ["srun", f"-N{len(NODES)}", f"--ntasks-per-node={PER_NODE}", "--overcommit", *words],
        env={
            **slurm.environment,
            "LD_LIBRARY_PATH": str(machine.cached("libomp-14")),
            "OMP_WAIT_POLICY": "passive",
        },
        stdin=subprocess.DEVNULL,
        stdout=log,
        stderr=subprocess.STDOUT,
    ) as launcher:
        try:
            end = time.monotonic() + PATIENCE
            while len(truth := truth_of(folder / "truth", RANKS, ODD)) < RANKS:
                assert launcher.poll() is None and time.monotonic() < end, log.name
                time.sleep(0.05)
            (number,) = slurm.jobs() - before
            yield SlurmJob(slurm, number, truth)
        finally:
            for number in slurm.jobs() - before:
                slurm.run("scancel", number)
            launcher.wait(PATIENCE)
