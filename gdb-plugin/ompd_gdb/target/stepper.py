# SPDX-License-Identifier: Apache-2.0
"""Where does a thread come to by one more line, when constructs are in its way?

GDB steps the lines. It is helped where the thread gets into the runtime's hands: internal
breakpoints of this thread alone lead it into a region's code, or out of the runtime again."""

from __future__ import annotations

from contextlib import contextmanager, nullcontext
from typing import ContextManager, Iterable, Iterator, Sequence

import gdb
from ompd_core import abi, runtimes
from ompd_core.arch.base import Machine
from ompd_core.debugger import MOST_FRAMES
from ompd_core.errors import Unreadable, UserError
from ompd_core.light_classes import NamedTuple
from ompd_core.model import where
from ompd_core.model.logical_stack import stack
from ompd_core.model.logical_stack.stack import Part, Parts, Walked
from ompd_core.model.naming import is_outlined
from ompd_core.model.process import Runtime

from .. import texts
from . import blocks, console, machines
from .calls import Calls
from .inferior import InferiorTarget
from .machines import Disassembly
from .passages import (
    Fits,
    Hits,
    Passage,
    back_at,
    functions_skipped,
    home,
    is_locked,
    others_may_run,
    physical,
    set_for,
)
from .stepping import LEVEL, is_in_line, under_way

# What a runtime's entry points are called.


class _Elsewhere(Exception):
    """Something else has stopped the program, or ended it: GDB tells what."""


class _Caller(NamedTuple):
    """Where a thread comes back to."""

    pc: int
    stack: int


class _Entered(NamedTuple):
    """An entry point of the runtime's that was called."""

    caller: _Caller
    home: int  # see home(), of the frame that called
    name: str
    function: int  # of the region's code, 0 if it begins no region
    returns: bool  # before that code is called


class _End(NamedTuple):
    """Of a function's code: only its stack frame is to be given back, and it returns."""

    first: int
    last: int
    home: int  # see home()

    @property
    def wanted(self) -> list[tuple[int, Fits]]:
        return [(address, self._is_of) for address in {self.first, self.last}]

    def is_reached(self) -> bool:
        frame = gdb.newest_frame()
        return self.first <= frame.pc() <= self.last and self._is_of(frame)

    def _is_of(self, frame: gdb.Frame) -> bool:
        return home(frame) == self.home


