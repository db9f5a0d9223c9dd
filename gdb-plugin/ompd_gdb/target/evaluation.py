# SPDX-License-Identifier: Apache-2.0
"""What is an expression's value, and what does a command print, in the user's own frame of a
thread?"""

from __future__ import annotations

import re
from itertools import chain
from typing import Callable, Iterable, Mapping, Sequence

import gdb
from ompd_core import abi, late_patterns
from ompd_core.errors import UserError
from ompd_core.light_classes import NamedTuple, replace
from ompd_core.model import where
from ompd_core.model.native import Frame, level_of
from ompd_core.model.process import Region, Thread
from ompd_core.model.values import Number, Value

from .. import texts
from . import console, inferior_calls, variables
from .selection import on_thread, select_frame
from .stacks import Code
from .thread_copies import NoCopy, ThreadCopies, in_place
from .unwound import Walk

_NO_SYMBOL = 'No symbol "'  # how GDB begins to say so
_OPTIMIZED_OUT = "optimized out"
_NO_COPY = "the thread has no copy of it yet"
# How GDB shows that there is no value, and why.
_NO_VALUES = {
    "<optimized out>": _OPTIMIZED_OUT,
    "<synthetic pointer>": _OPTIMIZED_OUT,
    "<incomplete type>": "its type is incomplete",
}
_NUMBERS = (gdb.TYPE_CODE_INT, gdb.TYPE_CODE_ENUM, gdb.TYPE_CODE_CHAR, gdb.TYPE_CODE_BOOL)

# GDB tells front ends at once where these have come to, whoever asked: not with their output.
_MOVES = late_patterns.compile(r"(?:(up|down|dow)|(f|fr|fra|fram|frame)(?=\s+\S))(?:\s+(.*))?")

# GDB's commands that let the program run, by what they may be shortened to.
_RESUMES = late_patterns.compile(
    r"(?:c|cont|conti|contin|continu|continue|fg|s|step|si|stepi|n|next|ni|nexti|u|until|adv"
    r"|advance|fin|finish|j|jump|signal|r|run|start|starti|reverse-\w+)"
    r"(?:\s.*)?",
    re.DOTALL,
)

# Commands and expressions of GDB's see GDB's threads: None, one that runs or is gone.
Native = Callable[[Thread], "gdb.InferiorThread | None"]
# On the stack of a thread.
UsersFrame = Callable[[Iterable[Frame], Thread], "Frame | None"]


class Beginning(NamedTuple):
    """What is found where a region was begun."""

    value: Value
    native: gdb.InferiorThread  # on whose stack
    place: Place
    own: dict[str, gdb.Symbol]  # each thread has another, by name
    shares: bool  # whether the expression names anything else


class Place(NamedTuple):
    """A frame, by how far out it is, and what the lookup of a name there depends on."""

    level: int
    pc: int
    function: str | None  # several inlined ones are at one pc
    innermost: bool


