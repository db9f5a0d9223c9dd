# SPDX-License-Identifier: Apache-2.0
"""Do recorded stacks become the stack that the user wrote?"""

from __future__ import annotations

from typing import Sequence

import pytest
from ompd_core.library.types import View, ViewRegion, ViewTask, ViewTasks, ViewThread
from ompd_core.model import doubts
from ompd_core.model.logical_stack import stack
from ompd_core.model.logical_stack.enclosing import code_on_worker
from ompd_core.model.logical_stack.lineage import Lineage
from ompd_core.model.logical_stack.splicing import Splicer
from ompd_core.model.logical_stack.stack import Parts, Walked
from ompd_core.model.merging import chain, merged
from ompd_core.model.native import Frame, Location, NativeThread
from ompd_core.model.process import Process
from ompd_core.model.process import Runtime as LlvmRuntime
from ompd_core.model.process import Thread
from ompd_core.model.tasks import Tasks
from ompd_core.model.where import CodeMap, Runtime, fork_sites, recorded
from ompd_core.views import backtrace, merged_stacks
from ompd_core.views.table import Style

PROGRAM, LIBOMP, LIBC = 0x1000, 0x8000, 0x9000
TASKS_CODE = 0x1800
CODE = CodeMap([Runtime(LIBOMP, LIBOMP + 0x1000, "/lib/libomp.so.5")])


def frame(text: str) -> Frame:
    """NAME:LINE is the program's, *NAME the runtime's, /NAME the C library's, ! a signal's."""
    if text.startswith("*"):
        return Frame(Location(text[1:] or None, pc=LIBOMP + 8, objfile="/lib/libomp.so.5"))
    if text.startswith("/"):
        return Frame(Location(text[1:], pc=LIBC, objfile="/lib/libc.so.6"))
    if text == "!":
        return Frame(Location("__restore_rt", pc=LIBC, objfile="/lib/libc.so.6"), signal=True)
    name, _, line = text.partition(":")
    place = Location(
        name or None, "a.c" if line else None, None, int(line or 0) or None, PROGRAM, "/bin/p"
    )
    of_task = name.startswith(".omp_task_entry")
    return Frame(place, executable=True, entry=TASKS_CODE if of_task else None)


def walked(text: str, whole: bool = True) -> Walked:
    return Walked([frame(one) for one in text.split()], whole, not whole)


def test_below_a_threads_first_instruction_there_is_nothing() -> None:
    nowhere = Frame(Location(None, pc=0))
    (part,) = Parts(CODE).of(Walked([frame("/clone3"), nowhere], True))
    assert (part.levels, part.began) == ([], "bottom")
    (part,) = Parts(CODE).of(Walked([frame("/clone3"), frame("f:1"), nowhere], True))
    assert part.levels


WORKER = "*__kmp_invoke_microtask * * /start_thread /clone3"
IDLE = "/sched_yield * * /start_thread /clone3"


