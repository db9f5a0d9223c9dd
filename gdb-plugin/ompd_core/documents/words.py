# SPDX-License-Identifier: Apache-2.0
"""Of what are documents made? What else than its type holds of a value, and the words that many
fields are of.

A text in `Annotated' is the field's description in the schema."""

from __future__ import annotations

from typing import Annotated, Any, Dict, Optional, Union

from typing_extensions import TypedDict

from ..light_classes import NamedTuple


class Pattern(NamedTuple):
    pattern: str


class AtLeast(NamedTuple):
    """A number; the characters of a text; the items of a list or an object."""

    least: int


class OneOf:
    """A text."""

    def __init__(self, *texts: str) -> None:
        self.texts = texts


class Length(NamedTuple):
    items: int


Text = Annotated[str, AtLeast(1)]
Count = Annotated[int, AtLeast(0)]
Number = Annotated[int, AtLeast(1)]
# A decimal string, where JSON's readers would round the number.
AnyInteger = Union[int, str]

Address = Annotated[str, Pattern("^0x[0-9a-f]+$")]
BuildId = Annotated[str, Pattern("^[0-9a-f]+$")]
Code = Annotated[str, Pattern("^[a-z_]+$")]
Moment = Annotated[str, Pattern("^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z$")]

# Ids: GDB's thread 1.3, region R1, threads R1.7 and R1.0-6,8, task t3, lock L2.
GdbId = Annotated[str, Pattern("^[0-9]+\\.[0-9]+$")]
RegionId = Annotated[str, Pattern("^R[0-9]+$")]
ThreadId = Annotated[str, Pattern("^R[0-9]+\\.[0-9]+$")]
ThreadIds = Annotated[str, Pattern("^R[0-9]+\\.[0-9,-]+$")]
TaskId = Annotated[str, Pattern("^t[0-9]+$")]
LockId = Annotated[str, Pattern("^L[0-9]+$")]


# Of what can be a verdict. A single field that is not certain has a `Doubt'.
Certainty = Annotated[str, OneOf("certain", "likely")]


class Doubt(TypedDict):
    certainty: Annotated[str, OneOf("likely", "unknown")]
    why: Text
    how: Optional[str]


# By the field that is not certain.
Doubts = Annotated[Dict[str, Doubt], AtLeast(1)]

# An object of which no more is said.
Anything = Dict[str, Any]


class Loc(TypedDict):
    """A place in the code."""

    function: Optional[str]
    file: Optional[str]
    fullname: Optional[str]
    line: Optional[int]
    pc: Optional[Address]
    objfile: Optional[str]
