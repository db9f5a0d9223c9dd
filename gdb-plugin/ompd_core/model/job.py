# SPDX-License-Identifier: Apache-2.0
"""What do the processes of a job have in common, and which ranks are odd? What their reports say,
each thing once, with those who say it. Two of these make one, in whatever order: so a job can be
put together as a tree of nodes."""

from __future__ import annotations

import hashlib
import re
from collections import Counter, defaultdict
from typing import Collection, Generic, Hashable, Iterator, Sequence, TypeVar

from ..light_classes import dataclass, field, replace
from .members import Members, Other, Run, folded, in_words
from .messages import Message
from .native import Location
from .rank_reports import (
    Awaiting,
    Doing,
    Finding,
    Frame,
    Missing,
    NoReport,
    Report,
    Runtime,
    read,
    stacks,
)
from .roll import Entry, Row, by_host, row

MOST_PLACES = 1 << 18  # in the tree of all stacks
MOST_REPEATED = 1 << 12  # ranks that are in two documents
MOST_AWAITED = 1 << 10  # messages, that are told apart by their ranks
MOST_CLASSES = 1 << 10  # that are told apart by lines; where there are more, functions have to do


@dataclass(eq=False)
class Node:
    """A frame, and the threads of all ranks that go through it."""

    frame: Frame | None = None
    threads: int = 0
    members: Members = field(default_factory=Members)
    children: dict[Frame, Node] = field(default_factory=dict)
    likely: bool = False  # not certain


_What = TypeVar("_What")


@dataclass(eq=False)
class Group(Generic[_What]):
    """Who says the same of something."""

    members: Members
    what: _What
    by: Entry | None = None  # in whose words


@dataclass(eq=False)
class Said:
    """A finding."""

    finding: Finding
    same: bool  # in the same words of all
    members: Members
    by: Entry  # in whose words: the first one's


@dataclass(eq=False)
class RankClass:
    """Ranks with the same findings, whose threads are at the same places."""

    members: Members
    codes: tuple[str, ...]  # of findings
    doing: Counter[Doing]
    readable: bool  # is the state of OpenMP known there?
    odd: bool = False


@dataclass(frozen=True)
class Unread:
    """A file that is not a report."""

    file: str
    why: str


