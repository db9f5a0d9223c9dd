# SPDX-License-Identifier: Apache-2.0
"""`ompd bt' as text and as JSON: the call stack as the user wrote it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Mapping, Sequence

from ..light_classes import dataclass, field
from ..model import ids, targets
from ..model.logical_stack.backtrace import (
    CONSTRUCT,
    RUNTIME,
    USER,
    WAIT,
    Backtrace,
    Entry,
    likeness,
)
from ..model.naming import NAMELESS, without_parameters
from ..model.native import Location
from ..model.process import Membership, Thread
from ..model.targets import Target
from .cxx_names import short_arguments, short_name
from .json_document import location, with_doubts
from .table import NARROWEST, Style, count, paragraph
from .terminal import plain
from .values import who

if TYPE_CHECKING:
    from ..documents import stacks as documents

OF_SIGNAL = "<signal handler called>"


@dataclass
class Details:
    """What is shown of frames beside where they are, by their level."""

    arguments: Mapping[int, Sequence[str]] = field(default_factory=dict)
    locals: Mapping[int, str] = field(default_factory=dict)


# Of each thread whose stack frames are on.
AllDetails = Mapping[Thread, Details]


def lines(
    found: Sequence[Backtrace], details: AllDetails, style: Style, named: bool = False
) -> list[str]:
    """Several threads' stacks under a heading each; those that are alike stand together. named: a
    single one has its heading too."""
    groups = _groups(found, style.every)
    shown: list[str] = []
    for group in groups:
        if named or len(found) > 1:
            shown += ([""] if shown else []) + [_heading([one.thread for one in group])]
        shown += _one(group, details, style)
    hidden = sum(group[0].hidden for group in groups)
    runtime_shown = any(e.kind == RUNTIME for one in found for e in one.entries)
    if hidden and not runtime_shown:
        frames = count(hidden, "frame")
        shown.append(f"({frames} of the runtime and the C library hidden: `ompd bt -runtime'.)")
    return shown + footnotes([group[0] for group in groups], style)


def _groups(found: Sequence[Backtrace], every: bool) -> list[list[Backtrace]]:
    groups: dict[object, list[Backtrace]] = {}
    for one in found:
        groups.setdefault(one if every else _alike(one), []).append(one)
    return list(groups.values())


def _alike(one: Backtrace) -> object:
    """Frames of its own, and the same frames of others."""
    return one.cut, tuple(
        (likeness(e), e.region, None if e.thread is one.thread else (e.thread, e.level))
        for e in one.entries
    )


def _heading(threads: Sequence[Thread]) -> str:
    numbers = [t.native.num for t in threads if t.native is not None]
    in_gdb = f"T{ids.compress(numbers)}" if numbers else "unknown to GDB"
    name = who(threads)
    return f"{name} ({in_gdb}):" if name and name != in_gdb else f"{in_gdb}:"


def _one(group: Sequence[Backtrace], details: AllDetails, style: Style) -> list[str]:
    backtrace = group[0]
    shown: list[str] = []
    number, before = backtrace.first, backtrace.thread
    alike = list(zip(*(one.entries for one in group)))
    for at, entry in enumerate(backtrace.entries):
        if entry.thread is not before and entry.frame is not None:
            shown.append(_crossing(entry, backtrace.entries[:at], style))
            before = entry.thread
        label = "    "
        if entry.kind != RUNTIME:
            label, number = f"#{number:<3}", number + 1
        room = None if style.width is None else style.width - len(label) - 1
        own = details.get(entry.thread, Details()) if len(group) == 1 else Details()
        shown.append(f"{label} {text(entry, room, own, [e.num for e in alike[at]])}")
        if entry.kind == USER and entry.level is not None and entry.level in own.locals:
            shown += [
                f"        {line}" for line in own.locals[entry.level].expandtabs().splitlines()
            ]
    if not backtrace.entries:
        shown.append(
            "(running)" if backtrace.thread.running else "(no frame of the program's own code)"
        )
    return shown


def _crossing(entry: Entry, inner: Sequence[Entry], style: Style) -> str:
    """The frames below are on another thread's stack."""
    construct = next((e for e in reversed(inner) if e.kind == CONSTRUCT), None)
    what = "the generating task"
    if construct is not None and construct.region is not None:
        region = construct.region
        what = "the parent task"
        if region.parent is not None and region.primary_num is not None:
            what += f" {region.parent.id}.{region.primary_num}"
    native = entry.thread.native
    line = f"--- below: {what} on thread {native.num if native else '?'} "
    return line.ljust(min(style.width or len(line), 80), "-")


