# SPDX-License-Identifier: Apache-2.0
"""Do `ompd step', `ompd next' and `ompd finish' lead where the program's author wrote?"""

from __future__ import annotations

import json
import re
import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Sequence

import machine
import pytest
import sessions
from sessions import Answer, ask

SOURCE = machine.PROGRAMS / "steps.c"
DRIVER = f"source {machine.ROOT / 'tests' / 'gdb' / 'record_steps.py'}"
HIDDEN = re.compile(r"^-\d+ +breakpoint", re.MULTILINE)
LOCKING = ("replay", "off", "step", "on")


@dataclass(frozen=True)
class Walk:
    source: str
    name: str
    compiler: str  # or "any"
    thread: int
    begin: int  # a line
    commands: tuple[str, ...]
    ends: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.name}-{self.compiler}"


def walks_in(source: Path) -> list[Walk]:
    text = source.read_text(encoding="utf-8")
    places = {
        name: number
        for number, line in enumerate(text.splitlines(), 1)
        for name in re.findall(r"PLACE (\w+)(?: \*/|$)", line)
    }

    def with_line(end: str) -> str:
        return re.sub(r"@(\w+)", lambda match: f"@{places[match.group(1)]}", end)

    comments = re.sub(r"\n *(?:\*|!(?!\$))", " ", text)
    found = []
    for match in re.finditer(r"STEPS (\w+) (\w+) (\d)@(\w+):(.*?)(?=STEPS|\*/|\n)", comments):
        steps = [step.split(None, 1) for step in match.group(5).split(";")]
        found.append(
            Walk(
                source.name,
                match.group(1),
                match.group(2),
                int(match.group(3)),
                places[match.group(4)],
                tuple("ompd " + command.replace("_", " ") for command, _ in steps),
                tuple(" ".join(with_line(end).split()) for _, end in steps),
            )
        )
    return found


WALKS = walks_in(SOURCE)
OF_CLANG = [walk for walk in WALKS if walk.compiler != "gcc"]
OF_GCC = [walk for walk in WALKS if walk.compiler != "clang"]


def told(file: Path) -> tuple[tuple[str, ...], set[int]]:
    """Where the thread came to, and which threads these were, by GDB's number."""
    steps: list[dict[str, Any]] = json.loads(file.read_text(encoding="utf-8"))
    ends = []
    for step in steps:
        name = step.get("function") or ""
        name = "body" if "omp_" in name else name
        ends.append("error" if "error" in step else f"{name}@{step['line']} {step['id']}")
    return tuple(ends), {step["thread"] for step in steps if "thread" in step}


def walk_through(
    walk: Walk,
    executable: Path,
    runtime: Path,
    folder: Path,
    locking: str,
    gdb: str = "gdb",
    connected: Sequence[str] = (),
) -> Answer:
    """connected: what leads to a program that has begun elsewhere."""
    file = folder / "steps"
    commands = [
        f"record-steps {file} {', '.join(walk.commands)}",
        "show scheduler-locking",
        "maint info breakpoints",
    ]
    # gdb-10 finds no libthread_db: it cannot tell which of OpenMP's threads one is.
    num = (
        f"$_thread == {walk.thread + 1}"
        if gdb == "gdb-10"
        else f"$_omp_thread_num() == {walk.thread}"
    )
    before = [
        *(connected or [f"set environment LD_LIBRARY_PATH {runtime}"]),
        DRIVER,
        f"tbreak {walk.source}:{walk.begin} if {num}",
        "continue" if connected else "run",
        f"set scheduler-locking {locking}",
    ]
    answer = ask(gdb, commands, before, [executable], folder=folder)
    ends, threads = told(file)
    assert ends == walk.ends, answer.everything
    assert len(threads) <= 1, "the thread has changed"
    assert f'"{locking}"' in answer.texts[1]
    assert not HIDDEN.search(answer.text), "breakpoints were left behind"
    return answer


@pytest.mark.parametrize("walk", OF_CLANG, ids=str)
def test_walks(walk: Walk, folder: Path) -> None:
    locking = LOCKING[OF_CLANG.index(walk) % len(LOCKING)]
    executable, runtime = machine.compiled("steps"), machine.cached("libomp-19")
    walk_through(walk, executable, runtime, folder, locking)


def walks_on_gnus() -> list[Any]:
    few = [("libgomp-12", walk) for walk in OF_GCC[:: 1 if machine.FULL else 3]]
    all_walks = [("libomp-19", walk) for walk in OF_GCC] + few
    return [pytest.param(name, walk, id=f"{walk}-{name}") for name, walk in all_walks]


@pytest.mark.parametrize("name, walk", walks_on_gnus())
def test_entry_points_of_gnu(walk: Walk, name: str, folder: Path) -> None:
    locking = LOCKING[-1 - OF_GCC.index(walk) % len(LOCKING)]
    runtime = machine.under_gcc(name, folder)
    walk_through(walk, machine.compiled("steps", compiler="gcc"), runtime, folder, locking)


