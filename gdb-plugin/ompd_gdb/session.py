# SPDX-License-Identifier: Apache-2.0
"""What is kept between two commands? One session per inferior: its runtimes, and the picture of the
current stop, which everything that can change the program drops.

No breakpoint is set, and nothing is done when threads come, run or stop but to drop the picture.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Callable, Mapping, Sequence

import gdb
from ompd_core.debugger import MOST_FRAMES
from ompd_core.errors import UserError
from ompd_core.formats.images import Images
from ompd_core.library import images, search
from ompd_core.library.library import Library
from ompd_core.light_classes import NamedTuple
from ompd_core.model import doubts, facts
from ompd_core.model.native import Frame, NativeThread
from ompd_core.model.process import Process, Runtime, Thread
from ompd_core.model.standstill import Slept
from ompd_core.model.where import CodeMap
from ompd_core.runtimes import refusal
from ompd_core.snapshot import advice
from ompd_core.snapshot.picture import Earlier, ShownAs
from ompd_core.snapshot.places import code_map
from ompd_core.snapshot.python_frames import PythonFrames
from ompd_core.snapshot.runtimes import Runtimes, names
from ompd_core.snapshot.stripped import runtime_in

from . import settings, texts
from .picture import Picture
from .target import machines, selection, skips
from .target.inferior import InferiorTarget

# What few commands need is loaded by them.
if TYPE_CHECKING:
    from ompd_core.model.events import Event

    from .target.event_breakpoint import EventBreakpoint
    from .target.location_spec import LocationSpec
    from .target.stepper import Stepper

PACKAGE = os.path.dirname(os.path.abspath(__file__))

_library: Library | None = None
_own: Library | None = None  # that lists images where the one above cannot
_library_settings: tuple[str, str] | None = None
_sessions: dict[int, Session] = {}


def awaited(event: Event) -> str:
    """Why a breakpoint cannot be hit yet."""
    runtime = "LLVM's offload runtime" if event.is_of_devices else "an OpenMP runtime"
    return f"it waits for the program to load {runtime}"


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


def _lister() -> Library:
    """Who lists a process' images: OMPD has no routine for it. Raises UserError."""
    global _own
    chosen = library()
    if images.ROUTINE not in chosen.missing_extensions:
        return chosen
    if _own is None:
        _own = Library(search.find(PACKAGE, "", settings.library_path()))
    return _own


def list_images(memory: images.Memory, auxv: Mapping[int, int]) -> Images:
    """Raises UserError."""
    return images.images(_lister(), memory, auxv)


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
    # Which are listed only where that does not tell: it takes long of many.
    return inferior.pid != 0 and (
        selection.selected_thread() is not None or len(inferior.threads()) > 0
    )


def current() -> Session:
    """Of the selected inferior. Raises UserError if it has no process."""
    if not has_process():
        machines.check_program(gdb.selected_inferior())
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
    doubts.Stop.is_last = session.target.core is not None
    return session


def _shown_as() -> ShownAs:
    return ShownAs(settings.skip_libraries(), skips.wanted(), settings.python_frames())


def known_picture() -> Picture | None:
    """That the last command took, if it still holds; for completion."""
    session = _sessions.get(gdb.selected_inferior().num)
    return session.taken if session is not None else None


class Followed(NamedTuple):
    """A frame that `ompd frame' or `ompd up' selected, of the stack of which thread."""

    process: Process
    thread: Thread
    num: int  # GDB's number of the thread that is selected
    level: int


