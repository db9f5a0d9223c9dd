# SPDX-License-Identifier: Apache-2.0
"""What is a thread doing, and what does it wait for? Told by its stack, by the region that it is in
and by the construct for which it called the runtime last; the program needs no preparation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Iterable

from . import doubts
from .doubts import Doubt
from .naming import parse_source
from .native import Frame, Location
from .process import Membership, Wait
from .runtimes import llvm
from .where import CodeMap, recorded

_STATES = {
    "workshare": "wait_barrier_implicit_workshare",
    "critical": "wait_critical",
    "lock": "wait_lock",
    "nest_lock": "wait_lock",
    "atomic": "wait_atomic",
    "ordered": "wait_ordered",
    "doacross": "wait_ordered",
    "taskwait": "wait_taskwait",
    "depend": "wait_taskwait",
    "taskgroup": "wait_taskgroup",
}


@dataclass(frozen=True)
class Call:
    """The runtime as seen on a stack."""

    runtime: int | None = None  # whose code is on top, below the C library; None: nobody's
    entry: str | None = None  # the entry point that the program called; None: called by no code
    caller: Frame | None = None  # the program's frame that called it, or that is on top
    known: bool = True  # False: the stack ends before that
    in_system: bool = False  # the entry point has called the C library, as those that wait do


@dataclass(frozen=True)
class State:
    name: str | None
    wait: Wait | None = None
    doubt: Doubt | None = None


def call_on(frames: Iterable[Frame], code: CodeMap) -> Call:
    """What the innermost frames of a stack say."""
    runtime: int | None = None
    entry = inner = None
    started = in_system = False  # the last frame, and the first, are the C library's
    for frame in frames:
        started = code.is_system(frame)
        found = code.runtime_of(frame)
        if found is not None and (runtime is None or found == runtime):
            if frame.location.function == llvm.INVOKE:
                # The construct's code made way for the call that was its last.
                entry = _entry(entry, inner)
                known = runtime is None or entry is not None
                return Call(runtime, entry, None, known, in_system)
            runtime, entry = found, frame.location.function
            if entry is not None and entry.startswith(llvm.INNER) and entry in llvm.WAITS:
                inner = entry
        elif found is not None or not code.is_system(frame):
            if runtime is None:
                return Call(caller=frame, known=not code.is_unknown(frame))
            entry = _entry(entry, inner)
            # No code calls a function without a name: the stack is damaged.
            return Call(runtime, entry, frame, entry is not None, in_system)
        in_system = in_system or (started and runtime is None)
    # A worker's stack ends where its thread began; one that ends before was cut off.
    return Call(runtime, known=started and runtime is not None)


def _entry(outermost: str | None, inner: str | None) -> str | None:
    """The entry point that tells what is waited for: if the one that was called does not, one that
    it called."""
    if outermost is None or inner is None:
        return outermost or inner
    name = llvm.normal(outermost)
    return outermost if name in llvm.WAITS or name in llvm.FORKS else inner


def state_of(member: Membership, call: Call) -> State:
    """Of a thread in one runtime."""
    if member.region is None:
        return State("idle")  # also before it has begun, or when it is about to end
    if not call.known:
        nowhere = call.runtime is None and call.caller is not None
        return State(None, None, doubts.UNKNOWN_CODE if nowhere else doubts.NO_STACK)
    if call.runtime != member.runtime:
        return _working(member)
    if call.entry is None:
        # In the runtime's own loop for workers.
        return _at_regions_end(member)
    name = llvm.normal(call.entry)
    if name in llvm.FORKS:
        return _forking(member, call)
    kind = llvm.WAITS.get(name)
    if kind == "region":
        return _at_regions_end(member)
    if kind == "barrier":
        return _barrier(member, name, call)
    if kind == "reduction":
        # At its end all threads meet; before, one may also wait for its turn to add.
        doubt = None if name == "__kmpc_end_reduce" else doubts.IN_REDUCTION
        wait = Wait("barrier", _at_call(call), "reduction")
        return State("wait_barrier_implementation", wait, doubt)
    if kind is not None:
        state = _STATES[kind]
        kind = "barrier" if kind == "workshare" else kind
        return State(state, Wait(kind, _at_call(call)))
    if name.startswith(llvm.ATOMICS):
        doubt = None if call.in_system else doubts.IN_ATOMIC
        return State("wait_atomic", Wait("atomic", _at_call(call)), doubt)
    if name.startswith(llvm.WORK):
        return _working(member)
    return State("overhead", None, doubts.inside(name))


def _working(member: Membership) -> State:
    return State("work_serial" if _is_serial(member) else "work_parallel")


def _is_serial(member: Membership) -> bool:
    """In no parallel region; those that one thread executes count as well."""
    return member.region is None or not member.region.raw.level


def _forking(member: Membership, call: Call) -> State:
    """Its team is the new one from when the fork is done until all have arrived at the end."""
    region = member.region
    inner = region is None or region.raw.generator == "program" or member.thread_num != 0
    if not inner and call.caller is not None and region is not None:
        # The caller is the region's own code: it forks another inside.
        inner = call.caller.entry is not None and call.caller.entry == region.raw.function
    return State("overhead") if inner else _at_regions_end(member)


def _at_regions_end(member: Membership) -> State:
    if member.region is not None and member.region.raw.generator == "teams":
        return State("wait_barrier_teams", Wait("barrier", _construct(member), "teams"))
    wait = Wait("barrier", _construct(member), "parallel")
    return State("wait_barrier_implicit_parallel", wait)


def _barrier(member: Membership, entry: str, call: Call) -> State:
    flags = member.raw.ident_flags
    place = recorded(member.raw.ident_source, call.caller.location if call.caller else None)
    if flags is not None and flags & llvm.BARRIER_EXPLICIT:
        return State("wait_barrier_explicit", Wait("barrier", place, "barrier"))
    construct = llvm.BARRIERS_IMPLICIT.get((flags or 0) & llvm.BARRIER_IMPLICIT_MASK)
    if construct == llvm.ALSO_FLANGS and not _is_clangs(member, call):
        construct = "worksharing"
    if construct is not None:
        # The barrier of a region that is given up has the mark of a loop's end.
        doubt = doubts.MAYBE_CANCELLED if entry == llvm.CANCEL_BARRIER else None
        return State("wait_barrier_implicit_workshare", Wait("barrier", place, construct), doubt)
    return State("wait_barrier", Wait("barrier", place))


def _is_clangs(member: Membership, call: Call) -> bool:
    """clang records the file. Without -g, only its own names of constructs' code tell."""
    source = parse_source(member.raw.ident_source)
    if source is not None:
        return source.file is not None
    name = call.caller.location.function if call.caller is not None else None
    return name is not None and "omp_outlined" in name


def _at_call(call: Call) -> Location | None:
    """The line of the call is the construct's."""
    place = call.caller.location if call.caller is not None else None
    return place if place is not None and place.line else None


def _construct(member: Membership) -> Location | None:
    return member.region.location if member.region is not None else None
