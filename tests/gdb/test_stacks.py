# SPDX-License-Identifier: Apache-2.0
"""Is the call stack the one that the program's author wrote? `ompd bt' against the comments of
tests/programs/stacks.*; `ompd frame', `up' and `down' against what the frames hold."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import cells
import machine
import pytest
from expected_stacks import expected, told
from sentences import is_a_sentence
from sessions import Answer, ask, target
from test_builds import second_part, static_program
from test_states import CUT

SOURCE = machine.PROGRAMS / "stacks.c"
SCENARIOS = ["nested", "tasks", "gone", "waits", "serialized", "untied"]
ALL = "ompd bt * -json"
RUNTIMES = ["libomp-13", "libomp-14", "libomp-16", "libomp-19", "libomp-19-ompd"]
KINDS = ["live", "core", "attach", "gcore", "gdbserver"]
GDBS = ["gdb", "gdb-16"]


def asked(
    scenario: str,
    commands: list[str],
    folder: Path,
    *,
    runtime: str = "libomp-14",
    kind: str = "live",
    gdb: str = "gdb",
    build: str = "debug",
    before: tuple[str, ...] = (),
    settings: dict[str, str] | None = None,
    **how: Any,
) -> Answer:
    executable, home = machine.compiled("stacks", build, **how), machine.cached(runtime)
    with target(kind, executable, scenario.split(), home, folder, settings) as made:
        return ask(gdb, commands, [*made.before, *before], made.files, folder=folder)


@pytest.mark.parametrize("scenario", SCENARIOS)
@pytest.mark.parametrize("number", range(len(RUNTIMES)))
def test_as_written(scenario: str, number: int, folder: Path) -> None:
    turn = SCENARIOS.index(scenario) + number
    runtime, kind, gdb = RUNTIMES[number], KINDS[turn % 5], GDBS[turn % 2]
    answer = asked(scenario, [ALL, "ompd bt *"], folder, runtime=runtime, kind=kind, gdb=gdb)
    document = answer.document(ALL)
    assert told(document, "stacks.c") == expected(SOURCE, scenario), answer.everything
    assert all(stack["complete"] for stack in document["stacks"])


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_states_tracked(scenario: str, folder: Path) -> None:
    """With OMP_DEBUG=enabled libomp keeps serialized regions in another way."""
    tracking = {"OMP_DEBUG": "enabled"}
    answer = asked(scenario, [ALL], folder, runtime="libomp-19-ompd", settings=tracking)
    assert told(answer.document(ALL), "stacks.c") == expected(SOURCE, scenario), answer.everything


@pytest.mark.parametrize("build", ["optimised", "plain"])
@pytest.mark.parametrize("scenario", ["nested", "tasks", "gone", "waits", "untied"])
def test_optimised(scenario: str, build: str, folder: Path) -> None:
    """With debug information functions and constructs are those of the source; without it nothing
    tells in which function a construct is, and nothing is made up."""
    answer = asked(scenario, [ALL], folder, build=build)
    document = answer.document(ALL)
    assert all(stack["complete"] for stack in document["stacks"])
    if build == "optimised":
        found = told(document, "stacks.c", lines=False)
        assert found == expected(SOURCE, scenario, lines=False), answer.everything
        return
    outlined = {"parallel region", "parallel", "parallel serialized", "task"}
    known = {name for stack in expected(SOURCE, scenario, lines=False) for name in stack}
    for stack in told(document, "stacks.c", lines=False):
        assert set(stack) <= known | outlined, answer.everything
        assert stack[-1] in ("main", "<idle>")


# GNU's runtime forgets a task that has ended, ends threads that a smaller team does not need, and
# executes tasks of a team of one at its end.
OTHERWISE_ON_GNUS = {"gone", "waits", "untied"}
WITH_GCC = [(scenario, "libomp-19") for scenario in SCENARIOS] + [
    (scenario, "libgomp-12") for scenario in SCENARIOS if scenario not in OTHERWISE_ON_GNUS
]


@pytest.mark.parametrize("scenario, name", WITH_GCC)
def test_gnu_compiler(scenario: str, name: str, folder: Path) -> None:
    """It records no places; its calls are in the line of the construct or one before. Regions of
    one thread are of no special kind to it."""
    executable = machine.compiled("stacks", compiler="gcc")
    runtime = machine.under_gcc(name, folder)
    with target("live", executable, (scenario,), runtime, folder) as made:
        answer = ask("gdb", [ALL], made.before, made.files, folder=folder)
    found = told(answer.document(ALL), "stacks.c", lines=False)
    assert found == expected(SOURCE, scenario, lines=False), answer.everything


@pytest.mark.parametrize("build", ["debug", "optimised"])
@pytest.mark.parametrize("scenario", ["templates", "exceptions"])
def test_cxx(scenario: str, build: str, folder: Path) -> None:
    executable, runtime = machine.compiled("stacks_cxx", build), machine.cached("libomp-16")
    with target("core", executable, (scenario,), runtime, folder) as made:
        answer = ask("gdb", [ALL], made.before, made.files, folder=folder)
    found = told(answer.document(ALL), "stacks_cxx.cc", lines=build == "debug")
    source = machine.PROGRAMS / "stacks_cxx.cc"
    assert found == expected(source, scenario, build == "debug"), answer.everything


@pytest.mark.parametrize("name", ["libomp-19", "libgomp-12"])
def test_fortran(name: str, folder: Path) -> None:
    """Nothing of what GNU's compiler puts around a main program."""
    executable = machine.compiled("whole_fortran", compiler="gcc")
    runtime = machine.under_gcc(name, folder)
    with target("live", executable, (), runtime, folder) as made:
        answer = ask("gdb", [ALL, "ompd bt"], made.before, made.files, folder=folder)
    found = told(answer.document(ALL), "whole_fortran.F90", lines=False)
    source = machine.PROGRAMS / "whole_fortran.F90"
    assert found == expected(source, "nested", False), answer.everything
    assert "!$omp parallel at whole_fortran.F90:" in answer.text


