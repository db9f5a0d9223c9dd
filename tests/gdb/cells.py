# SPDX-License-Identifier: Apache-2.0
"""Which programs are seen through which runtime, session and GDB?"""

from __future__ import annotations

import itertools
from dataclasses import dataclass, replace
from typing import Iterable

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
    "libgomp-12": ("12", "record"),
}
# Of further layouts.
OTHER_RUNTIMES = {
    "libgomp-10": ("10", "record"),
    "libgomp-14": ("14", "record"),
    "libgomp-16": ("16", "record"),
}
# What is in the field for long: --full. 6 and 7 export the same names.
OLD_RUNTIMES = {"libgomp-7": ("6", "record")}
# Each release of GNU's as this machine's gcc builds it.
OWN_BUILDS = {f"libgomp-{release}-built": (str(release), "record") for release in range(9, 17)}
TOLD = {**RUNTIMES, **OTHER_RUNTIMES, **OLD_RUNTIMES, **OWN_BUILDS}
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
    choices = itertools.product(CASES, BUILDS, RUNTIMES, KINDS, GDBS)
    return [cell for one in choices if is_possible(cell := Cell(*one))]


def is_possible(cell: Cell) -> bool:
    """GNU's runtime executes the teams of a league one after another: they cannot meet."""
    return not (machine.is_gnus(cell.runtime) and cell.case.source == "teams")


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
            cell = Cell(case, build, runtimes[turn % len(runtimes)], kind, gdb)
            if not is_possible(cell):
                cell = replace(cell, runtime=runtimes[i % (len(runtimes) - 1)])
            cells.append(cell)
    for (r, runtime), (k, kind) in itertools.product(enumerate(runtimes), enumerate(KINDS)):
        cells.append(Cell(CASES[0], "debug", runtime, kind, GDBS[(r + k) % 2]))
    return list(dict.fromkeys(cells)) + others(CASES[:1], OTHER_RUNTIMES)


def others(cases: list[Case], runtimes: Iterable[str]) -> list[Cell]:
    """Through the runtimes of further layouts, each program in a few kinds of session."""
    found = []
    for (i, case), (r, runtime) in itertools.product(enumerate(cases), enumerate(runtimes)):
        for k in (r, r + 2):
            turn = i + k
            kind, gdb = KINDS[turn % len(KINDS)], GDBS[turn // 2 % 2]
            found.append(Cell(case, BUILDS[i % 2], runtime, kind, gdb))
    return [cell for cell in found if is_possible(cell)]


def of_own_builds() -> list[Cell]:
    """Each program once through each, in every kind of session by turns."""
    found = []
    for (i, case), (r, runtime) in itertools.product(enumerate(CASES), enumerate(OWN_BUILDS)):
        kind, gdb = KINDS[(i + r) % len(KINDS)], GDBS[(i + r // 2) % 2]
        found.append(Cell(case, BUILDS[(i // 2 + r) % 2], runtime, kind, gdb))
    return [cell for cell in found if is_possible(cell)]


def cells() -> list[Cell]:
    if not machine.FULL:
        return cover()
    return all_cells() + others(CASES, (*OTHER_RUNTIMES, *OLD_RUNTIMES)) + of_own_builds()


def unmet_pairs(chosen: list[Cell]) -> list[tuple[object, object]]:
    """Pairs of choices that no chosen cell has together."""

    def pairs(cell: Cell) -> set[tuple[object, object]]:
        values = (cell.case, cell.build, cell.runtime, cell.kind, cell.gdb)
        return set(itertools.combinations(values, 2))

    met = set().union(*(pairs(cell) for cell in chosen))
    return sorted(set().union(*(pairs(cell) for cell in all_cells())) - met, key=str)
