# SPDX-License-Identifier: Apache-2.0
"""Does `ompd report' tell what the other commands tell, all of it, and why the program died?"""

from __future__ import annotations

import json
import re
from pathlib import Path

import machine
import pytest
import schema
from cells import Case
from ompd_core.views import html
from sentences import is_a_sentence
from sessions import ask, kernel_core, target

# Its sections, and the commands that show the same.
SECTIONS = {
    "threads": "ompd threads",
    "regions": "ompd parallel",
    "merged": "ompd bt -merge",
    "deadlock": "ompd deadlock",
    "locks": "ompd locks",
    "barriers": "ompd barriers",
    "tasks": "ompd tasks",
    "icvs": "ompd icvs",
    "library": "ompd status",
    "summary": "ompd",
}
ALL = "ompd deadlock -all -wide"
ALIKE = ("ompd status", "ompd icvs")  # as long for few threads
LONG = ("ompd threads", "ompd bt -merge", "ompd barriers")
CASES = [Case("nested"), Case("tasks"), Case("states", args=("deadlock",)), Case("settings")]


@pytest.mark.parametrize("kind, gdb", [("live", "gdb-16"), ("core", "gdb"), ("gdbserver", "gdb")])
@pytest.mark.parametrize("case", CASES, ids=str)
def test_sections_are_the_commands(case: Case, kind: str, gdb: str, folder: Path) -> None:
    """It is asked first, so that nothing is left over from another command."""
    commands = ["ompd report -json", *(f"{command} -json" for command in SECTIONS.values())]
    executable, home = machine.compiled(case.source), machine.cached("libomp-19")
    with target(kind, executable, case.args, home, folder) as made:
        answer = ask(gdb, [*commands, "ompd report"], made.before, made.files, folder=folder)
    report = answer.document("ompd report -json")
    assert report["unavailable"] == []
    for section, command in SECTIONS.items():
        told = answer.document(f"{command} -json")
        assert report[section] == told[section], section
        assert report["runtimes"] == told["runtimes"]
    assert report["findings"] == report["summary"]["findings"]
    assert (report["signal"] or {}).get("crash", False) == (kind == "core")
    for title in ("Threads", "Parallel regions", "Explicit tasks", "Program and runtimes"):
        assert f"\n{title}\n---" in answer.text
    assert all(len(line) <= 100 for line in answer.text.splitlines())


@pytest.mark.parametrize("kind, gdb", [("live", "gdb-10"), ("core", "gdb"), ("gdbserver", "gdb")])
def test_environment(kind: str, gdb: str, folder: Path) -> None:
    """As the program found it, and what it has set and taken away itself."""
    executable, home = machine.compiled("environment"), machine.cached("libomp-19")
    commands = ["ompd report -json", "ompd report"]
    given = {"OMP_PLACES": "{0},{1}", "OMP_PROC_BIND": "false", "KMP_NOTE": "\x1b[2J"}
    with target(kind, executable, (), home, folder, given) as made:
        answer = ask(gdb, commands, made.before, made.files, folder=folder)
        truth = Path(f"{made.record}.environment").read_text(encoding="utf-8").splitlines()
    told = [f"{one['name']}={one['value']}" for one in answer.document(commands[0])["environment"]]
    assert told == sorted(truth) and len(told) == 4  # KMP_CHECKS is the tests' own
    assert "\nKMP_NOTE=\\x1b[2J\nOMP_NUM_THREADS=3\nOMP_PLACES={0},{1}\n" in answer.text


def test_files(folder: Path) -> None:
    """Text, page and document of the same moment; nothing is printed."""
    text, page = folder / "two words.txt", folder / "two words.html"
    document = folder / "report.json"
    alone = folder / "alone.html"
    asked = [
        f"ompd report '{text}' -html '{page}' -json {document}",
        "ompd report",
        f"ompd report {folder}",
        f"ompd report -html {folder}",
        f"ompd report -html {alone}",
        "ompd report -html",
        "ompd report a b",
        f"ompd report {folder / 'second.txt'} -json {folder / 'verdict.json'} -verdict",
    ]
    with target(
        "core", machine.compiled("nested"), (), machine.cached("libomp-14"), folder
    ) as made:
        answer = ask("gdb", asked, made.before, made.files, folder=folder)
    assert answer.texts[0] == answer.texts[4] == ""
    assert text.read_text(encoding="utf-8").strip("\n") == answer.texts[1]
    told = json.loads(document.read_text(encoding="utf-8"))
    schema.check(told)
    assert page.read_text(encoding="utf-8") == html.page(told)
    assert "</html>" in alone.read_text(encoding="utf-8")
    is_a_sentence(answer.texts[2], "cannot be written")
    is_a_sentence(answer.texts[3], "cannot be written")
    is_a_sentence(answer.texts[5], "needs a word behind it")
    is_a_sentence(answer.texts[6], "takes no argument `b'")
    # What the shell asks for who wants the text: of the document what it judges by.
    verdict = json.loads((folder / "verdict.json").read_text(encoding="utf-8"))
    assert (folder / "second.txt").read_bytes() == text.read_bytes()
    assert verdict.items() <= {**told, "made": verdict["made"]}.items()
    assert "findings" in verdict and not verdict.keys() & {"threads", "regions", "merged"}


