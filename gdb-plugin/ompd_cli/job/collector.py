# SPDX-License-Identifier: Apache-2.0
"""How are the ranks of one node looked at? Side by side, as many at once as the node has free
processors; each is stopped as briefly as `ompd pid' stops it. Whoever cannot be looked at, or takes
too long, is named, and never waited for."""

from __future__ import annotations

import argparse
import os
import threading
import time
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import suppress
from functools import partial
from typing import Any, Callable, Sequence

from ompd_core.errors import UserError
from ompd_core.model.job import Job
from ompd_core.model.rank_reports import NoReport
from ompd_core.views import json_text
from ompd_core.views.status import WRONG

from .. import corefile, living
from ..debugger import Run
from ..origin import Origin
from ..outcome import Outcome
from ..progress import Progress
from .ranks import Rank

PATIENCE = 0.2  # seconds between two looks at who is ready

Look = Callable[[Callable[[Run], None]], Outcome]


class Collector:
    def __init__(self, options: argparse.Namespace, node: str | None = None) -> None:
        """node: what the launcher calls this one."""
        self.job = Job(WRONG)
        self._options = options
        self._node = node
        self._lock = threading.Lock()
        self._runs: set[Run] = set()
        self._ended = False

    def look_at(self, ranks: Sequence[Rank]) -> None:
        self._all([(rank.origin, "", partial(self._rank, rank)) for rank in ranks])

    def look_at_cores(self, files: Sequence[str]) -> None:
        origins = [Origin() for _ in files]
        self._all(
            [
                (origin, file, partial(self._core, file, origin))
                for origin, file in zip(origins, files)
            ]
        )

    def _rank(self, rank: Rank, begun: Callable[[Run], None]) -> Outcome:
        options = self._for_one(pid=rank.pid)
        return living.report(options, rank.origin, begun)

    def _core(self, file: str, origin: Origin, begun: Callable[[Run], None]) -> Outcome:
        options = self._for_one(
            core=file,
            executable=None,
            sysroot=getattr(self._options, "sysroot", None),
            lib_search_root=getattr(self._options, "lib_search_root", None),
        )
        return corefile.report(options, origin, begun)

    def _for_one(self, **more: Any) -> argparse.Namespace:
        """Of `ompd pid' and `ompd core'."""
        options = self._options
        return argparse.Namespace(
            command="job",
            output=None,
            gdb=options.gdb,
            timeout=options.timeout,
            all=False,
            locals=False,
            json=True,
            html=None,
            **more,
        )

    def _all(self, tasks: Sequence[tuple[Origin, str, Look]]) -> None:
        """Raises KeyboardInterrupt, SystemExit; nobody is being looked at any more then."""
        limit = self._options.node_timeout
        end = time.monotonic() + limit if limit else None
        progress = Progress()
        pool = ThreadPoolExecutor(self._options.at_once or free_processors())
        waiting: dict[Future[Any], tuple[Origin, str]] = {}
        try:
            for origin, file, look in tasks:
                waiting[pool.submit(self._document, origin, look)] = origin, file
            while waiting:
                progress.show(f"{len(tasks) - len(waiting)} of {len(tasks)} looked at")
                ready, _ = wait(waiting, PATIENCE, FIRST_COMPLETED)
                for future in ready:
                    origin, file = waiting.pop(future)
                    self._add(file, future.result())
                if end is not None and time.monotonic() > end:
                    break
        finally:
            progress.clear()
            self._end(waiting)
            pool.shutdown(wait=True)
        for origin, file in waiting.values():
            self._add(file, self._failed(origin, _late(limit)))

    def _end(self, waiting: dict[Future[Any], Any]) -> None:
        for future in waiting:
            future.cancel()
        with self._lock:
            self._ended = True
            runs = list(self._runs)
        for run in runs:
            run.ask_to_end()

    def _document(self, origin: Origin, look: Look) -> dict[str, Any]:
        mine: list[Run] = []

        def begun(run: Run) -> None:
            with self._lock:
                mine.append(run)
                self._runs.add(run)
                ended = self._ended
            if ended:
                run.ask_to_end()

        known = Origin(**vars(origin))
        try:
            document = look(begun).json
        except UserError as error:
            document = self._failed(known, error)
        except OSError as error:
            document = self._failed(known, UserError("file_error", f"{error.strerror}."))
        finally:
            with self._lock:
                self._runs.difference_update(mine)
        if self._node is not None:
            document["host"] = self._node
        return document

    def _failed(self, origin: Origin, error: UserError) -> dict[str, Any]:
        document = {**json_text.error("report", error), **origin.fields()}
        if self._node is not None:
            document["host"] = self._node
        return document

    def _add(self, file: str, document: dict[str, Any]) -> None:
        with suppress(NoReport):  # of ours there is none that is not a report
            one = Job(WRONG)
            one.add(file, document, mark=bool(self._options.watch))
            seconds = document.get("stopped_seconds")
            if seconds is not None:
                one.stopped[round(seconds, 2)] += 1
            self.job.take(one)


def _late(limit: float) -> UserError:
    return UserError(
        "timeout",
        f"The ranks of this node were not all looked at in {limit:g} s.",
        "Allow more with --node-timeout SECONDS.",
    )


def free_processors() -> int:
    """Ranks that wait spin, as a rule: one that is looked at makes room for who looks."""
    usable = len(os.sched_getaffinity(0))
    try:
        with open("/proc/loadavg", encoding="ascii") as file:
            running = int(file.read().split()[3].partition("/")[0]) - 1  # without ourselves
    except (OSError, ValueError, IndexError):
        running = usable
    return max(1, usable - running)
