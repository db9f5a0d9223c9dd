# SPDX-License-Identifier: Apache-2.0
"""Are threads that a library or the program has beside a team called a pool only where they work
beside it? Stacks are written innermost first, a letter a frame."""

from __future__ import annotations

from typing import Any, Sequence

import made_records as made
import pytest
from made_records import PERIOD, At, Made
from ompd_core.model.logical_stack.stack import Walked
from ompd_core.model.native import Frame, Location, NativeThread
from ompd_core.model.process import Thread
from ompd_core.model.slowdowns import Crowded, Processors, Throttled, of_processors
from ompd_core.model.where import CodeMap, Runtime
from ompd_core.snapshot import pools
from ompd_core.views import slowdowns as view
from test_judgement import team
from test_recording import slow_notes

BLAS, LIBC, CXX = "/lib/libopenblas.so.0", "/lib/libc.so.6", "/lib/libstdc++.so.6"
CODE = CodeMap([Runtime(0x9000, 0xA000, "/lib/libgomp.so.1")])
KINDS = {
    "c": Frame(Location("clone3", objfile=LIBC)),
    "w": Frame(Location("pthread_cond_wait", objfile=LIBC)),
    "y": Frame(Location("__sched_yield", objfile=LIBC)),
    "b": Frame(Location(None, objfile=BLAS, offset=0x10)),  # where its threads begin
    "k": Frame(Location("dgemm_kernel", objfile=BLAS)),
    "x": Frame(Location(None, objfile=CXX)),
    "r": Frame(Location("std::thread::_State_impl<work>::_M_run()"), executable=True),
    "p": Frame(Location("work(int)"), executable=True),
    "q": Frame(Location("log"), executable=True),
    "m": Frame(Location("main"), executable=True),
    "g": Frame(Location(None, pc=0x9100)),  # the runtime's
    "?": Frame(Location(None, pc=0x10)),
}


class Stacks:
    def __init__(self, stacks: Sequence[str]) -> None:
        self._stacks = stacks

    def walked(self, thread: Thread, _: int) -> Walked:
        assert thread.native is not None
        text = self._stacks[thread.native.num]
        return Walked([KINDS[one] for one in text.rstrip("~")], not text.endswith("~"))


def told(stacks: Sequence[str], processors: int = 2, quota: float | None = None) -> list[Any]:
    """The first two threads are a team."""
    process = team(2)
    natives = [NativeThread(n, 1, n, (100, 100 + n, 0)) for n in range(2, len(stacks))]
    process.natives += natives
    process.threads += [Thread(native) for native in natives]
    made_up: Any = Stacks(stacks)
    whole = frozenset(range(processors))
    granted = Processors({100 + n: whole for n in range(len(stacks))}, quota)
    return of_processors(process, granted, lambda: pools.busy(process, made_up, CODE))


@pytest.mark.parametrize(
    "stacks, said",
    [
        (["pm", "pgc", "kbc", "kbc"], "2 threads of libopenblas.so.0"),
        (["pm", "pgc", "ybc", "kbc"], "2 threads of libopenblas.so.0"),
        (["pm", "pgc", "prxc", "rxc"], "2 threads in work ()"),
        # What a team is in a call of works for it, however few threads it has.
        (["wkpm", "wkpgc", "kbc"], "1 thread of libopenblas.so.0"),
        (["wkpm", "wkpgc", "wbc", "wbc"], "2 threads of libopenblas.so.0"),
    ],
)
def test_a_pool_beside_a_team(stacks: list[str], said: str) -> None:
    (found,) = told(stacks)
    assert isinstance(found, Crowded)
    ((code, text),) = view.of_slowdowns([found])
    assert code == "few_processors"
    assert text.startswith(f"2 pools, 2 threads of R1 (OpenMP) and {said}, may use 2 processors")
    assert ("OPENBLAS_NUM_THREADS=1" in text) == ("openblas" in said)


