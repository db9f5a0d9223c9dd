# SPDX-License-Identifier: Apache-2.0
"""Did all threads of a core's process sleep, each until another one woke it? Their registers tell
the words that they slept for. Where each is as the sleeper expects it, all would sleep on, however
shortly after each other a debugger or the kernel has stopped them."""

from __future__ import annotations

from typing import Sequence

from ..code.futex import FutexWait
from ..debugger import Debugger
from ..errors import Unreadable
from ..model.native import NativeThread
from ..model.standstill import Standstill

_UNSEEN = "a core file does not tell which signals have handlers, nor who shares its memory"


def of_core(debugger: Debugger, natives: Sequence[NativeThread]) -> Standstill | None:
    with debugger.looking():
        asleep = bool(natives) and all(_sleeps(debugger, native) for native in natives)
    lwps = frozenset(native.ptid[1] for native in natives)
    return Standstill(lwps, unseen=_UNSEEN) if asleep else None


def _sleeps(debugger: Debugger, native: NativeThread) -> bool:
    machine = debugger.machine
    with debugger.at(native) as stopped:
        if stopped is None or machine is None:
            return False
        call = machine.futex_wait(stopped.registers(0), debugger.code.read)
    if call is None or not call.ends_by_waking or not _is_own(debugger, call):
        return False
    try:
        return not call.has_changed(debugger.number(call.address, 4))
    except (Unreadable, OverflowError):
        return False


def _is_own(debugger: Debugger, call: FutexWait) -> bool:
    """Memory that processes share is a file's in the core's list, also where it has no name."""
    core = debugger.core
    listed = core is not None and bool(core.mappings)
    return call.is_private or (
        listed and core is not None and core.mapping_of(call.address) is None
    )