# ---- One entry -----------------------------------------------------------------------------------


def text(entry: Entry, room: int | None, details: Details, nums: Sequence[int | None] = ()) -> str:
    """nums: of the threads that it stands for, in the construct's region."""
    if entry.kind == WAIT:
        shown = f"<{wait(entry.member)}>"
    elif entry.kind == CONSTRUCT:
        shown = construct(entry) + _whose(entry, nums or [entry.num])
    else:
        passed = () if entry.level is None else details.arguments.get(entry.level, ())
        shown = _frame(entry, room, passed)
    return shown + ("  ?" if any(d.certainty == "likely" for d in entry.doubts.values()) else "")


def wait(member: Membership | None) -> str:
    """What a thread waits for, as a programmer would say it."""
    state = member.state if member is not None else None
    if member is not None and member.raw.kind == "helper":
        return "hidden helper"
    if member is None or state is None:
        return "not known"
    if member.starts:
        return "starting"
    waits = member.wait
    name = plain(waits.name) if waits is not None and waits.name is not None else None
    if state.startswith("wait_barrier"):
        return _barrier(state, waits.construct if waits is not None else None)
    if state == "wait_lock":
        return "lock wait" + (f" `{name}'" if name else "")
    if waits is not None and waits.phase is not None:
        return waits.phase
    if state == "wait_critical":
        return "critical" + (f" {name or '(unnamed)'}" if name is not None else "")
    return state.replace("wait_", "").replace("_", " ")


def _barrier(state: str, construct: str | None) -> str:
    if construct == "reduction":
        return "barrier of a reduction"
    if "implicit" not in state:
        return "barrier"
    where = {"parallel": "region", None: "worksharing" if "workshare" in state else None}
    end = where.get(construct, construct)
    return f"barrier, implicit, end of {end}" if end else "barrier, implicit"


def _generator(entry: Entry) -> str:
    if entry.explicit:
        return "task"
    if entry.target is not None:
        return entry.target.construct
    return entry.region.raw.generator if entry.region is not None else "parallel"


def construct(entry: Entry) -> str:
    """#pragma omp parallel at heat.c:80"""
    place = entry.location
    at = f" at {at_line(place)}" if at_line(place) else ""
    if at and place is not None and place.language is not None:
        at = f" called{at}"
    if not at and place is not None and place.function not in (None, NAMELESS):
        at = f" in {plain(place.function or '')}"
        at += f", line {place.line}" if entry.target is not None and place.line else ""
    if entry.explicit:
        name = f"task {entry.task.id}" if entry.task is not None else "task"
        moment = ", at its end or before its beginning" if entry.ended else ""
        known = f"{name} created{at}" if at else f"{name}, created at a place that is not known"
        return known + moment
    return f"{'!$omp' if entry.fortran else '#pragma omp'} {_generator(entry)}{at}"


def on_device(target: Target) -> str:
    """, device 1; or why there is none."""
    if target.phase == targets.FALLBACK:
        return ", on the host"
    return ", device not known" if target.device is None else f", device {target.device}"


def at_line(place: Location | None) -> str:
    """heat.c:80"""
    if place is None or not place.file or not place.line:
        return ""
    return f"{plain(place.file.rsplit('/', 1)[-1])}:{place.line}"


def _whose(entry: Entry, nums: Sequence[int | None]) -> str:
    region = entry.region
    if entry.target is not None:
        return on_device(entry.target)
    if region is None:
        return ""
    size = "?" if region.raw.team_size is None else str(region.raw.team_size)
    serialized = ", serialized" if region.raw.serialized else ""
    league = region.raw.league_size
    if region.raw.generator == "teams" and league:
        return f", {region.id}, team {region.raw.team_num} of {league}"
    known = [num for num in nums if num is not None]
    numbers = f".{ids.compress(known)}" if known else ""
    return f", {region.id}{numbers} of {size}{serialized}"


