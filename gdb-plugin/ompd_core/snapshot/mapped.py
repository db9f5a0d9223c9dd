# SPDX-License-Identifier: Apache-2.0
"""Is what is mapped on devices still there? Memory can have been given back, and a function with
its variables have returned. Only what is certain is told."""

from __future__ import annotations

from typing import Iterator, Sequence

from ..debugger import MOST_FRAMES, Debugger, StoppedThread
from ..errors import Unreadable
from ..formats.areas import FIRST_STACK, Areas, of_process
from ..library.types import Device, Mapping
from ..model.devices import BELOW, RETURNED, UNMAPPED, Devices, Stale
from ..model.process import Thread

MOST_LOOKED_AT = 4096  # mappings
# Of the largest stack that a mapping is looked for on.
LARGEST_STACK = 1 << 30


def stale(debugger: Debugger, devices: Devices, threads: Sequence[Thread]) -> list[Stale]:
    """Of those that a variable named: what is mapped for ever may be no memory of the host's."""
    if devices.offload is None or devices.offload.layout != "proven":
        return []
    wanted = [
        (device, one)
        for device in devices.all
        for one in device.mappings
        if not one.infinite and one.begin < one.end
    ][:MOST_LOOKED_AT]
    found: list[Stale] = []
    for device, one in wanted:
        if _is_gone(debugger, one):
            found.append(Stale(device, one, UNMAPPED))
    left = [(d, m) for d, m in wanted if not any(one.mapping is m for one in found)]
    if left:
        areas = of_process(debugger.pid) if debugger.kind == "live" else None
        for thread in threads:
            found += _on_stack(debugger, thread, left, areas)
    return found


def _is_gone(debugger: Debugger, one: Mapping) -> bool:
    """A core file may lack what was there."""
    if debugger.core is not None:
        return False
    for address in (one.begin, one.end - 1):
        try:
            debugger.code.read(address, 1)
        except (Unreadable, OverflowError):
            return True
    return False


def _on_stack(
    debugger: Debugger,
    thread: Thread,
    wanted: Sequence[tuple[Device, Mapping]],
    areas: Areas | None,
) -> Iterator[Stale]:
    machine = debugger.machine
    if thread.native is None or thread.running or machine is None:
        return
    if machine.CONVENTION.link is not None:
        return  # where it keeps the address to return to, is not at the same place in all frames
    with debugger.at(thread.native) as stopped:
        if stopped is None:
            return
        try:
            top = stopped.stack_pointer(0)
        except Unreadable:
            return
        near = [one for one in wanted if top <= one[1].end <= top + LARGEST_STACK]
        if near:
            yield from _returned(debugger, thread, stopped, near)
        own = _own_stack(thread, top, areas)
        if own is not None:
            for device, one in wanted:
                if own <= one.begin and one.end <= top - machine.CONVENTION.reach:
                    yield Stale(device, one, BELOW, thread)


def _returned(
    debugger: Debugger,
    thread: Thread,
    stopped: StoppedThread,
    wanted: Sequence[tuple[Device, Mapping]],
) -> Iterator[Stale]:
    """No variable holds an address that a function returns to."""
    stack = stopped.frames(MOST_FRAMES)
    for _ in stack:
        pass
    told: set[int] = set()
    for level, (frame, caller) in enumerate(zip(stack.seen, stack.seen[1:])):
        if frame.inlined or frame.signal or caller.signal:
            continue
        try:
            slot = stopped.stack_pointer(level + 1) - 8
            if debugger.number(slot, 8) != caller.pc:
                continue
        except (Unreadable, OverflowError):
            continue
        for device, one in wanted:
            if one.begin < slot + 8 and slot < one.end and one.address not in told:
                told.add(one.address)
                yield Stale(device, one, RETURNED, thread, frame.location.function)


def _own_stack(thread: Thread, top: int, areas: Areas | None) -> int | None:
    """Where the stack's memory begins, if it is the one that the thread was made with: the C
    library keeps the thread's descriptor at its other end. A program may switch to others."""
    descriptor = thread.native.pthread_id if thread.native is not None else None
    area = areas.at(top) if areas is not None else None
    if area is None:
        return None
    is_its = descriptor is not None and area.start <= descriptor < area.end
    return area.start if is_its or area.name == FIRST_STACK else None
