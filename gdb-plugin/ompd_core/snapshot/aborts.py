# SPDX-License-Identifier: Apache-2.0
"""Why did a thread end the program by abort(), if not for an exception? Knows what GNU's C library
keeps: the text that it printed, and whether the thread was to end; and where what an OpenMP runtime
has printed before is still on the stack."""

from __future__ import annotations

import re
from typing import Sequence

from .. import runtimes
from ..debugger import Debugger
from ..errors import Unreadable
from ..formats.strings import string_at
from ..model.cause import CANCELLED, EXITED, JOINABLE, PURE, TERMINATED, Said
from ..model.naming import system_name
from ..model.native import Frame, NativeThread
from ..model.where import CodeMap

_TEXT = "__abort_msg"  # points to the text of an assertion, of malloc() or of the stack's protector
_TEXT_AT = 4
# For libthread_db: how many bits, how many of them, and where in a thread's descriptor.
_ENDING = "_thread_db_pthread_cancelhandling"
_CANCELLED, _EXITS = 0x08, 0x10
_TERMINATE = "std::terminate"
# These call it for what they met on a stack; all else, because the program wants to.
_MEETS = ("__gxx_personality", "__clang_call_terminate", "__cxa_", "_Unwind_")
_DESTROYS = "std::thread::~thread"
# What compilers put where a class has no code of its own.
_PURE = ("__cxa_pure_virtual", "__cxa_deleted_virtual")

LIBRARY = "the C library"
# So much below the stack pointer the buffer of a call that printed can be, and above it.
_BELOW, _ABOVE = 24 << 10, 8 << 10
_PAGE = 4096


def said(
    debugger: Debugger, code: CodeMap | None, native: NativeThread, frames: Sequence[Frame]
) -> Said | None:
    """What was printed by whoever called abort ()."""
    by_library = _by_library(debugger)
    if by_library is not None:
        return Said(by_library, LIBRARY)
    called = [system_name(frame.location.function or "") == "abort" for frame in frames]
    if code is None or True not in called[:-1]:
        return None
    runtime = code.runtime_of(frames[called.index(True) + 1])
    kind = code.kind_of(runtime) if runtime is not None else ""
    pattern = runtimes.fatal(kind)
    text = on_stack(debugger, native, pattern) if pattern is not None else None
    return Said(text, runtimes.name_of(kind)) if text is not None else None


def on_stack(debugger: Debugger, native: NativeThread, pattern: str) -> str | None:
    """The text that was put together there, and has not been overwritten since."""
    with debugger.at(native) as stopped:
        if stopped is None:
            return None
        try:
            top = stopped.stack_pointer(0)
        except Unreadable:
            return None
    data = b""
    for page in range(top - _BELOW & -_PAGE, top + _ABOVE, _PAGE):
        try:
            data += debugger.read(page, _PAGE)
        except (Unreadable, OverflowError):
            data += bytes(_PAGE)
    match = re.search(pattern, data.decode("utf-8", "replace"))
    return " ".join(filter(None, match.groups())) if match is not None else None


def _by_library(debugger: Debugger) -> str | None:
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
    if callers and callers[0] in _PURE:
        return PURE
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