@pytest.mark.parametrize("scenario", ["flat", "teams"])
def test_400_threads_fit_a_few_screens(scenario: str, folder: Path) -> None:
    """Each section too; with -all nothing is left out."""
    sections = [command for command in SECTIONS.values() if command not in ALIKE]
    commands = ["ompd report", *sections, "ompd threads -all", ALL, "ompd threads -json"]
    executable, home = machine.compiled("crowd"), machine.cached("libomp-14")
    with target("live", executable, (scenario,), home, folder) as made:
        answer = ask("gdb", commands, made.before, made.files, folder=folder)
    told = dict(zip(commands, answer.texts))
    assert len(told["ompd report"].encode()) <= 40_000
    for command in sections:
        # A table of threads is as long as there are places.
        assert len(told[command].splitlines()) <= (140 if command in LONG else 40), command
    for command in ("ompd", "ompd deadlock"):
        assert all(len(line) <= 100 for line in told[command].splitlines()), command
    everyone = answer.document("ompd threads -json")["threads"]
    assert len(everyone) == len(re.findall(r"^\*? +\d+ ", told["ompd threads -all"], re.M)) == 401
    at_work = [
        member["id"]
        for thread in everyone
        for member in thread["openmp"]
        if member["state"] == "work_parallel"
    ]
    each = re.findall(r"^ +(?:.* wait.* for )?(R\d+\.\d+) \(T\d+\): working", told[ALL], re.M)
    assert set(each) == set(at_work) and len(at_work) >= 250


@pytest.mark.parametrize("gdb", ["gdb", "gdb-16"])
def test_living_crash(gdb: str, folder: Path) -> None:
    """At the signal, and with another thread selected."""
    executable, truth = machine.compiled("crashes"), folder / "truth"
    env = {
        "LD_LIBRARY_PATH": str(machine.cached("libomp-14")),
        "OMPD_TRUTH_FILE": str(truth),
    }
    before = [f"set environment {name} {value}" for name, value in env.items()]
    commands = ["ompd report -json", "thread 1", "ompd", "ompd -json", "thread"]
    files = ["--args", executable, "unmapped"]
    answer = ask(gdb, commands, [*before, "run"], files, folder=folder)
    line, address, lwp = (int(word, 0) for word in truth.read_text(encoding="utf-8").split())
    signal = answer.document("ompd report -json")["signal"]
    assert (signal["name"], signal["lwp"]) == ("SIGSEGV", lwp)
    assert (signal["where"]["line"], int(signal["address"], 0)) == (line, address)
    (finding,) = answer.document("ompd -json")["summary"]["findings"]
    assert finding["code"] == "crash" and "in R1.2 (T" in finding["text"]
    assert answer.texts[2].startswith("Odd     : The program crashed: SIGSEGV")
    assert "Current thread is 1 " in answer.text


def test_without_process(folder: Path) -> None:
    is_a_sentence(ask("gdb", ["ompd report"], folder=folder).text, "no process")


