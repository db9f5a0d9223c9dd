# SPDX-License-Identifier: Apache-2.0
"""What is kept between two commands? One session per inferior: its runtimes, and the picture of the
current stop, which everything that can change the program drops.

No breakpoint is set, and nothing is done when threads come, run or stop but to drop the picture.
"""

from __future__ import annotations

import contextlib
import os
from dataclasses import dataclass
from typing import Any, Callable, Sequence, TypeVar, Union

import gdb

from . import icvs, questions, search, settings
from .answers import Arrival, FoundRuntime, Image, LockVariable, NativeIds, ViewLocks
from .errors import UserError
from .library import AddressSpace, Library, OmpdError
from .model import deadlock as deadlock_model
from .model import doubts, facts
from .model import locks as locks_model
from .model.deadlock import Deadlock
from .model.events import Event, Place
from .model.icvs import Icv, gather
from .model.lineage import Lineage
from .model.locks import Locks
from .model.native import NativeThread
from .model.process import Process, Runtime, Thread
from .model.runtimes import gomp
from .model.splicing import Splicer
from .model.tasks import Tasks
from .model.values import Value
from .model.waits import Arrivals
from .model.where import CodeMap
from .routines import Routines
from .standard import StandardSpace
from .target import arch_x86_64, running, selection
from .target.event_breakpoint import EventBreakpoint
from .target.inferior import InferiorTarget
from .target.places import Places, code_map
from .target.stacks import MOST_FRAMES
from .target.stepper import Stepper
from .target.walks import Walks

PACKAGE = os.path.dirname(os.path.abspath(__file__))

_WITHOUT_EXECUTABLE = (
    "GDB has the core file, but not the program that it is of: "
    "first `file {exe}', then `core {core}'."
)

_FILE_IS_GONE = (
    "GDB has not found the program's file: without it no stack can be followed. If the file was"
    " replaced or removed since the program started: `file /proc/{pid}/exe'."
)

_STANDARD_ONLY = (
    "{} has only OMPD's own routines: one runtime, no construct's line, no tasks, no certainty"
    " about idle threads and leagues. For the library that came with these commands:"
    " `set ompd library'."
)

Space = Union[AddressSpace, StandardSpace]
_Answer = TypeVar("_Answer")

_library: Library | None = None
_library_settings: tuple[str, str] | None = None
_sessions: dict[int, Session] = {}


def library() -> Library:
    """The library that the settings name, loaded once. Raises UserError."""
    global _library, _library_settings
    wanted = (settings.library(), settings.library_path())
    if _library is None or _library_settings != wanted:
        path = search.find(PACKAGE, *wanted)
        if _library is None or _library.path != path:
            _unload()
            _library = Library(path, lambda text: gdb.write(text, gdb.STDERR))
        _library_settings = wanted
    return _library


def _unload() -> None:
    global _library
    for session in _sessions.values():
        session.close()
    if _library is not None:
        _library.close()
        _library = None


def library_facts() -> facts.Library:
    loaded = library()
    return facts.Library(
        loaded.path, loaded.version, loaded.api_version, tuple(loaded.missing_extensions)
    )


def has_process() -> bool:
    inferior = gdb.selected_inferior()
    return inferior.pid != 0 and len(inferior.threads()) > 0


def current() -> Session:
    """Of the selected inferior. Raises UserError if it has no process."""
    if not has_process():
        raise UserError(
            "no_process",
            "There is no process to look at.",
            "Start the program with `run', or use `attach PID',"
            " or `file EXE' and then `core CORE'.",
        )
    _connect_events()
    inferior = gdb.selected_inferior()
    session = _sessions.get(inferior.num)
    if session is None:
        session = _sessions[inferior.num] = Session(inferior)
    session.check()
    return session


def known_process() -> Process | None:
    """The picture that the last command took, if it still holds; for completion."""
    session = _sessions.get(gdb.selected_inferior().num)
    return session.taken if session is not None else None


@dataclass(frozen=True)
class Followed:
    """A frame that `ompd frame' or `ompd up' selected, of the stack of which thread."""

    process: Process
    thread: Thread
    num: int  # GDB's number of the thread that is selected
    level: int


