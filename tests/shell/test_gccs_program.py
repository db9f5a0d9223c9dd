# SPDX-License-Identifier: Apache-2.0
"""Does a program by gcc run on LLVM's runtime in the two ways that docs/runtimes.md names?"""

from __future__ import annotations

import os
import subprocess
import time
from pathlib import Path

import machine
import pytest
from command import FINDING, ompd
from sessions import PATIENCE


@pytest.mark.parametrize("way", ["as it is", "preload", "folder"])
def test_gccs_program(way: str, folder: Path) -> None:
    """The tutorial's hang, compiled by gcc: on GNU's runtime, and on LLVM's by a preload and by
    another name."""
    library = machine.cached("libomp-14") / "libomp.so.5"
    executable = folder / "transfers"
    machine.run(
        "gcc", "-g", "-fopenmp", machine.ROOT / "docs/examples/transfers.c", "-o", executable
    )
    environment = {"LD_PRELOAD": str(library)} if way == "preload" else {}
    if way == "folder":
        environment = {"LD_LIBRARY_PATH": str(machine.as_libgomp(library.parent, folder / "as"))}
    words = machine.in_background(executable)
    with subprocess.Popen(words, env={**os.environ, **environment}, cwd=folder) as process:
        try:
            end = time.monotonic() + PATIENCE
            # It hangs on one of its first days.
            while (
                "deadlock"
                not in (answer := ompd("pid", str(process.pid), "--json", folder=folder)).codes()
            ):
                assert time.monotonic() < end, answer.text
        finally:
            machine.kill(process)
    assert answer.status == FINDING
    found = {one["code"] for one in answer.document["findings"]}
    assert "runtime_problem" not in found
