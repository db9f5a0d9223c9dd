# SPDX-License-Identifier: Apache-2.0
"""Whose code is a frame of, and what does the user call the place?"""

from __future__ import annotations

import fnmatch
import re
from functools import lru_cache
from typing import Callable, Iterable, Sequence

from .. import late_patterns, runtimes
from ..library import types
from ..library.types import StackFrame
from ..light_classes import NamedTuple
from . import python_files
from .naming import (
    NAMELESS,
    is_flangs,
    is_outlined,
    of_fortran,
    parse_source,
    system_name,
    users_function,
    without_parameters,
)
from .native import PYTHON, Frame, Location, level_of
from .skips import Skip, in_system_header

# What the kernel puts into every process, for clocks.
VDSO = "linux-vdso.so.1"
# The C library and the dynamic linker, under the names that distributions give them.
SYSTEM = (
    VDSO,
    "libc.so*",
    "libc-[0-9]*.so",
    "ld-linux*.so*",
    "ld-[0-9]*.so",
    "ld64.so*",
    "ld-musl*.so*",
    "libpthread.so*",
    "libpthread-[0-9]*.so",
)

# flang's library for Fortran itself is linked into the program: how its functions begin.
_LINKED = (
    "libFortranRuntime.a",
    late_patterns.compile(r"_Fortran[A-Z]|(?:\w+ )*Fortran::runtime::"),
)

# What the C library starts threads and programs with, where it is linked into the program.
_THREAD_START = late_patterns.compile(r"start_thread|(__)?clone3?|__libc_start_\w+")

# What compilers call for an atomic operation, linked into every program.
_ATOMICS = late_patterns.compile(r"__aarch64_(cas|swp|ldadd|ldclr|ldeor|ldset)\d+_\w+$")


class Runtime(NamedTuple):
    """Where a runtime's code lies."""

    start: int
    end: int
    path: str | None
    embedded: bool = False  # linked into the program, whose code lies there too
    id: int = 0
    understood: bool = True  # what its entry points do is known
    calls_directly: bool = False  # see runtimes/base.py
    kind: str = ""


