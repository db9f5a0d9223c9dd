# SPDX-License-Identifier: Apache-2.0
"""Which deferred tasks wait for a device? From LLVM 16 on the thread that has launched a kernel
goes on with something else, and the task keeps what the offload runtime asks the device by."""

from __future__ import annotations

import functools
import struct
from typing import Sequence

from .. import runtimes
from ..code.machine_code import Assign
from ..debugger import Debugger
from ..errors import Unreadable
from ..library.types import Device
from ..model.tasks import Deferred, ExplicitTask
from .symbol_end import symbol_end

_LEAST, _MOST = 64, 4096  # so far in a task
_WORDS = 16  # of what the offload runtime keeps: which device, is among the first


def deferred(
    debugger: Debugger,
    tasks: Sequence[ExplicitTask],
    others: Sequence[ExplicitTask],
    devices: Sequence[Device],
) -> list[Deferred]:
    """tasks: that no thread shows in a construct; others: that they may block."""
    known = map(functools.partial(_place, debugger), runtimes.DEVICE_HANDLES if tasks else ())
    place = next(filter(None, known), None)
    if place is None:
        return []
    numbers = {one.address: one.number for one in devices}
    found = []
    for task in tasks:
        try:
            handle = debugger.number(task.raw.address + place, 8)
            if not handle:
                continue
            words = struct.unpack(f"<{_WORDS}Q", debugger.code.read(handle, 8 * _WORDS))
        except (Unreadable, OverflowError):
            continue
        met = {numbers[word] for word in words if word in numbers}
        # What has no device in it, is something else.
        if met:
            blocks = [one for one in others if task in one.predecessors]
            found.append(Deferred(task, met.pop() if len(met) == 1 else None, blocks))
    return found


def _place(debugger: Debugger, getter: str) -> int | None:
    """By the code of the function: the only number that it adds to what it has read."""
    machine, start = debugger.machine, debugger.symbol(getter, None)
    if machine is None or not start:
        return None
    code = debugger.code
    end = symbol_end(code, start, code.start(start))
    if end is None or not code.is_known(start, end):
        return None
    try:
        instructions = machine.instructions(debugger.disassembler, start, end, True)
    except Unreadable:
        return None
    places = {
        step.value.constant
        for one in instructions.values()
        for step in one.steps
        if isinstance(step, Assign)
        and step.register == machine.CONVENTION.result
        and step.value is not None
        and step.value.terms
        and _LEAST <= step.value.constant <= _MOST
    }
    return places.pop() if len(places) == 1 else None
