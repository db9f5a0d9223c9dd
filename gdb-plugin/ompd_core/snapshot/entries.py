# SPDX-License-Identifier: Apache-2.0
"""Which of the runtime's entry points did the program call? One can make way for a function of the
runtime's own: the call in the program's code tells."""

from __future__ import annotations

from dataclasses import replace
from typing import Sequence

from .. import abi
from ..debugger import Debugger
from ..errors import Unreadable
from ..model.native import Frame
from ..model.where import CodeMap


def called_by(debugger: Debugger, caller: Frame) -> str | None:
    """None: none, or it is not told, as in a call by pointer."""
    if debugger.machine is None:
        return None
    try:
        address = debugger.machine.called(debugger.code.read, caller.pc)
    except (Unreadable, OverflowError):
        return None
    symbol = debugger.code.object(address) if address is not None else None
    name = symbol.partition("@")[0] if symbol is not None else ""
    return abi.normal(name) if abi.is_entry_point(name) else None


def named(debugger: Debugger, frames: Sequence[Frame], code: CodeMap) -> list[Frame]:
    """With the names of the entry points that the program called."""
    found = list(frames)
    for level, (frame, outer) in enumerate(zip(frames, frames[1:])):
        known = frame.location.function
        is_entry = known is not None and abi.is_entry_point(known)
        if is_entry or not code.is_runtime(frame):
            continue
        if not (code.is_runtime(outer) or code.is_skipped(outer)):
            name = called_by(debugger, outer) or known
            found[level] = replace(frame, location=replace(frame.location, function=name))
    return found
