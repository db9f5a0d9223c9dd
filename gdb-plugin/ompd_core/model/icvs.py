# SPDX-License-Identifier: Apache-2.0
"""Which ICVs have which values, where, and which were changed?"""

from __future__ import annotations

import re
from typing import Mapping, Sequence

from .. import runtimes
from ..library.types import Icvs, IcvValue
from ..light_classes import dataclass, field
from . import ids
from .process import Process, Thread

UNLIMITED = (1 << 31) - 1
UNKNOWN = IcvValue(None, None)
_NUMBER_OF_THREADS = "nthreads-var"


@dataclass(frozen=True)
class Group:
    """Threads for which an ICV has the same value."""

    value: IcvValue
    threads: tuple[Thread, ...] = ()  # none: it is the process's


@dataclass
class Icv:
    name: str
    scope: str  # "process", "region", "thread", "task"
    groups: list[Group] = field(default_factory=list)
    changed: bool = False
    why_unknown: str | None = None  # of a value that is not known


NOT_KEPT = "the runtime does not keep it"
# Of what each runtime keeps, but not always has.
NOT_SET = {"place-partition-var": "threads are not bound to places"}
# By the numbers of omp_proc_bind_t.
_BINDINGS = ("false", "true", "primary", "close", "spread")

FIRST_ITEM = "the runtime tells only the first item of the list"
NOT_BEGUN = "the thread has not begun its region's task yet"
NOT_FOUND = "where this build of the runtime keeps it is not known"


def gather(process: Process, runtime: int, found: Icvs, chosen: Sequence[Thread]) -> list[Icv]:
    """Of a runtime, for the threads that are chosen."""
    missing = _missing(process, runtime)
    kind = next((one.kind for one in process.runtimes if one.id == runtime), "")
    asked = [
        (thread, _as_begun(values, found.scopes))
        for thread, values in zip(_natives(process), found.threads)
        if values is not None and thread in chosen
    ]
    icvs = []
    for name, scope in found.scopes.items():
        icv = Icv(name, scope)
        if scope == "process":
            icv.groups = [Group(found.process[name])]
        else:
            icv.groups = _grouped([(thread, values[name]) for thread, values in asked])
        icv.changed = _is_changed(icv, found.initial.get(name))
        unknown = [group.value for group in icv.groups if group.value.text is None]
        if unknown:
            icv.why_unknown = NOT_SET.get(name, NOT_KEPT)
            if scope == "task" and any(_is_early(values) for _, values in asked):
                icv.why_unknown = NOT_BEGUN
            elif all(value.number is not None for value in unknown):
                icv.why_unknown = FIRST_ITEM
            elif runtimes.variable(kind, name) in missing:
                icv.why_unknown = NOT_FOUND
        if icv.groups:
            icvs.append(icv)
    return icvs


def _is_early(values: Mapping[str, IcvValue]) -> bool:
    return values.get(_NUMBER_OF_THREADS) == UNKNOWN


def _as_begun(values: Mapping[str, IcvValue], scopes: Mapping[str, str]) -> Mapping[str, IcvValue]:
    """A thread sets the ICVs of its task as it begins the region: until then they are zeros, which
    the number of threads never is."""
    number = values.get(_NUMBER_OF_THREADS)
    if number is None or number.number != 0:
        return values
    return {name: UNKNOWN if scopes.get(name) == "task" else of for name, of in values.items()}


def _natives(process: Process) -> list[Thread]:
    """In the order in which the library was asked."""
    by_number = {t.native.num: t for t in process.threads if t.native is not None}
    return [by_number[native.num] for native in process.natives]


def _missing(process: Process, runtime: int) -> set[str]:
    """Variables of the runtime that could not be located."""
    return {
        one.subject
        for each in process.runtimes
        if each.id == runtime
        for one in each.diagnostics
        if one.code == "global_not_found"
    }


def _grouped(values: Sequence[tuple[Thread, IcvValue]]) -> list[Group]:
    groups: dict[IcvValue, list[Thread]] = {}
    for thread, value in values:
        groups.setdefault(value, []).append(thread)
    return [Group(value, tuple(threads)) for value, threads in groups.items()]


def _is_changed(icv: Icv, initial: IcvValue | None) -> bool:
    """Known, and not the same everywhere, the program's initial task included."""
    known = {group.value for group in icv.groups if group.value.text is not None}
    if icv.scope != "task" or not known:
        return False
    if initial is not None and initial.text is not None:
        known.add(initial)
    return len(known) > 1


def is_known(value: IcvValue) -> bool:
    """At least its first item."""
    return value.text is not None or value.number is not None


def in_words(name: str, value: IcvValue) -> str:
    """As a person says it."""
    if value.text is None and value.number is not None:
        words = _BINDINGS if name == "bind-var" else ()
        first = words[value.number] if 0 <= value.number < len(words) else value.number
        return f"{first},..."
    text = value.text or ""
    if name == "stacksize-var" and value.number is not None:
        return _bytes(value.number)
    if name in ("thread-limit-var", "max-active-levels-var") and value.number == UNLIMITED:
        return "unlimited"
    if name == "place-partition-var" and re.fullmatch(r"\d+(,\d+)*", text):
        return ids.compress(int(place) for place in text.split(","))
    return text or "(empty)"


def _bytes(number: int) -> str:
    for unit, size in (("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)):
        if number >= size and number % size == 0:
            return f"{number // size} {unit}"
    return f"{number} bytes"
