# SPDX-License-Identifier: Apache-2.0
"""When does a thread come to an event? Internal breakpoints at the runtime's entry points tell
where a construct's code begins or goes on; others there, set when such a place is met for the first
time, stop the program in the user's own code.

GDB forbids to set breakpoints while one decides whether to stop. So at a place that is new the
program is stopped, the breakpoint set, and the program continued (arm). Places stay known.
"""

from __future__ import annotations

from typing import Callable, Collection, Iterator, Sequence

import gdb
from ompd_core import abi
from ompd_core.arch.base import Machine, Registers
from ompd_core.errors import Unreadable, UserError
from ompd_core.formats.strings import string_at
from ompd_core.formats.symbols import may_name
from ompd_core.light_classes import dataclass
from ompd_core.model import glibc, where
from ompd_core.model.events import Event, Hit, Note, Notes
from ompd_core.model.native import Location
from ompd_core.model.process import Runtime

from . import machines, stepping
from .calls import Calls
from .inferior import InferiorTarget
from .location_spec import LocationSpec
from .machines import registers_at_breakpoint
from .stepping import Step
from .watches import Watch

# Events at which the program stops in the entry point itself.
_CALLS = [event for event, names in abi.EVENTS.items() if abi.CALLED in names.values()]
_BEGIN = Event("parallel", "begin")
# Is given the address; says whether the program is to stop.
Hook = Callable[[int], bool]


@dataclass
class _Function:
    """Of a task, or of a teams construct: threads come there that did not call the entry point."""

    construct: Location
    part: int | None  # of a task that has parts: where in it is the number of the next


@dataclass
class _Begun:
    """A region, at the user's place, that was begun before."""

    first: int
    construct: Location
    behind: int  # how far above the stack pointer of the call's first instruction the caller's is


def machine_of(inferior: gdb.Inferior) -> Machine:
    """Raises UserError."""
    machines.check_program(inferior)
    machine = machines.of_inferior(inferior)
    if machine is None:
        raise UserError(
            "not_supported",
            "OpenMP breakpoints are not made for this machine yet.",
            "Use `break' at the construct's line.",
        )
    return machine


def _leading(event: Event) -> tuple[str, str]:
    """The event at whose entry points it is seen."""
    return event.kind, "begin" if event.when == "entry" else event.when


def entry_points(event: Event) -> Collection[str]:
    """That a construct calls with which there is such an event."""
    return abi.EVENTS[_leading(event)].keys()