class Session:
    def __init__(self, inferior: gdb.Inferior) -> None:
        self.inferior = inferior
        self.stop_id = 0
        self.taken: Process | None = None
        self._tasks: Tasks | None = None
        self._locks: Locks | None = None
        self._places: Places | None = None
        self.walks: Walks | None = None
        self.followed: Followed | None = None
        self._depth = MOST_FRAMES
        self._read_arrivals: Arrivals | None = None
        self._target: InferiorTarget | None = None
        self._library: Library | None = None
        self._context = 0
        self._opened: list[tuple[Runtime, Space | None]] = []
        self._routines_of: dict[Space, Routines] = {}
        self._outdated = False
        self._identity: tuple[Any, ...] = ()

    # ---- Life ------------------------------------------------------------------------------------

    def drop_picture(self) -> None:
        """What the picture shows may no longer be so."""
        self.taken = None

    def drop_runtimes(self) -> None:
        """Images came or went. They are given up at the next command, not while GDB is busy."""
        self.taken = None
        self._outdated = True

    def check(self) -> None:
        """Is this still the process that was looked at, through the library that is wanted? What
        was not found is looked for again."""
        identity = (self.inferior.pid, self.inferior.progspace.filename, library())
        started = self._opened and all(r.initialized or not r.supported for r, _ in self._opened)
        if self._outdated or identity != self._identity or not (self.taken or started):
            self.close()
        self._identity = identity

    def close(self) -> None:
        self.taken = None
        self._outdated = False
        self._routines_of.clear()
        opened, self._opened = self._opened, []
        for _, space in opened:
            if space is not None:
                space.close()
        if self._library is not None:
            self._library.remove_target(self._context)
            self._library = None
        if self._target is not None:
            self._target.close()
            self._target = None

    # ---- The program -----------------------------------------------------------------------------

    @property
    def target(self) -> InferiorTarget:
        """Raises UserError."""
        if self._target is None:
            self._target = InferiorTarget(self.inferior)
        return self._target

    def program(self) -> facts.Program:
        core = self.target.core.path if self.target.core else None
        return facts.Program(
            self.inferior.num,
            self.inferior.pid,
            self.target.kind,
            self.inferior.progspace.filename,
            core,
            not self._opened and bool(self.target.images.nameless()),
        )

    def notes(self) -> list[str]:
        """What makes the answers worse than they could be, and what to do."""
        found = self._core_notes()
        if self._library is not None and self._library.missing_extensions:
            found.append(_STANDARD_ONLY.format(self._library.path))
        if self.target.kind == "live" and not self.inferior.progspace.filename:
            found.append(_FILE_IS_GONE.format(pid=self.inferior.pid))
        running = sum(1 for thread in self.inferior.threads() if thread.is_running())
        if running:
            found.append(
                f"{running} thread{'s are' if running > 1 else ' is'} running: what is shown"
                " may have changed while it was read. `interrupt' stops them."
            )
        return found

    def _core_notes(self) -> list[str]:
        core = self.target.core
        found = []
        if core is not None and not self.inferior.progspace.filename:
            program = self.target.images.program
            mapping = core.mapping_of(program.start) if program else None
            executable = mapping.path if mapping else "EXE"
            found.append(_WITHOUT_EXECUTABLE.format(core=core.path, exe=executable))
        if core is not None and core.missing > 0:
            found.append(
                f"The core file is truncated: {core.missing} bytes are missing at its end. What lay"
                " there is unknown; check the disk's space and `ulimit -c'."
            )
        return found

    # ---- Runtimes --------------------------------------------------------------------------------

    def runtimes(self) -> list[Runtime]:
        """Raises UserError."""
        return [runtime for runtime, _ in self._open_runtimes()]

    def code_map(self) -> CodeMap:
        """Whose code is where, without a picture. Raises UserError."""
        return code_map(self.runtimes(), settings.skip_libraries())

    def _open_runtimes(self) -> list[tuple[Runtime, Space | None]]:
        if not self._opened:
            target = self.target
            if self._library is None:
                self._library = library()
                self._context = self._library.add_target(target)
            if self._library.missing_extensions:
                self._open_standard(self._library, target)
                return self._opened
            for found in self._find_runtimes(self._library, target):
                self._opened.append(self._open(self._library, len(self._opened), found))
        return self._opened

    def _open_standard(self, loaded: Library, target: InferiorTarget) -> None:
        """What a library with OMPD's own routines only finds by itself: one runtime at most."""
        target.native_threads()
        try:
            space = StandardSpace(loaded, self._context, target.pointer_size)
        except OmpdError:
            return
        info = space.info()
        runtime = Runtime(0, info.kind, info.version, info.version_text, None, 0)
        runtime.standard_only = True
        self._opened.append((runtime, space))
        _refresh(runtime, space)

    def _find_runtimes(self, loaded: Library, target: InferiorTarget) -> list[FoundRuntime]:
        try:
            return loaded.find_runtimes(self._context)
        except OmpdError as error:
            met = error
        program = target.images.program
        if program is None or target.images.r_debug:
            raise UserError(
                "unreadable",
                f"The list of the program's libraries cannot be read ({met}).",
                " ".join(self._core_notes()),
            )
        # No such list: linked statically, or the dynamic linker has not run yet.
        image = Image(program.bias, program.dynamic, self.inferior.progspace.filename)
        try:
            return loaded.find_runtimes(self._context, [image])
        except OmpdError:
            return []

    def _open(
        self, loaded: Library, number: int, found: FoundRuntime
    ) -> tuple[Runtime, Space | None]:
        image = found.image
        runtime = Runtime(number, found.kind, found.version, "", image.path, image.load_bias)
        runtime.supported = found.kind == "llvm"
        program = self.target.images.program
        if program is not None and image.load_bias == program.bias:
            runtime.embedded = True
            runtime.path = self.inferior.progspace.filename
        space: Space | None = None
        try:
            space = loaded.open_runtime(self._context, image)
            _refresh(runtime, space)
        except OmpdError as error:
            runtime.problem = f"cannot be opened ({error})"
            runtime.initialized = None
            runtime.diagnostics = loaded.diagnostics()
        if not runtime.supported:
            runtime.problem = gomp.NOT_SUPPORTED
        return runtime, space

    # ---- The picture of this stop ----------------------------------------------------------------

    def process(self) -> Process:
        """Threads and regions. Raises UserError if there is nothing to show."""
        if self.taken is not None:
            return self.taken
        opened = self._open_runtimes()
        runtimes = [runtime for runtime, _ in opened]
        if not opened:
            raise self._no_openmp()
        if not any(runtime.supported for runtime in runtimes):
            raise UserError("not_supported", f"{_names(runtimes)} {gomp.NOT_SUPPORTED}.")
        natives = self.target.native_threads()
        for runtime, space in opened:
            if space is not None and runtime.supported:
                _take(runtime, space, natives)
        broken = [runtime for runtime in runtimes if runtime.problem and runtime.supported]
        if broken and not any(runtime.view for runtime in runtimes):
            raise UserError(
                "unreadable",
                f"{_names(broken)} {broken[0].problem}.",
                " ".join(["`ompd status' lists what was tried.", *self._core_notes()]),
            )
        process = self._picture(natives, runtimes)
        # While threads run the next command finds another state: nothing is kept.
        if not any(thread.running for thread in natives):
            self.taken = process
            _expect_resume()
        return process

    def native_process(self) -> Process:
        """Of a program without OpenMP, or with a runtime that cannot be read. Raises UserError."""
        try:
            runtimes = self.runtimes()
            known = bool(runtimes) or not self.target.images.nameless()
        except UserError:
            runtimes, known = [], False
        process = self._picture(self.target.native_threads(), runtimes)
        if not known:
            for thread in process.threads:
                thread.doubts["kind"] = doubts.RUNTIMES_UNREAD
        return process

    def _picture(self, natives: list[NativeThread], runtimes: list[Runtime]) -> Process:
        process = Process(natives, runtimes, self.target.signal)
        self.stop_id += 1
        self._places = Places(process, self.target, settings.skip_libraries())
        self.walks = Walks(self.target)
        self._read_arrivals = None
        return process

    def _no_openmp(self) -> UserError:
        loaded = library()
        if loaded.missing_extensions:
            return UserError(
                "no_openmp",
                f"{loaded.path} finds no OpenMP runtime that it can read.",
                "It may need the runtime's symbols, and OMP_DEBUG=enabled; for the library that"
                " came with these commands: `set ompd library'.",
            )
        nameless = self.target.images.nameless()
        if nameless:
            return UserError(
                "unreadable",
                "No OpenMP runtime is seen, but these images cannot be looked into, since neither"
                f" the core file nor this machine has them: {_paths(nameless)}.",
                " ".join(self._core_notes())
                or "Copy the files from the core's machine, name the place by `set sysroot DIR' or"
                " `set solib-search-path DIR', and open the core file again.",
            )
        return UserError(
            "no_openmp",
            "The program has not loaded an OpenMP runtime.",
            " ".join(self._core_notes()) or "If it loads one later, try again then.",
        )

    def tasks(self) -> Tasks:
        """The explicit tasks of the same stop. Raises UserError, OmpdError."""
        process = self.process()
        if self._tasks is None or self._tasks.process is not process:
            views = self._of_runtimes(
                lambda runtime, space: space.tasks(),
                "tasks_unknown",
                "explicit tasks",
                "`ompd threads' shows the tasks that threads execute.",
            )
            self._tasks = Tasks(process, views)
        return self._tasks

    def _of_runtimes(
        self, ask: Callable[[Runtime, Space], _Answer], code: str, what: str, instead: str
    ) -> dict[int, _Answer]:
        """What each runtime answers that has threads, and can. Raises UserError if none can, and
        OmpdError."""
        answers = {}
        refused = []
        for runtime, space in self._opened:
            if space is None or runtime.view is None:
                continue
            try:
                answers[runtime.id] = ask(runtime, space)
            except OmpdError as error:
                if error.name != "ompd_rc_unavailable":
                    raise
                refused.append(runtime)
            _refresh(runtime, space)  # what the library noted meanwhile
        if refused and not answers:
            raise UserError(
                code,
                f"Where {_names(refused)} keeps {what} is not known: no shipped record fits this"
                " build of it.",
                instead,
            )
        return answers

    def locate_tasks(self) -> None:
        if self._places is not None and self._tasks is not None:
            self._places.locate_tasks(self._tasks)

    def locks(self) -> Locks:
        """The locks of the same stop. Raises UserError, OmpdError."""
        process = self.process()
        if self._locks is not None and self._locks.process is process:
            return self._locks
        self.locate_threads(holdings=True)
        assert self._places is not None
        holdings = self._places.holdings()

        def ask(runtime: Runtime, space: Space) -> tuple[list[LockVariable], ViewLocks]:
            asked = locks_model.variables(process, runtime.id, holdings)
            return asked, space.locks(asked)

        views = self._of_runtimes(
            ask, "locks_unknown", "locks", "`ompd threads' shows which threads wait for locks."
        )
        self._locks = locks_model.gather(process, views, holdings, self._places.lock_name)
        return self._locks

    def deadlock(self) -> Deadlock:
        """Who waits for whom. Raises UserError, OmpdError."""
        locks = self.locks()
        self.locate_regions()
        tasks: Tasks | None = None
        if locks.process.any_waits("taskwait", "taskgroup"):
            with contextlib.suppress(UserError):  # the graph says that it does not know
                tasks = self.tasks()
        return deadlock_model.find(locks.process, locks, tasks, self._arrivals())

    def run_for(self, seconds: float) -> bool:
        """Let the program run, and stop it. Raises UserError when it cannot run."""
        if self.program().kind == "core":
            raise UserError("not_running", "A core file is of one moment: it cannot be watched.")
        if any(thread.running for thread in self.process().threads):
            raise UserError(
                "already_running",
                "Some threads are running already.",
                "Stop them with `interrupt -a'.",
            )
        return running.run_for(seconds)

    def deadlock_of_locks(self) -> Deadlock | None:
        """The same, if a thread waits for a lock, and the runtime's can be read."""
        if not self.process().any_waits(*locks_model.CONSTRUCTS):
            return None
        try:
            return self.deadlock()
        except UserError:
            return None

    def _arrivals(self) -> Arrivals:
        """What the barriers' words tell at the same stop, of the runtimes whose words are known."""
        if self._read_arrivals is None:
            found: dict[int, dict[int, Arrival]] = {}
            for runtime, space in self._opened:
                if space is not None and runtime.view is not None:
                    with contextlib.suppress(OmpdError, UserError):
                        found[runtime.id] = space.arrivals()
            self._read_arrivals = found
        return self._read_arrivals

    def icvs(self, chosen: Sequence[Thread]) -> list[Icv]:
        """Of the first runtime that has threads. Raises UserError."""
        process = self.process()
        given = [native_ids(native) for native in process.natives]
        for runtime, space in self._opened:
            if space is None or runtime.view is None:
                continue
            if isinstance(space, StandardSpace):
                found = space.icvs(given)
            else:
                found = icvs.read(self._routines(space), space.handle, given)
                _refresh(runtime, space)
            return gather(process, runtime.id, found, chosen)
        raise UserError(
            "not_started", "The program has not used OpenMP yet.", "Try again when it has."
        )

    def of_selected_thread(self, question: str) -> int | None:
        """About the selected thread alone, without a picture: cheap enough for a condition. None:
        it is in no region. Raises UserError."""
        native = self.target.selected_thread()
        if native is None:
            return None
        given = native_ids(native)
        asked = [self._routines(space) for _, space in self._open_runtimes() if space is not None]
        if len(asked) > 1:
            inside = [one for one in asked if (questions.ask(one, given, "level") or 0) > 0]
            if len(inside) > 1:
                raise UserError(
                    "ambiguous",
                    "The thread is in regions of several OpenMP runtimes.",
                    "`ompd threads' shows all of them.",
                )
            asked = inside or asked
        found = (questions.ask(one, given, question) for one in asked)
        return next((answer for answer in found if answer is not None), None)

    def _routines(self, space: Space) -> Routines:
        if isinstance(space, StandardSpace):
            return space.routines
        if space not in self._routines_of:
            assert self._library is not None
            width = self.target.pointer_size
            self._routines_of[space] = Routines(self._library, space.handle, width)
        return self._routines_of[space]

    def event_breakpoint(
        self, event: Event, place: Place | None, wanted: Callable[[], bool]
    ) -> EventBreakpoint:
        """Of this process; it watches nothing yet."""
        return EventBreakpoint(event, place, wanted, self.target)

    def watch(self, breakpoint_: EventBreakpoint) -> str | None:
        """Why there is nothing to watch, if so. Raises UserError."""
        runtimes = self.runtimes()
        if breakpoint_.watch(self.target, runtimes, self.code_map()):
            return None
        if not runtimes:
            return NO_RUNTIME
        if not any(runtime.supported for runtime in runtimes):
            return f"{_names(runtimes)} {gomp.NOT_SUPPORTED}"
        return f"the entry points of {_names(runtimes)} are not found: it has no symbols"

    def stepper(self) -> Stepper | None:
        """For the selected thread; None: the program uses no OpenMP. Raises UserError."""
        if self.target.kind == "core":
            raise UserError(
                "core", "A core file does not run.", "Step a live process, started or attached to."
            )
        runtimes = self.runtimes()
        if not runtimes:
            return None
        if not arch_x86_64.serves(self.inferior.architecture().name()):
            raise UserError(
                "not_supported", "OpenMP steps are made for x86-64 only.", "Use GDB's own commands."
            )
        if not any(runtime.supported for runtime in runtimes):
            raise UserError("not_supported", f"{_names(runtimes)} {gomp.NOT_SUPPORTED}.")
        return Stepper(self.target, runtimes, self.code_map())

    def evaluate(self, thread: Thread, text: str) -> Value:
        """An expression in the user's own frame of a thread."""
        assert self._places is not None
        return self._places.evaluate(thread, text)

    def run_in(self, thread: Thread, command: str) -> str:
        """What a command of GDB's prints in a thread."""
        assert self._places is not None
        return self._places.run_in(thread, command)

    def selected_frame(self) -> tuple[int, int]:
        """GDB's number of the selected thread, 0 if there is none, and its selected frame's."""
        thread = gdb.selected_thread()
        return (thread.num, selection.selected_level()) if thread is not None else (0, 0)

    def splicer(self, depth: int | None = None, runtime_frames: bool = False) -> Splicer:
        """Of the stacks as the user wrote the program. depth: how many frames of each are looked
        at; None: as many as the last time. Raises UserError."""
        self._depth = most = depth or self._depth
        process = self.process()
        self.locate_threads()
        self.locate_regions()
        walks, places = self.walks, self._places
        assert walks is not None and places is not None
        walked = walks.walked
        return Splicer(
            process,
            places.code,
            lambda thread: walked(thread, most),
            self._lineages,
            runtime_frames,
        )

    def _lineages(self) -> dict[int, Lineage]:
        """None where the runtime's tasks cannot be read: that is told beside what needs them."""
        try:
            tasks = self.tasks()
        except (UserError, OmpdError):
            return {}
        self.locate_tasks()
        return {
            runtime: Lineage(tasks.process, runtime, view, tasks)
            for runtime, view in tasks.views.items()
        }

    def locate_threads(self, holdings: bool = False) -> None:
        if self._places is not None:
            self._places.locate_threads(self._arrivals, holdings)

    def locate_regions(self) -> None:
        if self._places is not None:
            self._places.locate_regions()


