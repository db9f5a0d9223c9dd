# SPDX-License-Identifier: Apache-2.0
"""Which frames of a stack does the user see?

Frames are looked at when GDB asks for them, and no further than to the first that is the user's."""

from __future__ import annotations

from typing import Any, Iterable, Iterator, Sequence

import gdb
from ompd_core.model.logical_stack.stack import is_wrapper
from ompd_core.model.native import Frame
from ompd_core.model.where import CodeMap, starts_thread

from .. import session
from ..target import selection
from ..target.stacks import Code
from . import decorators

# More of the runtime's frames than any wait has. Recursion in a library can pile up more of its.
MOST_PENDING = 256


def users(frames: Iterable[Any]) -> Iterable[Any]:
    """All of them where it is not known whose they are: `ompd status' tells why."""
    frames = map(decorators.Printable, frames)
    try:
        here = session.current()
        if not here.runtimes():
            return frames
        return Users(frames, here.target.code, here.code_map(), here.interpreted())
    except Exception:
        return frames


class Users:
    """No generator: see target.stacks.Walk."""

    def __init__(
        self, frames: Iterable[Any], code: Code, owners: CodeMap, interpreted: Sequence[Frame]
    ) -> None:
        """interpreted: the whole stack, where an interpreter is on it."""
        self._frames = iter(frames)
        self._interpreted = interpreted
        self._code = code
        self._owners = owners
        self._pending: list[tuple[Any, Frame]] = []  # of the runtime, and of libraries around it
        self._ready: list[Any] = []  # to be shown, the next one last
        self._inner: Frame | None = None  # the user's frame that was shown last, if next to this
        self._on_top = True  # no frame of the user's has been seen since the stack's top
        self._innermost = True
        self._failure: Exception | None = None
        self._ended = False

    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> Any:
        while not self._ready:
            if self._failure is not None:
                failure, self._failure = self._failure, None
                raise failure
            if self._ended:
                raise StopIteration
            self._look_further()
        return self._ready.pop()

    def _look_further(self) -> None:
        """Ready is empty; frames that are passed over may leave it so."""
        shown: list[Any] = []
        items = [item for item, _ in self._pending]
        try:
            self._sort_next(items, shown)
        except Exception:
            # Whatever it is that cannot be told of a frame: GDB's own stays.
            self._pending, self._inner, self._on_top = [], None, False
            shown = items
        self._ready = shown[::-1]

    def _sort_next(self, items: list[Any], shown: list[Any]) -> None:
        try:
            item = next(self._frames)
        except StopIteration:
            self._ended = True
            self._settle(shown, at_end=True)
        except gdb.error as error:
            # What was seen before GDB could not go on comes first.
            self._ended, self._failure = True, error
            self._settle(shown)
        else:
            items.append(item)
            self._sort(item, shown)

    def _sort(self, item: Any, shown: list[Any]) -> None:
        frame = self._recorded(item)
        if frame is None:
            self._settle(shown)
            shown.append(item)
            return
        known = self._executed(item)
        if known is not None:
            self._settle(shown)
            shown += [decorators.Interpreted(item, place) for place in known.interprets]
            self._inner, self._on_top = None, False
            return
        of_library = not frame.signal and self._owners.is_skipped(frame)
        if of_library or self._owners.is_runtime(frame) or self._may_start(frame):
            self._pending.append((item, frame))
            if len(self._pending) == MOST_PENDING:
                self._settle(shown)
            return
        self._settle(shown)
        if frame.signal:
            self._inner, self._on_top = None, True
            shown.append(item)
        elif self._inner is not None and is_wrapper(frame, self._inner):
            self._inner = None  # it has one only
        else:
            shown.append(decorators.users(item, frame))
            self._inner, self._on_top = frame, False

    def _recorded(self, item: Any) -> Frame | None:
        """None: GDB cannot tell what it is."""
        innermost, self._innermost = self._innermost, False
        try:
            return self._code.record(item.inferior_frame(), innermost)
        except (RuntimeError, AttributeError):
            return None

    def _executed(self, item: Any) -> Frame | None:
        """Not None: it is an interpreter's, whose user sees what it executes."""
        level = selection.level_of(item.inferior_frame()) if self._interpreted else 0
        known = self._interpreted[level] if level < len(self._interpreted) else None
        return known if known is not None and (known.interprets or known.interpreters) else None

    def _may_start(self, frame: Frame) -> bool:
        """A thread of the runtime's, in a program that holds the C library itself."""
        return bool(self._pending) and starts_thread(frame)

    def _settle(self, shown: list[Any], at_end: bool = False) -> None:
        """The pending frames, now that it is seen what called them."""
        pending, self._pending = self._pending, []
        offload = any(self._owners.is_offload_runtime(frame) for _, frame in pending)
        owned = [
            at
            for at, (_, frame) in enumerate(pending)
            if self._owners.is_runtime(frame) or (offload and self._owners.is_offload(frame))
        ]
        if not owned:
            shown += [item for item, _ in pending]
            if pending:
                self._inner, self._on_top = None, False
            return
        # What the runtime called is passed over with it, what called the runtime is not.
        entry, outer = pending[owned[-1]], pending[owned[-1] + 1 :]
        starts = at_end and _is_whole(pending[-1][0])
        if self._on_top or self._owners.is_offload_runtime(entry[1]):
            shown.append(decorators.entry(*entry, called=not starts))
        self._inner, self._on_top = None, False
        if not starts:
            shown += [item for item, _ in outer]


def _is_whole(item: Any) -> bool:
    """Is it the stack's outermost frame, and nothing says that there should be more?"""
    try:
        reason = int(item.inferior_frame().unwind_stop_reason())
    except gdb.error:
        return False
    return reason <= int(gdb.FRAME_UNWIND_OUTERMOST)
