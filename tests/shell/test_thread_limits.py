# SPDX-License-Identifier: Apache-2.0
"""A runtime that cannot make a thread, or gets no memory, ends the program: is the limit named?"""

from __future__ import annotations

from pathlib import Path

import machine
import pytest
from command import ompd

PROGRAM = """\
int main(void)
{
    #pragma omp parallel num_threads(200)
    {
    }
}
"""
LIMIT = 600000  # kB: fewer than 200 stacks


SAYS = {
    "libomp-19": "LLVM libomp says `OMP: Error #34: System unable to allocate",
    "libgomp-12": "GNU libgomp says `Thread creation failed: Resource temporarily unavailable'",
}


@pytest.mark.parametrize(
    "runtime, limited", [("libomp-19", True), ("libomp-19", False), ("libgomp-12", True)]
)
def test_memory(runtime: str, limited: bool, folder: Path) -> None:
    compiler = "gcc" if machine.is_gnus(runtime) else machine.CLANG
    (folder / "many.c").write_text(PROGRAM, encoding="ascii")
    machine.run(compiler, "-g", "-fopenmp", folder / "many.c", "-o", folder / "many")
    limit = f"ulimit -v {LIMIT}; " if limited else ""
    library = f"export LD_LIBRARY_PATH={machine.cached(runtime)}; "
    answer = ompd("run", "sh", "-c", f"{library}{limit}exec {folder}/many", folder=folder)
    said = " ".join(answer.errors.split())
    if not limited:
        assert answer.status == 0 and "ulimit" not in said, answer
        return
    assert SAYS[runtime] in said
    # GNU's ends the program by exit (), whose status is passed on.
    assert (answer.status == 1) == machine.is_gnus(runtime)
    assert f"ulimit -v is {LIMIT} kB, and the process has" in said, said


@pytest.mark.parametrize("limited", [True, False])
def test_no_memory_for_a_team(limited: bool, folder: Path) -> None:
    """More than any machine has, or more than the limit lets it have."""
    threads, limit = ("5000000", f"ulimit -v {LIMIT}; ") if limited else ("500000000", "")
    (folder / "many.c").write_text(PROGRAM.replace("200", threads), encoding="ascii")
    machine.run("gcc", "-g", "-fopenmp", folder / "many.c", "-o", folder / "many")
    answer = ompd("run", "sh", "-c", f"{limit}exec {folder}/many", folder=folder)
    said = " ".join(answer.errors.split())
    assert answer.status == 1, answer
    assert "GNU libgomp says `Out of memory allocating" in said, said
    assert (f"ulimit -v is {LIMIT} kB, and the process has" in said) == limited, said
