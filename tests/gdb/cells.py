# SPDX-License-Identifier: Apache-2.0
"""Which programs are seen through which runtime, session and GDB?"""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import machine
from machine import Case
from sessions import KINDS

CASES = [
    Case("nested"),
    Case("serial_first"),
    Case("serial_only"),
    Case("by_limit"),
    Case("teams-2-flat", "teams", ("2", "flat")),
    Case("teams-1-flat", "teams", ("1", "flat")),
    Case("teams-2-nested", "teams", ("2", "nested")),
    Case("teams-1-nested", "teams", ("1", "nested")),
    Case("reused"),
    Case("wide-70", "wide", ("70",)),
    Case("wide-300", "wide", ("300",)),
    Case("wide_nested"),
    Case("beside"),
    Case("roots"),
    Case("not_started"),
    Case("after_end"),
    Case("tasks"),
    Case("barrier-5", "barrier", ("5",)),
    Case("templates"),
    Case("fortran_frame"),
    Case("settings"),
]
# Name: version told, where the descriptors come from.
RUNTIMES = {
    "libomp-14": ("14", "recovered"),
    "libomp-16": ("16", "recovered"),
    "libomp-19": ("19", "recovered"),
    "libomp-19-ompd": ("19", "symbols"),
}
GDBS = ("gdb", "gdb-16")
BUILDS = tuple(machine.BUILDS)


@dataclass(frozen=True)
class Cell:
    case: Case
    build: str
    runtime: str
    kind: str
    gdb: str

    def __str__(self) -> str:
        return f"{self.case}-{self.build}-{self.runtime}-{self.kind}-{self.gdb}"


def all_cells() -> list[Cell]:
    return [Cell(*one) for one in itertools.product(CASES, BUILDS, RUNTIMES, KINDS, GDBS)]


def cover() -> list[Cell]:
    """Any two choices meet: every program in every kind of session, the rest dealt out so that each
    program meets each runtime, each runtime each kind, and so on. And the nested program, which has
    most to get wrong, through every runtime in every kind."""
    cells = []
    runtimes = list(RUNTIMES)
    for i, case in enumerate(CASES):
        for k, kind in enumerate(KINDS):
            turn = i + k
            build = BUILDS[(i + turn // 2) % 2]
            gdb = GDBS[(k + turn // 4) % 2]
            cells.append(Cell(case, build, runtimes[turn % 4], kind, gdb))
    for (r, runtime), (k, kind) in itertools.product(enumerate(runtimes), enumerate(KINDS)):
        cells.append(Cell(CASES[0], "debug", runtime, kind, GDBS[(r + k) % 2]))
    return list(dict.fromkeys(cells))


def cells() -> list[Cell]:
    return all_cells() if machine.FULL else cover()


def unmet_pairs(chosen: list[Cell]) -> list[tuple[object, object]]:
    """Pairs of choices that no chosen cell has together."""

    def pairs(cell: Cell) -> set[tuple[object, object]]:
        values = (cell.case, cell.build, cell.runtime, cell.kind, cell.gdb)
        return set(itertools.combinations(values, 2))

    met = set().union(*(pairs(cell) for cell in chosen))
    return sorted(set().union(*(pairs(cell) for cell in all_cells())) - met, key=str)
