# SPDX-License-Identifier: Apache-2.0
"""Programs that call constructs in a library without lines and symbols: how they are made, and what
their threads wrote of where they are."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import machine
from sessions import kernel_core

COMPILERS = {"gcc": ("gcc", "g++"), "clang": (machine.CLANG, machine.CLANGXX)}
# So much code may a thread have gone through since it has told where it is.
FAR = 256


def made(folder: Path, program: str, flags: str, library: str) -> tuple[Path, Path]:
    """The executable and the library, by the names of their compilers; once in a folder."""
    executable, shared = folder / f"{program}{flags}", folder / f"lib{library}.so"
    if not executable.exists():
        source = machine.PROGRAMS / "library_places.c"
        compiler = COMPILERS[program][0]
        machine.run(compiler, "-O1", *flags.split(), "-fopenmp", source, "-o", executable, "-ldl")
    if not shared.exists():
        source = machine.PROGRAMS / "library_places_part.cc"
        code = folder / f"{library}.so"
        compiler = COMPILERS[library][1]
        machine.run(compiler, "-O1", "-fopenmp", "-fPIC", "-shared", source, "-o", code)
        machine.run("strip", "-o", shared, code)
    return executable, shared


def crashed(
    executable: Path, args: list[str], folder: Path, *, apart: bool = False
) -> tuple[Path, dict[int, int]]:
    """The core, and where each thread's own code is, by its LWP. apart: the library is loaded into
    a namespace of its own."""
    truth = folder / "truth"
    truth.unlink(missing_ok=True)
    environment = {
        "LD_LIBRARY_PATH": str(machine.cached("libomp-14")),
        "OMPD_TRUTH_FILE": str(truth),
        "OMP_MAX_ACTIVE_LEVELS": "3",
        **({"PLACES_APART": "1"} if apart else {}),
    }
    core = kernel_core(executable, args, environment, folder)
    told = [line.split() for line in truth.read_text(encoding="utf-8").splitlines()]
    return core, {int(lwp): int(at, 16) for lwp, at, _ in told}


def are_right(threads: list[dict[str, Any]], truth: dict[int, int], text: str) -> None:
    found = {one["lwp"]: one["where"] for one in threads if one["lwp"] in truth}
    assert found.keys() == truth.keys() and truth, text
    for lwp, place in found.items():
        assert place and place["pc"], f"{lwp}\n{text}"
        assert 0 <= int(place["pc"], 16) - truth[lwp] < FAR, f"{lwp}\n{text}"