class CodeMap:
    """Whose code is at a frame's address?"""

    def __init__(
        self,
        runtimes: Iterable[Runtime],
        skip: Iterable[str] = (),
        stepped_over: Iterable[Skip] = (),
    ) -> None:
        """skip: libraries; stepped_over: functions and files."""
        self._stepped_over = tuple(stepped_over)
        self._runtimes = list(runtimes)
        self._skip = tuple(skip)
        self._matches: dict[tuple[str, tuple[str, ...]], bool] = {}
        self._runtime_of: dict[Frame, int | None] = {}
        self._is_skipped: dict[Frame, bool] = {}
        self._told: dict[Frame, StackFrame] = {}
        self._skips_linked = any(fits(_LINKED[0], one) for one in self._skip)

    def is_runtime(self, frame: Frame) -> bool:
        return self.runtime_of(frame) is not None

    def runtime_of(self, frame: Frame) -> int | None:
        if frame not in self._runtime_of:
            found = (one.id for one in self._runtimes if self._is_in(frame, one))
            self._runtime_of[frame] = next(found, None)
        return self._runtime_of[frame]

    def kind_of(self, runtime: int) -> str:
        return next((r.kind for r in self._runtimes if r.id == runtime), "")

    def understands(self, runtime: int | None) -> bool:
        return any(r.id == runtime and r.understood for r in self._runtimes)

    def is_embedded(self, runtime: int) -> bool:
        return any(r.id == runtime and r.embedded for r in self._runtimes)

    def calls_directly(self, runtime: int | None) -> bool:
        return any(r.id == runtime and r.calls_directly for r in self._runtimes)

    def _is_in(self, frame: Frame, runtime: Runtime) -> bool:
        if runtime.embedded:
            place = frame.location
            return runtimes.defines(place.function or "", place.file)
        if runtime.start == runtime.end:
            if runtime.path is None:
                return self._is_of(frame, runtimes.SERVED_FILES)
            return runtime.path == frame.location.objfile
        return runtime.start <= frame.pc < runtime.end

    def told(self, frame: Frame) -> StackFrame:
        """What libompd takes of it."""
        found = self._told.get(frame)
        if found is None:
            found = self._told[frame] = self._stack_frame(frame)
        return found

    def _stack_frame(self, frame: Frame) -> StackFrame:
        name, entry = frame.location.function, frame.entry or 0
        runtime = self.runtime_of(frame)
        if runtime is not None:
            return StackFrame(types.RUNTIME, self.kind_of(runtime), runtime, name, entry=entry)
        if self.is_system(frame):
            return StackFrame(types.SYSTEM, name=name)
        if self.is_unknown(frame):
            return StackFrame(types.UNKNOWN, entry=entry)
        kind = types.LIBRARY if self.is_skipped(frame) else types.PROGRAM
        return StackFrame(kind, name=name, entry=entry)

    @staticmethod
    def is_unknown(frame: Frame) -> bool:
        """Neither an image nor a symbol is known at its address."""
        place = frame.location
        return place.objfile is None and place.function is None and not frame.executable

    def is_system(self, frame: Frame) -> bool:
        """Of the C library or the dynamic linker."""
        return self._is_of(frame, SYSTEM)

    def ends_program(self, frame: Frame) -> bool:
        """Is it the C library's exit, which returning from main calls too?"""
        return self.is_system(frame) and system_name(frame.location.function or "") == "exit"

    def is_offload_runtime(self, frame: Frame) -> bool:
        return self._is_of(frame, runtimes.OFFLOAD_FILES)

    def is_offload(self, frame: Frame) -> bool:
        """Of an offload runtime, or of what it reaches devices through."""
        return self.is_offload_runtime(frame) or self._is_of(frame, runtimes.OFFLOAD_HELPERS)

    def is_skipped(self, frame: Frame) -> bool:
        """The same, or of a library in which the user does not look for his own code."""
        found = self._is_skipped.get(frame)
        if found is None:
            found = self._is_skipped[frame] = self._looks_skipped(frame)
        return found

    def _looks_skipped(self, frame: Frame) -> bool:
        if frame.interprets or frame.interpreters:
            return frame.interpreters
        name = frame.location.function or ""
        linked = self._skips_linked and _LINKED[1].match(name)
        atomic = name.startswith("__aarch64_") and _ATOMICS.match(name)
        if linked or atomic or self.is_offload(frame):
            return True
        return self._is_of(frame, SYSTEM) or self._is_of(frame, self._skip)

    def is_others(self, frame: Frame) -> bool:
        """Has it line information, and is yet not the user's own?"""
        place = frame.place
        if place.language == PYTHON and python_files.in_library(place.file):
            return True
        return in_system_header(place) or any(one.matches(place) for one in self._stepped_over)

    def _is_of(self, frame: Frame, patterns: tuple[str, ...]) -> bool:
        objfile = frame.location.objfile
        if objfile is None or frame.executable:
            return False
        key = (objfile, patterns)
        if key not in self._matches:
            name = objfile.rsplit("/", 1)[-1]
            self._matches[key] = any(
                fits(name, pattern) or fits(objfile, pattern) for pattern in patterns
            )
        return self._matches[key]


def fits(name: str, pattern: str) -> bool:
    """As the shell's patterns. Where it begins otherwise no pattern is compiled for it."""
    start = re.split(r"[*?[]", pattern, 1)[0]
    return name.startswith(start) and fnmatch.fnmatchcase(name, pattern)


def is_offload(path: str) -> bool:
    """Is it an offload runtime's file?"""
    name = path.rsplit("/", 1)[-1]
    return any(fits(name, pattern) for pattern in runtimes.OFFLOAD_FILES)


def is_runtime_file(path: str | None) -> bool:
    """Of a runtime that is a library by itself, and served."""
    name = (path or "").rsplit("/", 1)[-1]
    return any(fnmatch.fnmatchcase(name, pattern) for pattern in runtimes.SERVED_FILES)


def starts_thread(frame: Frame) -> bool:
    """Where the C library is linked into the program."""
    name = frame.location.function or ""
    return frame.location.line is None and _THREAD_START.fullmatch(name) is not None


