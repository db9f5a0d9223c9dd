# SPDX-License-Identifier: Apache-2.0
"""The regions, their work-sharing loops and their barriers."""

from __future__ import annotations

from typing import Annotated, List, Optional

from typing_extensions import NotRequired, TypedDict

from .words import (
    Address,
    AnyInteger,
    Anything,
    Count,
    Doubts,
    GdbId,
    Loc,
    OneOf,
    RegionId,
    ThreadId,
    ThreadIds,
)


class LoopPart(TypedDict):
    id: ThreadId
    gdb: Optional[str]
    first: Annotated[
        Optional[AnyInteger], "the iterations that the thread has got: from this one on"
    ]
    last: Annotated[Optional[AnyInteger], "to this one"]
    at: Annotated[Optional[AnyInteger], "the iteration that it executes"]
    left: Annotated[Optional[AnyInteger], "how many are set aside for it that it has not got yet"]
    doubts: NotRequired[Doubts]


class Loop(TypedDict):
    """a work-sharing loop; iterations are counted from 0"""

    schedule: Annotated[
        Optional[
            Annotated[str, OneOf("static", "dynamic", "guided", "trapezoidal", "static_steal")]
        ],
        "static_steal: how LLVM's runtime executes nonmonotonic:dynamic",
    ]
    sections: Annotated[bool, "a sections construct of gcc's"]
    loc: Optional[Loc]
    iterations: Optional[AnyInteger]
    chunk: Annotated[Optional[AnyInteger], "the schedule's size of chunks"]
    handed_out: Annotated[Optional[AnyInteger], "how many iterations threads have got so far"]
    ordered_turn: Annotated[Optional[AnyInteger], "the iteration whose turn it is in ordered"]
    ordered_by: NotRequired[Annotated[Optional[str], "the thread whose turn it is in ordered"]]
    remaining: NotRequired[
        Annotated[
            Optional[AnyInteger],
            "how many iterations no thread has got yet, where that is what the runtime records",
        ]
    ]
    completed: NotRequired[
        Annotated[
            Optional[int],
            "how many threads have left it without waiting at its end, where the runtime counts"
            " them",
        ]
    ]
    parts: Annotated[List[LoopPart], "the threads that are in it"]


class Member(TypedDict):
    thread_num: Count
    gdb: Optional[GdbId]


class Region(TypedDict):
    id: RegionId
    runtime: Count
    parent: Optional[RegionId]
    generator: Annotated[str, OneOf("program", "parallel", "teams", "target")]
    serialized: Optional[bool]
    level: Optional[int]
    active_level: Optional[int]
    team_size: Optional[int]
    requested: Optional[int]
    league_size: Optional[int]
    team_num: Optional[int]
    loc: Optional[Loc]
    function: Optional[Loc]
    address: Address
    members: List[Member]
    barrier: Optional[Anything]
    doubts: NotRequired[Doubts]
    loops: NotRequired[
        Annotated[
            List[Loop], "the work-sharing loops that its threads are in; of `ompd parallel ID'"
        ]
    ]


class Instead(TypedDict):
    who: ThreadId
    doing: Annotated[
        str,
        OneOf(
            "working",
            "call",
            "waiting",
            "barrier",
            "inner_region",
            "overhead",
            "let_go",
            "gone",
            "unknown",
        ),
    ]
    in_call: Optional[Loc]
    loc: Optional[Loc]


class Barrier(TypedDict):
    region: RegionId
    kind: Annotated[
        str,
        OneOf(
            "barrier",
            "for",
            "sections",
            "single",
            "workshare",
            "worksharing",
            "parallel",
            "reduction",
            "unknown",
        ),
    ]
    loc: Optional[Loc]
    arrived: ThreadIds
    missing: Optional[ThreadIds]
    instead: Annotated[List[Instead], "what each of those does that are missing"]
    doubts: NotRequired[Doubts]
