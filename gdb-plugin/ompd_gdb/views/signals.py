# SPDX-License-Identifier: Apache-2.0
"""At which signal did the program die or crash, in words?"""

from __future__ import annotations

from ..model.process import Process, Thread
from ..model.signals import Signal
from .table import place


def crash(process: Process) -> str | None:
    """A finding's sentence, if it crashed."""
    signal = process.signal
    if signal is None or not signal.is_crash:
        return None
    thread = thread_of(process, signal)
    at = thread.where if thread is not None else None
    where = f", {place(at.function, at.file, at.line)}" if at is not None else ""
    return f"The program crashed: {_in_words(signal)}, in {_who(thread, signal)}{where}."


def end(process: Process) -> str | None:
    """By which other signal it died."""
    signal = process.signal
    if signal is None or signal.is_crash:
        return None
    return f"{_in_words(signal)}, in {_who(thread_of(process, signal), signal)}"


def _in_words(signal: Signal) -> str:
    return signal.name + (f" ({signal.reason})" if signal.reason else "")


def thread_of(process: Process, signal: Signal) -> Thread | None:
    for thread in process.threads:
        if thread.native is not None and thread.native.ptid[1] == signal.lwp:
            return thread
    return None


def _who(thread: Thread | None, signal: Signal) -> str:
    if thread is None or thread.native is None:
        return f"a thread that GDB does not know (LWP {signal.lwp})"
    name = openmp_id(thread)
    return f"{name} (T{thread.native.num})" if name else f"T{thread.native.num}"


def openmp_id(thread: Thread | None) -> str | None:
    ids = [member.id for member in thread.openmp] if thread is not None else []
    return next((one for one in ids if one is not None), None)
