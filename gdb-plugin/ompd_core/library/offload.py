# SPDX-License-Identifier: Apache-2.0
"""What libompd tells of offloading, as plain values."""

from __future__ import annotations

from . import capi
from .types import Device, Diagnostic, Image, Mapping, Offload, OffloadEntry

_LAYOUTS = {int(layout): layout.name.lower() for layout in capi.Layout}
_DEVICE_KINDS = {int(kind): kind.name.lower() for kind in capi.DeviceKind if kind}
_ENTRY_KINDS = {int(kind): kind.name.lower() for kind in capi.OffloadEntryKind}
_PROBLEMS = {int(problem): problem.name.lower() for problem in capi.Problem if problem}
_POLICIES = {0: "disabled", 1: "default", 2: "mandatory"}


def offload_of(answer: capi.ompdx_offload_t) -> Offload:
    """All of it is copied."""
    mappings = [
        _mapping(one)
        for one in capi.array_at(answer.mappings or 0, answer.mapping_count, capi.ompdx_mapping_t)
    ]
    devices = capi.array_at(answer.devices or 0, answer.device_count, capi.ompdx_device_t)
    entries = capi.array_at(answer.entries or 0, answer.entry_count, capi.ompdx_offload_entry_t)
    length = min(answer.build_id_length, len(answer.build_id))
    return Offload(
        image=Image(answer.load_bias, answer.dynamic, _text(answer.path)),
        start=answer.start,
        end=answer.end,
        version=None if answer.version < 0 else int(answer.version),
        version_text=_text(answer.version_text) or "",
        build_id=bytes(answer.build_id[:length]).hex() or None,
        record=_text(answer.record) or None,
        layout=_LAYOUTS.get(answer.layout, "refused"),
        mapping_layout=_LAYOUTS.get(answer.mapping_layout, "refused"),
        reason=_reason(answer),
        manager=answer.manager,
        target_offload=_POLICIES.get(answer.target_offload),
        devices=[_device(one, mappings) for one in devices],
        entries=[_entry(one) for one in entries],
        problem=_PROBLEMS.get(answer.problem),
    )


def _text(text: bytes | None) -> str | None:
    return None if text is None else text.decode("utf-8", "backslashreplace")


def _reason(answer: capi.ompdx_offload_t) -> Diagnostic | None:
    code = _text(answer.reason)
    return Diagnostic(code, "", _text(answer.reason_text) or "") if code else None


def _device(one: capi.ompdx_device_t, mappings: list[Mapping | None]) -> Device:
    first = one.mapping_first
    return Device(
        number=one.number,
        plugin_number=one.plugin_number,
        kind=_DEVICE_KINDS.get(one.kind),
        machine=one.machine or None,
        machine_flags=one.machine_flags,
        used=None if one.used < 0 else bool(one.used),
        address=one.address,
        plugin=one.plugin,
        mutex=one.mutex,
        locked=None if one.locked < 0 else bool(one.locked),
        owner=one.owner or None,
        mapped=one.mapped,
        mappings=tuple(filter(None, mappings[first : first + one.mapping_count])),
        problem=_PROBLEMS.get(one.problem),
    )


def _mapping(one: capi.ompdx_mapping_t) -> Mapping | None:
    """None: what stands there contradicts itself, or cannot be read: nothing of it is told."""
    if one.problem:
        return None
    return Mapping(
        device=one.device,
        address=one.address,
        base=one.host_base,
        begin=one.host_begin,
        end=one.host_end,
        device_begin=one.device_begin,
        device_allocation=one.device_allocation or None,
        dynamic_count=one.dynamic_count,
        hold_count=one.hold_count,
        infinite=capi.OMPDX_COUNT_INFINITE in (one.dynamic_count, one.hold_count),
        source_address=one.source_address,
        source=_text(one.source),
    )


def _entry(one: capi.ompdx_offload_entry_t) -> OffloadEntry:
    return OffloadEntry(
        address=one.address,
        kind=_ENTRY_KINDS.get(one.kind, "other"),
        flags=one.flags,
        bytes=one.bytes,
        library=one.library,
        name=_text(one.name),
    )
