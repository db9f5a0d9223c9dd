# SPDX-License-Identifier: Apache-2.0
"""Does GDB's own `bt', its MI and its DAP show the user's frames, and leave everything else alone?
The frames that are left out are told by `bt -no-filters' of the same stop; names and lines by the
comments of tests/programs/stacks.c, and by `ompd bt'."""

from __future__ import annotations

import json
import platform
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import machine
import pytest
from dap import client
from expected_stacks import expected
from sessions import Answer, ask, sourcing, target

SOURCE = machine.PROGRAMS / "stacks.c"
GDBS = ["gdb-10", "gdb", "gdb-16", "gdb-18"]
SCENARIOS = ["nested", "tasks", "gone", "waits", "serialized"]
# What must not be left out: the program's own code, but for clang's between it and the runtime, and
# what the program called.
USERS = re.compile(
    r"(?!\.omp_outlined\.|\.omp_task_entry).* at .*(stacks\.c|busy\.c|truth\.h):|usleep "
)
# Of a thread in here() of the scenario "nested". From 2.41 on glibc's usleep() has two more below.
MORE = 2 if [*map(int, platform.libc_ver()[1].split("."))] >= [2, 41] else 0
HERE, MAIN = 3 + MORE, 23 + MORE
LEFT = [*map(str, [*range(HERE + 3), *(level + MORE for level in (11, 16, 22, 23))])]


@dataclass
class Shown:
    level: int
    function: str
    line: int | None
    text: str


def shown(text: str) -> list[list[Shown]]:
    """The stacks that `thread apply all bt' printed."""
    found = []
    for stack in re.split(r"^Thread \d+ \(.*\n", text, flags=re.MULTILINE)[1:]:
        joined = re.sub(r"\n\s+(?=\S)", " ", stack)
        frames = []
        for level, rest in re.findall(r"^#(\d+)\s+(.*)$", joined, re.MULTILINE):
            rest = re.sub(r"^0x[0-9a-f]+ in ", "", rest)
            line = re.search(r" at .*stacks\.c:(\d+)", rest)
            function = re.split(r" \(", rest)[0].strip()
            frames.append(Shown(int(level), function, int(line.group(1)) if line else None, rest))
        found.append(frames)
    return found


def asked(
    commands: list[str],
    folder: Path,
    *,
    program: str = "stacks",
    scenario: str = "nested",
    runtime: str = "libomp-14",
    kind: str = "live",
    gdb: str = "gdb",
    build: str = "debug",
    before: tuple[str, ...] = (),
) -> Answer:
    executable, home = machine.compiled(program, build), machine.cached(runtime)
    with target(kind, executable, scenario.split(), home, folder) as made:
        return ask(gdb, commands, [*made.before, *before], made.files, folder=folder)


NAMELESS = "parallel region"
EVERY, PLAIN, OURS = "thread apply all bt", "thread apply all bt -no-filters", "ompd bt * -json"


def only_others_are_left_out(few: list[Shown], every: list[Shown], answer: Answer) -> None:
    levels = [frame.level for frame in few]
    assert levels and levels == sorted(set(levels)), answer.everything
    assert set(levels) <= {frame.level for frame in every}
    for frame in every:
        if frame.level not in levels:
            assert not USERS.match(frame.text), f"{frame}\n{answer.everything}"
    runtimes = [one for one in few if re.search(r"libomp|/kmp_\w+\.|^<", one.text)]
    assert len(runtimes) <= 1, answer.everything


