# SPDX-License-Identifier: Apache-2.0
"""Which breakpoints at OpenMP's events has the user set? Each is also one of GDB's: a pending one,
that GDB itself never hits, but that it lists, numbers, disables and deletes, and to which it
attaches commands.
"""

from __future__ import annotations

from typing import Any, Sequence

import gdb
from ompd_core import runtimes
from ompd_core.errors import UserError
from ompd_core.formats import symbols
from ompd_core.library.library import OmpdError
from ompd_core.model.events import Event, Listed
from ompd_core.model.process import Thread
from ompd_core.views import breakpoints as view

from . import session, texts
from .target import conditions, event_breakpoint, inferior_calls, stepping
from .target.event_breakpoint import EventBreakpoint
from .target.location_spec import LocationSpec
from .target.passages import Hits
from .target.stepping import Step
from .target.watches import Watch

_all: list[Breakpoint] = []
_gone: list[Breakpoint] = []  # the user has deleted them, and GDB does not allow yet to clean up
_cut_off: list[Breakpoint] = []  # from a process that may still have its runtime
_going_on = False
_hits = Hits()  # of the user's breakpoints, at the last stop
_interrupted: list[Step | None] = []


class Breakpoint:
    """One that the user set. It outlives processes."""

    def __init__(
        self, event: Event, place: LocationSpec | None, condition: str | None, temporary: bool
    ) -> None:
        self.event = event
        self.place = place
        self.condition = condition
        self.temporary = temporary
        self.hits = 0
        self.enabled = True
        self.problem: str | None = session.awaited(event)
        self.inferior = gdb.selected_inferior()
        self._process: EventBreakpoint | None = None
        self._pid = 0
        self._to_ignore = 0
        self.gdbs = _pending(view.location(event, place.text if place else None), temporary)
        self._seen = (True, 0, self.gdbs.commands)
        self._setting = False
        self._program: tuple[str | None, bool] = (None, False)
        self._everywhere: dict[tuple[str, int], str | None] = {}  # by condition and place

    @property
    def listed(self) -> Listed:
        return Listed(
            self.gdbs.number,
            self.event,
            self.place.text if self.place is not None else None,
            self.condition,
            self.temporary,
            self.enabled,
            self.hits,
            "; ".join(filter(None, [self.problem, self._unknown_place()])) or None,
        )

    def _unknown_place(self) -> str | None:
        """Why it is not hit yet, also when the runtime is there. What was hit is known."""
        if self.place is None or self.hits or self.place.is_known():
            return None
        return f"GDB knows no `{self.place.text}' yet: pending until a library with it is loaded"

    def attach(self) -> None:
        """To the process that there is now, and to runtimes that are new. Raises UserError."""
        here = session.current()
        self.forget_places()
        if self._pid != self.inferior.pid or self._process is None:
            self.detach()
            self._pid = self.inferior.pid
            self._process = here.event_breakpoint(
                self.event, self.place, self._is_wanted, self._may_be_wanted
            )
            self._process.set_commands(self.gdbs.commands)
        self.problem = here.watch(self._process)
        self._process.set_enabled(self.enabled)
        # GDB disables one that has had a condition of GDB's when it looks for its place in vain.
        self._set("enabled", self.enabled)

    def forget_places(self) -> None:
        if self.place is not None:
            self.place.forget()

    def catch_up(self) -> None:
        if self._process is not None:
            self._process.catch_up()

    def detach(self) -> None:
        process, self._process = self._process, None
        self._everywhere.clear()
        self.problem = session.awaited(self.event)
        if process is not None:
            process.delete()

    def is_in_program(self) -> bool:
        """Is the runtime linked into the program?"""
        program = texts.filename(self.inferior.progspace)
        if self._program[0] != program:
            self._program = (program, _may_be_runtime(program))
        return self._program[1]

    def may_be_called_by(self, file: str | None) -> bool:
        return self._process is not None and self._process.may_be_called_by(file)

    def disable(self) -> None:
        if self._process is not None:
            self._process.set_enabled(False)

    def _set(self, attribute: str, value: Any) -> None:
        if getattr(self.gdbs, attribute) != value:
            self._setting = True
            try:
                setattr(self.gdbs, attribute, value)
            finally:
                self._setting = False

    def _is_wanted(self) -> bool:
        if not self.gdbs.is_valid() or not self.enabled:
            return False
        if self.event.kind == "barrier" and _thread_num() != 0:
            return False
        try:
            if self.condition is not None and not inferior_calls.evaluated(self.condition):
                return False
        except gdb.error:
            self.hits += 1  # the program is stopped for it
            raise
        self.hits += 1
        if self._to_ignore:
            self._to_ignore -= 1
            return False
        # This may use GDB's commands: behind the stop one would start the user's commands.
        _runtimes()
        return True

    def _may_be_wanted(self, place: int) -> bool:
        """A condition that is the same everywhere is asked where the region is begun: where it does
        not hold nobody of the team has to be seen at the place."""
        if self.condition is None:
            return True
        key = (self.condition, place)
        if key not in self._everywhere:
            self._everywhere[key] = conditions.everywhere(*key)
        expression = self._everywhere[key]
        try:
            return expression is None or bool(inferior_calls.evaluated(expression))
        except gdb.error:
            return True

    def follow(self) -> None:
        """What the user changed by GDB's own commands."""
        if self._setting:
            return
        gdbs = self.gdbs
        before, self._seen = self._seen, (gdbs.enabled, gdbs.ignore_count, gdbs.commands)
        self.enabled, self._to_ignore, _ = self._seen
        if gdbs.condition is not None:
            self.condition = gdbs.condition
        elif self._seen == before:
            self.condition = None  # nothing else has changed: it was taken away
        if self._process is not None:
            self._process.set_commands(gdbs.commands)
            self._process.set_enabled(self.enabled)

    # ---- At a stop -------------------------------------------------------------------------------

    def arm(self) -> bool:
        """Whether the stop was made for that alone."""
        if self._process is None:
            return False
        met = self._process.met
        self._process.arm()
        return met

    @property
    def step(self) -> Step | None:
        return self._process.step if self._process is not None else None

    def report(self) -> bool:
        """Whether it was stopped for an event."""
        hit = self._process.hit if self._process is not None else None
        if self._process is None or hit is None:
            return False
        self._process.hit = None
        self._set("ignore_count", self._to_ignore)
        commands = (self.gdbs.commands or "").split("\n")
        if commands[0].strip() != "silent":
            _say(view.stopped(self.listed, hit, _selected_thread()))
            if commands == [""]:
                gdb.execute("frame")
        if self.temporary:
            self.detach()
            self.gdbs.delete()
        return True


