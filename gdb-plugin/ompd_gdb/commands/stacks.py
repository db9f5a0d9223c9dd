# SPDX-License-Identifier: Apache-2.0
"""How does `ompd bt' get from threads to what it shows?"""

from __future__ import annotations

from typing import Sequence

from ..errors import UserError
from ..model.backtrace import USER
from ..model.merging import Node, merged
from ..model.process import Thread
from ..session import Session
from ..views import backtrace, merged_stacks
from . import documents, output
from .arguments import Arguments

# Deeper ones are recursion. It is the user who pays for more.
USUAL_DEPTH, MOST_DEPTH = 256, 1000000


def each(arguments: Arguments, here: Session, chosen: Sequence[Thread]) -> None:
    splicer = here.splicer(_depth(arguments), "runtime" in arguments.flags)
    found = [splicer.backtrace(thread) for thread in chosen]
    levels: dict[Thread, set[int]] = {}
    for one in found:
        for entry in one.entries:
            if entry.kind == USER and entry.level is not None:
                levels.setdefault(entry.thread, set()).add(entry.level)
    assert here.walks is not None
    details = {
        thread: backtrace.Details(
            here.walks.arguments(thread, wanted),
            here.walks.locals(thread, wanted) if "full" in arguments.flags else {},
        )
        for thread, wanted in levels.items()
    }
    if arguments.json:
        section = backtrace.document(found, details)
        output.document(arguments, documents.envelope(here, "bt", stacks=section))
    else:
        output.lines(backtrace.lines(found, details, output.style(arguments)))


def merge(arguments: Arguments, here: Session, chosen: Sequence[Thread]) -> None:
    found = tree(here, chosen, _depth(arguments))
    if "dot" in arguments.values:
        output.file(arguments.values["dot"], merged_stacks.dot(found))
    if arguments.json:
        section = merged_stacks.document(found)
        output.document(arguments, documents.envelope(here, "bt", merged=section))
    elif "dot" not in arguments.values:
        output.lines(merged_stacks.lines(found, output.style(arguments)))


def tree(here: Session, chosen: Sequence[Thread], depth: int = USUAL_DEPTH) -> Node:
    splicer = here.splicer(depth)
    return merged([splicer.backtrace(thread) for thread in chosen])


def _depth(arguments: Arguments) -> int:
    text = arguments.values.get("depth", str(USUAL_DEPTH))
    number = int(text) if text.isdecimal() and len(text) < 10 else 0
    if not 0 < number <= MOST_DEPTH:
        raise UserError(
            "bad_argument", f"`-depth' takes a number of frames, from 1 to {MOST_DEPTH}."
        )
    return number
