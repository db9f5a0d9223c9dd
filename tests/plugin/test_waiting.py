# SPDX-License-Identifier: Apache-2.0
"""Does a stack become the right state?"""

from __future__ import annotations

from pathlib import Path

import pytest
from ompd_core import source_tree
from ompd_core.library import capi, types
from ompd_core.library.inference import Inference
from ompd_core.library.types import Classification, ViewRegion, ViewThread
from ompd_core.model import waiting
from ompd_core.model.native import Frame, Location
from ompd_core.model.process import Membership, Region
from ompd_core.model.where import VDSO, CodeMap, Runtime, call_of

TREE = Path(__file__).resolve().parents[2]
BUILD = Path(source_tree.build(str(TREE)))
INFERENCE = Inference(capi.load(str(BUILD / "libompd/libompd.so"))[0])

PROGRAM, LIBOMP, LIBC = 0x1000, 0x8000, 0x9000
CODE = CodeMap([Runtime(LIBOMP, LIBOMP + 0x1000, "/lib/libomp.so.5")])


def user(name: str | None = "work", line: int | None = 7, entry: int | None = None) -> Frame:
    place = Location(name, "a.c" if line else None, None, line, PROGRAM, "/bin/program")
    return Frame(place, entry=entry, executable=True)


def omp(name: str | None = None) -> Frame:
    return Frame(Location(name, pc=LIBOMP + 0x10, objfile="/lib/libomp.so.5"))


def libc(name: str | None = "sched_yield") -> Frame:
    return Frame(Location(name, pc=LIBC, objfile="/lib/libc.so.6"))


def vdso() -> Frame:
    return Frame(Location("gettimeofday", pc=LIBC, objfile=VDSO))


def unknown(name: str | None = None) -> Frame:
    return Frame(Location(name, pc=0x7000))


WORKERS_LOOP = [libc(), omp(), omp("GOMP_taskgroup_end"), omp(), libc("start_thread")]


def member(
    level: int = 1,
    num: int = 0,
    function: int = 0,
    flags: int | None = None,
    source: str | None = ";a.c;main;9;1;;",
) -> Membership:
    raw = ViewThread(0, "initial", ident_flags=flags, ident_source=source)
    made = Membership(0, raw)
    generator = "parallel" if level else "program"
    region = Region(0, ViewRegion(0x10, None, generator, level, level, 2, function=function))
    made.chain = [(region, num)]
    return made


def told(
    frames: list[Frame], of: Membership | None = None, extent: int = types.PART
) -> Classification:
    known = waiting.facts_of(of, "llvm") if of is not None else None
    return INFERENCE.classify(waiting.Seen(frames, CODE).told, extent, None, known)


def state(frames: list[Frame], of: Membership, extent: int = types.PART) -> waiting.State:
    return waiting.state_of(of, told(frames, of, extent), waiting.Seen(frames, CODE))


@pytest.mark.parametrize(
    "frames, level, expected",
    [
        ([user()], 0, "work_serial"),
        ([libc("usleep"), user()], 1, "work_parallel"),
        ([user(), omp(), omp("__kmpc_barrier"), user()], 1, "work_parallel"),  # a task in a barrier
        ([libc(), omp(), omp("__kmpc_critical"), user()], 1, "wait_critical"),
        ([omp("omp_set_lock_"), user()], 1, "wait_lock"),
        ([omp(), omp("__kmp_api_omp_set_nest_lock"), user()], 1, "wait_lock"),
        ([omp(), omp("__kmpc_omp_taskwait"), user()], 1, "wait_taskwait"),
        ([omp(), omp("__kmpc_end_taskgroup"), user()], 1, "wait_taskgroup"),
        ([omp(), omp("GOMP_loop_end"), user()], 1, "wait_barrier_implicit_workshare"),
        ([omp(), omp("GOMP_barrier"), user()], 1, "wait_barrier"),
        ([omp(), omp("__kmpc_omp_wait_deps"), user()], 1, "wait_taskwait"),
        ([omp(), omp("__kmpc_omp_wait_deps"), omp("GOMP_task"), user()], 1, "wait_taskwait"),
        # Its own frame made way for the one of what it jumped to, which has no name.
        ([omp(), omp("__kmpc_end_taskgroup"), omp(), user()], 1, "wait_taskgroup"),
        ([omp(), omp("GOMP_parallel_end"), user()], 1, "wait_barrier_implicit_parallel"),
        ([vdso(), omp(), omp("__kmpc_critical"), user()], 1, "wait_critical"),
        (WORKERS_LOOP, 1, "wait_barrier_implicit_parallel"),
    ],
)
def test_states(frames: list[Frame], level: int, expected: str) -> None:
    found = state(frames, member(level))
    assert (found.name, found.doubt) == (expected, None)
    assert (found.wait is not None) == expected.startswith("wait_")


