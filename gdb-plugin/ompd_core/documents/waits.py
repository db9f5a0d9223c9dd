# SPDX-License-Identifier: Apache-2.0
"""The locks, and who waits for whom."""

from __future__ import annotations

from typing import Annotated, List, Optional

from typing_extensions import NotRequired, TypedDict

from .outside import Outside
from .tasks import ExplicitTask
from .words import (
    Address,
    AtLeast,
    Certainty,
    Count,
    Doubts,
    Loc,
    LockId,
    Number,
    OneOf,
    RegionId,
    TaskId,
    Text,
)


class Lock(TypedDict):
    id: LockId
    runtime: Count
    kind: Annotated[str, OneOf("tas", "futex", "ticket", "queuing", "drdpa", "unknown")]
    construct: Optional[Annotated[str, OneOf("critical", "lock", "nest_lock")]]
    nested: bool
    name: Optional[str]
    address: Address
    held: Optional[bool]
    depth: Optional[Count]
    holder: Optional[str]
    held_since: Optional[Loc]
    suspects: List[Text]
    waiting: Count
    waiters: List[Text]
    ordered: bool
    doubts: NotRequired[Doubts]
    never_released: NotRequired[
        Annotated[
            bool,
            "held, and no thread is at a place between set and unset: an unset was probably"
            " forgotten",
        ]
    ]
    left_at: NotRequired[
        Annotated[List[Loc], "where it is set by functions that may return without unsetting it"]
    ]


class WaitEdge(TypedDict):
    thread: Text
    waits_for: Text
    kind: str
    holds: Optional[LockId]
    wants: Optional[LockId]
    region: Optional[RegionId]
    task: Optional[TaskId]
    certainty: Certainty
    loc: Optional[Loc]
    text: str
    object: NotRequired[Optional[Outside]]


class Awaited(TypedDict):
    thread: Text
    lock: Optional[LockId]
    task: Optional[TaskId]
    certainty: Certainty
    after: NotRequired[Annotated[Optional[TaskId], "the task that depends on `task'"]]


class Meeting(TypedDict):
    region: RegionId
    name: str
    missing: Optional[str]
    complete: Annotated[bool, "all that are missing are known"]
    certainty: Certainty


# In which a field has a name that Python keeps for itself.
_For = TypedDict("_For", {"for": List[Awaited]})


class Waiting(_For):
    """Threads that wait for the same."""

    who: str
    count: Number
    kind: str
    barrier: Optional[Meeting]
    outside: Annotated[Optional[str], "the function outside of OpenMP that they wait in"]
    unknown: Annotated[Optional[str], "why it is not known all that they wait for"]
    progress: Annotated[
        bool, "nothing that is not known keeps them: they are being let go, or can be"
    ]
    object: NotRequired[Optional[Outside]]
    events: NotRequired[
        Annotated[List[TaskId], "detached tasks: nobody has fulfilled their events"]
    ]


class Deadlock(TypedDict):
    verdict: Annotated[str, OneOf("deadlock", "never_released", "standstill", "none", "unknown")]
    certainty: Certainty
    text: str
    cycles: List[Annotated[List[WaitEdge], AtLeast(1)]]
    bystanders: Optional[str]
    unknown: List[str]
    second_look: NotRequired[Optional[str]]
    waits: NotRequired[
        Annotated[List[Waiting], "all that wait, those that wait for the same together"]
    ]
    queued: NotRequired[Annotated[List[TaskId], "where nobody can go on: nobody takes them"]]
    tasks: NotRequired[Annotated[List[ExplicitTask], "of those that are named here, the first"]]