class Session:
    def __init__(self, inferior: gdb.Inferior) -> None:
        self.inferior = inferior
        self.stop_id = 0
        self.taken: Picture | None = None
        self.followed: Followed | None = None
        self.depth = MOST_FRAMES  # so many frames of each stack the last command looked at
        self._target: InferiorTarget | None = None
        self._runtimes: Runtimes | None = None
        self._noted: list[str] = []
        self._noted_at = 0  # stop_id
        self._looked_into: InferiorTarget | None = None
        self._found_in: str | None = None
        self._outdated = False
        self._identity: tuple[Any, ...] = ()
        self._earlier: Earlier | None = None
        self._slept = Slept()

    # ---- Life ------------------------------------------------------------------------------------

    def drop_picture(self) -> None:
        """What the picture shows may no longer be so."""
        self.taken = None
        if self._runtimes is not None:
            self._runtimes.drop_snapshots()

    def drop_runtimes(self) -> None:
        """Images came or went. They are given up at the next command, not while GDB is busy."""
        self.taken = None
        self._outdated = True

    def check(self) -> None:
        """Is this still the process that was looked at, through the library that is wanted? What
        was not found is looked for again."""
        identity = (self.inferior.pid, texts.filename(self.inferior.progspace), library())
        settled = self._runtimes is not None and self._runtimes.settled
        if self._outdated or identity != self._identity or not (self.taken or settled):
            self.close()
        self._identity = identity

    def close(self) -> None:
        self.taken = None
        self._outdated = False
        if self._runtimes is not None:
            self._runtimes.close()
            self._runtimes = None
        if self._target is not None:
            self._target.close()
            self._target = None

    # ---- The program -----------------------------------------------------------------------------

    @property
    def target(self) -> InferiorTarget:
        """Raises UserError."""
        if self._target is None:
            self._target = InferiorTarget(self.inferior, list_images)
        return self._target

    def program(self) -> facts.Program:
        target = self.target
        known = self._runtimes is not None and self._runtimes.any_opened()
        return facts.Program(
            self.inferior.num,
            target.pid,
            target.kind,
            target.executable,
            target.core.path if target.core else None,
            not known and self._may_have_unread(target),
        )

    def _may_have_unread(self, target: InferiorTarget) -> bool:
        images = target.images
        if images.is_unread or images.nameless() or self._stripped() is not None:
            return True
        return images.program is not None and images.program.is_static

    def _stripped(self) -> str | None:
        """The runtime that is in a program without names. It is looked for once."""
        if self._looked_into is not self.target:
            self._looked_into = self.target
            found = runtime_in(self.target)
            self._found_in = found.name if found is not None else None
        return self._found_in

    def notes(self) -> list[str]:
        """What makes the answers worse than they could be, and what to do. Looked for once for each
        picture that is kept."""
        if self.taken is None or self._noted_at != self.stop_id:
            used = self._runtimes.library if self._runtimes is not None else library()
            self._noted = advice.of_session(self.target, used.path, used.missing_extensions)
            if self.taken is not None and self.target.core is None:
                self._noted += advice.of_sleepers(self.taken.process)
            self._noted_at = self.stop_id if self.taken is not None else 0
        return self._noted

    @staticmethod
    def selected_thread() -> gdb.InferiorThread | None:
        return selection.selected_thread()

    def selected_frame(self) -> tuple[int, int]:
        """GDB's number of the selected thread, 0 if there is none, and its selected frame's."""
        thread = self.selected_thread()
        return (thread.num, selection.selected_level()) if thread is not None else (0, 0)

    # ---- Its runtimes ----------------------------------------------------------------------------

    def _opened(self) -> Runtimes:
        if self._runtimes is None:
            self._runtimes = Runtimes(library(), self.target)
        return self._runtimes

    def runtimes(self) -> list[Runtime]:
        """Raises UserError."""
        return self._opened().all()

    def code_map(self) -> CodeMap:
        """Whose code is where, without a picture. Raises UserError."""
        return code_map(self.runtimes(), settings.skip_libraries())

    def interpreted(self) -> Sequence[Frame]:
        """The selected thread's stack, if an interpreter is on it, without a picture."""
        native = self.target.selected_thread()
        python = PythonFrames(self.target, settings.python_frames())
        if native is None or python.interpreter.found is None:
            return ()
        with self.target.at(native) as stopped:
            if stopped is None:
                return ()
            stack = python.on(native, stopped, MOST_FRAMES, False)
            return [*stack]

    def of_selected_thread(self, question: str) -> int | None:
        """About the selected thread alone, without a picture: cheap enough for a condition. None:
        it is in no region. Raises UserError."""
        native = self.target.selected_thread()
        return self._opened().ask(question, native) if native is not None else None

    # ---- The picture of this stop ----------------------------------------------------------------

    def picture(self) -> Picture:
        """Raises UserError if there is nothing to show."""
        if self.taken is not None and self.taken.shown_as == _shown_as():
            return self.taken
        # Before the runtimes, which are opened with their help.
        natives = self._natives()
        runtimes = self.runtimes()
        if not runtimes:
            raise self._no_openmp()
        if not any(runtime.supported for runtime in runtimes):
            raise UserError("not_supported", f"{names(runtimes)} {refusal(runtimes[0].kind)}.")
        self._opened().take_views(natives)
        broken = [runtime for runtime in runtimes if runtime.problem and runtime.supported]
        if broken and not any(runtime.view for runtime in runtimes):
            raise UserError(
                "unreadable",
                f"{names(broken)} {broken[0].problem}.",
                " ".join(["`ompd status' lists what was tried.", *advice.of_core(self.target)]),
            )
        picture = self._picture_of(natives, runtimes)
        # While threads run the next command finds another state: nothing is kept.
        if not any(thread.running for thread in natives):
            self.taken = picture
            _expect_resume()
        return picture

    def native_picture(self) -> Picture:
        """Of a program without OpenMP, or with a runtime that cannot be read. Raises UserError."""
        try:
            runtimes = self.runtimes()
            known = bool(runtimes) or not self._may_have_unread(self.target)
        except UserError:
            runtimes, known = [], False
        picture = self._picture_of(self._natives(), runtimes)
        if not known:
            images = self.target.images
            is_unread = images.is_unread or bool(images.nameless())
            why = doubts.RUNTIMES_UNREAD if is_unread else doubts.RUNTIME_WITHOUT_NAMES
            for thread in picture.process.threads:
                thread.doubts["kind"] = why
        return picture

    def _natives(self) -> list[NativeThread]:
        natives, known = list(self.target.native_threads()), self._slept.overslept
        if known is None:
            return natives
        return [one._replace(overslept=one.ptid[1] in known) for one in natives]

    def _picture_of(self, natives: Sequence[NativeThread], runtimes: Sequence[Runtime]) -> Picture:
        self.stop_id += 1
        earlier, self._earlier = self._earlier, None
        return Picture(
            self.target,
            self._opened(),
            natives,
            runtimes,
            _shown_as(),
            earlier,
            self._slept.standstill,
        )

    def _no_openmp(self) -> UserError:
        loaded = library()
        if loaded.missing_extensions:
            return UserError(
                "no_openmp",
                f"{loaded.path} finds no OpenMP runtime that it can read.",
                "It may need the runtime's symbols, and OMP_DEBUG=enabled; for the library that"
                " came with these commands: `set ompd library'.",
            )
        if self.target.images.is_unread:
            return UserError(
                "unreadable",
                "No OpenMP runtime is seen, but the list of the program's libraries cannot be read"
                " to its end.",
                " ".join(advice.of_core(self.target)),
            )
        nameless = [image.path for image in self.target.images.nameless()]
        if nameless:
            return UserError(
                "unreadable",
                "No OpenMP runtime is seen, but these images cannot be looked into, since neither"
                f" the core file nor this machine has them: {_paths(nameless)}.",
                " ".join(advice.of_core(self.target))
                or "Copy the files from the core's machine, name the place by `set sysroot DIR' or"
                " `set solib-search-path DIR' (in a shell: --sysroot DIR, --lib-search-root DIR),"
                " and open the core file again.",
            )
        stripped = self._stripped()
        if stripped is not None:
            return UserError(
                "unreadable",
                f"{stripped} is linked into the program, which is stripped: where it keeps its data"
                " cannot be told.",
                "Do not strip the program, or link the runtime as a shared library.",
            )
        program = self.target.images.program
        if program is not None and program.is_static:
            return UserError(
                "unreadable",
                "The program is linked statically: whether an OpenMP runtime is in it cannot be"
                " told.",
                "Do not strip it, or link it without -static: then the runtime is found, also one"
                " in the program itself.",
            )
        return UserError(
            "no_openmp",
            "The program has no OpenMP runtime loaded.",
            " ".join(advice.of_core(self.target)) or "If it loads one later, try again then.",
        )

    # ---- Letting it run --------------------------------------------------------------------------

    def watch_for(self, seconds: float) -> None:
        """Let the program run, and stop it: the next picture is compared with this one. Raises
        UserError when it cannot run."""
        from .target import running

        if self.program().kind == "core":
            raise UserError("not_running", "A core file is of one moment: it cannot be watched.")
        if any(thread.running for thread in self.picture().process.threads):
            raise UserError(
                "already_running",
                "Some threads are running already.",
                "Stop them with `interrupt -a'.",
            )
        moment = self.picture().moment
        local = self.target.kind == "live"
        pid = self.target.pid if local else None
        whole, watched = running.run_for(seconds, pid, moment.addresses)
        self.compare_with(Earlier(moment, seconds, whole, watched))

    def compare_with(self, earlier: Earlier) -> None:
        """The next picture that is taken."""
        self.taken = None
        self._earlier = earlier

    def note_slept(self, found: Slept) -> None:
        """As seen before this stop, until the program runs again."""
        self.taken = None
        self._slept = found

    def event_breakpoint(
        self,
        event: Event,
        place: LocationSpec | None,
        wanted: Callable[[], bool],
        may_be_wanted: Callable[[int], bool],
    ) -> EventBreakpoint:
        """Of this process; it watches nothing yet."""
        from .target.event_breakpoint import EventBreakpoint, machine_of

        machine = machine_of(self.inferior)
        return EventBreakpoint(event, place, wanted, may_be_wanted, self.target, machine)

    def watch(self, breakpoint_: EventBreakpoint) -> str | None:
        """Why there is nothing to watch, if so. Raises UserError."""
        runtimes = self.runtimes()
        if breakpoint_.watch(self.target, runtimes, self.code_map()):
            return None
        if not runtimes or breakpoint_.event.is_of_devices:
            return awaited(breakpoint_.event)
        if not any(runtime.supported for runtime in runtimes):
            return f"{names(runtimes)} {refusal(runtimes[0].kind)}"
        return f"the entry points of {names(runtimes)} are not found: it has no symbols"

    def stepper(self) -> Stepper | None:
        """For the selected thread; None: the program uses no OpenMP. Raises UserError."""
        if self.target.kind == "core":
            raise UserError(
                "core", "A core file does not run.", "Step a live process, started or attached to."
            )
        runtimes = self.runtimes()
        if not runtimes:
            return None
        machine = self.target.machine
        if machine is None:
            raise UserError(
                "not_supported",
                "OpenMP steps are not made for this machine yet.",
                "Use GDB's own commands.",
            )
        if not any(runtime.supported for runtime in runtimes):
            raise UserError("not_supported", f"{names(runtimes)} {refusal(runtimes[0].kind)}.")
        from .target.stepper import Stepper

        return Stepper(self.target, machine, runtimes, self.code_map())


def _paths(images: list[str]) -> str:
    return ", ".join(path or "the program" for path in images)


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