@pytest.mark.parametrize("gdb", ["gdb", "gdb-10", "gdb-16", "gdb-18"])
def test_moving_along(gdb: str, folder: Path) -> None:
    """Over frames on other threads' stacks, with their variables, and back to where one was."""
    first = asked("recursion 1", ["thread 3", "ompd bt -json"], folder, gdb=gdb)
    frames = first.document("ompd bt -json")["stacks"][0]["frames"]
    users = [frame for frame in frames if frame["kind"] == "user"]
    constructs = [frame for frame in frames if frame["kind"] == "construct"]
    steps = ["thread 3"]
    for frame in users:
        steps += [f"ompd frame {frame['number']}", "thread", "frame", "ompd frame"]
    steps += ["print argc", "print argv[2]", "ompd bt -json", "ompd up"]
    steps += ["ompd down", "ompd down 99", "ompd down", "thread"]
    steps += [
        f"ompd frame {constructs[0]['number']}",
        "ompd frame 999",
        "ompd frame x",
        "ompd up 0",
    ]
    steps += ["thread", "frame"]
    answer = asked("recursion 1", steps, folder, gdb=gdb)
    texts = answer.texts[1:]
    for frame in users:
        _, thread, shown, number = texts[:4]
        texts = texts[4:]
        assert f"thread is {frame['thread'].split('.')[1]} " in thread
        # How deep the runtime is while it waits differs.
        assert f":{frame['loc']['line']}\n" in shown or frame["loc"]["function"] == "usleep"
        assert number == f"#{frame['number']} of `ompd bt'."
    assert texts[0] == "$1 = 3" and '"1"' in texts[1], texts[:2]
    now = answer.document("ompd bt -json")["stacks"][0]["frames"]
    assert [frame["text"] for frame in now] == [frame["text"] for frame in frames]
    texts = texts[3:]
    is_a_sentence(texts[0], "outermost")
    assert f":{users[-2]['loc']['line']}\n" in texts[1]
    assert f"#{now[0]['level']} " in texts[2]
    is_a_sentence(texts[3], "innermost")
    assert "thread is 3 " in texts[4]
    for text in texts[5:9]:
        is_a_sentence(text)
    assert "thread is 3 " in texts[9] and texts[10].startswith(f"#{now[0]['level']} ")


FORMS = [
    "ompd bt",
    "ompd bt *",
    "ompd bt R1.1 -full",
    "ompd bt -runtime",
    "ompd bt -depth 3",
    "ompd bt -merge",
    "ompd bt -merge R1 -json",
    "ompd bt -merge -dot stacks.dot",
    "ompd bt R1 -all -wide -json",
    "ompd bt R9",
    "ompd bt 1.99",
    "ompd bt 99 98",
    "ompd bt -depth 0",
    "ompd bt -depth",
    "ompd bt -dot x",
    "ompd bt -merge -dot /nowhere/x",
    "ompd bt -none",
    "ompd bt x",
    "ompd frame 1000",
    "ompd up x",
]


