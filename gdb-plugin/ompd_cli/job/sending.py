# SPDX-License-Identifier: Apache-2.0
"""Who is sent to other nodes, by which way?"""

from __future__ import annotations

import argparse
from contextlib import ExitStack, contextmanager
from typing import Iterable, Iterator, Sequence

from ompd_core.model.job import Job

from ..progress import Progress
from . import clustershell, daemons, nodes, ranks, slurm
from .collector import Collector
from .nodes import Errand, Launched

MOST_ALONE = 64  # nodes that are asked one by one


def over_slurm(options: argparse.Namespace, errand: Errand) -> Job:
    """Where Slurm cannot begin on one node, it ends the step on all others: they are asked again,
    each by a step of its own."""
    with begun([slurm_step(options, errand)]) as (first,):
        first.wait(Progress())
    job = first.job
    if len(errand.nodes) > 1 and len(first.silent) <= MOST_ALONE:
        alone = [Errand(errand.job, errand.steps, [node], 1) for node in first.silent]
        with begun(slurm_step(options, one) for one in alone) as again:
            for one in again:
                one.wait(Progress())
        for one in again:
            for node in one.nodes:
                del job.lost[node]
            job.take(one.job)
    return job


def slurm_step(options: argparse.Namespace, errand: Errand) -> Launched:
    """Collectors on these nodes."""
    parts = nodes.parted(errand.nodes, errand.fan_out)
    package = nodes.package(options)
    command = nodes.collector_command(options, errand.text(), package)
    levels = nodes.depth(len(errand.nodes), errand.fan_out)
    line = slurm.srun(errand.job, [part[0] for part in parts], command)
    return Launched(line, parts, nodes.limit(options, levels), slurm.end_step, package)


def over_clustershell(options: argparse.Namespace, hosts: Sequence[str]) -> Job:
    package = nodes.package(options)
    command = nodes.collector_command(options, Errand().text(), package)
    line = clustershell.clush(hosts, command)
    parts = [[host] for host in hosts]
    with begun([Launched(line, parts, nodes.limit(options, 1), package=package)]) as (launched,):
        launched.wait(Progress())
    return launched.job


def below_daemon(
    options: argparse.Namespace,
    root: int,
    host: str | None = None,
    levels: int = daemons.MOST_LEVELS,
) -> Job:
    """The ranks of a launcher, or of one of its daemons, and of all that it has started on other
    hosts. host: what the launcher calls this one."""
    known = ranks.Processes()
    found = daemons.below(known, root)
    if levels == 0:
        found.unknown.update({one.host: "Daemons are above each other." for one in found.beyond})
        found.beyond.clear()
    collector = Collector(options, host)
    with begun(_after_a_daemon(options, one, levels) for one in found.beyond) as others:
        collector.look_at(known.below(root, without=found.agents))
        for one in others:
            one.wait(Progress())
    job = collector.job
    for one in others:
        job.take(one.job)
    job.lost.update(found.unknown)
    return job


def _after_a_daemon(options: argparse.Namespace, to: daemons.Beyond, levels: int) -> Launched:
    left = min(levels, to.levels) - 1
    errand = Errand(daemon=[to.job, to.number], host=to.host, levels=left)
    package = nodes.package(options)
    command = nodes.collector_command(options, errand.text(), package)
    limit = nodes.limit(options, left + 1)
    return Launched(to.line(command), [[to.host]], limit, package=package, folder=to.folder)


@contextmanager
def begun(all_of_them: Iterable[Launched]) -> Iterator[list[Launched]]:
    """Nothing of any is left afterwards."""
    with ExitStack() as stack:
        found = []
        for one in all_of_them:
            stack.callback(one.finish)
            found.append(one)
        yield found