class EventBreakpoint:
    """In one process. It stops where `wanted' agrees."""

    def __init__(
        self,
        event: Event,
        place: LocationSpec | None,
        wanted: Callable[[], bool],
        may_be_wanted: Callable[[int], bool],
        target: InferiorTarget,
        machine: Machine,
    ) -> None:
        """wanted: asked at each event, with its thread and frame selected. May raise gdb.error.
        may_be_wanted: before a thread comes there, with the place's address; False: surely not."""
        self.event = event
        self.hit: Hit | None = None  # of the stop that was just made
        self.step: Step | None = None  # of the user's, that the last stop to arm has ended
        self._place = place
        self._wanted = wanted
        self._may_be_wanted = may_be_wanted
        self._target = target
        self._machine = machine
        self._calls = Calls(target, where.CodeMap(()))
        self._uncalled: set[str] = set()  # entry points that are not watched for that
        self._notes = Notes()
        self._watches: dict[int, Watch] = {}
        self._met: dict[int, tuple[Hook, int | None]] = {}  # places that are not armed yet
        self._functions: dict[int, _Function] = {}
        self._called: dict[tuple[int, int, int], tuple[str, int, int]] = {}  # last, by thread
        self._constructs: dict[tuple[int, int, int], Location | None] = {}
        self._begun: dict[tuple[str, int], _Begun] = {}  # by entry point and function
        self._firsts: dict[int, int] = {}
        self._commands: str | None = None

    # ---- Setting and deleting --------------------------------------------------------------------

    def watch(
        self, target: InferiorTarget, runtimes: Sequence[Runtime], code: where.CodeMap
    ) -> bool:
        """The entry points of the runtimes that are not watched yet; whether there are any now.
        target: as it is now, with the images that were loaded meanwhile."""
        self._target, self._calls = target, Calls(target, code)
        images = self._images(runtimes)
        self._uncalled = self._not_called(images)
        is_there = False
        for base, path in images:
            for name, address, hit in self._entries(base, path):
                is_there = is_there or address is not None
                if address is None or name in self._uncalled or address in self._watches:
                    continue
                self._met[address] = (hit, None)
        self.arm()
        return is_there

    def _not_called(self, images: Sequence[tuple[int, str | None]]) -> set[str]:
        """Each breakpoint more makes GDB slower at every stop, and runtimes have a dozen entry
        points for the same event."""
        known = abi.EVENTS.get(_leading(self.event), {})
        names = {name for name in known if name.startswith(abi.IN_FILES)}
        # A runtime that is linked into the program is called without a name.
        if not names or not all(where.is_runtime_file(path) for _, path in images):
            return set()
        return names - self._target.called(names)

    def may_be_called_by(self, file: str | None) -> bool:
        """Does a file that was loaded just now come to what is not watched?"""
        return bool(file and self._uncalled and may_name(file, self._uncalled))

    def catch_up(self) -> None:
        """Of the constructs that threads are in already they come to the end too."""
        if self.event.kind == "thread":
            return
        known = abi.EVENTS.get((self.event.kind, self.event.when), {})
        names = {name for name, argument in known.items() if argument == abi.AFTER}
        for call in self._calls.under_way(names):
            construct = self._target.code.location(call.back - 1)
            if self._is_at_place(construct, call.back - 1, 0):
                note = self._after(call.name, call.back, call.stack, construct)
                self._notes.add(call.ptid, note)
                self._meet(note.address, self._at_place)
        self.arm()

    @staticmethod
    def _after(name: str, back: int, stack: int, construct: Location) -> Note:
        return Note(back, stack, True, construct, cancellable=name in abi.CANCELLABLE)

    def _images(self, runtimes: Sequence[Runtime]) -> list[tuple[int, str | None]]:
        """That have the entry points."""
        if self.event.is_of_devices:
            loaded = self._target.images.loaded
            return [(one.bias, one.path) for one in loaded if where.is_offload(one.path)]
        return [(one.base, one.path) for one in runtimes if one.supported]

    def _entries(self, base: int, path: str | None) -> Iterator[tuple[str, int | None, Hook]]:
        if self.event.kind == "thread":
            name = glibc.CREATES_THREAD[0]
            yield name, self._target.symbol(name, None), self._at_creation
            return
        for name, argument in abi.EVENTS[_leading(self.event)].items():
            address = self._target.symbol_at(base, path, name)
            yield name, address, self._entry(name, argument)

    def arm(self) -> None:
        """Set what was met. Not while a breakpoint decides."""
        while self._met:
            address, (hit, thread) = self._met.popitem()
            if address in self._watches:
                self._watches[address].see_all()
                continue
            self._watches[address] = Watch(address, hit)
            if thread is not None:
                self._watches[address].see_only(thread)
            if self._commands and self._shows_events(hit):
                self._watches[address].commands = self._commands

    @property
    def met(self) -> bool:
        """Was the program stopped only to arm?"""
        return bool(self._met) and self.hit is None

    def set_enabled(self, enabled: bool) -> None:
        for watch in self._watches.values():
            if watch.is_valid():
                watch.enabled = enabled

    def set_commands(self, commands: str | None) -> None:
        """What GDB is to do after a stop at an event."""
        self._commands = commands
        for watch in self._watches.values():
            if watch.is_valid() and self._shows_events(watch.hit) and watch.commands != commands:
                watch.commands = commands

    def _shows_events(self, hit: Hook) -> bool:
        """Or does it only lead to such places?"""
        if self.event.when == "entry" or (self.event.kind, self.event.when) in _CALLS:
            return True
        begins = self.event.when == "begin" and hit in (self._at_function, self._at_thread)
        return begins or hit == self._at_place

    def delete(self) -> None:
        for watch in self._watches.values():
            if watch.is_valid():
                watch.delete()
        self._watches.clear()
        self._met.clear()
        self._uncalled = set()

    # ---- While a breakpoint decides --------------------------------------------------------------

    def _meet(self, address: int, hit: Hook, thread: int | None = None) -> bool:
        """Must the program stop, to be able to set a breakpoint there? thread: GDB's number of the
        only one that is to be seen there, so far."""
        watch = self._watches.get(address)
        if watch is not None and watch.sees(thread):
            return False
        if not self._met:
            self.step = stepping.under_way()
        _, other = self._met.get(address, (hit, thread))
        self._met[address] = (hit, thread if thread == other else None)
        return True

    def _entry(self, name: str, argument: int) -> Hook:
        def hit(address: int) -> bool:
            try:
                return self._at_entry(name, argument)
            except (gdb.error, Unreadable):
                return False

        def hit_of_region(address: int) -> bool:
            """A program begins the same few regions again and again, and each register that GDB is
            asked for, each word of memory and each call is a part of what a stop costs."""
            try:
                registers = registers_at_breakpoint()
                begun = self._begun.get((name, registers(passed)))
                if begun is None:
                    return self._at_entry(name, argument)
                return self._begins(begun, registers)
            except (gdb.error, Unreadable):
                return False

        if argument < 0 or self.event != _BEGIN:
            return hit
        passed = self._machine.CONVENTION.arguments[argument]
        return hit_of_region

    def _at_entry(self, name: str, argument: int) -> bool:
        registers = registers_at_breakpoint()
        # Before memory, for which GDB gives up the frame.
        ident, function = self._described(registers, name)
        back, stack = self._machine.return_address(registers, self._target.read)
        if self._calls.is_inner(back):
            return False
        construct = self._construct(name, ident, function, back)
        if construct is None:
            return False
        if not self._is_at_place(construct, back - 1, function):
            return False
        if argument == abi.CALLED and self._is_jump(name, back, stack):
            return False
        if self.event.when == "entry" or argument == abi.CALLED:
            return self._decide(construct)
        if argument == abi.AFTER:
            return self._expect(self._after(name, back, stack, construct))
        if self.event.kind in ("task", "teams"):
            self._functions[function] = _Function(construct, abi.PARTS_OF.get(name))
            return self._meet(function, self._at_function)
        first, behind = self._first(function), stack - registers(machines.STACK_POINTER)
        begun = self._begun[name, function] = _Begun(first, construct, behind)
        return self._begins(begun, registers)

    def _begins(self, begun: _Begun, registers: Registers) -> bool:
        if not self._may_be_wanted(begun.first):
            return False
        stack = registers(machines.STACK_POINTER) + begun.behind
        # All of a team come there, and it is mostly the same thread of which that matters.
        return self._expect(Note(begun.first, stack, False, begun.construct), only=True)

    def _is_jump(self, name: str, back: int, stack: int) -> bool:
        """The entry point for what is deferred may go on in the other one."""
        thread = _thread()
        deferred = name.replace("_mapper", "_nowait_mapper")
        if self._called.get(thread) == (deferred, back, stack):
            return True
        self._called[thread] = (name, back, stack)
        return False

    def _expect(self, note: Note, only: bool = False) -> bool:
        """only: the other threads that come there are not to be seen, so far."""
        thread = gdb.selected_thread()
        self._notes.add(thread.ptid if thread is not None else _NOBODY, note)
        number = thread.global_num if only and thread is not None else None
        return self._meet(note.address, self._at_place, number)

    def _at_place(self, address: int) -> bool:
        try:
            note = self._notes.take(_thread(), address, machines.stack_pointer_at_breakpoint)
            if note is None or (note.task and self._goes_on(note)):
                return False
            if note.cancellable and self._machine.result(registers_at_breakpoint()) & 0xFF:
                return False
        except (gdb.error, Unreadable):
            return False
        return self._decide(note.construct)

    def _at_function(self, address: int) -> bool:
        """The runtime calls it; that of a task with if(0) the program itself."""
        try:
            function = self._functions[address]
            registers = registers_at_breakpoint()
            back, stack = self._machine.return_address(registers, self._target.read)
            if not self._calls.is_runtime(back):
                return False
            at = function.part
            word = self._machine.argument(registers, 1) + at if at is not None else 0
            part = self._part(word)
        except (gdb.error, Unreadable, KeyError):
            return False
        if self.event.when == "end":
            return self._expect(Note(back, stack, True, function.construct, word, part))
        if part:
            return False
        first = self._first(address)
        if first == address:
            return self._decide(function.construct)
        return self._expect(Note(first, stack, False, function.construct))

    def _at_creation(self, address: int) -> bool:
        try:
            function = self._machine.argument(registers_at_breakpoint(), glibc.CREATES_THREAD[1])
            return self._calls.is_runtime(function) and self._meet(function, self._at_thread)
        except (gdb.error, Unreadable):
            return False

    def _at_thread(self, address: int) -> bool:
        """Where a worker begins."""
        if self.event.when == "begin":
            return self._decide(Location())
        try:
            back, stack = self._machine.return_address(registers_at_breakpoint(), self._target.read)
        except (gdb.error, Unreadable):
            return False
        return self._expect(Note(back, stack, True, Location()))

    def _part(self, word: int) -> int:
        return self._target.number(word, 4) if word else 0

    def _goes_on(self, note: Note) -> bool:
        """Has an untied task put itself back, to be continued?"""
        return self._part(note.task) != note.part

    def _decide(self, construct: Location) -> bool:
        error = None
        try:
            if not self._wanted():
                return False
        except gdb.error as met:
            error = str(met)
        self.hit = Hit(self.event, construct, error)
        return True

    # ---- What an address means -------------------------------------------------------------------

    def _first(self, function: int) -> int:
        """The first instruction of the user's own in a construct's function."""
        if function not in self._firsts:
            of_task = self.event.kind == "task"
            self._firsts[function] = self._target.code.first_instruction(function, of_task)
        return self._firsts[function]

    def _described(self, registers: Registers, name: str) -> tuple[int, int]:
        """What is passed to the entry point: the compiler's record of the call, and the construct's
        function. 0: that is not passed."""
        ident = self._machine.argument(registers, 0) if abi.source_at(name) is not None else 0
        index = abi.FUNCTIONS.get(name)
        return ident, self._machine.argument(registers, index) if index is not None else 0

    def _construct(self, name: str, ident: int, function: int, back: int) -> Location | None:
        """As the compiler recorded it, else where its function begins, else where the call is.
        Calls by a jump can have one return address in common. None: another entry point has jumped
        here, which is told by the runtime's own description of what it does."""
        key = (ident, function, back)
        if key not in self._constructs:
            distance = abi.source_at(name)
            if ident and self._calls.is_runtime(ident):
                self._constructs[key] = None
            else:
                near = self._target.code.location(function or back - 1)
                source = self._source(ident + distance) if ident and distance is not None else None
                found = where.recorded(source, near)
                self._constructs[key] = found or near
        return self._constructs[key]

    def _is_at_place(self, construct: Location, call: int, function: int) -> bool:
        return self._place is None or self._place.holds(self._target, construct, call, function)

    def _source(self, address: int) -> str | None:
        text = self._target.number(address, self._target.pointer_size)
        return string_at(self._target.read, text)


_NOBODY = (0, 0, 0)


def _thread() -> tuple[int, int, int]:
    thread = gdb.selected_thread()
    return thread.ptid if thread is not None else _NOBODY