@pytest.mark.parametrize("gdb", ["gdb", "gdb-10", "gdb-16", "gdb-18"])
def test_selection_is_kept(gdb: str, folder: Path) -> None:
    """Thread and frame, by every form, also by those that fail."""
    commands = ["thread", "frame"]
    for form in FORMS:
        commands += [form, "thread", "frame"]
    answer = asked("tasks", commands, folder, gdb=gdb, before=("thread 3", "up", "up"))
    assert "thread is 3 " in answer.texts[0] and answer.texts[1].startswith("#2")
    assert set(answer.texts[3::3]) == {answer.texts[0]}
    assert set(answer.texts[4::3]) == {answer.texts[1]}
    for form, text in zip(FORMS[9:], answer.texts[29::3]):
        is_a_sentence(text)
    graph = (folder / "stacks.dot").read_text(encoding="utf-8")
    assert graph.startswith("digraph") and graph.count("{") == graph.count("}") == 1


def test_options(folder: Path) -> None:
    forms = ["ompd bt 1.3", "ompd bt 1.3 -runtime", "ompd bt * -full", "ompd bt 1.3 -depth 2"]
    answer = asked("nested", forms, folder)
    usual, runtime, full, shallow = answer.texts
    hidden = re.search(r"^\((\d+) frames? of", usual, re.MULTILINE)
    assert hidden is not None
    shown = [line for line in runtime.splitlines() if line.startswith("     ")]
    assert len(shown) == int(hidden.group(1))
    assert any("__kmpc_fork_call" in line for line in shown)
    assert "        scenarios" not in full and "        observer = " in full
    assert "deeper than was looked at" in " ".join(shallow.split())


def test_as_in_gdb(folder: Path) -> None:
    """The words of GDB's own bt."""
    forms = ["ompd bt", "ompd where", "ompd bt 2", "ompd bt -2", "ompd bt full", "ompd bt -full"]
    forms += ["ompd bt 999", "ompd bt R1 -1", "ompd bt -1 -json"]
    answer = asked("nested", ["thread 3", *forms], folder)
    whole, where, inner, outer, full, option, all_of_it, of_team, _ = answer.texts[1:]
    frames = re.findall("^#.*", whole, re.M)
    assert whole == where == all_of_it and full == option and len(frames) > 4
    assert re.findall("^#.*", inner, re.M) == frames[:2]
    assert "no more frames were asked for" in inner
    assert re.findall("^#.*", outer, re.M) == frames[-2:] and "More is" not in outer
    headings = len(re.findall(r"\(T[\d,-]+\):$", of_team, re.M))
    assert headings and len(re.findall("^#", of_team, re.M)) == headings
    (stack,) = answer.document("ompd bt -1 -json")["stacks"]
    assert [frame["number"] for frame in stack["frames"]] == [len(frames) - 1]


@pytest.mark.parametrize("depth", [5, 3001])
def test_deep_recursion_is_looked_at_as_deep_as_shown(depth: int, folder: Path) -> None:
    settings = {"OMP_STACKSIZE": "512M"}
    count = "python print('unwound', ompd_unwound())"
    watch = (
        "python from ompd_gdb.target import stacks; old = stacks.Code._record;"
        " seen = []; stacks.Code._record = lambda *a: (seen.append(1), old(*a))[1];"
        " ompd_unwound = lambda: len(seen)"
    )
    commands = ["ompd bt 1.3 -json", count, "ompd bt -merge", count, "ompd bt -merge -json"]
    answer = asked(f"recursion {depth}", commands, folder, before=(watch,), settings=settings)
    (stack,) = answer.document(commands[0])["stacks"]
    assert stack["complete"] == (depth == 5)
    unwound = [int(text.split()[1]) for text in (answer.texts[1], answer.texts[3])]
    # Two stacks, and the frames that tell what threads do.
    assert max(unwound) <= 3 * 256
    assert stack["frames"][0]["loc"]["function"] == "usleep"


