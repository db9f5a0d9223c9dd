# SPDX-License-Identifier: Apache-2.0
"""How is libompd called? Loading, checked calls, and its answers as plain values."""

from __future__ import annotations

import os
import sys
from functools import cached_property
from typing import Any, Callable, Sequence

from ..errors import UserError
from . import capi, icvs, inference, search
from .callbacks import Callbacks, Target
from .capi import Rc
from .offload import offload_of
from .types import (
    Arrival,
    Diagnostic,
    FoundRuntime,
    Icvs,
    Image,
    LockVariable,
    NativeIds,
    Offload,
    RuntimeInfo,
    TeamArrivals,
    View,
    ViewDoacross,
    ViewLock,
    ViewLocks,
    ViewLoop,
    ViewRegion,
    ViewTask,
    ViewTasks,
    ViewThread,
)

NEWEST_API = 202411
# LLVM's libompd up to 22 answers to this one only.
OLDEST_API = 201811

_KINDS = {int(kind): kind.name.lower() for kind in capi.RuntimeKind}
_DESCRIPTORS = {
    capi.Descriptors.SYMBOLS: "symbols",
    capi.Descriptors.RECOVERED: "recovered",
    capi.Descriptors.RECORD: "record",
}
_THREAD_KINDS = {int(kind): kind.name.lower() for kind in capi.ThreadKind}
_TASK_KINDS = {int(kind): kind.name.lower() for kind in capi.TaskKind if kind}
_LOCK_KINDS = {int(kind): kind.name.lower() for kind in capi.LockKind if kind}
_SCHEDULES = {int(schedule): schedule.name.lower() for schedule in capi.Schedule if schedule}
_LOOP_EVIDENCE = {int(one): one.name.lower() for one in capi.LoopEvidence}
_DOACROSS_MEMBERS = {int(one): one.name.lower() for one in capi.DoacrossMember}
_TASK_STATES = {int(state): state.name.lower() for state in capi.TaskState if state}
_PROBLEMS = {int(problem): problem.name.lower() for problem in capi.Problem if problem}
_CANCELLED = {1: "parallel", 2: "for", 3: "sections", 4: "worksharing"}
_GENERATORS = {int(generator): generator.name.lower() for generator in capi.TeamGenerator}


class OmpdError(Exception):
    """A routine answered with something else than ok."""

    def __init__(self, routine: str, rc: int) -> None:
        try:
            self.name = f"ompd_rc_{Rc(rc).name.lower()}"
        except ValueError:
            self.name = f"the unknown code {rc}"
        super().__init__(f"{routine} answered {self.name}")
        self.routine = routine
        self.rc = rc


