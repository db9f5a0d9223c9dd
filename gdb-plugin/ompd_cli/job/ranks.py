# SPDX-License-Identifier: Apache-2.0
"""Which processes of this machine are ranks of a job? By what their launcher has put into their
environment; each with the processes that it has started, of which one is the program."""

from __future__ import annotations

import os
from typing import Iterable

from ompd_core import late_patterns
from ompd_core.light_classes import dataclass, field

from ..guardian import status_of
from ..origin import FROM_SLURM, Origin, environment_of, this_host


@dataclass(eq=False)
class Rank:
    pid: int
    origin: Origin


@dataclass
class _Process:
    pid: int
    parent: int
    name: str
    threads: int
    user: int
    children: list[int] = field(default_factory=list)


def of(pids: Iterable[int]) -> list[Rank]:
    """The user has named them."""
    found = []
    for pid in pids:
        origin = Origin(pid=pid)
        origin.look_at(pid)
        found.append(Rank(pid, origin))
    return found


class Processes:
    """Those of this machine, at one moment."""

    def __init__(self) -> None:
        self._known = _processes()

    def all(self) -> list[int]:
        return list(self._known)

    def children(self, pid: int) -> list[int]:
        return self._known[pid].children if pid in self._known else []

    def name(self, pid: int) -> str:
        return self._known[pid].name

    def user(self, pid: int) -> int:
        return self._known[pid].user

    def below(self, launcher: int, without: Iterable[int] = ()) -> list[Rank]:
        """The ranks that a launcher, or its daemon, has started. without: who has none."""
        return _one_each(self._known, _descendants(self._known, launcher, frozenset(without)))


def among(pids: Iterable[int]) -> list[Rank]:
    """pids: of tasks and of what they have started, as a resource manager lists them."""
    known = _processes()
    return _one_each(known, [pid for pid in pids if pid in known])


def of_user() -> list[Rank]:
    """All on this machine that have a rank."""
    known = _processes()
    return _one_each(known, [one.pid for one in known.values() if one.user == os.geteuid()])


def _one_each(known: dict[int, _Process], pids: Iterable[int]) -> list[Rank]:
    """A rank may be a shell that has started the program, and the program others: the one with most
    threads is meant, and of alike ones the innermost. Where none of them has started the others,
    several say that they are that rank, and all are told."""
    ranked: dict[int, Rank] = {}
    groups: dict[tuple[str, int], dict[int, Rank]] = {}
    for pid in pids:
        origin = Origin(pid=pid, host=this_host())
        origin.learn(environment_of(pid))
        if origin.rank is not None:
            ranked[pid] = Rank(pid, origin)
    launchers = _launchers(known, ranked)
    for pid, rank in ranked.items():
        if pid not in launchers:
            job = _job(environment_of(pid))
            groups.setdefault((job, rank.origin.rank or 0), {})[pid] = rank
    found = []
    for _, ranks in sorted(groups.items()):
        trees: dict[int, list[Rank]] = {}
        for pid, rank in ranks.items():
            first = [one for one in _above(known, pid) if one in ranks][-1]
            trees.setdefault(first, []).append(rank)
        for tree in trees.values():
            found.append(max(tree, key=lambda one: _how_likely_meant(known, one.pid)))
    return found


# What starts ranks, or starts what does, on this node or another one.
_LAUNCHERS = late_patterns.compile(
    r"(srun|(mpirun|mpiexec|orterun|prterun|prun)([.-].*)?|orted|prted|prte|hydra_.*|pmi_proxy)"
)


def _launchers(known: dict[int, _Process], ranked: dict[int, Rank]) -> set[int]:
    """Slurm numbers what it starts, and whoever starts the ranks by another launcher has such a
    number, too: a daemon, the launcher itself, and the script above it."""
    named = {pid for pid in ranked if _LAUNCHERS.fullmatch(known[pid].name)}
    found = set(named)
    for pid, rank in ranked.items():
        if pid in named or rank.origin.variable != FROM_SLURM:
            for one in _above(known, pid)[1:]:
                if one in ranked and ranked[one].origin.variable == FROM_SLURM:
                    found.add(one)
    return found


def _how_likely_meant(known: dict[int, _Process], pid: int) -> tuple[int, int, int]:
    return known[pid].threads, len(_above(known, pid)), -pid


# What tells one job's ranks from another's.
_JOBS = ("PMIX_NAMESPACE", "OMPI_MCA_ess_base_jobid", "SLURM_JOB_ID")


def _job(environment: dict[str, str]) -> str:
    step = environment.get("SLURM_STEP_ID", "")
    return next((f"{environment[name]}.{step}" for name in _JOBS if name in environment), "")


def _above(known: dict[int, _Process], pid: int) -> list[int]:
    """The process itself, its parent, and so on."""
    found: list[int] = []
    while pid in known and len(found) < len(known):
        found.append(pid)
        pid = known[pid].parent
    return found


def _descendants(known: dict[int, _Process], root: int, without: frozenset[int]) -> list[int]:
    found: dict[int, None] = {}
    pending = list(known[root].children) if root in known else []
    while pending:
        pid = pending.pop()
        if pid not in found and pid not in without:
            found[pid] = None
            pending += known[pid].children
    return list(found)


def _processes() -> dict[int, _Process]:
    found: dict[int, _Process] = {}
    for name in os.listdir("/proc"):
        if name.isdigit():
            status = status_of(name)
            if status.get("State", "Z")[:1] not in ("Z", "X"):
                found[int(name)] = _Process(
                    int(name),
                    int(status.get("PPid", 0)),
                    status.get("Name", ""),
                    int(status.get("Threads", 0)),
                    int(status.get("Uid", "-1").split()[0]),
                )
    for one in found.values():
        if one.parent in found:
            found[one.parent].children.append(one.pid)
    return found


def command_line(pid: int) -> list[str]:
    """Empty: it is gone, or the kernel's."""
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as file:
            return [os.fsdecode(word) for word in file.read(1 << 20).split(b"\0")[:-1]]
    except OSError:
        return []
