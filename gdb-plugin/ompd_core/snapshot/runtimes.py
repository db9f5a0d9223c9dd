# SPDX-License-Identifier: Apache-2.0
"""Which OpenMP runtimes has a process, and what do they answer through libompd?"""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Callable, Mapping, Sequence, TypeVar, Union

from .. import runtimes
from ..debugger import Debugger
from ..errors import UserError
from ..formats.images import LoadedImage
from ..library.library import AddressSpace, Library, OmpdError, Snapshot
from ..library.types import (
    Arrival,
    FoundRuntime,
    Icvs,
    Image,
    LockVariable,
    NativeIds,
    Offload,
    TeamArrivals,
    ViewDoacross,
    ViewLocks,
    ViewLoop,
    ViewTasks,
)
from ..model.native import NativeThread
from ..model.process import Runtime
from ..model.waits import Arrivals
from . import advice

_NOT_TOLD = "is loaded, but it cannot be told whether it has started"
_UNKNOWN_RELEASE = "is loaded, and of a release that this libompd does not know"
_NOT_MEASURED = (
    "publishes nothing that proves where it keeps its threads, and no build of it was measured"
)

# Of libraries that are not ours, and for questions about one thread.
if TYPE_CHECKING:
    from ..library.routines import Routines
    from ..library.standard_ompd import StandardSnapshot, StandardSpace

Space = Union[AddressSpace, "StandardSpace"]
Shot = Union[Snapshot, "StandardSnapshot"]
_Answer = TypeVar("_Answer")


