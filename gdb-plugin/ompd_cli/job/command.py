# SPDX-License-Identifier: Apache-2.0
"""`ompd job': whose ranks are they, who looks at them, and what is the answer?"""

from __future__ import annotations

import argparse
import os
import signal
import sys
import threading
import time
from typing import Any, Sequence

from ompd_core.errors import UserError
from ompd_core.model import job_parts
from ompd_core.model.job import Job
from ompd_core.model.members import Members, who
from ompd_core.views import job as view
from ompd_core.views import job_document
from ompd_core.views.table import cut_list, plain

from .. import merge
from ..origin import Origin
from ..outcome import Outcome
from ..progress import Progress
from . import clustershell, cores, nodes, ranks, slurm, wire
from .collector import Collector
from .nodes import Errand, Launched

MOST_ALONE = 64  # nodes that are asked one by one


def report(options: argparse.Namespace, _: Origin) -> Outcome:
    """Raises UserError."""
    if options.collect:
        return _collect(options)
    source = _source(options)
    earlier = None
    if options.watch:
        earlier = source.look()
        time.sleep(options.watch)
    job = source.look()
    if not job.rows and not job.lost:
        raise UserError("no_ranks", *source.nobody())
    document = job_document.document(job, "job")
    document["closer"] = source.closer(job)
    outcome = merge.answer(job, options, document)
    if earlier is not None:
        moved = _moved(earlier, job, options.watch)
        document["watch"] = moved
        outcome.text += "".join(f"{line}\n" for line in _moved_lines(moved))
    outcome.text += _closer_lines(document["closer"])
    return outcome


# ---- Where the ranks are -------------------------------------------------------------------------


class _Here:
    """On this machine."""

    def __init__(self, options: argparse.Namespace) -> None:
        self._options = options

    def look(self) -> Job:
        collector = Collector(self._options)
        collector.look_at(self._found())
        job = collector.job
        if self._options.mpirun is not None:
            for host in ranks.hosts_below(self._options.mpirun):
                job.lost[host] = (
                    "The launcher has ranks there, which are looked at from here only by"
                    " `ompd job --hosts' or by the resource manager."
                )
        return job

    def _found(self) -> Sequence[ranks.Rank]:
        if self._options.mpirun is None:
            return ranks.of(self._options.pid)
        if not os.path.exists(f"/proc/{self._options.mpirun}"):
            raise UserError(
                "no_process", f"There is no process {self._options.mpirun}.", "`ps' lists them."
            )
        return ranks.below(self._options.mpirun)

    def nobody(self) -> tuple[str, str]:
        return (
            f"No rank is below process {self._options.mpirun}.",
            "Is it the launcher, such as mpirun? Its ranks have a number in their environment.",
        )

    def closer(self, job: Job) -> list[dict[str, Any]]:
        return _closer(job, lambda host, pid: f"gdb -p {pid}")


class _Cores:
    def __init__(self, options: argparse.Namespace) -> None:
        self._options = options

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
                found.append(_one_closer(who(one.members), entry, f"ompd core {entry.file}"))
        return found


class _Slurm:
    def __init__(self, options: argparse.Namespace) -> None:
        self._options = options
        self._job = slurm.SlurmJob(options.job)

    def look(self) -> Job:
        job = self._job
        errand = Errand(job.number, job.step_names(), job.nodes, self._options.fan_out)
        return _send(self._options, errand)

    def nobody(self) -> tuple[str, str]:
        return (
            f"No process of job {self._options.job} has a rank.",
            "They have not begun, or have ended.",
        )

    def closer(self, job: Job) -> list[dict[str, Any]]:
        number = self._job.number
        return _closer(
            job,
            lambda host, pid: f"srun --overlap --jobid={number} -w {host} -n1 --pty gdb -p {pid}",
        )


class _Hosts:
    def __init__(self, options: argparse.Namespace) -> None:
        self._options = options
        self._nodes = clustershell.nodes(options.hosts)

    def look(self) -> Job:
        parts = [[node] for node in self._nodes]
        package = nodes.package(self._options)
        command = nodes.collector_command(self._options, Errand().text(), package)
        line = clustershell.clush(self._nodes, command)
        launched = Launched(line, parts, nodes.limit(self._options, 1), package=package)
        return _finished(launched)

    def nobody(self) -> tuple[str, str]:
        return (
            f"You have no ranks on {self._options.hosts}.",
            "A rank has its number from its launcher, in its environment.",
        )

    def closer(self, job: Job) -> list[dict[str, Any]]:
        return _closer(job, lambda host, pid: f"ssh -t {host} gdb -p {pid}")


def _source(options: argparse.Namespace) -> _Here | _Cores | _Slurm | _Hosts:
    if options.cores is not None:
        return _Cores(options)
    if options.hosts is not None:
        return _Hosts(options)
    if options.mpirun is not None or options.pid:
        return _Here(options)
    return _Slurm(options)


# ---- On many nodes -------------------------------------------------------------------------------


