# SPDX-License-Identifier: Apache-2.0
"""The document of a record: where the time of a program went. Durations are nanoseconds."""

from __future__ import annotations

from typing import Annotated, Dict, List, Optional

from typing_extensions import NotRequired, TypedDict

from .words import Count, OneOf, Text

Share = Annotated[float, "of 1"]
Error = Annotated[Optional[float], "half of the interval of 95 %, of 1; null: no samples"]
KindOfTime = Annotated[
    str,
    OneOf(
        "work",
        "serial",
        "barrier",
        "lock",
        "tasks",
        "other wait",
        "overhead",
        "kernel",
        "preempted",
        "asleep",
        "idle",
        "outside",
        "?",
    ),
]
Kinds = Annotated[Dict[str, Count], "time by kind"]


class CodePlace(TypedDict):
    function: Optional[str]
    file: Optional[str]
    line: Optional[int]


class Account(TypedDict):
    time: Count
    samples: Count
    share: Share
    error: Error


class RecordedThread(TypedDict):
    thread: Annotated[Count, "the record's number"]
    lwp: Optional[Count]


class StateTime(Account):
    state: str
    kind: KindOfTime
    text: Text


class ThreadTime(Account, RecordedThread):
    name: Optional[str]
    kind: Optional[str]
    begin: Count
    end: Count
    kinds: Kinds


class RegionTime(Account):
    """Fields that only the rows of a whole record tell are null while it is recorded."""

    id: Count
    loc: CodePlace
    generator: Optional[str]
    callers: Annotated[List[CodePlace], "lines of Python that were met to begin it"]
    threads: Annotated[Count, "of its largest team"]
    duration: Annotated[Optional[Count], "while anybody was in it"]
    efficiency: Annotated[Optional[float], "work of its threads' time in it"]
    efficiency_at_most: Annotated[Optional[float], "if all that is not known was work too"]
    imbalance: Annotated[Optional[float], "the most work of one thread, by the mean"]
    busiest: Optional[RecordedThread]
    kinds: Kinds


class ThreadWait(RecordedThread):
    time: Count


class Charged(RecordedThread):
    """Who was waited for, and what he did then."""

    kind: KindOfTime
    text: Text
    loc: CodePlace
    time: Count
    concluded: Annotated[Count, "of the time: who held the lock is not recorded"]
    certainty: Annotated[str, OneOf("certain", "likely"), "likely: some of it is concluded"]


class Last(RecordedThread):
    times: Count


class WaitTime(Account):
    state: str
    text: Text
    construct: Optional[str]
    name: Optional[str]
    loc: Optional[CodePlace]
    region: Optional[Count]
    threads: List[ThreadWait]
    charged: List[Charged]
    nobody: Annotated[Count, "all had come, and were not let go yet"]
    unknown: Annotated[Count, "time for which it is not told who was waited for"]
    why_unknown: Optional[str]
    meetings: Count
    last: Annotated[List[Last], "who came last to how many meetings"]
    blurred: Annotated[bool, "about as short as the time between samples"]
    preempted: Annotated[Count, "time without a processor in the middle of such waits, besides"]


class Branch(TypedDict):
    """Of the stacks as the program is written."""

    text: str
    kind: str
    loc: CodePlace
    time: Count
    own: Count
    samples: Count
    threads: Count
    kinds: Kinds
    children: List[Branch]


class Lane(RecordedThread):
    runs: Annotated[List[List[Count]], "parts: from, to, and the place in `kinds' of its most"]


class Timeline(TypedDict):
    begin: Count
    end: Count
    parts: Count
    kinds: List[KindOfTime]
    threads: List[Lane]
    together: Annotated[List[List[Count]], "of each kind the time in each part"]
    left_out: Annotated[Count, "threads"]


class Ended(TypedDict):
    how: Optional[str]
    text: Optional[str]


class Recording(TypedDict):
    program: Optional[str]
    pid: Optional[Count]
    host: Optional[str]
    start: Optional[str]
    duration: Count
    rate: Annotated[Optional[float], "samples a second and thread"]
    clock: Optional[str]
    samples: Count
    thread_time: Annotated[Count, "of all threads together"]
    complete: bool
    ended: Annotated[Optional[Ended], "null: early"]
    lost: Optional[Count]
    cut: Optional[Count]
    limits: List[str]
    how: List[str]


class Record(TypedDict):
    """Of `ompd show', and of `ompd top' what there is by then."""

    schema: Annotated[str, OneOf("ompd/1")]
    command: Annotated[str, OneOf("show", "top")]
    notes: List[str]
    recording: Recording
    states: List[StateTime]
    threads: List[ThreadTime]
    regions: List[RegionTime]
    waits: List[WaitTime]
    stacks: List[Branch]
    timeline: NotRequired[Timeline]
