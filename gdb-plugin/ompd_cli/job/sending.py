# SPDX-License-Identifier: Apache-2.0
"""Who is sent to other nodes, by which way?"""

from __future__ import annotations

import argparse
from contextlib import ExitStack, contextmanager
from typing import Iterable, Iterator, Sequence

from ompd_core.light_classes import replace
from ompd_core.model.job import Job

from ..progress import Progress
from . import clustershell, daemons, nodes, ranks, slurm
from .collector import Collector
from .nodes import Errand, Launched

MOST_ALONE = 64  # parts of a tree that are asked one by one
MOST_TIMES = 3  # that nodes below dead ones are asked


def over_slurm(options: argparse.Namespace, errand: Errand) -> Job:
    with begun([slurm_step(options, errand)]) as (first,):
        first.wait(Progress())
    return asked_again(options, errand, first)


def asked_again(options: argparse.Namespace, errand: Errand, first: Launched) -> Job:
    """What a step has brought, and more. Where Slurm cannot begin on one node, it ends the step on
    all others: each part of the tree is asked again by a step of its own, and what is below a
    node that is dead as a tree without it."""
    job, silent = first.job, first.silent
    for _ in range(MOST_TIMES):
        if not 0 < len(silent) <= MOST_ALONE:
            break
        if len(errand.nodes) > len(silent[0]):  # else it was alone already
            alone = [replace(errand, nodes=list(part), alone=True) for part in silent]
            silent = _all_of(options, alone, job)
        errand = replace(errand, nodes=[node for part in silent for node in part[1:]], alone=False)
        if not errand.nodes:
            break
        silent = _all_of(options, [errand], job)
    return job


def _all_of(
    options: argparse.Namespace, errands: Sequence[Errand], job: Job
) -> list[Sequence[str]]:
    """Adds to the job. Parts that are silent."""
    with begun(slurm_step(options, one) for one in errands) as asked:
        for one in asked:
            one.wait(Progress())
    for one in asked:
        for node in one.nodes:
            job.lost.pop(node, None)
        job.take(one.job)
    return [part for one in asked for part in one.silent]


def slurm_step(options: argparse.Namespace, errand: Errand) -> Launched:
    """Collectors on these nodes."""
    parts = [errand.nodes] if errand.alone else nodes.parted(errand.nodes, errand.fan_out)
    package = nodes.package(options)
    command = nodes.collector_command(options, errand.text(), package)
    levels = 1 + max(nodes.depth(len(part) - 1, errand.fan_out) for part in parts)
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