class Library:
    """One loaded and initialized libompd."""

    def __init__(self, path: str, show: Callable[[str], None] = lambda text: None) -> None:
        """Raises UserError. show: where text of the library's goes."""
        self.path = path
        search.refuse_truncated(path)
        try:
            self._dll, missing = capi.load(path)
        except OSError as error:
            raise UserError(
                "library_not_loadable",
                f"libompd cannot be loaded: {error}.",
                "Name another one with `set ompd library FILE'.",
            ) from None
        absent = sorted(missing & {"ompd_initialize", "ompd_process_initialize", "ompd_finalize"})
        if absent:
            raise UserError(
                "library_not_loadable",
                f"{path} is no OMPD library: it has no {absent[0]}.",
                "Name another one with `set ompd library FILE'.",
            )
        self.missing_extensions = sorted(missing & set(capi.OMPDX_ROUTINES))
        self.callbacks = Callbacks(show)
        self.is_busy = False  # inside a call, which is not to be called again
        self.counts = self.callbacks.counts
        self.api_version = self._initialize()
        self.version = self._text("ompd_get_version_string", owned=False)

    def _initialize(self) -> int:
        met: OmpdError | None = None
        for version in (NEWEST_API, OLDEST_API):
            try:
                self._call("ompd_initialize", version, capi.byref(self.callbacks.table))
                return version
            except OmpdError as error:
                met = error
        raise UserError(
            "library_not_loadable",
            f"{self.path} cannot be used: {met}.",
            "Another plugin may be using it. Name another one with `set ompd library FILE'.",
        )

    @cached_property
    def inference(self) -> inference.Inference | None:
        """What stacks tell. None: nothing can be told of them."""
        return inference.of(self._dll, self.missing_extensions)

    def close(self) -> None:
        """Every handle is invalid afterwards."""
        try:
            self._call("ompd_finalize")
        except OmpdError:
            pass  # nothing depends on the answer: the library is given up in any case

    def _call(self, routine: str, *arguments: Any) -> None:
        """Call a routine; raise what a callback met, or OmpdError unless the answer is ok."""
        self.callbacks.met = None
        self.is_busy = True
        hook, sys.unraisablehook = sys.unraisablehook, self._keep_interrupt
        try:
            rc = getattr(self._dll, routine)(*arguments)
        finally:
            sys.unraisablehook = hook
            self.is_busy = False
        met, self.callbacks.met = self.callbacks.met, None
        if met is not None:
            raise met
        if rc != Rc.OK:
            raise OmpdError(routine, rc)

    def _keep_interrupt(self, unraisable: Any) -> None:
        """Ctrl-C can hit a callback before it has entered its `try': ctypes drops that exception
        and tells this hook, which keeps it for the end of the call."""
        if isinstance(unraisable.exc_value, KeyboardInterrupt):
            self.callbacks.met = unraisable.exc_value
        else:
            sys.__unraisablehook__(unraisable)

    def _text(self, routine: str, *arguments: Any, owned: bool = True) -> str:
        out = capi.Handle()
        try:
            self._call(routine, *arguments, capi.byref(out))
        except OmpdError:
            return ""
        text = _decode(capi.string_at(out.value or 0))
        if owned:
            self.callbacks.free(out.value or 0)
        return text

    def add_target(self, target: Target) -> int:
        return self.callbacks.add_target(target)

    def remove_target(self, context: int) -> None:
        self.callbacks.remove_target(context)

    def find_runtimes(
        self, context: int, images: Sequence[Image] | None = None
    ) -> list[FoundRuntime]:
        """The runtimes among the images or, without them, in the dynamic linker's list."""
        array = None
        if images is not None:
            array = (capi.ompdx_image_t * len(images))(*[_c_image(image) for image in images])
        out = capi.pointer_to(capi.ompdx_runtimes_t)()
        self._call("ompdx_find_runtimes", context, array, len(images or ()), capi.byref(out))
        try:
            answer = out.contents
            found = capi.array_at(answer.runtimes or 0, answer.count, capi.ompdx_runtime_t)
            return [
                FoundRuntime(
                    _KINDS.get(runtime.kind, "unknown"),
                    _known(runtime.version),
                    Image(
                        runtime.image.load_bias,
                        runtime.image.dynamic,
                        _decode(runtime.image.path) if runtime.image.path else None,
                    ),
                )
                for runtime in found
            ]
        finally:
            self.callbacks.free(capi.address_of(out))

    def open_runtime(self, context: int, image: Image) -> AddressSpace:
        handle = capi.Handle()
        self._call(
            "ompdx_process_initialize",
            context,
            capi.byref(_c_image(image)),
            capi.byref(handle),
        )
        return AddressSpace(self, handle)

    def diagnostics(self, handle: Any = None) -> list[Diagnostic]:
        """About an address space or, without a handle, about the last attempt to find or open
        one."""
        out = capi.pointer_to(capi.ompdx_diagnostics_t)()
        try:
            self._call("ompdx_get_diagnostics", handle, capi.byref(out))
        except OmpdError:
            return []
        try:
            return _diagnostics(out.contents)
        finally:
            self.callbacks.free(capi.address_of(out))


