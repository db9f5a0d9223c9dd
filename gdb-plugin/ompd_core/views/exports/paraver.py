# SPDX-License-Identifier: Apache-2.0
"""Paraver's trace: .prv, and .pcf and .row that name what is in it. The states are ovni's, its
OpenMP model's "subsystems" with their numbers, so that its configurations fit; what that model does
not have is told by numbers from 101 on, and each state as the record has it by an event of ours."""

from __future__ import annotations

import heapq
import time
from typing import Iterator, TextIO

from ...recording.record import Record
from ...recording.stacks import at
from ...recording.states import Kind, in_words, kind
from ..terminal import plain

SUBSYSTEM = 50  # ovni's PRV_OPENMP_SUBSYSTEM
STATE, REGION = 90_000_001, 90_000_002  # ours

OVNI = {
    1: "Barrier: Fork",
    2: "Barrier: Join",
    3: "Barrier: Plain",
    6: "Critical: Acquiring",
    22: "Task: Taskgroup",
    23: "Task: Taskwait",
    24: "Task: Taskwait deps",
    26: "Runtime: Attached",
    29: "Runtime: Internal microtask",
    30: "Runtime: User microtask",
    101: "Lock: Acquiring",
    102: "Atomic: Acquiring",
    103: "Ordered: Waiting",
    104: "Barrier: Teams",
    105: "Barrier: Reduction",
    106: "Waiting for something else",
    107: "Outside of OpenMP",
    108: "Preempted",
    109: "In the kernel",
    110: "Asleep",
    111: "Not known",
}
NOT_KNOWN = 111
_SUBSYSTEMS = {
    "work_parallel": 30,
    "work_reduction": 30,
    "work_serial": 26,
    "wait_barrier_implicit_parallel": 2,
    "wait_barrier_implementation": 105,
    "wait_barrier_teams": 104,
    "wait_taskwait": 23,
    "wait_taskgroup": 22,
    "wait_critical": 6,
    "wait_lock": 101,
    "wait_nest_lock": 101,
    "wait_mutex": 101,
    "wait_atomic": 102,
    "wait_ordered": 103,
    "idle": 1,
    "overhead": 29,
}
_BY_KIND = {
    Kind.BARRIER: 3,
    Kind.WAIT: 106,
    Kind.OUTSIDE: 107,
    Kind.PREEMPTED: 108,
    Kind.KERNEL: 109,
    Kind.ASLEEP: 110,
}

# Paraver's own states, by which it paints a timeline without a configuration.
_OWN = {0: "Idle", 1: "Running", 5: "Synchronization", 7: "Scheduling and Fork/Join", 12: "Others"}
_OWN_OF = {
    Kind.WORK: 1,
    Kind.SERIAL: 1,
    Kind.BARRIER: 5,
    Kind.LOCK: 5,
    Kind.TASKS: 5,
    Kind.WAIT: 5,
    Kind.OVERHEAD: 7,
    Kind.IDLE: 0,
}
_COLORS = {
    0: (217, 217, 217),
    1: (60, 180, 75),
    5: (230, 25, 75),
    7: (255, 225, 25),
    12: (128, 128, 128),
}


def subsystem(state: str, depends: bool = False) -> int:
    """depends: what is waited for are a task's dependences."""
    if state == "wait_taskwait" and depends:
        return 24
    found = _SUBSYSTEMS.get(state)
    return _BY_KIND.get(kind(state), NOT_KNOWN) if found is None else found


def write_prv(record: Record, file: TextIO) -> None:
    threads = max(len(record.threads), 1)
    file.write(f"#Paraver ({_date(record)}):{record.last}_ns:0:1:1({threads}:1)\n")
    states = _numbers(record)
    for _, line in heapq.merge(
        *(_lines(record, place, states) for place in range(len(record.threads)))
    ):
        file.write(line)


def _lines(record: Record, place: int, states: dict[str, int]) -> Iterator[tuple[int, str]]:
    """In the order of time: a state from one moment to another, and events at a moment."""
    who, thread = f"0:1:1:{place + 1}", record.threads[place]
    for row in thread.rows():
        activity = record.activities[row.activity]
        own = _OWN_OF.get(kind(activity.state), 12)
        region = 0 if activity.region is None else activity.region + 1
        number = _subsystem_of(record, row.activity)
        events = f"{SUBSYSTEM}:{number}:{STATE}:{states[activity.state]}:{REGION}:{region}"
        yield (
            row.start,
            f"1:{who}:{row.start}:{row.end}:{own}\n2:{who}:{row.start}:{events}\n",
        )
    yield thread.end, f"2:{who}:{thread.end}:{SUBSYSTEM}:0:{STATE}:0:{REGION}:0\n"


def _subsystem_of(record: Record, number: int) -> int:
    activity = record.activities[number]
    construct = activity.construct
    return subsystem(
        activity.state, construct is not None and record.constructs[construct].kind == "depend"
    )


def write_pcf(record: Record, file: TextIO) -> None:
    file.write(
        "DEFAULT_OPTIONS\n\nLEVEL               THREAD\nUNITS               NANOSEC\n"
        "LOOK_BACK           100\nSPEED               1\nFLAG_ICONS          ENABLED\n"
        "NUM_OF_STATE_COLORS 1000\nYMAX_SCALE          37\n\n\nDEFAULT_SEMANTIC\n\n"
        "THREAD_FUNC         State As Is\n"
    )
    file.write("\n\nSTATES\n")
    file.writelines(f"{number:<4d} {name}\n" for number, name in _OWN.items())
    file.write("\n\nSTATES_COLOR\n")
    for number, (red, green, blue) in _COLORS.items():
        file.write(f"{number:<4d} {{{red},{green},{blue}}}\n")
    _event(file, SUBSYSTEM, "OpenMP subsystem", OVNI)
    states = {number: in_words(state) for state, number in _numbers(record).items()}
    _event(file, STATE, "OpenMP state", states)
    regions = {
        number + 1: at(region.place) or region.place.function or "?"
        for number, region in enumerate(record.regions)
    }
    _event(file, REGION, "OpenMP region", regions)


def write_row(record: Record, file: TextIO) -> None:
    """The names of the rows."""
    names = [thread.label for thread in record.threads] or ["no thread"]
    file.write(f"LEVEL NODE SIZE 1\n{plain(record.header.host or 'node')}\n\n")
    file.write(f"LEVEL THREAD SIZE {len(names)}\n")
    file.writelines(f"{plain(name)}\n" for name in names)


def _event(file: TextIO, number: int, name: str, values: dict[int, str]) -> None:
    file.write(f"\n\nEVENT_TYPE\n0 {number:<10d} {name}\nVALUES\n0    None\n")
    file.writelines(f"{value:<4d} {plain(text)}\n" for value, text in sorted(values.items()))


def _numbers(record: Record) -> dict[str, int]:
    found: dict[str, int] = {}
    for activity in record.activities:
        found.setdefault(activity.state, len(found) + 1)
    return found


def _date(record: Record) -> str:
    moment = min(record.header.realtime or 0, 4_000_000_000 * 10**9) // 10**9
    return time.strftime("%d/%m/%y at %H:%M", time.gmtime(moment))
