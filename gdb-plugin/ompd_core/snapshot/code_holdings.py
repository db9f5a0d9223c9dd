# SPDX-License-Identifier: Apache-2.0
"""Which locks and critical constructs does a thread hold, by the code of the functions that it is
in? libomp does not store who holds most of them."""

from __future__ import annotations

from typing import Collection, Mapping, Sequence

from .. import abi
from ..arch.base import Machine
from ..code.machine_code import (
    Callee,
    Instruction,
    Low,
    Memory,
    Number,
    Register,
    Store,
    constant,
    low_bytes,
    number,
)
from ..code.machine_state import MachineState, Reader
from ..code.returning import NEVER_RETURN
from ..debugger import MOST_FRAMES, Debugger, StoppedThread
from ..errors import Unreadable
from ..light_classes import NamedTuple
from ..model import where
from ..model.forgotten import Left, Stack, Unpaired
from ..model.holding import (
    LOCKS,
    NO_OBJECT,
    Acquired,
    Effect,
    Ended,
    Function,
    Held,
    HoldingState,
    TooMuch,
    called,
)
from ..model.native import Frame, Location
from . import function_body
from .function_body import SELDOM, Body
from .lock_calls import ROUTINES

# Functions that are looked through for what a call may end.
MOST_CALLED = 64
MOST_FUNCTIONS = 512
DEEPEST_CALL = 16
MOST_TARGETS = 4096
MOST_OF_STUB = 6  # instructions

# Only lock routines can be called in another function than the one that acquired.
ANY_LOCK = frozenset(Ended(kind, None) for kind in LOCKS)
ANYTHING = frozenset(Ended(kind, None) for kind in {kind for kind, _ in abi.ENDS.values()})

# They call nothing of the program's.
_LIBRARIES = (
    "libm.so*",
    "libm-*.so",
    "libstdc++.so*",
    "libc++.so*",
    "libc++abi.so*",
    "libgcc_s.so*",
    "libgfortran.so*",
    "libquadmath.so*",
)
# Who returns again may have gone any way in between.
_RETURN_TWICE = frozenset("setjmp _setjmp sigsetjmp __sigsetjmp".split())


class Object(NamedTuple):
    """What a call is about."""

    address: int
    exact: bool  # a constant in the code; else read from where the code had it


class _Table(NamedTuple):
    """Of a switch."""

    entry: Memory  # the first one
    signed: bool
    origin: int  # what entries count from
    unit: int  # by how many bytes
    last: int | None  # of its entries; None: it is not known where it ends


class _Level(NamedTuple):
    """A frame of the user's, while its thread is looked at."""

    stopped: StoppedThread
    number: int
    record: Frame
    in_call: bool
    start: int | None


