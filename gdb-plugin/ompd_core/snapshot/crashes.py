# SPDX-License-Identifier: Apache-2.0
"""Of what did the program crash, beyond what the signal tells, if no exception ended it?"""

from __future__ import annotations

from typing import Sequence

from .. import runtimes
from ..debugger import Debugger
from ..formats.areas import Area
from ..model.cause import Cause, Met
from ..model.overflow import Overflow
from ..model.process import Thread
from ..signals import Signal
from . import aborts, refused
from .overflow import Overflows, areas_of
from .stacks import Stacks

# Frames, from where the program was ended out to who wanted that.
_DEPTH = 32


def cause(debugger: Debugger, stacks: Stacks, thread: Thread, signal: Signal) -> Cause:
    overflow = _overflow(debugger, thread, signal)
    if overflow is not None:
        return Cause(overflow=overflow)
    if signal.name == "SIGABRT":
        return _aborted(debugger, stacks, thread)
    if signal.is_beyond_file:
        return Cause(file=_mapped_file(debugger, signal))
    refusal = refused.refusal(debugger, thread, signal)
    # gcore says of all memory that it may be read.
    known = signal.is_forbidden and (debugger.core is None or debugger.core.is_kernels)
    area = _area(debugger, signal) if known else None
    return Cause(refused=refusal, rights=area.rights if area is not None else None)


def _overflow(debugger: Debugger, thread: Thread, signal: Signal) -> Overflow | None:
    machine = debugger.machine
    if thread.native is None or machine is None:
        return None
    with debugger.at(thread.native) as stopped:
        if stopped is None:
            return None
        return Overflows(debugger, machine, thread).of(stopped, signal)


def _aborted(debugger: Debugger, stacks: Stacks, thread: Thread) -> Cause:
    walked = stacks.walked(thread, _DEPTH)
    if walked is None or thread.native is None:
        return Cause()
    why = aborts.terminated(debugger, thread.native, walked.frames)
    if why is not None:
        return Cause(terminated=why)
    said = aborts.said(debugger, stacks.code, thread.native, walked.frames)
    return Cause(said=said, met=limits(debugger, said.text) if said is not None else ())


def limits(debugger: Debugger, text: str) -> Sequence[Met]:
    """That kept a runtime from making a thread or from getting memory, if that is what it says."""
    wanted = runtimes.memory_wanted(text)
    if debugger.kind != "live" or (wanted is None and not runtimes.tells_no_thread(text)):
        return ()
    from . import thread_limits

    if wanted is not None:
        return list(thread_limits.met_by_memory(debugger.pid, wanted))
    return list(thread_limits.met(debugger.pid))


def _area(debugger: Debugger, signal: Signal) -> Area | None:
    """With the address that was used."""
    memory = areas_of(debugger)
    return memory.at(signal.address) if memory is not None and signal.address is not None else None


def _mapped_file(debugger: Debugger, signal: Signal) -> str | None:
    if debugger.core is not None and signal.address is not None:
        mapping = debugger.core.mapping_of(signal.address)
        return mapping.path if mapping is not None else None
    area = _area(debugger, signal)
    return area.name if area is not None and area.name.startswith("/") else None
