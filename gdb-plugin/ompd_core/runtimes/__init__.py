# SPDX-License-Identifier: Apache-2.0
"""Which OpenMP runtimes are known? A new one is a file like libomp.py, and its line here."""

from __future__ import annotations

import re

from .. import abi, late_patterns
from . import libgomp, libomp, libomptarget
from .base import Offload, Runtime

RUNTIMES = (libomp.RUNTIME, libgomp.RUNTIME)
OFFLOADS: tuple[Offload, ...] = (libomptarget.OFFLOAD,)

MARKS = tuple(one.mark for one in RUNTIMES)
INVOKES = tuple(one.invoke for one in RUNTIMES if one.invoke is not None)
SERVED_MARKS = tuple(one.mark for one in RUNTIMES if one.refused is None)
# For a library that does not tell where the runtime is that it reads.
SERVED_FILES = tuple(name for one in RUNTIMES if one.refused is None for name in one.files)
# Of the specification, and of the runtimes.
ENVIRONMENT = ("OMP_", *(prefix for one in RUNTIMES for prefix in one.environment))
STACK_SIZES = (
    "OMP_STACKSIZE",
    *(one.stack_size for one in RUNTIMES if one.stack_size is not None),
)
DEVICE_HANDLES = tuple(one.device_handle for one in RUNTIMES if one.device_handle is not None)
UNKNOWN = "An OpenMP runtime"
OFFLOAD_FILES = tuple(name for one in OFFLOADS for name in one.files)
OFFLOAD_HELPERS = tuple(name for one in OFFLOADS for name in one.helpers)
PLUGINS_INSIDE = min(one.plugins_inside for one in OFFLOADS)
DEVICE_WAITS = late_patterns.compile("|".join(one.waits for one in OFFLOADS))
DEVICE_TRANSFERS = late_patterns.compile("|".join(one.transfers for one in OFFLOADS))

# How the names of functions begin that are theirs alone: a regular expression.
FUNCTIONS = "^(" + "|".join([*(one.functions for one in RUNTIMES), abi.ENTRY_POINTS]) + ")"

_OWN = late_patterns.compile("|".join(one.functions for one in RUNTIMES))
_LOOSELY = late_patterns.compile("|".join(one.loosely for one in RUNTIMES))
_SOURCES = late_patterns.compile("|".join(one.sources for one in RUNTIMES))
_HEADERS = late_patterns.compile("|".join(one.headers for one in RUNTIMES))


def plugin_name(path: str) -> str | None:
    """For which devices is a plugin of an offload runtime's? None: it is none."""
    name = path.rsplit("/", 1)[-1]
    found = next(filter(None, (re.match(one.plugins, name) for one in OFFLOADS)), None)
    return found.group(1) if found is not None else None


def of_kind(kind: str) -> Runtime | None:
    return next((one for one in RUNTIMES if one.kind == kind), None)


def name_of(kind: str, unknown: str = UNKNOWN) -> str:
    known = of_kind(kind)
    return known.name if known is not None else unknown


def refusal(kind: str) -> str:
    """What follows after the name of a runtime that is not served."""
    known = of_kind(kind)
    return (known.refused if known is not None else None) or "is not supported"


def records_holders(kind: str) -> str:
    """The way to know next time."""
    known = of_kind(kind)
    return (known.records_holders if known is not None else None) or ""


def takes_children(kind: str) -> bool:
    known = of_kind(kind)
    return known is not None and known.takes_children


def calls_directly(kind: str) -> bool:
    known = of_kind(kind)
    return known is not None and known.calls_directly


def counts_arrivals(kind: str) -> bool:
    known = of_kind(kind)
    return known is not None and known.counts_arrivals


def loses_threads(kind: str) -> bool:
    known = of_kind(kind)
    return known is not None and known.loses_threads


def tells_no_thread(text: str) -> bool:
    """Of what a runtime said before it gave up: could it not make a thread?"""
    return any(one.no_thread and re.search(one.no_thread, text) for one in RUNTIMES)


def memory_wanted(text: str) -> int | None:
    """Bytes, if a runtime says that it did not get them."""
    found = (re.search(one.no_memory, text) for one in RUNTIMES if one.no_memory)
    return next((int(met[1]) for met in found if met is not None), None)


def fatal(kind: str) -> str | None:
    known = of_kind(kind)
    return known.fatal if known is not None else None


def variable(kind: str, icv: str) -> str | None:
    """Where a runtime keeps an ICV of the process."""
    known = of_kind(kind)
    return known.variables.get(icv) if known is not None else None


def defines(function: str, file: str | None) -> bool:
    """Is a function of the program one of a runtime that is linked into it? file: its source, where
    there is line information."""
    if abi.is_entry_point(function) or _OWN.match(function):
        return True
    if file is not None and _HEADERS.match(file):
        return True
    is_its = file is None or _SOURCES.match(file.rsplit("/", 1)[-1]) is not None
    return is_its and _LOOSELY.match(function) is not None
