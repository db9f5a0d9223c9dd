# SPDX-License-Identifier: Apache-2.0
"""Does whatever a user gets wrong end in one clear sentence? (And never in a traceback, a crash or
a hang: ask() refuses them for every command of every test.)"""

from __future__ import annotations

import shutil
from pathlib import Path

import machine
import pytest
from cells import GDBS
from sentences import is_a_sentence, is_an_error
from sessions import ask, target

ASK = ["ompd threads -json", "ompd parallel -json"]


@pytest.mark.parametrize("gdb", GDBS)
@pytest.mark.parametrize("with_file", [False, True], ids=["nothing", "file"])
def test_no_process(with_file: bool, gdb: str, folder: Path) -> None:
    files = [machine.compiled("nested")] if with_file else []
    answer = ask(gdb, ["ompd threads", "ompd parallel", *ASK], [], files, folder=folder)
    for text in answer.texts:
        is_a_sentence(text, "process", "run")
    for command in ASK:
        is_an_error(answer.document(command), "no_process")


def test_process_has_ended(folder: Path) -> None:
    with target(
        "live", machine.compiled("nested"), (), machine.cached("libomp-14"), folder
    ) as made:
        answer = ask(
            "gdb",
            ["ompd threads", "continue", "ompd threads"],
            made.before,
            made.files,
            folder=folder,
        )
    assert "6 threads" in answer.texts[0]
    is_a_sentence(answer.text, "process")


@pytest.mark.parametrize("gdb", GDBS)
def test_program_without_openmp(gdb: str, folder: Path) -> None:
    before = ["break stop_here", "run"]
    commands = ["ompd threads", "ompd parallel", "ompd threads -json"]
    answer = ask(gdb, commands, before, [machine.compiled("no_openmp")], folder=folder)
    for text in answer.texts:
        is_a_sentence(text, "OpenMP")
    is_an_error(answer.document("ompd threads -json"), "no_openmp")


UNKNOWN = {
    "ompd threads R99": ["R99", "ompd parallel"],
    "ompd threads R1.9": ["R1.9"],
    "ompd threads t7": ["t7"],
    "ompd threads 99": ["99", "info threads"],
    "ompd threads 3.1": ["3.1", "inferior"],
    "ompd threads nonsense": ["nonsense"],
    "ompd threads R1.": ["R1."],
    "ompd threads R-1": ["R-1"],
    "ompd threads 7-2": ["7-2"],
    "ompd threads R1.0-99999999999999999999": ["99999"],
    "ompd threads -nonsense": ["-nonsense", "-all"],
    "ompd threads --json": ["--json"],
    "ompd parallel R99": ["R99"],
    "ompd parallel -nonsense": ["-nonsense"],
    "ompd status nonsense": ["nonsense"],
    "ompd nonsense": ["nonsense"],
    "ompd threads -json /nonexistent/file.json": ["/nonexistent"],
    "ompd threads -json /": ["/"],
}


@pytest.mark.parametrize("gdb", GDBS)
def test_unknown_ids_and_options(gdb: str, folder: Path) -> None:
    with target(
        "live", machine.compiled("nested"), (), machine.cached("libomp-14"), folder
    ) as made:
        answer = ask(gdb, [*UNKNOWN, "ompd threads"], made.before, made.files, folder=folder)
    wrong = []
    for (command, words), text in zip(UNKNOWN.items(), answer.texts):
        try:
            is_a_sentence(text, *words)
        except AssertionError as error:
            wrong.append(f"{command}: {error}")
    assert not wrong, "\n".join(wrong)
    assert "6 threads" in answer.text


@pytest.mark.parametrize("gdb", GDBS)
@pytest.mark.parametrize(
    "what", ["missing", "folder", "no library", "truncated", "another library", "empty"]
)
def test_library_that_is_none(what: str, gdb: str, folder: Path) -> None:
    path = folder / "libompd.so"
    if what == "folder":
        path.mkdir()
    elif what == "no library":
        path.write_text("nothing\n", encoding="utf-8")
    elif what == "empty":
        path.touch()
    elif what == "truncated":
        path.write_bytes(machine.library().read_bytes()[:20000])
    elif what == "another library":
        shutil.copy2(machine.cached("libomp-14") / "libomp.so.5", path)
    with target(
        "live", machine.compiled("nested"), (), machine.cached("libomp-14"), folder
    ) as made:
        before = [*made.before, f"set ompd library {path}"]
        again = ["set ompd library", "ompd threads"]
        commands = ["ompd threads", "ompd parallel", "ompd threads -json", *again]
        answer = ask(gdb, commands, before, made.files, folder=folder)
    for text in answer.texts[:3]:
        is_a_sentence(text, str(path))
    assert "error" in answer.document("ompd threads -json")
    assert "6 threads" in answer.text, "the right library is not loaded afterwards"
