# SPDX-License-Identifier: Apache-2.0
"""What is a thread doing, and what does it wait for? Told by its stack, by the region that it is in
and by the construct for which it called the runtime last; the program needs no preparation."""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass, replace
from typing import Sequence

from .. import abi, runtimes
from ..runtimes.base import TeamWords
from . import doubts, glibc
from .doubts import Doubt
from .locks import CONSTRUCTS
from .logical_stack.enclosing import own_chain
from .naming import parse_source, system_name
from .native import Frame, Location
from .process import Membership, Region, Wait
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
    "target": "wait_target",
    "target_map": "wait_target_map",
    "target_update": "wait_target_update",
}


@dataclass(frozen=True)
class Word:
    """On which a thread sleeps in the kernel, until it is woken because another one has changed
    it."""

    address: int
    expected: int
    now: int | None  # None: it cannot be read


@dataclass(frozen=True)
class Call:
    """The runtime as seen on a stack."""

    runtime: int | None = None  # whose code is on top, below the C library; None: nobody's
    entry: str | None = None  # the entry point that the program called; None: called by no code
    caller: Frame | None = None  # the program's frame that called it, or that is on top
    known: bool = True  # False: the stack ends before that
    # The stack from the caller on, if it was looked at: see `begins_region'.
    outward: Sequence[Frame] = ()
    forks: int | None = None  # calls that begin regions on the whole stack; None: not known
    begins: bool = False  # in the part of such a call that begins the region
    creates_thread: bool = False  # in a call of the C library's, for the runtime
    starts: bool = False  # a thread that has not come to its own code yet
    launched: bool = False  # it has come to the runtime's, and no further
    in_system: bool = False  # the entry point has called the C library, as those that wait do
    sleeps: bool = False  # it has called one of SLEEPS
    directly: bool = False  # the runtime calls the code of regions itself
    word: Word | None = None  # that the runtime itself has it sleep on
    # The code of its region made way for what it called last, and what that was is not known.
    hidden: bool = False
    # Of a thread at its team's barrier: whether at the region's end. None: others are at another.
    at_end: bool | None = None


@dataclass(frozen=True)
class State:
    name: str | None
    wait: Wait | None = None
    doubt: Doubt | None = None
    let_go: bool = False  # it waited for that, and has not woken up yet
    round: int | None = None  # of the team's barrier, on whose word it sleeps


# What a runtime calls only while a thread has to wait, and that ends when it is let go. One that
# yields the processor may have been let go meanwhile.
_SLEEPS = re.compile(r"pthread_cond_(timed)?wait$")


def call_on(frames: Sequence[Frame], code: CodeMap) -> Call:
    """What the innermost frames of a stack say."""
    found = _call_on(frames, code)
    if found.runtime is None:
        return found
    return replace(
        found,
        sleeps=_sleeps(frames, code),
        begins=_begins(found, frames, code),
        directly=code.calls_directly(found.runtime),
    )


def _told_by(frame: Frame, directly: bool) -> str | None:
    """A function that tells what the program called. directly: of a runtime whose own functions
    have no names, but where it is linked into the program: they tell the same in both cases."""
    name = frame.location.function
    if name is None or not directly:
        return name
    return abi.normal(name) if abi.is_entry_point(name) else None


def _begins(found: Call, frames: Sequence[Frame], code: CodeMap) -> bool:
    """The routine that begins a region is also below the code of a league's teams."""
    if found.entry is None or "teams" in found.entry or not begins_region(found):
        return False
    for frame in frames:
        if frame is found.caller or frame.location.function in runtimes.INVOKES:
            break
        if code.is_runtime(frame) and frame.location.function in runtimes.BEGIN_REGIONS:
            return True
    return False


def _sleeps(frames: Sequence[Frame], code: CodeMap) -> bool:
    names = [frame.location.function or "" for frame in frames]
    system = [name for name, _ in zip(names, itertools.takewhile(code.is_system, frames))]
    inner = itertools.takewhile(code.is_runtime, frames[len(system) :])
    if any(runtimes.ACQUIRES.match(frame.location.function or "") for frame in inner):
        return False
    return any(_SLEEPS.match(system_name(name.partition("@")[0])) for name in system)


def _call_on(frames: Sequence[Frame], code: CodeMap) -> Call:
    runtime: int | None = None
    entry = inner = None
    started = in_system = False  # the last frame, and the first, are the C library's
    creates = False
    for frame in frames:
        started = code.is_system(frame)
        creates = creates or (started and runtime is None and _is_creation(frame))
        found = code.runtime_of(frame)
        if found is not None and (runtime is None or found == runtime):
            if frame.location.function in runtimes.INVOKES:
                # The construct's code made way for the call that was its last.
                entry = _entry(entry, inner)
                known = runtime is None or entry is not None
                return Call(
                    runtime, entry, None, known, creates_thread=creates, in_system=in_system
                )
            runtime, entry = found, _told_by(frame, code.calls_directly(found))
            if entry is not None and entry.startswith(abi.NESTED) and entry in abi.WAITS:
                inner = entry
        elif found is not None or not code.is_system(frame):
            if runtime is None:
                return Call(caller=frame, known=not code.is_unknown(frame))
            entry = _entry(entry, inner, code.calls_directly(runtime))
            # No code calls a function without a name: the stack is damaged.
            return Call(
                runtime,
                entry,
                frame,
                entry is not None,
                creates_thread=creates,
                in_system=in_system,
            )
        in_system = in_system or (started and runtime is None)
    # A worker's stack ends where its thread began; one that ends before was cut off.
    launched = bool(frames) and [i for i, f in enumerate(frames) if code.is_runtime(f)] == [0]
    # The code of its region made way for the call that was its last.
    last = inner if code.calls_directly(runtime) else None
    return Call(runtime, last, known=started and runtime is not None, launched=launched)


