# SPDX-License-Identifier: Apache-2.0
"""gcc's code of an explicit barrier and of a construct's end is the same: is neither told as one of
them, nor a line as the barrier's own?"""

from __future__ import annotations

import re
from pathlib import Path

import machine
import pytest
from sessions import ask, target

TWINS: tuple[tuple[str, ...], ...] = ((), ("-DEXPLICIT",))
ASK = ["ompd barriers", "ompd barriers -json", "ompd threads -json"]


@pytest.mark.parametrize("build", ["bare", "release"])
def test_the_code_is_the_same(build: str, folder: Path) -> None:
    """No debugger can tell them apart by it."""
    codes = []
    for flags in TWINS:
        executable = machine.compiled("twins", build, link=flags, compiler=machine.GCC)
        machine.run("objcopy", "-O", "binary", "-j", ".text", executable, folder / "code")
        codes.append((folder / "code").read_bytes())
    assert codes[0] and codes[0] == codes[1]


@pytest.mark.parametrize("flags", TWINS, ids=["end", "barrier"])
@pytest.mark.parametrize(
    "way, build, kind", [("single", "debug", "live"), ("loop", "optimised", "core")]
)
def test_neither_is_told(
    way: str, build: str, kind: str, flags: tuple[str, ...], folder: Path
) -> None:
    executable = machine.compiled("twins", build, link=flags, compiler=machine.GCC)
    with target(kind, executable, (way,), machine.cached("libgomp-12"), folder) as made:
        answer = ask("gdb", ASK, made.before, made.files, folder=folder)
    assert re.search(
        r"barrier near twins\.c:\d+ +\d[-,]\d +\d\n", answer.texts[0]
    ), answer.everything
    (barrier,) = answer.document("ompd barriers -json")["barriers"]
    assert barrier["kind"] == "unknown" and barrier["doubts"]["loc"]["certainty"] == "likely"
    waits = [one["openmp"][0]["wait"] for one in answer.document(ASK[2])["threads"]]
    waits = [one for one in waits if one is not None]
    assert len(waits) == 2
    for wait in waits:
        assert wait["construct"] is None and wait["doubts"]["loc"]["certainty"] == "likely"
