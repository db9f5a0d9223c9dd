# SPDX-License-Identifier: Apache-2.0
"""Does the program stand still while it is looked at? No command of ours calls a function in it,
resumes it or meets a breakpoint, and a call that the user writes runs with the other threads held.
And is a variable the thread's own, and not another file's of the same name?"""

from __future__ import annotations

import subprocess
from pathlib import Path

import machine
import pytest
from sessions import Answer, ask

LOOKS = [
    "ompd",
    "ompd status",
    "ompd threads",
    "ompd parallel",
    "ompd parallel R1",
    "ompd tasks",
    "ompd icvs",
    "ompd locks",
    "ompd barriers",
    "ompd deadlock",
    "ompd target",
    "ompd bt *",
    "ompd bt -merge",
    "ompd report -locals",
    "ompd print gone",
    "ompd print gone[1]",
    "ompd print mine",
    "ompd each info locals",
    "bt",
]
MOVED = "python print('ran', ran, gdb.parse_and_eval('progress') - before)"
RECORDS = [
    "python ran = []",
    "python gdb.events.cont.connect(lambda event: ran.append('continued'))",
    "python gdb.events.inferior_call.connect(lambda event: ran.append('called'))",
    "python before = gdb.parse_and_eval('progress')",
]


def session(
    compiler: str, level: str, stop: list[str], commands: list[str], folder: Path, crashes: bool
) -> Answer:
    program = folder / "stays"
    sources = [machine.PROGRAMS / name for name in ("stays.c", "stays_elsewhere.c")]
    command = [compiler, "-g", level, "-fopenmp", *sources, "-o", program]
    subprocess.run(command, check=True, cwd=folder)
    runtime = f"set environment LD_LIBRARY_PATH {machine.cached('libomp-19')}"
    files = ["--args", program, *(["crash"] if crashes else [])]
    return ask("gdb", commands, [runtime, *stop, "run"], files, folder=folder)


@pytest.mark.parametrize("compiler", [machine.CLANG, machine.GCC])
@pytest.mark.parametrize("stop", ["crash", "break stop_here"])
def test_nothing_runs(stop: str, compiler: str, folder: Path) -> None:
    commands = [*RECORDS, "break twice", *LOOKS, MOVED, "print mine", "show may-call-functions"]
    places = [] if stop == "crash" else [stop]
    answer = session(compiler, "-O2", places, commands, folder, not places)
    assert answer.texts[-3] == "ran [] 0"
    assert answer.texts[-1].endswith("is on.")
    assert not any("defect" in text for text in answer.texts), answer.everything


def test_nothing_is_resumed_in_non_stop_mode(folder: Path) -> None:
    """One thread stands, the others run: what we ask resumes none, and calls nothing."""
    stopped = "[one.num for one in gdb.selected_inferior().threads() if one.is_stopped()]"
    select = f"python gdb.execute('thread %d' % {stopped}[0])"
    commands = [select, *RECORDS, "break twice", *LOOKS, MOVED]
    stop = ["set non-stop on", "break stop_here"]
    answer = session(machine.GCC, "-O2", stop, commands, folder, False)
    assert answer.texts[-1].startswith("ran [] "), answer.everything
    assert not any("defect" in text for text in answer.texts), answer.everything


def test_nothing_runs_under_gdbserver(folder: Path) -> None:
    commands = [*RECORDS, "break twice", *LOOKS, MOVED]
    server = [
        "target extended-remote | gdbserver --multi --once - 2>/dev/null",
        f"set remote exec-file {folder / 'stays'}",
    ]
    answer = session(machine.GCC, "-O2", [*server, "break stop_here"], commands, folder, False)
    assert answer.texts[-1] == "ran [] 0", answer.everything
    assert not any("defect" in text for text in answer.texts), answer.everything


