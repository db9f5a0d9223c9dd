# SPDX-License-Identifier: Apache-2.0
"""The names that GDB shows in `info threads': which are ours, and which the user's or the
program's?

A name that the user gave (`thread name') is never changed. GDB does not tell it from the program's,
but without it the program's shows.
"""

from __future__ import annotations

from typing import Mapping

import gdb

from .. import texts

# By thread: what it is called because of us, and what the program calls it.
_ours: dict[gdb.InferiorThread, tuple[str, str]] = {}


def own(thread: gdb.InferiorThread) -> str | None:
    """As if we had named none."""
    ours, before = _ours.get(thread, (None, None))
    name = texts.name(thread)
    return before if ours is not None and name == ours else name


def put_before(ids: Mapping[gdb.InferiorThread, str]) -> None:
    """Each thread's id before its name; all others have their own name."""
    restore()
    for thread, id_ in ids.items():
        before = _by_program(thread)
        if before is not None:
            name = texts.printable(f"{id_} {before}".rstrip())
            thread.name = name
            _ours[thread] = (name, before)


def restore() -> None:
    """What the user has named meanwhile keeps his name."""
    while _ours:
        thread, (ours, _) = _ours.popitem()
        if thread.is_valid() and texts.name(thread) == ours:
            thread.name = None


def _by_program(thread: gdb.InferiorThread) -> str | None:
    """Its name by the program, "" if it has none; None where the user named it."""
    shown = texts.name(thread)
    thread.name = None
    programs = texts.name(thread) or ""
    if shown in (None, programs):
        return programs
    thread.name = texts.printable(shown or "")
    return None