def test_unreadable_runtime(folder: Path) -> None:
    """Its code is gone: what the kernel and GDB know is still told."""
    home = folder / "runtime"
    machine.run("cp", "-r", machine.cached("libomp-14"), home)
    executable = machine.compiled("crashes")
    env = {"LD_LIBRARY_PATH": str(home), "OMPD_TRUTH_FILE": str(folder / "truth")}
    core = kernel_core(executable, ("unmapped",), env, folder)
    machine.run("rm", "-r", home)
    commands = ["ompd report -json", "ompd report"]
    commands.append("ompd report -locals -json")
    answer = ask("gdb", commands, files=[executable, core], folder=folder)
    report = answer.document("ompd report -json")
    (stack,) = answer.document("ompd report -locals -json")["locals"]
    assert stack["frames"][0]["loc"]["function"] == "end" and "locals" in stack["frames"][0]
    assert [finding["code"] for finding in report["findings"]][0] == "crash"
    assert len(report["threads"]) == 4
    for thread in report["threads"]:
        assert thread["openmp"] or "kind" in thread["doubts"]


# ---- Variables -----------------------------------------------------------------------------------


def crashed(program: str, args: tuple[str, ...], folder: Path) -> list[str | Path]:
    executable, home = machine.compiled(program), machine.cached("libomp-19")
    env = {"LD_LIBRARY_PATH": str(home)}
    return [executable, kernel_core(executable, args, env, folder)]


@pytest.mark.parametrize("gdb", ["gdb", "gdb-10", "gdb-18"])
def test_variables_of_the_crash(gdb: str, folder: Path) -> None:
    """What they hold is what the source says."""
    page = folder / "page.html"
    commands = ["ompd report -locals -json", "ompd report -locals", "ompd report -json"]
    commands.append(f"ompd report -locals -html {page}")
    answer = ask(gdb, commands, files=crashed("heat", ("crash",), folder), folder=folder)
    report = answer.document(commands[0])
    stack = report["locals"][0]  # others may be at different barriers just then
    assert (stack["who"], stack["gdb"]) == (report["signal"]["id"], report["signal"]["gdb"])
    row, sweep = stack["frames"][:2]
    assert row["loc"]["function"] == "sweep_row" and row["locals"] == "column = 1\n"
    assert sweep["loc"]["function"] == "sweep" and "wrong = 1\n" in sweep["locals"]
    assert ".omp" not in sweep["locals"]
    shown = (
        answer.texts[1].partition("\nOdd threads' variables\n---")[2].partition("\nDeadlock\n")[0]
    )
    assert f"\n{stack['who']} (T" in shown and "        column = 1\n" in shown
    assert "locals" not in answer.document(commands[2])
    assert answer.text == "" and "wrong = 1" in page.read_text(encoding="utf-8")


@pytest.mark.parametrize("scenario, odd", [("inversion3", 3), ("critical_twice", 1)])
def test_variables_of_a_deadlock(scenario: str, odd: int, folder: Path) -> None:
    commands = ["ompd report -locals -json", "ompd deadlock -json"]
    executable, home = machine.compiled("deadlocks"), machine.cached("libomp-14")
    with target("gcore", executable, (scenario,), home, folder) as made:
        answer = ask("gdb", commands, made.before, made.files, folder=folder)
    (cycle,) = answer.document("ompd deadlock -json")["deadlock"]["cycles"]
    stuck = [edge["thread"] for edge in cycle]
    told = answer.document("ompd report -locals -json")["locals"]
    assert len(stuck) == odd and [stack["who"] for stack in told][:odd] == stuck
    assert all(stack["frames"] for stack in told)


def test_nobody_is_odd(folder: Path) -> None:
    executable, home = machine.compiled("states"), machine.cached("libomp-14")
    with target("live", executable, ("idle",), home, folder) as made:
        commands = ["ompd report -locals -json", "ompd report -locals"]
        answer = ask("gdb", commands, made.before, made.files, folder=folder)
    assert answer.document(commands[0])["locals"] == []
    assert "No thread is odd." in answer.text


def test_large_variables_are_cut(folder: Path) -> None:
    """In depth, in length, and what they hold cannot steer a terminal. The user's own settings
    are as before."""
    commands = ["set print elements 7", "ompd report -locals -json", "ompd report -locals"]
    commands.append("show print elements")
    answer = ask("gdb", commands, files=crashed("many_locals", (), folder), folder=folder)
    (stack,) = answer.document(commands[1])["locals"]
    frames = [frame for frame in stack["frames"] if "locals" in frame]
    assert [frame["loc"]["function"] for frame in frames] == ["go_down"] * 8
    assert not stack["complete"] and "-full" in stack["doubts"]["complete"]["how"]
    for frame in frames:
        assert 2000 < len(frame["locals"]) < 2100 and "more characters" in frame["locals"]
    assert "\x1b" not in answer.texts[2] and "is 7." in answer.text