NO_RUNTIME = "it waits for the program to load an OpenMP runtime"
NOT_TOLD = "is loaded, but it cannot be told whether it has started"


def native_ids(thread: NativeThread) -> NativeIds:
    return NativeIds(thread.pthread_id, None, thread.ptid[1] or None)


def _take(runtime: Runtime, space: Space, natives: list[NativeThread]) -> None:
    given = [native_ids(thread) for thread in natives]
    runtime.view, runtime.problem = None, None
    try:
        runtime.view = space.view(given)
    except OmpdError as error:
        runtime.problem = _why_no_view(error)
    _refresh(runtime, space)
    if runtime.initialized is None:
        runtime.problem = NOT_TOLD
    elif not runtime.initialized:
        runtime.problem = None


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


def _paths(images: list[str]) -> str:
    return ", ".join(path or "the program" for path in images)


def _names(runtimes: list[Runtime]) -> str:
    return " and ".join(dict.fromkeys(runtime.name for runtime in runtimes))


def _why_no_view(error: OmpdError) -> str:
    if error.name == "ompd_rc_unavailable":
        return "keeps its threads where they could not be found"
    if error.name == "ompd_rc_unsupported":
        return "is of a kind or version that this libompd cannot picture"
    return f"could not be read ({error})"


# ---- Events --------------------------------------------------------------------------------------


