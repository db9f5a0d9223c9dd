# SPDX-License-Identifier: Apache-2.0
"""What is in a record: what each thread of a program did, when, and how that was found out. Things
refer to each other by their places in the record's lists."""

from __future__ import annotations

from array import array
from typing import Iterator

from ..light_classes import NamedTuple, dataclass, field
from ..model import python_files

UNTOLD = 0  # the activity of moments of which a damaged record tells nothing

SECOND = 1_000_000_000  # ns
_USUAL_RATE = 100.0  # Hz, where a damaged record does not tell it


@dataclass(frozen=True)
class Header:
    program: str | None = None
    pid: int | None = None
    host: str | None = None
    machine: str | None = None
    processors: int | None = None
    start: str | None = None
    realtime: int | None = None  # ns, of the moment from which all times count
    clock: str | None = None
    kernel_samples: bool | None = None
    switches: bool | None = None
    memory: bool | None = None
    rate: float | None = None
    limits: tuple[str, ...] = ()
    how: tuple[str, ...] = ()


@dataclass(frozen=True)
class Image:
    kind: str | None = None
    path: str | None = None
    build_id: str | None = None


@dataclass(frozen=True)
class Place:
    """In the program's code."""

    function: str | None = None
    file: str | None = None
    line: int | None = None

    def __bool__(self) -> bool:
        return bool(self.function or self.file)


@dataclass(frozen=True)
class Frame:
    kind: str = "unknown"  # user, construct, wait, runtime, system, unknown
    place: Place = Place()
    text: str | None = None
    region: int | None = None
    construct: int | None = None
    image: int | None = None
    language: str | None = None  # None: it is compiled
    # In the image, of the first place of its line that was met.
    offset: int | None = field(default=None, compare=False)


class Stack(NamedTuple):
    frame: int
    parent: int | None  # None: the outermost


@dataclass(frozen=True)
class Region:
    place: Place = Place()
    generator: str | None = None


@dataclass(frozen=True)
class Construct:
    kind: str | None = None
    place: Place = Place()
    name: str | None = None
    address: str | None = None
    region: int | None = None
    image: int | None = None
    inside: range | None = None  # offsets in it: the code of who has the critical construct


@dataclass(frozen=True)
class Activity:
    """All that is told of a moment of a thread but its length."""

    state: str = "?"
    on: bool | None = None  # a processor
    stack: int | None = None
    region: int | None = None
    level: int | None = None
    team: int | None = None  # the thread that began it
    thread_num: int | None = None
    construct: int | None = None
    holder: int | None = None  # a thread
    certainty: str | None = None
    why: str | None = None


class Row(NamedTuple):
    start: int
    end: int
    activity: int
    samples: int


@dataclass
class Account:
    """Of time: how much, and how many samples say so."""

    ns: int = 0
    samples: int = 0
    exact: int = 0  # ns of it that need no samples: the kernel tells of each switch
    spare: int = 0  # samples of that

    def add(self, ns: int, samples: int, exact: int = 0, spare: int = 0) -> None:
        self.ns += ns
        self.samples += samples
        self.exact += exact
        self.spare += spare

    def join(self, other: Account) -> None:
        self.add(other.ns, other.samples, other.exact, other.spare)


@dataclass
class Thread:
    number: int  # the record's
    lwp: int | None = None
    name: str | None = None
    kind: str | None = None
    runtime_id: int | None = None
    born: int = 0
    end: int = 0  # of what is told of it
    gone: bool = False
    sums: dict[int, Account] = field(default_factory=dict)  # by activity
    first: int | None = None  # where the rows begin that are kept; None: at its beginning
    durations: array[int] = field(default_factory=lambda: array("q"))
    activities: array[int] = field(default_factory=lambda: array("I"))
    samples: array[int] = field(default_factory=lambda: array("I"))

    @property
    def wall(self) -> int:
        return self.end - self.born

    @property
    def label(self) -> str:
        """thread 3 (worker, LWP 4714)"""
        known = [
            self.kind if self.kind != "none" else None,
            f"LWP {self.lwp}" if self.lwp else None,
        ]
        facts = ", ".join(fact for fact in known if fact)
        return f"thread {self.number} ({facts})" if facts else f"thread {self.number}"

    def forget(self, before: int) -> int:
        """Rows that end before the moment. Returns how many."""
        at = self.born if self.first is None else self.first
        count = 0
        while count < len(self.durations) and at + self.durations[count] <= before:
            at += self.durations[count]
            count += 1
        if count:
            self.first = at
            del self.durations[:count], self.activities[:count], self.samples[:count]
        return count

    def rows(self) -> Iterator[Row]:
        at = self.born if self.first is None else self.first
        for ns, activity, samples in zip(self.durations, self.activities, self.samples):
            yield Row(at, at + ns, activity, samples)
            at += ns


@dataclass(frozen=True)
class End:
    at: int
    how: str | None = None
    text: str | None = None
    status: int | None = None
    signal: int | None = None
    lost: int = 0
    cut: int = 0
    sampler_percent: float | None = None


@dataclass
class Record:
    header: Header = Header()
    runtimes: list[str] = field(default_factory=list)  # versions
    images: list[Image] = field(default_factory=list)
    frames: list[Frame] = field(default_factory=list)
    stacks: list[Stack] = field(default_factory=list)
    regions: list[Region] = field(default_factory=list)
    # Of each region the lines of an interpreted program that were met to begin it.
    callers: dict[int, dict[Place, None]] = field(default_factory=dict)
    constructs: list[Construct] = field(default_factory=list)
    activities: list[Activity] = field(default_factory=lambda: [Activity()])
    threads: list[Thread] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    rate: float | None = None  # as it is now, where that is not the header's
    told: int = 0  # everything is there up to this time
    end: End | None = None
    damage: list[str] = field(default_factory=list)  # sentences
    rows_left_out: int = 0

    def interpreted(self, stack: int | None) -> Place | None:
        """The innermost line of an interpreted program, the user's own if there is one. None: there
        is none, or it is not known."""
        of_library = None
        while stack is not None:
            number, stack = self.stacks[stack]
            frame = self.frames[number]
            if frame.language is None:
                continue
            if not frame.place:
                return None
            if not python_files.in_library(frame.place.file):
                return frame.place
            of_library = of_library or frame.place
        return of_library

    @property
    def complete(self) -> bool:
        return self.end is not None and not self.damage

    @property
    def period(self) -> int:
        """ns between two samples of a thread that runs."""
        return round(SECOND / (self.header.rate or _USUAL_RATE))

    @property
    def last(self) -> int:
        """The moment up to which anything is told."""
        ends = [thread.end for thread in self.threads]
        return max([self.told, *ends, self.end.at if self.end else 0])

    def path(self, stack: int | None) -> list[Frame]:
        """Outermost first."""
        found = []
        while stack is not None:
            number, stack = self.stacks[stack]
            found.append(self.frames[number])
        found.reverse()
        return found
