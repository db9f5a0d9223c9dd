# SPDX-License-Identifier: Apache-2.0
"""What is seen at one stop, and what does GDB itself show of it: values of expressions, output of
its commands, frames?"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Sequence

from ompd_core.model.native import NativeThread
from ompd_core.model.process import Runtime, Thread
from ompd_core.model.standstill import Standstill
from ompd_core.model.values import Answer
from ompd_core.snapshot import picture
from ompd_core.snapshot.picture import Earlier, ShownAs
from ompd_core.snapshot.runtimes import Runtimes

from .target.inferior import InferiorTarget
from .target.selection import kept_selection

# What few commands need is loaded by them.
if TYPE_CHECKING:
    from .target.evaluation import Frames
    from .target.shown_frames import ShownFrames


class Picture(picture.Picture):
    def __init__(
        self,
        target: InferiorTarget,
        opened: Runtimes,
        natives: Sequence[NativeThread],
        runtimes: Sequence[Runtime],
        shown_as: ShownAs,
        earlier: Earlier | None = None,
        standstill: Standstill | None = None,
    ) -> None:
        super().__init__(target, opened, natives, runtimes, shown_as, earlier, standstill)
        self._target = target

    @cached_property
    def frames(self) -> ShownFrames:
        from .target.shown_frames import ShownFrames

        return ShownFrames(self._target)

    @cached_property
    def _users(self) -> Frames:
        from .target.evaluation import Frames
        from .target.thread_copies import ThreadCopies

        target, places = self._target, self._places
        copies = ThreadCopies(target)
        return Frames(target.code, places.code, self.frames.native, places.users_frame, copies)

    def evaluate(self, threads: Sequence[Thread], text: str) -> list[Answer]:
        """An expression in the user's own frame of each thread."""
        from .target.evaluation import Expression

        expression = Expression(text, self._users)
        with kept_selection():
            return [(thread, expression.value(thread)) for thread in threads]

    def run_in(self, thread: Thread, command: str) -> str:
        """What a command of GDB's prints in the user's own frame of a thread."""
        from .target import evaluation

        return evaluation.output_of(self._users, thread, command)

    @staticmethod
    def place_of(text: str) -> tuple[int, int]:
        """Where an expression of the selected frame is, or points to, and of how many bytes. Raises
        UserError."""
        from .target import evaluation

        return evaluation.place_of(text)
