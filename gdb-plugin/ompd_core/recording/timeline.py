# SPDX-License-Identifier: Apache-2.0
"""What did each thread do most, in each of some equal parts of the time?"""

from __future__ import annotations

from ..light_classes import dataclass
from .record import Record
from .states import Kind, kind

MOST_CELLS = 24_000  # threads times parts: what a page can hold
MOST_PARTS, FEWEST_PARTS = 600, 60
MOST_THREADS = MOST_CELLS // FEWEST_PARTS


@dataclass
class Timeline:
    begin: int
    end: int
    parts: int
    # Of each thread that is shown, runs of parts: from, to (exclusive), what it did most.
    runs: list[list[tuple[int, int, Kind]]]
    # Of all threads: ns of each kind, a part each.
    together: dict[Kind, list[int]]
    left_out: int  # threads


def timeline(record: Record) -> Timeline:
    end = max(record.last, 1)
    shown = min(len(record.threads), MOST_THREADS)
    parts = max(min(MOST_CELLS // max(shown, 1), MOST_PARTS), FEWEST_PARTS)
    together: dict[Kind, list[int]] = {}
    runs = []
    for place, thread in enumerate(record.threads):
        cells: list[dict[Kind, int]] = [{} for _ in range(parts)]
        for row in thread.rows():
            of = kind(record.activities[row.activity].state)
            column = together.setdefault(of, [0] * parts)
            first, last = row.start * parts // end, max(row.end - 1, row.start) * parts // end
            for part in range(min(first, parts - 1), min(last, parts - 1) + 1):
                begins = max(row.start, -(-part * end // parts))
                ns = min(row.end, -(-(part + 1) * end // parts)) - begins
                cells[part][of] = cells[part].get(of, 0) + ns
                column[part] += ns
        if place < shown:
            runs.append(_runs(cells))
    return Timeline(0, end, parts, runs, together, len(record.threads) - shown)


def _runs(cells: list[dict[Kind, int]]) -> list[tuple[int, int, Kind]]:
    found: list[tuple[int, int, Kind]] = []
    for part, cell in enumerate(cells):
        if not cell or max(cell.values()) <= 0:
            continue
        most = max(cell, key=lambda of: cell[of])
        if found and found[-1][1] == part and found[-1][2] is most:
            found[-1] = (found[-1][0], part + 1, most)
        else:
            found.append((part, part + 1, most))
    return found