@pytest.mark.parametrize("has_team", [True, False])
@pytest.mark.parametrize("frames", [[libc("clone3")], [omp(), libc("start_thread")]])
def test_a_worker_begins_in_no_region_and_ends_in_none(frames: list[Frame], has_team: bool) -> None:
    worker = Membership(0, ViewThread(0, "worker", has_team=has_team))
    assert state(frames, worker).name == ("overhead" if has_team else "idle")
    assert state(WORKERS_LOOP, worker).name == "idle"


@pytest.mark.parametrize(
    "flags, expected, construct",
    [
        (0x22, "wait_barrier_explicit", "barrier"),
        (0x42, "wait_barrier_implicit_workshare", "for"),
        (0xC2, "wait_barrier_implicit_workshare", "sections"),
        (0x142, "wait_barrier_implicit_workshare", "single"),
        (0x1C2, "wait_barrier_implicit_workshare", "workshare"),
        (0x02, "wait_barrier", None),
        (None, "wait_barrier", None),
    ],
)
def test_barriers_by_the_compilers_mark(
    flags: int | None, expected: str, construct: str | None
) -> None:
    found = state([omp(), omp("__kmpc_barrier"), user()], member(flags=flags))
    assert found.name == expected
    assert found.wait is not None and found.wait.construct == construct
    assert found.wait.location is not None and found.wait.location.line == 9


def test_a_call_that_is_the_last_of_a_construct_leaves_no_frame() -> None:
    frames = [omp(), omp("__kmpc_barrier"), omp("__kmp_invoke_microtask"), omp(), libc("clone")]
    assert state(frames, member(flags=0x22)).name == "wait_barrier_explicit"


def test_fork_and_join() -> None:
    stack = [omp(), omp("__kmpc_fork_call"), user("main", entry=0x500)]
    assert state(stack, member(level=0)).name == "overhead"
    assert state(stack, member(num=0)).name == "wait_barrier_implicit_parallel"
    # Its caller is the code of the region that it is in: it begins another inside.
    assert state(stack, member(num=0, function=0x500), types.CUT).name == "overhead"
    assert state(stack, member(num=1)).name == "overhead"


def test_a_region_that_begins() -> None:
    """What begins a region has a name in every build, and is left before the end."""
    at_end = [libc(), omp(), omp(), omp("__kmpc_fork_call"), user("main", entry=0x500)]
    begins = [omp(), omp("__kmp_fork_call"), *at_end[2:]]
    assert state(at_end, member(num=0)).name == "wait_barrier_implicit_parallel"
    assert state(begins, member(num=0)).name == "overhead"
    in_gccs = [omp(), omp("__kmp_fork_call"), omp(), omp("GOMP_parallel"), user("main")]
    assert state(in_gccs, member(num=0)).name == "overhead"
    # The code of the region that is around has made way for the call.
    outer = [omp(), omp("__kmpc_fork_call"), omp("__kmp_invoke_microtask"), omp("__kmp_fork_call")]
    made_way = state([*outer, *at_end[3:]], member(num=0))
    assert made_way.name == "wait_barrier_implicit_parallel"
    in_teams = [omp(), omp("__kmp_fork_call"), omp("__kmpc_fork_teams"), user("main")]
    assert state(in_teams, member(num=0)).name == "wait_barrier_implicit_parallel"


def test_a_thread_that_was_launched() -> None:
    start = [libc("start_thread"), libc("clone3")]
    for frames, launched in (
        ([omp(), *start], True),
        ([omp(), omp(), *start], False),
        ([libc(), omp(), *start], False),
    ):
        assert bool(told(frames).told & types.LAUNCHED) == launched


