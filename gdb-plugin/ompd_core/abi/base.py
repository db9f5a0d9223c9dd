# SPDX-License-Identifier: Apache-2.0
"""What is told of an interface that compilers call: its entry points, and what they begin, end and
wait for. Each is a file with an INTERFACE; __init__.py joins them, since one program can be built
by several compilers, and one runtime serves several interfaces."""

from __future__ import annotations

from typing import Mapping

from ..light_classes import NamedTuple, dataclass, field

# Where a construct's own code begins or goes on, by the entry point that leads there: which
# argument is the address of its function, AFTER the call, or where the entry point is CALLED.
AFTER = -1
CALLED = -2
IDENT_SOURCE = 16  # ident_t.psource (kmp.h)
# By (kind of event, when).
Events = Mapping["tuple[str, str]", Mapping[str, int]]
# What is held between two calls, by the name of one: the kind, and which argument is the object.
Held = Mapping[str, "tuple[str, int | None]"]


@dataclass(frozen=True)
class Maps:
    """What a construct maps, a row of a table each. Which arguments are the number of rows, and
    where each column begins; with a block: how far in what that argument points to."""

    count: int
    begins: int
    sizes: int
    kinds: int
    names: int
    mappers: int
    block: int | None = None


class TargetCall(NamedTuple):
    """An entry point of an offload runtime, for a construct that uses a device; which arguments
    tell of it, counted from 0."""

    construct: str  # as it is written behind `omp'
    source: int  # the description of where it was called
    device: int  # the device's number, as the program has it
    maps: Maps
    kernel: int | None = None  # what stands for the construct's code
    begins: bool = True  # it maps; else it updates or unmaps what is mapped


@dataclass(frozen=True)
class Interface:
    # How the names of its entry points begin.
    prefix: str
    # Do entry points call each other, some by a jump that leaves no frame of their own?
    nested: bool = False
    # Is it called only by files that name what they call? Code that is compiled in memory calls the
    # others too, and looks for them by name.
    in_files: bool = False
    # Of what the first argument of each points to, if that describes where it was called: how far
    # in it the address of the source's text is.
    source_at: int | None = None
    # Has the code of each call the line of its construct? Else what was before it tells its line.
    lined: bool = True
    # Entry points that begin regions, and which argument is the function that a region executes.
    forks: Mapping[str, int] = field(default_factory=dict)
    # Those of them that call another one.
    forks_by_another: tuple[str, ...] = ()
    # Entry points that are given another construct's function, and which argument it is.
    functions: Mapping[str, int] = field(default_factory=dict)
    events: Events = field(default_factory=dict)
    # Barriers that have not been passed if these return true: the construct was cancelled.
    cancellable: tuple[str, ...] = ()
    # Those that request a construct's cancellation, and those that only look whether one is wanted.
    cancels: tuple[str, ...] = ()
    cancellation_points: tuple[str, ...] = ()
    # Entry points that execute a task which their caller has just generated, if there is no room
    # for it or it must not be deferred.
    executes_at_once: tuple[str, ...] = ()
    # Those in which threads execute tasks, beside these and the ones that wait for tasks.
    executes_tasks: tuple[str, ...] = ()
    # What a thread waits for inside an entry point.
    waits: Mapping[str, str] = field(default_factory=dict)
    # Which argument, counted from 0, is the lock or the critical construct's variable.
    object_argument: Mapping[str, int] = field(default_factory=dict)
    # Which argument points to the numbers of a doacross loop's iteration; and entry points that are
    # passed these themselves.
    iteration_argument: Mapping[str, int] = field(default_factory=dict)
    iteration_passed: tuple[str, ...] = ()
    # Tasks of these are resumed by calling their function again, which finds in the task how far it
    # is: at which distance.
    parts_of: Mapping[str, int] = field(default_factory=dict)
    # To these the code of an untied task hands itself, at each point where another thread may take
    # it up, and returns.
    hands_on: tuple[str, ...] = ()
    # Those that begin a region of one thread, which their caller executes.
    serializes: tuple[str, ...] = ()
    # After these their caller itself calls the code of the region that they begin.
    before_region: tuple[str, ...] = ()
    # A construct whose code stays in the function around it: the call that begins it, and those of
    # which one ends it.
    construct_ends: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    # Constructs that are not in threads in which the call that begins them returns zero.
    conditional: tuple[str, ...] = ()
    # A thread gets iterations of a work-sharing loop: once for the whole loop, or chunk by chunk
    # until there are no more.
    loop_static: tuple[str, ...] = ()
    loop_next: tuple[str, ...] = ()
    loop_left: tuple[str, ...] = ()
    # The same of sections, which a thread gets one by one.
    sections_next: tuple[str, ...] = ()
    sections_left: tuple[str, ...] = ()
    begins: Held = field(default_factory=dict)
    ends: Held = field(default_factory=dict)
    # How the names of those begin that begin only if they do not return zero.
    tests: tuple[str, ...] = ()
    targets: Mapping[str, TargetCall] = field(default_factory=dict)
    # Those that call a target construct's code themselves, if it is to run on the host.
    host_targets: tuple[str, ...] = ()
