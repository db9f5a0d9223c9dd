# SPDX-License-Identifier: Apache-2.0
"""Which rank is which process of which host? A row for many, folded as they mostly come: the one
part of a merged document that grows with the job."""

from __future__ import annotations

from collections import defaultdict
from functools import lru_cache
from typing import Iterable, Sequence

from .. import late_patterns
from ..light_classes import dataclass
from .members import Other

MOST_OF_ROW = 1 << 16  # members
_PART = late_patterns.compile(r"(?:([0-9]{1,7})x)?([0-9]{1,16}|\?)|([0-9]{1,16})-([0-9]{1,16})")


@dataclass(frozen=True)
class Entry:
    rank: int | None
    host: str | None
    pid: int | None
    threads: int
    file: str  # empty: it has come without one
    label: str = ""  # of the document that it has come in

    @property
    def process(self) -> Other | None:
        if self.host is None or self.pid is None:
            return None
        return self.host, self.pid, ""

    @property
    def by_file(self) -> Other:
        process = f"{self.host or '?'}:{'?' if self.pid is None else self.pid}"
        return "", 0, ":".join(filter(None, (self.label, self.file or process)))

    @property
    def first(self) -> tuple[object, ...]:
        """To sort by, whatever it is called."""
        return self.rank is None, self.rank or 0, self.host or "", self.pid or 0, *self.by_file


@dataclass(frozen=True)
class Row:
    """Members of one host; the first number of each column is the first one's."""

    host: str | None
    ranks: str
    pids: str
    threads: str
    files: tuple[str, ...] = ()  # none, or each one's
    label: str = ""

    def entries(self) -> Sequence[Entry]:
        """Raises ValueError."""
        return _entries(self)


@lru_cache(maxsize=1 << 12)
def _entries(of: Row) -> Sequence[Entry]:
    ranks, pids, threads = map(unfolded, (of.ranks, of.pids, of.threads))
    files: Sequence[str] = of.files or ("",) * len(ranks)
    if not len(ranks) == len(pids) == len(threads) == len(files):
        raise ValueError("columns differ")
    return tuple(
        Entry(rank, of.host, pid, number or 0, file, of.label)
        for rank, pid, number, file in zip(ranks, pids, threads, files)
    )


def row(entries: Sequence[Entry]) -> Row:
    files = tuple(one.file for one in entries)
    return Row(
        entries[0].host,
        folded([one.rank for one in entries]),
        folded([one.pid for one in entries]),
        folded([one.threads for one in entries]),
        files if any(files) else (),
        entries[0].label,
    )


def by_host(rows: Iterable[Row]) -> list[Row]:
    """One for each host, as far as rows may grow."""
    found: dict[tuple[str, bool, str], list[Row]] = defaultdict(list)
    for one in rows:
        found[one.host or "", one.host is None, one.label].append(one)
    joined = []
    for _, same in sorted(found.items()):
        if len(same) == 1:
            joined += same
            continue
        entries = [entry for one in same for entry in one.entries()]
        entries.sort(key=lambda one: one.first)
        for at in range(0, len(entries), MOST_OF_ROW):
            joined.append(row(entries[at : at + MOST_OF_ROW]))
    return joined


def folded(numbers: Sequence[int | None]) -> str:
    """0-7,4x16,?: what follows each other, what is the same, what is not known."""
    words = []
    i = 0
    while i < len(numbers):
        first, j = numbers[i], i + 1
        while j < len(numbers) and numbers[j] == first:
            j += 1
        shown = "?" if first is None else str(first)
        if j > i + 1:
            words.append(f"{j - i}x{shown}")
        elif first is None:
            words.append(shown)
        else:
            while j < len(numbers) and numbers[j] == first + j - i:
                j += 1
            words.append(shown if j == i + 1 else f"{shown}-{first + j - i - 1}")
        i = j
    return ",".join(words)


def unfolded(text: str) -> list[int | None]:
    """Raises ValueError."""
    found: list[int | None] = []
    for part in text.split(","):
        match = _PART.fullmatch(part)
        if match is None:
            raise ValueError(part)
        if match[2] is not None:
            times, value = int(match[1] or 1), None if match[2] == "?" else int(match[2])
            if len(found) + times > MOST_OF_ROW:
                raise ValueError("too many")
            found += [value] * times
        else:
            low, high = int(match[3]), int(match[4])
            if not low <= high < low + MOST_OF_ROW - len(found):
                raise ValueError("too many")
            found += range(low, high + 1)
    return found
