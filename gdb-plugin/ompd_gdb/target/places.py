# SPDX-License-Identifier: Apache-2.0
"""Where in the user's code are the threads, and the constructs of the regions?"""

from __future__ import annotations

from dataclasses import replace
from typing import Callable, Iterable, Iterator, Sequence

import gdb

from ..model import doubts, region_ends, waiting, where
from ..model.doubts import Doubt
from ..model.holding import Held
from ..model.locks import CONSTRUCTS, Holdings
from ..model.naming import critical_name, parse_source, users_function
from ..model.native import Frame, Location
from ..model.process import Process, Region, Runtime, Thread, Wait
from ..model.runtimes import llvm
from ..model.tasks import Tasks
from ..model.values import Value
from ..model.waits import Arrivals
from . import evaluation
from .holding import Holdings as CodeOfHolders
from .inferior import InferiorTarget
from .selection import kept_selection, on_thread
from .spelling import spelled
from .walks import Walks

# When is it looked for what threads hold?
NEVER, IF_AWAITED, ALWAYS = "never", "if a thread waits for a lock", "always"


class Places:
    """Of one picture. Each question is answered once."""

    def __init__(
        self, process: Process, target: InferiorTarget, walks: Walks, skipped: Sequence[str]
    ) -> None:
        self._process = process
        self._target = target
        self._walks = walks
        self.code = code_map(process.runtimes, skipped)
        target.code.forget()
        self._holding = CodeOfHolders(target.code, self.code)
        self._objects: dict[int, int | None] = {}  # constant arguments, by the place of the call
        self._names: dict[tuple[int, bool], str | None] = {}  # of locks
        self._held: dict[Thread, Sequence[Held]] = {}
        self._threads_known = self._regions_known = False
        self._looked_through: set[Thread] = set()  # for what they hold
        self._waits_for_lock = False
        self._has_lines = False  # the program was compiled with -g: advising it would be in vain

    def locate_threads(
        self, arrivals: Callable[[], Arrivals], holdings: str = NEVER, depth: int = 0
    ) -> None:
        """The user's own frame of each thread, and what it does there. holdings: and what it holds,
        ALWAYS or from the first one on that waits for a lock; depth: and so much of its stack. Both
        are cheaper now than when the thread has to be looked at again."""
        if self._threads_known:
            return
        with kept_selection():
            for thread in self._process.threads:
                self._locate(thread, holdings, depth)
        region_ends.settle(self._process, arrivals)
        self._threads_known = True

    def _locate(self, thread: Thread, holdings: str, depth: int) -> None:
        if thread.native is None:
            thread.doubts["where"] = doubts.NATIVE_UNKNOWN
            return
        if thread.native.running:
            thread.doubts["where"] = doubts.RUNNING
            return
        native = self._target.threads.by_number(thread.native.num)
        if native is None:
            thread.doubts["where"] = doubts.NO_FRAME
            return
        with on_thread(native):
            frames = self._target.code.frames()
            frame = where.users_frame(frames, self.code)
            down_to_it = list(frames.seen)
            call = waiting.call_on(down_to_it, self.code)
            if depth:
                self._walks.finish(native.num, frames, depth)
            self._judge_state(thread, call)
            if holdings == ALWAYS or (holdings == IF_AWAITED and self._waits_for_lock):
                self._hold(thread)
        if frame is not None:
            thread.where = where.in_users_terms(frame.location, _enclosing_function(thread))
            if call.runtime is None:
                thread.in_call = where.call_of(down_to_it, frame, self.code)
        elif not down_to_it or not self.code.is_skipped(down_to_it[-1]):
            # A whole stack ends where the C library started the thread.
            thread.doubts["where"] = doubts.NO_FRAME

    def _judge_state(self, thread: Thread, call: waiting.Call) -> None:
        for member in thread.openmp:
            if member.raw.kind == "helper":
                member.doubts["state"] = doubts.HELPERS_STATE
            if member.raw.problem or member.raw.kind == "helper" or "region" in member.doubts:
                continue
            found = waiting.state_of(member, call)
            if found.name is None and member.state is not None:
                continue
            member.state = found.name
            member.doubts.pop("state", None)
            if found.doubt is not None:
                member.doubts["state"] = found.doubt
            member.wait = self._with_object(found.wait, call) if found.wait is not None else None
            if member.wait is not None and member.wait.kind in CONSTRUCTS:
                self._waits_for_lock = True

    def _with_object(self, wait: Wait, call: waiting.Call) -> Wait:
        """Which lock, which critical construct? Of the selected thread."""
        if wait.kind not in CONSTRUCTS or call.caller is None:
            return wait
        address, exact = self._objects.get(call.caller.pc), True
        if call.caller.pc not in self._objects:
            # By the name in the code: entry points jump to each other.
            address = self._target.code.argument(
                call.caller, lambda name: llvm.OBJECT_ARGUMENT.get(llvm.normal(name))
            )
        if address is None:
            found = self._holding.waited_for()
            if found is None:
                return wait
            address, exact = found.address, found.exact
        self._objects[call.caller.pc] = address if exact else None
        name = self.lock_name(address, wait.kind == "critical")
        return replace(wait, address=address, name=name, exact=exact)

    def lock_name(self, address: int, critical: bool) -> str | None:
        """What the program calls the lock, or the critical construct."""
        key = (address, critical)
        if key not in self._names:
            symbol = self._target.code.object(address)
            if symbol is not None:
                symbol = critical_name(symbol) if critical else spelled(symbol)
            self._names[key] = symbol
        return self._names[key]

    def holdings(self) -> Holdings:
        """What each thread holds, as its code tells."""
        left = [thread for thread in self._process.threads if thread not in self._looked_through]
        with kept_selection():
            for thread in left:
                native = self._native(thread) if _may_hold(thread) else None
                if native is not None:
                    with on_thread(native):
                        self._hold(thread)
        return self._held

    def _hold(self, thread: Thread) -> None:
        """Of the selected thread."""
        self._looked_through.add(thread)
        held = self._holding.of_selected_thread() if _may_hold(thread) else ()
        if held:
            self._held[thread] = held

    def evaluate(self, thread: Thread, text: str) -> Value:
        """An expression in the user's own frame of a thread; what that frame does not have, in that
        of the construct's code, and in the one that began the thread's region."""
        own = self._level(thread, where.users_frame)
        if own is None:
            return Value(None, None, "no frame of your own code")
        found = evaluation.value_in(*own, text)
        if found.text is not None:
            return found
        construct = self._level(thread, where.construct_frame)
        if construct is not None and construct != own:
            there = evaluation.value_in(*construct, text)
            if there.text is not None:
                return replace(there, in_construct=True)
        for region, outer in self._beginnings(thread):
            there = evaluation.value_in(*outer, text)
            if there.text is not None:
                return replace(there, parents=region.id)
        return found

    def run_in(self, thread: Thread, command: str) -> str:
        native = self._native(thread)
        if native is None:
            return "(the thread is running, or gone)\n"
        return evaluation.output_of(native, command)

    def _native(self, thread: Thread) -> gdb.InferiorThread | None:
        if thread.native is None or thread.native.running:
            return None
        return self._target.threads.by_number(thread.native.num)

    def _level(
        self, thread: Thread, choose: Callable[[Iterable[Frame], where.CodeMap], Frame | None]
    ) -> tuple[gdb.InferiorThread, int] | None:
        native = self._native(thread)
        if native is None:
            return None
        with on_thread(native):
            frames = self._target.code.frames()
            frame = choose(frames, self.code)
        return (native, evaluation.level_of(frames.seen, frame)) if frame is not None else None

    def _beginnings(
        self, thread: Thread
    ) -> Iterator[tuple[Region, tuple[gdb.InferiorThread, int]]]:
        """The frames that called the runtime to begin the regions around the thread, innermost
        first; each is on the stack of the region's thread 0."""
        for member in thread.openmp:
            for region, _ in member.chain:
                primary = region.members[0] if region.members else None
                native = self._native(primary) if primary is not None else None
                if native is None or not region.raw.function:
                    continue
                with on_thread(native):
                    frames = self._target.code.frames()
                    sites = where.fork_sites(frames, self.code, llvm.FORKS)
                for body, caller in sites:
                    # While the primary is still or again in the runtime there is one site only.
                    if (body.entry == region.raw.function) if body else len(sites) == 1:
                        yield region, (native, evaluation.level_of(frames.seen, caller))

    def locate_regions(self) -> None:
        """The construct of each region: as the compiler recorded it, else from a stack."""
        if self._regions_known:
            return
        missing = []
        names: dict[int, Location] = {}
        for region in self._process.regions:
            self._locate_recorded(region, names)
            named = region.raw.generator == "program" or region.raw.helpers
            if region.location is None and not named:
                missing.append(region)
        if missing:
            self._locate_by_stacks(missing)
        for region in self._process.regions:
            if region.location is not None and region.location.line and not region.location.file:
                self._add_file(region)
        self._regions_known = True

    def _add_file(self, region: Region) -> None:
        """flang does not record it, nor libomp the code of serialized regions: it is that of the
        function of this name which began one."""
        thread, place = region.members[0] if region.members else None, region.location
        if thread is None or place is None:
            return
        found = {}
        for _, frame in self._fork_sites(thread):
            name = users_function(frame.location.function or "") or ""
            if frame.location.file and f"::{name}".endswith(f"::{place.function}"):
                found[name, frame.location.file] = frame.location.fullname
        if len(found) == 1:
            ((name, file), fullname) = found.popitem()
            region.location = replace(place, function=name, file=file, fullname=fullname)

    def _locate_recorded(self, region: Region, names: dict[int, Location]) -> None:
        region.location, region.function = self._recorded(
            region.raw.source, region.raw.function, names
        )

    def locate_tasks(self, tasks: Tasks) -> None:
        """Where each explicit task was created: as the compiler recorded it."""
        names: dict[int, Location] = {}
        for task in tasks.all:
            task.location, task.function = self._recorded(task.raw.source, task.raw.function, names)
            if task.location is None:
                task.doubts["created"] = doubts.TASK_PLACE
            task.taskwait = where.recorded(task.raw.taskwait_source, task.function)

    def _recorded(
        self, source: str | None, entry: int, names: dict[int, Location]
    ) -> tuple[Location | None, Location | None]:
        """A construct by what the compiler recorded, and the code that it became. names: of
        functions that were asked for before."""
        if entry and entry not in names:
            names[entry] = self._target.code.location(entry)
        place = where.recorded(source, names.get(entry))
        if not entry:
            return place, None
        code = where.in_users_terms(names[entry], place.function if place is not None else None)
        if place is None and names[entry].line and "._omp_fn." in (names[entry].function or ""):
            place = code  # gcc gives the entry of the outlined function the construct's line
        return place, code

    def _locate_by_stacks(self, missing: Sequence[Region]) -> None:
        with kept_selection():
            for thread in dict.fromkeys(r.members[0] for r in missing if r.members):
                if thread is not None:
                    self._locate_at_calls(thread, missing)
        for region in missing:
            if region.location is None and region.function is not None:
                region.location = Location(
                    function=region.function.function, objfile=region.function.objfile
                )
            doubt = self._why_no_line(region)
            if doubt is not None:
                region.doubts["loc"] = doubt

    def _why_no_line(self, region: Region) -> Doubt | None:
        if region.location is not None and region.location.line is not None:
            return None
        runtime = next(r for r in self._process.runtimes if r.id == region.runtime)
        if runtime.standard_only:
            return doubts.STANDARD_ONLY
        if self._shares_structure(region):
            return doubts.SHARED_STRUCTURE
        if not runtime.record:
            return doubts.NO_RECORD
        if region.location is None or region.location.function in (None, where.NAMELESS):
            return doubts.NOT_RECORDED if self._has_lines else doubts.NO_SOURCE
        return doubts.NO_LINE

    def _locate_at_calls(self, thread: Thread, missing: Sequence[Region]) -> None:
        """A call of the runtime's is a region's only if what it executes is the region's code:
        regions with if(0) are begun without a call that a stack would show."""
        for body, frame in self._fork_sites(thread):
            self._has_lines = self._has_lines or frame.location.line is not None
            if body is None or not body.entry:
                continue
            for region in missing:
                mine = region.members and region.members[0] is thread
                if mine and region.location is None and region.raw.function == body.entry:
                    region.location = where.in_users_terms(frame.location, None)
                    region.doubts["loc"] = doubts.CALL_SITE

    def _shares_structure(self, region: Region) -> bool:
        return any(
            other is not region
            and other.runtime == region.runtime
            and other.raw.address == region.raw.address
            for other in self._process.regions
        )

    def _fork_sites(self, thread: Thread) -> list[tuple[Frame | None, Frame]]:
        if thread.native is None or thread.native.running:
            return []
        native = self._target.threads.by_number(thread.native.num)
        if native is None:
            return []
        with on_thread(native):
            return where.fork_sites(self._target.code.frames(), self.code, llvm.FORKS)


def _may_hold(thread: Thread) -> bool:
    """An idle worker has nothing of the program's on its stack."""
    return any(member.state != "idle" for member in thread.openmp)


def code_map(runtimes: Sequence[Runtime], skipped: Sequence[str]) -> where.CodeMap:
    return where.CodeMap(
        (where.Runtime(r.start, r.end, r.path, r.embedded, r.id, r.supported) for r in runtimes),
        skipped,
    )


def _enclosing_function(thread: Thread) -> str | None:
    """The function that holds the construct which the thread executes."""
    for member in thread.openmp:
        if member.region is not None:
            source = parse_source(member.region.raw.source)
            if source is not None and source.function:
                return users_function(source.function)
    return None
