# SPDX-License-Identifier: Apache-2.0
"""`set ompd thread-names on': stopped threads have their OpenMP ids in `info threads'.

Nothing is done at stops before it is on. Then each takes the picture that the next command would
take; where there is none to take, names are the program's own. So are they once the program goes
on: when it stops again, GDB tells which thread stopped it before we are asked.
"""

from __future__ import annotations

import gdb
from ompd_core.errors import UserError
from ompd_core.library.library import OmpdError

from . import session
from .target import thread_names

_on = False
_resume_expected = False


def switch(on: bool) -> None:
    global _on
    if on and not _on:
        gdb.events.stop.connect(_stopped)
    elif _on and not on:
        gdb.events.stop.disconnect(_stopped)
    _on = on
    if on:
        _stopped(None)
    else:
        thread_names.restore()


def _stopped(event: object) -> None:
    """Whatever goes wrong, the user's stop is not disturbed; a command tells what it was."""
    global _resume_expected
    try:
        thread_names.put_before(_ids())
        if not _resume_expected:
            gdb.events.cont.connect(_resumed)
            _resume_expected = True
    except (Exception, KeyboardInterrupt):
        thread_names.restore()


def _resumed(event: object) -> None:
    """GDB calls at every resume, also at each breakpoint that is passed without a stop: once is
    enough."""
    global _resume_expected
    gdb.events.cont.disconnect(_resumed)
    _resume_expected = False
    thread_names.restore()


def _ids() -> dict[gdb.InferiorThread, str]:
    """Of the threads that are in regions, and have stopped: where others are changes as we look."""
    try:
        here = session.current()
        process = here.picture().process
    except (UserError, OmpdError, gdb.error):
        return {}
    by_number = {thread.num: thread for thread in here.inferior.threads()}
    found = {}
    for thread in process.threads:
        native = thread.native
        ids = ",".join(member.id for member in thread.openmp if member.id is not None)
        if ids and native is not None and not native.running and native.num in by_number:
            found[by_number[native.num]] = ids
    return found
