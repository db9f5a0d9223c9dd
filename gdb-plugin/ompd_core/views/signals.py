# SPDX-License-Identifier: Apache-2.0
"""At which signal did the program die or crash, in words?"""

from __future__ import annotations

from ..code.refusal import (
    BY_ZERO,
    CALLS_NOTHING,
    NO_ADDRESS,
    NO_INSTRUCTION,
    NOT_ALIGNED,
    NOT_THERE,
    PRIVILEGED,
    RETURNS_NOWHERE,
    TOO_LARGE,
    TRAP,
    Refusal,
)
from ..model.cause import CANCELLED, EXITED, JOINABLE, PURE, TERMINATED, Cause, Met
from ..model.gave_up import GaveUp
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
    PURE: "a virtual function was called that has no code: the object is being made or destroyed,"
    " or is there no longer",
    TERMINATED: "std::terminate () was called, without an exception",
}
# {0}: the instruction; {1}: the address.
_REFUSED = {
    BY_ZERO: "integer division by zero",
    CALLS_NOTHING: "no code is at {1}, which was called or returned to",
    NO_ADDRESS: "no memory can be at {1}",
    NO_INSTRUCTION: "the bytes there are not an instruction",
    NOT_ALIGNED: "`{0}' needs an aligned address, and {1} is not aligned",
    NOT_THERE: "the processor does not have `{0}': the code is for another one",
    PRIVILEGED: "a program may not execute `{0}'",
    RETURNS_NOWHERE: "the function's return address was overwritten: {1} cannot be one",
    TOO_LARGE: "the result of an integer division does not fit: as of the smallest number by -1",
    TRAP: "`{0}' is the compiler's way to end a program: __builtin_trap (), or code that must never"
    " be reached",
}


def crash(process: Process) -> str | None:
    """A finding's sentence, if it crashed."""
    signal = process.signal
    if signal is None or not signal.is_crash:
        return None
    thread, cause = process.signalled, process.cause
    at = thread.where if thread is not None else None
    where = f", {place(at.name, at.file, at.line)}" if at is not None else ""
    what, why = _in_words(signal, cause), None
    if cause.thrown is not None:
        why = _exception(cause.thrown)
    elif cause.overflow is not None:
        why = stack_overflow.sentence(cause.overflow)
        if cause.overflow.doubt is None:
            what = f"stack overflow ({signal.name})"
    elif cause.terminated is not None:
        why = _TERMINATED[cause.terminated]
    elif cause.said is not None:
        why = f"{cause.said.by} says `{plain(cause.said.text)}'"
        why += "".join(f"; {_met(one)}" for one in cause.met)
    elif cause.file is not None:
        why = f"{plain(cause.file)} is mapped there, and is shorter or cannot be read"
    handler = deadlock.in_handler(thread) if thread is not None else ""
    died = f"The program crashed: {what}, in {_who(thread, signal)}{handler}{where}"
    return f"{died}: {why}." if why is not None else f"{died}."


def gave_up(one: GaveUp) -> str:
    at = one.thread.where
    where = f", {place(at.name, at.file, at.line)}" if at is not None else ""
    who = f"{_named(one.thread)}{where}"
    if one.statement is not None:
        return f"`{one.statement}' ended the program, in {who}: it ends all threads."
    said = f"{one.by} has ended it, and what it printed tells why"
    if one.text is not None:
        said = f"{one.by} says `{plain(one.text)}'" + "".join(f"; {_met(met)}" for met in one.met)
    return f"The program gave up, in {who}: {said}."


def _met(one: Met) -> str:
    limit, used = one.limit, one.used
    if one.in_bytes:
        return f"{one.name} is {limit >> 10} kB, and the process has {used >> 10} kB"
    return f"{one.name} is {limit}, and {used} threads are counted"


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
    return f"{_in_words(signal, Cause())}, in {_who(process.signalled, signal)}"


def reason(signal: Signal, cause: Cause) -> str | None:
    """What follows after its name."""
    if cause.refused is not None:
        return _refused(cause.refused)
    if cause.rights and signal.address is not None:
        if cause.rights[0] == "r" and cause.rights[1] == "-":
            return f"memory at {signal.address:#x} may only be read"
        if cause.rights[:2] == "--":
            return f"memory at {signal.address:#x} may neither be read nor written"
    return signal.reason


def _refused(one: Refusal) -> str:
    if one.why == CALLS_NOTHING and one.address == 0:
        return "a null pointer was called"
    at = f"{one.address:#x}" if one.address is not None else ""
    return _REFUSED[one.why].format(" ".join(plain(one.text).split()), at)


def _in_words(signal: Signal, cause: Cause) -> str:
    why = reason(signal, cause)
    return signal.name + (f" ({why})" if why else "")


def _who(thread: Thread | None, signal: Signal) -> str:
    if thread is None or thread.native is None:
        return f"a thread that GDB does not know (LWP {signal.lwp})"
    return _named(thread)


def _named(thread: Thread) -> str:
    number = f"T{thread.native.num}" if thread.native is not None else "?"
    name = openmp_id(thread)
    return f"{name} ({number})" if name else number


def openmp_id(thread: Thread | None) -> str | None:
    ids = [member.id for member in thread.openmp] if thread is not None else []
    return next((one for one in ids if one is not None), None)
