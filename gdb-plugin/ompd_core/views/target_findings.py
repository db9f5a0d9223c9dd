# SPDX-License-Identifier: Apache-2.0
"""What is odd about constructs of devices, and about what is mapped there?"""

from __future__ import annotations

from typing import Sequence

from ..model import devices, targets
from ..model.arguments import NONE, PART, Argument, overlap
from ..model.devices import Device, Devices, Mapping, Stale, Variable, variable_of
from ..model.targets import Target
from .table import count
from .terminal import plain

# What of a program's threads in constructs of devices, and of what is mapped, is wrong.
CODES = frozenset(
    ("target_aborted", "mapping_stale", "argument_not_mapped", "argument_partly_mapped")
)
_ABORTED = "the offload runtime ended the program"
_REFUSED = f"{_ABORTED}: a map was refused"
_FAILED = f"{_ABORTED}: the device reported an error, or a map was refused"
_NO_GROWING = "and what is mapped cannot grow"
_NULL, _HOSTS = "null", "the host's address"
_HANDS_ON_ADDRESSES = 16  # the first libomptarget that does
MOST_ARGUMENTS = 4  # of one construct
MOST_MAPPINGS = 4


def findings(found: Devices) -> list[tuple[str, str]]:
    """(code, sentence)."""
    told = []
    for one in found.targets:
        refused = [argument for argument in one.arguments or () if refuses(one, argument)]
        if one.phase == targets.ABORTED:
            device = "" if one.device is None else f", device {one.device}"
            kernel = "" if one.kernel is None else f", kernel {kernel_words(one)}"
            why = _REFUSED if refused else _FAILED
            told.append(("target_aborted", f"{_thread(one)}{kernel}{device}: {why}."))
        for argument in refused[:MOST_ARGUMENTS]:
            told.append(_refused(found, one, argument))
        if not refused:
            for argument in [a for a in one.arguments or () if _unmapped(found, one, a)][
                :MOST_ARGUMENTS
            ]:
                what = f"{_argument(argument)} is not mapped on device {one.device}"
                text = f"{_thread(one)}: {what}: the kernel got {_instead(found)}."
                told.append(("argument_not_mapped", text))
    for stale in found.stale:
        told.append(("mapping_stale", _stale(found, stale)))
    left = found.left()
    if left:
        told.append(("mapping_left", _left(found, left)))
    return told


def _left(found: Devices, left: Sequence[tuple[Device, Mapping]]) -> str:
    """No error: the program's end takes all with it. What exit handlers will do, is not known."""
    named = []
    for device, mapping in left[:MOST_MAPPINGS]:
        variable = found.variable(mapping)
        at = f", mapped at {mapped_at(variable)}" if mapped_at(variable) else ""
        counted = count(mapping.dynamic_count + mapping.hold_count, "reference")
        named.append(f"{_named(found, mapping)} (device {device.number}{at}, {counted})")
    if len(left) > MOST_MAPPINGS:
        named.append(f"{count(len(left) - MOST_MAPPINGS, 'other mapping')}")
    return (
        f"The program is ending, and still mapped: {', '.join(named)}. Unless an exit handler"
        " unmaps what is left, an `exit data' is missing."
    )


def _named(found: Devices, mapping: Mapping) -> str:
    return _quoted(found.variable(mapping), mapping.begin)


def _quoted(variable: Variable | None, begin: int) -> str:
    """In a sentence, where a name like `to' would be read as a word of it."""
    return f"`{plain(variable.name)}'" if variable is not None else f"{begin:#x}"


def refuses(target: Target, argument: Argument) -> bool:
    """Does the offload runtime end the program for it? At other moments what is mapped by now need
    not be what was mapped when it mattered."""
    if target.phase != targets.ABORTED and not target.at_start:
        return False
    if argument.must_be_present and argument.size and argument.mapped == NONE:
        return not target.at_start or not _is_mapped_before(target, argument)
    return target.begins_maps and argument.is_explicit and argument.mapped == PART


def _is_mapped_before(target: Target, argument: Argument) -> bool:
    """May the construct itself map it first, as a part of something?"""
    return argument.is_member or any(
        one is not argument and overlap(one, argument) for one in target.arguments or ()
    )


def _unmapped(found: Devices, target: Target, argument: Argument) -> bool:
    """A pointer that a kernel, which has failed, did not get as the device's."""
    device = found.device(target.device) if target.device is not None else None
    has_failed = target.phase == targets.ABORTED or target.crashed
    if device is None or not target.has_kernel or not has_failed:
        return False
    if device.kind == "host" and _instead(found) != _NULL:
        return False  # the host's address is as good there
    is_left_out = argument.mapped == NONE and not argument.size
    return is_left_out and not any(one.on_device for one in found.places(argument.begin))


def _instead(found: Devices) -> str:
    """What LLVM's kernels get for a pointer to what is not mapped."""
    version = found.offload.version if found.offload is not None else None
    if version is None:
        return f"{_HOSTS}, or {_NULL}"
    return _NULL if version < _HANDS_ON_ADDRESSES else _HOSTS


def _refused(found: Devices, target: Target, argument: Argument) -> tuple[str, str]:
    who = f"{_thread(target)}: {_argument(argument)} ({count(argument.size, 'byte')})"
    place, device = argument.place, f"device {target.device}"
    if place is None:
        why = f"is not mapped on {device}, though it is said to be present"
        return "argument_not_mapped", f"{who} {why}."
    there, name = found.variable(place), _named(found, place)
    at = f", mapped at {mapped_at(there)}" if mapped_at(there) else ""
    size = count(place.end - place.begin, "byte")
    why = f"is on {device} only in part, as {name} ({size}{at}), {_NO_GROWING}"
    return "argument_partly_mapped", f"{who} {why}."


def _argument(argument: Argument) -> str:
    return _quoted(variable_of(argument.source), argument.begin)


def _thread(target: Target) -> str:
    return f"T{native(target)}, {construct(target)}"


def _stale(found: Devices, stale: Stale) -> str:
    variable = found.variable(stale.mapping)
    name = _named(found, stale.mapping)
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
