# SPDX-License-Identifier: Apache-2.0
"""Whose ranks are looked at, where, and how is one of them opened? A class for each way to name a
job, and whether all of its ranks are meant."""

from __future__ import annotations

import argparse
import os
from shlex import quote
from typing import Any, Union

from ompd_core.errors import UserError
from ompd_core.model.job import Job
from ompd_core.model.members import who

from ..origin import this_host
from . import clustershell, cores, daemons, ranks, sending, slurm
from .collector import Collector
from .nodes import Errand


class _Source:
    whole = False

    def __init__(self, options: argparse.Namespace) -> None:
        self._options = options


class _Named(_Source):
    """Processes of this machine."""

    def look(self) -> Job:
        collector = Collector(self._options)
        collector.look_at(ranks.of(self._options.pid))
        return collector.job

    def nobody(self) -> tuple[str, str]:
        return "No process is named.", "--pid PID..."

    def closer(self, job: Job) -> list[dict[str, Any]]:
        return _closer(job, _here)


class _Launcher(_Source):
    """Of this machine, with all hosts to which it has gone."""

    whole = True

    def __init__(self, options: argparse.Namespace) -> None:
        super().__init__(options)
        self._pid: int = options.mpirun
        if not os.path.exists(f"/proc/{self._pid}"):
            raise UserError("no_process", f"There is no process {self._pid}.", "`ps' lists them.")
        self._beyond = daemons.below(ranks.Processes(), self._pid).beyond

    def look(self) -> Job:
        return sending.below_daemon(self._options, self._pid)

    def nobody(self) -> tuple[str, str]:
        return (
            f"No rank is below process {self._pid}.",
            "Is it the launcher, such as mpirun? Its ranks have a number in their environment.",
        )

    def closer(self, job: Job) -> list[dict[str, Any]]:
        def opens(host: str, pid: int) -> str:
            if host == this_host() or not self._beyond:
                return _here(host, pid)
            return self._beyond[0].opens(host, _here(host, pid))

        return _closer(job, opens)


class _Cores(_Source):
    def look(self) -> Job:
        collector = Collector(self._options)
        collector.look_at_cores(cores.below(self._options.cores))
        return collector.job

    def nobody(self) -> tuple[str, str]:
        return f"There is no core file below {self._options.cores}.", "Name another directory."

    def closer(self, job: Job) -> list[dict[str, Any]]:
        found = []
        for one in job.classes():
            entry = job.example(one.members)
            if entry is not None:
                found.append(_one_closer(who(one.members), entry, f"ompd core {quote(entry.file)}"))
        return found


class _Slurm(_Source):
    whole = True

    def __init__(self, options: argparse.Namespace) -> None:
        super().__init__(options)
        self._job = slurm.SlurmJob(options.job)

    def look(self) -> Job:
        job = self._job
        errand = Errand(job.number, job.step_names(), job.nodes, self._options.fan_out)
        return sending.over_slurm(self._options, errand)

    def nobody(self) -> tuple[str, str]:
        return (
            f"No process of job {self._options.job} has a rank.",
            "They have not begun, or have ended.",
        )

    def closer(self, job: Job) -> list[dict[str, Any]]:
        number = self._job.number
        return _closer(
            job,
            lambda host, pid: f"srun --overlap --jobid={number} -w {quote(host)} -n1 --pty"
            f" gdb -p {pid}",
        )


class _Hosts(_Source):
    def __init__(self, options: argparse.Namespace) -> None:
        super().__init__(options)
        self._nodes = clustershell.nodes(options.hosts)

    def look(self) -> Job:
        return sending.over_clustershell(self._options, self._nodes)

    def nobody(self) -> tuple[str, str]:
        return (
            f"You have no ranks on {self._options.hosts}.",
            "A rank has its number from its launcher, in its environment.",
        )

    def closer(self, job: Job) -> list[dict[str, Any]]:
        return _closer(job, lambda host, pid: f"ssh -t {quote(host)} gdb -p {pid}")


Source = Union[_Named, _Launcher, _Cores, _Slurm, _Hosts]


def of(options: argparse.Namespace) -> Source:
    """Raises UserError."""
    if options.cores is not None:
        return _Cores(options)
    if options.hosts is not None:
        return _Hosts(options)
    if options.mpirun is not None:
        return _Launcher(options)
    if options.pid:
        return _Named(options)
    return _Slurm(options)


def _here(_: str, pid: int) -> str:
    return f"gdb -p {pid}"


def _closer(job: Job, command: Any) -> list[dict[str, Any]]:
    """A member of each class, and how it is opened."""
    found = []
    for one in job.classes():
        entry = job.example(one.members)
        if entry is not None and entry.pid is not None:
            line = command(entry.host or "?", entry.pid)
            found.append(_one_closer(who(one.members), entry, line))
    return found


def _one_closer(name: str, entry: Any, command: str) -> dict[str, Any]:
    return {"ranks": name, "host": entry.host, "pid": entry.pid, "command": command}
