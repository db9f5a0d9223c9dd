# SPDX-License-Identifier: Apache-2.0
"""What kinds of state does a record know? A column of a table each. They are names of OMPT without
ompt_state_, and the sampler's own."""

from __future__ import annotations

from enum import Enum

from ..model import states
from .record import Activity


class Kind(Enum):
    """In the order in which they are shown."""

    WORK = "work"
    SERIAL = "serial"
    BARRIER = "barrier"
    LOCK = "lock"
    TASKS = "tasks"
    WAIT = "other wait"
    OVERHEAD = "overhead"
    KERNEL = "kernel"
    PREEMPTED = "preempted"
    ASLEEP = "asleep"
    IDLE = "idle"
    OUTSIDE = "outside"
    UNKNOWN = "?"


MEANING = {
    Kind.WORK: "the program's code in a parallel region",
    Kind.SERIAL: "the program's code outside of parallel regions",
    Kind.BARRIER: "at a barrier, also the one at a region's or loop's end",
    Kind.LOCK: "for a lock, critical, atomic or ordered",
    Kind.TASKS: "for tasks: taskwait, taskgroup, dependences",
    Kind.WAIT: "for something else",
    Kind.OVERHEAD: "in the runtime, without waiting",
    Kind.KERNEL: "on a processor, in a system call or not told",
    Kind.PREEMPTED: "wants to run, and others have the processor",
    Kind.ASLEEP: "in a call of the program's that sleeps",
    Kind.IDLE: "a worker without a region",
    Kind.OUTSIDE: "no thread of OpenMP, or before OpenMP begins",
    Kind.UNKNOWN: "not known",
}

WAITS = (Kind.BARRIER, Kind.LOCK, Kind.TASKS, Kind.WAIT)

# Of a moment in one of these it is not told where the thread is: where it was.
LIMBO = (Kind.PREEMPTED, Kind.KERNEL, Kind.UNKNOWN, Kind.OVERHEAD)

# The kernel tells when a thread has no processor and wants one.
EXACT = (Kind.PREEMPTED,)

_KINDS = {
    "work_parallel": Kind.WORK,
    "work_reduction": Kind.WORK,
    "work_serial": Kind.SERIAL,
    "wait_lock": Kind.LOCK,
    "wait_nest_lock": Kind.LOCK,
    "wait_critical": Kind.LOCK,
    "wait_mutex": Kind.LOCK,
    "wait_atomic": Kind.LOCK,
    "wait_ordered": Kind.LOCK,
    "wait_taskwait": Kind.TASKS,
    "wait_taskgroup": Kind.TASKS,
    "overhead": Kind.OVERHEAD,
    "kernel": Kind.KERNEL,
    "preempted": Kind.PREEMPTED,
    "asleep": Kind.ASLEEP,
    "idle": Kind.IDLE,
    "outside": Kind.OUTSIDE,
}


def kind(state: str) -> Kind:
    found = _KINDS.get(state)
    if found is not None:
        return found
    if state.startswith("wait_barrier"):
        return Kind.BARRIER
    return Kind.WAIT if state.startswith("wait_") else Kind.UNKNOWN


_OWN = {
    "kernel": "in the kernel",
    "asleep": "asleep",
    "outside": "outside of OpenMP",
    "preempted": "preempted",
    "?": "?",
    "wait_nest_lock": "nested lock",
}


def in_words(state: str) -> str:
    return _OWN.get(state) or states.in_words(state)


_CONSTRUCTS = {
    "barrier": "barrier",
    "region": "barrier, end of region",
    "workshare": "barrier, end of worksharing",
    "reduction": "barrier of a reduction",
    "nest_lock": "nested lock",
    "depend": "dependences",
}


def construct_in_words(name: str | None) -> str | None:
    """What is waited for, where the construct is known: it says more than the state."""
    if name in ("for", "sections", "single"):
        return f"barrier, end of {name}"
    return _CONSTRUCTS.get(name, name) if name else None


def is_exact(activity: Activity, switches: bool) -> bool:
    """Its time needs no samples. switches: the kernel tells of each, so a sleep that was looked
    at is known from its beginning to its end."""
    if kind(activity.state) in EXACT:
        return True
    return switches and activity.on is False and activity.certainty == "certain"