# Commands that let the program run when they are told to.
RESUME = {"ompd step", "ompd next", "ompd finish"}
SELECT = [
    "ompd help",
    "ompd init",
    "ompd where",
    "ompd frame",
    "ompd up",
    "ompd down",
    "ompd info",
    "ompd thread R1.1",
    "ompd thread R1.2 info locals",
    "ompd break parallel",
    "ompd tbreak barrier",
    "ompd info break",
]
# What has happened to the program, told after each command.
STATE = """\
import gdb

ran = []
gdb.events.cont.connect(lambda event: ran.append("continued"))
gdb.events.inferior_call.connect(lambda event: ran.append("called"))


def state():
    chosen, stacks = gdb.selected_thread(), {}
    for thread in gdb.selected_inferior().threads():
        if thread.is_stopped():
            thread.switch()
            frame = gdb.newest_frame()
            stacks[thread.num] = (frame.pc(), int(frame.read_register("sp")))
    if chosen is not None and chosen.is_valid():
        chosen.switch()
    return stacks, sum(one.hit_count for one in gdb.breakpoints() or ())


before = state()
"""
TOLD = (
    "python print('unmoved' if not ran and state() == before else ('moved', ran, before, state()))"
)
STOPS = {
    "crash": [],
    "breakpoint": ["break stop_here"],
    "non-stop": ["set non-stop on", "break stop_here"],
    "gdbserver": ["break stop_here"],
}
STOPPED = "next(one for one in gdb.selected_inferior().threads() if one.is_stopped())"


def test_each_command_is_looked_at(folder: Path) -> None:
    ask_for = (
        "python from ompd_gdb import commands; print(*sorted(commands.registered), sep=chr(10))"
    )
    names = set(ask("gdb", [ask_for], [], [], folder=folder).texts[0].splitlines())
    tried = {" ".join(line.split()[:n]) for line in [*LOOKS, *SELECT] for n in (1, 2, 3)}
    assert names - tried == RESUME


@pytest.mark.skipif(not machine.FULL, reason="OMPD_FULL=1: every command at every kind of stop")
@pytest.mark.parametrize("level", ["-O0", "-O2"])
@pytest.mark.parametrize("compiler", [machine.CLANG, machine.GCC])
@pytest.mark.parametrize("stop", STOPS)
def test_no_command_moves_a_thread(stop: str, compiler: str, level: str, folder: Path) -> None:
    script = folder / "state.py"
    script.write_text(STATE, encoding="utf-8")
    begun = STOPS[stop]
    if stop == "gdbserver":
        server = "target extended-remote | gdbserver --multi --once - 2>/dev/null"
        begun = [server, f"set remote exec-file {folder / 'stays'}", *begun]
    chosen = f"python gdb.execute('thread %d' % {STOPPED}.num)"
    tried = [line for command in [*LOOKS, *SELECT] for line in (command, TOLD)]
    commands = [chosen, f"source {script}", "break twice", *tried]
    answer = session(compiler, level, begun, commands, folder, stop == "crash")
    told = dict(zip([*LOOKS, *SELECT], answer.texts[4::2]))
    assert set(told.values()) == {"unmoved"}, told


def test_a_call_of_the_users_holds_the_others(folder: Path) -> None:
    commands = [
        *RECORDS,
        "ompd print twice(mine)",
        "ompd each print twice(7)",
        "print calls",
        MOVED,
        "set may-call-functions off",
        "ompd print twice(mine)",
        "show scheduler-locking",
    ]
    answer = session(machine.CLANG, "-O0", ["break stop_here"], commands, folder, False)
    called, each, calls, moved, _, refused, locking = answer.texts[len(RECORDS) :]
    assert called.endswith("3 threads: 3 values, from 0 to 4.")
    assert each.count("= 14") == 3 and calls.endswith("= 6")
    assert moved.endswith("] 0") and "called" in moved
    assert (
        "3 threads: 0 values; 3 cannot tell." in refused and "may-call-functions is off" in refused
    )
    assert '"replay"' in locking


@pytest.mark.parametrize("compiler", [machine.CLANG, machine.GCC])
def test_whose_variable(compiler: str, folder: Path) -> None:
    """stop_here() has neither."""
    commands = [f"ompd print R1.1 {name}" for name in ("elsewhere", "middle", "only_here")]
    answer = session(compiler, "-O0", ["break stop_here"], commands, folder, False)
    elsewhere, middle, only_here = answer.texts
    assert "5  (in the construct's code, which called it)" in elsewhere
    assert "15  (in between (), which called it)" in middle
    assert "777  (a variable of stays_elsewhere.c)" in only_here
    assert "all agree" not in only_here