class Stepper:
    """Of the selected thread. Its methods raise UserError, gdb.error."""

    def __init__(
        self,
        target: InferiorTarget,
        machine: Machine,
        runtimes: Sequence[Runtime],
        code: where.CodeMap,
    ) -> None:
        self._target = target
        self._machine = machine
        self._code = code
        self._calls = Calls(target, code)
        self._runtimes = [runtime for runtime in runtimes if runtime.supported]
        self._thread = gdb.selected_thread()
        self._entered: _Entered | None = None
        self._catches = False
        self._events: list[gdb.Event] = []  # of the last command
        self._hits = Hits()
        self._is_shown = True  # the last stop, by GDB
        self._began = _place()
        self._waiting: set[str] = set()  # entry points that wait for threads which stand still
        self._stepped = 0  # the frame that has the line: see home()
        target.code.forget()

    def lines(self, command: str, count: int) -> None:
        """command: GDB's step or next."""
        if not any(self._addresses(abi.FORKS)):
            raise UserError(
                "no_entry_points",
                "The entry points of the OpenMP runtime are not found: it has no symbols.",
                f"`{command}' steps the code alone.",
            )
        with self._watching(command):
            for done in range(count):
                try:
                    self._line(command)
                except UserError:
                    if not done:
                        raise
                    return  # it has come as far as it can
                self._show()

    def finish(self) -> None:
        """Out of the region or the explicit task; GDB's finish where there is none."""
        part = self._parts()[0]
        if part.began == stack.CUT:
            raise UserError(
                "no_stack", "How this code began is not known: its stack ends before that is seen."
            )
        with self._watching("finish"):
            if part.began == stack.BOTTOM:
                self._run("finish")
            elif part.began in (stack.START, stack.TASK):
                self._to_end(part)
            else:
                self._behind(_caller(part.end), "next")
            self._show()

    # ---- One line --------------------------------------------------------------------------------

    def _line(self, command: str) -> None:
        parts = self._parts()
        part, is_last = parts[0], _is_last(parts)
        ends = self._ends(part) if is_last else []
        if is_last and (not part.levels or any(end.is_reached() for end in ends)):
            raise self._nothing_left(part)
        caller = self._users_caller()
        wanted = [one for end in ends for one in end.wanted]
        with self._set(wanted) as at_ends, self._set(self._return(part)) as in_runtime:
            if caller is not None:
                self._behind(caller, command, at_ends, in_runtime)
            else:
                self._to_next_line(command, at_ends, in_runtime)

    def _return(self, part: Part) -> list[tuple[int, Fits]]:
        """Where the thread comes back to the runtime: there GDB would stop."""
        if not part.levels or part.runtime is None:
            return []
        level = part.levels[-1] + 1
        while level < part.end and not self._calls.is_runtime(_caller(level).pc):
            level += 1
        caller = _caller(level)
        fits = back_at(caller.stack)
        # While the runtime is left it may execute further tasks, which come back there too.
        return [(caller.pc, lambda frame: self._catches and fits(frame))]

    def _to_next_line(
        self, command: str, ends: Sequence[Passage] = (), in_runtime: Sequence[Passage] = ()
    ) -> None:
        """Each turn gets as far as GDB can lead the thread, and over what it then met."""
        while True:
            self._stepped = home(gdb.newest_frame())
            entered = self._run(self._loudly(command), [*ends, *in_runtime])
            if any(end.reached for end in ends):
                return
            if entered is None:
                caller = self._users_caller()
                if caller is None:
                    return
                self._go_to(caller)
            elif command == "step" and entered.function and entered.home == self._stepped:
                if self._enter(entered):
                    if gdb.newest_frame().find_sal().line == _line_of(entered.caller.pc - 1):
                        self._line(command)  # optimised code begins with the directive's own
                    return
                caller = entered.caller
            else:
                caller = self._over(entered, command)
            if not is_in_line(caller.pc):
                return

    def _over(self, entered: _Entered, command: str) -> _Caller:
        """Where the thread then is: behind the call, or behind the construct that it begins."""
        self._go_to(entered.caller)
        if entered.home != self._stepped:
            return self._back_to_stepped()
        skipped = entered.name in abi.CONDITIONAL and not self._machine.result(
            machines.registers(gdb.newest_frame())
        )
        if command == "step" or entered.name not in abi.CONSTRUCT_ENDS or skipped:
            return entered.caller
        ends = abi.CONSTRUCT_ENDS[entered.name]
        begins = [name for name, found in abi.CONSTRUCT_ENDS.items() if found == ends]
        depth = 1

        def moves(by: int) -> Fits:
            def fits(frame: gdb.Frame) -> bool:
                nonlocal depth
                if home(frame.older()) == entered.home:
                    depth += by
                return depth == 0

            return fits

        wanted = [(address, moves(1)) for _, address in self._addresses(begins)]
        wanted += [(address, moves(-1)) for _, address in self._addresses(ends)]
        with self._set(wanted) as made:
            self._through(made)
        frame = gdb.newest_frame()
        caller = _Caller(
            *self._machine.return_address(machines.registers(frame), self._target.read)
        )
        self._go_to(caller)
        return caller

    def _back_to_stepped(self) -> _Caller:
        """From a function that the line called, to the frame that has the line."""
        frame, level = gdb.newest_frame(), 0
        while frame is not None and home(frame) != self._stepped and level < MOST_FRAMES:
            frame, level = frame.older(), level + 1
        if frame is None or level == MOST_FRAMES:
            raise UserError("no_stack", "The frame that was stepped is not found any more.")
        caller = _caller(level)
        with self._set([(caller.pc, back_at(caller.stack))]) as made:
            self._through(made)
        return caller

    def _through(self, to: Sequence[Passage]) -> None:
        """Until one is reached; others run only where the thread waits."""
        while not any(one.reached for one in to):
            entered = self._run("continue", to)
            if entered is not None:
                self._go_to(entered.caller)

    def _loudly(self, command: str) -> str:
        """GDB shows the function only if its own step has changed it."""
        if _place() == self._began:
            return command
        return f"with print frame-info source-and-location -- {command}"

    def _behind(
        self,
        caller: _Caller,
        command: str,
        ends: Sequence[Passage] = (),
        in_runtime: Sequence[Passage] = (),
    ) -> None:
        """Out of the runtime, and to the end of the line that called it."""
        self._go_to(caller)
        if is_in_line(caller.pc):
            self._to_next_line(command, ends, in_runtime)

    def _enter(self, entered: _Entered) -> bool:
        """Whether the thread came into the region's code; else it is behind the call."""
        caller = entered.caller
        first = self._target.code.first_instruction(entered.function, False)
        wanted: list[tuple[int, Fits]] = [
            (first, lambda frame: machines.stack_pointer(frame) < caller.stack)
        ]
        if not entered.returns:
            wanted.append((caller.pc, back_at(caller.stack)))
        with self._set(wanted) as made, others_may_run():
            self._run("continue", made, catches=False)
            return made[0].reached

    def _go_to(self, caller: _Caller) -> None:
        with self._set([(caller.pc, back_at(caller.stack))]) as made, others_may_run():
            self._run("continue", made, catches=False)

    def _to_end(self, part: Part) -> None:
        """Of the code that the runtime has called."""
        ends = self._ends(part)
        if not part.levels or any(end.is_reached() for end in ends):
            raise self._nothing_left(part)
        if not ends:
            raise UserError("no_end", "Where this code ends is not known.", "Compile with -g.")
        with self._set([one for end in ends for one in end.wanted]) as made:
            self._through(made)

    # ---- Running ---------------------------------------------------------------------------------

    def _set(self, wanted: Sequence[tuple[int, Fits]]) -> ContextManager[list[Passage]]:
        return set_for(self._thread, wanted)

    @contextmanager
    def _watching(self, command: str) -> Iterator[None]:
        """While the thread may come to entry points of the runtime's."""
        wanted = [(address, self._entry(name)) for name, address in self._entries(command)]
        gdb.events.stop.connect(self._events.append)
        try:
            with self._set(wanted), self._runtime_skipped(command):
                yield
        except _Elsewhere:
            self._tell_other()
        finally:
            gdb.events.stop.disconnect(self._events.append)

    def _runtime_skipped(self, command: str) -> ContextManager[None]:
        """Where the runtime has lines, GDB's step would stop in them."""
        addresses = [address for _, address in self._addresses(abi.FORKS)]
        if command == "step" and any(_line_of(address) for address in addresses):
            return functions_skipped(runtimes.FUNCTIONS)
        return nullcontext()

    def _tell_other(self) -> None:
        other = gdb.selected_thread()
        if other is not None and self._thread.is_valid() and other != self._thread:
            gdb.write(
                f"T{other.num} stopped the program;"
                f" T{self._thread.num} has not completed its step.\n"
            )

    def _entries(self, command: str) -> Iterator[tuple[str, int]]:
        """Those that lead into a region's code, that begin a construct, and that wait."""
        of_constructs = {
            "step": (*abi.FORKS, *abi.SERIALIZES),
            "next": (*abi.CONSTRUCT_ENDS,),
        }
        names = of_constructs.get(command, ())
        if is_locked():
            self._waiting = {*abi.FORKS, *abi.WAITS, *(f"{name}_" for name in abi.WAITS)}
        return self._addresses({*names, *self._waiting})

    def _addresses(self, names: Iterable[str]) -> Iterator[tuple[str, int]]:
        for runtime in self._runtimes:
            for name in names:
                address = self._target.symbol_at(runtime.base, runtime.path, name)
                if address is not None:
                    yield name, address

    def _entry(self, name: str) -> Fits:
        def hit(frame: gdb.Frame) -> bool:
            if not self._catches:
                return False
            back, sp = self._machine.return_address(machines.registers(frame), self._target.read)
            if self._calls.is_inner(back):
                return False
            caller = home(frame.older())
            if self._leads_to(frame.older(), back, caller):
                self._stepped = caller
            elif name not in self._waiting:
                return False
            function = self._function(frame, name, back)
            returns = name in abi.BEFORE_REGION
            self._entered = _Entered(_Caller(back, sp), caller, name, function, returns)
            return True

        def fits(frame: gdb.Frame) -> bool:
            try:
                return hit(frame)
            except (gdb.error, Unreadable):
                return False

        return fits

    def _leads_to(self, frame: gdb.Frame, back: int, caller: int) -> bool:
        """Is GDB stepping the frame that called? It goes on to the end of a line, where gcc may
        have put the next directive's call, in the frame that the stepped one has returned to; and
        to the end of a prologue, where the call is if the function begins with a directive."""
        if caller == self._stepped:
            return True
        if self._stepped and (caller == 0 or caller > self._stepped):
            return True
        body, step = _function_block(physical(frame)), under_way()
        if body is None or step is None:
            return False
        resumed = [goal.address for goal in step.goals if goal.kind == "step resume"]
        return any(back <= address < body.end for address in resumed)

    def _function(self, frame: gdb.Frame, name: str, back: int) -> int:
        """Of the region that the entry point begins, 0 if there is none."""
        if name in abi.SERIALIZES:
            called = self._machine.next_call(Disassembly(frame.architecture()), back)
            is_its = called is not None and is_outlined(self._target.code.location(called).function)
            return called if called is not None and is_its else 0
        index = abi.FORKED_ARGUMENT.get(name)
        return self._machine.argument(machines.registers(frame), index) if index is not None else 0

    def _run(
        self, command: str, to: Sequence[Passage] = (), catches: bool = True
    ) -> _Entered | None:
        """The entry point that the thread has come to; None: it has come to one of `to', or as far
        as the command leads. catches: not only what the command is to lead to. Raises _Elsewhere.
        """
        self._entered, self._catches = None, catches
        self._events.clear()
        for one in to:
            one.reached = False
        self._hits = Hits()
        text = self._unshown(command)
        if not self._is_ours(command, to):
            gdb.write(text or "")
            raise _Elsewhere
        led = self._entered is not None or any(one.reached for one in to)
        self._is_shown = text is None and not led
        return self._entered

    @staticmethod
    def _unshown(command: str) -> str | None:
        """Execute it, and keep what GDB would show of a step into an inlined function. The program
        need not run for that, and GDB shows as much as of the stop before: nothing if that was
        ours."""
        if not (command.endswith("step") and _is_before_inlined()):
            gdb.execute(command)
            return None
        return console.output(command)

    def _is_ours(self, command: str, to: Sequence[Passage]) -> bool:
        """Has the program stopped for what the command, or we, wanted?"""
        thread = gdb.selected_thread()
        if thread is None or thread != self._thread:
            return False
        if thread.is_running():
            raise UserError(
                "asynchronous",
                "The program runs in the background, where it cannot be followed.",
                "`interrupt', and `set mi-async off'.",
            )
        if self._entered is not None or any(one.reached for one in to):
            return not any(self._hits.is_users(event) for event in self._events)
        # The last event is the one that came last only if no other handler made the program go on.
        return command != "continue" and all(
            type(event) is gdb.StopEvent for event in self._events[-2:][:1]
        )

    def _show(self) -> None:
        """The last stop, as GDB shows it."""
        if self._is_shown:
            return
        text = LEVEL.sub("", console.output("frame"))
        if _place() == self._began:
            text = text.partition("\n")[2] or text
        gdb.write(text)

    # ---- The thread's stack ----------------------------------------------------------------------

    def _parts(self) -> list[Part]:
        """The frames of the task that the thread executes, and of those that it waits in."""
        walk = self._target.code.frames()
        frames = list(walk)
        return Parts(self._code).of(Walked(frames, walk.whole))

    def _users_caller(self) -> _Caller | None:
        """Where the thread leaves the runtime for code of the user's; None: it is not in the
        runtime, or does not come back from there."""
        inside = False
        for level, frame in enumerate(self._target.code.frames()):
            if self._code.is_runtime(frame):
                inside = True
            elif not self._code.is_skipped(frame):
                return _caller(level) if inside else None
        return None

    def _nothing_left(self, part: Part) -> UserError:
        if part.levels:
            what = "the task" if part.began == stack.TASK else "its part of the region"
            words = f"This thread has done {what}: behind it is the runtime."
        elif sum(map(self._code.is_runtime, self._target.code.frames())) == 1:
            words = "The runtime has just made this thread: no user code is on its stack yet."
        else:
            words = "This thread is in the runtime, between regions: no user code is on its stack."
        hint = "`continue' to a breakpoint, or go on with another thread: `ompd thread ID'."
        return UserError("end_of_region", words, hint)

    def _ends(self, part: Part) -> list[_End]:
        """Of the code that the runtime has called."""
        if not part.levels:
            return []
        frame = physical(_frame(part.levels[-1]))
        body = _function_block(frame)
        if body is None:
            return []
        found = self._machine.epilogues(Disassembly(frame.architecture()), body.start, body.end)
        return [_End(first, last, home(frame)) for first, last in found]