def _thread_num() -> int | None:
    try:
        return session.current().of_selected_thread("thread_num")
    except (UserError, OmpdError) as error:
        raise gdb.error(str(error)) from None


def _runtimes() -> None:
    try:
        session.current().runtimes()
    except (UserError, OmpdError):
        pass  # the report will do without


def _selected_thread() -> Thread | None:
    try:
        process = session.current().picture().process
    except (UserError, OmpdError, gdb.error):
        return None
    selected = gdb.selected_thread()
    return next((t for t in process.threads if t.native and t.native.num == selected.num), None)


def _say(lines: Sequence[str]) -> None:
    for line in lines:
        gdb.write(texts.printable(line) + "\n")


def _pending(location: str, temporary: bool) -> gdb.Breakpoint:
    """GDB says that it does not find the place: that is as it should be."""
    before = {known.number for known in gdb.breakpoints()}
    old = gdb.parameter("breakpoint pending")
    texts.silently("set breakpoint pending on")
    try:
        texts.silently(f"{'tbreak' if temporary else 'break'} '{location}'")
    finally:
        word = "auto" if old is None else "on" if old else "off"
        texts.silently(f"set breakpoint pending {word}")
    return next(known for known in gdb.breakpoints() if known.number not in before)


# ---- For the commands ----------------------------------------------------------------------------


def create(event: Event, at: str | None, condition: str | None, temporary: bool) -> Listed:
    """Raises UserError."""
    session.library()  # that there is none is told now, not when a runtime is loaded
    if session.has_process() and session.current().program().kind == "core":
        raise UserError("core", "A core file does not run.", "Use `ompd break' on a live process.")
    if not session.has_process() and not texts.filename(gdb.current_progspace()):
        raise UserError("no_program", "There is no program yet.", "First `file EXE'.")
    event_breakpoint.machine_of(gdb.selected_inferior())
    place = LocationSpec(at) if at is not None else None
    if place is not None:
        place.refuse_without(event_breakpoint.entry_points(event))
        if gdb.parameter("breakpoint pending") is False and not place.is_known():
            raise UserError(
                "no_such_place",
                f"GDB knows no `{place.text}', and `breakpoint pending' is off.",
                "`set breakpoint pending on' waits for a library with it.",
            )
    _connect_events()
    made = Breakpoint(event, place, condition, temporary)
    try:
        if session.has_process():
            made.attach()
            made.catch_up()
    except BaseException:
        made.detach()
        made.gdbs.delete()
        raise
    _all.append(made)
    return made.listed