def test_a_fork_inside_of_a_region() -> None:
    """clang's code of a region has a wrapper, and calls other functions, which fork."""
    fork = [omp(), omp("__kmpc_fork_call")]
    wrapped = [*fork, user("body", entry=0x500), user("wrapper", entry=0x400), omp()]
    assert state(wrapped, member(num=0, function=0x400), types.CUT).name == "overhead"
    at_end = state(wrapped, member(num=0, function=0x300), types.CUT)
    assert (at_end.name, at_end.doubt) == ("wait_barrier_implicit_parallel", None)
    # The region has begun already for the runtime while it makes the threads for it.
    making = [libc("clone3"), libc("create_thread"), libc("__pthread_create_2_1"), *wrapped]
    assert state(making, member(num=0, function=0x300), types.CUT).name == "overhead"
    # Without symbols the number of calls tells, if the whole stack is known.
    nameless = [*fork, user(None)]
    one, two = [*nameless, libc()], [*nameless, omp(), *nameless, libc()]
    # The region's code has made way for the call that was its last.
    gone = [*fork, omp("__kmp_invoke_microtask"), *nameless, libc()]
    by_another = [*fork, omp("__kmpc_fork_call_if"), user(None), libc()]
    for frames, expected in (
        (one, "wait_barrier_implicit_parallel"),
        (two, "overhead"),
        (gone, "overhead"),
        (by_another, "wait_barrier_implicit_parallel"),
    ):
        assert state(frames, member(num=0, function=0x300), types.WHOLE).name == expected
    doubt = state(one, member(num=0, function=0x300), types.CUT).doubt
    assert doubt is not None and doubt.certainty == "likely"


def test_calls_that_begin_regions() -> None:
    nameless = [omp(), omp("__kmpc_fork_call"), user(None), omp()]
    assert waiting.forks_on([*nameless, *nameless], CODE) == 2
    gone = [omp(), omp("__kmpc_fork_call"), omp("__kmp_invoke_microtask"), *nameless]
    assert waiting.forks_on(gone, CODE) == 2
    assert waiting.forks_on([omp("__kmpc_fork_call"), omp("__kmpc_fork_call_if")], CODE) == 1


@pytest.mark.parametrize(
    "frames, starts",
    [
        ([libc("clone3"), unknown()], True),
        ([libc("start_thread"), libc("clone3")], True),
        ([libc("futex"), unknown()], False),
        ([libc("start_thread"), omp(), libc("clone3")], False),
        ([], False),
    ],
)
def test_a_thread_that_has_not_begun(frames: list[Frame], starts: bool) -> None:
    assert bool(told(frames).told & types.STARTS) == starts


def test_an_unknown_entry_point_is_at_best_likely() -> None:
    found = state([omp("__kmpc_dispatch_next_4"), user()], member())
    assert found.name == "overhead" and found.doubt is not None
    assert found.doubt.certainty == "likely"


def test_without_a_stack_nothing_is_told() -> None:
    assert state([], member()).name is None
    assert state([libc()], member()).name is None
    assert state([], member()).doubt is not None


@pytest.mark.parametrize(
    "frames",
    [
        [libc(), omp(), omp()],  # cut off
        [libc(), omp(), omp("__kmpc_critical")],
        [omp(), omp(), user()],  # called through no entry point
        [omp(), omp(), omp("__kmp_invoke_microtask"), omp(), libc("clone")],
        [unknown(), user()],  # it could be anybody's code, also the runtime's or the C library's
    ],
)
def test_a_damaged_stack_tells_nothing(frames: list[Frame]) -> None:
    found = state(frames, member())
    assert found.name is None and found.doubt is not None


@pytest.mark.parametrize(
    "entry, expected, certain",
    [
        ("omp_test_lock", "work_parallel", True),
        ("omp_get_thread_num", "work_parallel", True),
        ("__kmpc_atomic_float8_add", "wait_atomic", False),
        ("__kmpc_atomic_start", "wait_atomic", True),
        ("__kmpc_end_reduce", "wait_barrier_implementation", True),
        ("__kmpc_reduce_nowait", "wait_barrier_implementation", False),
    ],
)
def test_short_entry_points(entry: str, expected: str, certain: bool) -> None:
    found = state([omp(), omp(entry), user()], member())
    assert (found.name, found.doubt is None) == (expected, certain)


def test_a_thread_of_two_runtimes_waits_in_one() -> None:
    other = member()
    other.runtime = 1
    assert state([omp(), omp("omp_set_lock"), user()], other).name == "work_parallel"


