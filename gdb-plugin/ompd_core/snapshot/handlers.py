# SPDX-License-Identifier: Apache-2.0
"""For which signal does a handler run on a thread's stack? The kernel blocks it meanwhile, and the
frame that it made for the handler has what was blocked before: the signal is what is blocked more.
"""

from __future__ import annotations

from ..debugger import Debugger
from ..errors import Unreadable
from ..model.process import Thread
from ..signals import name_of
from .stacks import Stacks

# Frames, from where the thread is out to what the signal interrupted.
_DEPTH = 64


def handled(debugger: Debugger, stacks: Stacks, thread: Thread) -> str | None:
    """None: no handler runs, or it is not known for which signal."""
    walked, native, machine = stacks.walked(thread, _DEPTH), thread.native, debugger.machine
    if walked is None or native is None or machine is None:
        return None
    level = next((i for i, frame in enumerate(walked.frames) if frame.signal), None)
    now = _blocked(debugger, native.ptid[1]) if level is not None else None
    if level is None or now is None:
        return None
    with debugger.at(native) as stopped:
        if stopped is None:
            return None
        try:
            before = machine.blocked_before(stopped.stack_pointer(level), debugger.read)
        except (Unreadable, OverflowError):
            return None
    more = now & ~before
    # The handler may have been installed with others to block, or has blocked some itself.
    return name_of(more.bit_length()) if more and not more & (more - 1) else None


def _blocked(debugger: Debugger, lwp: int) -> int | None:
    """A bit for each signal that a thread has blocked, from 1 on."""
    if debugger.core is not None:
        return debugger.core.blocked(lwp)
    if debugger.kind != "live":
        return None
    try:
        with open(
            f"/proc/{debugger.pid}/task/{lwp}/status", encoding="utf-8", errors="replace"
        ) as f:
            found = [line.split()[1] for line in f if line.startswith("SigBlk:")]
            return int(found[0], 16)
    except (OSError, ValueError, IndexError):
        return None
