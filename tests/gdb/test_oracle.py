# SPDX-License-Identifier: Apache-2.0
"""`ompd print' against what programs of many kinds of variables say of themselves."""

from __future__ import annotations

import json
from pathlib import Path

import machine
import oracle
import pytest
from sessions import ask, target

PROGRAMS = {
    "gcc": "oracle",
    machine.CLANG: "oracle",
    "g++": "oracle_cxx",
    machine.CLANGXX: "oracle_cxx",
    "gfortran": "oracle_fortran",
    machine.FLANG: "oracle_fortran",
}
CELLS = [
    (compiler, build)
    for compiler in PROGRAMS
    for build in ("debug", "optimised", "linked")
    if (compiler, build) != (machine.FLANG, "linked")  # that one links no such code
]
# Where libomp makes the copies of threadprivate variables, as flang always has it.
CELLS.append((machine.CLANG, "copies"))

# What libc has as well must not be taken for the program's.
pytestmark = pytest.mark.debug_files


@pytest.mark.each("compiler")
@pytest.mark.parametrize(("compiler", "build"), CELLS)
def test_values(compiler: str, build: str, folder: Path) -> None:
    """None is wrong that is not marked."""
    gnus = compiler in ("gcc", "g++", "gfortran")
    c = {"g++": "gcc", machine.CLANGXX: machine.CLANG, "gfortran": "gcc"}.get(compiler, compiler)
    link = ("-fnoopenmp-use-tls",) if build == "copies" else ()
    kind = "debug" if build == "copies" else build
    executable = machine.compiled(PROGRAMS[compiler], kind, link=link, compiler=c)
    runtime = machine.cached("libgomp-12" if gnus else "libomp-19")
    said = folder / "said.json"
    with target("live", executable, (), runtime, folder) as made:
        commands = [f"tell-values {made.record} {said}"]
        before = [*made.before, f"source {Path(__file__).with_name('tell_values.py')}"]
        ask("gdb", commands, before, made.files, folder=folder)
        stops = json.loads(said.read_text(encoding="utf-8"))
        assert len(stops) >= 4
        wrong = oracle.score.judge(made.record, stops)
    assert not wrong, "\n".join(wrong)
