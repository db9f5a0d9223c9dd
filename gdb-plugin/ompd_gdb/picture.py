# SPDX-License-Identifier: Apache-2.0
"""What is seen at one stop? Threads and regions at once; places, tasks, locks, stacks when they are
asked for."""

from __future__ import annotations

import contextlib
from functools import cached_property
from typing import Sequence

from .errors import UserError
from .library import OmpdError
from .model import deadlock as deadlock_model
from .model import locks as locks_model
from .model.deadlock import Deadlock
from .model.icvs import Icv, gather
from .model.lineage import Lineage
from .model.locks import Locks
from .model.native import NativeThread
from .model.process import Process, Runtime, Thread
from .model.splicing import Splicer
from .model.tasks import Tasks
from .model.values import Value
from .model.waits import Arrivals
from .runtimes import Runtimes
from .target import environment
from .target.inferior import InferiorTarget
from .target.places import ALWAYS, IF_AWAITED, NEVER, Places
from .target.walks import Walks


class Picture:
    def __init__(
        self,
        target: InferiorTarget,
        opened: Runtimes,
        natives: Sequence[NativeThread],
        runtimes: Sequence[Runtime],
        skipped_libraries: Sequence[str],
    ) -> None:
        """runtimes: those of `opened', with their views of the same moment."""
        self.process = Process(natives, runtimes, target.signal)
        self.walks = Walks(target)
        self._target = target
        self._runtimes = opened
        self._places = Places(self.process, target, self.walks, skipped_libraries)

    # ---- Places and stacks -----------------------------------------------------------------------

    def locate_threads(self, holdings: str = NEVER, depth: int = 0) -> None:
        """holdings: and what each thread holds; depth: and so much of its stack, for `splicer'."""
        self._places.locate_threads(lambda: self.arrivals, holdings, depth)

    def locate_regions(self) -> None:
        self._places.locate_regions()

    def splicer(self, depth: int, runtime_frames: bool = False) -> Splicer:
        """Of the stacks as the user wrote the program. depth: how many frames of each are looked
        at."""
        self.locate_threads(depth=depth)
        self.locate_regions()
        return Splicer(
            self.process,
            self._places.code,
            lambda thread: self.walks.walked(thread, depth),
            self._lineages,
            runtime_frames,
        )

    def _lineages(self) -> dict[int, Lineage]:
        """None where the runtime's tasks cannot be read: that is told beside what needs them."""
        try:
            tasks = self.located_tasks()
        except (UserError, OmpdError):
            return {}
        return {
            runtime: Lineage(self.process, runtime, view, tasks)
            for runtime, view in tasks.views.items()
        }

    def evaluate(self, thread: Thread, text: str) -> Value:
        """An expression in the user's own frame of a thread."""
        return self._places.evaluate(thread, text)

    def run_in(self, thread: Thread, command: str) -> str:
        """What a command of GDB's prints in a thread."""
        return self._places.run_in(thread, command)

    # ---- What else the runtimes know -------------------------------------------------------------

    @cached_property
    def tasks(self) -> Tasks:
        """The explicit tasks. Raises UserError, OmpdError."""
        return Tasks(self.process, self._runtimes.tasks())

    def located_tasks(self) -> Tasks:
        """With the places of their code. Raises UserError, OmpdError."""
        self._places.locate_tasks(self.tasks)
        return self.tasks

    @cached_property
    def locks(self) -> Locks:
        """Raises UserError, OmpdError."""
        self.locate_threads(ALWAYS)
        holdings = self._places.holdings()
        views = self._runtimes.locks(
            lambda runtime: locks_model.variables(self.process, runtime, holdings)
        )
        return locks_model.gather(self.process, views, holdings, self._places.lock_name)

    @cached_property
    def deadlock(self) -> Deadlock:
        """Who waits for whom. Raises UserError, OmpdError."""
        locks = self.locks
        self.locate_regions()
        tasks: Tasks | None = None
        if self.process.any_waits("taskwait", "taskgroup"):
            with contextlib.suppress(UserError):  # the graph says that it does not know
                tasks = self.tasks
        return deadlock_model.find(self.process, locks, tasks, self.arrivals)

    def deadlock_of_locks(self, depth: int = 0) -> Deadlock | None:
        """The same, if a thread waits for a lock, and the runtime's can be read. depth: as of
        `locate_threads', which is done in any case."""
        self.locate_threads(IF_AWAITED, depth)
        if not self.process.any_waits(*locks_model.CONSTRUCTS):
            return None
        try:
            return self.deadlock
        except UserError:
            return None

    @cached_property
    def arrivals(self) -> Arrivals:
        return self._runtimes.arrivals()

    def settings(self) -> dict[str, str]:
        """The variables of OpenMP's in the program's environment. Raises UserError."""
        return environment.settings(self._target)

    def icvs(self, chosen: Sequence[Thread]) -> list[Icv]:
        """Raises UserError."""
        runtime, found = self._runtimes.icvs(self.process.natives)
        return gather(self.process, runtime, found, chosen)
