# SPDX-License-Identifier: Apache-2.0
"""Records of which everything is known: what each thread did is drawn from a seed or given, and is
written as the sampler writes it (docs/record-format.md). What a table or an export says is compared
with the moments themselves, which no code of the project has touched."""

from __future__ import annotations

import json
import random
from dataclasses import dataclass, field
from typing import Any, Iterator

FILE = "/src/heat.c"
PROGRAM = "/home/user/heat"
PERIOD = 10_000_000  # ns between samples
BATCH = 50  # rows a line


@dataclass(frozen=True)
class At:
    """A frame: what, and where."""

    function: str
    line: int
    kind: str = "user"
    text: str | None = None
    library: str | None = None  # None: it is the program's


@dataclass(frozen=True)
class Doing:
    state: str
    path: tuple[At, ...] = ()  # outermost first
    region: int | None = None  # its line
    construct: tuple[str, int] | None = None  # kind, line, which has a lock of its own
    team: int | None = None
    thread_num: int | None = None
    holder: int | None = None
    on: bool = True


@dataclass(frozen=True)
class Moment:
    ns: int
    doing: Doing
    samples: int


@dataclass
class Made:
    threads: list[list[Moment]]
    born: list[int] = field(default_factory=list)
    header: dict[str, Any] = field(default_factory=dict)
    others: set[int] = field(default_factory=set)  # threads that are not OpenMP's

    def __post_init__(self) -> None:
        self.born = self.born or [0] * len(self.threads)

    # ---- The truth -------------------------------------------------------------------------------

    def wall(self, thread: int) -> int:
        return sum(moment.ns for moment in self.threads[thread])

    @property
    def last(self) -> int:
        return max(self.born[i] + self.wall(i) for i in range(len(self.threads)))

    def sums(self) -> dict[tuple[int, str], int]:
        """By thread and state."""
        found: dict[tuple[int, str], int] = {}
        for number, moments in enumerate(self.threads):
            for moment in moments:
                key = (number, moment.doing.state)
                found[key] = found.get(key, 0) + moment.ns
        return found

    def samples(self) -> int:
        return sum(moment.samples for moments in self.threads for moment in moments)

    # ---- The record ------------------------------------------------------------------------------

    def lines(self, end: bool = True) -> Iterator[str]:
        yield _line(
            {
                "schema": "ompd-record/1",
                "program": PROGRAM,
                "arguments": ["heat", "4096"],
                "pid": 4711,
                "host": "node7",
                "machine": "x86_64",
                "processors": 8,
                "start": "2026-11-24T09:00:00.123456789Z",
                "realtime": "1795510800123456789",
                "monotonic": "81234567890",
                "clock": "perf",
                "kernel_samples": False,
                "memory": True,
                "rate": {"asked": 100.0, "got": 100.0},
                "view_rate": 50.0,
                "budget": 1.0,
                "settings": {},
                "limits": [],
                "how": [],
                **self.header,
            }
        )
        yield _line({"runtime": 0, "kind": "llvm", "version": "LLVM libomp 19", "at": 0})
        writer = _Writer()
        for number, born in enumerate(self.born):
            kind = "worker" if number else "initial"
            kind = "none" if number in self.others else kind
            lwp = 4711 + number
            yield _line(
                {
                    "thread": number,
                    "lwp": lwp,
                    "name": "heat",
                    "born": born,
                    "runtime": 0,
                    "kind": kind,
                    "runtime_id": number,
                }
            )
        starts, places = list(self.born), [0] * len(self.threads)
        while any(at < len(self.threads[i]) for i, at in enumerate(places)):
            for number, moments in enumerate(self.threads):
                batch = moments[places[number] : places[number] + BATCH]
                if not batch:
                    continue
                places[number] += BATCH
                rows = []
                for moment in batch:
                    yield from writer.needed(moment.doing)
                    rows.append([moment.ns, writer.activities[moment.doing], moment.samples])
                yield _line({"segments": number, "start": starts[number], "rows": rows})
                starts[number] += sum(moment.ns for moment in batch)
            yield _line({"told": min(starts)})
        if end:
            yield _line(
                {
                    "end": self.last,
                    "how": "duration",
                    "text": "The time asked for is over.",
                    "status": None,
                    "signal": None,
                    "samples": self.samples(),
                    "lost": 0,
                    "cut": 0,
                    "sampler": {"percent": 0.62},
                }
            )

    def data(self, end: bool = True) -> bytes:
        return "".join(self.lines(end)).encode()


