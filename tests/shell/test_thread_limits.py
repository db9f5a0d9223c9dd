# SPDX-License-Identifier: Apache-2.0
"""A runtime that cannot make a thread ends the program: by which limit is told."""

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


@pytest.mark.parametrize("limited", [True, False])
def test_memory(limited: bool, folder: Path) -> None:
    (folder / "many.c").write_text(PROGRAM, encoding="ascii")
    machine.run(machine.CLANG, "-g", "-fopenmp", folder / "many.c", "-o", folder / "many")
    limit = f"ulimit -v {LIMIT}; " if limited else ""
    library = f"export LD_LIBRARY_PATH={machine.cached('libomp-19')}; "
    answer = ompd("run", "sh", "-c", f"{library}{limit}exec {folder}/many", folder=folder)
    said = " ".join(answer.text.split())
    if not limited:
        assert answer.status == 0 and "ulimit" not in said, answer
        return
    assert "Error #34: System unable to allocate necessary resources for OMP thread" in said
    assert f"ulimit -v is {LIMIT} kB, and the process has" in said, said
