# SPDX-License-Identifier: Apache-2.0
"""What was seen of each program, for the last lines of a run."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from statistics import median


@dataclass
class Row:
    counts: Counter[str] = field(default_factory=Counter)
    ours: list[float] = field(default_factory=list)  # seconds that it stood
    gdbs: list[float] = field(default_factory=list)
    record: str = "-"
    top: str = "-"

    def line(self, name: str) -> str:
        count = self.counts
        places = f"{count['right']} right, {count['wrong']} wrong, {count['untold']} untold"
        stood = "-"
        if self.ours and self.gdbs:
            ours, gdbs = median(self.ours), median(self.gdbs)
            stood = f"{ours:.2f} s, {ours / gdbs:.2f} of GDB's"
        return (
            f"field: {name}: {count['looks']} looks; places {places}, {count['unchecked']} without"
            f" a stack; {count['accusations']} accusations, {count['unclear']} unclear; stood"
            f" {stood}; record: {self.record}; top: {self.top}"
        )


class Table:
    def __init__(self) -> None:
        self._rows: dict[str, Row] = {}

    def of(self, name: str) -> Row:
        return self._rows.setdefault(name, Row())

    def lines(self) -> list[str]:
        return [row.line(name) for name, row in self._rows.items()]


table = Table()