def test_a_worker_in_no_region_is_idle() -> None:
    idle = Membership(0, ViewThread(0, "worker"))
    assert state(WORKERS_LOOP, idle).name == "idle"
    assert state([user("?")], idle).name == "idle"


def test_an_atomic_construct_that_has_called_the_system_waits() -> None:
    found = state([libc(), omp(), omp("__kmpc_atomic_cmplx16_add"), user()], member())
    assert (found.name, found.doubt) == ("wait_atomic", None)


def test_the_end_of_a_league_is_another_barrier() -> None:
    of = member(level=0)
    of.chain[0][0].raw = ViewRegion(0x10, None, "teams", 0, 0, 1)
    found = state(WORKERS_LOOP, of)
    assert found.name == "wait_barrier_teams"
    assert found.wait is not None and found.wait.construct == "teams"


@pytest.mark.parametrize(
    "inner, expected",
    [
        ([], None),
        ([libc("__GI___clock_nanosleep"), libc("usleep")], "usleep"),
        ([libc("__futex_abstimed_wait"), libc("___pthread_cond_wait")], "pthread_cond_wait"),
        ([libc("__GI___libc_read")], "read"),
        ([libc("__GI___poll")], "poll"),
        ([libc("_IO_puts")], "_IO_puts"),
        ([vdso()], "gettimeofday"),
        ([libc("__poll"), unknown("MPI_Recv")], "MPI_Recv"),
        ([libc("__poll"), unknown()], None),
        ([omp("__kmpc_barrier")], None),
    ],
)
def test_the_call_that_the_users_frame_is_in(inner: list[Frame], expected: str | None) -> None:
    own = user()
    found = call_of([*inner, own], own, CODE, lambda inner, caller: None)
    assert (found.function if found else None) == expected


def test_the_call_into_a_library_without_symbols() -> None:
    """Its inner function has no name, and what the program called is at its call."""
    own, inner = user(), libc(None)
    called = {inner: "pthread_mutex_timedlock"}
    found = call_of([inner, own], own, CODE, lambda frame, caller: called.get(frame))
    assert found is not None and found.function == "pthread_mutex_timedlock"


@pytest.mark.parametrize(
    "source, name, construct",
    [
        (";a.c;main;9;1;;", "work", "for"),
        (";FIRModule;work;9;1;;", "work", "worksharing"),
        (";unknown;unknown;0;0;;", "work", "worksharing"),
        (";unknown;unknown;0;0;;", "main.omp_outlined", "for"),
        (";unknown;unknown;0;0;;", "_QQmain..omp_par", "worksharing"),
        (None, None, "worksharing"),
    ],
)
def test_one_mark_for_all_of_flangs(source: str | None, name: str | None, construct: str) -> None:
    of = member(flags=0x40, source=source)
    caller = Frame(Location(name, pc=PROGRAM, objfile="/bin/program"), executable=True)
    found = state([omp(), omp("__kmpc_barrier"), caller], of)
    assert found.name == "wait_barrier_implicit_workshare"
    assert found.wait is not None and found.wait.construct == construct


def test_file_that_flang_does_not_record() -> None:
    of = member(flags=0x20, source=";FIRModule;work;9;1;;")
    found = state([omp(), omp("__kmpc_barrier"), user()], of)
    assert found.wait is not None and found.wait.location is not None
    assert (found.wait.location.file, found.wait.location.line) == ("a.c", 9)


@pytest.mark.parametrize(
    "frames, sleeps",
    [
        # It may have been let go meanwhile.
        ([libc("sched_yield"), omp(), omp("__kmpc_barrier"), user()], False),
        ([libc("__GI_sched_yield"), omp(), omp("__kmpc_barrier"), user()], False),
        ([libc("__futex_abstimed_wait_common"), libc("___pthread_cond_wait"), omp(), user()], True),
        ([libc("__pthread_cond_wait@GLIBC_2.3"), omp(), user()], True),
        ([libc("__GI___nanosleep"), omp(), user()], False),
        ([omp(), libc("pthread_cond_wait"), user()], False),
        # For a lock of the runtime's own.
        ([libc("pthread_cond_wait"), omp(), omp("__kmp_acquire_futex_lock"), user()], False),
    ],
)
def test_a_thread_that_sleeps(frames: list[Frame], sleeps: bool) -> None:
    assert bool(told(frames).told & types.SLEEPS) == sleeps
