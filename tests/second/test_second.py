# SPDX-License-Identifier: Apache-2.0
"""Are the protocols of ompd/debugger.py enough for a debugger that is not GDB? It has to tell of a
core file what the program recorded of itself, and what GDB's adapter tells."""

from __future__ import annotations

import json
import os
import re
import sys
from pathlib import Path
from typing import Any, Iterator

import command
import corpus
import facts
import machine
import pytest
import schema
import truth
from core_debugger import looking_at
from ompd_core.library.library import Library
from ompd_core.model.where import NAMELESS
from report import report
from sessions import kernel_core

ENTRIES = corpus.entries()
# Where the runtime's file is missing the protocols do not come in: tests/shell/test_corpus.py.
READ = set(ENTRIES) - {"no-runtime", "gomp-no-runtime"}
# It knows no other machine than this one.
READ -= {name for name, entry in ENTRIES.items() if entry.get("machine") == "aarch64"}
COMPARED = {"gcc-program", "lock-order", "task-graph"}

# What only GDB's adapter tells, by where it stands in the document.
ONLY_GDB = {
    r"gdb_version|made|pid": "is about the report itself",
    r".*/(loc|held_since|left_at/\d+)/function": "the function in which the user wrote a construct"
    " whose code has no name: this debugger does not look for it (Code.holder_at)",
    r"deadlock/cycles/.*/text": "the same in a sentence",
    r"merged/.*/level": "a call in the place of a return leaves no frame: GDB makes one up of what"
    " the compiler recorded of calls, libdw does not",
}


@pytest.fixture(scope="module")
def library() -> Iterator[Library]:
    loaded = Library(str(machine.library()))
    yield loaded
    loaded.close()


def told(library: Library, core: Path, executable: Path, folder: Path) -> Any:
    with looking_at(library, core, executable, folder) as debugger:
        document = report(library, debugger)
    schema.check(document)
    return document


@pytest.mark.each("name")
@pytest.mark.parametrize("name", sorted(READ - COMPARED))
def test_truth(name: str, folder: Path, library: Library) -> None:
    core, program = corpus.unpack(ENTRIES[name], folder)
    is_true(name, told(library, core, program, folder))


@pytest.mark.each("name")
@pytest.mark.parametrize("name", sorted(COMPARED))
def test_as_gdb_tells(name: str, folder: Path, library: Library) -> None:
    core, program = corpus.unpack(ENTRIES[name], folder)
    document = told(library, core, program, folder)
    is_true(name, document)
    by_gdb = command.ompd(
        "core", "--json", "--lib-search-root", folder, core, program, folder=folder
    )
    assert differences(document, by_gdb.document) == []


def test_core_of_this_machine(folder: Path, library: Library) -> None:
    """Its libraries lie where the core says, and the compiler has inlined functions."""
    program = machine.compiled("nested", "optimised")
    core = kernel_core(program, (), command.environment(folder), folder)
    record = json.loads((folder / "truth").read_text(encoding="utf-8"))
    document = told(library, core, program, folder)
    assert truth.mismatches(record, document, document) == []
    by_gdb = command.ompd("core", "--json", core, folder=folder)
    assert differences(document, by_gdb.document) == []


def test_no_gdb() -> None:
    assert not [name for name in sys.modules if name == "gdb" or name.startswith("ompd_gdb")]


def test_a_difference_is_seen() -> None:
    mine: Any = {"locks": [{"held_since": {"function": "f", "line": 1}}], "tasks": []}
    other: Any = {"locks": [{"held_since": {"function": "f", "line": 2}}]}
    assert len(differences(mine, other)) == 1
    other["locks"][0]["held_since"] = {"function": "g", "line": 1}
    assert len(differences(mine, other)) == 1
    mine["locks"][0]["held_since"]["function"] = NAMELESS
    assert differences(mine, other) == []


def is_true(name: str, document: Any) -> None:
    damaged = name == "truncated"
    wrong = facts.Facts(ENTRIES[name], corpus.expected(name), document, damaged).compare()
    assert not wrong, "\n".join(wrong)


def differences(mine: Any, gdbs: Any) -> list[str]:
    """But for what only GDB's adapter tells."""
    one, other = dict(flat(mine)), dict(flat(gdbs))
    return [
        f"{path}: {one.get(path)!r}, GDB {other.get(path)!r}"
        for path in sorted(one.keys() | other.keys())
        if one.get(path) != other.get(path) and not is_gdbs(path, one.get(path))
    ]


def is_gdbs(path: str, mine: object) -> bool:
    guessed = path.endswith("/function") and mine != NAMELESS
    return not guessed and any(re.fullmatch(pattern, path) for pattern in ONLY_GDB)


def flat(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """All plain values, by where they stand. Of files, the names: `fullname' has the whole path,
    and of libraries each debugger tells where it found them."""
    if isinstance(value, (dict, list)):
        for key, one in value.items() if isinstance(value, dict) else enumerate(value):
            yield from flat(one, f"{path}/{key}" if path else str(key))
    elif isinstance(value, str) and path.endswith(("/file", "/objfile")):
        yield path, os.path.basename(value)
    elif isinstance(value, str) and path.endswith("/fullname"):
        yield path, os.path.normpath(value)
    else:
        yield path, value