@pytest.mark.parametrize(
    "text, expected",
    [
        ("f:1 main:2", "0,1 bottom"),
        ("/nanosleep /usleep f:1 main:2", "1,2,3 bottom"),
        ("f:1 main:2 /__libc_start_call_main /__libc_start_main _start", "0,1 bottom"),
        (f"f:1 {WORKER}", "0 start"),
        (IDLE, " start"),
        ("f:1 *__kmp_invoke_microtask * *__kmpc_fork_call main:2", "0 fork; 4 bottom"),
        ("f:1 *GOMP_parallel main:2", "0 fork; 2 bottom"),
        # The optimiser removed the frame of a body.
        ("f:1 *GOMP_parallel *GOMP_parallel main:2", "0 fork;  fork; 3 bottom"),
        (f"f:1 *__kmp_invoke_microtask * *__kmpc_fork_call {WORKER}", "0 fork;  start"),
        (f"/sched_yield * *__kmpc_barrier {WORKER}", " start"),
        # A task in a barrier, in the end of a region, in a worker's loop, and at once.
        (f"f:1 * * *__kmpc_barrier g:2 {WORKER}", "0 task; 4 start"),
        ("f:1 * *__kmpc_fork_call main:2", "0 task;  fork; 3 bottom"),
        ("f:1 * * /start_thread /clone3", "0 task;  start"),
        (f"f:1 *GOMP_task g:2 {WORKER}", "0 included; 2 start"),
        # Constructs whose code is called without the runtime.
        ("f:1 .omp_outlined.:2 g:3 main:4", "0,1 call; 2,3 bottom"),
        (".omp_outlined._debug__:1 .omp_outlined.:2 g:3", "0 call; 2 bottom"),
        (".omp_outlined.:1 .omp_task_entry.:2 g:3", "0 included; 2 bottom"),
        (f".omp_outlined.:1 .omp_task_entry.:2 * *__kmpc_barrier g:3 {WORKER}", "0 task; 4 start"),
        # A clause's helper is no task, and a signal's handler neither.
        (f".omp.reduction.reduction_func * *__kmpc_reduce g:2 {WORKER}", "0,3 start"),
        (f"handler:1 ! * *__kmpc_barrier g:2 {WORKER}", "0,1,4 start"),
        (f"handler:1 ! /futex * *__kmpc_barrier g:2 {WORKER}", "0,1,5 start"),
        # A library between the user's frames: what the user called.
        ("compare:1 /msort /qsort main:2", "0,2,3 bottom"),
        # Cut off.
        ("f:1 * *", "0 cut"),
    ],
)
def test_parts(text: str, expected: str) -> None:
    found = Parts(CODE).of(walked(text))
    shown = [f"{','.join(map(str, part.levels))} {part.began}" for part in found]
    assert "; ".join(shown) == expected
    assert found[0].start == 0
    assert all(one.end == other.start for one, other in zip(found, found[1:]))


def test_a_stack_that_nobody_looked_at_any_further() -> None:
    (part,) = Parts(CODE).of(walked("f:1 f:2", whole=False))
    assert part.began == stack.CUT


# ---- Several threads -----------------------------------------------------------------------------


def process(levels: Sequence[Sequence[tuple[int, int]]], regions: Sequence[ViewRegion]) -> Process:
    """Of each thread its regions, innermost first."""
    natives = [NativeThread(i + 1, 1, i + 1, (9, 9 + i, 0)) for i in range(len(levels))]
    threads = [
        ViewThread(i, "worker" if i else "initial", tuple(one), index=i, task=0x100 + i)
        for i, one in enumerate(levels)
    ]
    for i, one in enumerate(threads):
        object.__setattr__(one, "task_kind", "explicit" if i in EXECUTING else "implicit")
    runtime = LlvmRuntime(0, "llvm", 19, "", None, LIBOMP)
    runtime.view, runtime.initialized = View(threads, list(regions)), True
    made = Process(natives, [runtime])
    for thread in made.threads:
        for member in thread.openmp:
            member.state = "work_parallel"
    return made


EXECUTING: set[int] = set()
ROOT = ViewRegion(0x10, None, "program", 0, 0, 1, (0,))
TEAM = ViewRegion(0x20, 0, "parallel", 1, 1, 2, (0, 1), source=";a.c;main;7;1;;")
ONE = ViewRegion(0x30, 1, "parallel", 2, 1, 1, (0,), True)


def shown(of: Process, stacks: Sequence[str], thread: int, tasks: ViewTasks | None = None) -> str:
    found = _splicer(of, stacks, tasks).backtrace(of.threads[thread])
    words = []
    for one in found.entries:
        name = one.location.function if one.location and one.kind == "user" else one.kind
        if one.kind == "construct":
            name = "task" if one.explicit else f"{one.region.id if one.region else '?'}.{one.num}"
        number = one.thread.native.num if one.thread.native else 0
        words.append(f"{name}@{number}" if one.kind == "user" else str(name))
    return " ".join(words) + (f" ({found.cut.why.split()[0]}...)" if found.cut else "")


def _splicer(of: Process, stacks: Sequence[str], tasks: ViewTasks | None = None) -> Splicer:
    numbers = {id(thread): i for i, thread in enumerate(of.threads)}

    def walk(thread: Thread) -> Walked:
        text = stacks[numbers[id(thread)]]
        return walked(text.rstrip("~"), not text.endswith("~"))

    def lineages() -> dict[int, Lineage]:
        if tasks is None:
            return {}
        known = Tasks(of, {0: tasks})
        for task in known.all:
            task.location = recorded(task.raw.source)
        return {0: Lineage(of, 0, tasks, known)}

    return Splicer(of, CODE, walk, lineages)


