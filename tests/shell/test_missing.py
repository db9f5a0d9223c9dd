# SPDX-License-Identifier: Apache-2.0
"""Processes that miss something: code that was unloaded under its threads, or their first thread.
The cause is named at once, and what a look would end is not looked at."""

from __future__ import annotations

import contextlib
import subprocess
from pathlib import Path
from typing import Iterator

import machine
import pytest
from command import CANNOT_READ, FINDING, Answer, is_an_error, ompd
from sessions import kernel_core


@contextlib.contextmanager
def running(*words: "str | Path") -> Iterator[int]:
    """Until it has said that it has done it."""
    with subprocess.Popen(words, stdout=subprocess.PIPE) as process:
        try:
            assert process.stdout is not None and process.stdout.readline()
            yield process.pid
            assert process.poll() is None, "it did not survive the look"
        finally:
            process.kill()


def built(name: str, folder: Path, *options: "str | Path", stripped: bool = False) -> Path:
    made = folder / name
    source = machine.PROGRAMS / f"{name.partition('.')[0]}.c"
    machine.run(machine.GCC, "-g", "-O1", source, "-o", made, "-pthread", "-ldl", *options)
    if stripped:
        machine.run("strip", made)
    return made


def words_of(answer: Answer) -> str:
    return " ".join(answer.text.split())


def unloading(folder: Path, runtime_stays: bool, stripped: bool) -> "tuple[Path, Path]":
    part = built("unloads_part.so", folder, "-fopenmp", "-shared", "-fPIC", stripped=stripped)
    stays = ("-fopenmp", "-Wl,--no-as-needed", "-lgomp") if runtime_stays else ()
    return built("unloads", folder, *stays, stripped=stripped), part


@pytest.mark.parametrize("stripped", [False, True], ids=["symbols", "stripped"])
@pytest.mark.parametrize("runtime_stays", [False, True], ids=["with-runtime", "part-alone"])
def test_core_of_unloaded_code(runtime_stays: bool, stripped: bool, folder: Path) -> None:
    program, part = unloading(folder, runtime_stays, stripped)
    core = kernel_core(program, [str(part)], {}, folder)
    answer = ompd("core", core, folder=folder)
    assert answer.status == FINDING, answer
    # Where the runtime is still there, a worker that waits in it is not in code of the library.
    count = 2 if runtime_stays else 3
    assert f"{count} threads (T" in answer.text, answer
    assert "in code that is not there any more: nothing is mapped at" in words_of(answer), answer
    assert "unloaded, by dlclose(), while they were in it" in words_of(answer), answer


def test_unloaded_code(folder: Path) -> None:
    program, part = unloading(folder, True, False)
    with running(program, part) as pid:
        answer = ompd("pid", str(pid), folder=folder)
    assert answer.status == FINDING and "2 threads (T" in answer.text, answer
    assert "in code that is not there any more" in words_of(answer), answer


def test_what_would_not_survive_a_stop(folder: Path) -> None:
    """The kernel makes a wait anew after a stop: the code of the runtime that waits is gone."""
    program, part = unloading(folder, False, False)
    with running(program, part) as pid:
        answer = ompd("pid", str(pid), folder=folder)
    is_an_error(answer, f"2 threads of process {pid} sleep in code that is not there", "kill -ABRT")


def test_first_thread_has_ended(folder: Path) -> None:
    program = built("without_first", folder, "-fopenmp")
    with running(program) as pid:
        for command in ("pid", "top", "record"):
            answer = ompd(command, str(pid), folder=folder)
            is_an_error(answer, f"first thread of process {pid} has ended", "`ompd core'")
            assert answer.status == CANNOT_READ
    core = kernel_core(program, [], {}, folder)
    answer = ompd("core", core, folder=folder)
    assert "1 ended" in answer.text and "cannot be followed" not in answer.text, answer
    assert "as by pthread_exit in main" in words_of(answer), answer
    document = ompd("core", "--json", core, folder=folder).document
    assert "structures_broken" not in [one["code"] for one in document["findings"]]