def walks(*names: str) -> list[Walk]:
    return [walk for walk in OF_CLANG if walk.name in names]


@pytest.mark.parametrize("gdb", ["gdb-10", "gdb-16", "gdb-18"])
@pytest.mark.parametrize("walk", walks("through", "worker", "inner", "critical"), ids=str)
def test_other_gdbs(walk: Walk, gdb: str, folder: Path) -> None:
    executable, runtime = machine.compiled("steps"), machine.cached("libomp-19")
    walk_through(walk, executable, runtime, folder, "on", gdb)


RUNTIMES = ["libomp-14", "libomp-16", "libomp-23-debug"]
if machine.FULL:
    RUNTIMES += ["libomp-13", "libomp-15", "libomp-19-gcc", "libomp-19-lto", "libomp-17-debug"]


@pytest.mark.parametrize("runtime", RUNTIMES)
@pytest.mark.parametrize("walk", walks("through", "part", "serialized", "inquire", "team"), ids=str)
def test_other_runtimes(walk: Walk, runtime: str, folder: Path) -> None:
    """One with debug information is not stepped into either."""
    executable = machine.compiled("steps")
    answer = walk_through(walk, executable, machine.cached(runtime), folder, "replay")
    assert len(re.findall(r"^\d+\t", answer.texts[0], re.M)) == len(walk.commands)


OPTIMISED = walks("finish", "late", "inner", "innermost", "skipped", "critical")


@pytest.mark.parametrize("walk", OPTIMISED, ids=str)
def test_optimised_programs(walk: Walk, folder: Path) -> None:
    executable = machine.compiled("steps", "optimised")
    walk_through(walk, executable, machine.cached("libomp-19"), folder, "step")


# ---- Sessions ------------------------------------------------------------------------------------


def session(commands: Sequence[str], folder: Path, at: str = "first") -> Answer:
    """A program stopped where its source has this text."""
    lines = SOURCE.read_text(encoding="utf-8").splitlines()
    line = next(n for n, text in enumerate(lines, 1) if f"PLACE {at} " in text)
    runtime = machine.cached("libomp-19")
    before = [
        f"set environment LD_LIBRARY_PATH {runtime}",
        f"tbreak steps.c:{line} if $_omp_thread_num() == 0",
        "run held" if at == "held" else "run",
    ]
    return ask("gdb", commands, before, [machine.compiled("steps")], folder=folder)


def test_one_stop_is_shown(folder: Path) -> None:
    texts = session(["ompd next", "ompd finish", "ompd next", "ompd step"], folder).texts
    assert [len(re.findall(r"^\d+\t", text, re.M)) for text in texts] == [1, 1, 1, 1]
    assert texts[0].startswith("37\t") or "omp barrier" in texts[0]
    assert texts[1].startswith("region (value=0) at ") and "PLACE behind" in texts[1]
    assert "PLACE done" in texts[2] and "region (" not in texts[2]
    assert not any(re.search(r"^#0|in __kmp|in \?\?", text, re.M) for text in texts)


def test_inlined_is_shown(folder: Path) -> None:
    """clang's task begins with an inlined function, at a stop that GDB has not shown."""
    texts = session(["ompd tbreak task", "continue", "ompd step"], folder).texts
    assert re.search(r"^\S+ \(.*\) at .*steps.c:\d+$", texts[2], re.M), texts
    assert len(re.findall(r"^\d+\t", texts[2], re.M)) == 1


def test_new_worker(folder: Path) -> None:
    executable, runtime = machine.compiled("steps"), machine.cached("libomp-19")
    before = [f"set environment LD_LIBRARY_PATH {runtime}", "ompd tbreak thread", "run"]
    commands = ["ompd next", "ompd finish", "maint info breakpoints"]
    answer = ask("gdb", commands, before, [executable], folder=folder)
    for text in answer.texts[:2]:
        assert text.startswith(
            "The runtime has just made this thread: no user code is on its stack yet"
        )
    assert not HIDDEN.search(answer.text)


def test_breakpoint_of_another_thread(folder: Path) -> None:
    """It stops the program as usual."""
    commands = [
        "break work if $_omp_thread_num() == 1",
        "ompd next 2",
        "thread",
        "maint info breakpoints",
    ]
    answer = session(commands, folder)
    assert re.search(r"Thread \d+ .* hit Breakpoint 2, work", answer.texts[1])
    assert re.search(r"^T\d+ stopped the program; T1 has not completed", answer.texts[1], re.M)
    assert "Current thread is 1 " not in answer.texts[2]
    assert not HIDDEN.search(answer.text)


def test_breakpoint_on_the_way(folder: Path) -> None:
    """In the same thread, and in one of ours."""
    commands = ["break work", "ompd finish", "info breakpoints", "maint info breakpoints"]
    answer = session(commands, folder)
    assert "hit Breakpoint 2, work" in answer.texts[1]
    assert "already hit 1 time" in answer.texts[2]
    assert not HIDDEN.search(answer.text)