class AddressSpace:
    """An opened runtime image."""

    def __init__(self, library: Library, handle: Any) -> None:
        self._library = library
        self._handle = handle

    def close(self) -> None:
        try:
            self._library._call("ompd_rel_address_space_handle", self._handle)
        except OmpdError:
            pass  # already invalid, which is what was wanted

    def info(self) -> RuntimeInfo:
        info = capi.runtime_info()
        self._library._call("ompdx_get_runtime_info", self._handle, capi.byref(info))
        length = min(info.build_id_length, len(info.build_id))
        return RuntimeInfo(
            kind=_KINDS.get(info.kind, "unknown"),
            version=_known(info.version),
            version_text=_decode(info.version_text),
            build_id=bytes(info.build_id[:length]).hex() or None,
            descriptors=_DESCRIPTORS.get(info.descriptors),
            record=_decode(info.record) or None,
            initialized=None if info.initialized < 0 else bool(info.initialized),
            state_tracking=None if info.state_tracking < 0 else bool(info.state_tracking),
            start=info.start,
            end=info.end,
        )

    def diagnostics(self) -> list[Diagnostic]:
        return self._library.diagnostics(self._handle)

    @property
    def handle(self) -> Any:
        """For OMPD's own routines."""
        return self._handle

    def offload(self, images: Sequence[Image] | None = None) -> Offload | None:
        """What the host knows of devices, by the offload runtime among the images or, without
        them, in the dynamic linker's list. None: there is none."""
        if "ompdx_get_offload" in self._library.missing_extensions:
            return None
        array = None
        if images is not None:
            array = (capi.ompdx_image_t * len(images))(*[_c_image(image) for image in images])
        out = capi.pointer_to(capi.ompdx_offload_t)()
        try:
            self._library._call(
                "ompdx_get_offload", self._handle, array, len(images or ()), capi.byref(out)
            )
        except OmpdError as error:
            if error.rc == Rc.UNAVAILABLE:
                return None
            raise
        try:
            return offload_of(out.contents)
        finally:
            self._library.callbacks.free(capi.address_of(out))

    def snapshot(self, threads: Sequence[NativeIds]) -> Snapshot:
        """Of the runtime at this stop. Raises OmpdError."""
        array = capi.native_array([_c_native(thread) for thread in threads])
        out = capi.Handle()
        try:
            self._library._call(
                "ompdx_snapshot_create", self._handle, array, len(threads), capi.byref(out)
            )
        except BaseException:
            # After Ctrl-C there can be one although the call raised.
            if out.value:
                Snapshot(self._library, out, len(threads)).close()
            raise
        return Snapshot(self._library, out, len(threads))


class Snapshot:
    """Threads, regions and what belongs to them, all of the same bytes. Raises OmpdError."""

    def __init__(self, library: Library, handle: Any, count: int) -> None:
        """count: of the tool's threads."""
        self._library = library
        self._count = count
        self._handle: Any = handle  # None, of which the library says that it is stale: closed

    def close(self) -> None:
        handle, self._handle = self._handle, None
        if handle is None:
            return
        try:
            self._library._call("ompdx_snapshot_destroy", handle)
        except OmpdError:
            pass  # gone with its address space

    def _part(self, routine: str, struct: Any, *arguments: Any) -> Any:
        """Valid until the snapshot is closed; locks, a doacross loop and diagnostics until they are
        asked for again."""
        out = capi.pointer_to(struct)()
        self._library._call(routine, self._handle, *arguments, capi.byref(out))
        return out.contents

    def diagnostics(self) -> list[Diagnostic]:
        """What reading it met."""
        try:
            return _diagnostics(self._part("ompdx_snapshot_diagnostics", capi.ompdx_diagnostics_t))
        except OmpdError:
            return []

    def view(self) -> View:
        return _view(self._part("ompdx_snapshot_view", capi.ompdx_view_t))

    def tasks(self) -> ViewTasks:
        return _tasks(self._part("ompdx_snapshot_tasks", capi.ompdx_tasks_t))

    def locks(self, variables: Sequence[LockVariable]) -> ViewLocks:
        """The locks that are held or waited for, and those of the variables."""
        array = capi.lock_variables([(one.address, one.critical) for one in variables])
        answer = self._part("ompdx_snapshot_locks", capi.ompdx_locks_t, array, len(variables))
        return _locks(answer)

    def arrivals(self) -> dict[int, Arrival]:
        """By ViewThread.index."""
        answer = self._part("ompdx_snapshot_arrivals", capi.ompdx_arrivals_t)
        array = capi.array_at(answer.arrivals or 0, answer.count, capi.ompdx_arrival_t)
        return {one.thread: _arrival(one) for one in array}

    def team_arrivals(self) -> dict[int, TeamArrivals]:
        """By ViewRegion.address."""
        answer = self._part("ompdx_snapshot_arrivals", capi.ompdx_arrivals_t)
        return {one.team: _team_arrivals(one) for one in capi.teams_of(answer)}

    def loops(self) -> list[ViewLoop]:
        """The threads in loops that the runtime schedules."""
        answer = self._part("ompdx_snapshot_loops", capi.ompdx_loops_t)
        array = capi.array_at(answer.loops or 0, answer.count, capi.ompdx_loop_t)
        return [_loop(one) for one in array]

    def doacross(self, team: int, number: int, iteration: Sequence[int]) -> ViewDoacross:
        """Of the doacross loop that a member of a team is in. No iteration: none is asked for."""
        array = capi.numbers(iteration)
        answer = self._part(
            "ompdx_snapshot_doacross", capi.ompdx_doacross_t, team, number, array, len(iteration)
        )
        members = capi.words_at(answer.members or 0, answer.member_count, answer.member_size)
        return ViewDoacross(
            answer.dimensions,
            None if answer.posted < 0 else bool(answer.posted),
            _known(answer.owner),
            answer.loop,
            tuple(_DOACROSS_MEMBERS.get(one, "elsewhere") for one in members),
        )

    def icvs(self) -> Icvs:
        """Of each of the tool's threads, and of the process."""
        return icvs.of_snapshot(self._part("ompdx_snapshot_icvs", capi.ompdx_icvs_t), self._count)


