# SPDX-License-Identifier: Apache-2.0
"""What is odd about constructs of devices, and about what is mapped there?"""

from __future__ import annotations

from ..model import devices, targets
from ..model.devices import Devices, Stale, Variable
from ..model.targets import Target
from .table import count, plain

_ABORTED = (
    "the offload runtime ended the program: the device reported an error, or a map was refused"
)


def findings(found: Devices) -> list[tuple[str, str]]:
    """(code, sentence)."""
    told = []
    for one in found.targets:
        if one.phase == targets.ABORTED:
            device = "" if one.device is None else f", device {one.device}"
            kernel = "" if one.kernel is None else f", kernel {kernel_words(one)}"
            what = f"T{native(one)}, {construct(one)}{kernel}{device}"
            told.append(("target_aborted", f"{what}: {_ABORTED}."))
    for stale in found.stale:
        told.append(("mapping_stale", _stale(found, stale)))
    return told


def _stale(found: Devices, stale: Stale) -> str:
    variable = found.variable(stale.mapping)
    name = plain(variable.name) if variable is not None else f"{stale.mapping.begin:#x}"
    at = f", mapped at {mapped_at(variable)}," if mapped_at(variable) else ""
    size = count(stale.mapping.end - stale.mapping.begin, "byte")
    there = f"{name}{at} is still mapped on device {stale.device.number} ({size})"
    if stale.why == devices.UNMAPPED:
        return f"{there}, but the host's memory there is gone."
    owner = stale.thread.native if stale.thread is not None else None
    whose = f"T{owner.num}'s stack" if owner is not None else "a stack"
    if stale.why == devices.BELOW:
        return f"{there}, but it was on {whose}, and its function has returned."
    now = f" in a call of {plain(stale.function)}" if stale.function else " in another call"
    return (
        f"{there}, but it was on {whose}, and its function has returned: the memory is{now} by now."
    )


def construct(target: Target) -> str:
    """target teams, gpu.c:17"""
    place = target.location
    at = ""
    if place is not None and place.file and place.line:
        at = f"{plain(place.file.rsplit('/', 1)[-1])}:{place.line}"
    if not at and place is not None and place.function is not None:
        at = f"in {plain(place.function)}"
    return f"{target.construct}, {at}" if at else target.construct


def kernel_words(target: Target) -> str:
    """gauss, line 17: the function that the construct is in, and the construct's line."""
    assert target.kernel is not None
    number = f" ({target.kernel.number + 1})" if target.kernel.number else ""
    name = target.location.function if target.location is not None else None
    return f"{plain(name or target.kernel.function)}, line {target.kernel.line}{number}"


def native(target: Target) -> str:
    thread = target.thread.native if target.thread is not None else None
    return str(thread.num) if thread is not None else "-"


def mapped_at(variable: Variable | None) -> str:
    if variable is None or not variable.file or not variable.line:
        return ""
    return f"{plain(variable.file.rsplit('/', 1)[-1])}:{variable.line}"