def test_condition_with_an_effect(folder: Path) -> None:
    """Where one of ours stops the program too, it is not evaluated a second time."""
    lines = SOURCE.read_text(encoding="utf-8").splitlines()
    line = next(n for n, text in enumerate(lines, 1) if "PLACE first " in text)
    commands = ["set $n = 0", f"break steps.c:{line} if $n++ > 1000"]
    commands += ["ompd next", "ompd step", "ompd finish", "print $n"]
    answer = session(commands, folder, at="before")
    assert "PLACE first" in answer.texts[3] and "PLACE behind" in answer.texts[4]
    assert answer.text.endswith(" = 3"), answer.everything


def test_beside_ompd_break(folder: Path) -> None:
    """Both lead the program by breakpoints at the same entry points."""
    commands = ["ompd break parallel", "ompd break barrier if 0", "ompd next", "ompd step"]
    answer = session(commands, folder, at="before")
    assert "PLACE region" in answer.texts[2]
    assert "PLACE first" in answer.texts[3] and "of 3 threads, in R0" in answer.texts[3]


INTERRUPT = (
    "python import os, signal, threading;"
    " threading.Timer(3, os.kill, (os.getpid(), signal.SIGINT)).start()"
)


@pytest.mark.parametrize("command", ["ompd step", "ompd next", "ompd finish"])
def test_interrupted(command: str, folder: Path) -> None:
    """The thread waits at a barrier for one that never comes, held by its own loop."""
    commands = [
        "delete",
        "set scheduler-locking on",
        INTERRUPT,
        command,
        "show scheduler-locking",
        "maint info breakpoints",
        "set variable no = 1",
        "set scheduler-locking replay",
        "continue",
    ]
    answer = session(commands, folder, at="held")
    assert "received signal SIGINT" in answer.texts[3]
    assert '"on"' in answer.texts[4]
    assert not HIDDEN.search(answer.texts[5])
    assert "exited normally" in answer.text


def test_attached(folder: Path) -> None:
    executable = machine.compiled("steps")
    record = folder / "truth.json"
    env = {"LD_LIBRARY_PATH": str(machine.cached("libomp-19")), "OMPD_TRUTH_FILE": str(record)}
    with sessions.parked(executable, ("held",), env, folder, record) as pid:
        before = [f"attach {pid}", "set variable no = 1", "set scheduler-locking on"]
        commands = ["ompd thread R1.0", "ompd finish", "maint info breakpoints"]
        answer = ask("gdb", commands, before, folder=folder)
    assert re.match(r"held \(\) at .*\n\d+\t.*PLACE free", answer.texts[1])
    assert not HIDDEN.search(answer.text)


@pytest.mark.parametrize("walk", walks("through", "worker"), ids=str)
def test_gdbserver(walk: Walk, folder: Path) -> None:
    executable, runtime = machine.compiled("steps"), machine.cached("libomp-19")
    server = ["env", f"LD_LIBRARY_PATH={runtime}", "gdbserver", "--once", "-", str(executable)]
    connected = [f"target remote | {shlex.join(server)}"]
    walk_through(walk, executable, runtime, folder, "step", connected=connected)


# ---- Where there is nothing to do ----------------------------------------------------------------


@pytest.mark.parametrize("command", ["ompd step", "ompd next", "ompd finish"])
def test_core_file(command: str, folder: Path) -> None:
    runtime = machine.cached("libomp-19")
    with sessions.target("core", machine.compiled("nested"), (), runtime, folder) as made:
        answer = ask("gdb", [command], made.before, made.files, folder=folder)
    assert answer.text.startswith("A core file does not run.")


@pytest.mark.parametrize("command", ["ompd step", "ompd next", "ompd finish"])
def test_recording(command: str, folder: Path) -> None:
    """There GDB's own steps do not come past a barrier."""
    answer = session(["record", command, "record stop", "ompd next"], folder)
    assert answer.texts[1].startswith("GDB records the program, or replays it")
    assert "omp barrier" in answer.texts[3]


def test_program_without_openmp(folder: Path) -> None:
    """As GDB's own commands."""
    executable = machine.compiled("no_openmp")
    texts = []
    for prefix in ("", "ompd "):
        commands = [f"{prefix}next", f"{prefix}step", f"{prefix}next 2"]
        answer = ask("gdb", commands, ["break main", "run"], [executable], folder=folder)
        # When a thread ends is its own affair.
        changing = r"LWP \d+|0x[0-9a-f]+|\[Thread [^\]]*exited\]\n|^GDB says: "
        texts.append([re.sub(changing, "", text, flags=re.M) for text in answer.texts])
    assert texts[0] == texts[1]


def test_mistakes(folder: Path) -> None:
    commands = ["ompd step nonsense", "ompd next -x", "ompd finish 3"]
    answer = session(commands, folder)
    assert (
        "not a number" in answer.texts[0] and "`ompd finish' takes no argument" in answer.texts[2]
    )
    answer = ask("gdb", ["ompd step"], folder=folder)
    assert answer.text.startswith("There is no process")
