# SPDX-License-Identifier: Apache-2.0
"""Which rank of a parallel job is the process, and on which machine? Its launcher has put that into
its environment; and the names of files can tell it."""

from __future__ import annotations

import os
import re
from typing import Any, Mapping, Optional

from ompd_core.light_classes import dataclass

Environment = Mapping[str, str]

# Slurm's number of a task: a rank, or what another launcher starts the ranks by.
FROM_SLURM = "SLURM_PROCID"
# A process' rank, and how many there are. What starts the ranks comes before what may only have
# started the launcher: under `mpirun' all ranks of a node have one SLURM_PROCID.
_VARIABLES = (
    ("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"),
    ("PMIX_RANK", None),
    ("PMI_RANK", "PMI_SIZE"),
    ("MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE"),
    (FROM_SLURM, "SLURM_STEP_NUM_TASKS"),
)
_HOSTS = ("PMIX_HOSTNAME", "SLURMD_NODENAME")
LONGEST_HOST = 64  # of Linux
_PLACEHOLDERS = "%r for the rank, %h for the host, %p for the process, %% for %"


@dataclass
class Origin:
    """None: not known."""

    pid: Optional[int] = None
    host: Optional[str] = None
    rank: Optional[int] = None
    rank_count: Optional[int] = None
    variable: Optional[str] = None  # that told the rank

    def look_at(self, process: int | str) -> None:
        """A process of this machine, as far as its environment may be read."""
        self.host = this_host()
        self.learn(environment_of(process))

    def learn(self, environment: Environment) -> None:
        """environment: what the process was started with."""
        for name, _ in _VARIABLES:
            self.rank = _number(environment, name)
            if self.rank is not None:
                self.variable = name
                break
        for name, size in _VARIABLES:
            count = _number(environment, size) if size is not None else None
            # Another launcher's count is of other processes.
            if name == FROM_SLURM and not _started_by_slurm(environment):
                continue
            if count and self.rank == _number(environment, name) and (self.rank or 0) < count:
                self.rank_count = count
                break
        for name in _HOSTS:
            if self.host is None and 0 < len(environment.get(name, "")) <= LONGEST_HOST:
                self.host = environment[name]

    def fields(self) -> dict[str, Any]:
        """Of a JSON document."""
        return {
            "rank": self.rank,
            "rank_count": self.rank_count,
            "host": self.host,
            "pid": self.pid,
        }

    def words(self) -> str:
        """For people; empty where no rank is known."""
        if self.rank is None:
            return ""
        total = f" of {self.rank_count}" if self.rank_count is not None else ""
        host = f", on {self.host}" if self.host is not None else ""
        return f"{self.rank}{total} ({self.variable}){host}"


def _number(environment: Environment, name: str) -> int | None:
    text = environment.get(name, "")
    return int(text) if re.fullmatch(r"[0-9]{1,9}", text) else None


def _started_by_slurm(environment: Environment) -> bool:
    """PMIx names a job by who has started it. Without PMIx it may be so."""
    return environment.get("PMIX_NAMESPACE", "slurm.").startswith("slurm.")


def environment_of(process: int | str) -> dict[str, str]:
    """Empty if it may not be read."""
    try:
        with open(f"/proc/{process}/environ", "rb") as file:
            return parsed(file.read().split(b"\0"))
    except OSError:
        return {}


def this_host() -> str:
    return os.uname().nodename


def parsed(lines: list[bytes]) -> dict[str, str]:
    pairs = (line.partition(b"=") for line in lines)
    return {os.fsdecode(name): os.fsdecode(value) for name, _, value in pairs if name}


def problem_of(name: str) -> str | None:
    """What is wrong with the name of a file that is to be written."""
    for letter in re.findall(r"%(.?)", name, re.DOTALL):
        if letter not in ("r", "h", "p", "%"):
            return f"`%{letter}' in {name} stands for nothing: use {_PLACEHOLDERS}"
    return None


def named(name: str, origin: Origin) -> str:
    """With what the placeholders stand for. Names must differ where no rank is known too."""
    host = (origin.host or this_host()).replace("/", "_").lstrip(".")
    pid = str(origin.pid if origin.pid is not None else os.getpid())
    rank = str(origin.rank) if origin.rank is not None else f"{host}-{pid}"
    values = {"r": rank, "h": host, "p": pid, "%": "%"}
    return re.sub(r"%(.)", lambda found: values[found.group(1)], name, flags=re.DOTALL)