def _drop_pictures(event: object) -> None:
    for session in _sessions.values():
        session.drop_picture()


def _drop_runtimes(event: object) -> None:
    for session in _sessions.values():
        session.drop_runtimes()


def _forget(event: Any) -> None:
    session = _sessions.pop(event.inferior.num, None)
    if session is not None:
        session.close()


def _expect_resume() -> None:
    """Only while there is a picture: GDB calls at every resume, also at each breakpoint that is
    passed without a stop."""
    global _resume_expected
    if not _resume_expected:
        gdb.events.cont.connect(_resumed)
        _resume_expected = True


def _resumed(event: object) -> None:
    global _resume_expected
    _drop_pictures(event)
    gdb.events.cont.disconnect(_resumed)
    _resume_expected = False


_CHANGES = ("memory_changed", "register_changed", "inferior_call")
_IMAGES = ("new_objfile", "free_objfile", "clear_objfiles", "exited", "executable_changed")
_connected = False
_resume_expected = False


def _connect_events() -> None:
    """From the first command on: until then there is nothing to drop."""
    global _connected
    if _connected:
        return
    for name in _CHANGES:
        getattr(gdb.events, name).connect(_drop_pictures)
    for name in _IMAGES:
        if hasattr(gdb.events, name):
            getattr(gdb.events, name).connect(_drop_runtimes)
    gdb.events.inferior_deleted.connect(_forget)
    _connected = True
