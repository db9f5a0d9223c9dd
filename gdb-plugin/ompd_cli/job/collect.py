# SPDX-License-Identifier: Apache-2.0
"""A collector on a node: whose ranks are looked at here, who is sent on, and what goes back to who
has sent us?"""

from __future__ import annotations

import argparse
import os
import signal
import sys
import threading

from ompd_core.errors import UserError
from ompd_core.light_classes import replace
from ompd_core.model import job_parts
from ompd_core.model.job import Job

from ..outcome import Outcome
from ..progress import Progress
from . import daemons, nodes, ranks, sending, slurm, wire
from .collector import Collector
from .nodes import Errand


def report(options: argparse.Namespace) -> Outcome:
    """What is found goes to who has sent us."""
    errand = Errand.of(options.collect, slurm.hostnames)
    node = os.environ.get("SLURMD_NODENAME") if errand.job else None
    name = node or wire.UNKNOWN
    threading.Thread(target=_until_nobody_waits, daemon=True).start()
    step = slurm.own_step() if errand.job else None
    if step is not None:
        wire.send(sys.stdout, name, "step", step)
    try:
        job = _look(options, errand, node)
    except UserError as error:
        wire.send(sys.stdout, name, "error", error.sentence())
    else:
        wire.send(sys.stdout, name, "part", job_parts.part(job))
    return Outcome(0)


def _look(options: argparse.Namespace, errand: Errand, node: str | None) -> Job:
    if errand.daemon:
        return _of_a_daemon(options, errand)
    collector = Collector(options, node)
    if not errand.job:
        collector.look_at(ranks.of_user())
        return collector.job
    mine = _part_of(node, errand)
    below = replace(errand, nodes=mine[1:], alone=False)
    steps = [sending.slurm_step(options, below)] if below.nodes else []
    with sending.begun(steps) as others:
        collector.look_at(ranks.among(slurm.pids(errand.job, errand.steps, mine[0])))
        for one in others:
            one.wait(Progress())
    for one in others:
        collector.job.take(sending.asked_again(options, below, one))
    return collector.job


def _of_a_daemon(options: argparse.Namespace, errand: Errand) -> Job:
    root = daemons.daemon(ranks.Processes(), *errand.daemon)
    if root is None:
        message = (
            f"The launcher's daemon {errand.daemon[1]} of job {errand.daemon[0]} is not there."
        )
        raise UserError("no_daemon", message, "Has it ended? Does the agent lead elsewhere?")
    return sending.below_daemon(options, root, errand.host, errand.levels)


def _part_of(node: str | None, errand: Errand) -> list[str]:
    if errand.alone and node in errand.nodes:
        return [node, *(one for one in errand.nodes if one != node)]
    for part in nodes.parted(errand.nodes, errand.fan_out):
        if part[0] == node:
            return part
    raise UserError("launcher_error", f"The launcher has sent us to {node}, which is not asked.")


def _until_nobody_waits() -> None:
    """The launcher's stdin is ours: it ends with whoever has sent us."""
    try:
        while os.read(0, 4096):
            pass
    except OSError:
        pass
    os.kill(os.getpid(), signal.SIGTERM)
