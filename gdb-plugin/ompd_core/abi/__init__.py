# SPDX-License-Identifier: Apache-2.0
"""What do compilers call, in all interfaces together? A new one is a file, and its line here. See
Interface for what the tables say."""

from __future__ import annotations

from functools import lru_cache
from typing import Callable, Mapping, TypeVar

from . import gomp, kmpc, libraries, omp, tgt
from .base import AFTER, CALLED, Held, Interface, Maps, TargetCall

INTERFACES = (kmpc.INTERFACE, gomp.INTERFACE, omp.INTERFACE, tgt.INTERFACE)

_Value = TypeVar("_Value")


def _names(of: Callable[[Interface], tuple[str, ...]]) -> tuple[str, ...]:
    return tuple(name for one in INTERFACES for name in of(one))


def _table(of: Callable[[Interface], Mapping[str, _Value]]) -> dict[str, _Value]:
    return {name: value for one in INTERFACES for name, value in of(one).items()}


FORKED_ARGUMENT = _table(lambda one: one.forks)
FORKS = tuple(FORKED_ARGUMENT)
FORKS_BY_ANOTHER = _names(lambda one: one.forks_by_another)
FUNCTIONS = {**FORKED_ARGUMENT, **_table(lambda one: one.functions)}
EVENTS = {
    event: {name: at for one in INTERFACES for name, at in one.events.get(event, {}).items()}
    for event in dict.fromkeys(event for one in INTERFACES for event in one.events)
}
CANCELLABLE = _names(lambda one: one.cancellable)
CANCELS = _names(lambda one: one.cancels)
CANCELLATION_POINTS = (
    *(CANCELS + CANCELLABLE),
    *_names(lambda one: one.cancellation_points),
)
EXECUTES_AT_ONCE = _names(lambda one: one.executes_at_once)
EXECUTES_TASKS = EXECUTES_AT_ONCE + _names(lambda one: one.executes_tasks)
WAITS = _table(lambda one: one.waits)
OBJECT_ARGUMENT = _table(lambda one: one.object_argument)
ITERATION_ARGUMENT = _table(lambda one: one.iteration_argument)
ITERATION_PASSED = _names(lambda one: one.iteration_passed)
PARTS_OF = _table(lambda one: one.parts_of)
HANDS_ON = _names(lambda one: one.hands_on)
SERIALIZES = _names(lambda one: one.serializes)
BEFORE_REGION = _names(lambda one: one.before_region)
CONSTRUCT_ENDS = _table(lambda one: one.construct_ends)
CONDITIONAL = _names(lambda one: one.conditional)
LOOP_STATIC = _names(lambda one: one.loop_static)
LOOP_NEXT = _names(lambda one: one.loop_next)
LOOP_LEFT = _names(lambda one: one.loop_left)
SECTIONS_NEXT = _names(lambda one: one.sections_next)
SECTIONS_LEFT = _names(lambda one: one.sections_left)
BEGINS: Held = {**_table(lambda one: one.begins), **libraries.BEGINS}
ENDS: Held = {**_table(lambda one: one.ends), **libraries.ENDS}
TESTS = _names(lambda one: one.tests) + libraries.TESTS
HOST_TARGETS = _names(lambda one: one.host_targets)
TARGETS: Mapping[str, TargetCall] = _table(lambda one: one.targets)
# What compilers alone call; the routines of omp_* may be anybody's.
PREFIXES = tuple(one.prefix for one in INTERFACES if one is not omp.INTERFACE)
NESTED = tuple(one.prefix for one in INTERFACES if one.nested)
IN_FILES = tuple(one.prefix for one in INTERFACES if one.in_files)
UNLINED = tuple(one.prefix for one in INTERFACES if not one.lined)

# Their names as a regular expression, from the beginning.
ENTRY_POINTS = "|".join([*PREFIXES, f"({'|'.join(sorted(omp.ROUTINES))})_?$"])

# What in the names of entry points is no interface's own: how runtimes call them inside.
_INSIDE = ("__kmp_api_", "gomp_ialias_")
# Of two names for one address debuggers show either.
_ALSO = {"gomp_ordered_sync": "GOMP_ordered_start"}

__all__ = [
    "AFTER",
    "BEFORE_REGION",
    "BEGINS",
    "CALLED",
    "CANCELLABLE",
    "CANCELLATION_POINTS",
    "CANCELS",
    "CONDITIONAL",
    "CONSTRUCT_ENDS",
    "ENDS",
    "ENTRY_POINTS",
    "EVENTS",
    "EXECUTES_AT_ONCE",
    "EXECUTES_TASKS",
    "FORKED_ARGUMENT",
    "FORKS",
    "FORKS_BY_ANOTHER",
    "FUNCTIONS",
    "HANDS_ON",
    "HOST_TARGETS",
    "IN_FILES",
    "ITERATION_ARGUMENT",
    "ITERATION_PASSED",
    "LOOP_LEFT",
    "LOOP_NEXT",
    "LOOP_STATIC",
    "Maps",
    "NESTED",
    "OBJECT_ARGUMENT",
    "PARTS_OF",
    "PREFIXES",
    "SECTIONS_LEFT",
    "SECTIONS_NEXT",
    "SERIALIZES",
    "TARGETS",
    "TESTS",
    "TargetCall",
    "UNLINED",
    "WAITS",
    "is_entry_point",
    "normal",
    "source_at",
]


# A stack has few names, and each of thousands of frames is asked for its own.
@lru_cache(maxsize=4096)
def normal(name: str) -> str:
    """Fortran's omp_set_lock_ and the hidden __kmp_api_omp_set_lock are omp_set_lock."""
    name = name.partition("@")[0]
    for prefix in _INSIDE:
        if name.startswith(prefix):
            name = name[len(prefix) :]
    name = _ALSO.get(name, name)
    return name.rstrip("_") if name.startswith(("omp_", "kmp_")) else name


@lru_cache(maxsize=4096)
def is_entry_point(name: str) -> bool:
    """Is it what a program calls of a runtime? Fortran's names end in an underscore."""
    return normal(name).startswith(PREFIXES) or normal(name) in omp.ROUTINES


@lru_cache(maxsize=256)
def source_at(name: str) -> int | None:
    """How far in what its first argument points to the address of the source's text is; None: that
    describes no call."""
    return next((one.source_at for one in INTERFACES if name.startswith(one.prefix)), None)