def construct_frame(frames: Iterable[Frame], code: CodeMap) -> Frame | None:
    """That of a construct's code, which the runtime called. None: none of the user's is."""
    inner = None
    for frame in frames:
        if not code.is_runtime(frame):
            if not code.is_skipped(frame) and not _unpacks_for(inner, frame):
                inner = frame
        elif inner is not None:
            return inner
    return None


def _unpacks_for(inner: Frame | None, caller: Frame) -> bool:
    """clang's unoptimized code of a construct with -g: the runtime calls a function that has the
    variables as they were passed, and calls the one which has them as the user declared them."""
    name = inner.location.function if inner is not None else None
    return name is not None and "_debug__" in name and is_outlined(caller.location.function)


def call_of(
    frames: Sequence[Frame],
    users: Frame,
    code: CodeMap,
    called: Callable[[Frame, Frame], str | None],
) -> Location | None:
    """The function outside OpenMP that the user's frame is in a call of. frames: innermost first,
    up to the user's. called: what was, by a frame and its caller's code: libraries without symbols
    do not name their inner functions."""
    inner = None
    for frame in frames:
        if frame is users:
            break
        if not frame.interpreters:
            inner = frame
    if inner is None or code.is_runtime(inner) or code.is_unknown(inner):
        return None
    name = inner.location.function
    if name is None:
        name = called(inner, users)
    elif code.is_system(inner):
        name = system_name(name)
    called_so = without_parameters(of_fortran(name)) if name is not None else None
    return inner.location._replace(function=called_so)


@lru_cache(maxsize=1024)
def in_users_terms(location: Location, enclosing: str | None) -> Location:
    """With the function's name as the user knows it. enclosing: the function of the region that the
    thread executes, for compilers whose names do not tell."""
    name = location.function
    if name is None:
        return location
    if not is_outlined(name):
        return location._replace(function=without_parameters(of_fortran(name)))
    users = users_function(name) or enclosing or NAMELESS
    return location._replace(function=without_parameters(users))


def recorded(text: str | None, near: Location | None = None) -> Location | None:
    """The place that the compiler recorded of a construct, ";file;function;line;column;;". near:
    code of the construct or around it, for what flang does not record: the file, and what the
    function is in."""
    source = parse_source(text)
    if source is None:
        return None
    if source.file is not None or near is None:
        return Location(source.function, source.file, None, source.line)
    function = users_function(near.function or "") if is_flangs(near.function) else None
    return Location(function or source.function, near.file, near.fullname, source.line)


def _calls_for_another_reason(caller: Frame | None, code: CodeMap, names: set[str]) -> bool:
    """Entry points may execute tasks, too; some call a region's code themselves."""
    if caller is None or caller.location.function in names:
        return False
    return code.calls_directly(code.runtime_of(caller))


def interpreted_caller(frames: Sequence[Frame], frame: Frame, code: CodeMap) -> Location | None:
    """The line of an interpreted language that led to compiled code without lines. None: none did,
    or the code has lines."""
    if frame.location.line is not None:
        return None
    for one in frames[level_of(frames, frame) :]:
        if one.interprets or code.is_runtime(one):
            return one.place if one.interprets else None
    return None


def fork_sites(
    frames: Iterable[Frame], code: CodeMap, entry_points: Iterable[str]
) -> list[tuple[Frame | None, Frame]]:
    """The constructs that a stack is inside of, innermost first: (the frame that executes the
    construct's body, the frame that called the runtime to begin it). The body is None while the
    thread is still or again in the runtime, and where the optimiser has removed the frames between
    two constructs."""
    names = set(entry_points)
    found: list[tuple[Frame | None, Frame]] = []
    body: Frame | None = None
    forking = False
    forks = 0  # one entry point may call another
    caller: Frame | None = None  # of the body
    for frame in frames:
        if code.is_runtime(frame):
            caller = caller or frame
            was, forking = forking, frame.location.function in names
            forks += forking and not was
        else:
            if forking:
                executes = forks == 1 and not _calls_for_another_reason(caller, code, names)
                found.append((body if executes else None, frame))
                body = None
            forking, forks, caller = False, 0, None
            if not code.is_skipped(frame):
                body = frame
    return found
