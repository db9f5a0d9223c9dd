# SPDX-License-Identifier: Apache-2.0
"""To which other hosts has a launcher gone, and how does one follow it there? It has started a
daemon on each by an agent, as a rule ssh: the agent's command line tells the host, the way to it,
and which daemon it is. On that host its daemon tells the next ones in the same way."""

from __future__ import annotations

import os
import re
import shlex
from typing import Sequence

from ompd_core import late_patterns
from ompd_core.light_classes import dataclass

from ..origin import environment_of
from .ranks import Processes, command_line

_SHELLS = ("ssh", "rsh")
_WITH_ARGUMENT = tuple("BbcDEeFIiJLlmOopQRSWw")  # options of theirs
_RESOURCE_MANAGER = "srun"
MOST_LEVELS = 30  # of a tree of daemons
# A daemon's program, and what is behind which of its arguments: the job, and which daemon it is.
_KINDS = {
    "orted": ("ess_base_jobid", "ess_base_vpid"),  # Open MPI to 4
    "prted": ("ess_base_nspace", "ess_base_vpid"),  # and from 5 on
}
_DAEMON = late_patterns.compile(r"(?:^|[\s/])(orted|prted)(?:\s|$)")
_NAME = late_patterns.compile(r"[A-Za-z0-9._@-]{1,255}")
_HOST = late_patterns.compile(r"[A-Za-z0-9][A-Za-z0-9._@-]{0,254}")


@dataclass(frozen=True)
class Beyond:
    """A daemon on another host."""

    host: str
    agent: tuple[str, ...]  # what goes there, without the host
    folder: str  # in which the agent was started
    job: str
    number: str
    count: int  # of the job's daemons, and its launcher

    def line(self, command: Sequence[str]) -> list[str]:
        """That executes the command there: the agent's shell takes it apart."""
        return [*self.agent, self.host, shlex.join(command)]

    def opens(self, host: str, command: str) -> str:
        """For people: a line that executes it on this host or another one of the job's."""
        agent = list(self.agent)
        if os.path.basename(agent[0]) == "ssh":
            agent.insert(1, "-t")
        return shlex.join([*agent, host, command])

    @property
    def levels(self) -> int:
        """Of the tree from here on, at most: a daemon starts two others at least, if it starts any
        that start some."""
        return min(self.count.bit_length(), MOST_LEVELS)


@dataclass
class Found:
    """Below one daemon, or the launcher itself."""

    beyond: list[Beyond]
    unknown: dict[str, str]  # what else is there, and why nobody goes there
    agents: list[int]  # processes of this machine with no rank below them


def below(known: Processes, root: int) -> Found:
    found = Found([], {}, [])
    for pid in known.children(root):
        words = command_line(pid)
        at = _daemon_at(words)
        if at is not None:
            found.agents.append(pid)
            _add(found, known, pid, words, at)
        elif known.name(pid) in _SHELLS:
            found.unknown[_host_of_shell(words)] = (
                "The launcher has gone there, and how its ranks are found there is not known."
                " `ompd job --hosts' looks at all of yours on a host."
            )
    return found


def _add(found: Found, known: Processes, pid: int, words: Sequence[str], at: int) -> None:
    one = _beyond(words, at, pid)
    if os.path.basename(words[0]) == _RESOURCE_MANAGER:
        job = environment_of(pid)
        number = job.get("SLURM_JOB_ID", "JOBID")
        why = f"The launcher has gone there by Slurm: `ompd job {number}' does so too."
        found.unknown[_nodes_of_srun(words) or job.get("SLURM_JOB_NODELIST", "?")] = why
    elif one is None:
        why = "The launcher has gone there by an agent whose arguments are not understood."
        found.unknown[words[0]] = why
    elif known.user(pid) != os.geteuid():
        why = "The launcher is another user's: its agent is not executed for you. Ask as that user."
        found.unknown[one.host] = why
    else:
        found.beyond.append(one)


def daemon(known: Processes, job: str, number: str) -> int | None:
    """On this host: the process."""
    for pid in known.all():
        words = command_line(pid)
        kind = _KINDS.get(os.path.basename(words[0])) if words else None
        if kind is not None and known.user(pid) == os.geteuid():
            if (_behind(words, kind[0]), _behind(words, kind[1])) == (job, number):
                return pid
    return None


def _daemon_at(words: Sequence[str]) -> int | None:
    """Where in an agent's command line the daemon's begins. The first word is the agent's own."""
    for at, word in enumerate(words):
        if at > 0 and _DAEMON.search(word):
            return at
    return None


def _beyond(words: Sequence[str], at: int, pid: int) -> Beyond | None:
    match = _DAEMON.search(words[at])
    arguments = [part for word in words[at:] for part in _parts(word)]
    job, number = (_behind(arguments, name) for name in _KINDS[match[1]]) if match else ("", "")
    host, agent = words[at - 1], words[: at - 1]
    if not agent or not _HOST.fullmatch(host) or not _NAME.fullmatch(job) or not number.isdigit():
        return None
    if os.path.basename(agent[0]) in _SHELLS:
        agent = [word for word in agent if word != "-n"]  # a collector is told by its stdin
    count = _behind(arguments, "ess_base_num_procs")
    all_of_them = int(count) if re.fullmatch("[0-9]{1,9}", count) else 1 << MOST_LEVELS
    return Beyond(host, tuple(agent), f"/proc/{pid}/cwd", job, number, all_of_them)


def _parts(word: str) -> list[str]:
    """Words are quoted for the shell of the other host, and may be one word together."""
    try:
        return shlex.split(word)
    except ValueError:
        return [word]


def _behind(words: Sequence[str], name: str) -> str:
    return next((after for word, after in zip(words, words[1:]) if word == name), "")


def _host_of_shell(words: Sequence[str]) -> str:
    following = iter(words[1:])
    for word in following:
        if not word.startswith("-"):
            return word
        if word[1:] in _WITH_ARGUMENT:
            next(following, None)
    return "?"


def _nodes_of_srun(words: Sequence[str]) -> str:
    named = (word.partition("=")[2] for word in words if word.startswith("--nodelist="))
    return next(named, "")
