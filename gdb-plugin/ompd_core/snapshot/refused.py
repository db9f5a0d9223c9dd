# SPDX-License-Identifier: Apache-2.0
"""Which instruction did the processor refuse, and why? It says that there is no such instruction,
that a division has no result, or only that something is not allowed."""

from __future__ import annotations

from ..arch.base import Machine
from ..code.refusal import CALLS_NOTHING, DIVIDED, PROTECTED, UNDEFINED, Refusal
from ..debugger import Debugger, StoppedThread
from ..errors import Unreadable
from ..model.process import Thread
from ..signals import SI_KERNEL, Signal

_UNMAPPED, _NOT_ALLOWED = ("SIGSEGV", 1), ("SIGSEGV", 2)
_SAID = {("SIGFPE", 1): DIVIDED, ("SIGSEGV", SI_KERNEL): PROTECTED}


def refusal(debugger: Debugger, thread: Thread, signal: Signal) -> Refusal | None:
    """None: it was another reason, or it is not known."""
    machine = debugger.machine
    if thread.native is None or machine is None or signal.code is None or signal.code <= 0:
        return None
    with debugger.at(thread.native) as stopped:
        return _refusal(debugger, machine, stopped, signal) if stopped is not None else None


def _refusal(
    debugger: Debugger, machine: Machine, stopped: StoppedThread, signal: Signal
) -> Refusal | None:
    registers = stopped.registers(0)
    pc = registers(machine.NEXT)
    if pc is None:
        return None
    said = (signal.name, signal.code or 0)
    if said in (_UNMAPPED, _NOT_ALLOWED):
        return Refusal(CALLS_NOTHING, "", pc) if pc == signal.address else None
    how = UNDEFINED if signal.name == "SIGILL" else _SAID.get(said)
    if how is None:
        return None
    try:
        (one,) = debugger.disassembler.some(pc, 1)
        return machine.refused(how, one.text, registers, debugger.read)
    except (Unreadable, OverflowError, ValueError):
        return None