def _diagnostics(answer: capi.ompdx_diagnostics_t) -> list[Diagnostic]:
    array = capi.array_at(answer.diagnostics or 0, answer.count, capi.ompdx_diagnostic_t)
    return [
        Diagnostic(_decode(item.code), _decode(item.subject), _decode(item.text)) for item in array
    ]


def _loop(one: capi.ompdx_loop_t) -> ViewLoop:
    return ViewLoop(
        team=one.team,
        thread=_index(one.thread),
        thread_num=one.thread_num,
        loop=one.loop,
        schedule=_SCHEDULES.get(one.schedule),
        problem=_PROBLEMS.get(one.problem),
        ordered=one.ordered > 0,
        may_have_left=one.may_have_left != 0,
        sections=one.sections > 0,
        iterations=_known(one.iterations),
        chunk=_known(one.chunk),
        handed_out=_known(one.handed_out),
        first=_known(one.first),
        last=_known(one.last),
        left=_known(one.left),
        ordered_turn=_known(one.ordered_turn),
        remaining=_known(one.remaining),
        evidence=_LOOP_EVIDENCE.get(one.evidence, "or_none"),
        ordered_holder=_known(one.ordered_holder),
        completed=_known(one.completed),
    )


def _arrival(one: capi.ompdx_arrival_t) -> Arrival:
    return Arrival(one.arrived, one.released, one.complete, tuple(one.steps), tuple(one.team_steps))


def _team_arrivals(one: capi.ompdx_team_arrivals_t) -> TeamArrivals:
    return TeamArrivals(
        awaits=one.awaits,
        arrived=_known(one.arrived),
        arrived_at_end=_known(one.arrived_at_end),
        waits_for_tasks=one.waits_for_tasks > 0,
        steps=one.steps,
        regions=one.regions,
    )


def _locks(answer: capi.ompdx_locks_t) -> ViewLocks:
    waiters = capi.words_at(answer.waiters or 0, answer.waiter_count, answer.waiter_size)
    locks = [
        ViewLock(
            address=lock.address,
            kind=_LOCK_KINDS.get(lock.kind),
            nested=bool(lock.nested),
            held=None if lock.held < 0 else bool(lock.held),
            owner=_index(lock.owner),
            owner_id=_known(lock.owner_id),
            depth=_known(lock.depth),
            waiting=_known(lock.waiting),
            waiters=tuple(waiters[lock.waiter_first : lock.waiter_first + lock.waiter_count]),
            problem=_PROBLEMS.get(lock.problem),
            word=lock.word,
        )
        for lock in capi.array_at(answer.locks or 0, answer.lock_count, capi.ompdx_lock_t)
    ]
    variables = capi.words_at(answer.variables or 0, answer.variable_count, answer.variable_size)
    return ViewLocks(locks, [_index(one) for one in variables], _PROBLEMS.get(answer.problem))


