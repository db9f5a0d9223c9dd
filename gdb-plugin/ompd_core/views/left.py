# SPDX-License-Identifier: Apache-2.0
"""Regions whose code a thread has left: in words."""

from __future__ import annotations

from ..model.process import Left, Thread
from .parallel import construct
from .table import place
from .threads import where_of
from .values import who


def finding(thread: Thread, left: Left) -> str:
    regions = " or ".join(
        f"{one.id} ({construct(one)})" if one.location is not None and one.location.line else one.id
        for one in left.regions
    )
    at = where_of(thread)
    here = ""
    if at is not None:
        now = place(at.name, at.file, at.line)
        here = f": it is in {now} now, and nothing on its stack belongs to the region"
    return (
        f"{who([thread])} has{'' if left.sure else ' probably'} left the code of {regions} without"
        f" coming to its end{here}. Nobody else can end that region: its other threads wait for"
        " ever. A longjmp() out of it does this, or an exception."
    )