def _is_creation(frame: Frame) -> bool:
    return re.fullmatch(glibc.THREAD_CREATION, frame.location.function or "") is not None


def has_not_begun(frames: Sequence[Frame], code: CodeMap) -> bool:
    """Is there nothing on the stack but what the C library starts a thread with? Below that GDB may
    find an address that is none."""
    own = list(itertools.takewhile(code.is_system, frames))
    return (
        bool(own)
        and own[-1].location.function in glibc.THREAD_STARTS
        and all(code.is_unknown(frame) for frame in frames[len(own) :])
    )


def _entry(outermost: str | None, inner: str | None, directly: bool = False) -> str | None:
    """The entry point that tells what is waited for: if the one that was called does not, one that
    it called. directly: one that begins a region calls none but to end it; the region's code made
    way for any other."""
    if outermost is None or inner is None:
        return outermost or inner
    name = abi.normal(outermost)
    if directly and name in abi.FORKS and abi.WAITS[inner] != "region":
        return inner
    return outermost if name in abi.WAITS or name in abi.FORKS else inner


def state_of(member: Membership, call: Call, words: TeamWords | None = None) -> State:
    """Of a thread in one runtime. words: if that makes the kernel's calls itself."""
    found = _by_stack(member, call)
    if words is None or call.runtime != member.runtime or member.region is None:
        return found
    return _by_word(member, call, found, words)


def at_lock(call: Call) -> State | None:
    """Of a thread that the runtime keeps nothing of: its locks may need no more than their
    variables. None: the thread does not wait for one."""
    known = call.known and call.entry is not None and not call.hidden
    kind = abi.WAITS.get(abi.normal(call.entry or "")) if known else None
    return State(_STATES[kind], Wait(kind, _at_call(call))) if kind in CONSTRUCTS else None


def _by_word(member: Membership, call: Call, found: State, words: TeamWords) -> State:
    """What the thread sleeps on tells more than its stack does."""
    at_barrier = found.wait is not None and found.wait.kind == "barrier"
    if call.word is None or member.region is None:
        if at_barrier and begins_region(call):
            return replace(found, doubt=found.doubt or doubts.END_OR_BEGINNING)
        return found
    offset = call.word.address - member.region.raw.address
    if offset == words.task_lock:
        return State("overhead")
    if offset == words.barrier:
        # Hidden code may have begun the region, and be at its end.
        visible = begins_region(call) and not call.hidden
        if not at_barrier and (visible or (found.name is None and call.at_end)):
            found, at_barrier = _at_regions_end(member), True
        elif found.name is None and call.at_end is False:
            found, at_barrier = State("wait_barrier", Wait("barrier")), True
        return _at_barrier(member, call, found, call.word, words) if at_barrier else found
    if call.entry in abi.EXECUTES_AT_ONCE:
        return State("wait_taskwait", Wait("depend", _at_call(call)))
    if not at_barrier:
        return found
    if begins_region(call) or call.word.now != call.word.expected:
        return State("overhead")  # the region begins
    return State(None, None, doubts.SLEEPS_ELSEWHERE)