def listed() -> list[Listed]:
    _sweep()
    for one in _all:
        if one.problem is not None:
            _attach(one)
    return [one.listed for one in _all]


# ---- Events --------------------------------------------------------------------------------------


def _of(gdbs: gdb.Breakpoint) -> Breakpoint | None:
    return next((one for one in _all if one.gdbs is gdbs or one.gdbs == gdbs), None)


def _deleted(gdbs: gdb.Breakpoint) -> None:
    one = _of(gdbs)
    if one is not None:
        # GDB may be walking along its list: nothing else may be deleted before it has finished.
        _all.remove(one)
        one.disable()
        _gone.append(one)


def _sweep(event: object = None) -> None:
    while _gone:
        _gone.pop().detach()
    while _cut_off:
        one = _cut_off.pop()
        if one in _all and one.problem is not None:
            _attach(one)


def _modified(gdbs: gdb.Breakpoint) -> None:
    one = _of(gdbs)
    if one is not None:
        one.follow()


def _may_be_runtime(file: str | None) -> bool:
    return any(symbols.may_define(file, mark) for mark in runtimes.SERVED_MARKS)


def _new_objfile(event: Any) -> None:
    """Programs have hundreds: only a runtime is worth looking at the process, the program itself
    where it is one, or what calls what nothing has called."""
    file = texts.filename(event.new_objfile)
    found = _may_be_runtime(file)
    for one in _all:
        one.forget_places()
        if found or one.problem and one.is_in_program() or one.may_be_called_by(file):
            _attach(one)


def _attach(one: Breakpoint) -> None:
    try:
        if one.inferior == gdb.selected_inferior() and session.has_process():
            one.attach()
    except (UserError, OmpdError, gdb.error):
        pass  # too early: its list of images cannot be read yet


def _cleared(event: Any) -> None:
    """The process executes another program, or the user has named another file."""
    for one in _all:
        if one.inferior.progspace == event.progspace:
            one.detach()
            _cut_off.append(one)


def _exited(event: Any) -> None:
    _sweep()
    for one in _all:
        if one.inferior == event.inferior:
            one.detach()


def _stopped(event: Any) -> None:
    global _hits
    before, _hits = _hits, Hits()
    _sweep()
    try:
        to_arm = [one for one in _all if one.arm()]
    except gdb.error as error:
        _say([f"An OpenMP breakpoint cannot be set where it is needed: {error}"])
        return
    reported = [one for one in list(_all) if one.report()]
    if reported:
        return
    breakpoints = getattr(event, "breakpoints", ())
    is_users = any(before.stops(one) for one in breakpoints)
    watches = [one for one in breakpoints if isinstance(one, Watch)]
    failed = [one for one in watches if one.why]
    if failed:
        # Our breakpoints say nothing by themselves.
        _say([one.why for one in failed])
        for one in failed:
            one.why = ""
        gdb.execute("frame")
    elif watches and to_arm and not is_users:
        _go_on(next((one.step for one in to_arm if one.step is not None), None))


def _go_on(step: Step | None) -> None:
    """Not one `continue' inside the other: there may be many places to arm."""
    global _going_on
    _interrupted.append(step)
    if _going_on:
        return
    _going_on = True
    try:
        while _interrupted:
            # Where none was under way it was our own `continue' that was stopped again.
            step = _interrupted.pop() or step
            stepping.go_on(step)
    except gdb.error as error:
        _say([f"The program stays stopped here: {error}"])
    finally:
        _going_on = False
        _interrupted.clear()


_connected = False


def _connect_events() -> None:
    """With the first breakpoint."""
    global _connected, _hits
    if _connected:
        return
    _hits = Hits()
    gdb.events.breakpoint_deleted.connect(_deleted)
    gdb.events.breakpoint_modified.connect(_modified)
    gdb.events.new_objfile.connect(_new_objfile)
    gdb.events.clear_objfiles.connect(_cleared)
    gdb.events.exited.connect(_exited)
    gdb.events.stop.connect(_stopped)
    gdb.events.before_prompt.connect(_sweep)
    _connected = True
