# SPDX-License-Identifier: Apache-2.0
"""Does a session follow the processes, wherever they go: forks, execs, runs at other addresses, a
runtime that comes and goes, a core file beside a live process, hidden helper threads?"""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import machine
import pytest
from machine import CLANG, PROGRAMS, Case
from sessions import ask, kernel_core, target
from states import score, told_of, truth_of
from test_truth import told_truth

ASK = ["ompd threads -json", "ompd parallel -json"]
STATES = ["ompd threads -json", "ompd threads"]
GDBS = ("gdb", "gdb-10", "gdb-16", "gdb-18")


def record(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


@pytest.mark.parametrize("gdb", GDBS)
@pytest.mark.parametrize("case", [Case("nested"), Case("roots"), Case("tasks")], ids=str)
@pytest.mark.parametrize("kind", ["live", "core", "attach"])
def test_every_gdb(kind: str, case: Case, gdb: str, folder: Path) -> None:
    executable, runtime = machine.compiled(case.source), machine.cached("libomp-16")
    with target(kind, executable, case.args, runtime, folder) as made:
        answer = ask(gdb, ASK, made.before, made.files, folder=folder)
        told_truth(made.truth(), answer)


@pytest.mark.parametrize("gdb", ["gdb", "gdb-18"])
@pytest.mark.parametrize("followed", ["parent", "child"])
def test_follow_fork(followed: str, gdb: str, folder: Path) -> None:
    with target("live", machine.compiled("forks"), (), machine.cached("libomp-19"), folder) as made:
        before = [f"set follow-fork-mode {followed}", *made.before]
        answer = ask(gdb, ASK, before, made.files, folder=folder)
    name = made.record if followed == "parent" else Path(f"{made.record}.child")
    told = told_truth(record(name), answer)
    assert len(told["threads"]) == (2 if followed == "parent" else 3)


@pytest.mark.parametrize("gdb", ["gdb", "gdb-18"])
def test_both_after_a_fork(gdb: str, folder: Path) -> None:
    """Each inferior has its own answers."""
    with target("live", machine.compiled("forks"), (), machine.cached("libomp-14"), folder) as made:
        before = ["set detach-on-fork off", "set schedule-multiple off", *made.before]
        second = ["inferior 2", "continue"]
        commands = [*ASK, *second, *ASK, "inferior 1", *ASK]
        answer = ask(gdb, commands, before, made.files, folder=folder)
    told_truth(record(made.record), answer)
    told_truth(record(Path(f"{made.record}.child")), answer, time=1)
    told_truth(record(made.record), answer, time=2)


def test_exec(folder: Path) -> None:
    """The child becomes another program on the same runtime."""
    other = machine.compiled("nested")
    with target(
        "live",
        machine.compiled("forks"),
        ("exec", str(other)),
        machine.cached("libomp-14"),
        folder,
    ) as made:
        before = ["set follow-fork-mode child", "set follow-exec-mode same", *made.before]
        answer = ask("gdb", ASK, before, made.files, folder=folder)
    told_truth(record(made.record), answer)


def test_run_again_at_another_address(folder: Path) -> None:
    with target(
        "live", machine.compiled("nested"), (), machine.cached("libomp-19"), folder
    ) as made:
        before = ["set disable-randomization off", *made.before]
        first = [*ASK, f"shell cp {made.record} {folder}/first.json"]
        second = [f"shell rm {made.record}", "kill", "run", *ASK]
        answer = ask("gdb", [*first, *second], before, made.files, folder=folder)
    told = [told_truth(record(folder / "first.json"), answer)]
    told.append(told_truth(record(made.record), answer, time=1))
    assert told[0]["runtimes"][0]["base"] != told[1]["runtimes"][0]["base"]


def test_runtime_loaded_and_unloaded(folder: Path) -> None:
    """Between its regions the program has no runtime; the second time it may lie elsewhere."""
    part = folder / "part.so"
    source = PROGRAMS / "loaded_part.c"
    machine.run(CLANG, "-g", "-fopenmp", "-shared", "-fPIC", source, "-o", part)
    program = folder / "loads"
    machine.run(CLANG, "-g", PROGRAMS / "loads.c", "-o", program, "-ldl")
    with target(
        "live", program, (), machine.cached("libomp-14"), folder, {"OMPD_PART": str(part)}
    ) as made:
        before = ["set breakpoint pending on", *made.before, "break unloaded"]
        commands = [*ASK, f"shell cp {made.record} {folder}/first.json"]
        commands += ["continue", "ompd threads", "continue", *ASK]
        answer = ask("gdb", commands, before, made.files, folder=folder)
    told_truth(record(folder / "first.json"), answer)
    told_truth(record(made.record), answer, time=1)


def test_core_beside_a_live_process(folder: Path) -> None:
    executable, other = machine.compiled("nested"), folder / "other"
    other.mkdir()
    runtime = machine.cached("libomp-14")
    settings = {"LD_LIBRARY_PATH": str(runtime), "OMPD_TRUTH_FILE": str(other / "truth.json")}
    core = kernel_core(machine.compiled("beside"), (), settings, other)
    with target("live", executable, (), runtime, folder) as made:
        second = ["add-inferior -no-connection", "inferior 2"]
        second += [f"file {machine.compiled('beside')}", f"core {core}"]
        commands = [*ASK, *second, *ASK, "inferior 1", *ASK]
        answer = ask("gdb-16", commands, made.before, made.files, folder=folder)
    told_truth(record(made.record), answer)
    told_truth(record(other / "truth.json"), answer, time=1)
    told_truth(record(made.record), answer, time=2)


@pytest.mark.parametrize("gdb", ["gdb", "gdb-10"])  # newer ones find it
def test_file_replaced_meanwhile(gdb: str, folder: Path) -> None:
    """The program was built again while it ran."""
    executable, runtime = folder / "states", machine.cached("libomp-16")
    shutil.copy2(machine.compiled("states"), executable)
    commands = [*STATES, "file /proc/{}/exe", *STATES]
    with target("attach", executable, ("critical",), runtime, folder) as made:
        executable.unlink()
        shutil.copy2(machine.compiled("states"), executable)
        commands = [command.format(made.pid) for command in commands]
        answer = ask(gdb, commands, made.before, made.files, folder=folder)
        true = truth_of(made)
    advice = f"`file /proc/{made.pid}/exe'"
    assert advice in answer.texts[1] and advice not in answer.texts[4]
    for time in (0, 1):
        for thread in answer.document(STATES[0], time)["threads"]:
            for member in thread["openmp"]:
                told, right = told_of(member), (true[thread["lwp"]].state, True)
                unknown = (None, False)
                assert told == unknown if time == 0 else score.judge(told, right), answer.everything


@pytest.mark.parametrize("runtime", ["libomp-13", "libomp-14", "libomp-19"])
@pytest.mark.parametrize("kind", ["live", "core"])
def test_hidden_helpers(kind: str, runtime: str, folder: Path) -> None:
    executable = machine.compiled("helpers")
    with target(kind, executable, (), machine.cached(runtime), folder) as made:
        answer = ask("gdb", [*ASK, "ompd parallel"], made.before, made.files, folder=folder)
        true = {thread["tid"]: thread["thread_num"] for thread in made.truth()["threads"]}
    threads = answer.document(ASK[0])["threads"]
    told = {thread["lwp"]: thread for thread in threads}
    for tid, number in true.items():
        (member,) = told[tid]["openmp"]
        assert (member["region"], member["thread_num"], member["team_size"]) == ("R1", number, 2)
    helpers = [thread for tid, thread in told.items() if tid not in true]
    assert {thread["kind"] for thread in helpers} == {"helper"}
    assert len(helpers) == 8
    assert "hidden helper threads" in answer.text
