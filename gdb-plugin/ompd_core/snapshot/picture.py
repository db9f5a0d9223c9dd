# SPDX-License-Identifier: Apache-2.0
"""What is seen at one stop? Threads and regions at once; places, tasks, locks, stacks when they are
asked for."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Callable, Sequence, TypeVar

from ..debugger import Debugger
from ..errors import Unreadable, UserError
from ..library.library import OmpdError
from ..light_classes import NamedTuple
from ..model import barriers
from ..model import locks as locks_model
from ..model import loops as loops_model
from ..model import passing, where
from ..model.assessment import Assessment
from ..model.cause import Cause
from ..model.locks import Locks
from ..model.native import NativeThread
from ..model.posts import Post, Posts, waits_in_loop
from ..model.process import Iteration, Membership, Process, Region, Runtime, Thread
from ..model.skips import Skip
from ..model.standstill import Standstill
from ..model.targets import KERNEL, Target
from ..model.tasks import Deferred, Tasks
from ..model.waits import Arrivals, any_is_over
from ..signals import Signal
from .places import ALWAYS, IF_AWAITED, NEVER, Places
from .runtimes import Runtimes
from .stacks import Stacks

# What few commands need is loaded by them.
if TYPE_CHECKING:
    from ..model.devices import Devices
    from ..model.gave_up import GaveUp
    from ..model.icvs import Icv
    from ..model.judgement import Judgement
    from ..model.logical_stack.lineage import Lineage
    from ..model.logical_stack.splicing import Splicer
    from ..model.moments import Moment, Movement, Watched
    from ..model.slowdowns import Pool, Processors, Slowdown
    from .cancelling import Cancelling

# Frames of each stack that are looked at for suspended tasks.
_DEPTH_FOR_TASKS = 256
_Read = TypeVar("_Read")


class Earlier(NamedTuple):
    """A moment that the stop is compared with."""

    moment: Moment
    seconds: float  # ago
    whole: bool  # the program ran all that time
    watched: Watched | None  # what it was seen to do meanwhile


class ShownAs(NamedTuple):
    """What the user has set of it. The first two are code that is not his own."""

    skipped_libraries: Sequence[str] = ()
    stepped_over: Sequence[Skip] = ()
    python_frames: bool = True


class Picture:
    def __init__(
        self,
        debugger: Debugger,
        opened: Runtimes,
        natives: Sequence[NativeThread],
        runtimes: Sequence[Runtime],
        shown_as: ShownAs = ShownAs(),
        earlier: Earlier | None = None,
        standstill: Standstill | None = None,
    ) -> None:
        """runtimes: those of `opened', with their views of the same moment. standstill: seen before
        the stop."""
        self.process = Process(natives, runtimes, debugger.signal, self._cause)
        self._stacks = Stacks(debugger, shown_as.python_frames)
        self._debugger = debugger
        self._runtimes = opened
        self.shown_as = shown_as
        self._places = Places(
            *(self.process, debugger, self._stacks),
            *(shown_as.skipped_libraries, shown_as.stepped_over),
            opened.library.inference,
            opened.offload,
        )
        self._earlier = earlier
        self._seen_asleep = standstill
        self._settled = False
        self._targets: dict[Thread, tuple[int, Sequence[Target]]] = {}

    # ---- Places and stacks -----------------------------------------------------------------------

    def locate_threads(self, holdings: str = NEVER, depth: int = 0) -> None:
        """holdings: and what each thread holds; depth: and so much of its stack, for `splicer'."""
        counted, tasks = self._runtimes.team_arrivals, self._listed_if_read
        self._places.locate_threads(lambda: self.arrivals, counted, tasks, holdings, depth)
        if not self._settled:
            self._settled = True
            passing.settle(
                *(self.process, lambda: self.arrivals, self._queues, lambda: self._loops),
                lambda: self._posts,
            )

    def locate_regions(self) -> None:
        self._places.locate_regions()

    def splicer(self, depth: int, runtime_frames: bool = False) -> Splicer:
        """Of the stacks as the user wrote the program. depth: how many frames of each are looked
        at."""
        from ..model.logical_stack.splicing import Splicer

        self.locate_threads(depth=depth)
        self.locate_regions()
        return Splicer(
            self.process,
            self._places.code,
            lambda thread: self._stacks.walked(thread, depth, likely=True),
            self._lineages,
            runtime_frames,
            lambda thread: self._targets_of(thread, depth),
        )

    def _targets_of(self, thread: Thread, depth: int) -> Sequence[Target]:
        """The constructs of devices on a stack."""
        if thread not in self._targets or self._targets[thread][0] < depth:
            self._targets[thread] = (depth, self._places.targets_of(thread, depth))
        return self._targets[thread][1]

    def _lineages(self) -> dict[int, Lineage]:
        """None where the runtime's tasks cannot be read: that is told beside what needs them."""
        from ..model.logical_stack.lineage import Lineage

        try:
            tasks = self._listed
            self._places.locate_tasks(tasks.all)
        except (UserError, OmpdError):
            return {}
        return {
            runtime: Lineage(self.process, runtime, view, tasks)
            for runtime, view in tasks.views.items()
        }

    # ---- What else the runtimes know -------------------------------------------------------------

    @cached_property
    def tasks(self) -> Tasks:
        """The explicit tasks. Raises UserError, OmpdError."""
        found = self._listed
        if found.left_to_stacks:
            found.place(self.splicer(_DEPTH_FOR_TASKS).begun_tasks())
        return found

    @cached_property
    def _listed(self) -> Tasks:
        """As far as the runtime alone tells of them."""
        return Tasks(self.process, self._runtimes.tasks())

    def _listed_if_read(self) -> Tasks | None:
        return _if_read(lambda: self._listed)

    def _cause(self, thread: Thread, signal: Signal) -> Cause:
        from . import crashes

        self._tell_handler(thread)
        if signal.name == "SIGABRT":
            self.locate_regions()
            thrown = self._places.thrown(thread, lambda: _if_read(self._located_tasks))
            if thrown is not None:
                return Cause(thrown)
        return crashes.cause(self._debugger, self._stacks, thread, signal)

    def _located_tasks(self) -> Tasks:
        self._places.locate_tasks(self.tasks.all)
        return self.tasks

    def located_tasks(self) -> Tasks:
        """With the places of their code, and those told that wait for a device. Raises UserError,
        OmpdError."""
        found = self._located_tasks()
        if found.all and self.has_offload:
            _if_read(lambda: self.devices)
        return found

    @cached_property
    def locks(self) -> Locks:
        """Raises UserError, OmpdError."""
        self.locate_threads(ALWAYS)
        holdings = self._places.holdings()
        views = self._runtimes.locks(
            lambda runtime: locks_model.variables(self.process, runtime, holdings)
        )
        found = locks_model.gather(self.process, views, holdings, self._places.lock_name)
        self._places.find_forgotten(found, self._listed_if_read)
        return found

    def known_locks(self) -> Locks | None:
        """Those that a command has asked for already: nothing is read."""
        return vars(self).get("locks")

    def _queues(self) -> passing.Queues:
        try:
            return self._runtimes.locks(lambda runtime: passing.wanted(self.process, runtime))
        except UserError:
            return {}  # the judgement says that it does not know

    def judgement(self, depth: int = 0) -> Judgement:
        """The one assessment of this stop. depth: as of `locate_threads'. Raises OmpdError."""
        self.locate_threads(IF_AWAITED, depth)
        return self._judgement

    @cached_property
    def _judgement(self) -> Judgement:
        from ..model import deadlock, judgement

        self.locate_regions()
        movement = self._movement
        waits = deadlock.find(
            self.process,
            self._awaited_locks,
            self._awaited_tasks,
            self.arrivals,
            self._awaited_loops,
            self._awaited_posts,
            movement,
            self.standstill,
        )
        for thread in waits.stuck:
            self._tell_handler(thread)
        self._places.locate_tasks(waits.named_tasks())
        return judgement.judge(waits, movement)

    @cached_property
    def standstill(self) -> Standstill | None:
        """None: somebody is at work, or it is not known."""
        if self._seen_asleep is not None:
            return self._seen_asleep
        from . import standstill

        by_lwp = {one.native.ptid[1]: one for one in self.process.threads if one.native is not None}
        waiting = {n for n, one in by_lwp.items() if any(of.wait is not None for of in one.openmp)}
        again = {n for n, one in by_lwp.items() if one.kept is not None and one.kept.sleeps_again}
        return standstill.of_stop(self._debugger, self.process.natives, waiting, again)

    def _tell_handler(self, thread: Thread) -> None:
        """Whoever hangs or crashed in a signal's handler."""
        from . import handlers

        thread.handles = handlers.handled(self._debugger, self._stacks, thread)

    @property
    def moment(self) -> Moment:
        """To compare a later stop with. Raises OmpdError."""
        from ..model import moments

        self.locate_threads(IF_AWAITED)
        return moments.take(
            self.process,
            self._awaited_locks,
            self._awaited_tasks,
            self.arrivals,
            self._awaited_loops,
            self._awaited_posts,
            self._runtimes.team_arrivals(),
        )

    @cached_property
    def _movement(self) -> Movement | None:
        then = self._earlier
        if then is None:
            return None
        from ..model.moments import Movement

        return Movement(then.seconds, then.whole, then.moment, self.moment, then.watched)

    @cached_property
    def _awaited_locks(self) -> Locks:
        """Only if a thread waits for one: to look for what each holds takes long."""
        if not self.process.any_waits(*locks_model.CONSTRUCTS):
            return Locks(self.process)
        try:
            return self.locks
        except UserError:
            return locks_model.gather(self.process, {}, {}, self._places.lock_name)

    @property
    def _awaited_loops(self) -> loops_model.HandedOut:
        return self._loops if self.process.any_waits("ordered") else {}

    @property
    def _awaited_posts(self) -> Posts:
        return self._posts if self.process.any_waits("doacross") else {}

    @cached_property
    def _posts(self) -> Posts:
        """What each thread waits for in a doacross loop, as far as it is known."""
        found = {}
        for thread in self.process.threads:
            member = waits_in_loop(thread)
            post = self._post(member) if member is not None else None
            if post is not None:
                found[thread] = post
        return found

    def _post(self, member: Membership) -> Post | None:
        wait, region, number = member.wait, member.region, member.thread_num
        if wait is None or wait.iteration is None or region is None or number is None:
            return None
        asked = (member.runtime, region.raw.address, number)
        loop = self._runtimes.doacross(*asked)
        if loop is None or not loop.dimensions:
            return Post((), loop._replace(posted=True)) if loop is not None else None
        iteration = self._numbers(wait.iteration, loop.dimensions)
        if iteration is not None:
            loop = self._runtimes.doacross(*asked, iteration)
        return Post(iteration, loop) if iteration is not None and loop is not None else None

    def _numbers(self, iteration: Iteration, count: int) -> tuple[int, ...] | None:
        passed: Sequence[int | None] = iteration.numbers[:count]
        if iteration.address is not None:
            places = range(iteration.address, iteration.address + 8 * count, 8)
            try:
                passed = [self._debugger.number(place, 8) for place in places]
            except Unreadable:
                return None
        known = [number for number in passed if number is not None]
        return tuple(known) if len(known) == count else None

    @cached_property
    def _awaited_tasks(self) -> Tasks | None:
        """If it matters which there are. None: the runtime's cannot be read."""
        matters = self.process.any_waits("taskwait", "taskgroup")
        matters = matters or barriers.any_is_complete(self.process)
        matters = matters or (self.process.any_waits("barrier") and any_is_over(self.arrivals))
        # Whoever waits awake may take one, and what nobody takes is said.
        matters = matters or self.standstill is not None
        return _if_read(lambda: self.tasks) if matters else None

    @cached_property
    def arrivals(self) -> Arrivals:
        return self._runtimes.arrivals()

    def locate_loops(self, regions: Sequence[Region]) -> None:
        """Which iterations the threads of these regions have of their loops."""
        with self._debugger.looking():
            for region in regions:
                raw = self._loops.get(region.runtime)
                region.loops = loops_model.gather(region, raw, self._places.loop_of)

    @cached_property
    def _loops(self) -> loops_model.HandedOut:
        return self._runtimes.loops()

    def settings(self) -> dict[str, str]:
        """The variables of OpenMP's in the program's environment. Raises UserError."""
        from . import environment

        return environment.settings(self._debugger)

    @cached_property
    def devices(self) -> Devices:
        """And the constructs of devices that threads are in."""
        from ..model.devices import Devices
        from . import mapped

        self.locate_threads()
        with self._debugger.looking():
            found = [
                target
                for thread in self.process.threads
                for target in self._targets_of(thread, _DEPTH_FOR_TASKS)
            ]
            self._tell_default_devices(found)
            self._places.tell_arguments(found)
        self._tell_crash(found)
        targets = self._places.targets
        made = Devices(targets.offload, found, targets.names(), loaded=self._offload_files)
        made.deferred = self._deferred(made)
        with self._debugger.looking():
            ending = (
                thread
                for thread in self.process.threads
                if self._places.ends_program(thread, _DEPTH_FOR_TASKS)
            )
            made.ending = next(ending, None)
            made.stale = mapped.stale(self._debugger, made, self.process.threads)
        return made

    def _deferred(self, made: Devices) -> list[Deferred]:
        """But those that a thread executes in a construct: it shows there."""
        if made.offload is None or not made.all:
            return []
        from .deferred import deferred

        tasks = self._listed_if_read()
        if tasks is None:
            return []
        self._places.locate_tasks(tasks.all)
        shown = [one.thread for one in made.targets]
        left = [one for one in tasks.all if one.thread is None or one.thread not in shown]
        found = deferred(self._debugger, left, tasks.all, made.all)
        for one in found:
            one.task.deferred = one
        return found

    def _tell_default_devices(self, found: Sequence[Target]) -> None:
        """By the ICVs of the tasks that called: those have begun, whatever else these say."""
        asking = [one for one in found if one.takes_default and one.device is None]
        natives = [one.thread.native for one in asking if one.thread is not None]
        if not asking:
            return
        try:
            _, icvs = self._runtimes.icvs([one for one in natives if one is not None])
        except (UserError, OmpdError):
            return
        offload = self._places.targets.offload
        known = {one.number for one in offload.devices} if offload is not None else set()
        for one, values in zip(asking, icvs.threads):
            value = values.get("default-device-var") if values is not None else None
            if value is not None and value.number in known:
                one.device = value.number
                one.doubts.pop("device", None)

    def _tell_crash(self, found: Sequence[Target]) -> None:
        signal = self.process.signal
        if signal is None or not signal.is_crash:
            return
        for one in found:
            native = one.thread.native if one.thread is not None else None
            if native is not None and native.ptid[1] == signal.lwp:
                one.crashed = one.phase == KERNEL
                return  # the innermost

    @cached_property
    def _offload_files(self) -> Sequence[str]:
        loaded = [one.path for one in self._debugger.images.loaded]
        return [path for path in loaded if where.is_offload(path)]

    @property
    def has_offload(self) -> bool:
        """Is an offload runtime loaded?"""
        return bool(self._offload_files)

    def assessment(self, judgement: Judgement | None) -> Assessment:
        from ..model import slowdowns
        from .processors import granted

        processors = granted(self._debugger)
        slow: list[Slowdown] = [*slowdowns.of_runtimes(self.process.runtimes)]
        if processors is not None:
            slow += slowdowns.of_processors(self.process, processors, self._pools)
        needs = judgement.waits.needs if judgement is not None else ()
        movement = judgement.movement if judgement is not None else None
        for one in slowdowns.of_work(self.process, needs, movement):
            if isinstance(one, slowdowns.Cancelled):
                one = self._cancelling.with_function(one)
            slow.append(one)
        slow += self._by_icvs(processors)
        devices = self.devices if self.has_offload else None
        standstill = self.standstill if judgement is None else None
        return Assessment(self.process, judgement, devices, slow, standstill, self._gave_up)

    def _pools(self) -> Sequence[Pool]:
        from . import pools

        with self._debugger.looking():
            return pools.busy(self.process, self._stacks, self._places.code)

    @property
    def _gave_up(self) -> GaveUp | None:
        if self._debugger.ending() is None:
            return None
        from . import endings

        self.locate_threads()
        return endings.of(self._debugger, self.process, self._stacks)

    @cached_property
    def _cancelling(self) -> Cancelling:
        from .cancelling import Cancelling

        return Cancelling(self._debugger, self._places.code)

    def _by_icvs(self, processors: Processors | None) -> list[Slowdown]:
        """Teams that are small; of a process without regions nothing is read."""
        from ..model import slowdowns

        if all(region.parent is None for region in self.process.regions):
            return []
        natives = [t.native for t in self.process.threads if t.native is not None]
        found = _if_read(lambda: self._runtimes.icvs(natives))
        if found is None:
            return []
        alone = slowdowns.alone(self.process, *found, processors) if processors is not None else []
        if alone:
            self.locate_regions()
        off = slowdowns.cancellation_is_off(found[1])
        without = self._cancelling.without_effect(self.process) if off else []
        return [*slowdowns.fewer(self.process, *found), *alone, *without]

    def icvs(self, chosen: Sequence[Thread]) -> list[Icv]:
        """Raises UserError, OmpdError."""
        from ..model.icvs import gather

        runtime, found = self._runtimes.icvs(self.process.natives)
        return gather(self.process, runtime, found, chosen)


def _if_read(read: Callable[[], _Read]) -> _Read | None:
    """None: the runtime's cannot be read."""
    try:
        return read()
    except (UserError, OmpdError):
        return None