def _is_last(parts: Sequence[Part]) -> bool:
    """Does nothing of the user's follow on this thread's stack?"""
    part = parts[0]
    if part.began == stack.TASK:
        return parts[1].began == stack.START and not parts[1].levels
    return part.began == stack.START


def _function_block(frame: gdb.Frame) -> gdb.Block | None:
    """Of the frame's function: gcc's debug information has a region's inside the one around it."""
    function = frame.function()
    if function is None:
        return None
    name = texts.name(function)
    return next((b for b in blocks.outwards(frame) if texts.name(b.function) == name), None)


def _is_before_inlined() -> bool:
    """GDB tells a thread at an inlined function's first instruction to be in the caller still."""
    frame = gdb.newest_frame()
    block = gdb.current_progspace().block_for_pc(frame.pc())
    while block is not None and block.function is None:
        block = block.superblock
    function = frame.function()
    return block is not None and texts.name(function) != texts.name(block.function)


def _line_of(address: int) -> int:
    return int(gdb.current_progspace().find_pc_line(address).line)


def _frame(level: int) -> gdb.Frame:
    frame = gdb.newest_frame()
    for _ in range(level):
        frame = frame.older()
    return frame


def _caller(level: int) -> _Caller:
    frame = _frame(level)
    while frame.type() == gdb.TAILCALL_FRAME:
        frame = frame.older()  # it ended by a jump: nobody comes back to it
    return _Caller(frame.pc(), machines.stack_pointer(frame))


def _place() -> tuple[str | None, int]:
    """Of the selected thread: which function, and which call of it."""
    frame = gdb.newest_frame()
    return texts.function(frame), home(frame)
