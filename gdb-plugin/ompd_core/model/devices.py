# SPDX-License-Identifier: Apache-2.0
"""What of the host's memory is on which device?"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from typing import Mapping as Map
from typing import Sequence

from ..library.types import Device, Mapping, Offload
from ..light_classes import NamedTuple, dataclass, field
from .doubts import Doubt
from .targets import Target

if TYPE_CHECKING:
    from .process import Thread
    from .tasks import Deferred

__all__ = [
    "BELOW",
    "KINDS",
    "RETURNED",
    "UNMAPPED",
    "Device",
    "Devices",
    "Mapping",
    "Place",
    "Stale",
    "Variable",
    "goes_later",
    "variable_of",
]

CANNOT_BE_READ = "what the offload runtime that is loaded keeps cannot be read"

KINDS = {"host": "host plugin", "cuda": "NVIDIA GPU", "hsa": "AMD GPU"}


class Variable(NamedTuple):
    """What a map clause named, and where."""

    name: str
    file: str | None = None
    line: int | None = None


def variable_of(text: str | None) -> Variable | None:
    """Of ";variable;file;line;column;;". None: compiled without -g."""
    match = re.fullmatch(r";(.*);([^;]*);(\d{1,9});\d*;;", text or "", re.DOTALL)
    if match is None or match.group(1) in ("", "unknown"):
        return None
    return Variable(match.group(1), match.group(2) or None, int(match.group(3)) or None)


class Place(NamedTuple):
    """Where an address is in what is mapped."""

    device: Device
    mapping: Mapping
    on_device: bool  # the address is the device's
    offset: int

    @property
    def other(self) -> int:
        """The same place on the other side."""
        begin = self.mapping.begin if self.on_device else self.mapping.device_begin
        return begin + self.offset


# Why what is mapped is not the variable any more.
UNMAPPED = "unmapped"  # nothing is at its address
RETURNED = "returned"  # its function has returned: a frame that was called later is there
BELOW = "below"  # the same: it is in the part of a stack that is not in use


class Stale(NamedTuple):
    """A mapping whose variable is gone, for certain."""

    device: Device
    mapping: Mapping
    why: str
    thread: Thread | None = None  # on whose stack it was
    function: str | None = None  # that is called from there now


@dataclass(eq=False)
class Devices:
    """Of one stop."""

    offload: Offload | None  # None: no offload runtime that can be read
    targets: Sequence[Target] = ()  # the constructs that threads are in
    names: Map[int, str] = field(default_factory=dict)  # of variables that no map clause names
    stale: Sequence[Stale] = ()
    deferred: Sequence[Deferred] = ()
    ending: Thread | None = None  # that ends the program
    loaded: Sequence[str] = ()  # offload runtimes' files, also where they cannot be read

    @property
    def all(self) -> Sequence[Device]:
        return self.offload.devices if self.offload is not None else ()

    def doubts(self) -> dict[str, Doubt]:
        """Of the lists of devices and of mappings, where they are not certain."""
        offload = self.offload
        if offload is None:
            unread = Doubt("unknown", CANNOT_BE_READ)
            return {"devices": unread, "mappings": unread} if self.loaded else {}
        why = offload.reason.text if offload.reason is not None else ""
        layouts = {"devices": offload.layout, "mappings": offload.mapping_layout}
        return {
            field: Doubt("likely" if layout == "likely" else "unknown", why)
            for field, layout in layouts.items()
            if layout != "proven"
        }

    def left(self) -> list[tuple[Device, Mapping]]:
        """What is mapped while the program ends, and nobody is about to unmap."""
        if self.ending is None or self.targets:
            return []
        gone = {one.mapping.address for one in self.stale}
        return [
            (device, one)
            for device in self.all
            for one in device.mappings
            if not one.infinite and not goes_later(one) and one.address not in gone
        ]

    def device(self, number: int) -> Device | None:
        return next((one for one in self.all if one.number == number), None)

    def variable(self, mapping: Mapping) -> Variable | None:
        found = variable_of(mapping.source)
        if found is None and mapping.begin in self.names:
            return Variable(self.names[mapping.begin])
        return found

    def places(self, address: int) -> list[Place]:
        """On either side: of a device that shares the host's memory an address may be both."""
        found = []
        for device in self.all:
            for one in device.mappings:
                size = one.end - one.begin
                for begin, on_device in ((one.begin, False), (one.device_begin, True)):
                    if begin <= address < begin + max(size, 1):
                        found.append(Place(device, one, on_device, address - begin))
        return found


def goes_later(mapping: Mapping) -> bool:
    """Nobody counts on it any more: it goes when the copies are done."""
    return not mapping.infinite and mapping.dynamic_count == 0 and not mapping.hold_count
