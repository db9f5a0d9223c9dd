# SPDX-License-Identifier: Apache-2.0
"""What do the processes of a job have in common, and which ranks are odd? Their reports, grouped by
what they say."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import Callable, Collection, Hashable, Iterable, Sequence

from . import ids
from .native import Location
from .rank_reports import Doing, Finding, Frame, Missing, Report, read, stacks

MOST_PLACES = 1 << 18  # in the tree of all stacks


@dataclass(eq=False)
class Node:
    """A frame, and the threads of all ranks that go through it."""

    frame: Frame | None = None
    threads: int = 0
    reports: list[Report] = field(default_factory=list)
    children: dict[Frame, Node] = field(default_factory=dict)
    likely: bool = False  # not certain


@dataclass(eq=False)
class Group:
    """Reports that say the same of something."""

    reports: list[Report]
    what: Hashable


@dataclass(eq=False)
class RankClass:
    """Ranks with the same findings, whose threads are at the same places."""

    reports: list[Report]
    codes: tuple[str, ...]  # of findings
    doing: Counter[Doing]
    readable: bool  # is the state of OpenMP known there?
    odd: bool = False


@dataclass(frozen=True)
class Unread:
    """A file that is no report."""

    file: str
    why: str


class Job:
    def __init__(self, wrong: Collection[str]) -> None:
        """wrong: the codes of findings that say: something is wrong with this process."""
        self.reports: list[Report] = []
        self.unread: list[Unread] = []
        self.tree = Node()
        self.untold: list[Report] = []  # whose stacks are not all in the tree
        self.repeated: dict[int, list[Report]] = {}  # ranks that several reports claim
        self.counted_twice: list[str] = []  # files
        self._wrong = wrong
        self._known: dict[Doing, Doing] = {}
        self._places = 0

    def add(self, file: str, document: object) -> None:
        """Raises NoReport."""
        report = read(file, document)
        known: Counter[Doing] = Counter()
        for doing, count in report.doing.items():
            known[self._known.setdefault(doing, doing)] = count
        report.doing = known
        self.reports.append(report)
        if not report.failed:
            self._add_stacks(report, document)

    def _add_stacks(self, report: Report, document: object) -> None:
        path = [self.tree]
        for depth, frame, threads, certain in stacks(document):
            del path[depth + 1 :]
            node = path[-1].children.get(frame)
            if node is None:
                if self._places >= MOST_PLACES:
                    self.untold.append(report)
                    return
                self._places += 1
                node = path[-1].children[frame] = Node(frame)
            node.threads += threads
            node.likely = node.likely or not certain
            if not node.reports or node.reports[-1] is not report:
                node.reports.append(report)
            path.append(node)

    def finish(self) -> None:
        """All have been added. What several claim names none of them."""
        by_rank: dict[int, list[Report]] = defaultdict(list)
        by_process: dict[tuple[str, int], list[Report]] = defaultdict(list)
        for report in self.reports:
            if report.rank is not None:
                by_rank[report.rank].append(report)
            if report.host is not None and report.pid is not None:
                by_process[report.host, report.pid].append(report)
        for names, groups in (("process", by_process.values()), ("rank", by_rank.values())):
            for found in groups:
                if len(found) == 1:
                    found[0].named_by = names
        self.repeated = {rank: found for rank, found in by_rank.items() if len(found) > 1}
        self.reports.sort(key=_order)

    # ---- Which ranks there are -------------------------------------------------------------------

    @property
    def size(self) -> int | None:
        """How many ranks the launcher started, if all that tell it agree."""
        told = {report.rank_count for report in self.reports if report.rank_count is not None}
        return told.pop() if len(told) == 1 else None

    def absent(self) -> list[tuple[int, int]]:
        """Ranks without a report, as runs from, to: there may be very many."""
        here = sorted({report.rank for report in self.reports if report.rank is not None})
        if self.size is None or not here:
            return []
        found, expected = [], 0
        for rank in [*here, self.size]:
            if rank > expected:
                found.append((expected, rank - 1))
            expected = rank + 1
        return found

    def by_rank(self) -> bool:
        """Are there ranks at all, or just processes?"""
        return any(report.named_by == "rank" for report in self.reports)

    # ---- What they say ---------------------------------------------------------------------------

    def classes(self) -> list[RankClass]:
        """The odd ones first, the usual one last. Without findings the usual one has more than half
        of all ranks, and if none has, none is odd; ranks that compute are told apart by functions
        then, and no more by lines."""
        found: list[RankClass] = []
        for by_line in (True, False):
            found = self._classes(by_line)
            if found and 2 * len(found[-1].reports) > sum(len(one.reports) for one in found):
                for one in found[:-1]:
                    one.odd = True
                break
        for one in found:
            one.odd = one.odd or bool(one.codes)
        return found

    def _classes(self, by_line: bool) -> list[RankClass]:
        groups: dict[object, list[Report]] = defaultdict(list)
        for report in self.reports:
            if not report.failed:
                groups[self._likeness(report, by_line)].append(report)
        made = []
        for reports in groups.values():
            doing: Counter[Doing] = Counter()
            for report in reports:
                doing.update(report.doing)
            first = reports[0]
            made.append(RankClass(reports, self._codes(first), doing, first.readable))
        return sorted(made, key=lambda one: (not one.codes, len(one.reports)))

    def _likeness(self, report: Report, by_line: bool) -> object:
        """Threads that are idle, or in a library outside of OpenMP, come and go."""
        places = frozenset(
            (one.states, one.running, _likeness(one.where, by_line), one.call)
            for one in report.doing
            if not one.idle and (one.states or (one.where is not None and one.where.file))
        )
        return self._codes(report), report.readable, places

    def _codes(self, report: Report) -> tuple[str, ...]:
        return tuple(dict.fromkeys(one.code for one in self.wrong(report)))

    def wrong(self, report: Report) -> list[Finding]:
        return [one for one in report.findings if self.is_wrong(one)]

    def is_wrong(self, finding: Finding) -> bool:
        return finding.confirmed and finding.code in self._wrong

    def findings(self) -> list[tuple[Finding, bool, list[Report]]]:
        """With whether all of these ranks say it in the same words. Numbers differ between ranks.
        Rare ones first, those that say that something is wrong before all others."""
        groups: dict[object, list[tuple[Report, Finding]]] = defaultdict(list)
        for report in self.reports:
            for one in report.findings:
                key = (one.code, one.confirmed, re.sub(r"0x[0-9a-f]+|[0-9]+", "", one.text))
                groups[key].append((report, one))
        found = []
        for pairs in groups.values():
            same = len({one.text for _, one in pairs}) == 1
            found.append((pairs[0][1], same, _once(report for report, _ in pairs)))
        return sorted(
            found,
            key=lambda one: (not one[0].confirmed, one[0].code not in self._wrong, len(one[2])),
        )

    def missing(self) -> list[tuple[Missing, list[Report]]]:
        groups: dict[Missing, list[Report]] = defaultdict(list)
        for report in self.reports:
            for one in report.missing:
                groups[one].append(report)
        return [(one, _once(found)) for one, found in groups.items()]

    def groups(self, what: Callable[[Report], Hashable]) -> list[Group]:
        """By something that should be the same in all; the rare ones first."""
        found: dict[Hashable, list[Report]] = defaultdict(list)
        for report in self.reports:
            if not report.failed:
                found[what(report)].append(report)
        groups = [Group(reports, key) for key, reports in found.items()]
        return sorted(groups, key=lambda group: len(group.reports))


def _order(report: Report) -> tuple[object, ...]:
    rank = (0, report.rank) if report.named_by == "rank" else (1, 0)
    return (*rank, report.host or "", report.pid or 0, report.file)


def _likeness(place: Location | None, by_line: bool) -> object:
    if place is None or by_line:
        return place
    return place.function, place.file


def _once(reports: Iterable[Report]) -> list[Report]:
    return list(dict.fromkeys(reports))


def who(reports: Sequence[Report]) -> str:
    """0-1,3 node7:4711: by rank, by process where no rank is known, else by file."""
    ranks: list[int] = []
    processes: dict[str, list[int]] = defaultdict(list)
    files: list[str] = []
    for report in reports:
        if report.named_by == "rank":
            ranks.append(report.rank or 0)
        elif report.named_by == "process":
            processes[report.host or ""].append(report.pid or 0)
        else:
            files.append(report.file)
    words = [ids.compress(ranks)] if ranks else []
    words += [f"{host}:{ids.compress(pids)}" for host, pids in sorted(processes.items())]
    return " ".join([*words, *sorted(files)])
