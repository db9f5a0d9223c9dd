# SPDX-License-Identifier: Apache-2.0
"""Who does what on which device, and what is mapped there?"""

from __future__ import annotations

from ...model.devices import KINDS
from . import places, who
from .document import Json, doubt, number, object_of, objects, word, words
from .markup import Markup, Part, fold, join, row, table, tag
from .report import Report, Section, capped, names_cell

_FOR_EVER = "for ever"
_ON_HOST = "host"  # the phase of a construct that no device executes


def section(report: Report) -> Section | None:
    """Nothing of a program that has not to do with devices."""
    found = object_of(report.document, "offload")
    if not found:
        return None
    targets = objects(found, "targets")
    parts: list[Part] = [tag("p", _runtime(object_of(found, "runtime")), class_="lead")]
    policy = word(found, "target_offload")
    if policy is not None:
        parts.append(tag("p", "target-offload-var is ", tag("code", policy), "."))
    deferred = objects(found, "deferred")
    parts += [*_devices(report, found), *_targets(report, targets, deferred)]
    parts += _mappings(report, found)
    busy = len(targets) + len(deferred)
    count = f"{busy:,}" if busy else ""
    return Section("offload", "Devices", join(parts), count)


def _runtime(runtime: Json) -> Part:
    if not runtime:
        return "No offload runtime that could be read."
    record, reason = word(runtime, "record"), word(runtime, "reason")
    found: list[Part] = [word(runtime, "name") or "An offload runtime"]
    found += [", ", tag("code", word(runtime, "path") or "(path unknown)")]
    if record is not None:
        found.append(f"; layout {record}, {word(runtime, 'layout')}")
    if reason is not None:
        found.append(f": {reason}")
    return [found, "."]


# ---- Devices -------------------------------------------------------------------------------------


def _devices(report: Report, offload: Json) -> list[Part]:
    mark = report.doubts.mark(doubt(offload, "devices"))
    devices = objects(offload, "devices")
    if not devices:
        return [tag("p", "Which devices there are is not known", mark, ".")] if mark else []
    shown, more = capped(devices)
    rows = [
        row(
            _integer(one, "num"),
            _kind(one),
            _used(one),
            _mapped(one),
        )
        for one in shown
    ]
    found: list[Part] = [table(["Device", "Kind", "Used", "Mapped"], rows, "Devices"), more]
    return [*found, tag("p", "Likely, not certain", mark, ".", class_="more")] if mark else found


def _kind(device: Json) -> str:
    kind, machine = word(device, "kind"), number(device, "machine")
    if kind == "other" and machine:
        return f"machine {machine}"
    return KINDS.get(kind or "", "of unknown kind")


def _used(device: Json) -> str:
    used = device.get("used")
    return "yes" if used is True else "not yet" if used is False else "not known"


def _mapped(device: Json) -> str:
    text = f"{_integer(device, 'mapped')}, {_integer(device, 'mapped_bytes')} bytes"
    return text if device.get("complete") is not False else f"{text}; not all could be read"


# ---- Threads in constructs -----------------------------------------------------------------------


def _targets(report: Report, targets: list[Json], deferred: list[Json]) -> list[Part]:
    waiting = _deferred(deferred)
    if not targets:
        return [tag("p", "No thread is in a construct of a device."), *waiting]
    threads = {name: one for one in report.threads if (name := word(one, "gdb")) is not None}
    shown, more = capped(targets)
    headings = ["Thread", "OpenMP", "Construct", "Kernel", "Device", "Does"]
    rows = [_target(report, one, threads.get(word(one, "gdb") or "", {})) for one in shown]
    title = "Threads in constructs of devices"
    shown_targets = [tag("h3", title), table(headings, rows, title), more]
    return [*shown_targets, *waiting, _passed(report, targets)]


def _deferred(deferred: list[Json]) -> list[Part]:
    if not deferred:
        return []
    shown, more = capped(deferred)
    rows = [
        row(
            tag("b", word(one, "task") or "?"),
            places.shown(object_of(one, "loc"), places.line(object_of(one, "loc")) or "?"),
            "?" if number(one, "device") is None else _integer(one, "device"),
            names_cell(" ".join(words(one, "blocks")) or "-"),
        )
        for one in shown
    ]
    title = "Tasks that wait for their device, and that no thread executes"
    headings = ["Task", "Made at", "Device", "Tasks that depend on it"]
    return [tag("h3", title), table(headings, rows, title), more]


_MAPPED = {"whole": "mapped", "part": "only in part", "none": "not mapped"}
_COPIES = {"value": "by value", "private": "private copy"}