def _tasks(answer: capi.ompdx_tasks_t) -> ViewTasks:
    tasks = [
        ViewTask(
            address=task.address,
            kind=_TASK_KINDS.get(task.kind) or "explicit",
            state=_TASK_STATES.get(task.state),
            team=task.team,
            parent=_index(task.parent),
            thread=_index(task.thread),
            creator=_index(task.creator),
            children=_known(task.children),
            priority=_known(task.priority),
            predecessors=_known(task.predecessors),
            tied=bool(task.tied),
            final=bool(task.final),
            undeferred=bool(task.undeferred),
            taskwait=bool(task.taskwait),
            taskgroup=task.taskgroup,
            taskgroup_count=_known(task.taskgroup_count),
            taskgroup_cancelled=bool(task.taskgroup_cancelled),
            function=task.function,
            source=_decode(task.source) if task.source else None,
            taskwait_source=_decode(task.taskwait_source) if task.taskwait_source else None,
        )
        for task in capi.array_at(answer.tasks or 0, answer.task_count, capi.ompdx_task_t)
    ]
    dependences = capi.dependences_at(
        answer.dependences or 0, answer.dependence_count, answer.dependence_size
    )
    return ViewTasks(tasks, dependences, _PROBLEMS.get(answer.problem))


def _view(view: capi.ompdx_view_t) -> View:
    levels = capi.levels_at(view.levels or 0, view.level_count, view.level_size)
    members = capi.words_at(view.members or 0, view.member_count, view.member_size)
    threads = [
        ViewThread(
            native=_index(thread.native),
            kind=_THREAD_KINDS.get(thread.kind, "none"),
            levels=tuple(levels[thread.level_first : thread.level_first + thread.level_count]),
            problem=_PROBLEMS.get(thread.problem),
            runtime_id=_known(thread.runtime_id),
            address=thread.address,
            pthread_id=thread.pthread_id,
            task=thread.task,
            task_kind=_TASK_KINDS.get(thread.task_kind),
            task_final=None if thread.task_final < 0 else bool(thread.task_final),
            tracked_state=_known(thread.tracked_state),
            tracked_wait_id=thread.tracked_wait_id,
            ident_flags=_known(thread.ident_flags),
            has_team=bool(thread.has_team),
            ident_source=_decode(thread.ident_source) if thread.ident_source else None,
            index=index,
        )
        for index, thread in enumerate(
            capi.array_at(view.threads or 0, view.thread_count, capi.ompdx_view_thread_t)
        )
    ]
    regions = [
        ViewRegion(
            address=region.address,
            parent=_index(region.parent),
            generator=_GENERATORS.get(region.generator, "parallel"),
            level=_known(region.level),
            active_level=_known(region.active_level),
            team_size=_known(region.team_size),
            members=tuple(
                _index(member)
                for member in members[
                    region.member_first : region.member_first + region.member_count
                ]
            ),
            serialized=None if region.serialized < 0 else bool(region.serialized),
            serial_depth=region.serial_depth,
            league_size=_known(region.league_size),
            team_num=_known(region.team_num),
            problem=_PROBLEMS.get(region.problem),
            function=region.function,
            source=_decode(region.source) if region.source else None,
            helpers=bool(region.helpers),
            cancelled=_CANCELLED.get(region.cancelled),
            barrier_round=region.barrier_round,
        )
        for region in capi.array_at(view.regions or 0, view.region_count, capi.ompdx_view_region_t)
    ]
    return View(threads, regions, _PROBLEMS.get(view.problem))


def _decode(text: bytes | None) -> str:
    return (text or b"").decode("utf-8", "backslashreplace")


def _known(number: int) -> int | None:
    return None if number < 0 else int(number)


def _index(number: int) -> int | None:
    return None if number == capi.NO_INDEX else int(number)


def _c_image(image: Image) -> capi.ompdx_image_t:
    path = None if image.path is None else os.fsencode(image.path)
    return capi.image(image.load_bias, image.dynamic, path)


def _c_native(thread: NativeIds) -> tuple[int, int, int, int]:
    known = 0
    if thread.pthread_id is not None:
        known |= capi.OMPDX_NATIVE_PTHREAD
    if thread.thread_pointer is not None:
        known |= capi.OMPDX_NATIVE_THREAD_POINTER
    if thread.lwp is not None:
        known |= capi.OMPDX_NATIVE_LWP
    return (known, thread.pthread_id or 0, thread.thread_pointer or 0, thread.lwp or 0)
