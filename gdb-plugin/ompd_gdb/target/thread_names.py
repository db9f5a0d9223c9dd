# SPDX-License-Identifier: Apache-2.0
"""The names that GDB shows in `info threads': which are ours, and which the user's or the
program's?

A name that the user gave (`thread name') is never changed. GDB does not tell it from the program's,
but without it the program's shows.
"""

from __future__ import annotations

from typing import Mapping

import gdb

# By thread: what it is called because of us, and what the program calls it.
_ours: dict[gdb.InferiorThread, tuple[str, str]] = {}


def own(thread: gdb.InferiorThread) -> str | None:
    """As if we had named none."""
    ours, before = _ours.get(thread, (None, None))
    name: str | None = thread.name
    return before if ours is not None and name == ours else name


def put_before(ids: Mapping[gdb.InferiorThread, str]) -> None:
    """Each thread's id before its name; all others get their own name back."""
    restore(keep=ids)
    for thread, id_ in ids.items():
        before = _without_ours(thread)
        if before is not None:
            name = f"{id_} {before}".rstrip()
            thread.name = name
            _ours[thread] = (name, before)


def restore(keep: Mapping[gdb.InferiorThread, str] | None = None) -> None:
    """All of ours, but those of threads to keep; of threads that are gone nothing remains."""
    for thread in [thread for thread in _ours if thread not in (keep or {})]:
        ours, _ = _ours.pop(thread)
        if thread.is_valid() and thread.name == ours:
            thread.name = None


def _without_ours(thread: gdb.InferiorThread) -> str | None:
    """Its name by the program, "" if it has none; None where the user named it."""
    ours, _ = _ours.pop(thread, (None, None))
    shown = thread.name
    thread.name = None
    programs: str = thread.name or ""
    if shown is None or shown in (ours, programs):
        return programs
    thread.name = shown
    return None
