# SPDX-License-Identifier: Apache-2.0
"""All that is said of a record, in one place: text, JSON and pages draw on it."""

from __future__ import annotations

from dataclasses import dataclass

from . import regions, stacks, sums, waiting
from .record import Record
from .regions import RegionUse
from .stacks import Node
from .sums import Sum, Totals
from .waiting import Waiting


@dataclass
class Summary:
    record: Record
    totals: Totals
    whole: Sum
    states: list[tuple[str, Sum]]
    threads: dict[int, Sum]
    regions: list[RegionUse]
    waits: list[Waiting]
    tree: Node


def live(record: Record, of: Totals) -> Summary:
    """Of sums alone, where the rows are gone: how long a region was, and who waited for whom, these
    would tell."""
    used = sums.sorted_by_time(sums.by_region(record, of))
    return Summary(
        record,
        of,
        sums.whole(record, of),
        sums.sorted_by_time(sums.by_state(record, of)),
        sums.by_thread(record, of),
        [RegionUse(number, total, len(total.threads), 0, 0) for number, total in used],
        [Waiting(wait, total) for wait, total in sums.sorted_by_time(sums.by_wait(record, of))],
        stacks.tree(record, of),
    )


def summary(record: Record, of: Totals | None = None) -> Summary:
    """Of a record that has its rows: all, or those of the time of which the sums are."""
    if of is None:
        of = sums.totals(record)
    return Summary(
        record,
        of,
        sums.whole(record, of),
        sums.sorted_by_time(sums.by_state(record, of)),
        sums.by_thread(record, of),
        regions.uses(record, of),
        waiting.waits(record, of),
        stacks.tree(record, of),
    )