def _frame(entry: Entry, room: int | None, arguments: Sequence[str]) -> str:
    place = entry.location or Location()
    at = f" at {at_line(place)}" if at_line(place) else ""
    name = function(entry)
    if name == OF_SIGNAL:
        return name
    if place.language is not None:
        return f"{name} ({at_line(place) or plain((place.file or '').rsplit('/', 1)[-1])})"
    if not at and place.objfile and entry.kind == RUNTIME:
        at = f" from {plain(place.objfile.rsplit('/', 1)[-1])}"
    passed = ", ".join(map(plain, arguments))
    if room is not None:
        left = room - len(at) - 3 - min(len(name), room // 3)
        passed = short_arguments(list(map(plain, arguments)), max(left, NARROWEST))
        name = short_name(name, max(room - len(at) - len(passed) - 3, NARROWEST))
    return name + ("" if name == NAMELESS else f" ({passed})") + at


def function(entry: Entry) -> str:
    """Its name; without symbols heat+0x1463, what addr2line wants."""
    frame, place = entry.frame, entry.location
    if frame is not None and frame.signal:
        return OF_SIGNAL
    if place is not None and place.function and place.language is not None:
        return plain(place.function)
    if place is not None and place.function:
        return plain(without_parameters(place.function))
    if frame is None or place is None or place.pc is None:
        return "??"
    if place.objfile is None or frame.offset is None:
        return f"{place.pc:#x}"
    return f"{plain(place.objfile.rsplit('/', 1)[-1])}+{frame.offset:#x}"


# ---- What is not certain -------------------------------------------------------------------------


def footnotes(found: Sequence[Backtrace], style: Style) -> list[str]:
    reasons: dict[str, None] = {}
    for backtrace in found:
        frames = [e.frame for e in backtrace.entries if e.kind == USER]
        native = [frame for frame in frames if frame is not None and not frame.interprets]
        if any(frame.offset is not None for frame in native):
            reasons["MODULE+OFFSET: the code there has no symbols (it is stripped)"] = None
        for entry in backtrace.entries:
            for name, doubt in entry.doubts.items():
                mark = "?" if doubt.certainty == "likely" or name != "loc" else "No line"
                reasons[f"{mark}: {doubt.sentence}"] = None
        if backtrace.missing is not None:
            reasons[f"More may be there: {backtrace.missing.sentence}"] = None
        if backtrace.cut is not None:
            reasons[f"More is not shown: {backtrace.cut.sentence}"] = None
    return [line for reason in reasons for line in paragraph(f"{reason}.", style, "   ")]


# ---- JSON ----------------------------------------------------------------------------------------


def document(found: Sequence[Backtrace], details: AllDetails) -> list[documents.Stack]:
    """The section "stacks"."""
    return [_stack(one, details) for one in found]


def _stack(one: Backtrace, details: AllDetails) -> documents.Stack:
    native = one.thread.native
    stack: documents.Stack = {
        "who": who([one.thread]) or None,
        "gdb": native.id if native is not None else None,
        "complete": one.cut is None,
        "hidden": one.hidden,
        "frames": frames(one.entries, details, one.first),
    }
    doubts = {"complete": one.cut, "frames": one.missing}
    return with_doubts(stack, {name: why for name, why in doubts.items() if why is not None})


def frames(entries: Sequence[Entry], details: AllDetails, number: int = 0) -> list[documents.Frame]:
    found = []
    for entry in entries:
        own = details.get(entry.thread, Details())
        found.append(frame(entry, own, None if entry.kind == RUNTIME else number))
        number += entry.kind != RUNTIME
    return found


def frame(entry: Entry, details: Details, number: int | None) -> documents.Frame:
    native = entry.thread.native
    told: documents.Frame = {
        "kind": entry.kind,
        "number": number,
        "loc": location(entry.location),
        "text": text(entry, None, details),
        "thread": native.id if native is not None else None,
        "level": entry.level,
        "construct": _generator(entry) if entry.kind == CONSTRUCT else None,
        "region": entry.region.id if entry.region is not None else None,
        "thread_num": entry.num,
        "task": entry.task.id if entry.task is not None else None,
        "ended": entry.ended,
    }
    place = entry.location if entry.kind != CONSTRUCT else None
    if place is not None and place.language is not None:
        told["language"] = place.language
    if entry.target is not None:
        told["device"] = entry.target.device
    if entry.level is not None and entry.level in details.locals:
        told["locals"] = details.locals[entry.level]
    return with_doubts(told, entry.doubts)
