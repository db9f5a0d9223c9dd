# SPDX-License-Identifier: Apache-2.0
"""Do all threads sleep, each until another one wakes it, but those that wait awake in a runtime?
Their registers tell the words that they sleep for. Where each is as the sleeper expects it, all
would sleep on, however shortly after each other a debugger or the kernel has stopped them."""

from __future__ import annotations

from typing import Collection, Sequence

from ..code.futex import FutexWait
from ..debugger import Debugger
from ..errors import Unreadable
from ..model.native import NativeThread
from ..model.standstill import Standstill

_UNSEEN = "a core file does not tell which signals have handlers, nor who shares its memory"


def of_stop(
    debugger: Debugger,
    natives: Sequence[NativeThread],
    waiting: Collection[int],
    sleep_again: Collection[int],
) -> Standstill | None:
    """waiting: LWPs of those that wait in a runtime, asleep or awake; sleep_again: of those of whom
    that is known (Kept.sleeps_again). None: another one is awake, or it is not known."""
    calls: dict[int, FutexWait] = {}
    awake = set()
    with debugger.looking():
        # First those of whom one is enough to see that somebody is at work.
        for native in sorted(natives, key=lambda native: native.ptid[1] in waiting):
            lwp = native.ptid[1]
            call = _sleeps_in(debugger, native, lwp in sleep_again)
            if call is not None:
                calls[lwp] = call
            elif lwp in waiting:
                awake.add(lwp)
            else:
                return None
    if debugger.kind != "core":
        return debugger.standstill(calls, awake)
    are_own = all(_is_own(debugger, call) for call in calls.values())
    if not are_own:
        return None
    return Standstill(frozenset(calls), unseen=_UNSEEN, awake=frozenset(awake))


def _sleeps_in(debugger: Debugger, native: NativeThread, again: bool) -> FutexWait | None:
    machine = debugger.machine
    with debugger.at(native) as stopped:
        if stopped is None or machine is None:
            return None
        call = machine.futex_wait(stopped.registers(0), debugger.code.read)
    if call is None or not call.ends_by_waking:
        return None
    try:
        changed = call.has_changed(debugger.number(call.address, 4))
        return None if changed and not again else call
    except (Unreadable, OverflowError):
        return None


def _is_own(debugger: Debugger, call: FutexWait) -> bool:
    """Memory that processes share is a file's in the core's list, also where it has no name."""
    core = debugger.core
    listed = core is not None and bool(core.mappings)
    return call.is_private or (
        listed and core is not None and core.mapping_of(call.address) is None
    )
