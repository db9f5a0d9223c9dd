# SPDX-License-Identifier: Apache-2.0
"""How does `ompd bt' get from threads to what it shows?"""

from __future__ import annotations

from typing import Sequence

from ompd_core.errors import UserError
from ompd_core.model.logical_stack.backtrace import USER, cut
from ompd_core.model.merging import merged
from ompd_core.model.process import Thread
from ompd_core.views import backtrace, merged_stacks

from ..picture import Picture
from ..session import Session
from . import documents, output
from .arguments import Arguments

# Deeper ones are recursion. It is the user who pays for more.
USUAL_DEPTH, MOST_DEPTH = 256, 1000000


def frames_asked(arguments: Arguments) -> int | None:
    """How many frames GDB's bt would show, of the outermost ones if negative. Taken out of what
    else was typed, as is its word `full'."""
    words = arguments.words
    if "full" in words:
        words.remove("full")
        arguments.flags.add("full")
    outermost = arguments.values.pop("outermost", None)
    if outermost is not None:
        return -int(outermost[:9]) or None
    if len(words) == 1 and words[0].isdecimal():
        return max(int(words.pop()[:9]), 1)
    return None


def each(
    arguments: Arguments,
    here: Session,
    picture: Picture,
    chosen: Sequence[Thread],
    most: int | None = None,
) -> None:
    here.depth = _depth(arguments)
    splicer = picture.splicer(here.depth, "runtime" in arguments.flags)
    found = [cut(splicer.backtrace(thread), most) for thread in chosen]
    levels: dict[Thread, set[int]] = {}
    for one in found:
        for entry in one.entries:
            is_native = entry.location is None or entry.location.language is None
            if entry.kind == USER and entry.level is not None and is_native:
                levels.setdefault(entry.thread, set()).add(entry.level)
    details = {
        thread: backtrace.Details(
            picture.frames.arguments(thread, wanted),
            picture.frames.locals(thread, wanted) if "full" in arguments.flags else {},
        )
        for thread, wanted in levels.items()
    }
    if arguments.json:
        section = backtrace.document(found, details)
        output.document(arguments, documents.envelope(here, "bt", stacks=section))
        return
    style = output.style(arguments)
    if "full" in arguments.flags:  # whose variables would stand for all?
        style = style._replace(every=True)
    output.lines(backtrace.lines(found, details, style))


def merge(arguments: Arguments, here: Session, picture: Picture, chosen: Sequence[Thread]) -> None:
    here.depth = _depth(arguments)
    splicer = picture.splicer(here.depth)
    found = [splicer.backtrace(thread) for thread in chosen]
    tree = merged(found)
    if "dot" in arguments.values:
        output.file(arguments.values["dot"], merged_stacks.dot(tree))
    if arguments.json:
        section = merged_stacks.document(tree)
        output.document(arguments, documents.envelope(here, "bt", merged=section))
    elif "dot" not in arguments.values:
        output.lines(merged_stacks.lines(tree, found, output.style(arguments)))


def _depth(arguments: Arguments) -> int:
    text = arguments.values.get("depth", str(USUAL_DEPTH))
    number = int(text) if text.isdecimal() and len(text) < 10 else 0
    if not 0 < number <= MOST_DEPTH:
        raise UserError(
            "bad_argument", f"`-depth' takes a number of frames, from 1 to {MOST_DEPTH}."
        )
    return number