def _at_barrier(
    member: Membership, call: Call, found: State, word: Word, words: TeamWords
) -> State:
    begins = (call.entry is None or begins_region(call)) and not call.hidden
    is_first = word.expected // words.barrier_round == 0
    if begins and is_first and member.region is not None and (member.region.raw.level or 0) > 1:
        return State("overhead")  # threads of a team inside of another meet before they begin
    if word.now is None:
        return found
    if (word.now ^ word.expected) & ~words.barrier_flags:
        return replace(found, let_go=True)
    return replace(found, doubt=None, round=word.expected // words.barrier_round)


def _by_stack(member: Membership, call: Call) -> State:
    if member.region is None and not _comes_to_life(member, call):
        return State("idle")  # also when it is about to end
    if call.starts or member.region is None:
        return State("overhead")
    if not call.known:
        nowhere = call.runtime is None and call.caller is not None
        return State(None, None, doubts.UNKNOWN_CODE if nowhere else doubts.NO_STACK)
    if call.runtime != member.runtime:
        return _working(member)
    if call.hidden:
        return State(None, None, doubts.CODE_HIDDEN)
    if call.entry is None:
        # In the runtime's own loop for workers.
        return _at_regions_end(member)
    name = abi.normal(call.entry)
    if name in abi.FORKS:
        return _forking(member, call)
    kind = abi.WAITS.get(name)
    if kind == "region":
        return _at_regions_end(member)
    if kind == "barrier":
        return _barrier(member, name, call)
    if kind == "reduction":
        # At its end all threads meet; before, one may also wait for its turn to add.
        doubt = None if name in abi.ENDS_REDUCTION else doubts.IN_REDUCTION
        wait = Wait("barrier", _at_call(call), "reduction")
        return State("wait_barrier_implementation", wait, doubt)
    if kind is not None:
        state = _STATES[kind]
        kind = "barrier" if kind == "workshare" else kind
        return State(state, Wait(kind, _at_call(call)))
    if name.startswith(abi.ATOMICS):
        doubt = None if call.in_system else doubts.IN_ATOMIC
        return State("wait_atomic", Wait("atomic", _at_call(call)), doubt)
    if name.startswith(abi.WORK):
        return _working(member)
    return State("overhead", None, doubts.inside(name))


def _comes_to_life(member: Membership, call: Call) -> bool:
    """In no region: a thread that is about to end has such a stack too, and no team any more."""
    return (call.starts or call.launched) and member.raw.has_team


def _working(member: Membership) -> State:
    return State("work_serial" if _is_serial(member) else "work_parallel")


def _is_serial(member: Membership) -> bool:
    """In no parallel region; those that one thread executes count as well."""
    return member.region is None or not member.region.raw.level


def outermost_of(call: Call, frames: Sequence[Frame], code: CodeMap) -> Frame | None:
    """The runtime's frame that the program called, or that its thread began with, unless it is the
    innermost one."""
    found = None
    for frame in frames[1:]:
        if frame is call.caller:
            break
        found = frame if code.is_runtime(frame) else found
    return found


def begins_region(call: Call) -> bool:
    """Is it in a routine that begins a region, and ends it? The stack tells which, if each frame's
    function is known."""
    return call.entry is not None and abi.normal(call.entry) in abi.FORKS


def forks_on(frames: Sequence[Frame], code: CodeMap) -> int:
    """How many calls that begin regions are on a stack?"""
    names = [
        abi.normal(frame.location.function or "") if code.is_runtime(frame) else ""
        for frame in frames
    ]
    return sum(
        1
        for inner, outer in zip(names, [*names[1:], ""])
        if inner in abi.FORKS and outer not in abi.FORKS_BY_ANOTHER
    )


def _forking(member: Membership, call: Call) -> State:
    """Its team is the new one from when the fork is done until all have arrived at the end."""
    region = member.region
    if region is None or region.raw.generator == "program" or member.thread_num != 0:
        return State("overhead")
    if call.creates_thread or call.begins:
        return State("overhead")  # before any code of the region
    if region.raw.serialized:
        return State("overhead")  # it has no barrier at its end
    begun = own_chain(member)
    if call.forks is not None and all(has_call(one, call.directly) for one, _ in begun):
        # Each that the thread has begun is called for; one call more is for another inside.
        called_for = sum(1 for _, num in begun if num == 0)
        return State("overhead") if call.forks > called_for else _at_regions_end(member)
    # In the region's own code, or in what that called, it forks another inside. Regions of one
    # function can be in each other.
    function = region.raw.function
    of_function = sum(1 for one, _ in begun if one.raw.function == function)
    entered = sum(1 for frame in call.outward if frame.entry == function)
    if entered >= of_function:
        return State("overhead")
    found = _at_regions_end(member)
    known = function and call.outward and all(frame.entry for frame in call.outward)
    return found if known else replace(found, doubt=doubts.END_OR_FORK)


def has_call(region: Region, directly: bool) -> bool:
    """Was a routine of the runtime's called for it, and for it alone, which is left at its end?
    directly: the routine calls the region's code itself."""
    has_one = directly or not region.raw.serialized
    return region.raw.generator in ("parallel", "teams") and has_one


def _at_regions_end(member: Membership) -> State:
    if member.region is not None and member.region.raw.generator == "teams":
        return State("wait_barrier_teams", Wait("barrier", _construct(member), "teams"))
    wait = Wait("barrier", _construct(member), "parallel")
    return State("wait_barrier_implicit_parallel", wait)


def _barrier(member: Membership, entry: str, call: Call) -> State:
    flags = member.raw.ident_flags
    place = recorded(member.raw.ident_source, call.caller.location if call.caller else None)
    place = place or _at_call(call)  # which gcc leaves to the line table
    if flags is not None and flags & abi.BARRIER_EXPLICIT:
        return State("wait_barrier_explicit", Wait("barrier", place, "barrier"))
    construct = abi.BARRIERS_IMPLICIT.get((flags or 0) & abi.BARRIER_IMPLICIT_MASK)
    if construct == abi.ALSO_FLANGS and not _is_clangs(member, call):
        construct = "worksharing"
    if construct is not None:
        # The barrier of a region that is given up has the mark of a loop's end.
        doubt = doubts.MAYBE_CANCELLED if entry in abi.CANCEL_BARRIERS else None
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