class _Writer:
    """What has been written of the tables."""

    def __init__(self) -> None:
        self.activities: dict[Doing, int] = {}
        self._frames: dict[At, int] = {}
        self._stacks: dict[tuple[At, ...], int] = {}
        self._regions: dict[int, int] = {}
        self._constructs: dict[tuple[str, int], int] = {}
        self._images: dict[str, int] = {}

    def needed(self, doing: Doing) -> Iterator[str]:
        if doing in self.activities:
            return
        yield from self._region(doing.region)
        for end in range(1, len(doing.path) + 1):
            yield from self._stack(doing.path[:end], doing.region)
        if doing.construct is not None and doing.construct not in self._constructs:
            number = self._constructs[doing.construct] = len(self._constructs)
            kind, line = doing.construct
            yield _line(
                {
                    **{"construct": number, "kind": kind, "function": "f", "file": FILE},
                    **{"line": line, "address": hex(0x4000 + line)},
                }
            )
        number = self.activities[doing] = len(self.activities)
        yield _line(
            {
                "activity": number,
                "state": doing.state,
                "on": doing.on,
                "stack": self._stacks[doing.path] if doing.path else None,
                "region": None if doing.region is None else self._regions[doing.region],
                "level": None if doing.region is None else 1,
                "team": doing.team,
                "thread_num": doing.thread_num,
                "construct": None if doing.construct is None else self._constructs[doing.construct],
                "holder": doing.holder,
                "certainty": "certain",
                "why": None,
            }
        )

    def _region(self, line: int | None) -> Iterator[str]:
        if line is not None and line not in self._regions:
            number = self._regions[line] = len(self._regions)
            yield _line({"region": number, "function": "main", "file": FILE, "line": line})

    def _stack(self, path: tuple[At, ...], region: int | None) -> Iterator[str]:
        if path in self._stacks:
            return
        frame = path[-1]
        if frame not in self._frames:
            number = self._frames[frame] = len(self._frames)
            facts: dict[str, Any] = {"frame": number, "kind": frame.kind}
            if frame.kind == "construct":
                yield from self._region(frame.line)
                facts["region"] = self._regions[frame.line]
            file = frame.library or PROGRAM
            if file not in self._images:
                self._images[file] = len(self._images)
                yield _line({"image": self._images[file], "kind": "user", "path": file})
            facts["image"] = self._images[file]
            facts.update(function=frame.function, file=FILE, line=frame.line, text=frame.text)
            yield _line(facts)
        number = len(self._stacks)
        yield _line(
            {
                "stack": number,
                "frame": self._frames[frame],
                "parent": self._stacks[path[:-1]] if len(path) > 1 else None,
            }
        )
        self._stacks[path] = number


def _line(facts: dict[str, Any]) -> str:
    return json.dumps(facts, separators=(",", ":")) + "\n"


# ---- Programs ------------------------------------------------------------------------------------

MAIN = At("main", 80)
PRAGMA = At("main", 40, "construct", "#pragma omp parallel")
SOLVE = At("solve", 42)
UPDATE = At("update", 71)
LIBC = At("memcpy", 0, "system")
WAIT = At("", 0, "wait", "wait_barrier_implicit_parallel")

IN_REGION = (MAIN, PRAGMA)
STATES = (
    Doing("work_serial", (MAIN,)),
    Doing("work_parallel", (*IN_REGION, SOLVE), 40, team=0),
    Doing("work_parallel", (*IN_REGION, SOLVE, LIBC), 40, team=0),
    Doing("work_reduction", (*IN_REGION, UPDATE), 40, team=0),
    Doing("wait_barrier_implicit_parallel", (*IN_REGION, WAIT), 40, ("region", 40), 0),
    Doing("wait_barrier_implicit_workshare", (*IN_REGION, SOLVE), 40, ("for", 45), 0),
    Doing("wait_barrier_explicit", (*IN_REGION, UPDATE), 40, ("barrier", 72), 0),
    Doing("wait_critical", (*IN_REGION, UPDATE), 40, ("critical", 71), 0),
    Doing("wait_lock", (*IN_REGION, UPDATE), 40, ("lock", 70), 0, holder=0),
    Doing("wait_taskwait", (*IN_REGION, UPDATE), 40, ("taskwait", 73), 0),
    Doing("wait_taskwait", (*IN_REGION, UPDATE), 40, ("depend", 74), 0),
    Doing("wait_taskgroup", (*IN_REGION, UPDATE), 40, ("taskgroup", 75), 0),
    Doing("wait_ordered", (*IN_REGION, UPDATE), 40, ("ordered", 76), 0),
    Doing("overhead", (*IN_REGION, At("omp_get_wtime", 0, "runtime")), 40, team=0),
    Doing("idle", on=False),
    Doing("preempted", (*IN_REGION, SOLVE), 40, team=0, on=False),
    Doing("kernel", (*IN_REGION, SOLVE), 40, team=0),
    Doing("asleep", (MAIN, At("nanosleep", 0, "system")), on=False),
    Doing("outside"),
    Doing("?", (At("", 0, "unknown"),)),
)


def any_program(seed: int, threads: int = 4, moments: int = 300) -> Made:
    """Every state, in any order; threads are born at any time."""
    draw = random.Random(seed)
    made: list[list[Moment]] = []
    for _ in range(threads):
        drawn = [*STATES, *draw.choices(STATES, k=max(moments - len(STATES), 0))]
        draw.shuffle(drawn)
        made.append([_moment(draw, doing) for doing in drawn])
    return Made(made, [draw.randrange(PERIOD) for _ in range(threads)])


def _moment(draw: random.Random, doing: Doing) -> Moment:
    ns = draw.randrange(1, 20 * PERIOD)
    return Moment(ns, doing, ns // PERIOD)


def in_team(state: str, thread: int, path: tuple[At, ...] = (), **more: Any) -> Doing:
    return Doing(state, (*IN_REGION, *path), 40, team=0, thread_num=thread, **more)


def uneven_team(
    rounds: int, work: list[int], slow: At = UPDATE, barrier: tuple[str, int] = ("for", 45)
) -> Made:
    """Each thread works so long, ns, in each round; then it waits for who works longest."""
    longest = max(work)
    threads: list[list[Moment]] = []
    for number, ns in enumerate(work):
        place = slow if ns == longest else SOLVE
        moments = []
        for _ in range(rounds):
            moments.append(_told(ns, in_team("work_parallel", number, (place,))))
            if ns < longest:
                waits = in_team("wait_barrier_implicit_workshare", number, construct=barrier)
                moments.append(_told(longest - ns, waits))
        threads.append(moments)
    return Made(threads)


def _told(ns: int, doing: Doing) -> Moment:
    return Moment(ns, doing, max(ns // PERIOD, 1))