def _passed(report: Report, targets: list[Json]) -> Markup | None:
    """Folded: as many as the constructs' variables."""
    pairs = [(target, one) for target in targets for one in objects(target, "arguments")]
    doubts = [report.doubts.mark(doubt(target, "arguments")) for target in targets]
    if not pairs:
        return None
    shown, more = capped(pairs)
    rows = [
        row(
            tag("b", who.gdb_name(target) or "-"),
            tag("code", name) if (name := word(one, "name")) is not None else "-",
            tag("code", word(one, "host") or "-"),
            _integer(one, "size"),
            tag("code", word(one, "target") or "-"),
            _COPIES.get(word(one, "passed") or "", _MAPPED.get(word(one, "mapped") or "", "?")),
            data_who="",
            data_gdb=who.gdb_name(target),
        )
        for target, one in shown
    ]
    headings = ["Thread", "Argument", "Host", "Bytes", "On the device", "Passed"]
    title = f"What these constructs pass to their devices ({len(pairs):,})"
    return fold(title, table(headings, rows, title), more, doubts)


def _target(report: Report, target: Json, thread: Json) -> Markup:
    names, gdb = who.name(thread) if thread else "", who.gdb_name(target)
    place = object_of(target, "loc")
    at = places.line(place) or (word(place, "function") or "")
    reason = word(target, "reason")
    return row(
        tag("b", gdb or "-"),
        names if names not in ("", gdb) else "-",
        [
            f"{word(target, 'construct') or '?'}, " if at else word(target, "construct") or "?",
            places.shown(place, at) if at else None,
            report.doubts.mark(doubt(target, "loc")),
        ],
        _or_doubt(report, target, "kernel", _kernel(target)),
        _or_doubt(report, target, "device", _integer(target, "device")),
        [word(target, "text") or "?", f": {reason}" if reason is not None else None],
        data_who=names,
        data_gdb=gdb,
        class_="odd" if word(target, "phase") == "aborted" else None,
    )


def _or_doubt(report: Report, target: Json, field: str, known: str | None) -> Part:
    mark = report.doubts.mark(doubt(target, field))
    return [known, mark] if known is not None else mark or "-"


def _kernel(target: Json) -> str | None:
    """As in the text: the function that the construct is in, and the construct's line."""
    kernel = object_of(target, "kernel")
    if not kernel:
        return None
    name = word(object_of(target, "loc"), "function") or word(kernel, "function") or "?"
    of_line = number(kernel, "number") or 0
    return f"{name}, line {_integer(kernel, 'line')}{f' ({of_line + 1})' if of_line else ''}"


# ---- What is mapped ------------------------------------------------------------------------------


def _mappings(report: Report, offload: Json) -> list[Part]:
    mark = report.doubts.mark(doubt(offload, "mappings"))
    mappings = objects(offload, "mappings")
    if not mappings:
        return [tag("p", "What is mapped is not known", mark, ".")] if mark else []
    shown, more = capped(mappings)
    headings = ["Device", "Variable", "Mapped at", "Host", "Bytes", "On the device", "Count"]
    title = f"What is mapped ({len(mappings):,})"
    found: list[Part] = [tag("h3", title, mark), table(headings, map(_mapping, shown), title), more]
    if any(word(one, "name") is None for one in mappings):
        found.append(tag("p", "-: the compiler recorded no name; compile with -g.", class_="more"))
    if any(one.get("dynamic") == 0 and not one.get("hold") for one in mappings):
        text = "0: it goes when the construct that unmaps it is done."
        found.append(tag("p", text, class_="more"))
    return found


def _mapping(mapping: Json) -> Markup:
    name = word(mapping, "name")
    return row(
        _integer(mapping, "device"),
        tag("code", name) if name is not None else "-",
        places.shown(mapping) if word(mapping, "file") else "-",
        tag("code", word(mapping, "host") or "?"),
        _integer(mapping, "size"),
        tag("code", word(mapping, "target") or "?"),
        _count(mapping),
        data_who="",  # so that the search looks for its words
    )


def _count(mapping: Json) -> str:
    if mapping.get("infinite") is True:
        return _FOR_EVER
    hold = mapping.get("hold")
    return f"{_integer(mapping, 'dynamic') or '?'}{f' + {hold} held' if hold else ''}"


def _integer(value: Json, name: str) -> str | None:
    """Large ones are strings in a document."""
    found = number(value, name)
    return word(value, name) if found is None else f"{found:,}"