@pytest.mark.parametrize(
    "stacks",
    [
        ["pm", "pgc"],
        ["pm", "pgc", "wbc", "wbc", "wbc"],  # they sleep, and nobody calls them
        ["pm", "pgc", "qc"],  # one thread, of anything
        ["pm", "pgc", "kbc"],
        ["wkpm", "pgc", "wbc"],  # as one that waits for messages
        ["pm", "pgc", "qc", "pc"],  # two that have nothing in common
        ["pm", "pgc", "kb~", "kb~"],  # where they began is not known
        ["pm", "pgc", "k?", "k?"],
        ["pm", "pgc", "pgc", "pgc"],  # the runtime's own, which it keeps for later
    ],
)
def test_no_pool_beside_a_team(stacks: list[str]) -> None:
    assert told(stacks) == []


def test_there_is_room_for_all() -> None:
    assert told(["pm", "pgc", "kbc", "kbc"], 4) == []


def test_a_team_alone_is_no_pool() -> None:
    (found,) = told(["pm", "pgc", "wbc"], 1)
    assert isinstance(found, Crowded) and not found.pools


def test_a_pool_and_a_quota() -> None:
    found = told(["pm", "pgc", "kbc", "kbc"], 4, 2.5)
    assert isinstance(found[0], Throttled)
    ((code, text),) = view.of_slowdowns(found)
    assert code == "little_time" and text.startswith("2 pools, ") and "2.5 processors'" in text


# ---- In a record ---------------------------------------------------------------------------------

SERVER = At("blas_thread_server", 0, library="/lib/libopenblasp-r0.3.21.so")
STARTER = At("", 0, library=CXX)
HEADER, WORK = At("void std::__invoke<work>()", 61), At("work", 5)
DGEMM = At("cblas_dgemm", 0, library=SERVER.library)


def notes(path: tuple[At, ...], threads: int, call: tuple[At, ...] = (), busy: int = 6) -> str:
    """A team of two on two processors, and threads of which each wants one so much of its time."""
    inside = [made.in_team("work_parallel", n, (made.SOLVE, *call)) for n in range(2)]
    waits = [made.in_team("preempted", n, (made.SOLVE,), on=False) for n in range(2)]
    program = [
        [made.Moment(6 * PERIOD, works, 6), made.Moment(4 * PERIOD, preempted, 0)]
        for works, preempted in zip(inside, waits)
    ]
    outside, asleep = made.Doing("outside", path), made.Doing("asleep", path, on=False)
    for _ in range(threads):
        on = [made.Moment(busy * PERIOD, outside, busy)] if busy else []
        program.append([*on, made.Moment((10 - busy) * PERIOD, asleep, 0)])
    record = Made(program, others=set(range(2, 2 + threads)))
    (found,) = slow_notes(record, 2)
    return found


@pytest.mark.parametrize(
    "path, threads, call, whose",
    [
        ((SERVER,), 2, (), "2 threads of libopenblasp-r0.3.21.so"),
        ((SERVER,), 1, (DGEMM,), "1 thread of libopenblasp-r0.3.21.so"),
        ((STARTER, HEADER, WORK), 2, (), "2 threads in work"),
    ],
)
def test_a_recorded_pool(
    path: tuple[At, ...], threads: int, call: tuple[At, ...], whose: str
) -> None:
    found = notes(path, threads, call)
    assert "2 pools take turns on 2 processors, 2 threads of OpenMP (" in found
    share = 100 * threads / (2 + threads)
    assert f" and {whose} (" in found and f"{share:.0f} ±" in found.split(whose)[1]


@pytest.mark.parametrize(
    "path, threads, busy",
    [((SERVER,), 1, 6), ((SERVER,), 2, 0), ((WORK,), 1, 6), ((), 2, 6)],
)
def test_no_recorded_pool(path: tuple[At, ...], threads: int, busy: int) -> None:
    assert "pools" not in notes(path, threads, busy=busy)
