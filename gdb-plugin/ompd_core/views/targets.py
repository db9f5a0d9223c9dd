# SPDX-License-Identifier: Apache-2.0
"""`ompd target' as text and as JSON: who does what on which device, and what is mapped there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Sequence

from ..model import devices, targets
from ..model.arguments import NONE, PART, WHOLE, Argument
from ..model.devices import Device, Devices, Mapping, Place, Variable, goes_later, variable_of
from ..model.targets import Target
from ..model.tasks import Deferred
from .json_document import address, integer, location, with_doubts
from .table import Style, Table, count, paragraph
from .target_findings import construct, findings, kernel_words, mapped_at, native
from .terminal import plain
from .values import who

if TYPE_CHECKING:
    from ..documents import offload as documents

FOR_EVER = "for ever"
MOST_BLOCKED = 4  # tasks that are named
_SIZES = (("GB", 1 << 30), ("MB", 1 << 20), ("kB", 1 << 10))


def lines(found: Devices, style: Style) -> list[str]:
    shown: list[str] = []
    for _, text in findings(found):
        shown += paragraph(f"Odd     : {text}", style, " " * 10)
    shown += runtime_lines(found, style)
    if not found.targets and not found.deferred:
        return shown + paragraph("No thread is in a construct of a device.", style)
    table = Table(["T", "OpenMP", "Construct", "Kernel", "Device", "Does"], style)
    for one in found.targets:
        table.add(
            native(one),
            _who(one),
            construct(one),
            _kernel(one),
            "-" if one.phase == targets.FALLBACK else _number(one.device),
            targets.in_words(one),
        )
    for deferred in found.deferred:
        waits = f"waits for {deferred.in_words}"
        if deferred.blocks:
            waits += f", blocks {', '.join(one.id for one in deferred.blocks[:MOST_BLOCKED])}"
            waits += " and others" if len(deferred.blocks) > MOST_BLOCKED else ""
        device = _number(deferred.device)
        table.add("-", deferred.task.id, _deferred_construct(deferred), "-", device, waits)
    shown += table.lines()
    reasons: dict[str, None] = {}
    on_host = [one for one in found.targets if one.reason is not None]
    for reason in dict.fromkeys(one.reason for one in on_host):
        those = ", ".join(f"T{native(one)}" for one in on_host if one.reason == reason)
        reasons[f"{those} on the host: {reason}."] = None
    for one in found.targets:
        for field, doubt in one.doubts.items():
            sign = {"loc": "Construct", "kernel": "Kernel", "device": "Device"}.get(field)
            if sign is not None:
                reasons[f"{sign} ?: {doubt.sentence}."] = None
    failed = [one for one in found.targets if one.phase == targets.ABORTED]
    if failed:
        shown += ["", *argument_lines(failed, style)]
    return shown + [line for reason in reasons for line in paragraph(reason, style, "   ")]


def _deferred_construct(deferred: Deferred) -> str:
    """Of which kind it is, the task does not tell."""
    place = deferred.task.location
    at = (
        f", {plain((place.file or '?').rsplit('/', 1)[-1])}:{place.line}"
        if place is not None and place.line
        else ""
    )
    return f"target ... nowait{at}"


def runtime_lines(found: Devices, style: Style) -> list[str]:
    offload = found.offload
    if offload is None:
        if not found.loaded:
            return paragraph("The program has loaded no offload runtime.", style)
        text = f"Runtime : {found.loaded[0]}: what it keeps cannot be read"
        return paragraph(text, style, " " * 10)
    name = offload.version_text or "an offload runtime"
    layout = f"; layout {offload.record}, {offload.layout}" if offload.record else ""
    text = f"Runtime : {name}, {offload.image.path or '?'}{layout}"
    if offload.reason is not None:
        text += f": {offload.reason.text}"
    shown = paragraph(text, style, " " * 10)
    if offload.layout == "refused":
        return shown
    known = "; ".join(_device(one) for one in found.all) or "none"
    policy = offload.target_offload
    known += f".  target-offload-var {policy}" if policy is not None else ""
    return shown + paragraph(f"Devices : {known}", style, " " * 10)


def _device(device: Device) -> str:
    words = [f"{device.number} {kind(device)}"]
    if device.used is False:
        words.append("not used yet")
    elif not device.mapped:
        words.append("nothing mapped")
    else:
        size = sum(one.end - one.begin for one in device.mappings)
        words.append(f"{device.mapped} mapped, {_size(size)}")
    return ", ".join(words)


def kind(device: Device) -> str:
    if device.kind == "other" and device.machine:
        return f"machine {device.machine}"
    return devices.KINDS.get(device.kind or "", "of unknown kind")


def _size(size: int) -> str:
    for unit, factor in _SIZES:
        if size >= factor:
            return f"{size / factor:.1f} {unit}"
    return count(size, "byte")


def _kernel(target: Target) -> str:
    if target.kernel is None:
        return "?" if "kernel" in target.doubts else "-"
    return kernel_words(target)


def _who(target: Target) -> str:
    thread = target.thread
    inside = thread is not None and any(member.chain for member in thread.openmp)
    return who([thread]) if thread is not None and inside else "-"


def _number(device: int | None) -> str:
    return "?" if device is None else str(device)


# ---- What is passed ------------------------------------------------------------------------------


def _name(variable: Variable | None) -> str:
    return plain(variable.name) if variable is not None else "-"


_PASSED = {WHOLE: "mapped", PART: "only in part", NONE: "not mapped"}


def argument_lines(chosen: Sequence[Target], style: Style) -> list[str]:
    """chosen: the constructs whose arguments are shown."""
    table = Table(["T", "Argument", "Host", "Bytes", "On the device", "Passed"], style)
    reasons: dict[str, None] = {}
    shown = 0
    for one in chosen:
        for argument in one.arguments or ():
            table.add(
                native(one),
                _name(variable_of(argument.source)),
                "-" if argument.by_value else f"{argument.begin:#x}",
                str(argument.size),
                f"{argument.on_device:#x}" if argument.on_device is not None else "-",
                passed(argument),
            )
            shown += 1
        if "arguments" in one.doubts:
            reasons[f"T{native(one)}: {one.doubts['arguments'].sentence}."] = None
    text = table.lines() if shown else []
    if not shown and not reasons:
        text += paragraph("No thread passes anything to a device.", style)
    return text + [line for reason in reasons for line in paragraph(reason, style, "   ")]


def passed(argument: Argument) -> str:
    if argument.by_value:
        return "by value"
    if argument.private:
        return "private copy"
    return _PASSED.get(argument.mapped or "", "?")


# ---- What is mapped ------------------------------------------------------------------------------


def map_lines(found: Devices, chosen: Sequence[Device], style: Style) -> list[str]:
    columns = ["Device", "Variable", "Mapped at", "Host", "Bytes", "On the device", "Count"]
    table = Table(columns, style)
    shown = 0
    for device in chosen:
        for one in device.mappings:
            variable = found.variable(one)
            table.add(
                str(device.number),
                _name(variable),
                mapped_at(variable) or "-",
                f"{one.begin:#x}",
                str(one.end - one.begin),
                f"{one.device_begin:#x}",
                _count(one),
            )
            shown += 1
    text = table.lines() if shown else []
    text += paragraph(f"{count(shown, 'mapping')} on {count(len(chosen), 'device')}.", style)
    for device in chosen:
        if device.problem is not None or device.mapped != len(device.mappings):
            text += paragraph(
                f"Of device {device.number} {device.mapped} are said to be there, and"
                f" {len(device.mappings)} could be read.",
                style,
            )
    if any(found.variable(one) is None for device in chosen for one in device.mappings):
        text += paragraph("-: the compiler recorded no name; compile with -g.", style, "   ")
    if any(goes_later(one) for device in chosen for one in device.mappings):
        reason = "0: it goes when the construct that unmaps it is done."
        text += paragraph(reason, style, "   ")
    return text


def _count(mapping: Mapping) -> str:
    if mapping.infinite:
        return FOR_EVER
    hold = f" + {mapping.hold_count} held" if mapping.hold_count else ""
    return f"{mapping.dynamic_count}{hold}"


def place_lines(
    found: Devices, wanted: int, size: int, text: str, style: Style, places: Sequence[Place]
) -> list[str]:
    """Both sides of an address."""
    shown: list[str] = []
    for one in places:
        variable = found.variable(one.mapping)
        name = plain(variable.name) if variable is not None else f"{one.mapping.begin:#x}"
        at = f", mapped at {mapped_at(variable)}" if mapped_at(variable) else ""
        offset = f" + {one.offset}" if one.offset else ""
        here = f"on device {one.device.number}" if one.on_device else "on the host"
        there = "on the host" if one.on_device else f"on device {one.device.number}"
        line = f"{wanted:#x} {here} is {name}{offset}{at}; {there} {one.other:#x}. "
        line += f"Count: {_count(one.mapping)}."
        left = one.mapping.end - one.mapping.begin - one.offset
        if size > left:
            line += f" Only {count(left, 'byte')} of {size} from there are mapped."
        shown += paragraph(line, style, "   ")
    if not places:
        named = f"{text} ({wanted:#x})" if text != f"{wanted:#x}" else text
        shown += paragraph(f"{named} is mapped on no device.", style)
    return shown


# ---- JSON ----------------------------------------------------------------------------------------


def document(found: Devices) -> documents.Offload:
    """The section "offload"."""
    offload = found.offload
    made: documents.Offload = {
        "runtime": _runtime(found),
        "target_offload": offload.target_offload if offload is not None else None,
        "devices": [_device_document(one) for one in found.all],
        "targets": [_target(one) for one in found.targets],
        "deferred": [
            {
                "task": one.task.id,
                "loc": location(one.task.location),
                "device": one.device,
                "blocks": [blocked.id for blocked in one.blocks],
            }
            for one in found.deferred
        ],
        "mappings": mappings(found, found.all),
    }
    return with_doubts(made, found.doubts())


def _runtime(found: Devices) -> documents.OffloadRuntime | None:
    offload = found.offload
    if offload is None:
        return None
    return {
        "version": None if offload.version is None else str(offload.version),
        "name": offload.version_text,
        "build_id": offload.build_id,
        "path": offload.image.path,
        "record": offload.record,
        "layout": offload.layout,
        "mapping_layout": offload.mapping_layout,
        "reason": offload.reason.text if offload.reason is not None else None,
    }


def _device_document(device: Device) -> documents.Device:
    return {
        "num": device.number,
        "kind": device.kind,
        "machine": device.machine,
        "used": device.used,
        "mapped": device.mapped,
        "mapped_bytes": integer(sum(one.end - one.begin for one in device.mappings)),
        "complete": device.problem is None and device.mapped == len(device.mappings),
    }


def _target(target: Target) -> documents.Target:
    thread = target.thread.native if target.thread is not None else None
    kernel = target.kernel
    made: documents.Target = {
        "gdb": thread.id if thread is not None else None,
        "lwp": thread.ptid[1] or None if thread is not None else None,
        "construct": target.construct,
        "loc": location(target.location),
        "kernel": None
        if kernel is None
        else {"function": kernel.function, "line": kernel.line, "number": kernel.number},
        "device": target.device,
        "phase": target.phase,
        "text": targets.in_words(target),
        "reason": target.reason,
        "arguments": None
        if target.arguments is None
        else [_argument(one) for one in target.arguments],
    }
    with_doubts(made, target.doubts)
    return made


def _argument(one: Argument) -> documents.Argument:
    variable = variable_of(one.source)
    return {
        "name": variable.name if variable is not None else None,
        "host": None if one.by_value else address(one.begin),
        "size": integer(one.size),
        "passed": "value" if one.by_value else "private" if one.private else "memory",
        "mapped": one.mapped,
        "target": address(one.on_device) if one.on_device is not None else None,
    }


def mappings(found: Devices, chosen: Sequence[Device]) -> list[documents.Mapping]:
    return [_mapping(found, device, one) for device in chosen for one in device.mappings]


def _mapping(found: Devices, device: Device, one: Mapping) -> documents.Mapping:
    variable = found.variable(one)
    return {
        "device": device.number,
        "name": variable.name if variable is not None else None,
        "file": variable.file if variable is not None else None,
        "line": variable.line if variable is not None else None,
        "host": address(one.begin),
        "size": integer(one.end - one.begin),
        "target": address(one.device_begin),
        "dynamic": None if one.infinite else one.dynamic_count,
        "hold": None if one.infinite else one.hold_count,
        "infinite": one.infinite,
    }


def place(found: Devices, one: Place, wanted: int) -> documents.MappedPlace:
    return {
        "address": address(wanted),
        "on_device": one.on_device,
        "offset": integer(one.offset),
        "other": address(one.other),
        "mapping": _mapping(found, one.device, one.mapping),
    }
