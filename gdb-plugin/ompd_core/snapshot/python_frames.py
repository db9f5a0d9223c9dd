# SPDX-License-Identifier: Apache-2.0
"""Which frames of Python's does each of the interpreter's native frames execute? Laid together by
addresses: each call of the interpreter's leaves a mark within its native frame. 3.9 leaves none:
there as many calls as frames belong together."""

from __future__ import annotations

from functools import cached_property
from typing import Iterator, Mapping, Sequence

from ..cpython import states
from ..cpython.frames import Frames, PythonFrame, Run, Runs
from ..debugger import Debugger, Stack, StoppedThread
from ..errors import Unreadable
from ..light_classes import replace
from ..model import doubts, python_files
from ..model.doubts import Doubt
from ..model.native import PYTHON, Frame, Location, NativeThread
from .interpreter import Found, Interpreter

# The interpreter's function that executes code, and what its own program calls.
_EVALUATES, _MAIN = "_PyEval_EvalFrameDefault", "Py_BytesMain"

_Laid = Mapping[int, Run]  # by the level of the native frame


class PythonFrames:
    """Of one picture."""

    def __init__(self, debugger: Debugger, wanted: bool) -> None:
        """wanted: else stacks are as the debugger has them."""
        self.interpreter = Interpreter(debugger)
        self._wanted = wanted
        self._doubts: dict[int, Doubt | None] = {}  # by the debugger's number
        # And so deep it was looked.
        self._known: dict[int, tuple[int, Sequence[Frame]]] = {}
        self._hidden: dict[int, tuple[Frame, Frame]] = {}  # by id, with what is asked by it

    def on(self, native: NativeThread, stopped: StoppedThread, depth: int, likely: bool) -> Stack:
        """A thread's stack, with what its interpreter executes on it. depth: frames further out are
        not looked at. likely: with frames that are not certain."""
        known_depth, shown = self._known.get(native.num, (0, ()))
        if known_depth < depth:
            shown = self._looked_at(native, stopped, depth)
            self._known[native.num] = depth, shown
        stack = stopped.frames(depth, likely)
        return _Stack(stack, shown) if shown else stack

    def _looked_at(
        self, native: NativeThread, stopped: StoppedThread, depth: int
    ) -> Sequence[Frame]:
        """Empty: no interpreter knows the thread."""
        found, runs = self._found, self._runs(native)
        if found is None or runs is None:
            return ()
        probe = stopped.frames(depth + 1)
        frames = list(probe)
        laid: _Laid = {}
        try:
            laid, doubt = self._laid(found, frames, runs, probe.whole, stopped)
        except Unreadable:
            doubt = doubts.PYTHON_NOT_LAID
        self._doubts[native.num] = doubt
        return [
            self._shown(found, frames, level, laid.get(level), doubt is None)
            for level in range(len(frames))
        ]

    def innermost(self, native: NativeThread) -> Location | None:
        """The place that is shown of a stack which has been looked at."""
        _, shown = self._known.get(native.num, (0, ()))
        places = [frame.place for frame in shown if frame.interprets]
        own = (one for one in places if not python_files.in_library(one.file))
        return next(own, next(iter(places), None))

    def doubt(self, native: NativeThread, frames: Sequence[Frame]) -> Doubt | None:
        """Why there may be more frames of Python's than are shown among these."""
        found = self._found
        if found is None or not any(_is_in(found, frame) for frame in frames):
            return None
        if found.layout is None:
            return doubts.python_unknown(found.why)
        return doubts.PYTHON_UNREAD if self._states is None else self._doubts.get(native.num)

    @property
    def _found(self) -> Found | None:
        return self.interpreter.found if self._wanted else None

    @cached_property
    def _states(self) -> Mapping[int, Sequence[int]] | None:
        """Their addresses, by their threads' pthread_t. None: they cannot be read."""
        found = self._found
        known: dict[int, list[int]] = {}
        if found is not None and found.layout is not None:
            try:
                for state in states.of(self.interpreter.memory, found.layout, found.runtime):
                    known.setdefault(state.pthread_id, []).append(state.address)
            except (Unreadable, OverflowError):
                return None
        return known

    @cached_property
    def _frames(self) -> Frames | None:
        layout = self._found.layout if self._found is not None else None
        return Frames(self.interpreter.memory, layout) if layout is not None else None

    def _runs(self, native: NativeThread) -> Runs | None:
        """None: no interpreter knows the thread."""
        mine = (self._states or {}).get(native.pthread_id or 0)
        if not mine or self._frames is None:
            return None
        found = [self._frames.of(state) for state in mine]
        all_ = [run for one in found for run in one.all]
        if len([one for one in found if one.all]) > 1:  # of sub-interpreters
            all_.sort(key=lambda run: run.mark or 0)
        return Runs(tuple(all_), any(one.damaged for one in found))

    # ---- Which native frame? ---------------------------------------------------------------------

    def _laid(
        self, found: Found, frames: Sequence[Frame], runs: Runs, whole: bool, stopped: StoppedThread
    ) -> tuple[_Laid, Doubt | None]:
        damaged = doubts.PYTHON_DAMAGED if runs.damaged else None
        if not any(run.mark for run in runs.all):
            laid = _by_count(frames, runs.all) if whole and not damaged else None
            return laid or {}, damaged or (doubts.PYTHON_NOT_LAID if laid is None else None)
        known: dict[int, Run] = {}
        missed = False
        places = _places(found, frames, stopped)
        place = next(places, None)
        for run in runs.all:
            while place is not None and run.mark is not None and place[2] <= run.mark:
                place = next(places, None)
            if run.mark is None or place is None or run.mark < place[1]:
                # Further out than was looked at there may be others.
                missed = missed or run.mark is None or whole or place is not None
            else:
                known[place[0]] = run
        return known, damaged or (doubts.PYTHON_NOT_LAID if missed else None)

    def _shown(
        self, found: Found, frames: Sequence[Frame], level: int, run: Run | None, complete: bool
    ) -> Frame:
        frame = frames[level]
        if run is not None and run.frames:
            return replace(frame, interprets=tuple(map(_location, run.frames)))
        is_main = level > 0 and frames[level - 1].location.function == _MAIN
        if not complete or not (is_main or _is_in(found, frame)):
            return frame
        if id(frame) not in self._hidden:
            self._hidden[id(frame)] = frame, replace(frame, interpreters=True)
        return self._hidden[id(frame)][1]


