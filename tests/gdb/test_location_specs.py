# SPDX-License-Identifier: Apache-2.0
"""Does `ompd break ... at LOC' take what GDB's `break' takes, however a compiler names the code of
constructs? The programs begin each region another power of two times: how often it was stopped at
a location tells which regions are there."""

from __future__ import annotations

import subprocess
from pathlib import Path

import machine
import pytest
from sessions import ask

CXX = {
    "overloaded": 1 + 2,
    "overloaded(int)": 1,
    "overloaded(double)": 2,
    "'overloaded(int)'": 1,
    "mesh::(anonymous namespace)::hidden": 4,
    "hidden(int)": 4,
    "mesh::nested": 4 + 4,
    "nested(int)": 4 + 4,
    "mesh::Field<double, 5>::sweep": 16,
    "mesh::Field<float,3>::sweep": 32,
    "mesh::Field<float, 3>::sweep(float)": 32,
    "Field<double, 5>::sweep": 16,
    "sweep": 16 + 32,
    "mesh::Field<double, 5>::operator()": 64,
    "mesh::Field<double, 5>::operator()(int) const": 64,
    "mesh::Field<float, 3>::~Field": 32,
    "c_function": 128,
    "location_specs.cc:c_function": 128,
    "-function mesh::nested": 4 + 4,
    "-source location_specs.cc -function hidden": 4,
    "inlined": 256,
    "location_specs.cc:LINE": 1,
    "-source location_specs.cc -line LINE": 1,
    "LINE": 1,
}
FORTRAN = {
    "sweep": 1,
    "SWEEP": 1,
    "grid::sweep": 1,
    "Grid::Sweep": 1,
    "inner": 2,
    "area": 4,
    "location_specs.f90:area": 4,
    "-function area": 4,
    "outside": 8,
    "Outside": 8,
    "location_specs.f90:LINE": 8,
}
COMPILERS = {
    "g++": "location_specs.cc",
    machine.CLANGXX: "location_specs.cc",
    "gfortran": "location_specs.f90",
    machine.FLANG: "location_specs.f90",
}


def compiled(compiler: str, level: str, folder: Path) -> Path:
    source = machine.PROGRAMS / COMPILERS[compiler]
    program = folder / "location_specs"
    link = [f"-L{machine.cached('libomp-19')}"] if compiler == machine.FLANG else []
    command = [compiler, "-g", level, "-fopenmp", source, "-o", program, *link]
    subprocess.run(command, check=True, cwd=folder)
    return program


def line_of(source: Path) -> int:
    lines = source.read_text(encoding="utf-8").splitlines()
    return next(number for number, line in enumerate(lines, 1) if "THE LINE" in line)


@pytest.mark.parametrize("level", ["-O0", "-O2"])
@pytest.mark.parametrize("compiler", COMPILERS)
def test_stops_where_gdb_would(compiler: str, level: str, folder: Path) -> None:
    source = machine.PROGRAMS / COMPILERS[compiler]
    line = str(line_of(source))
    spellings = CXX if source.suffix == ".cc" else FORTRAN
    true = {text.replace("LINE", line): count for text, count in spellings.items()}
    commands = []
    for number, text in enumerate(true, 1):
        commands += [f"ompd break parallel at {text}", f"ignore {number} 10000"]
    commands += ["run", "ompd info break -json"]
    before = [
        f"set environment LD_LIBRARY_PATH {machine.cached('libomp-19')}",
        "set environment OMP_MAX_ACTIVE_LEVELS 2",
        f"list {source.name}:1",
    ]
    answer = ask("gdb", commands, before, [compiled(compiler, level, folder)], folder=folder)
    made = answer.document(commands[-1])["breakpoints"]
    assert {text: one["hits"] for text, one in zip(true, made)} == true


@pytest.mark.parametrize("compiler", ["g++", machine.CLANGXX])
def test_what_never_matches_is_refused(compiler: str, folder: Path) -> None:
    source = machine.PROGRAMS / "location_specs.cc"
    inside = line_of(source) + 3
    refused = {
        "serial": "No construct of this kind begins at `serial'.",
        f"{source.name}:{inside}": f"No construct of this kind begins at `{source.name}:{inside}'.",
        "*main": "`*main' is an address",
        "-label x": "`-label x' is not understood as a place",
    }
    commands = [f"ompd break parallel at {text}" for text in refused]
    answer = ask("gdb", commands, [], [compiled(compiler, "-O0", folder)], folder=folder)
    for told, words in zip(answer.texts, refused.values()):
        assert words in told