def test_many_threads_on_one_screen(folder: Path) -> None:
    executable, runtime = machine.compiled("wide"), machine.cached("libomp-14")
    commands = ["ompd bt -merge", "ompd bt -merge -json", "ompd bt R1"]
    with target("live", executable, ("256",), runtime, folder) as made:
        answer = ask("gdb", commands, made.before, made.files, folder=folder)
    assert len(answer.texts[0].splitlines()) <= 8
    assert all(len(line) <= 100 for line in answer.texts[0].splitlines())
    root = answer.document(commands[1])["merged"]
    assert root["count"] == 256 and root["who"] == "R1.0-255"
    sizes = []
    node = root
    while node["children"]:
        sizes.append([child["count"] for child in node["children"]])
        node = node["children"][-1]
    assert [255, 1] in sizes, "the odd one out"
    assert node["frame"]["loc"]["function"] == "stop_here"
    assert len(answer.texts[2].splitlines()) < 40


@pytest.mark.parametrize("scenario", ["nested", "waits"])
def test_without_symbols(scenario: str, folder: Path) -> None:
    """Module and offset, as addr2line wants them: of the program before it was stripped."""
    whole = machine.compiled("stacks", "plain")
    executable = folder / "stripped"
    machine.run("strip", "-o", executable, whole)
    runtime = machine.cached("libomp-16")
    with target("core", executable, (scenario,), runtime, folder) as made:
        answer = ask("gdb", ["ompd bt R1", ALL], made.before, made.files, folder=folder)
    assert "it is stripped" in answer.texts[0]
    names = set()
    for stack in answer.document(ALL)["stacks"]:
        assert stack["complete"], answer.everything
        for frame in stack["frames"]:
            match = re.match(r"stripped\+(0x[0-9a-f]+) \(\)$", frame["text"])
            if match:
                told_name = machine.run("addr2line", "-f", "-e", whole, match.group(1))
                names.add(told_name.splitlines()[0])
    assert {"main", "here", scenario} <= names, names


def test_other_threads_running(folder: Path) -> None:
    steps = ["set non-stop on"]
    executable, runtime = machine.compiled("stacks"), machine.cached("libomp-14")
    commands = ["thread 2", "ompd bt", "ompd bt R1", "ompd bt -merge", "ompd bt 1.1"]
    with target("live", executable, ("nested",), runtime, folder) as made:
        answer = ask("gdb", commands, [*steps, *made.before], made.files, folder=folder)
    assert "stop_here" in answer.texts[1]
    assert "(running)" in answer.text


@pytest.mark.parametrize("kind", ["llvm", "gomp"])
def test_two_runtimes(kind: str, folder: Path) -> None:
    """A region of one inside that of another."""
    settings = {
        "OMPD_SECOND_PART": str(second_part(folder, kind)),
        "KMP_DUPLICATE_LIB_OK": "TRUE",
    }
    executable, runtime = machine.compiled("two_runtimes"), machine.cached("libomp-19")
    with target("core", executable, (), runtime, folder, settings) as made:
        answer = ask("gdb", [ALL, "ompd bt *"], made.before, made.files, folder=folder)
    inner = 0
    for stack in answer.document(ALL)["stacks"]:
        frames = stack["frames"]
        names = [re.split(r" \(| at |, ", frame["text"])[0] for frame in frames]
        functions = [frame["loc"]["function"] for frame in frames if frame["kind"] == "user"]
        assert not any("task" in name for name in names), answer.everything
        if "second" in functions:
            inner += 1
            assert names.count("#pragma omp parallel") >= 1
        if stack["complete"] and "second" in functions:
            assert functions[-1] == "main" and names.count("#pragma omp parallel") == 2
            assert functions.count("second_region") >= 1
    assert inner == 3, answer.everything
    assert all(s["complete"] for s in answer.document(ALL)["stacks"])


@pytest.mark.parametrize("stripped", [False, True], ids=["symbols", "stripped"])
def test_runtime_in_the_program(stripped: bool, folder: Path) -> None:
    """Without symbols its frames cannot be told from the program's: nothing is said to be whole."""
    executable = static_program(folder, "stacks", stripped)
    with target("core", executable, ("nested",), folder, folder) as made:
        answer = ask("gdb", [ALL, "ompd bt *"], made.before, made.files, folder=folder)
    stacks = [stack for stack in answer.document(ALL)["stacks"] if stack["who"].startswith("R")]
    assert len(stacks) == 4
    if stripped:
        assert not any(stack["complete"] for stack in stacks), answer.everything
        assert "cannot be told from those of the program" in " ".join(answer.text.split())
        return
    found = told(answer.document(ALL), "stacks.c", lines=False)
    for stack in found:
        assert stack[-1] == "main" and stack.count("parallel") == 2, answer.everything
        assert stack.count("parallel serialized") == 1


