# SPDX-License-Identifier: Apache-2.0
"""All that is said of a record, in one place: text, JSON and pages draw on it."""

from __future__ import annotations

from functools import cached_property

from . import regions, stacks, sums, waiting
from .record import Record
from .regions import RegionUse
from .stacks import Node
from .sums import Sum, Totals
from .waiting import Waiting


class Summary:
    """Of the time of which the sums are. Each part is worked out when it is asked for."""

    def __init__(self, record: Record, of: Totals, has_rows: bool) -> None:
        """has_rows: the record's rows are those of that time. Else it is not told how long a
        region was, nor who waited for whom."""
        self.record, self.totals = record, of
        self._has_rows = has_rows

    @cached_property
    def whole(self) -> Sum:
        return sums.whole(self.record, self.totals)

    @cached_property
    def states(self) -> list[tuple[str, Sum]]:
        return sums.sorted_by_time(sums.by_state(self.record, self.totals))

    @cached_property
    def threads(self) -> dict[int, Sum]:
        return sums.by_thread(self.record, self.totals)

    @cached_property
    def regions(self) -> list[RegionUse]:
        if self._has_rows:
            return regions.uses(self.record, self.totals)
        used = sums.sorted_by_time(sums.by_region(self.record, self.totals))
        return [RegionUse(number, total, len(total.threads), 0, 0) for number, total in used]

    @cached_property
    def waits(self) -> list[Waiting]:
        if self._has_rows:
            return waiting.waits(self.record, self.totals)
        waits = sums.sorted_by_time(sums.by_wait(self.record, self.totals))
        return [Waiting(wait, total) for wait, total in waits]

    @cached_property
    def tree(self) -> Node:
        return stacks.tree(self.record, self.totals)


def summary(record: Record) -> Summary:
    """Of a whole record, which has its rows."""
    return Summary(record, sums.totals(record), True)
