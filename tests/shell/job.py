# SPDX-License-Identifier: Apache-2.0
"""How is an MPI job of tests/programs/ranks.c started, and what do its ranks say of themselves?"""

from __future__ import annotations

import contextlib
import os
import resource
import shutil
import signal
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Iterable, Iterator, Sequence

import machine
from sessions import PATIENCE, settle

RANKS, THREADS, ODD = 4, 4, 2


@dataclass
class Truth:
    """Of one rank."""

    pid: int
    rank: int
    size: int
    threads: dict[int, str]  # what each thread of OpenMP does, by LWP


@dataclass
class RunningJob:
    launcher: subprocess.Popen[bytes]
    folder: Path

    def truth(self) -> dict[int, Truth]:
        return truth_of(self.folder / "truth", RANKS, ODD)

    def settle(self) -> dict[int, Truth]:
        end = time.monotonic() + PATIENCE
        while len(self.truth()) < RANKS:
            assert self.launcher.poll() is None, self.complaints()
            assert time.monotonic() < end, f"{len(self.truth())} ranks have begun"
            time.sleep(0.05)
        found = self.truth()
        settle(_here(thread for one in found.values() for thread in one.threads))
        return found

    def complaints(self) -> str:
        return (self.folder / "mpirun.log").read_text(encoding="utf-8", errors="replace")


def _here(lwps: Iterable[int]) -> list[int]:
    """The numbers that ranks' threads have on this machine: where they are, they may have others.
    Those that have ended are left out."""
    told, found = set(lwps), []
    for status in Path("/proc").glob("[0-9]*/task/[0-9]*/status"):
        with contextlib.suppress(OSError):
            lines = status.read_text(encoding="utf-8", errors="replace").splitlines()
            words = dict(line.split(":\t", 1) for line in lines if ":\t" in line)
            numbers = words.get("NSpid", "0").split()
            if words.get("Name", "").startswith("ranks") and int(numbers[-1]) in told:
                found.append(int(numbers[0]))
    assert found, "the ranks have ended"
    return found


def truth_of(folder: Path, ranks: int, odd: int) -> dict[int, Truth]:
    """Of the ranks that have told all."""
    found = {}
    for rank in range(ranks):
        with contextlib.suppress(OSError, ValueError, IndexError):
            lines = (folder / str(rank)).read_text(encoding="utf-8").splitlines()
            words = [line.split() for line in lines]
            threads = {int(tid): what for tid, what in words[1:]}
            if len(threads) == THREADS and (rank == odd or "mpi" in threads.values()):
                pid, told, size = map(int, words[0])
                found[rank] = Truth(pid, told, size, threads)
    return found


def executable(program: str = "ranks", level: str = "-O0") -> Path:
    if shutil.which("mpicc") is None or shutil.which("mpirun") is None:
        raise machine.Missing("There is no Open MPI: apt-get install openmpi-bin libopenmpi-dev")
    path = machine.BUILD / "tests" / "programs" / f"{program}{level}"
    source = machine.PROGRAMS / f"{program}.c"
    if not path.exists() or path.stat().st_mtime < source.stat().st_mtime:
        path.parent.mkdir(parents=True, exist_ok=True)
        scratch = path.with_name(f"{program}.{os.getpid()}")
        compiler = f"OMPI_CC={machine.CLANG}"
        machine.run("env", compiler, "mpicc", level, "-g", "-fopenmp", source, "-o", scratch)
        scratch.replace(path)
    return path


@contextlib.contextmanager
def running(
    how: str,
    folder: Path,
    before: Sequence[str | Path] = (),
    grace: int = 1,
    where: Sequence[str | Path] = (),
) -> Iterator[RunningJob]:
    """before: what each rank's program is started by. grace: seconds between the launcher's SIGTERM
    and its SIGKILL. where: the launcher's options. Each rank has a folder of its own to work in,
    since all leave cores of one name."""
    (folder / "truth").mkdir()
    words = [*before, executable(), how, str(ODD), folder / "truth"]
    with launched(words, folder, grace, where) as job:
        yield job


@contextlib.contextmanager
def launched(
    program: Sequence[str | Path], folder: Path, grace: int = 1, where: Sequence[str | Path] = ()
) -> Iterator[RunningJob]:
    script = 'mkdir $OMPI_COMM_WORLD_RANK && cd $OMPI_COMM_WORLD_RANK && exec "$@"'
    # Ranks that wait spin: those who look at them come first.
    launch = ["nice", "-n", "19", "mpirun", "--oversubscribe", "-n", str(RANKS)]
    if os.geteuid() == 0:
        launch.append("--allow-run-as-root")
    command = [*launch, *where, "sh", "-c", script, "sh", *program]
    runtime = machine.cached("libomp-14")
    with open(folder / "mpirun.log", "wb") as log, subprocess.Popen(
        command,
        cwd=folder,
        env={
            **os.environ,
            "LD_LIBRARY_PATH": str(runtime),
            "OMPI_MCA_odls_base_sigkill_timeout": str(grace),
        },
        stdin=subprocess.DEVNULL,
        stdout=log,
        stderr=subprocess.STDOUT,
        preexec_fn=_allow_cores,
    ) as launcher:
        job = RunningJob(launcher, folder)
        try:
            yield job
        finally:
            launcher.send_signal(signal.SIGCONT)
            # With much grace it sleeps for long, and its ranks have ended before.
            launcher.send_signal(signal.SIGTERM if grace == 1 else signal.SIGKILL)


def core_in(folder: Path) -> Path:
    """The kernel may give it the process's number for a name."""
    (core,) = folder.glob("core*")
    return core


def _allow_cores() -> None:
    resource.setrlimit(resource.RLIMIT_CORE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