class Job:
    def __init__(self, wrong: Collection[str]) -> None:
        """wrong: the codes of findings that say: something is wrong with this process."""
        self.everybody = Members()
        self.failed = Members()  # it is told why there is no report
        self.rows: list[Row] = []
        self.claimed = Members()  # ranks
        self.repeated: dict[int, list[str]] = {}  # ranks that several reports claim: by which files
        self.shared: set[Other] = set()  # processes so, where no rank is known
        self.rank_counts: set[int] = set()  # how many ranks the launcher started, as they tell
        self.tree = Node()
        self.untold = Members()  # whose stacks are not all in the tree
        self.by_class: dict[Hashable, RankClass] = {}
        self.by_line = True  # is that how classes are told apart?
        self.said: dict[Hashable, Said] = {}
        self.awaiting: dict[Awaiting, Members] = {}  # who waits for which message
        self.by_rank_awaited = True  # is that how messages are told apart?
        self.without: dict[Hashable, Group[Missing]] = {}
        self.programs: dict[str | None, Members] = {}
        self.runtimes: dict[tuple[Runtime, ...], Members] = {}
        self.unread: list[Unread] = []
        self.counted_twice: list[str] = []  # files
        self.lost: dict[str, str] = {}  # hosts that did not answer, and why
        self.stopped: Counter[float] = Counter()  # for how many seconds each process stood
        self.places: dict[str, Members] = {}  # for a second look: who is at the same places
        self._wrong = wrong
        self._by_host: list[tuple[int, int, str]] | None = None  # made when asked for
        self.places_taken = 0

    # ---- What is put together --------------------------------------------------------------------

    def add(self, file: str, document: object, mark: bool = False) -> Report:
        """A report. mark: for a second look. Raises NoReport."""
        report = read(file, document)
        one = Job(self._wrong)
        one._is(report, document)
        if mark and not report.failed:
            one.places = {
                _digest(report, document): Members(one.everybody.runs, one.everybody.others)
            }
        self.take(one)
        return report

    def _is(self, report: Report, document: object) -> None:
        entry = Entry(report.rank, report.host, report.pid, sum(report.doing.values()), report.file)
        rank = [(report.rank, report.rank)] if report.rank is not None else []
        other = () if rank else (entry.process or entry.by_file,)

        def itself() -> Members:
            return Members(rank, other)

        self.rows = [row([entry])]
        self.claimed = Members(rank)
        self.everybody = itself()
        if report.rank_count is not None:
            self.rank_counts = {report.rank_count}
        for finding in report.findings:
            self.say(Said(finding, True, itself(), entry))
        for missing in report.missing:
            self.miss(Group(itself(), missing, entry))
        if report.failed:
            self.failed = itself()
            return
        codes = dict.fromkeys(one.code for one in report.findings if self.is_wrong(one))
        self.classify(RankClass(itself(), tuple(codes), Counter(report.doing), report.readable))
        self.programs = {report.program: itself()}
        self.runtimes = {report.runtimes: itself()}
        self.awaiting = {one: itself() for one in report.awaiting}
        path = [self.tree]
        for depth, frame, threads, certain in stacks(document):
            del path[depth + 1 :]
            node = path[-1].children.get(frame)
            if node is None:
                node = path[-1].children[frame] = Node(frame, members=itself())
            node.threads += threads
            node.likely = node.likely or not certain
            path.append(node)

    def say(self, one: Said) -> None:
        """Numbers differ between ranks."""
        finding = one.finding
        key = (finding.code, finding.confirmed, _without_numbers(finding.text))
        found = self.said.setdefault(key, one)
        if found is one:
            return
        found.same = found.same and one.same and found.finding.text == finding.text
        if one.by.first < found.by.first:
            found.finding, found.by = finding, one.by
        found.members.update(one.members)

    def miss(self, one: Group[Missing]) -> None:
        what = one.what
        key = (what.section, what.code, _without_numbers(what.message + what.hint))
        found = self.without.setdefault(key, one)
        if found is one:
            return
        if one.by and found.by and one.by.first < found.by.first:
            found.what, found.by = what, one.by
        found.members.update(one.members)

    def classify(self, one: RankClass) -> None:
        key = _likeness(one, self.by_line)
        known = self.by_class.get(key)
        if known is None:
            self.by_class[key] = one
            if self.by_line and len(self.by_class) > MOST_CLASSES:
                self.coarsen()
        else:
            known.members.update(one.members)
            known.doing.update(one.doing)

    def coarsen(self) -> None:
        """What is too various to be told apart by lines is so in whatever order it comes."""
        if self.by_line:
            self.by_line = False
            classes = list(self.by_class.values())
            self.by_class = {}
            for one in classes:
                self.classify(one)

    def await_messages(self, found: dict[Awaiting, Members], by_rank: bool) -> None:
        """Where each rank waits for another one, only that is kept which all have in common."""
        _unite(self.awaiting, found)
        self.by_rank_awaited = (
            self.by_rank_awaited and by_rank and len(self.awaiting) <= MOST_AWAITED
        )
        if not self.by_rank_awaited:
            kept: dict[Awaiting, Members] = {}
            for one, members in self.awaiting.items():
                message = Message(one.message.direction, world=one.message.world)
                _unite(kept, {Awaiting(one.call, message): members})
            self.awaiting = kept

    def take(self, other: Job) -> None:
        """The other one is used up. Raises NoReport."""
        both = self.claimed.common(other.claimed)
        if len(both) > MOST_REPEATED:
            raise NoReport(f"{len(both)} of its ranks are in other reports already")
        names = {rank: self._names(rank) + other._names(rank) for rank in both.ranks()}
        repeated = {
            **self.repeated,
            **other.repeated,
            **{rank: sorted(set(found))[:2] for rank, found in names.items()},
        }
        loose = [[*one._loose(repeated)] for one in (self, other)]
        processes = Counter(entry.process for found in loose for entry in found)
        shared = {one for one, number in processes.items() if number > 1 and one is not None}
        for one, found in zip((self, other), loose):
            one._rename(found, repeated, self.shared | other.shared | shared)
        self._unite(other)

    def _names(self, rank: int) -> list[str]:
        known = self.repeated.get(rank)
        return known or [one.by_file[2] for one in self.entries() if one.rank == rank]

    def _loose(self, repeated: Collection[int]) -> Iterator[Entry]:
        """Those without a rank of their own."""
        if not repeated and not self.everybody.others:
            return
        for entry in self.entries():
            if entry.rank is None or entry.rank in repeated:
                yield entry

    def _rename(
        self, loose: Sequence[Entry], repeated: dict[int, list[str]], shared: set[Other]
    ) -> None:
        """What several claim names none of them."""
        for entry in loose:
            process = entry.process
            if entry.rank is not None and entry.rank not in self.repeated:
                name = entry.by_file if process is None or process in shared else process
                for members in self._sets():
                    members.rename(entry.rank, name)
            elif process in shared and process not in self.shared:
                for members in self._sets():
                    members.replace(process, entry.by_file)
        self.repeated = repeated
        self.shared = shared

    def label(self, label: str) -> None:
        """What those are called by whose documents have no names of their own."""
        for entry in list(self._loose(self.repeated)):
            if not entry.label:
                new = replace(entry, label=label).by_file
                for members in self._sets():
                    members.replace(entry.by_file, new)
        self.rows = [one if one.label else replace(one, label=label) for one in self.rows]
        for said in self.said.values():
            said.by = replace(said.by, label=said.by.label or label)
        for missing in self.without.values():
            if missing.by is not None:
                missing.by = replace(missing.by, label=missing.by.label or label)

    def _sets(self) -> Iterator[Members]:
        yield from (self.everybody, self.failed, self.untold)
        yield from (one.members for one in self.by_class.values())
        yield from (one.members for one in self.said.values())
        yield from (one.members for one in self.without.values())
        yield from self.programs.values()
        yield from self.runtimes.values()
        yield from self.awaiting.values()
        yield from self.places.values()
        pending = [self.tree]
        while pending:
            node = pending.pop()
            yield node.members
            pending += node.children.values()

    def _unite(self, other: Job) -> None:
        for mine, theirs in (
            (self.everybody, other.everybody),
            (self.failed, other.failed),
            (self.claimed, other.claimed),
            (self.untold, other.untold),
        ):
            mine.update(theirs)
        self.rows += other.rows
        self._by_host = None
        self.rank_counts |= other.rank_counts
        self.unread += other.unread
        self.counted_twice += other.counted_twice
        self.lost.update(other.lost)
        self.stopped.update(other.stopped)
        for said in other.said.values():
            self.say(said)
        for missing in other.without.values():
            self.miss(missing)
        if not other.by_line:
            self.coarsen()
        for one in other.by_class.values():
            self.classify(one)
        _unite(self.programs, other.programs)
        _unite(self.runtimes, other.runtimes)
        _unite(self.places, other.places)
        self.await_messages(other.awaiting, other.by_rank_awaited)
        self._add_stacks(other)

    def _add_stacks(self, other: Job) -> None:
        pending = [(self.tree, other.tree)]
        while pending:
            mine, theirs = pending.pop()
            for frame, branch in theirs.children.items():
                node = mine.children.get(frame)
                if node is None:
                    if self.places_taken >= MOST_PLACES:
                        self.untold.update(branch.members)
                        continue
                    self.places_taken += 1
                    node = mine.children[frame] = Node(frame)
                node.threads += branch.threads
                node.likely = node.likely or branch.likely
                node.members.update(branch.members)
                pending.append((node, branch))

    # ---- Which ranks there are -------------------------------------------------------------------

    def entries(self) -> Iterator[Entry]:
        for one in self.rows:
            yield from one.entries()

    @property
    def size(self) -> int | None:
        """How many ranks the launcher started, if all that tell it agree."""
        (only,) = self.rank_counts if len(self.rank_counts) == 1 else (None,)
        return only

    def absent(self) -> list[Run]:
        """Ranks without a report, as runs from, to: there may be very many."""
        if self.size is None or not self.claimed:
            return []
        return list(Members([(0, self.size - 1)]).without(self.claimed).runs if self.size else [])

    def by_rank(self) -> bool:
        """Are there ranks at all, or just processes?"""
        return bool(self.everybody.runs)

    def where(self, members: Members) -> str:
        """n[1-3].r[0-11]: ranks with their hosts; empty if these are not known, or one."""
        if not members.runs or members.others:
            return ""
        hosts = set()
        i, runs = 0, members.runs
        for low, high, host in self._ranks_of_hosts():
            while i < len(runs) and runs[i][1] < low:
                i += 1
            if i < len(runs) and runs[i][0] <= high:
                hosts.add(host)
        return f"{folded(hosts)}.r[{in_words(runs)}]" if hosts else ""

    def _ranks_of_hosts(self) -> list[tuple[int, int, str]]:
        """Runs, in order."""
        if self._by_host is None:
            found: dict[str, list[Run]] = defaultdict(list)
            for one in self.entries():
                if one.host is not None and one.rank is not None:
                    found[one.host].append((one.rank, one.rank))
            self._by_host = sorted(
                (low, high, host)
                for host, runs in found.items()
                for low, high in Members(runs).runs
            )
        return self._by_host

    def hosts(self) -> set[str]:
        return {one.host for one in self.rows if one.host is not None}

    def example(self, members: Members) -> Entry | None:
        """One of them."""
        for one in self.entries():
            rank = one.rank if one.rank not in self.repeated else None
            if rank is not None and rank in members:
                return one
            if rank is None and {one.process, one.by_file} & members.others:
                return one
        return None

    def fold_rows(self) -> list[Row]:
        self.rows = by_host(self.rows)
        return self.rows

    # ---- What they say ---------------------------------------------------------------------------

    def classes(self) -> list[RankClass]:
        """The odd ones first, the usual one last. Without findings the usual one has more than half
        of all ranks, and if none has, none is odd; ranks that compute are told apart by functions
        then, and no more by lines."""
        found: list[RankClass] = []
        for by_line in (True, False):
            found = self._classes(by_line)
            if found and 2 * len(found[-1].members) > sum(len(one.members) for one in found):
                for one in found[:-1]:
                    one.odd = True
                break
        for one in found:
            one.odd = one.odd or bool(one.codes)
        return found

    def _classes(self, by_line: bool) -> list[RankClass]:
        made: dict[Hashable, RankClass] = {}
        for one in self.by_class.values():
            key = _likeness(one, by_line)
            known = made.setdefault(key, RankClass(Members(), one.codes, Counter(), one.readable))
            known.members.update(one.members)
            known.doing.update(one.doing)
        return sorted(
            made.values(), key=lambda one: (not one.codes, len(one.members), one.members.first())
        )

    def is_wrong(self, finding: Finding) -> bool:
        return finding.confirmed and finding.code in self._wrong

    def findings(self) -> list[Said]:
        """Rare ones first, those that say that something is wrong before all others."""
        return sorted(
            self.said.values(),
            key=lambda one: (
                not one.finding.confirmed,
                one.finding.code not in self._wrong,
                len(one.members),
                one.members.first(),
            ),
        )

    def missing(self) -> list[Group[Missing]]:
        return sorted(self.without.values(), key=lambda one: one.members.first())

    def groups(self, found: dict[_What, Members]) -> list[Group[_What]]:
        """By something that should be the same in all; the rare ones first."""
        groups = [Group(members, what) for what, members in found.items()]
        return sorted(groups, key=lambda group: (len(group.members), group.members.first()))


def _unite(mine: dict[_What, Members], theirs: dict[_What, Members]) -> None:
    for what, members in theirs.items():
        if what in mine:
            mine[what].update(members)
        else:
            mine[what] = members


def _digest(report: Report, document: object) -> str:
    """Of where its threads are."""
    doing = sorted(f"{one!r} {number}" for one, number in report.doing.items())
    text = "\n".join([*doing, *map(repr, stacks(document))])
    return hashlib.sha256(text.encode("utf-8", "backslashreplace")).hexdigest()[:16]


def _without_numbers(text: str) -> str:
    return re.sub(r"0x[0-9a-f]+|[0-9]+", "", text)


def _likeness(one: RankClass, by_line: bool) -> Hashable:
    """Threads that are idle, or in a library outside of OpenMP, come and go."""
    places = frozenset(
        (doing.states, doing.running, _place(doing.where, by_line), doing.call)
        for doing in one.doing
        if not doing.idle and (doing.states or (doing.where is not None and doing.where.file))
    )
    return one.codes, one.readable, places


def _place(place: Location | None, by_line: bool) -> object:
    if place is None or by_line:
        return place
    return place.function, place.file
