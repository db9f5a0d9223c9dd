# SPDX-License-Identifier: Apache-2.0
"""How is a process looked at twice, to tell what moves from what only stands? For the shell's
command, which lets it run in between, traced or not."""

from __future__ import annotations

import threading

from ompd_core.errors import UserError
from ompd_core.library.library import OmpdError
from ompd_core.model.moments import Moment
from ompd_core.snapshot.picture import Earlier

from . import session
from .target import watching


def moment() -> Moment | None:
    """Of this stop. None: of its OpenMP nothing can be told."""
    try:
        return session.current().picture().moment
    except (UserError, OmpdError):
        return None


def apart(pid: int, first: Moment, seconds: float) -> Earlier:
    """Waits so long while the process runs free: GDB is not attached."""
    watched = watching.watch(pid, seconds, threading.Event(), first.addresses)
    return Earlier(first, seconds, True, watched)


def compare_with(earlier: Earlier) -> None:
    """What is asked next at this stop."""
    session.current().compare_with(earlier)


def let_run(seconds: float) -> None:
    """In GDB; what is asked next is compared with this stop. Raises UserError."""
    session.current().watch_for(seconds)
