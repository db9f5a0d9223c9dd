# SPDX-License-Identifier: Apache-2.0
"""Is a stack that overflows called one, with its size, what set it and what would do; and nothing
else, however near to a stack it is?"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, Sequence

import machine
import pytest
from sessions import ask, kernel_core

SOURCE = (machine.PROGRAMS / "overflows.cc").read_text(encoding="utf-8")
INNOCENTS = re.findall(r"^INNOCENT\((\w+)\)", SOURCE, re.MULTILINE)
COMPILERS = ("g++", machine.CLANG)
BUILDS = [(compiler, build) for compiler in COMPILERS for build in ("debug", "optimised")]
SETTINGS = {"OMP_STACKSIZE": "1M", "OMP_WAIT_POLICY": "passive"}
LIMIT, ATTRIBUTE, EITHER = (
    "ulimit -s",
    "pthread_attr_setstacksize",
    "pthread_attr_setstacksize, or else ulimit -s",
)
# Of each that overflows: its frame, in MB, of which function; or the functions of a recursion.
FRAMES = {
    "main_variable": (64, "variable_length", LIMIT),
    "main_alloca": (8, "more_and_more", LIMIT),
    "first_element": (3, "from_its_beginning", "OMP_STACKSIZE"),
    "last_element": (3, "from_its_end", "OMP_STACKSIZE"),
    "call": (3, "calls_first", "OMP_STACKSIZE"),
    "huge": (300, "beyond_the_guard", "OMP_STACKSIZE"),
    "variable": (6, "variable_length", "OMP_STACKSIZE"),
    "alloca_loop": (1, "more_and_more", "OMP_STACKSIZE"),
    "thread_large": (5, "variable_length", ATTRIBUTE),
}
RECURSIONS = {
    "main_recursion": ({"deeper"}, LIMIT),
    "main_rows": ({"fibonacci"}, LIMIT),
    "main_regex": (None, LIMIT),
    "recursion": ({"deeper"}, "OMP_STACKSIZE"),
    "rows": ({"fibonacci"}, "OMP_STACKSIZE"),
    "two_functions": ({"odd", "even"}, "OMP_STACKSIZE"),
    "outer_takes_most": ({"fibonacci"}, "OMP_STACKSIZE"),
    "thread_small": ({"fibonacci"}, ATTRIBUTE),
    "thread_own_stack": ({"deeper"}, ATTRIBUTE),
}
# Which size the stack has, in kB: what a runtime adds to it is little.
SIZES = {"OMP_STACKSIZE": 1024, "thread_large": 4096, "thread_small": 32, "thread_own_stack": 1024}
# How much they take grows until there is no more.
GROW = ("main_alloca", "alloca_loop")


def program(compiler: str, build: str, *flags: str) -> Path:
    return machine.compiled("overflows", build, compiler=compiler, link=("-pthread", *flags))


def settings(runtime: str = "libomp-14") -> dict[str, str]:
    return {"LD_LIBRARY_PATH": str(machine.cached(runtime)), **SETTINGS}


def live(executable: Path, names: Sequence[str], folder: Path) -> dict[str, Any]:
    """What is told of each, run one after the other in one GDB."""
    before = [f"set environment {name} {value}" for name, value in settings().items()]
    before += ["handle SIGUSR1 nostop noprint"]
    asked = [one for name in names for one in (f"run {name}", "ompd report -json")]
    answer = ask("gdb", asked, before, [executable], folder=folder)
    return dict(zip(names, answer.documents[1::2]))


def in_core(executable: Path, name: str, folder: Path, runtime: str = "libomp-14") -> Any:
    core = kernel_core(executable, (name,), settings(runtime), folder)
    answer = ask("gdb", ["ompd report -json"], [], [executable, core], folder=folder)
    core.unlink()
    return answer.document("ompd report -json")


def mine(names: Sequence[str], compiler: str, build: str) -> list[str]:
    """All of them in each build in --full, else each in one."""
    number = BUILDS.index((compiler, build))
    return list(names) if machine.FULL else list(names[number :: len(BUILDS)])


def check(name: str, document: Any) -> None:
    signal, said = document["signal"], document["findings"][0]["text"]
    told = signal["stack_overflow"]
    assert told is not None, f"{name}: {said}"
    assert (told["certainty"], told["why"]) == ("certain", None), f"{name}: {said}"
    assert said.startswith(f"The program crashed: stack overflow ({signal['name']}), in "), said
    if name in FRAMES:
        size, function, setting = FRAMES[name]
        assert told["function"] == function and told["recursion"] is None, f"{name}: {said}"
        assert size - 0.1 <= told["frame_bytes"] / (1 << 20) <= size + 0.1, f"{name}: {said}"
        assert (told["enough_bytes"] is None) == (name in GROW), f"{name}: {said}"
        assert name in GROW or told["enough_bytes"] > told["frame_bytes"], f"{name}: {said}"
    else:
        functions, setting = RECURSIONS[name]
        round_of = told["recursion"]
        assert round_of is not None and told["enough_bytes"] is None, f"{name}: {said}"
        assert functions is None or set(round_of["functions"]) == functions, f"{name}: {said}"
    assert told["set_by"] == setting, f"{name}: {said}"
    size = SIZES.get(name, SIZES.get(setting))
    if size is not None:
        assert size <= told["stack_bytes"] >> 10 <= size + 64, f"{name}: {said}"


def test_innocents_are_many() -> None:
    assert len(INNOCENTS) >= 70


def test_innocents(folder: Path) -> None:
    asked = INNOCENTS if machine.FULL else INNOCENTS[::3]
    for compiler, build in BUILDS:
        found = live(program(compiler, build), mine(asked, compiler, build), folder)
        for name, document in found.items():
            signal = document["signal"]
            assert signal is not None, name
            assert signal["stack_overflow"] is None, f"{name}: {document['findings'][0]['text']}"


def test_overflows(folder: Path) -> None:
    for compiler, build in BUILDS:
        names = mine([*FRAMES, *RECURSIONS], compiler, build)
        for name, document in live(program(compiler, build), names, folder).items():
            check(name, document)


def test_coroutine(folder: Path) -> None:
    document = live(program("g++", "optimised"), ["coroutine"], folder)["coroutine"]
    told = document["signal"]["stack_overflow"]
    assert told["certainty"] == "likely" and told["why"]
    assert "likely a stack overflow (it is not the stack" in document["findings"][0]["text"]


@pytest.mark.parametrize("name", ["first_element", "huge"])
def test_page_by_page(name: str, folder: Path) -> None:
    executable = program("g++", "optimised", "-fstack-clash-protection")
    check(name, live(executable, [name], folder)[name])


def stripped(executable: Path, folder: Path) -> Path:
    made = folder / executable.name
    machine.run("strip", "-o", made, executable)
    return made


# By a handler without a stack of its own, by one that has one and ends the program; of the first
# thread a core does not tell the limit.
@pytest.mark.parametrize(
    "name, function",
    [
        ("handler", "deeper"),
        ("handler_large", "from_its_beginning"),
        ("alternate", "fibonacci"),
        ("main_variable", "variable_length"),
        ("main_rows", "fibonacci"),
        ("thread_small", "fibonacci"),
    ],
)
def test_core(name: str, function: str, folder: Path) -> None:
    build = BUILDS[len(name) % len(BUILDS)]
    document = in_core(program(*build), name, folder)
    told, said = document["signal"]["stack_overflow"], document["findings"][0]["text"]
    assert told is not None and told["certainty"] == "certain", said
    assert told["function"] == function or told["recursion"]["functions"] == [function], said
    if name == "main_variable":
        assert told["stack_bytes"] is None and "more than the stack may have" in said
    if name == "thread_small":
        assert told["set_by"] == EITHER


@pytest.mark.parametrize("name", ["handled_null_here", "handled_guard", "ended_later"])
def test_core_of_innocent(name: str, folder: Path) -> None:
    build = BUILDS[len(name) % len(BUILDS)]
    signal = in_core(program(*build), name, folder)["signal"]
    assert signal["name"] == "SIGABRT" and signal["stack_overflow"] is None


@pytest.mark.parametrize("name", ["first_element", "rows"])
def test_stripped(name: str, folder: Path) -> None:
    document = in_core(stripped(program("g++", "optimised"), folder), name, folder)
    told, said = document["signal"]["stack_overflow"], document["findings"][0]["text"]
    assert told is not None and told["certainty"] == "certain", said
    assert re.search(r"overflows\+0x[0-9a-f]+ \(\)(,| takes)", said), said
    assert ("a recursion of" in said) == (name == "rows")


@pytest.mark.parametrize("name", ["fixed", "automatic", "recursion", "index"])
@pytest.mark.parametrize("compiler", ["gfortran", machine.FLANG])
def test_fortran(compiler: str, name: str, folder: Path) -> None:
    """gfortran's programs handle the signal, on a stack that has no room for that."""
    executable = folder / "overflows"
    runtime = "libomp-19"
    flags = ["-fstack-arrays"] if compiler == "gfortran" else [f"-L{machine.cached(runtime)}"]
    source = machine.PROGRAMS / "overflows.f90"
    machine.run(compiler, "-O0", "-g", "-fopenmp", *flags, source, "-o", executable, cwd=folder)
    document = in_core(executable, name, folder, runtime)
    told, said = document["signal"]["stack_overflow"], document["findings"][0]["text"]
    if name == "index":
        assert told is None, said
        return
    assert told is not None and told["certainty"] == "certain", said
    assert (told["set_by"], told["set_to"]) == ("OMP_STACKSIZE", "1M"), said
    if name == "recursion":
        assert "deeper" in told["recursion"]["functions"][0]
    else:
        assert name in told["function"] and 3 <= told["frame_bytes"] / (1 << 20) <= 3.2, said


@pytest.mark.parametrize(
    "name, said",
    [
        ("asserted", r"overflows\.cc:\d+: void asserted\(\): Assertion `one == 2' failed\."),
        ("freed_twice", r"free\(\): double free"),
        ("aborted", None),
    ],
)
def test_text(name: str, said: str | None, folder: Path) -> None:
    """What the C library printed before it ended the program."""
    signal = in_core(program("g++", "optimised"), name, folder)["signal"]
    assert (signal["said"] is None) == (said is None)
    assert said is None or re.search(said, signal["said"])


@pytest.mark.parametrize("kind", ["live", "core"])
def test_file(kind: str, folder: Path) -> None:
    executable = program("g++", "optimised")
    if kind == "core":
        document = in_core(executable, "cut_file", folder)
    else:
        document = live(executable, ["cut_file"], folder)["cut_file"]
    file = document["signal"]["file"]
    assert file is not None and file.startswith("/tmp/") and file in document["findings"][0]["text"]
