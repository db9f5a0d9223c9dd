# SPDX-License-Identifier: Apache-2.0
"""The document of many processes, and the part of one that is merged with others."""

from __future__ import annotations

from typing import Annotated, Any, Dict, List, Optional, Union

from typing_extensions import NotRequired, TypedDict

from .threads import Message
from .words import Anything, AtLeast, Count, Number, OneOf, Text

Ranks = Annotated[str, "compressed list of ranks, of host:pid, or of files"]


class Members(TypedDict):
    ranks: Ranks
    count: Count


class Place(TypedDict):
    function: Optional[str]
    file: Optional[str]
    line: Optional[Count]


class RankThreads(TypedDict):
    """Threads of these ranks that do the same."""

    count: Count
    kind: Optional[str]
    running: bool
    states: List[Optional[str]]
    certain: bool
    text: str
    where: Optional[Place]
    in_call: Optional[str]


class RankClass(Members):
    """Ranks with the same findings, whose threads are at the same places."""

    odd: bool
    codes: List[str]
    threads: List[RankThreads]
    readable: Annotated[bool, "Is the state of OpenMP known there?"]
    nodes: NotRequired[Annotated[Optional[str], "ranks with their hosts: n[1-3].r[0-11]"]]


class RankStacks(Members):
    """A frame that the stacks of some threads of some ranks have in common, and what they have
    further in."""

    frame: Optional[str]
    kind: Optional[Annotated[str, OneOf("user", "wait", "construct", "unknown")]]
    place: Optional[Place]
    certain: bool
    threads: Count
    children: List[RankStacks]


class Report(TypedDict):
    file: str
    name: str
    rank: Optional[Count]
    host: Optional[str]
    pid: Optional[Count]
    program: Optional[str]
    threads: Count
    failed: Annotated[bool, "it tells only why there is no report"]


class Unreadable(TypedDict):
    file: str
    message: str


class Said(TypedDict):
    """A finding of some ranks."""

    code: str
    text: Annotated[str, "in the words of the first of these ranks"]
    confirmed: bool
    same_text: bool


class RankFinding(Said, Members):
    pass


class RankAwaiting(Members):
    """Ranks that wait for a message in a call of MPI's."""

    call: str
    message: Message
    text: str


class Unclear(TypedDict):
    ranks: Ranks
    count: Number


class Program(TypedDict):
    program: Optional[str]


class RankProgram(Program, Members):
    pass


class RuntimeBuild(TypedDict):
    kind: str
    version: Optional[str]
    build_id: Optional[str]
    path: Optional[str]


class RankRuntimes(Members):
    runtimes: List[RuntimeBuild]


class Missing(TypedDict):
    """A section that the reports of some ranks do not have."""

    section: str
    code: str
    message: str
    hint: Optional[str]


class RankMissing(Missing, Members):
    pass


class Lost(TypedDict):
    hosts: Annotated[str, "n[1-3]"]
    message: str


class Stopped(TypedDict):
    median: float
    most: float


class Closer(TypedDict):
    ranks: str
    host: Optional[str]
    pid: Optional[int]
    command: str


class Watch(TypedDict):
    seconds: float
    elsewhere: Annotated[str, "ranks that moved"]
    same_places: str
    only_once: str


class Merge(TypedDict):
    """Of `ompd merge': the reports of many processes; of `ompd job': those of a job."""

    schema: Annotated[str, OneOf("ompd/1")]
    command: Annotated[str, OneOf("merge", "job")]
    notes: List[str]
    verdict: Text
    reports: List[Report]
    rank_count: Annotated[Optional[Count], "how many ranks were started"]
    absent: Annotated[Optional[str], "ranks that were started and have no report"]
    unreadable: List[Unreadable]
    findings: List[RankFinding]
    unclear: Annotated[
        Optional[Unclear],
        "of whom it cannot be told whether something is wrong: `findings' say why",
    ]
    classes: Annotated[List[RankClass], "odd ones first"]
    awaiting: NotRequired[List[RankAwaiting]]
    merged: RankStacks
    programs: List[RankProgram]
    runtimes: List[RankRuntimes]
    unavailable: List[RankMissing]
    part: NotRequired[Part]
    lost: NotRequired[Annotated[List[Lost], "hosts that did not answer, and why"]]
    stopped_seconds: NotRequired[Annotated[Optional[Stopped], "for how long processes stood"]]
    closer: NotRequired[
        Annotated[List[Closer], "a member of each class, and the command that opens it"]
    ]
    watch: NotRequired[
        Annotated[Optional[Watch], "of `ompd job --watch': the same job some seconds before"]
    ]


# ---- A part --------------------------------------------------------------------------------------

RankSet = Annotated[
    Union[
        Annotated[str, "ranks: 0-7,9"],
        Annotated[List[Any], AtLeast(1), "ranks, then [host, process, file] for what has none"],
    ],
    "Members of a job.",
]


class PartRow(TypedDict):
    host: Optional[str]
    ranks: str
    pids: str
    threads: str
    files: NotRequired[List[str]]
    label: NotRequired[str]


class PartThreads(TypedDict):
    """As in `RankThreads', of which the fields that say nothing may be left out."""

    count: Any
    states: Any


class PartClass(TypedDict):
    codes: List[str]
    readable: bool
    threads: List[PartThreads]
    members: RankSet


class PartFinding(Said):
    members: RankSet


class PartMissing(Missing):
    members: RankSet


class PartAwaiting(TypedDict):
    call: str
    message: Any
    members: RankSet


class PartProgram(Program):
    members: RankSet


class PartRuntimes(TypedDict):
    runtimes: List[Any]
    members: RankSet


class Part(TypedDict):
    """What is known of some processes of a job, for `ompd merge' to put together with the rest, in
    any order: its size depends on what they do, and not on how many do it."""

    schema: Annotated[str, OneOf("ompd/1")]
    command: Annotated[str, OneOf("part")]
    rows: Annotated[List[PartRow], "who is where: columns of numbers as 0-7,4x16,?"]
    rank_counts: List[Count]
    repeated: Annotated[Anything, "ranks that several reports claim"]
    shared: Annotated[List[Any], "processes without a rank that several reports claim"]
    failed: RankSet
    untold: RankSet
    by_line: Annotated[bool, "false: there are too many classes to tell them apart by lines"]
    classes: List[PartClass]
    findings: List[PartFinding]
    unavailable: List[PartMissing]
    programs: List[PartProgram]
    runtimes: List[PartRuntimes]
    awaiting: NotRequired[List[PartAwaiting]]
    by_rank_awaited: NotRequired[
        Annotated[bool, "false: there are too many messages to tell them apart by their ranks"]
    ]
    stacks: Annotated[
        List[Annotated[List[Any], AtLeast(6)]],
        "in pre-order: depth, threads, members, kind, text, [function, file, line], true if it is"
        " likely",
    ]
    unreadable: List[Any]
    twice: List[str]
    lost: Annotated[Dict[str, str], "hosts that did not answer, and why"]
    stopped: Annotated[Dict[str, int], "for how many seconds processes stood, and how many did"]
    places: Annotated[Anything, "for a second look: who is at the same places"]