class Frames:
    """Of the user's, in the threads of one process."""

    def __init__(
        self,
        code: Code,
        code_map: where.CodeMap,
        native: Native,
        users_frame: UsersFrame,
        copies: ThreadCopies,
    ) -> None:
        self._code = code
        self._map = code_map
        self.native = native
        self._users_frame = users_frame
        self.copies = copies

    def walk(self) -> Walk:
        return self._code.frames()

    def own(self, walk: Walk, thread: Thread) -> Place | None:
        """In which the user's own code of the thread is. walk: of its stack."""
        return _place(walk.seen, self._users_frame(walk, thread))

    def of_construct(self, walk: Walk) -> Place | None:
        """walk: which may have been begun."""
        frames = chain(list(walk.seen), walk)
        return _place(walk.seen, where.construct_frame(frames, self._map))

    def beginning(self, region: Region) -> tuple[gdb.InferiorThread, Place] | None:
        """The frame that called the runtime to begin it, on the stack of its thread 0."""
        primary = region.members[0] if region.members else None
        native = self.native(primary) if primary is not None else None
        if primary is None or native is None or region.raw.generator == "program":
            return None
        place = self._site(native, primary, region)
        return (native, place) if place is not None else None

    def _site(self, native: gdb.InferiorThread, primary: Thread, region: Region) -> Place | None:
        with on_thread(native):
            frames = [replace(frame) for frame in self.walk()]  # recursion: none is another
        sites = where.fork_sites(frames, self._map, abi.FORKS)
        if not region.raw.function:
            # Not recorded. If there are as many calls as regions, each has one.
            begun = [r for r in _begun_by(primary) if r.raw.generator != "program"]
            paired = len(begun) == len(sites) and {r.runtime for r in begun} == {region.runtime}
            return _place(frames, sites[begun.index(region)][1]) if paired else None
        executing = [caller for body, caller in sites if body and body.entry == region.raw.function]
        if not executing:
            # The primary is still or again in the runtime: there is one site only.
            return _place(frames, sites[0][1]) if len(sites) == 1 else None
        alike = [r for r in _begun_by(primary) if r.raw.function == region.raw.function]
        if len(alike) == len(executing) and region in alike:
            return _place(frames, executing[alike.index(region)])
        return _place(frames, executing[0]) if len(executing) == 1 else None


def _begun_by(primary: Thread) -> list[Region]:
    """The regions of which it is thread 0, innermost first."""
    around = [region for member in primary.openmp for region, _ in member.chain]
    return [r for r in dict.fromkeys(around) if r.members and r.members[0] is primary]


def _place(frames: Sequence[Frame], frame: Frame | None) -> Place | None:
    if frame is None:
        return None
    level = level_of(frames, frame)
    return Place(level, frame.pc, frame.location.function, level == 0)