FORKED = "*__kmp_invoke_microtask * *__kmpc_fork_call main:7"


def test_a_worker_goes_on_with_who_began_its_region() -> None:
    made = process([[(1, 0), (0, 0)], [(1, 1), (0, 0)]], [ROOT, TEAM])
    stacks = [f"f:1 {FORKED}", f"g:2 {WORKER}"]
    assert shown(made, stacks, 0) == "f@1 R1.0 main@1"
    assert shown(made, stacks, 1) == "g@2 R1.1 main@1"


def test_serialized_regions_with_and_without_a_call() -> None:
    made = process([[(2, 0), (1, 0), (0, 0)], [(1, 1), (0, 0)]], [ROOT, TEAM, ONE])
    called = f"f:1 *__kmp_invoke_microtask * *__kmpc_fork_call g:2 {FORKED}"
    assert shown(made, [called, ""], 0) == "f@1 R2.0 g@1 R1.0 main@1"
    direct = f"a.omp_outlined:1 g:2 {FORKED}"
    assert shown(made, [direct, ""], 0) == "a@1 R2.0 g@1 R1.0 main@1"
    inlined = f"f:1 {FORKED}"
    assert shown(made, [inlined, ""], 0) == "f@1 R2.0 R1.0 main@1"
    found = _splicer(made, [inlined, ""]).backtrace(made.threads[0])
    assert "position" in found.entries[1].doubts and "position" not in found.entries[2].doubts


@pytest.mark.parametrize(
    "text, expected",
    [
        ("f:1 *__kmp_invoke_microtask * *__kmpc_fork_call main:2", ["f in main"]),
        ("f:1 * *__kmpc_fork_call *__kmpc_fork_call_if main:2", ["f in main"]),
        ("f:1 * *__kmpc_fork_call g:2 * *__kmpc_fork_call main:2", ["f in g", "g in main"]),
        # The outer construct's code has made room for what it calls last.
        ("f:1 * *__kmpc_fork_call * *__kmpc_fork_call main:2", ["? in main"]),
        ("* *__kmpc_fork_call main:2", ["? in main"]),
    ],
)
def test_where_constructs_began(text: str, expected: Sequence[str]) -> None:
    names = ("__kmpc_fork_call", "__kmpc_fork_call_if")
    found = fork_sites(walked(text).frames, CODE, names)
    shown = [
        f"{body.location.function if body else '?'} in {at.location.function}" for body, at in found
    ]
    assert shown == expected


@pytest.mark.parametrize(
    "shown, chain, expected",
    [
        (f"/usleep f:1 g:2 {WORKER}", [(1, 1), (0, 0)], "g"),
        # Of a region that it began itself, the code on the stack is another one.
        (f"f:1 *__kmp_invoke_microtask * *__kmpc_fork_call g:2 {WORKER}", [(2, 0), (1, 1)], "g"),
        (f"f:1 t:4 * *__kmpc_barrier g:2 {WORKER}", [(1, 1), (0, 0)], "g"),
        (IDLE, [(1, 1), (0, 0)], None),
        ("f:1 f:1~", [(1, 1), (0, 0)], None),
    ],
)
def test_the_code_of_a_region_on_a_workers_stack(
    shown: str, chain: Sequence[tuple[int, int]], expected: str | None
) -> None:
    inner = ViewRegion(0x30, 1, "parallel", 2, 2, 1, (1,))
    made = process([[(1, 0), (0, 0)], chain], [ROOT, TEAM, inner])
    seen = walked(shown.rstrip("~"), not shown.endswith("~"))
    (member,) = made.threads[1].openmp
    region = made.regions[1]
    found = code_on_worker(Parts(CODE).of(seen), member, region, seen.whole)
    assert (found.location.function if found is not None else None) == expected


def test_what_is_too_deep_is_told() -> None:
    made = process([[(1, 0), (0, 0)], [(1, 1), (0, 0)]], [ROOT, TEAM])
    stacks = ["f:1 f:1 f:1~", f"g:2 {WORKER}"]
    assert shown(made, stacks, 0) == "f@1 f@1 f@1 (the...)"
    assert shown(made, stacks, 1) == "g@2 R1.1 (it...)"
    assert _splicer(made, stacks).backtrace(made.threads[1]).limited


