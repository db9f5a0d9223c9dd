# SPDX-License-Identifier: Apache-2.0
"""`set ompd state-tracking': does the runtime of a program that GDB starts record what its threads
do? Read at GDB's start: imports gdb alone."""

from __future__ import annotations

import gdb

from . import texts

# LLVM's runtime asks for it when it starts.
_VARIABLE, _VALUE = "OMP_DEBUG", "enabled"

_TOO_LATE = (
    "The program that runs now was started without state tracking, and goes on without: turning it"
    " on in a running program can crash it. {again}"
)
_GOES_ON = "The program that runs now goes on with state tracking. {again}"
_OF_CORE = "A core file stays as it is: this is for the programs that GDB starts."
_STARTED_BY_GDB = "`run' starts it again, {how}."
_STARTED_ELSEWHERE = f"Start it again {{how}}: {_VARIABLE}={_VALUE} in its environment."


class StateTracking(gdb.Parameter):
    """Whether OpenMP runtimes of programs that GDB starts track the states of
    their threads. With `on', programs are started with OMP_DEBUG=enabled in
    their environment: LLVM's runtime then says that OMPD is active, and records
    states, the frames of tasks and which tasks a thread left, which costs the
    program time. `off' takes the variable out again. It is not needed for `ompd
    threads', which derives states from stacks. In a program that runs already
    nothing is changed: that can crash it. Before GDB 14 this is for the
    selected inferior, then for all."""

    name = "ompd state-tracking"
    set_doc = "Set whether OpenMP runtimes of programs that GDB starts track states."
    show_doc = "Show whether OpenMP runtimes of programs that GDB starts track states."

    def __init__(self) -> None:
        super().__init__(self.name, gdb.COMMAND_SUPPORT, gdb.PARAM_BOOLEAN)
        self.value = False
        self._changed: set[int] = set()  # inferiors whose environment holds the variable by us
        self._before = False

    def get_set_string(self) -> str:
        for inferior in gdb.inferiors():
            self._apply(inferior)
        before, self._before = self._before, bool(self.value)
        return _note(self._before, before)

    def get_show_string(self, value: str) -> str:
        return f"OpenMP runtimes of programs that GDB starts track states: {value}."

    def follow(self, event: gdb.NewInferiorEvent) -> None:
        """There is a new inferior."""
        self._apply(event.inferior)

    def _apply(self, inferior: gdb.Inferior) -> None:
        if bool(self.value) == (inferior.num in self._changed):
            return
        if hasattr(inferior, "set_env"):
            if self.value:
                inferior.set_env(_VARIABLE, _VALUE)
            else:
                inferior.unset_env(_VARIABLE)
        elif inferior == gdb.selected_inferior():
            command = f"set environment {_VARIABLE} {_VALUE}"
            texts.silently(command if self.value else f"unset environment {_VARIABLE}")
        else:
            return
        self._changed ^= {inferior.num}


def _note(wanted: bool, before: bool) -> str:
    """What the user should know about the process that there is. before: what was wanted when it
    may have been started."""
    from . import session

    if not session.has_process():
        return ""
    kind, tracked = _process()
    if kind == "core":
        return _OF_CORE
    if wanted == (before if tracked is None else tracked):
        return ""
    by_gdb = kind == "live" and not gdb.selected_inferior().was_attached
    how = "with" if wanted else "without"
    again = (_STARTED_BY_GDB if by_gdb else _STARTED_ELSEWHERE).format(how=f"{how} it")
    return (_TOO_LATE if wanted else _GOES_ON).format(again=again)


def _process() -> tuple[str, bool | None]:
    """Its kind, and whether a runtime tracks states. None: none has started yet."""
    from ompd_core.errors import UserError
    from ompd_core.library.library import OmpdError

    from . import session

    kind = "live"
    try:
        here = session.current()
        kind = here.program().kind
        started = [runtime for runtime in here.runtimes() if runtime.initialized]
    except (UserError, OmpdError, OSError, gdb.error):
        return kind, None
    return kind, any(runtime.state_tracking for runtime in started) if started else None


_registered: list[StateTracking] = []


def register() -> None:
    """Once per GDB: a second time would lose what the user has set."""
    if not _registered:
        _registered.append(StateTracking())
        gdb.events.new_inferior.connect(_registered[0].follow)
