# SPDX-License-Identifier: Apache-2.0
"""Which areas of memory does a process have? By what the kernel tells of a living one, and by the
headers of a core file."""

from __future__ import annotations

import bisect
from typing import Iterable, Sequence

from ..light_classes import NamedTuple
from . import procfs
from .corefile import CoreFile

FIRST_STACK = "[stack]"


class Area(NamedTuple):
    start: int
    end: int
    rights: str  # as rw-; empty: not known
    name: str = ""  # as the kernel has it; of a core file only FIRST_STACK is told

    @property
    def usable(self) -> bool:
        return self.rights[:2] != "--"


class Areas:
    def __init__(self, areas: Iterable[Area]) -> None:
        self.all: Sequence[Area] = sorted(areas)
        self._starts = [area.start for area in self.all]

    def at(self, address: int) -> Area | None:
        i = bisect.bisect_right(self._starts, address) - 1
        return self.all[i] if i >= 0 and address < self.all[i].end else None


def of(core: CoreFile | None, pid: int | None) -> Areas | None:
    """pid: of a process on this machine."""
    if core is not None:
        return of_core(core)
    return of_process(pid) if pid is not None else None


def of_process(pid: int) -> Areas | None:
    """None: the kernel does not tell."""
    found = [
        Area(one.start, one.end, one.rights[:3], one.path)
        for one in procfs.mappings(f"/proc/{pid}")
    ]
    return Areas(found) if found else None


def of_core(core: CoreFile) -> Areas:
    """gcore leaves out what may not be used, and what is in files."""
    top = core.first_stack
    found = []
    for load in core.loads:
        end = load.address + load.memory_size
        name = FIRST_STACK if top is not None and load.address <= top < end else ""
        found.append(Area(load.address, end, load.rights, name))
    dumped = Areas(found)
    for mapping in core.mappings:
        if dumped.at(mapping.start) is None:
            found.append(Area(mapping.start, mapping.end, ""))
    return Areas(found)