class Expression:
    """Evaluated in one thread after the other.

    GDB looks through all files for a name that a place in the code does not have. That is costly,
    and the same in all threads that are there: it is done once. So is what is evaluated in the
    frame that began a region, for all of its threads."""

    def __init__(self, text: str, frames: Frames) -> None:
        match = re.match(r"/([a-z])\s+", text)
        self._form = match.group(1) if match else None
        self._text = text[match.end() :] if match else text
        self._frames = frames
        self._unknown: dict[tuple[int, str | None, bool], Value] = {}
        self._of_regions: dict[Region, Beginning | None] = {}
        self._runtime_id: int | None = None  # of the thread that it is evaluated for
        # By where the thread is. Of the variables those that libomp copies for each thread.
        self._copied: dict[tuple[int, str | None], dict[str, gdb.Symbol]] = {}
        self._of_file: dict[tuple[int, str | None], variables.OfFile | None] = {}
        self._foreign: Value | None = None  # what GDB finds in other files

    def value(self, thread: Thread) -> Value:
        """In the user's own frame; what that does not have, in the frame of the construct's code,
        and in the one that began the thread's region."""
        native = self._frames.native(thread)
        if native is None:
            running = thread.native is not None and thread.native.running
            return Value(None, None, "running" if running else "gone")
        ids = (member.raw.runtime_id for member in thread.openmp)
        self._runtime_id = next((one for one in ids if one is not None), None)
        with on_thread(native):
            found = self._on_own_stack(thread)
        if found is None:
            return Value(None, None, "no frame of your own code")
        regions = [region for member in thread.openmp for region, _ in member.chain]
        if found.text is not None:
            return self._of_region(found, regions)
        for region in regions:
            beginning = self._where_began(region)
            if beginning is not None and beginning.own:
                return self._own(beginning, native, region)
            if beginning is not None:
                return replace(beginning.value, parents=region.id)
        return self._foreign or found

    def _of_region(self, found: Value, regions: Sequence[Region]) -> Value:
        """A variable of gcc's code of a construct can be that of the function around."""
        if found.variable is None or not found.variable.twin or found.variable.address is None:
            return found
        beginning = self._where_began(regions[0]) if regions else None
        there = beginning.value.variable if beginning is not None else None
        if there is None or there.address != found.variable.address:
            return found
        return replace(found, variable=found.variable._replace(is_parents=True))

    def _own(self, beginning: Beginning, native: gdb.InferiorThread, region: Region) -> Value:
        """The thread's, of an expression that only the frame that began its region can read."""
        try:
            with on_thread(native):
                pointers = {
                    name: self._frames.copies.pointer(symbol, self._runtime_id)
                    for name, symbol in beginning.own.items()
                }
        except NoCopy:
            return Value(None, None, _NO_COPY)
        except gdb.error as error:
            return Value(None, None, str(error).rstrip("."))
        with on_thread(beginning.native):
            found = self._evaluated(beginning.place, pointers)
        return replace(found, parents=region.id if beginning.shares else None)

    def _on_own_stack(self, thread: Thread) -> Value | None:
        """Frame by frame outwards, to the construct's."""
        walk = self._frames.walk()
        own = self._frames.own(walk, thread)
        if own is None:
            return None
        found = self._at(own)
        if found.text is not None and self._of_file[own.pc, own.function] is None:
            return found
        construct = self._frames.of_construct(walk)
        if construct is None or construct.level <= own.level:
            return found
        if found.text is not None:
            return self._marked(found, own, construct)
        for level in range(own.level + 1, construct.level):
            frame = walk.seen[level]
            place = Place(level, frame.pc, frame.location.function, False)
            there = self._at(place)
            if there.text is not None:
                there = replace(there, in_function=frame.location.function)
                return self._marked(there, place, construct)
        there = self._at(construct)
        if there.text is not None:
            return replace(there, in_construct=True)
        # There it may be known, and optimised out.
        return found if _is_unknown(there) else there

    def _marked(self, found: Value, place: Place, construct: Place) -> Value:
        """What belongs to a file that is not the construct's is marked with it."""
        of_file = self._of_file[place.pc, place.function]
        if of_file is not None:
            select_frame(construct.level)
            if not variables.is_visible(of_file.symbol):
                return replace(found, file=of_file.file)
        return found

    def _where_began(self, region: Region) -> Beginning | None:
        if region not in self._of_regions:
            self._of_regions[region] = self._at_beginning(region)
        return self._of_regions[region]

    def _at_beginning(self, region: Region) -> Beginning | None:
        beginning = self._frames.beginning(region)
        if beginning is None:
            return None
        native, place = beginning
        with on_thread(native):
            found = self._at(place)
            if found.text is None and found.error != _NO_COPY:
                return None
            select_frame(place.level)
            statics = variables.statics(self._text)
        own = {n: one for n, one in statics.symbols.items() if self._frames.copies.is_own(one)}
        return Beginning(found, native, place, own, not statics.all)

    def _at(self, place: Place) -> Value:
        key = (place.pc, place.function, place.innermost)
        if key not in self._unknown:
            found = self._evaluated(place)
            # Of all errors only this one is told by the place alone.
            if not _is_unknown(found):
                return found
            self._unknown[key] = found
        return self._unknown[key]

    def _evaluated(self, place: Place, pointers: Mapping[str, gdb.Value] | None = None) -> Value:
        """In a frame of the selected thread. pointers: to what names stand for."""
        try:
            select_frame(place.level)
            key = place.pc, place.function
            if pointers is None:
                found = _referenced(inferior_calls.evaluated(self._text))
                pointers = self._pointers(key)  # costly where there is no such symbol
            if pointers:
                with in_place(pointers) as words:
                    text = variables.replaced(self._text, words)
                    found = _referenced(inferior_calls.evaluated(text))
            if key not in self._of_file:
                self._of_file[key] = variables.of_file(self._text)
            of_file = self._of_file[key]
            if found.is_optimized_out or variables.is_misrecorded(self._text):
                return Value(None, None, _OPTIMIZED_OUT)
            shown = texts.value(found, **({"format": self._form} if self._form else {}))
            if not shown.strip():
                return Value(None, None, "its pretty-printer shows nothing")
            if shown in _NO_VALUES:
                return Value(None, None, _NO_VALUES[shown])
            number = _number(found)
            if of_file is not None and not of_file.visible:
                self._foreign = self._foreign or Value(shown, number, file=of_file.file)
                return Value(None, None, f'{_NO_SYMBOL}{self._text}" in current context')
            return Value(
                shown,
                number,
                first_of_loop=variables.is_first_of_loop(self._text),
                variable=variables.named(self._text, found),
            )
        except NoCopy:
            return Value(None, None, _NO_COPY)
        except gdb.error as error:
            return Value(None, None, str(error).rstrip("."))

    def _pointers(self, key: tuple[int, str | None]) -> dict[str, gdb.Value]:
        """To the selected thread's copies of what libomp copies. Raises NoCopy, gdb.error."""
        copies = self._frames.copies
        if self._runtime_id is None:
            return {}
        if key not in self._copied:
            found = variables.statics(self._text).symbols
            copied = {n: one for n, one in found.items() if copies.table(one) is not None}
            self._copied[key] = copied
        named = self._copied[key].items()
        return {name: copies.pointer(symbol, self._runtime_id) for name, symbol in named}


