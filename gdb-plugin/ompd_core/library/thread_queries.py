# SPDX-License-Identifier: Apache-2.0
"""What do OMPD's own routines tell about one thread: its number, level, team size, league?"""

from __future__ import annotations

from .routines import Routines
from .types import NativeIds

# The ICV, and whether it is the region's.
_ICVS = {
    "thread_num": ("thread-num-var", False),
    "level": ("levels-var", True),
    "team_size": ("team-size-var", True),
    "num_teams": ("league-size-var", True),
    "team_num": ("team-num-var", True),
}


def ask(routines: Routines, ids: NativeIds, question: str) -> int | None:
    """None: the thread is in no region of this runtime, or it cannot be told."""
    name, of_region = _ICVS[question]
    thread = routines.thread_handle(ids)
    if thread is None:
        return None
    try:
        region = routines.made("ompd_get_curr_parallel_handle", thread)
        if region is None:
            return None
        try:
            return routines.number(name, region if of_region else thread)
        finally:
            routines.release("parallel", region)
    finally:
        routines.release("thread", thread)