class Runtimes:
    """Those of one process, looked for when they are first asked for."""

    def __init__(self, library: Library, target: Debugger) -> None:
        self.library = library
        self._target = target
        self._context = library.add_target(target)
        self._opened: list[tuple[Runtime, Space | None]] | None = None
        self._routines_of: dict[Space, Routines] = {}
        self._snapshots: dict[int, Shot] = {}  # by the runtimes' numbers: of the last picture
        self._natives: Sequence[NativeThread] = ()  # of that picture

    def close(self) -> None:
        self.drop_snapshots()
        for _, space in self._opened or ():
            if space is not None:
                space.close()
        self._opened = None
        self.library.remove_target(self._context)

    @property
    def settled(self) -> bool:
        """Looking again would find nothing else, as long as no image comes or goes."""
        found = self._opened or ()
        return bool(found) and all(r.initialized or not r.supported for r, _ in found)

    def all(self) -> list[Runtime]:
        """Raises UserError."""
        return [runtime for runtime, _ in self._open()]

    def any_opened(self) -> bool:
        return bool(self._opened)

    # ---- Looking for them ------------------------------------------------------------------------

    def _open(self) -> list[tuple[Runtime, Space | None]]:
        if self._opened is None:
            if self.library.missing_extensions:
                self._opened = self._open_standard()
            else:
                found = enumerate(self._find())
                self._opened = [self._open_one(number, one) for number, one in found]
        return self._opened

    def _open_standard(self) -> list[tuple[Runtime, Space | None]]:
        """What a library with OMPD's own routines only finds by itself: one runtime at most."""
        from ..library.standard_ompd import StandardSpace

        self._target.native_threads()
        try:
            space = StandardSpace(self.library, self._context, self._target.pointer_size)
        except OmpdError:
            return []
        info = space.info()
        runtime = Runtime(0, info.kind, info.version, info.version_text, None, 0)
        runtime.standard_only = True
        _refresh(runtime, space)
        return [(runtime, space)]

    def _find(self) -> list[FoundRuntime]:
        images = self._target.images
        try:
            found = self.library.find_runtimes(self._context)
            program = images.program
            if found or (program is not None and program.is_static):
                return found or self._find_in_program(program)
            # Of a core file names can be missing: then a runtime is known by what its memory has.
            return self._find_among(images.nameless()) if self._target.core is not None else []
        except OmpdError as error:
            met = error
        program = images.program
        if program is None or (images.r_debug and not program.is_static):
            found = self._find_among(self._target.mapped_images())
            if found:
                return found
            raise UserError(
                "unreadable",
                f"The list of the program's libraries cannot be read ({met}).",
                " ".join(advice.of_core(self._target)),
            )
        # No such list: linked statically, or the dynamic linker has not run yet.
        return self._find_in_program(program)

    def _find_in_program(self, program: LoadedImage | None) -> list[FoundRuntime]:
        if program is None:
            return []
        return self._find_among([program._replace(path=self._target.executable or "")])

    def _find_among(self, images: Sequence[LoadedImage]) -> list[FoundRuntime]:
        if not images:
            return []
        # One without a dynamic section is known by where it begins.
        given = [
            Image(one.bias if one.dynamic else one.start, one.dynamic, one.path or None)
            for one in images
        ]
        try:
            return self.library.find_runtimes(self._context, given)
        except OmpdError:
            return []

    def _open_one(self, number: int, found: FoundRuntime) -> tuple[Runtime, Space | None]:
        image = found.image
        runtime = Runtime(number, found.kind, found.version, "", image.path, image.load_bias)
        known = runtimes.of_kind(found.kind)
        runtime.supported = known is not None and known.refused is None
        program = self._target.images.program
        begins = (program.bias, program.start) if program is not None else ()
        if image.load_bias in begins:
            runtime.embedded = True
            runtime.path = self._target.executable
        space: Space | None = None
        try:
            space = self.library.open_runtime(self._context, image)
            _refresh(runtime, space)
        except OmpdError as error:
            runtime.problem = f"cannot be opened ({error})"
            runtime.initialized = None
            runtime.diagnostics = self.library.diagnostics()
        if not runtime.supported:
            runtime.problem = runtimes.refusal(runtime.kind)
        return runtime, space

    # ---- Asking them -----------------------------------------------------------------------------

    def take_views(self, natives: Sequence[NativeThread]) -> None:
        """Threads and regions, into each runtime's `view'; why there is none, into `problem'. The
        snapshots that they are of answer all else until the picture is dropped."""
        self.drop_snapshots()
        self._natives = natives
        for runtime, space in self._open():
            if space is not None and runtime.supported:
                self._take_view(runtime, space, natives)

    def drop_snapshots(self) -> None:
        """What is asked of them from now on is answered with an error."""
        if self.library.is_busy:
            return  # GDB met an event in the middle of a callback: the next picture drops them
        for snapshot in self._snapshots.values():
            snapshot.close()

    def _take_view(self, runtime: Runtime, space: Space, natives: Sequence[NativeThread]) -> None:
        given = [native_ids(thread) for thread in natives]
        runtime.view, runtime.problem = None, None
        self._snapshots.pop(runtime.id, None)
        try:
            snapshot = self._snapshots[runtime.id] = space.snapshot(given)
            runtime.view = snapshot.view()
        except OmpdError as error:
            runtime.problem = _why_no_view(error)
        self._refresh(runtime, space)
        codes = {diagnostic.code for diagnostic in runtime.diagnostics}
        if runtime.problem and {"build_unmeasured", "table_not_found"} <= codes:
            runtime.problem = _NOT_MEASURED
        elif runtime.initialized is None:
            runtime.problem = _UNKNOWN_RELEASE if "version_unknown" in codes else _NOT_TOLD
        if runtime.initialized is False:
            runtime.view = runtime.problem = None

    def _refresh(self, runtime: Runtime, space: Space) -> None:
        _refresh(runtime, space)
        snapshot = self._snapshots.get(runtime.id)
        if snapshot is not None:
            runtime.diagnostics = runtime.diagnostics + snapshot.diagnostics()

    def tasks(self) -> dict[int, ViewTasks]:
        """By the runtimes' numbers. Raises UserError, OmpdError."""
        return self._each(
            lambda runtime, snapshot: snapshot.tasks(),
            "tasks_unknown",
            "explicit tasks",
            "`ompd threads' shows the tasks that threads execute.",
        )

    def locks(
        self, variables: Callable[[int], list[LockVariable]]
    ) -> dict[int, tuple[list[LockVariable], ViewLocks]]:
        """variables: those that threads of the runtime with this number pass. Raises UserError,
        OmpdError."""

        def ask(runtime: Runtime, snapshot: Shot) -> tuple[list[LockVariable], ViewLocks]:
            asked = variables(runtime.id)
            return asked, snapshot.locks(asked)

        # A runtime's locks can be in use before it has any threads.
        used = [
            (runtime, space)
            for runtime, space in self._opened or ()
            if space is not None
            and runtime.id in self._snapshots
            and (runtime.view is not None or variables(runtime.id))
        ]
        return self._each(
            *(ask, "locks_unknown", "locks", "`ompd threads' shows which threads wait for locks."),
            used,
        )

    def _each(
        self,
        ask: Callable[[Runtime, Shot], _Answer],
        code: str,
        what: str,
        instead: str,
        asked: Sequence[tuple[Runtime, Space]] | None = None,
    ) -> dict[int, _Answer]:
        """What each runtime answers that can; asked: other ones than those that have threads.
        Raises UserError if none can, and OmpdError."""
        answers = {}
        refused = []
        for runtime, space in self._in_use() if asked is None else asked:
            try:
                answers[runtime.id] = ask(runtime, self._snapshots[runtime.id])
            except OmpdError as error:
                if error.name not in ("ompd_rc_unavailable", "ompd_rc_unsupported"):
                    raise
                refused.append(runtime)
            self._refresh(runtime, space)  # what the library noted meanwhile
        if refused and not answers:
            raise UserError(
                code,
                f"Where {names(refused)} keeps {what} is not known: no shipped record fits this"
                " build of it.",
                instead,
            )
        return answers

    def offload(self) -> Offload | None:
        """What the host knows of devices. None: there is no offload runtime, or none that is
        known."""
        for space in (space for _, space in self._open() if isinstance(space, AddressSpace)):
            with contextlib.suppress(OmpdError):
                return space.offload()
        return None

    def arrivals(self) -> Arrivals:
        """What the barriers' words tell, of the runtimes whose words are known."""
        found: dict[int, dict[int, Arrival]] = {}
        for runtime, _ in self._in_use():
            with contextlib.suppress(OmpdError, UserError):
                found[runtime.id] = self._snapshots[runtime.id].arrivals()
        return found

    def team_arrivals(self) -> dict[int, Mapping[int, TeamArrivals]]:
        """How many have come to barriers, of the runtimes that count them."""
        found: dict[int, Mapping[int, TeamArrivals]] = {}
        for runtime, _ in self._in_use():
            with contextlib.suppress(OmpdError, UserError):
                found[runtime.id] = self._snapshots[runtime.id].team_arrivals()
        return found

    def loops(self) -> dict[int, list[ViewLoop]]:
        """The threads in loops that the runtimes schedule, of those where that is known."""
        found: dict[int, list[ViewLoop]] = {}
        for runtime, _ in self._in_use():
            with contextlib.suppress(OmpdError, UserError):
                found[runtime.id] = self._snapshots[runtime.id].loops()
        return found

    def doacross(
        self, runtime: int, team: int, number: int, iteration: Sequence[int] = ()
    ) -> ViewDoacross | None:
        """Of the doacross loop that a member of a team is in. None: not known."""
        with contextlib.suppress(OmpdError, UserError):
            return self._snapshots[runtime].doacross(team, number, iteration)
        return None

    def icvs(self, natives: Sequence[NativeThread]) -> tuple[int, Icvs]:
        """Of threads of the last picture, of the first runtime that has any; with its number.
        Raises UserError, OmpdError."""
        for runtime, space in self._in_use():
            found = self._snapshots[runtime.id].icvs()
            self._refresh(runtime, space)
            row_of = {native.num: row for native, row in zip(self._natives, found.threads)}
            threads = [row_of.get(native.num) for native in natives]
            return runtime.id, found._replace(threads=threads)
        raise UserError(
            "not_started", "The program has not used OpenMP yet.", "Try again when it has."
        )

    def _in_use(self) -> list[tuple[Runtime, Space]]:
        return [
            (runtime, space)
            for runtime, space in self._opened or ()
            if space is not None and runtime.view is not None
        ]

    def ask(self, question: str, native: NativeThread) -> int | None:
        """About one thread, without a picture. None: it is in no region. Raises UserError."""
        from ..library import thread_queries

        given = native_ids(native)
        asked = [self._routines(space) for _, space in self._open() if space is not None]
        if asked and given.pthread_id is None:
            raise UserError(
                "unknown_thread",
                f"Which of OpenMP's threads the debugger's thread {native.num} is cannot be told:"
                " its pthread id is not known.",
                "`ompd threads' shows both.",
            )
        if len(asked) > 1:
            inside = [one for one in asked if (thread_queries.ask(one, given, "level") or 0) > 0]
            if len(inside) > 1:
                raise UserError(
                    "ambiguous",
                    "The thread is in regions of several OpenMP runtimes.",
                    "`ompd threads' shows all of them.",
                )
            asked = inside or asked
        found = (thread_queries.ask(one, given, question) for one in asked)
        return next((answer for answer in found if answer is not None), None)

    def _routines(self, space: Space) -> Routines:
        if not isinstance(space, AddressSpace):
            return space.routines
        from ..library.routines import Routines

        if space not in self._routines_of:
            width = self._target.pointer_size
            self._routines_of[space] = Routines(self.library, space.handle, width)
        return self._routines_of[space]


def names(runtimes: Sequence[Runtime]) -> str:
    return " and ".join(dict.fromkeys(runtime.name for runtime in runtimes))


def native_ids(thread: NativeThread) -> NativeIds:
    return NativeIds(thread.pthread_id, None, thread.ptid[1] or None)


def _why_no_view(error: OmpdError) -> str:
    if error.name == "ompd_rc_unavailable":
        return "keeps its threads where they could not be found"
    if error.name == "ompd_rc_unsupported":
        return "is of a kind or version that this libompd cannot picture"
    return f"could not be read ({error})"


def _refresh(runtime: Runtime, space: Space) -> None:
    try:
        info = space.info()
    except OmpdError as error:
        runtime.problem = f"cannot be described ({error})"
        return
    runtime.version = info.version if info.version is not None else runtime.version
    runtime.version_text = info.version_text
    runtime.build_id = info.build_id
    runtime.descriptors = info.descriptors
    runtime.record = info.record
    runtime.initialized = info.initialized
    runtime.state_tracking = info.state_tracking
    runtime.start, runtime.end = info.start, info.end
    runtime.diagnostics = space.diagnostics()
