# SPDX-License-Identifier: Apache-2.0
"""Call stacks as the user wrote the program."""

from __future__ import annotations

from typing import Annotated, List, Optional

from typing_extensions import NotRequired, TypedDict

from .words import Doubts, Loc, OneOf


class Frame(TypedDict):
    """One line of a call stack. kind `wait` and `construct` stand for no frame of the program's."""

    kind: Annotated[str, OneOf("wait", "user", "construct", "runtime")]
    number: Annotated[Optional[int], "as `ompd bt` counts"]
    loc: Optional[Loc]
    text: str
    thread: Annotated[Optional[str], "GDB's id of the thread on whose stack it is"]
    level: Annotated[
        Optional[int], "GDB's number of the frame in that thread; null: it knows no such one"
    ]
    region: Optional[str]
    thread_num: Optional[int]
    task: Optional[str]
    locals: NotRequired[str]
    doubts: NotRequired[Doubts]
    construct: NotRequired[
        Annotated[Optional[str], "of a construct: what it is, such as parallel or task"]
    ]
    language: NotRequired[
        Annotated[str, OneOf("python"), "of an interpreted function; else it is compiled"]
    ]
    device: NotRequired[Annotated[Optional[int], "of a construct of a device: its number"]]
    ended: NotRequired[
        Annotated[bool, "of a task: no code of it is on the stack, since it ends, or has not begun"]
    ]


class Stack(TypedDict):
    who: Optional[str]
    gdb: Optional[str]
    complete: Annotated[bool, "down to where the program, or the thread, began"]
    hidden: int
    frames: List[Frame]
    doubts: NotRequired[Doubts]


class Merged(TypedDict):
    """A frame that the stacks of some threads have in common, and what they have further in."""

    who: str
    count: int
    frame: Optional[Frame]
    known: Annotated[
        bool,
        "false: stands for an outer end that is not known, or for the middle of a deep recursion",
    ]
    children: List[Merged]
    label: NotRequired[
        Annotated[
            Optional[str], "the frame in words, its construct in all regions that it stands for"
        ]
    ]


# That have no other fields.
CLOSED = (Frame, Stack, Merged)