def _is_unknown(value: Value) -> bool:
    return (value.error or "").startswith(_NO_SYMBOL)


def _referenced(value: gdb.Value) -> gdb.Value:
    """Compilers pass shared variables to outlined functions as references: what is meant is the
    variable."""
    code = value.type.strip_typedefs().code
    if code in (gdb.TYPE_CODE_REF, getattr(gdb, "TYPE_CODE_RVALUE_REF", -1)):
        return value.referenced_value()
    return value


def _number(value: gdb.Value) -> Number | None:
    kind = value.type.strip_typedefs()
    if kind.code in _NUMBERS:
        return int(value)
    if kind.code == gdb.TYPE_CODE_FLT:
        return float(value)
    return None


def output_of(frames: Frames, thread: Thread, command: str) -> str:
    """What a command of GDB's prints in the user's own frame of a thread, in the innermost where
    none is the user's; also its error."""
    native = frames.native(thread)
    if native is None:
        return "(the thread is running, or gone)\n"
    with on_thread(native):
        own = frames.own(frames.walk(), thread)
        try:
            select_frame(own.level if own is not None else 0)
            if _RESUMES.fullmatch(command.strip()):
                return _output(command)
            with inferior_calls.refused(), inferior_calls.held():
                return _output(command)
        except gdb.error as error:
            return f"{error}\n"


def _output(command: str) -> str:
    moves = _MOVES.fullmatch(command.strip())
    if moves is None:
        return console.output(command)
    silently = f"{moves.group(1)}-silently" if moves.group(1) else "select-frame"
    console.output(f"{silently.replace('dow-', 'down-')} {moves.group(3) or ''}")
    return console.output("frame")


def place_of(text: str) -> tuple[int, int]:
    """Where in the memory an expression of the selected frame is, or points to, and of how many
    bytes: of a variable itself, of what a pointer points to, of a number the number. Raises
    UserError."""
    try:
        value = inferior_calls.evaluated(text)
        if value.type.code in (gdb.TYPE_CODE_REF, getattr(gdb, "TYPE_CODE_RVALUE_REF", -1)):
            value = value.referenced_value()
        kind = value.type.strip_typedefs()
        if kind.code == gdb.TYPE_CODE_PTR:
            return int(value) % (1 << 64), 1
        if value.address is not None:
            return int(value.address) % (1 << 64), int(kind.sizeof)
        return int(value) % (1 << 64), 1
    except (gdb.error, ValueError, OverflowError) as error:
        raise UserError(
            "bad_argument",
            f"`{text}' is not a device, an address or a variable: {error}",
            "`ompd target map' lists what is mapped.",
        ) from None
