# SPDX-License-Identifier: Apache-2.0
"""`ompd print': is each variable told to be what the program made it? Their names say so."""

from __future__ import annotations

from pathlib import Path

import machine
import pytest
from sessions import Answer, ask, target

NAMES = [
    "shared_global",
    "threadprivate_global",
    "shared_int",
    "private_int",
    "firstprivate_int",
    "reduction_int",
    "private_inside",
    "private_pointer",
]


def answers(
    kind: str, runtime: Path, commands: list[str], folder: Path, compiler: str, build: str = "debug"
) -> Answer:
    executable = machine.compiled("sharing", build, compiler=compiler)
    with target(kind, executable, (), runtime, folder) as made:
        return ask("gdb", commands, made.before, made.files, folder=folder)


def true_of(name: str) -> str:
    """Which private variables began with a value is not recorded."""
    return {"firstprivate": "private"}.get(name.split("_")[0], name.split("_")[0])


@pytest.mark.parametrize(
    ("kind", "runtime"),
    [("live", "libomp-14"), ("attach", "libomp-19"), ("core", "libomp-19-ompd")],
)
def test_each_attribute(kind: str, runtime: str, folder: Path) -> None:
    commands = [f"ompd print R1 {name} -json" for name in NAMES]
    commands += ["ompd print R1 reduction_int", "ompd print R1 &shared_int -json"]
    commands += ["ompd print R1 shared_array[1] -json", "ompd print R1 i", "ompd print R1 i -json"]
    commands += ["ompd print R1.2 shared_int -json", "ompd print R1.2 private_inside -json"]
    answer = answers(kind, machine.cached(runtime), commands, folder, machine.CLANG)
    for name, command in zip(NAMES, commands):
        section = answer.document(command)["print"]
        assert section["sharing"] == true_of(name), command
    assert "Value (reduction)" in answer.texts[len(NAMES)]
    for command in commands[len(NAMES) + 1 : len(NAMES) + 3]:
        assert answer.document(command)["print"]["sharing"] is None
    # clang records where the first value of the loop's variable is, and no other.
    assert "the loop's first" in answer.texts[len(NAMES) + 3]
    values = answer.document("ompd print R1 i -json")["print"]["values"]
    assert [(value["text"], value["first_of_loop"]) for value in values] == [("10", True)]
    assert answer.document(commands[-2])["print"]["sharing"] == "shared"
    assert answer.document(commands[-1])["print"]["sharing"] == "private"


def test_values_of_the_construct_are_the_users(folder: Path) -> None:
    """clang's unoptimized code of a construct has a function around it, with variables as they were
    passed."""
    commands = ["ompd print R1 firstprivate_int -json", "ompd print R1 reduction_int -json"]
    answer = answers("core", machine.cached("libomp-19"), commands, folder, machine.CLANG)
    values = [answer.document(command)["print"]["values"] for command in commands]
    assert [value["text"] for value in values[0]] == ["7"]
    assert {value["text"] for value in values[1]} == {"10", "13", "16", "19"}


@pytest.mark.parametrize("compiler", [machine.CLANG, "gcc"])
@pytest.mark.parametrize("build", ["debug", "optimised"])
def test_nothing_wrong_is_told(compiler: str, build: str, folder: Path) -> None:
    """gcc copies variables that are shared, if the construct does not change them."""
    runtime = machine.cached("libomp-19")
    if compiler == "gcc":
        runtime = machine.as_libgomp(runtime, folder / "runtime")
    names = [*NAMES, "end"]
    commands = [f"ompd print R1 {name} -json" for name in names]
    answer = answers("core", runtime, commands, folder, compiler, build)
    told = {name: answer.document(c)["print"]["sharing"] for name, c in zip(names, commands)}
    assert told.pop("end") in (None, "shared")
    for name, sharing in told.items():
        allowed = {None, true_of(name)} | ({"private"} if name.startswith("reduction") else set())
        assert sharing in allowed, name
    assert told["shared_global"] == "shared"
    assert build != "debug" or told["threadprivate_global"] == "threadprivate"
