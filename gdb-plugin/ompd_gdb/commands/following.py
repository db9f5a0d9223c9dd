# SPDX-License-Identifier: Apache-2.0
"""Whose stack is looked at, and at which of its frames? It goes on over other threads' stacks: who
has gone up to a parent's frame there still looks at the stack of the thread that he came from."""

from __future__ import annotations

from typing import Sequence

import gdb
from ompd_core.errors import UserError
from ompd_core.model.logical_stack.backtrace import RUNTIME, USER, Backtrace, Entry
from ompd_core.model.process import Process, Thread

from ..picture import Picture
from ..session import Followed, Session
from . import output


def thread(here: Session, process: Process) -> Thread:
    """Raises UserError."""
    selected = here.selected_thread()
    if selected is None:
        raise UserError("no_thread", "No thread is selected.", "`thread N' selects one.")
    followed = here.followed
    if (
        followed is not None
        and followed.process is process
        and (followed.num, followed.level) == here.selected_frame()
    ):
        return followed.thread
    for one in process.threads:
        if one.native is not None and one.native.num == selected.num:
            return one
    raise UserError("no_thread", f"Thread {selected.num} has come after the others were listed.")


def numbered(backtrace: Backtrace) -> list[Entry]:
    """As `ompd bt' numbers them."""
    return [entry for entry in backtrace.entries if entry.kind != RUNTIME]


def position(here: Session, entries: Sequence[Entry]) -> tuple[int, bool]:
    """The frame that is selected, True; else the one, further out, that it is hidden behind."""
    num, level = here.selected_frame()
    for at, entry in enumerate(entries):
        native = entry.thread.native
        if native is None or native.num != num or entry.kind != USER or entry.level is None:
            continue
        if entry.level >= level:
            return at, entry.level == level
    return len(entries), False


def go(here: Session, picture: Picture, backtrace: Backtrace, entry: Entry) -> None:
    """Select a frame, and show it as GDB's `frame' does."""
    native = entry.thread.native
    assert native is not None
    if entry.level is None:
        raise UserError(
            "no_frame",
            "That frame is only likely, and GDB knows no such one: its variables cannot be found.",
        )
    before, _ = here.selected_frame()
    if not picture.frames.select(entry.thread, entry.level):
        raise UserError("no_thread", "The thread of that frame is running, or gone.")
    if native.num != before:
        ids = ", ".join(m.id for m in entry.thread.openmp if m.id is not None)
        output.lines([f"[Switching to thread {native.num}{f' ({ids})' if ids else ''}]"])
    here.followed = Followed(picture.process, backtrace.thread, native.num, entry.level)
    gdb.execute("frame")


def move(here: Session, words: Sequence[str], command: str, outwards: bool) -> None:
    """`ompd up' and `ompd down'."""
    steps = count(words, command)
    picture = here.picture()
    backtrace = picture.splicer(here.depth).backtrace(thread(here, picture.process))
    entries = numbered(backtrace)
    at, exact = position(here, entries)
    frames = [i for i, entry in enumerate(entries) if entry.kind == USER]
    if outwards:
        ahead = [i for i in frames if i > at or (i == at and not exact)]
    else:
        ahead = [i for i in reversed(frames) if i < at]
    if not ahead:
        which = "outermost" if outwards else "innermost"
        raise UserError("no_frame", f"This is the {which} frame of your own code.")
    go(here, picture, backtrace, entries[ahead[min(steps, len(ahead)) - 1]])


def count(words: Sequence[str], command: str) -> int:
    if not words:
        return 1
    number = int(words[0]) if words[0].isdecimal() and len(words[0]) < 10 else 0
    if number < 1 or len(words) > 1:
        raise UserError("bad_argument", f"`{command}' takes one number of frames, from 1 on.")
    return number
