# SPDX-License-Identifier: Apache-2.0
"""How well does each parallel region use its threads? Of the time that they could have worked, its
duration times their number, how much have they, and how evenly?"""

from __future__ import annotations

from ..light_classes import dataclass, field
from .record import Account, Record
from .states import Kind, kind
from .sums import Sum, Totals, by_region, spread
from .teams import Teams

_DOUBTFUL = (Kind.UNKNOWN, Kind.KERNEL)


@dataclass
class _Team:
    """Of one region, by the thread that began it."""

    members: set[int] = field(default_factory=set)
    spans: list[tuple[int, int]] = field(default_factory=list)

    def wall(self) -> int:
        """While anybody was in it."""
        covered, until = 0, -1
        for start, end in sorted(self.spans):
            if end > until:
                covered += end - max(start, until)
                until = end
        return covered


@dataclass
class RegionUse:
    region: int
    sum: Sum
    threads: int  # of its largest team
    wall: int  # ns, summed over its teams
    available: int  # ns: of each team its duration times its threads
    work: dict[int, Account] = field(default_factory=dict)  # by thread

    @property
    def efficiency(self) -> float:
        return self._of_available(self.sum.ns(Kind.WORK))

    @property
    def at_most(self) -> float:
        """If all that is not known, or in the kernel, was work too."""
        return self._of_available(self.sum.ns(Kind.WORK, *_DOUBTFUL))

    @property
    def imbalance(self) -> float:
        """How many times the mean is the work of the thread that has most of it?"""
        return spread(self.work.values(), self.threads)[1]

    @property
    def busiest(self) -> int | None:
        if not self.work:
            return None
        return max(self.work, key=lambda thread: self.work[thread].ns)

    def _of_available(self, ns: int) -> float:
        return min(ns / self.available, 1.0) if self.available else 0.0


def uses(record: Record, of: Totals) -> list[RegionUse]:
    """Those with the most time first. Of the whole record: its rows tell how long a region was."""
    teams = _teams(record)
    found = []
    for region, total in by_region(record, of).items():
        of_region = teams.get(region, {})
        walls = [(team.wall(), len(team.members)) for team in of_region.values()]
        use = RegionUse(
            region,
            total,
            max((members for _, members in walls), default=len(total.threads)),
            sum(wall for wall, _ in walls),
            sum(wall * members for wall, members in walls),
        )
        _add_work(record, of, use)
        found.append(use)
    return sorted(found, key=lambda use: -use.sum.whole.ns)


def _add_work(record: Record, of: Totals, use: RegionUse) -> None:
    for thread in use.sum.threads:
        use.work.setdefault(thread, Account())
    for (thread, number), account in of.items():
        activity = record.activities[number]
        if activity.region == use.region and kind(activity.state) is Kind.WORK:
            use.work.setdefault(thread, Account()).join(account)


def _teams(record: Record) -> dict[int, dict[int | None, _Team]]:
    found: dict[int, dict[int | None, _Team]] = {}
    of = Teams(record)
    for place, thread in enumerate(record.threads):
        for row in thread.rows():
            activity = record.activities[row.activity]
            key = of.of(activity)
            if key is None:
                continue
            teams = found.setdefault(key[1], {})
            team = teams.setdefault(key[0], _Team())
            team.members.add(place)
            spans = team.spans
            if spans and spans[-1][1] == row.start:
                spans[-1] = (spans[-1][0], row.end)
            else:
                spans.append((row.start, row.end))
    return found
