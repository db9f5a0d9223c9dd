# SPDX-License-Identifier: Apache-2.0
"""Which processes of a job? A set of ranks, as runs: there may be very many, and mostly alike ones
stand beside each other. Those without a rank of their own go by host and process, else by file."""

from __future__ import annotations

import re
from collections import defaultdict
from typing import Iterable, Iterator, Sequence

from .. import late_patterns

Run = tuple[int, int]  # from, to
Other = tuple[str, int, str]  # a process: host, pid, ""; a file: "", 0, its name

LARGEST_RANK = 10**9  # no launcher counts so far
_RUN = late_patterns.compile(r"([0-9]{1,10})(?:-([0-9]{1,10}))?")


class Members:
    __slots__ = ("_runs", "_joined", "others")

    def __init__(self, runs: Iterable[Run] = (), others: Iterable[Other] = ()) -> None:
        self._runs = list(runs)
        self._joined = False
        self.others = set(others)

    @property
    def runs(self) -> Sequence[Run]:
        """In order, apart from each other."""
        if not self._joined:
            self._runs = _joined(self._runs)
            self._joined = True
        return self._runs

    def update(self, more: Members) -> None:
        if more._runs:
            self._runs += more.runs
            self._joined = False
        self.others |= more.others

    def __len__(self) -> int:
        return sum(high - low + 1 for low, high in self.runs) + len(self.others)

    def __bool__(self) -> bool:
        return bool(self._runs or self.others)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Members) and (self.runs, self.others) == (other.runs, other.others)

    def __contains__(self, rank: int) -> bool:
        return any(low <= rank <= high for low, high in self.runs)

    def common(self, more: Members) -> Members:
        found = []
        mine, theirs = list(self.runs), list(more.runs)
        i = j = 0
        while i < len(mine) and j < len(theirs):
            low, high = max(mine[i][0], theirs[j][0]), min(mine[i][1], theirs[j][1])
            if low <= high:
                found.append((low, high))
            if mine[i][1] < theirs[j][1]:
                i += 1
            else:
                j += 1
        return Members(found, self.others & more.others)

    def without(self, less: Members) -> Members:
        found = []
        gone = less.runs
        i = 0
        for low, high in self.runs:
            while i < len(gone) and gone[i][1] < low:
                i += 1
            j = i
            while j < len(gone) and gone[j][0] <= high:
                if gone[j][0] > low:
                    found.append((low, gone[j][0] - 1))
                low = gone[j][1] + 1
                j += 1
            if low <= high:
                found.append((low, high))
        return Members(found, self.others - less.others)

    def is_within(self, more: Members) -> bool:
        return not self.without(more)

    def first(self) -> tuple[int, int, Other]:
        """To sort by: ranks come before what has none."""
        if self.runs:
            return 0, self.runs[0][0], ("", 0, "")
        return 1, 0, min(self.others, default=("", 0, ""))

    def ranks(self) -> Iterator[int]:
        for low, high in self.runs:
            yield from range(low, high + 1)

    def rename(self, rank: int, other: Other) -> None:
        """What had that rank."""
        if rank in self:
            left = self.without(Members([(rank, rank)]))
            self._runs, self._joined = list(left.runs), True
            self.others.add(other)

    def replace(self, old: Other, new: Other) -> None:
        if old in self.others:
            self.others.remove(old)
            self.others.add(new)


def _joined(runs: list[Run]) -> list[Run]:
    found: list[Run] = []
    for low, high in sorted(runs):
        if found and low <= found[-1][1] + 1:
            if high > found[-1][1]:
                found[-1] = (found[-1][0], high)
        else:
            found.append((low, high))
    return found


def in_words(runs: Iterable[Run]) -> str:
    """0-6,8"""
    return ",".join(str(low) if low == high else f"{low}-{high}" for low, high in runs)


def parsed(text: str) -> list[Run]:
    """Raises ValueError."""
    found = []
    for part in text.split(",") if text else ():
        match = _RUN.fullmatch(part)
        low, high = (int(match[1]), int(match[2] or match[1])) if match else (1, 0)
        if not low <= high <= LARGEST_RANK:
            raise ValueError(part)
        found.append((low, high))
    return found


def who(members: Members) -> str:
    """0-1,3 node7:4711: by rank, by process where no rank is known, else by file."""
    processes: dict[str, list[Run]] = defaultdict(list)
    files: list[str] = []
    for host, pid, file in members.others:
        if file:
            files.append(file)
        else:
            processes[host].append((pid, pid))
    words = [in_words(members.runs)] if members.runs else []
    words += [f"{host}:{in_words(_joined(runs))}" for host, runs in sorted(processes.items())]
    return " ".join([*words, *sorted(files)])


def folded(names: Iterable[str]) -> str:
    """n[1-40,42],login: as launchers write sets of nodes."""
    numbered: dict[tuple[str, int, str], list[Run]] = defaultdict(list)
    words: list[str] = []
    for name in set(names):
        match = re.fullmatch(r"(.*?)([0-9]{1,9})([^0-9]*)", name)
        if match is None:
            words.append(name)
        else:
            # What has leading zeros is no number without its width.
            width = len(match[2]) if match[2].startswith("0") and match[2] != "0" else 0
            numbered[match[1], width, match[3]].append((int(match[2]), int(match[2])))
    for (prefix, width, suffix), runs in numbered.items():
        joined = [
            f"{low:0{width}}" if low == high else f"{low:0{width}}-{high:0{width}}"
            for low, high in _joined(runs)
        ]
        plain = len(joined) == 1 and "-" not in joined[0]
        middle = joined[0] if plain else f"[{','.join(joined)}]"
        words.append(f"{prefix}{middle}{suffix}")
    return ",".join(sorted(words))