def _send(options: argparse.Namespace, errand: Errand) -> Job:
    """Where Slurm cannot begin on one node, it ends the step on all others: they are asked again,
    each by a step of its own."""
    first = _launch(options, errand)
    job = _finished(first)
    if len(errand.nodes) > 1 and len(first.silent) <= MOST_ALONE:
        again = [
            _launch(options, Errand(errand.job, errand.steps, [node], 1)) for node in first.silent
        ]
        for one in again:
            for node in one.nodes:
                del job.lost[node]
            job.take(_finished(one))
    return job


def _launch(options: argparse.Namespace, errand: Errand) -> Launched:
    """Collectors on these nodes."""
    parts = nodes.parted(errand.nodes, errand.fan_out)
    package = nodes.package(options)
    command = nodes.collector_command(options, errand.text(), package)
    levels = nodes.depth(len(errand.nodes), errand.fan_out)
    line = slurm.srun(errand.job, [part[0] for part in parts], command)
    return Launched(line, parts, nodes.limit(options, levels), slurm.end_step, package)


def _finished(launched: Launched) -> Job:
    try:
        launched.wait(Progress())
    finally:
        launched.finish()
    return launched.job


def _collect(options: argparse.Namespace) -> Outcome:
    """On a node: what is found goes to who has sent us."""
    errand = Errand.of(options.collect, slurm.hostnames)
    node = os.environ.get("SLURMD_NODENAME") if errand.job else None
    name = node or wire.UNKNOWN
    threading.Thread(target=_until_nobody_waits, daemon=True).start()
    step = slurm.own_step() if errand.job else None
    if step is not None:
        wire.send(sys.stdout, name, "step", step)
    launched = None
    try:
        if errand.job:
            mine = _part_of(node, errand.nodes, errand.fan_out)
            if len(mine) > 1:
                below = Errand(errand.job, errand.steps, mine[1:], errand.fan_out)
                launched = _launch(options, below)
        collector = Collector(options, node)
        collector.look_at(_own(errand, name))
        if launched is not None:
            launched.wait(Progress())
    except UserError as error:
        wire.send(sys.stdout, name, "error", error.sentence())
        return Outcome(0)
    finally:
        if launched is not None:
            launched.finish()
    if launched is not None:
        collector.job.take(launched.job)
    wire.send(sys.stdout, name, "part", job_parts.part(collector.job))
    return Outcome(0)


def _part_of(node: str | None, all_nodes: Sequence[str], fan_out: int) -> list[str]:
    for part in nodes.parted(all_nodes, fan_out):
        if part[0] == node:
            return part
    raise UserError("launcher_error", f"The launcher has sent us to {node}, which is not asked.")


def _own(errand: Errand, node: str) -> Sequence[ranks.Rank]:
    if not errand.job:
        return ranks.of_user()
    return ranks.among(slurm.pids(errand.job, errand.steps, node))


def _until_nobody_waits() -> None:
    """The launcher's stdin is ours: it ends with whoever has sent us."""
    try:
        while os.read(0, 4096):
            pass
    except OSError:
        pass
    os.kill(os.getpid(), signal.SIGTERM)


# ---- What is told beside -------------------------------------------------------------------------


def _closer(job: Job, command: Any) -> list[dict[str, Any]]:
    """A member of each class, and how it is opened."""
    found = []
    for one in job.classes():
        entry = job.example(one.members)
        if entry is not None and entry.pid is not None:
            line = command(entry.host, entry.pid)
            found.append(_one_closer(who(one.members), entry, line))
    return found


def _one_closer(name: str, entry: Any, command: str) -> dict[str, Any]:
    return {"ranks": name, "host": entry.host, "pid": entry.pid, "command": command}


def _closer_lines(closer: Sequence[dict[str, Any]]) -> str:
    if not closer:
        return ""
    lines = ["", "Look closer", "-----------"]
    for one in closer[: view.MOST_CLASSES]:
        lines.append(f"{plain(cut_list(one['ranks']))}: {plain(one['command'])}")
    return "\n".join(lines) + "\n"


def _moved(earlier: Job, job: Job, seconds: float) -> dict[str, Any]:
    same = Members()
    for digest, members in job.places.items():
        if digest in earlier.places:
            same.update(members.common(earlier.places[digest]))
    both = job.everybody.common(earlier.everybody)
    once = Members()
    once.update(job.everybody.without(both))
    once.update(earlier.everybody.without(both))
    readable = both.without(job.failed).without(earlier.failed)
    return {
        "seconds": seconds,
        "elsewhere": who(readable.without(same)),
        "same_places": who(same),
        "only_once": who(once),
    }


def _moved_lines(moved: dict[str, Any]) -> list[str]:
    lines = ["", f"Looked twice, {moved['seconds']:g} s apart", "-" * 26]
    for title, name in (
        ("Elsewhere", "elsewhere"),
        ("At the same places", "same_places"),
        ("Seen once", "only_once"),
    ):
        if moved[name]:
            lines.append(f"{title}: {plain(cut_list(moved[name]))}")
    return lines
