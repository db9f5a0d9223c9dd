# SPDX-License-Identifier: Apache-2.0
"""Where in the user's code are the threads, and the constructs of the regions?"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Callable, Collection, Iterable, Mapping, Sequence

from .. import abi, runtimes
from ..debugger import MOST_FRAMES, Debugger, Stack, StoppedThread
from ..formats.unwind_tables import Tables
from ..library.inference import Inference
from ..library.types import (
    LAUNCHED,
    SLEEPS,
    STARTS,
    UNNAMED,
    Classification,
    Offload,
    TeamArrivals,
    ViewThread,
)
from ..model import doubts, forgotten, left, messages, region_ends, targets, waiting, where
from ..model.doubts import Doubt
from ..model.forgotten import Stack as StackOfHolder
from ..model.holding import Held
from ..model.locks import CONSTRUCTS, Holdings, Locks
from ..model.logical_stack.enclosing import code_on_worker, own_chain
from ..model.logical_stack.stack import Parts, is_task_entry
from ..model.loops import LoopPlace
from ..model.naming import (
    NAMELESS,
    critical_name,
    is_nameless,
    is_outlined,
    parse_source,
    users_function,
    without_parameters,
)
from ..model.native import Frame, Location, level_of
from ..model.process import Iteration, Left, Membership, Process, Region, Runtime, Thread, Wait
from ..model.skips import Skip
from ..model.targets import Target
from ..model.tasks import ExplicitTask, Tasks
from ..model.thrown import CONSTRUCT, FUNCTION, REGION, TASK, Thrown
from ..model.users_frame import around, users_frame
from ..model.waiting import Seen
from ..model.waits import Arrivals
from . import passed
from .classifying import Classifier
from .gone import Gone
from .holders_by_stacks import HoldersByStacks
from .outside import Outside
from .stacks import Stacks, proven
from .targets import Targets
from .unloaded import unloaded

# What few commands need is loaded by them.
if TYPE_CHECKING:
    from .code_holdings import Holdings as CodeOfHolders
    from .loop_code import LoopCode

# When is it looked for what threads hold?
NEVER, IF_AWAITED, ALWAYS = "never", "if a thread waits for a lock", "always"


# Of an iteration's numbers: a call's first arguments are in registers, which its code tells.
MOST_PASSED = 6


class Places:
    """Of one picture. Each question is answered once."""

    def __init__(
        self,
        process: Process,
        debugger: Debugger,
        stacks: Stacks,
        skipped: Sequence[str],
        stepped_over: Sequence[Skip],
        inference: Inference | None,
        offload: Callable[[], Offload | None] = lambda: None,
    ) -> None:
        """inference: what tells states by stacks."""
        self._process = process
        self._debugger = debugger
        self._stacks = stacks
        self.code = code_map(process.runtimes, skipped, stepped_over)
        stacks.code = self.code
        debugger.code.forget()
        self._outside = Outside(
            *(debugger, self.code, process.natives),
            lambda address: self.lock_name(address, False),
            stacks.interpreter,
        )
        self.targets = Targets(debugger, self.code, offload)
        self._kinds = {one.id: one.kind for one in process.runtimes}
        self._classifier = Classifier(inference, debugger, stacks, self._kinds)
        self._objects: dict[int, int | None] = {}  # constant arguments, by the place of the call
        self._names: dict[tuple[int, bool], str | None] = {}  # of locks
        self._held: dict[Thread, Sequence[Held]] = {}
        self._threads_known = self._regions_known = False
        self._unnamed: list[Thread] = []  # in the code of a task whose function is not known yet
        self._looked_through: set[Thread] = set()  # for what they hold
        self._calls_devices: dict[tuple[Frame, ...], bool] = {}  # by the stack
        self._waits_for_lock = False
        self._has_lines = False  # the program was compiled with -g: advising it would be in vain

    @cached_property
    def _holding(self) -> CodeOfHolders | None:
        """None: not on this machine."""
        from .code_holdings import Holdings

        machine = self._debugger.machine
        return Holdings(self._debugger, machine, self.code) if machine is not None else None

    @cached_property
    def _unwind_tables(self) -> Tables:
        return Tables(self._debugger.code.read, self._debugger.images.begins)

    @cached_property
    def _loop_code(self) -> LoopCode:
        from .loop_code import LoopCode

        return LoopCode(self._debugger)

    def locate_threads(
        self,
        arrivals: Callable[[], Arrivals],
        counted: Callable[[], Mapping[int, Mapping[int, TeamArrivals]]],
        tasks: Callable[[], Tasks | None],
        holdings: str = NEVER,
        depth: int = 0,
    ) -> None:
        """The user's own frame of each thread, and what it does there. holdings: and what it holds,
        ALWAYS or from the first one on that waits for a lock; depth: and so much of its stack. Both
        are cheaper now than when the thread has to be looked at again."""
        if self._threads_known:
            return
        counts = any(map(runtimes.counts_arrivals, self._kinds.values()))
        self._classifier.arrivals = counted() if counts else {}
        with self._debugger.looking():
            for thread in self._process.threads:
                self._locate(thread, holdings, depth)
        self._name_tasks(tasks)
        for region in self._process.regions:
            come = self._classifier.arrivals_of(region)
            if come is not None and region.raw.generator == "parallel":
                region_ends.settle_by_count(region, come)
                region_ends.settle_on_way(region, come, self._idle(region.runtime))
        region_ends.settle(self._process, arrivals)
        with self._debugger.looking():
            Gone(self._process, self._debugger, self.code).settle()
            HoldersByStacks(
                *(self._process, self._debugger, self.code),
                self._outside.function,
                self._held_at,
            ).settle()
        self._threads_known = True

    def _idle(self, runtime: int) -> int:
        members = (thread.member(runtime) for thread in self._process.threads if not thread.ended)
        return sum(1 for member in members if member is not None and not member.chain)

    def _locate(self, thread: Thread, holdings: str, depth: int) -> None:
        if thread.native is None:
            numbers = {member.raw.pthread_id for member in thread.openmp}
            thread.ended = any(map(self._outside.has_ended, numbers))
            thread.doubts["where"] = doubts.ENDED if thread.ended else doubts.NATIVE_UNKNOWN
            for member in thread.openmp if thread.ended else ():
                member.state, member.doubts["state"] = None, doubts.ENDED
            return
        if thread.native.running or thread.native.ended:
            running = thread.native.running
            thread.doubts["where"] = doubts.RUNNING if running else doubts.FIRST_ENDED
            return
        with self._debugger.at(thread.native) as stopped:
            if stopped is None:
                thread.doubts["where"] = doubts.NO_FRAME
                return
            frames = self._stacks.on(thread.native, stopped, max(depth, MOST_FRAMES))
            thread.interpreted = self._stacks.interpreted(thread.native)
            frame = self.users_frame(frames, thread)
            down_to_it = list(frames.seen)
            thread.unloaded = unloaded(self._debugger, down_to_it)
            seen = Seen(down_to_it, self.code, frames.whole)
            found = self._classifier.tell(thread, seen, frames, stopped)
            call = found[0][1]
            if call.runtime is None and call.doubt != doubts.NOT_TOLD:
                thread.kept = self._outside.waited_for(thread.native, stopped, down_to_it)
            if call.told & STARTS:
                frame = None
            thread.left = self._left(thread, frames)
            if depth:
                self._stacks.finish(thread.native, stopped, depth)
            self._judge_state(thread, found, seen, stopped)
            in_target = self._judge_target(thread, down_to_it, stopped)
            if frame is not None:
                thread.where = self._in_users_terms(thread, frame, frames)
                if call.runtime is None and not in_target:
                    thread.in_call = where.call_of(
                        down_to_it, frame, self.code, self._outside.function
                    )
                    thread.system_call = self._outside.system_call(down_to_it)
                    thread.message = self._message(thread.in_call, stopped, frame)
            if holdings == ALWAYS or (holdings == IF_AWAITED and self._waits_for_lock):
                self._hold(thread, stopped)
        if frame is None and not (call.told & STARTS or self._ends_where_it_began(down_to_it)):
            thread.doubts["where"] = doubts.NO_FRAME

    def users_frame(self, frames: Iterable[Frame], thread: Thread) -> Frame | None:
        """The user's own, on the thread's stack."""
        inside = around(thread, self.code)
        return users_frame(frames, self.code, inside, self._stacks.called_by)

    def _left(self, thread: Thread, frames: Stack) -> Left | None:
        """Of most threads the frames that were seen already tell that it has not."""
        if left.of(thread, self._stacks.named(frames.seen), self.code, self._entry) is None:
            return None
        for _ in frames:
            pass
        known = self._stacks.named(frames.seen)
        if not frames.whole or not left.begins_there(known, self.code):
            return None
        # Without such information a debugger guesses, and may pass over frames.
        inner = (one for one in known[:-1] if not one.signal)
        if not all(self._unwind_tables.covers(one.pc) for one in inner):
            return None
        return left.of(thread, known, self.code, self._entry)

    def _ends_where_it_began(self, frames: Sequence[Frame]) -> bool:
        """A whole stack ends where the C library started the thread."""
        outermost = frames[-1] if frames else None
        return outermost is not None and (
            self.code.is_skipped(outermost) or where.starts_thread(outermost)
        )

    def _message(
        self, called: Location | None, stopped: StoppedThread, frame: Frame
    ) -> messages.Message | None:
        """That a call of MPI's waits for. frame: which called it."""
        known = messages.call_named(called.function) if called is not None else None
        if known is None:
            return None
        direction, *arguments = known
        if self._holding is None:
            return messages.Message(direction)
        rank, communicator = self._holding.arguments(stopped, frame, arguments)
        variable = self._debugger.code.object(communicator) if communicator else None
        return messages.told(direction, rank, communicator, variable)

    def _in_users_terms(self, thread: Thread, frame: Frame, frames: Stack) -> Location:
        if frame.interprets:
            return frame.place
        function = frame.holder
        if function is None and is_nameless(frame.location.function):
            level = level_of(frames.seen, frame)
            if level + 1 == len(frames.seen):
                next(frames, None)
            if any(map(is_task_entry, frames.seen[level : level + 2])):
                self._unnamed.append(thread)  # the name is that of the task's record
            else:
                function = _enclosing_function(thread)
        return where.in_users_terms(frame.location, function)._replace(offset=frame.offset)

    def _name_tasks(self, tasks: Callable[[], Tasks | None]) -> None:
        """Code of tasks whose function no line tells, by what the compiler recorded of the tasks
        that the threads execute."""
        if not self._unnamed:
            return
        found = tasks()
        # If they cannot be read, its place is known, and told without the name.
        known = {(t.runtime, t.raw.address): t.raw.source for t in found.all} if found else {}
        for thread in self._unnamed:
            for member in thread.openmp:
                address = member.task.address if member.task is not None else 0
                source = parse_source(known.get((member.runtime, address)))
                if source is not None and source.function and thread.where is not None:
                    thread.where = thread.where._replace(function=source.function)

    def _judge_state(
        self,
        thread: Thread,
        found: Sequence[tuple[Membership | None, Classification]],
        seen: Seen,
        stopped: StoppedThread,
    ) -> None:
        for member, told in found:
            if member is None:
                continue
            if member.raw.kind == "helper":
                member.doubts["state"] = doubts.HELPERS_STATE
            if member.raw.problem or member.raw.kind == "helper" or "region" in member.doubts:
                continue
            if told.state is not None or member.state is None:
                self._set_state(member, told, seen, stopped)
        runtime = found[0][1].runtime
        if runtime is not None and thread.member(runtime) is None:
            self._join_at_lock(thread, runtime, seen, stopped)

    def _judge_target(
        self, thread: Thread, frames: Sequence[Frame], stopped: StoppedThread
    ) -> bool:
        """Of a thread that seems to work: is it in the offload runtime itself?"""
        if not frames or not thread.openmp or not self.code.is_skipped(frames[0]):
            return False
        if not any(map(self.code.is_offload_runtime, frames)):
            return False
        if not any(call.on_top for call in targets.calls_on(frames, self.code)):
            return False
        found = self.targets.of(stopped, frames, 1)[0]
        self.targets.tell_lock(found, thread.kept)
        if found.table is not None and thread.kept is not None:
            thread.kept = thread.kept._replace(name=f"mapping table of device {found.table}")
        for member in thread.openmp:
            if not (member.state or "").startswith("work_"):
                continue
            member.state = found.state
            words = targets.in_words(found)
            member.wait = Wait(found.wait, found.location, found.construct, phase=words)
        return True

    def _join_at_lock(
        self, thread: Thread, runtime: int, seen: Seen, stopped: StoppedThread
    ) -> None:
        """A thread that waits for a lock of a runtime's, which keeps nothing else of it."""
        member = Membership(runtime, ViewThread(None, "none"))
        told = self._classifier.tell_stranger(member, seen, stopped)
        if told.state is not None:
            thread.openmp.append(member)
            self._set_state(member, told, seen, stopped)

    def _set_state(
        self, member: Membership, told: Classification, seen: Seen, stopped: StoppedThread
    ) -> None:
        found = waiting.state_of(member, told, seen)
        member.state = found.name
        member.launched = bool(told.told & LAUNCHED)
        member.sleeps = bool(told.told & SLEEPS)
        beginning = told.told & STARTS or member.region is None
        member.starts = bool(beginning) and member.state == "overhead"
        member.doubts.pop("state", None)
        if found.doubt is not None:
            member.doubts["state"] = found.doubt
        member.wait = self._told(found.wait, told, seen, stopped) if found.wait else None
        member.round = found.round
        member.entered = found.name is None and told.runtime == member.runtime
        if found.let_go:
            member.let_go()
        if member.wait is not None and member.wait.kind in CONSTRUCTS:
            self._waits_for_lock = True

    def _told(self, wait: Wait, told: Classification, seen: Seen, stopped: StoppedThread) -> Wait:
        """With names that a reader knows."""
        place, caller = wait.location, seen.frame(told.caller)
        if place is not None and caller is not None and place == caller.location:
            wait = wait._replace(location=where.in_users_terms(place, caller.holder))
        elif place is not None:
            wait = wait._replace(location=self._readable(place))
        if wait.kind == "doacross" and caller is not None:
            entry = seen.frame(told.caller - 1 if told.caller else None)
            return wait._replace(iteration=self._iteration(entry, caller, stopped))
        if wait.kind not in CONSTRUCTS or caller is None:
            return wait
        if told.object:
            return self._sleeps_on(wait, told)
        return self._with_object(wait, caller, stopped)

    def _iteration(
        self, entry: Frame | None, caller: Frame, stopped: StoppedThread
    ) -> Iteration | None:
        """That is passed to an entry point."""
        name = abi.normal((entry.location.function if entry is not None else None) or "")
        if self._holding is None:
            return None
        pointer = abi.ITERATION_ARGUMENT.get(name)
        if pointer is not None:
            (address,) = self._holding.arguments(stopped, caller, (pointer,))
            return Iteration(address=address)
        if name in abi.ITERATION_PASSED:
            return Iteration(self._holding.arguments(stopped, caller, range(MOST_PASSED)))
        return None

    def _readable(self, place: Location | None) -> Location | None:
        """As the compiler recorded it, names of C++ demangled."""
        if place is None or place.function is None:
            return place
        name = without_parameters(self._debugger.code.readable(place.function))
        return place._replace(function=name)

    def _with_object(self, wait: Wait, caller: Frame, stopped: StoppedThread) -> Wait:
        """Which lock, which critical construct?"""
        address, exact = self._objects.get(caller.pc), True
        if caller.pc not in self._objects:
            # By the name in the code: entry points jump to each other.
            address = self._constant_argument(caller, abi.OBJECT_ARGUMENT)
        if address is None:
            found = self._holding.waited_for(stopped) if self._holding is not None else None
            if found is None:
                return wait
            address, exact = found.address, found.exact
        self._objects[caller.pc] = address if exact else None
        name = self.lock_name(address, wait.kind == "critical")
        return wait._replace(address=address, name=name, exact=exact)

    def _sleeps_on(self, wait: Wait, told: Classification) -> Wait:
        """A runtime that makes the kernel's calls itself has its locks in the variables."""
        critical = wait.kind == "critical"
        if told.told & UNNAMED:
            self._names[told.object, critical] = ""
        return wait._replace(address=told.object, name=self.lock_name(told.object, critical))

    def _constant_argument(self, caller: Frame, arguments: Mapping[str, int]) -> int | None:
        """What a function passes in the call that it is in; None if it is not for certain one.
        arguments: which argument, by the name of what is called."""
        return passed.constant(self._debugger, caller, lambda name: arguments.get(abi.normal(name)))

    def lock_name(self, address: int, critical: bool) -> str | None:
        """What the program calls the lock, or the critical construct."""
        key = (address, critical)
        if key not in self._names:
            symbol = self._debugger.code.object(address)
            if symbol is not None:
                symbol = critical_name(symbol) if critical else self._debugger.code.spelled(symbol)
            self._names[key] = symbol
        return self._names[key]

    def holdings(self) -> Holdings:
        """What each thread holds, as its code tells."""
        left = [thread for thread in self._process.threads if thread not in self._looked_through]
        with self._debugger.looking():
            for thread in left:
                if thread.native is not None and _may_hold(thread):
                    with self._debugger.at(thread.native) as stopped:
                        if stopped is not None:
                            self._hold(thread, stopped)
        return self._held

    def find_forgotten(self, locks: Locks, tasks: Callable[[], Tasks | None]) -> None:
        """Of the locks that are held: are there any that nobody will give up?"""
        wanted = forgotten.candidates(locks)
        if not wanted or self._holding is None:
            return
        from . import lock_calls

        callers = lock_calls.callers(self._debugger, self._holding.is_foreign)
        functions = self._holding.unpaired(callers) if callers is not None else None
        if callers is None or functions is None:
            return
        stacks = self._stacks_with(self._holding, callers)
        for lock in wanted:
            lock.never_released = forgotten.is_forgotten(
                lock, locks, self.holdings(), stacks, functions, tasks()
            )
            if lock.never_released:
                lock.left_at = forgotten.left_at(lock, functions)

    def _stacks_with(
        self, holding: CodeOfHolders, callers: Collection[int]
    ) -> dict[Thread, StackOfHolder | None]:
        """Of all threads that may hold something."""
        found: dict[Thread, StackOfHolder | None] = {}
        with self._debugger.looking():
            for thread in self._process.threads:
                if thread.native is not None and not _may_hold(thread):
                    continue
                found[thread] = None
                if thread.native is not None:
                    with self._debugger.at(thread.native) as stopped:
                        if stopped is not None:
                            found[thread] = holding.stack(stopped, callers)
        return found

    def _hold(self, thread: Thread, stopped: StoppedThread) -> None:
        self._looked_through.add(thread)
        held = self._held_at(stopped) if _may_hold(thread) else ()
        if held:
            self._held[thread] = held

    def _held_at(self, stopped: StoppedThread) -> Sequence[Held]:
        return self._holding.of(stopped) if self._holding is not None else ()

    def thrown(self, thread: Thread, tasks: Callable[[], Tasks | None]) -> Thrown | None:
        """The exception for which the thread ended the program."""
        if thread.native is None:
            return None
        with self._debugger.at(thread.native) as stopped:
            if stopped is None:
                return None
            stack = proven(self._stacks.finish(thread.native, stopped, MOST_FRAMES))
            from .exceptions import Exceptions

            found = Exceptions(self._debugger, stopped).ending(stack)
        if found is None:
            return None
        made = Thrown(found.type, found.what)
        if found.level is None:
            return made
        return self._left_by(made, thread, stack.frames[found.level :], tasks)

    def _left_by(
        self,
        made: Thrown,
        thread: Thread,
        frames: Sequence[Frame],
        tasks: Callable[[], Tasks | None],
    ) -> Thrown:
        """What lets no exception out. frames: that of the function which does not, innermost
        first."""
        at = where.in_users_terms(frames[0].location, frames[0].holder)
        if not is_outlined(frames[0].location.function):
            return made._replace(left=FUNCTION, location=at)
        # clang's code of a construct can have a wrapper.
        entries = [one.entry for one in frames[:2] if one.entry]
        for member in thread.openmp:
            for region, _ in member.chain:
                if region.raw.function in entries:
                    return made._replace(left=REGION, location=region.location)
        known = tasks()
        for task in known.all if known is not None else ():
            if task.raw.function in entries:
                return made._replace(left=TASK, location=task.location)
        return made._replace(left=CONSTRUCT, location=at)

    def targets_of(self, thread: Thread, depth: int) -> list[Target]:
        """The constructs of devices on a thread's stack."""
        walked = self._stacks.walked(thread, depth)
        if walked is None or thread.native is None:
            return []
        frames = tuple(walked.frames)
        if frames not in self._calls_devices:
            self._calls_devices[frames] = bool(targets.calls_on(frames, self.code))
        if not self._calls_devices[frames]:
            return []
        with self._debugger.at(thread.native) as stopped:
            found = self.targets.of(stopped, walked.frames) if stopped is not None else []
        for one in found:
            one.thread = thread
            self.targets.tell_lock(one, thread.kept)
        return found

    def ends_program(self, thread: Thread, depth: int) -> bool:
        walked = self._stacks.walked(thread, depth)
        return walked is not None and any(map(self.code.ends_program, walked.frames))

    def tell_arguments(self, found: Sequence[Target]) -> None:
        """What they pass to their devices."""
        if self._holding is None or not found:
            return
        from .arguments import Arguments

        arguments, offload = Arguments(self._debugger, self._holding), self.targets.offload
        known = offload.devices if offload is not None else []
        tables = {
            one.number: one
            for one in known
            if offload is not None
            and offload.mapping_layout == "proven"
            and one.problem is None
            and one.mapped == len(one.mappings)
        }
        for one in found:
            if one.thread is not None and one.thread.native is not None:
                with self._debugger.at(one.thread.native) as stopped:
                    if stopped is not None:
                        device = tables.get(one.device) if one.device is not None else None
                        arguments.tell(stopped, one, device)

    def loop_of(self, thread: Thread) -> LoopPlace | None:
        """The work-sharing loop of the innermost construct that a thread executes."""
        if thread.native is None:
            return None
        with self._debugger.at(thread.native) as stopped:
            if stopped is None:
                return None
            frames = stopped.frames()
            construct = where.construct_frame(frames, self.code)
            if construct is None:
                return None
            found = self._loop_code.of(stopped, level_of(frames.seen, construct), self.code)
        if found is None:
            return None
        place = where.in_users_terms(found.location, _enclosing_function(thread))
        return found._replace(location=place)

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
        for _, frame in self._fork_sites(thread)[0]:
            name = users_function(frame.location.function or "") or ""
            if frame.location.file and f"::{name}".endswith(f"::{place.function}"):
                found[name, frame.location.file] = frame.location.fullname
        if len(found) == 1:
            ((name, file), fullname) = found.popitem()
            region.location = place._replace(function=name, file=file, fullname=fullname)

    def _locate_recorded(self, region: Region, names: dict[int, Location]) -> None:
        region.location, region.function = self._recorded(
            region.raw.source, region.raw.function, names
        )

    def locate_tasks(self, tasks: Iterable[ExplicitTask]) -> None:
        """Where each was created: as the compiler recorded it."""
        names: dict[int, Location] = {}
        for task in tasks:
            task.location, task.function = self._recorded(task.raw.source, task.raw.function, names)
            if task.location is None:
                recorded = task.raw.function or not task.raw.undeferred
                task.doubts["created"] = doubts.TASK_PLACE if recorded else doubts.TASK_CODE
            task.taskwait = self._readable(where.recorded(task.raw.taskwait_source, task.function))

    def _recorded(
        self, source: str | None, entry: int, names: dict[int, Location]
    ) -> tuple[Location | None, Location | None]:
        """A construct by what the compiler recorded, and the code that it became. names: of
        functions that were asked for before."""
        if entry and entry not in names:
            names[entry] = self._debugger.code.location(entry)
        place = self._readable(where.recorded(source, names.get(entry)))
        if not entry:
            return place, None
        function = place.function if place is not None else self._debugger.code.holder_at(entry)
        code = where.in_users_terms(names[entry], function)
        if place is None and names[entry].line and "._omp_fn." in (names[entry].function or ""):
            place = code  # gcc gives the entry of the outlined function the construct's line
        return place, code

    def _locate_by_stacks(self, missing: Sequence[Region]) -> None:
        with self._debugger.looking():
            codes = {region: region.raw.function for region in missing}
            for region in missing:
                if not region.raw.function:
                    self._locate_by_workers(region, codes)
            for thread in dict.fromkeys(r.members[0] for r in missing if r.members):
                if thread is not None:
                    self._locate_at_calls(thread, codes)
        for region in missing:
            if region.location is None and region.function is not None:
                region.location = Location(
                    function=region.function.function, objfile=region.function.objfile
                )
            doubt = self._why_no_line(region)
            if doubt is not None and region.doubts.get("loc") != doubts.LIKELY_FRAME:
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
        if region.location is None or region.location.function in (None, NAMELESS):
            return doubts.NOT_RECORDED if self._has_lines else doubts.NO_SOURCE
        return doubts.NOT_RECORDED if self._has_lines else doubts.NO_LINE

    def _locate_by_workers(self, region: Region, codes: dict[Region, int]) -> None:
        """A region of which the runtime does not tell the code: by what the stacks of its workers
        show, if all that show it agree."""
        shown: dict[int, list[Frame]] = {}
        for thread in region.members[1:]:
            member = thread.member(region.runtime) if thread is not None else None
            stack = self._stacks.walked(thread, MOST_FRAMES, likely=True) if thread else None
            if member is not None and stack is not None:
                parts = Parts(self.code).of(stack)
                frame = code_on_worker(parts, member, region, stack.whole)
                if frame is not None:
                    shown.setdefault(self._entry(frame) or 0, []).append(frame)
        if len(shown) != 1:
            return
        ((entry, frames),) = shown.items()
        if not entry:
            return
        codes[region] = entry
        region.location, region.function = self._recorded(None, entry, {})
        if all(frame.likely for frame in frames):
            region.doubts["loc"] = doubts.LIKELY_FRAME

    def _entry(self, frame: Frame) -> int | None:
        """Where its function begins: without debug information the symbols tell."""
        return frame.entry or self._debugger.code.start(frame.pc)

    def _locate_at_calls(self, thread: Thread, codes: Mapping[Region, int]) -> None:
        """A call of the runtime's is a region's only if what it executes is the region's code:
        regions with if(0) are begun without a call that a stack would show. codes: of the regions
        that have no place yet."""
        sites, calls, known = self._fork_sites(thread)
        # Its code may have made way for what it called last: then the number of calls tells.
        begun = self._begun_by_calls(thread) if calls == len(sites) else []
        paired = begun if len(begun) == calls else []
        for number, (body, frame) in enumerate(sites):
            self._has_lines = self._has_lines or frame.location.line is not None
            place = where.interpreted_caller(known, frame, self.code)
            entry = self._entry(body) if body is not None else None
            for region, code in codes.items():
                mine = region.members and region.members[0] is thread
                executed = region in paired[number : number + 1] or (bool(entry) and code == entry)
                if not (mine and region.location is None and executed):
                    continue
                directly = self.code.calls_directly(region.runtime)
                if directly and not entry:
                    entry = self._constant_argument(frame, abi.FORKED_ARGUMENT)
                if entry and directly:
                    region.location, region.function = self._recorded(None, entry, {})
                if region.location is None:
                    region.location = place or where.in_users_terms(frame.location, frame.holder)
                    region.doubts["loc"] = doubts.CALL_SITE
                if frame.likely:
                    region.doubts["loc"] = doubts.LIKELY_FRAME

    def _shares_structure(self, region: Region) -> bool:
        return any(
            other is not region
            and other.runtime == region.runtime
            and other.raw.address == region.raw.address
            for other in self._process.regions
        )

    def _fork_sites(
        self, thread: Thread
    ) -> tuple[list[tuple[Frame | None, Frame]], int | None, Sequence[Frame]]:
        """And how many calls there are on the stack, and the stack. None: it was not seen down to
        its end."""
        if thread.native is None:
            return [], None, ()
        with self._debugger.at(thread.native) as stopped:
            if stopped is None:
                return [], None, ()
            frames = self._stacks.on(thread.native, stopped, MOST_FRAMES, True)
            for _ in frames:
                pass
            known = self._stacks.named(frames.seen)
            sites = where.fork_sites(known, self.code, abi.FORKS)
            calls = waiting.forks_on(known, self.code) if frames.whole else None
            return sites, calls, known

    def _begun_by_calls(self, thread: Thread) -> list[Region]:
        """The regions that the thread has begun, innermost first, if each has a call of the
        runtime's."""
        chains = [own_chain(member) for member in thread.openmp]
        begun = [region for chain in chains for region, num in chain if num == 0]
        directly = self.code.calls_directly
        every = all(waiting.has_call(one, directly(one.runtime)) for one in begun)
        return begun if every and len({one.runtime for one in begun}) == 1 else []


def _may_hold(thread: Thread) -> bool:
    """An idle worker has nothing of the program's on its stack."""
    return any(member.state != "idle" for member in thread.openmp)


def code_map(
    found: Sequence[Runtime], skipped: Sequence[str], stepped_over: Sequence[Skip] = ()
) -> where.CodeMap:
    return where.CodeMap(
        (
            where.Runtime(
                *(r.start, r.end, r.path, r.embedded, r.id, r.supported),
                runtimes.calls_directly(r.kind),
                r.kind,
            )
            for r in found
        ),
        skipped,
        stepped_over,
    )


def _enclosing_function(thread: Thread) -> str | None:
    """The function that holds the construct which the thread executes."""
    for member in thread.openmp:
        if member.region is not None:
            source = parse_source(member.region.raw.source)
            if source is not None and source.function:
                return users_function(source.function)
    return None
