# SPDX-License-Identifier: Apache-2.0
"""At which signal did the program die or crash, in words?"""

from __future__ import annotations

from ..model.cause import CANCELLED, EXITED, JOINABLE, TERMINATED
from ..model.process import Process, Thread
from ..model.thrown import CONSTRUCT, FUNCTION, REGION, TASK, Thrown
from ..signals import Signal
from . import deadlock, stack_overflow
from .cxx_names import short_name
from .table import place
from .terminal import plain

LONGEST_NAME = 60
_IN_CONSTRUCT = "where the program lets nothing out, as in the code of a construct"
_TERMINATED = {
    CANCELLED: f"pthread_cancel () ended the thread {_IN_CONSTRUCT}",
    EXITED: f"pthread_exit () was called {_IN_CONSTRUCT}",
    JOINABLE: "a std::thread was destroyed that nobody had joined or detached",
    TERMINATED: "std::terminate () was called, without an exception",
}


def crash(process: Process) -> str | None:
    """A finding's sentence, if it crashed."""
    signal = process.signal
    if signal is None or not signal.is_crash:
        return None
    thread, cause = process.signalled, process.cause
    at = thread.where if thread is not None else None
    where = f", {place(at.name, at.file, at.line)}" if at is not None else ""
    what, why = _in_words(signal), None
    if cause.thrown is not None:
        why = _exception(cause.thrown)
    elif cause.overflow is not None:
        why = stack_overflow.sentence(cause.overflow)
        if cause.overflow.doubt is None:
            what = f"stack overflow ({signal.name})"
    elif cause.terminated is not None:
        why = _TERMINATED[cause.terminated]
    elif cause.said is not None:
        why = f"the C library says `{plain(cause.said)}'"
    elif cause.file is not None:
        why = f"{plain(cause.file)} is mapped there, and is shorter or cannot be read"
    handler = deadlock.in_handler(thread) if thread is not None else ""
    died = f"The program crashed: {what}, in {_who(thread, signal)}{handler}{where}"
    return f"{died}: {why}." if why is not None else f"{died}."


def _exception(thrown: Thrown) -> str:
    """An exception of type std::runtime_error left the task at a.cc:12, what(): no such row"""
    at = thrown.location
    place_of = (
        f" at {plain(at.file.rsplit('/', 1)[-1])}:{at.line}" if at and at.file and at.line else ""
    )
    name = short_name(plain(at.function), LONGEST_NAME) if at is not None and at.function else "??"
    of = f"an exception of type {short_name(plain(thrown.type), LONGEST_NAME)}"
    told = {
        REGION: f"{of} left the region{place_of}",
        TASK: f"{of} left the task{place_of}",
        CONSTRUCT: f"{of} left the code of a construct",
        FUNCTION: f"{of} came to {name}, which lets none out",
    }.get(thrown.left or "", f"{of} was not caught")
    return told + (f", what(): {plain(thrown.what)}" if thrown.what is not None else "")


def end(process: Process) -> str | None:
    """By which other signal it died."""
    signal = process.signal
    if signal is None or signal.is_crash:
        return None
    return f"{_in_words(signal)}, in {_who(process.signalled, signal)}"


def _in_words(signal: Signal) -> str:
    return signal.name + (f" ({signal.reason})" if signal.reason else "")


def _who(thread: Thread | None, signal: Signal) -> str:
    if thread is None or thread.native is None:
        return f"a thread that GDB does not know (LWP {signal.lwp})"
    name = openmp_id(thread)
    return f"{name} (T{thread.native.num})" if name else f"T{thread.native.num}"


def openmp_id(thread: Thread | None) -> str | None:
    ids = [member.id for member in thread.openmp] if thread is not None else []
    return next((one for one in ids if one is not None), None)
