# SPDX-License-Identifier: Apache-2.0
"""The explicit tasks."""

from __future__ import annotations

from typing import Annotated, List, Optional

from typing_extensions import NotRequired, TypedDict

from .threads import Wait
from .words import Address, Count, Doubts, Loc, OneOf, RegionId, TaskId, ThreadId


class ExplicitTask(TypedDict):
    id: TaskId
    runtime: Count
    region: Optional[RegionId]
    address: Address
    state: Optional[
        Annotated[str, OneOf("executing", "suspended", "ready", "blocked", "detached", "finished")]
    ]
    undeferred: NotRequired[bool]
    final: NotRequired[bool]
    tied: NotRequired[bool]
    thread: Optional[ThreadId]
    created: Optional[Loc]
    function: Optional[Loc]
    parent: Optional[TaskId]
    children: Optional[Count]
    unseen_children: NotRequired[Count]
    priority: Optional[int]
    depends_on: List[TaskId]
    wait: Optional[Wait]
    doubts: NotRequired[Doubts]
    inside: NotRequired[
        Annotated[Optional[TaskId], "what its thread executes on top of it, if it is suspended"]
    ]
    taskgroup: NotRequired[
        Annotated[Optional[Address], "the innermost taskgroup that it belongs to, or has begun"]
    ]
    taskgroup_left: NotRequired[Annotated[Optional[Count], "tasks in it that are not complete"]]