class _Stack:
    """The debugger's, but for the frames that are known."""

    def __init__(self, native: Stack, shown: Sequence[Frame]) -> None:
        self._native, self._shown = native, shown
        self.seen: list[Frame] = []

    @property
    def most(self) -> int:
        return self._native.most

    @most.setter
    def most(self, most: int) -> None:
        self._native.most = most

    @property
    def whole(self) -> bool:
        return self._native.whole

    def __iter__(self) -> Iterator[Frame]:
        return self

    def __next__(self) -> Frame:
        frame, level = next(self._native), len(self.seen)
        self.seen.append(self._shown[level] if level < len(self._shown) else frame)
        return self.seen[-1]


def _is_in(found: Found, frame: Frame) -> bool:
    return found.image.start <= frame.pc < found.image.end


def _places(
    found: Found, frames: Sequence[Frame], stopped: StoppedThread
) -> Iterator[tuple[int, int, int]]:
    """Native frames of the interpreter's: the level, where its stack frame ends and begins."""
    for level, frame in enumerate(frames[:-1]):
        if _is_in(found, frame) and not (frame.inlined or frame.signal):
            yield level, stopped.stack_pointer(level), stopped.stack_pointer(level + 1)


def _by_count(frames: Sequence[Frame], runs: Sequence[Run]) -> _Laid | None:
    """None: they are not as many."""
    levels = [
        level
        for level, frame in enumerate(frames)
        if (frame.location.function or "").partition(".")[0] == _EVALUATES and not frame.inlined
    ]
    if len(levels) == len(runs) + 1:
        del levels[0]  # it has not announced its frame yet, or does not any more
    return dict(zip(levels, runs)) if len(levels) == len(runs) else None


def _location(frame: PythonFrame) -> Location:
    return Location(frame.function, frame.file, frame.file, frame.line, language=PYTHON)
