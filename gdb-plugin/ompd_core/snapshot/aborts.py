# SPDX-License-Identifier: Apache-2.0
"""Why did a thread end the program by abort(), if not for an exception? Knows what GNU's C library
keeps: the text that it printed, and whether the thread was to end."""

from __future__ import annotations

from typing import Sequence

from ..debugger import Debugger
from ..errors import Unreadable
from ..formats.strings import string_at
from ..model.cause import CANCELLED, EXITED, JOINABLE, TERMINATED
from ..model.native import Frame, NativeThread

_TEXT = "__abort_msg"  # points to the text of an assertion, of malloc() or of the stack's protector
_TEXT_AT = 4
# For libthread_db: how many bits, how many of them, and where in a thread's descriptor.
_ENDING = "_thread_db_pthread_cancelhandling"
_CANCELLED, _EXITS = 0x08, 0x10
_TERMINATE = "std::terminate"
# These call it for what they met on a stack; all else, because the program wants to.
_MEETS = ("__gxx_personality", "__clang_call_terminate", "__cxa_", "_Unwind_")
_DESTROYS = "std::thread::~thread"


def said(debugger: Debugger) -> str | None:
    """By the C library, before it ended the program."""
    place = debugger.symbol(_TEXT, None)
    try:
        message = debugger.number(place, debugger.pointer_size) if place is not None else 0
        return string_at(debugger.read, message + _TEXT_AT).strip() or None if message else None
    except (Unreadable, OverflowError):
        return None


def terminated(debugger: Debugger, native: NativeThread, frames: Sequence[Frame]) -> str | None:
    """Why the C++ library ended the program, where no exception was to be found. None: it did not,
    or that is not known."""
    names = [frame.location.function or "" for frame in frames]
    at = next((i for i, name in enumerate(names) if name.startswith(_TERMINATE)), None)
    if at is None:
        return None
    callers = [name for name in names[at + 1 :] if not name.startswith("std::__terminate")]
    if not callers or not callers[0].startswith(_MEETS):
        called = callers and callers[0].startswith(_DESTROYS)
        return JOINABLE if called else TERMINATED if callers and callers[0] else None
    bits = _ending(debugger, native)
    if bits is None or not bits & _EXITS:
        return None
    return CANCELLED if bits & _CANCELLED else EXITED


def _ending(debugger: Debugger, native: NativeThread) -> int | None:
    place = debugger.symbol(_ENDING, None)
    if place is None or native.pthread_id is None:
        return None
    try:
        bits, _, offset = (debugger.number(place + 4 * i, 4) for i in range(3))
        return debugger.number(native.pthread_id + offset, 4) if bits == 32 else None
    except (Unreadable, OverflowError):
        return None