def test_a_stack_without_the_runtimes_frames_is_not_told_for_whole() -> None:
    made = process([[(1, 0), (0, 0)], [(1, 1), (0, 0)]], [ROOT, TEAM])
    # The advice is about symbols only where the runtime is linked into the program.
    for embedded, cut in (False, doubts.CALL_NOT_SEEN), (True, doubts.STACK_UNCLEAR):
        made.runtimes[0].embedded = embedded
        splicer = _splicer(made, ["f:1 main:2", f"g:2 {WORKER}"])
        assert splicer.backtrace(made.threads[0]).cut is cut
    assert shown(made, ["f:1 main:2", f"g:2 {WORKER}"], 1) == "g@2 R1.1 (the...)"


@pytest.fixture
def tasks() -> ViewTasks:
    """Thread 2 executes a task that thread 1's implicit task generated."""
    return ViewTasks(
        [
            ViewTask(0x100, "implicit", "executing", 0x20, None),
            ViewTask(0x101, "explicit", "executing", 0x20, 0, 1, 0, source=";a.c;main;8;1;;"),
        ]
    )


def test_a_task_goes_on_with_what_generated_it(
    tasks: ViewTasks, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(f"{__name__}.EXECUTING", {1})
    made = process([[(1, 0), (0, 0)], [(1, 1), (0, 0)]], [ROOT, TEAM])
    stacks = [f"/sched_yield * *__kmpc_barrier b:3 {FORKED}", f"t:4 * *__kmpc_barrier b:3 {WORKER}"]
    assert shown(made, stacks, 1, tasks) == "t@2 task b@1 R1.0 main@1"
    # Without its tasks the runtime still tells the region.
    assert shown(made, stacks, 1) == "t@2 task R1.None main@1"


@pytest.mark.parametrize(
    "caller, name",
    [
        ("b", "main"),
        ("main<int>", "main<int>"),
        ("main_part", "main"),
        ("a_main", "main"),
    ],
)
def test_a_task_is_called_after_the_function_it_is_in(
    caller: str, name: str, tasks: ViewTasks, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is recorded of it says `main'; a frame that is called alike is no other name of it."""
    monkeypatch.setattr(f"{__name__}.EXECUTING", {1})
    made = process([[(1, 0), (0, 0)], [(1, 1), (0, 0)]], [ROOT, TEAM])
    begun = f"/sched_yield * *__kmpc_barrier {caller}:3 {FORKED}"
    stacks = [begun, f".omp_outlined.:4 .omp_task_entry.:4 * *__kmpc_barrier b:3 {WORKER}"]
    assert shown(made, stacks, 1, tasks).startswith(f"{name}@2 task {caller}@1")


def test_parents_in_a_ring_come_to_an_end(
    tasks: ViewTasks, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(f"{__name__}.EXECUTING", {1})
    tasks.tasks[1] = tasks.tasks[1]._replace(parent=1)
    made = process([[(1, 0), (0, 0)], [(1, 1), (0, 0)]], [ROOT, TEAM])
    stacks = [f"b:3 {FORKED}", f"t:4 * *__kmpc_barrier b:3 {WORKER}"]
    assert shown(made, stacks, 1, tasks).startswith("t@2 task")


CONTINUED = ".omp_outlined.:4 .omp_task_entry.:3 * *__kmpc_omp_task"


def untied(parent: int | None = 0, function: int = 0) -> ViewTasks:
    """Thread 2 executes an untied task, and has suspended another one."""
    suspended = ViewTask(0x200, "explicit", "suspended", 0x20, 0, 1, 1, function=function)
    executing = ViewTask(
        0x101, "explicit", "executing", 0x20, parent, 1, 0, tied=False, function=TASKS_CODE
    )
    return ViewTasks([ViewTask(0x100, "implicit", "executing", 0x20, None), executing, suspended])


def test_an_untied_task_that_goes_on_is_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(f"{__name__}.EXECUTING", {1})
    made = process([[(1, 0), (0, 0)], [(1, 1), (0, 0)]], [ROOT, TEAM])
    begun = f"b:3 {FORKED}"
    at_once = f"f:5 {CONTINUED} {CONTINUED} {CONTINUED} g:2 {WORKER}"
    assert shown(made, [begun, at_once], 1, untied()) == "f@2 g@2 task g@2 R1.1 main@1"
    first = ".omp_outlined.:4 .omp_task_entry.:3 * *__kmpc_barrier"
    later = f"f:5 {CONTINUED} {CONTINUED} {first} g:2 {WORKER}"
    assert shown(made, [begun, later], 1, untied()) == "f@2 parallel region@2 task b@1 R1.0 main@1"


def test_a_task_that_generated_another_is_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(f"{__name__}.EXECUTING", {1})
    made = process([[(1, 0), (0, 0)], [(1, 1), (0, 0)]], [ROOT, TEAM])
    tasks = untied(2, TASKS_CODE)
    stacks = [f"b:3 {FORKED}", f"{CONTINUED} f:6 {CONTINUED} g:2 {WORKER}"]
    # A function of the user's generates the inner one.
    assert shown(made, stacks, 1, tasks).count("task") == 2
    tasks.tasks[1] = tasks.tasks[1]._replace(tied=True)
    stacks[1] = f"{CONTINUED} {CONTINUED} g:2 {WORKER}"
    assert shown(made, stacks, 1, tasks).count("task") == 2


def test_tasks_that_are_on_a_stack(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(f"{__name__}.EXECUTING", {1})
    made = process([[(1, 0), (0, 0)], [(1, 1), (0, 0)]], [ROOT, TEAM])
    stacks = [f"b:3 {FORKED}", f"{CONTINUED} f:6 {CONTINUED} g:2 {WORKER}"]
    (stack,) = _splicer(made, stacks, untied(2, TASKS_CODE)).begun_tasks()
    assert stack.thread is made.threads[1] and list(stack.addresses) == [0x101, 0x200]
    # Less than the tasks explain, and more.
    for text in (f"{CONTINUED} g:2 {WORKER}", f"{CONTINUED} f:6 {CONTINUED} f:6 {CONTINUED}"):
        stacks[1] = text if text.endswith(WORKER) else f"{text} g:2 {WORKER}"
        assert _splicer(made, stacks, untied(2, TASKS_CODE)).begun_tasks() == []


def test_cut_off_in_a_task_that_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(f"{__name__}.EXECUTING", {1})
    made = process([[(1, 0), (0, 0)], [(1, 1), (0, 0)]], [ROOT, TEAM])
    stacks = [f"b:3 {FORKED}", f"f:5 {CONTINUED} {CONTINUED} .omp_outlined.:4 .omp_task_entry.:3~"]
    assert shown(made, stacks, 1, untied()) == "f@2 parallel region@2 task (the...)"
    assert _splicer(made, stacks, untied()).backtrace(made.threads[1]).limited


def test_merged() -> None:
    made = process([[(1, 0), (0, 0)], [(1, 1), (0, 0)]], [ROOT, TEAM])
    splicer = _splicer(made, [f"f:1 {FORKED}", f"g:2 {WORKER}"])
    found = [splicer.backtrace(thread) for thread in made.threads]
    root = merged(found)
    (main,) = root.children
    assert [len(node.threads) for node in chain(main)] == [2, 2]
    assert [len(node.threads) for node in chain(main)[-1].children] == [1, 1]
    lines = merged_stacks.lines(root, found, Style(60))
    assert lines[1].startswith("main, a.c:7 -> parallel R1")
    ends = ["R1.0-1", "R1.0 (T1)", "R1.1 (T2)"]
    assert all(line.endswith(end) for line, end in zip(lines[1:4], ends))
    assert merged_stacks.dot(root).count("->") == 3


def test_text_has_no_control_characters() -> None:
    made = process([[(0, 0)]], [ROOT])
    found = _splicer(made, ["f\x1b[31m:1 main:2"]).backtrace(made.threads[0])
    text = "\n".join(backtrace.lines([found], {}, Style(80)))
    assert "\x1b" not in text and "#1   main () at a.c:2" in text


def test_of_a_deep_recursion_the_middle_is_left_out() -> None:
    made = process([[(0, 0)]], [ROOT])
    found = [_splicer(made, ["f:1 " * 5000 + "main:2"]).backtrace(made.threads[0])]
    root = merged(found)
    assert len(merged_stacks.lines(root, found, Style(100))) < 30
    depth, node = 0, merged_stacks.document(root)
    while node["children"]:
        depth, node = depth + 1, node["children"][0]
    assert depth == 57 and node["frame"]["loc"]["function"] == "f"