@pytest.mark.parametrize("number", [0, 0x4141414141414141])
@pytest.mark.parametrize("thread", [1, 3])
@pytest.mark.parametrize("level", [1, 3, 5, 8])
def test_damaged_stack(level: int, thread: int, number: int, folder: Path) -> None:
    """What is told for whole and without doubts is as it was written."""
    damage = CUT.format(level=level, number=number)
    before = (f"thread {thread}", damage)
    answer = asked("nested", [ALL, "ompd bt *", "ompd bt -merge"], folder, before=before)
    ((whole, _),) = expected(SOURCE, "nested").items()
    for stack in answer.document(ALL)["stacks"]:
        if not (stack["who"] or "").startswith("R"):
            continue
        ((frames, _),) = told({"stacks": [stack]}, "stacks.c").items()
        unsure = [frame for frame in stack["frames"] if "doubts" in frame]
        if stack["complete"] and not unsure:
            assert frames == whole, answer.everything
        elif not stack["complete"]:
            assert any(n in frames for n in whole) and "doubts" in stack


def test_llvms_library(folder: Path) -> None:
    """OMPD's own routines tell the regions; what they do not tell of tasks is told as unknown."""
    home = machine.cached("libomp-19-ompd")
    settings, before = {"OMP_DEBUG": "enabled"}, (f"set ompd library {home / 'libompd.so'}",)
    how = {"runtime": "libomp-19-ompd", "settings": settings, "before": before}
    nested = asked("nested", [ALL, "ompd bt *"], folder, **how)
    found = told(nested.document(ALL), "stacks.c", lines=False)
    outlined = {"parallel region", "parallel", "nested"}
    for stack in found:
        known = {name for one in expected(SOURCE, "nested", lines=False) for name in one}
        assert set(stack) <= known | outlined, nested.everything
        assert stack[-1] == "main" and stack.count("parallel") == 3
    tasks = asked("tasks", [ALL], folder, **how).document(ALL)["stacks"]
    constructs = [f for one in tasks for f in one["frames"] if f["text"].startswith("task")]
    assert constructs and all("region" in frame["doubts"] for frame in constructs)


def test_hidden_helpers(folder: Path) -> None:
    """They have no construct; a task that one executes is the program's."""
    executable, runtime = machine.compiled("helpers"), machine.cached("libomp-19")
    with target("live", executable, (), runtime, folder) as made:
        answer = ask("gdb", [ALL, "ompd bt *"], made.before, made.files, folder=folder)
    stacks = answer.document(ALL)["stacks"]
    texts = [[frame["text"] for frame in stack["frames"]] for stack in stacks]
    assert sum(1 for text in texts if text == ["<hidden helper>"]) == 7, answer.everything
    assert all(stack["complete"] for stack in stacks)
    assert sum(1 for text in texts if any(one.startswith("task t1") for one in text)) == 1


@pytest.mark.parametrize("build", ["debug", "plain"])
@pytest.mark.parametrize("case", cells.CASES, ids=str)
def test_every_region_around_a_thread(case: machine.Case, build: str, folder: Path) -> None:
    """Each stack goes down to its end, and through the regions that the thread is in."""
    turn = cells.CASES.index(case)
    executable = machine.compiled(case.source, build)
    runtime = machine.cached(RUNTIMES[turn % 4])
    commands = [ALL, "ompd threads -json", "ompd bt *"]
    with target("core", executable, case.args, runtime, folder) as made:
        answer = ask(GDBS[turn % 2], commands, made.before, made.files, folder=folder)
    document = answer.document(ALL)
    if "error" in document:
        assert document["error"]["code"] in ("not_started", "no_openmp")
        return
    threads = {one["gdb"]: one for one in answer.document("ompd threads -json")["threads"]}
    for stack in document["stacks"]:
        regions = [f["region"] for f in stack["frames"] if f["region"] is not None]
        around: list[str] = []
        for member in threads[stack["gdb"]]["openmp"]:
            if member["region"] is not None:
                around += [member["region"], *(one["region"] for one in member["ancestors"])]
        roots = {one for one in around if one not in regions}
        assert regions == [one for one in around if one not in roots], answer.text
        assert len(roots) <= 1, answer.text
        assert stack["complete"], answer.text
