# SPDX-License-Identifier: Apache-2.0
"""The internal control variables."""

from __future__ import annotations

from typing import Annotated, Dict, List, Optional

from typing_extensions import NotRequired, TypedDict

from .words import AtLeast, Doubt, OneOf, Pattern


class IcvValue(TypedDict):
    value: Annotated[
        Optional[int], "Of a list its first item; null: it has no number, or is not known."
    ]
    text: Optional[str]
    who: Annotated[Optional[str], "null: it is the process's."]
    doubts: NotRequired[Dict[str, Doubt]]


class Icv(TypedDict):
    """An internal control variable, by its specification's name."""

    name: Annotated[str, Pattern("-var$")]
    scope: Annotated[str, OneOf("process", "task", "thread", "region")]
    changed: Annotated[
        bool, "Of a task's: not the same in all threads and in the program's initial task."
    ]
    values: Annotated[List[IcvValue], AtLeast(1)]
