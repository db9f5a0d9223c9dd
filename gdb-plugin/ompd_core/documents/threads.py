# SPDX-License-Identifier: Apache-2.0
"""What a thread does, in which regions, and what it waits for."""

from __future__ import annotations

from typing import Annotated, List, Optional

from typing_extensions import NotRequired, TypedDict

from .outside import Outside
from .words import Address, Count, Doubts, GdbId, Length, Loc, OneOf, RegionId, Text, ThreadId


class Wait(TypedDict):
    kind: str
    object: Optional[str]
    name: Optional[str]
    address: Optional[Address]
    holders: Optional[str]
    loc: NotRequired[Optional[Loc]]
    doubts: NotRequired[Doubts]
    construct: NotRequired[Optional[str]]
    phase: NotRequired[Annotated[Optional[str], "of a construct of a device: how far it is"]]


class Task(TypedDict):
    """That a thread executes."""

    id: Optional[str]
    kind: Annotated[str, OneOf("initial", "implicit", "explicit")]
    final: Optional[bool]
    address: NotRequired[Address]
    loc: Optional[Loc]
    doubts: NotRequired[Doubts]


class Ancestor(TypedDict):
    region: RegionId
    thread_num: Optional[int]


class Openmp(TypedDict):
    """A thread in one runtime."""

    runtime: Count
    id: Optional[ThreadId]
    region: Optional[RegionId]
    thread_num: Optional[int]
    team_size: Optional[int]
    level: Optional[int]
    active_level: Optional[int]
    ancestors: List[Ancestor]
    state: Optional[str]
    tracked_state: Optional[str]
    wait: Optional[Wait]
    passed: NotRequired[
        Annotated[
            Optional[Wait],
            "what it waited for until just now: it is being let go, and on its way",
        ]
    ]
    task: Optional[Task]
    doubts: NotRequired[Doubts]


class Message(TypedDict):
    """That a call of MPI's waits for."""

    direction: Annotated[str, OneOf("from", "to")]
    rank: Annotated[Optional[int], "in the communicator; null: any, or not known"]
    any_rank: Annotated[Optional[bool], "null: not known"]
    world: Annotated[Optional[bool], "is the communicator MPI_COMM_WORLD? null: not known"]
    doubts: NotRequired[Doubts]


class Thread(TypedDict):
    gdb: Optional[GdbId]
    gdb_global: Optional[int]
    ptid: Optional[Annotated[List[int], Length(3)]]
    lwp: Optional[int]
    name: Optional[str]
    running: bool
    doing: NotRequired[Annotated[Text, "its state, as `ompd threads' says it"]]
    at: NotRequired[Annotated[Optional[str], "its place, as it says it; null: none worth showing"]]
    kind: Optional[Annotated[str, OneOf("initial", "worker", "root", "helper", "none")]]
    where: Optional[Loc]
    openmp: List[Openmp]
    doubts: NotRequired[Doubts]
    in_call: Annotated[
        Optional[Loc], "the function outside OpenMP that the code at `where' has called"
    ]
    outside: NotRequired[
        Annotated[Outside, "what of the C and C++ libraries', or of Python's, it waits for there"]
    ]
    message: NotRequired[
        Annotated[Optional[Message], "that it waits for there: of which other rank"]
    ]