@pytest.mark.parametrize("number", range(4))
@pytest.mark.parametrize("scenario", SCENARIOS)
def test_the_users_frames(scenario: str, number: int, folder: Path) -> None:
    """With the numbers, names and lines that `ompd bt' has; only frames of others are left out."""
    turn = SCENARIOS.index(scenario) + number
    runtime = ["libomp-13", "libomp-14", "libomp-19", "libomp-19-ompd"][number]
    kind, gdb = ["live", "core", "attach", "gdbserver"][turn % 4], GDBS[turn // 2 % 4]
    how: Any = {"scenario": scenario, "runtime": runtime, "kind": kind, "gdb": gdb}
    answer = asked([EVERY, PLAIN, OURS], folder, **how)
    filtered, whole = shown(answer.texts[0]), shown(answer.texts[1])
    assert len(filtered) == len(whole) > 1
    for few, all_ in zip(filtered, whole):
        only_others_are_left_out(few, all_, answer)
    known = {(frame.level, frame.function, frame.line) for stack in filtered for frame in stack}
    if gdb == "gdb-10":  # to it the code of clang's tasks is no function
        known |= {(level, "generate", line) for level, name, line in known if name == NAMELESS}
        known |= {(level, "outer", line) for level, name, line in known if name == NAMELESS}
    for stack in answer.document(OURS)["stacks"]:
        for frame in stack["frames"]:
            in_source = ((frame["loc"] or {}).get("file") or "").endswith("stacks.c")
            if frame["kind"] == "user" and frame["level"] is not None and in_source:
                loc = frame["loc"]
                assert (frame["level"], loc["function"], loc["line"]) in known, answer.everything


def test_as_written(folder: Path) -> None:
    """The innermost frames of each thread, as the author wrote them down."""
    (written,) = expected(SOURCE, "nested")
    users = [frame for frame in written if re.match(r"\w+:\d+$", frame)]
    answer = asked([EVERY], folder, runtime="libomp-19")
    stacks = [
        [f"{frame.function}:{frame.line}" for frame in stack if frame.line]
        for stack in shown(answer.text)
    ]
    inside = [stack for stack in stacks if stack[0].startswith("here:")]
    assert len(inside) == 4
    for stack in inside:
        assert stack[:3] == users[:3], answer.everything


@pytest.mark.parametrize("runtime", ["libomp-14", "libomp-19-ompd"])
def test_waits(runtime: str, folder: Path) -> None:
    """One frame stands for the runtime's, and says what the program waits for; of a thread that has
    no code of the program's on its stack it says just this."""
    answer = asked([EVERY], folder, scenario="waits", runtime=runtime)
    tops = sorted(stack[0].function for stack in shown(answer.text))
    waits = ["<critical>", "<in the OpenMP runtime>", "<lock wait>", "<parallel>"]
    assert tops[:4] == waits, answer.everything
    assert len(tops) == 6


def test_slices(folder: Path) -> None:
    """`bt N', `bt -N', `bt full', and the numbers of frames are GDB's."""
    commands = [
        "thread 1",
        "bt",
        "bt 4",
        "bt -2",
        "bt full 5",
        f"frame {MAIN - 1}",
        "bt -full -hide 1",
    ]
    answer = asked(commands, folder)
    whole, first, last, full = (
        re.findall(r"^#(\d+)", text, re.MULTILINE) for text in answer.texts[1:5]
    )
    assert whole[:5] == ["0", "1", "2", "3", "4"] and whole[-2:] == LEFT[-2:]
    assert first == whole[:4] and last == whole[-2:] and full == whole[:5]
    assert "nested ()" in answer.texts[5]


@pytest.mark.parametrize("gdb", GDBS)
def test_compilers_variables(gdb: str, folder: Path) -> None:
    """Arguments that clang adds are not shown, and what the user wrote is."""
    answer = asked(["thread 1", "bt full", "bt -no-filters"], folder, scenario="waits", gdb=gdb)
    assert "held = 1" in answer.texts[1]
    assert "global_tid" not in answer.texts[1]
    answer = asked(["thread 1", "bt", "bt -no-filters"], folder, gdb=gdb)
    assert "global_tid" in answer.texts[2] and "global_tid" not in answer.texts[1]
    assert "main (argc=2" in answer.texts[1]


def values(text: str) -> dict[int, tuple[str, list[str]]]:
    """By frame its arguments, as `bt -full' shows them, and its variables."""
    found: dict[int, tuple[str, list[str]]] = {}
    for level, rest in re.findall(r"^#(\d+)\s+(.*(?:\n(?!#).*)*)", text, re.MULTILINE):
        head, *variables = rest.splitlines()
        match = re.search(r" \((.*)\) at ", head)
        arguments = match.group(1) if match else ""
        for added in (r"\.\w+\.=\w+(, )?", r"\w+@entry="):
            arguments = re.sub(added, "", arguments)
        found[int(level)] = arguments, variables
    return found


FORTRANS = ("gfortran", machine.FLANG)
# GDB 10 cannot read Fortran's arrays.
COMPILED = [
    (compiler, gdb)
    for compiler in ("gcc", machine.CLANG, *FORTRANS)
    for gdb in GDBS
    if (compiler in FORTRANS, gdb) != (True, "gdb-10")
]


@pytest.mark.each("compiler")
@pytest.mark.parametrize(("compiler", "gdb"), COMPILED)
def test_values(compiler: str, gdb: str, folder: Path) -> None:
    """Arguments and variables are those that GDB shows by itself: the copies of a construct's
    threads, not what it was passed, and nothing of the function around it. Fortran's arrays can be
    read."""
    program = "oracle_fortran" if compiler in FORTRANS else "oracle"
    executable = machine.compiled(program, compiler="gcc" if compiler == "gfortran" else compiler)
    runtime = machine.cached("libgomp-12" if compiler.startswith("g") else "libomp-19")
    commands = ["thread 1", "bt -full", "bt -full -no-filters", "frame"]
    with target("live", executable, (), runtime, folder) as made:
        answer = ask(gdb, commands, made.before, made.files, folder=folder)
    few, every = values(answer.texts[1]), values(answer.texts[2])
    seen = 0
    for level, (arguments, variables) in few.items():
        assert arguments == every[level][0], answer.everything
        assert set(variables) <= set(every[level][1]), answer.everything
        seen += len(variables)
    assert seen > 10, answer.everything
    assert answer.texts[3].startswith("#0 "), "the selected frame stays"


@pytest.mark.parametrize("gdb", GDBS)
def test_switches(gdb: str, folder: Path) -> None:
    """GDB's own and ours are one."""
    commands = [
        "thread 1",
        "bt",
        "info frame-filter",
        "disable frame-filter global ompd",
        "show ompd frame-filter",
        "bt",
        "set ompd frame-filter on",
        "bt",
        "set ompd frame-filter off",
        "bt",
        "info frame-filter",
        "enable frame-filter all",
        "bt",
    ]
    texts = asked(commands, folder, gdb=gdb).texts
    assert re.search(r"100 +Yes +ompd", texts[2]) and re.search(r"100 +No +ompd", texts[10])
    assert texts[4] == "`bt' leaves out the frames of OpenMP runtimes: off."
    assert "kmpc_fork_call" not in texts[1]
    assert texts[1] == texts[7] == texts[12]
    assert "kmpc_fork_call" in texts[5] and texts[5] == texts[9]


@pytest.mark.parametrize("gdb", GDBS)
@pytest.mark.parametrize("program", ["no_openmp", "not_started"])
def test_without_a_runtime(program: str, gdb: str, folder: Path) -> None:
    """GDB's own output, to the letter: where no runtime is loaded, and before the first region."""
    commands = ["bt", "bt -no-filters", "bt -full", "bt -no-filters -full"]
    answer = asked(commands, folder, program=program, scenario="", gdb=gdb)
    if program == "no_openmp":
        assert answer.texts[0] == answer.texts[1] and answer.texts[2] == answer.texts[3]
    else:
        assert frames_of(answer.texts[0]) == frames_of(answer.texts[1])


def frames_of(text: str) -> list[tuple[str, str]]:
    """Their numbers, and marks where there is no name. GDB's filters print files in another way."""
    return re.findall(r"^#(\d+) (?:.* in (\?+) \()?", text, re.MULTILINE)


@pytest.mark.parametrize("priority", [1, 1000])
def test_beside_another_filter(priority: int, folder: Path) -> None:
    script = folder / "other.py"
    script.write_text(
        f"""
import gdb
from gdb.FrameDecorator import FrameDecorator

class Shouting(FrameDecorator):
    def function(self):
        return str(super().function()).upper()

class Other:
    name, enabled, priority = "other", True, {priority}

    def filter(self, frames):
        return map(Shouting, frames)

gdb.frame_filters["other"] = Other()
""",
        encoding="utf-8",
    )
    answer = asked(["thread 1", "bt"], folder, before=(f"source {script}",))
    levels = re.findall(r"^#(\d+)", answer.text, re.MULTILINE)
    assert levels == LEFT, answer.everything
    assert "LEAF ()" in answer.text and "MAIN (" in answer.text
    assert "parallel region" not in answer.text


def test_library_is_missing(folder: Path) -> None:
    """What `bt' shows then is GDB's; `ompd status' tells why."""
    commands = ["thread 1", "bt -no-filters", "bt"]
    answer = asked(commands, folder, before=("set ompd library /nowhere/libompd.so",))
    assert frames_of(answer.texts[1]) == frames_of(answer.texts[2])


@pytest.mark.parametrize("gdb", GDBS)
def test_machine_interface(gdb: str, folder: Path) -> None:
    mi = [
        "-enable-frame-filters",
        "-stack-list-frames",
        "-stack-list-frames 0 1",
        "-stack-list-frames --no-frame-filters",
    ]
    commands = ["thread 1", *(f'interpreter-exec mi "{command}"' for command in mi)]
    answer = asked(commands, folder, gdb=gdb)
    few, first, every = (re.findall(r'level="(\d+)"', text) for text in answer.texts[2:])
    assert few == LEFT, answer.everything
    assert first == few[:2] and len(every) == MAIN + 1
    assert 'func="nested"' in answer.texts[2] and "outlined" not in answer.texts[2]


@pytest.mark.parametrize("gdb", ["gdb-16", "gdb-18"])
def test_editors(gdb: str, folder: Path) -> None:
    """A client of the Debug Adapter Protocol: the user's frames, with the files to open."""
    executable, home = machine.compiled("stacks"), machine.cached("libomp-14")
    with client(gdb, sourcing(), folder) as editor:
        editor.ask("initialize", clientID="test", adapterID="gdb")
        started = editor.send(
            "launch",
            program=str(executable),
            args=["nested"],
            env={
                "LD_LIBRARY_PATH": str(home),
                "OMPD_TRUTH_FILE": str(folder / "truth.json"),
            },
        )
        editor.event("initialized")
        editor.ask("setFunctionBreakpoints", breakpoints=[{"name": "stop_here"}])
        editor.ask("configurationDone")
        editor.answer(started)
        editor.event("stopped")
        threads = editor.ask("threads")["threads"]
        traces = [
            editor.ask("stackTrace", threadId=thread["id"])["stackFrames"] for thread in threads
        ]
        first = min(threads, key=lambda thread: thread["id"])["id"]
        part = editor.ask("stackTrace", threadId=first, startFrame=HERE, levels=2)["stackFrames"]
        everything = json.dumps(traces)
    users = [
        [
            (frame["name"], frame["line"])
            for frame in trace
            if "stacks.c" in str(frame.get("source"))
        ]
        for trace in traces
    ]
    (written,) = expected(SOURCE, "nested")
    wanted = [tuple(frame.split(":")) for frame in written if re.match(r"\w+:\d+$", frame)]
    inside = [[(name, str(line)) for name, line in one] for one in users if one[0][0] == "here"]
    assert len(inside) == 4, everything
    for stack in inside:
        assert stack[:3] == wanted[:3], everything
    assert [frame["name"] for frame in part] == ["here", "leaf"]
    assert "kmp" not in everything and "outlined" not in everything


# Stops a running program again and again, each time at another moment.
STOPS = """
import random, signal, threading

def stop(delay):
    pid = gdb.selected_inferior().pid
    threading.Timer(delay, os.kill, (pid, signal.SIGINT)).start()
    gdb.execute("continue", to_string=True)
    gdb.execute("thread apply all bt")
    gdb.write("=====\\n")
    gdb.execute("thread apply all bt -no-filters")
    gdb.write("=====\\n")

import os
generator = random.Random(7)
for number in range(20):
    stop(generator.uniform(0, 0.03))
"""


@pytest.mark.parametrize("gdb", GDBS)
def test_at_any_moment(gdb: str, folder: Path) -> None:
    script = folder / "stops.py"
    script.write_text(STOPS, encoding="utf-8")
    executable, home = machine.compiled("busy"), machine.cached("libomp-14")
    with target("live", executable, (), home, folder) as made:
        before = [*made.before[:-2], "break hold", "run", "delete", "handle SIGINT stop nopass"]
        answer = ask(gdb, [f"source {script}"], before, made.files, folder=folder)
    texts = answer.text.split("=====\n")
    assert len(texts) >= 40
    for few, every in zip(texts[0:40:2], texts[1:40:2]):
        for one, other in zip(shown(few), shown(every)):
            only_others_are_left_out(one, other, answer)


def test_no_more_is_unwound_than_shown(folder: Path) -> None:
    """But for what tells whether the C library was called by the program."""
    script = folder / "counting.py"
    script.write_text(
        """
class Counting:
    name, enabled, priority = "counting", True, 1000

    def filter(self, frames):
        self.seen = 0
        for frame in frames:
            self.seen += 1
            yield frame

counting = gdb.frame_filters["counting"] = Counting()
""",
        encoding="utf-8",
    )
    told = "python print(counting.seen)"
    commands = [
        "thread 1",
        *("bt 1", told, f"bt {HERE + 1}", told, f"bt {HERE + 3}", told, "bt", told),
    ]
    texts = asked(commands, folder, before=(f"source {script}",)).texts
    # Behind outer() there are frames of the runtime and clang's.
    assert [int(text) for text in texts[2::2]] == [HERE + 1, HERE + 1, HERE + 3, MAIN + 1]


def test_core_without_executable(folder: Path) -> None:
    executable, home = machine.compiled("stacks"), machine.cached("libomp-14")
    with target("core", executable, ("nested",), home, folder) as made:
        commands = ["thread apply all bt 3", "file", f"core {made.core}", "thread apply all bt 3"]
        answer = ask("gdb", commands, [f"core {made.core}"], folder=folder)
    assert "#0" in answer.texts[0] and "#0" in answer.texts[3]


def test_damaged_stack(folder: Path) -> None:
    """What cannot be unwound any further ends as it does without the filter."""
    commands = [
        "thread 1",
        f"frame {HERE + 1}",
        "set var *(long*)($rbp + 8) = 16",
        "frame 0",
        "bt",
        "bt -no-filters",
        "bt -2",
    ]
    answer = asked(commands, folder)
    few, every = (frames_of(text) for text in answer.texts[4:6])
    assert few == every, answer.everything


def test_running_threads(folder: Path) -> None:
    commands = ["thread 1", "bt", "thread apply all -s bt"]
    executable, home = machine.compiled("stacks"), machine.cached("libomp-14")
    with target("live", executable, ("nested",), home, folder) as made:
        before = ["set non-stop on", *made.before]
        answer = ask("gdb", commands, before, made.files, folder=folder)
    assert "running" in answer.texts[1] and "stop_here ()" in answer.texts[2]


@pytest.mark.parametrize("gdb", ["gdb", "gdb-16"])
def test_languages(gdb: str, folder: Path) -> None:
    """Whether a runtime is loaded is asked in the user's language."""
    languages = ["ada", "c++", "d", "fortran", "go", "modula-2", "pascal", "rust", "asm"]
    commands = ["thread 1"]
    for language in languages:
        # What is known of the files that are loaded is forgotten.
        commands += [f"set language {language}", "python ask_again()", "bt"]
    forget = "python ask_again = lambda: setattr(gdb.frame_filters['ompd'], '_images', ())"
    answer = asked(commands, folder, gdb=gdb, before=(forget,))
    for text in answer.texts[3::3]:
        levels = re.findall(r"^#(\d+)", text, re.MULTILINE)
        assert levels == LEFT, answer.everything