class Holdings:
    """Of one picture. Each function is looked at once."""

    def __init__(self, debugger: Debugger, machine: Machine, code_map: where.CodeMap) -> None:
        self._debugger, self._machine = debugger, machine
        self._code, self._code_map = debugger.code, code_map
        self._bodies: dict[int, Body | None] = {}
        self._with_steps: dict[int, dict[int, Instruction]] = {}
        self._functions: dict[tuple[int, tuple[Held, ...]], Function | None] = {}
        self._may_end: dict[int, frozenset[Ended]] = {}
        self._called: list[int] = []  # the functions that are being looked at for what they end
        # Where the dynamic linker keeps the addresses of what images take from each other.
        self._linkers_tables = [one for one in self._code.sections() if one.name.startswith(".got")]
        self._places: dict[int, Location] = {}
        self._alike: dict[tuple[tuple[int, bool], ...], list[Held]] = {}
        self._of_frames: dict[tuple[Frame, ...], list[Held]] = {}
        self._foreign: dict[int, bool] = {}  # by pc: the runtime's or the C library's
        # Of the stack that was looked at last.
        self._whole = False  # down to where the thread began
        self._entry: str | None = None  # the runtime's function that the program called

    def of(self, stopped: StoppedThread) -> list[Held]:
        """Innermost frame first."""
        # Threads at the same places hold the same, where the code alone tells what. They have the
        # same frames, where the debugger makes one for a place.
        frames = tuple(stopped.frames())
        known = self._of_frames.get(frames)
        if known is not None:
            return known
        levels = self._levels(stopped)
        places = tuple((level.record.pc, level.in_call) for level in levels)
        if places in self._alike:
            self._of_frames[frames] = self._alike[places]
            return self._alike[places]
        held: list[Held] = []
        for i in reversed(range(len(levels))):
            held = self._through(levels[i], held, levels[i - 1].start if i else None)
        held.reverse()
        if all(one.exact for one in held):
            self._of_frames[frames] = self._alike[places] = held
        return held

    def stack(self, stopped: StoppedThread, callers: Collection[int]) -> Stack:
        """callers: the functions that call the routines of locks."""
        levels = self._levels(stopped)
        known = all(self._is_understood(level, callers) for level in levels)
        return Stack(self._whole and known, abi.normal(self._entry or "") in ROUTINES)

    def _is_understood(self, level: _Level, callers: Collection[int]) -> bool:
        if level.start is None or SELDOM in (self._code.object(level.start) or ""):
            return False
        return level.start not in callers or self._state(level, ())[0] is not None

    def unpaired(self, callers: Collection[int]) -> list[Unpaired] | None:
        """What each of the functions may end that it has not begun, and leave. None: not known."""
        bodies = {start: self._body(start) for start in callers}
        parts = {part for body in bodies.values() if body is not None for part in body.parts}
        found = []
        for start, body in bodies.items():
            if body is None and start in parts:
                continue  # looked at with the function that it is a part of
            function = self._alone(body) if body is not None else None
            if function is None:
                return None
            left = {
                self._left(each) for one in function.left_holding() for each in one.either or (one,)
            }
            found.append(Unpaired(frozenset(function.ended_itself()), tuple(left)))
        return found

    def _alone(self, body: Body) -> Function | None:
        """As if what it calls ended nothing: that is asked of the functions it calls."""
        try:
            return Function(
                self._complete(body),
                body.start,
                self._machine.CONVENTION,
                self._effect,
                lambda to: (),
                lambda value, limits: self._targets(value, limits, body),
            )
        except (TooMuch, Unreadable):
            return None

    def _left(self, one: Acquired) -> Left:
        known = one.object is not None and one.object.is_constant
        address = one.object.constant if known and one.object is not None else None
        return Left(one.kind, address, self._place(one.site))

    def waited_for(self, stopped: StoppedThread) -> Object | None:
        """The object of the call of the runtime's that the user's innermost frame is in."""
        for level in self._levels(stopped, 1):
            state, instruction = self._state(level, ())
            if state is None or instruction is None or not level.in_call:
                return None
            name = abi.normal(self._name(called(instruction, state)) or "")
            index = abi.OBJECT_ARGUMENT.get(name)
            if index is None:
                return None
            wanted = state.object(Effect(argument=index), instruction.address)
            state.after_call()
            return self._object(wanted, state, level)
        return None

    def arguments(
        self, stopped: StoppedThread, frame: Frame, indices: Sequence[int], first: int = 0
    ) -> list[int | None]:
        """Of the call that the innermost frame there is in, from a level on. None: its code does
        not tell. Those that are passed on the stack are as what was called has left them."""
        level = self._calling(stopped, frame, first)
        state, instruction = self._state(level, ()) if level is not None else (None, None)
        if level is None or state is None or instruction is None:
            return [None] * len(indices)
        in_registers = len(self._machine.CONVENTION.arguments)
        wanted = {
            one: state.object(Effect(argument=one), instruction.address)
            for one in indices
            if one < in_registers
        }
        state.after_call()
        found: list[int | None] = []
        for one in indices:
            if one < in_registers:
                known = self._object(wanted[one], state, level)
                found.append(known.address if known is not None else None)
            else:
                found.append(self._on_stack(level, one - in_registers))
        return found

    def _on_stack(self, level: _Level, place: int) -> int | None:
        try:
            return self._number_at(level.stopped.stack_pointer(level.number) + 8 * place, 8)
        except Unreadable:
            return None

    def _calling(self, stopped: StoppedThread, frame: Frame, first: int) -> _Level | None:
        for level in self._levels(stopped):
            if level.number >= first and level.record.pc == frame.pc:
                return level if level.in_call else None
        return None

    def constants(
        self, stopped: StoppedThread, frame: Frame, argument: int, offset: int, first: int = 0
    ) -> set[int]:
        """Which constants of 4 bytes does a function write, anywhere, so far behind where an
        argument of its call points?"""
        level = self._calling(stopped, frame, first)
        body = self._body(level.start) if level is not None and level.start is not None else None
        function = self._function(body, ()) if body is not None else None
        state, call = self._state(level, ()) if level is not None else (None, None)
        if body is None or function is None or state is None or call is None:
            return set()
        pointer = state.object(Effect(argument=argument), call.address)
        if pointer is None or not pointer.terms:
            return set()
        found = set()
        for at, one in self._complete(body).items():
            for step in one.steps:
                if not isinstance(step, Store) or step.size not in (4, 8) or step.value is None:
                    continue
                before = function.at(at)
                if before is None:
                    continue
                address, value = before.value(step.address, at), before.value(step.value, at)
                if address is None or value is None or not value.is_constant:
                    continue
                part = pointer.plus(constant(offset)).plus(address.times(-1))
                if part.is_constant and part.constant in range(0, step.size, 4):
                    found.add(value.constant >> 8 * part.constant & 0xFFFFFFFF)
        return found

    # ---- Frames ----------------------------------------------------------------------------------

    def _levels(self, stopped: StoppedThread, most: int = MOST_FRAMES) -> list[_Level]:
        """The frames outside the runtime and the C library, innermost first."""
        found: list[_Level] = []
        self._whole, self._entry = False, None
        frames, in_call = stopped.frames(), False
        for i, record in enumerate(frames):
            if not record.inlined and not self._is_passed_over(record):
                start = self._start(record, in_call)
                found.append(_Level(stopped, i, record, in_call, start))
                if len(found) == most:
                    break
            elif not found and self._code_map.is_runtime(record):
                self._entry = record.location.function
            if not record.inlined:
                # A signal interrupts a function anywhere.
                in_call = not record.signal
        self._whole = frames.whole
        return found

    def _is_passed_over(self, record: Frame) -> bool:
        if record.pc not in self._foreign:
            self._foreign[record.pc] = self._code_map.is_runtime(
                record
            ) or self._code_map.is_skipped(record)
        return self._foreign[record.pc]

    def _start(self, record: Frame, in_call: bool) -> int | None:
        if record.entry is not None:
            return record.entry
        # A call that never returns may be the last instruction of its function.
        return self._code.start(record.pc - in_call)

    def _through(self, level: _Level, outer: Sequence[Held], inner: int | None) -> list[Held]:
        """What is held in a frame, by what is held in those further out."""
        unsure = [one._replace(always=False) for one in outer]
        body = self._body(level.start) if level.start is not None else None
        if body is None:
            return unsure
        if not outer and not any(self._may_begin(one.to) for one in body.calls()):
            return []
        state, instruction = self._state(level, outer)
        if state is None:
            return unsure
        if instruction is not None and level.in_call:
            self._in_call(state, instruction, inner)
        return [self._held(one, always, state, level) for one, always in state.held.items()]

    def _in_call(self, state: HoldingState, instruction: Instruction, inner: int | None) -> None:
        """What it ends may be ended already."""
        to = called(instruction, state)
        effect = self._effect(to)
        if effect.ends is not None:
            state.doubt_object(effect.ends, state.object(effect, instruction.address))
        ended = self._ended_by(to) if state.held else frozenset()
        if not ended:
            state.after_call()
            return
        name = abi.normal(self._name(to) or "")
        executed = self._address(to)
        if name in abi.FORKED_ARGUMENT:
            forked = Effect(argument=abi.FORKED_ARGUMENT[name])
            function = state.object(forked, instruction.address)
            executed = function.constant if function and function.is_constant else None
        if inner is None or executed != inner:
            # Else the inner frame tells it.
            state.doubt(ended)
        state.after_call()

    def _state(
        self, level: _Level, outer: Sequence[Held]
    ) -> tuple[HoldingState | None, Instruction | None]:
        """Where the frame stands: before the call that it is in."""
        body = self._body(level.start) if level.start is not None else None
        if body is None:
            return None, None
        at = (body.returns if level.in_call else body.code).get(level.record.pc)
        function = self._function(body, tuple(outer)) if at is not None else None
        if at is None or function is None:
            return None, None
        return function.at(at.address), at

    def _held(self, one: Acquired, always: bool, state: HoldingState, level: _Level) -> Held:
        if one.outer is not None:
            return one.outer._replace(always=always)
        if one.object == NO_OBJECT:
            return Held(one.kind, None, self._place(one.site), always, True)
        found = self._object(one.object, state, level)
        if found is None:
            return Held(one.kind, None, self._place(one.site), always, False)
        place = self._place(self._site(one, found.address))
        return Held(one.kind, found.address, place, always, found.exact)

    @staticmethod
    def _site(one: Acquired, address: int) -> int:
        """Of several calls that acquired something else each, the one that acquired this."""
        for each in one.either:
            if each.object == constant(address):
                return each.site
        return one.site

    def _object(self, wanted: Number | None, state: HoldingState, level: _Level) -> Object | None:
        if wanted is None:
            return None
        if wanted.is_constant:
            return Object(wanted.constant, True)
        thread = Reader(level.stopped.registers(level.number), self._number_at)
        address = state.now(wanted, thread)
        return Object(address, False) if address is not None else None

    def _number_at(self, address: int, size: int) -> int | None:
        try:
            return self._debugger.number(address, size)
        except Unreadable:
            return None

    def _place(self, site: int) -> Location:
        if site not in self._places:
            self._places[site] = where.in_users_terms(
                self._code.location(site), self._code.holder_at(site)
            )
        return self._places[site]

    # ---- Functions -------------------------------------------------------------------------------

    def _function(self, body: Body, outer: tuple[Held, ...]) -> Function | None:
        key = (body.start, outer)
        if key not in self._functions:
            try:
                self._functions[key] = Function(
                    self._complete(body),
                    body.start,
                    self._machine.CONVENTION,
                    self._effect,
                    self._ended_by,
                    lambda value, limits: self._targets(value, limits, body),
                    outer,
                )
            except (TooMuch, Unreadable):
                self._functions[key] = None
        return self._functions[key]

    def _complete(self, body: Body) -> dict[int, Instruction]:
        """With all that the instructions do: read once, whatever is held outside."""
        if body.start not in self._with_steps:
            code: dict[int, Instruction] = {}
            for part in body.parts.items():
                code.update(self._machine.instructions(self._debugger.disassembler, *part, True))
            self._with_steps[body.start] = code
        return self._with_steps[body.start]

    def _body(self, start: int) -> Body | None:
        if start not in self._bodies:
            try:
                self._bodies[start] = function_body.at(self._debugger, self._machine, start)
            except Unreadable:
                self._bodies[start] = None
        return self._bodies[start]

    def _targets(self, value: Number, limits: Mapping[Number, int], body: Body) -> list[int] | None:
        """Of a jump by a table: its entries are addresses, or distances from a place in the code
        or from the table, counted in instructions where those have one size."""
        known = self._pointed(value)
        if known is not None:
            return [known]
        if len(value.terms) != 1:
            return None
        ((atom, unit),) = value.terms
        signed = isinstance(atom, Low) and atom.signed
        inner = atom.of.only_atom() if isinstance(atom, Low) and signed else atom
        if not isinstance(inner, Memory) or (signed and inner.size != atom.size):  # type: ignore
            return None
        # Whole addresses count from nowhere, and what is shorter from somewhere.
        if (inner.size == 8) != (value.constant == 0) or unit not in (1, 4):
            return None
        if not inner.address.constant or [f for _, f in inner.address.terms] != [inner.size]:
            return None
        ((index, _),) = inner.address.terms
        table = _Table(inner, signed, value.constant, unit, limits.get(number(index)))
        return self._entries(table, body)

    def _entries(self, table: _Table, body: Body) -> list[int] | None:
        """As many as the code asks for in front of the jump, else as long as they lead into the
        function: some too many do no harm."""
        found: list[int] = []
        size = table.entry.size
        count = 1 << 8 * size if table.last is None else table.last + 1
        for i in range(min(MOST_TARGETS, count)):
            entry = self._number_at(table.entry.address.constant + i * size, size)
            if entry is None:
                break
            target = table.origin + table.unit * low_bytes(entry, size, table.signed)
            if target not in body.code and target not in body.parts.values():
                break
            found.append(target)
        return found or None

    # ---- Calls -----------------------------------------------------------------------------------

    def _may_begin(self, to: Callee) -> bool:
        in_register = to.pointer is not None and isinstance(to.pointer.only_atom(), Register)
        return in_register or self._effect(to).begins is not None

    def _effect(self, to: Callee) -> Effect:
        name = abi.normal(self._name(to) or "")
        if name in abi.BEGINS:
            kind, argument = abi.BEGINS[name]
            conditional = name.startswith(abi.TESTS)
            return Effect(begins=kind, argument=argument, conditional=conditional)
        if name in abi.ENDS:
            kind, argument = abi.ENDS[name]
            return Effect(ends=kind, argument=argument)
        return Effect(returns=name not in NEVER_RETURN)

    def _name(self, to: Callee) -> str | None:
        if to.name is not None:
            return to.name
        address = self._address(to)
        return self._code.object(address) if address is not None else None

    def _address(self, to: Callee) -> int | None:
        """Of the function that is called, behind the table of the dynamic linker's."""
        address = to.address
        if address is None:
            return self._pointed(to.pointer)
        if to.name is not None and to.name.endswith("@plt"):
            return self._pointed(self._jumped_to(address))
        return address

    def _jumped_to(self, stub: int) -> Number | None:
        """Where the dynamic linker's stub goes."""
        decode = self._machine.decoder(self._debugger.disassembler)
        state, at = MachineState(self._machine.CONVENTION, stub), stub
        for _ in range(MOST_OF_STUB):
            decoded = decode(at)
            if decoded is None or decoded[0].flow not in ("next", "padding", "jump"):
                return None
            instruction = decoded[0]
            for step in instruction.steps:
                state.do(step, at)
            if instruction.flow == "jump":
                return state.value(instruction.to.pointer, at)
            at = instruction.following
        return None

    def _pointed(self, pointer: Number | None) -> int | None:
        """What a number is that is constant, or in a table that the dynamic linker wrote: other
        variables may have been changed since."""
        if pointer is None or pointer.is_constant:
            return pointer.constant if pointer is not None else None
        atom = pointer.only_atom()
        if not isinstance(atom, Memory) or not atom.address.is_constant:
            return None
        slot = atom.address.constant
        linked = any(one.start <= slot < one.end for one in self._linkers_tables)
        return self._number_at(slot, 8) if linked else None

    def _ended_by(self, to: Callee) -> frozenset[Ended]:
        """What a function may end that it has not begun itself; of the runtime's, what it calls."""
        name = abi.normal(self._name(to) or "")
        if name in abi.FORKED_ARGUMENT:
            return ANY_LOCK
        if name in abi.BEGINS or name in abi.ENDS or name in NEVER_RETURN:
            return frozenset()
        if name in _RETURN_TWICE:
            return ANYTHING
        address = self._address(to)
        return ANY_LOCK if address is None else self._ended_by_function(address)

    def _ended_by_function(self, address: int) -> frozenset[Ended]:
        if address in self._may_end:
            return self._may_end[address]
        if address in self._called or len(self._called) >= DEEPEST_CALL:
            return ANYTHING
        self._called.append(address)
        try:
            found = self._look_through(address)
        finally:
            self._called.pop()
        if not self._called or found != ANYTHING:
            self._may_end[address] = found
        return found

    def _look_through(self, address: int) -> frozenset[Ended]:
        reachable = self._reachable(address)
        if reachable is None:
            return ANYTHING
        if not any(self._ends_something(body) for body in reachable):
            return frozenset()
        function = self._function(reachable[0], ())
        if function is None:
            return ANYTHING
        return frozenset(function.ended_outside())

    def _ends_something(self, body: Body) -> bool:
        for one in body.calls():
            name = abi.normal(self._name(one.to) or "")
            if name in abi.ENDS or name in abi.FORKED_ARGUMENT or self._address(one.to) is None:
                return True
        return body.jumps_anywhere

    def _reachable(self, address: int) -> list[Body] | None:
        """The functions that are called from one, itself first; None: too many, or not known."""
        found: list[Body] = []
        seen, waiting = {address}, [address]
        while waiting:
            at = waiting.pop(0)
            if self.is_foreign(at):
                continue
            body = self._body(at)
            if body is None or len(found) == MOST_CALLED or len(self._bodies) > MOST_FUNCTIONS:
                return None
            found.append(body)
            for one in body.calls():
                target = self._address(one.to)
                if target is not None and target not in seen:
                    seen.add(target)
                    waiting.append(target)
        return found

    def is_foreign(self, address: int) -> bool:
        """Code that calls nothing of the program's."""
        location = self._code.location(address)
        frame = Frame(location, executable=self._code.in_executable(address))
        if self._code_map.is_runtime(frame) or self._code_map.is_skipped(frame):
            return True
        name = (location.objfile or "").rsplit("/", 1)[-1]
        return any(where.fits(name, pattern) for pattern in _LIBRARIES)
