# SPDX-License-Identifier: Apache-2.0
"""A lock is one, also if it is polled with a limit of time: where two looks show that a poll gets
nowhere, since the lock's holder waits, that is likely a deadlock; else it is said that somebody
polls. What gives its lock up in between is not accused."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import looks
import machine
import pytest
from command import CANNOT_TELL, FINDING, NOTHING_ODD, OMPD, Answer, environment, ompd
from looks import Program

HUNG = [
    ("guilty", "polled_at_barrier", "R1.1 (T2) waits for mutex `mutex_a' in poll_mutex ()"),
    ("guilty", "polled_in_order", "R1.1 (T2) waits for mutex `mutex_a' in poll_mutex ()"),
    ("guilty", "polled_for_writing", "R1.1 (T2) waits for read-write lock `table"),
    ("guilty_cxx", "joined_while_it_polls", "::polled' in"),
]


def program(source: str, scenario: str, folder: Path, *words: str) -> Program:
    cxx = source.endswith("cxx")
    link, compiler = (("-std=c++17",), "g++") if cxx else ((), machine.GCC)
    executable = machine.compiled(source, "debug", link=link, compiler=compiler)
    home = machine.under_gcc("libgomp-12", folder)
    begun = folder / "rounds"
    return Program(executable, [scenario, begun, *words], {"LD_LIBRARY_PATH": str(home)}, begun)


def looked_at(made: Program, folder: Path) -> tuple[Answer, str]:
    with looks.running(made, folder) as pid:
        answer = ompd("pid", str(pid), folder=folder)
    return answer, " ".join(answer.text.split())


@pytest.mark.parametrize("source, scenario, words", HUNG)
def test_a_poll_that_gets_nowhere(source: str, scenario: str, words: str, folder: Path) -> None:
    answer, text = looked_at(program(source, scenario, folder, "guilty"), folder)
    assert answer.status == FINDING and "DEADLOCK (likely): 2 threads" in text, answer
    assert words in text and "got nowhere between two looks" in text, answer


def test_both_poll(folder: Path) -> None:
    """Whoever gave up its own lock in between would look the same."""
    answer, text = looked_at(program("guilty", "polled_by_both", folder, "guilty"), folder)
    assert answer.status == CANNOT_TELL, answer
    assert "R1.0-1 poll with a limit of time in pthread_mutex_" in text, answer


@pytest.mark.parametrize("scenario", ["polled_at_barrier", "polled_by_both"])
def test_twins(scenario: str, folder: Path) -> None:
    answer, _ = looked_at(program("guilty", scenario, folder), folder)
    assert answer.status in (NOTHING_ODD, CANNOT_TELL), answer


def test_one_look_does_not_tell(folder: Path) -> None:
    with looks.running(program("guilty", "polled_at_barrier", folder, "guilty"), folder) as pid:
        core = looks.gcore(pid, folder)
    answer = ompd("core", core, folder=folder)
    text = " ".join(answer.text.split())
    assert answer.status == CANNOT_TELL and "DEADLOCK" not in text, answer
    assert "R1.1 waits with a limit of time in pthread_mutex_" in text, answer


SCRIPT = """\
import ctypes, sys, threading
library = ctypes.CDLL(sys.argv[1])
library.calls_back.restype = ctypes.c_double
lock = threading.Lock()
lock.acquire()
def back(number):
    while not lock.acquire(timeout=0.003):
        pass
    return 0.0
print("begins", flush=True)
library.calls_back(ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_int)(back), 3)
"""


def test_lock_of_pythons(folder: Path) -> None:
    """It is a semaphore: nobody is recorded to hold it."""
    library = folder / "calls_back.so"
    source = machine.PROGRAMS / "calls_back.c"
    machine.run(machine.GCC, "-g", "-fopenmp", "-shared", "-fPIC", source, "-o", library)
    words = [sys.executable, "-c", SCRIPT, library]
    with subprocess.Popen(words, stdout=subprocess.PIPE) as process:
        try:
            assert process.stdout is not None and process.stdout.readline()
            looks.wait_for_threads(process.pid, 3)
            done = subprocess.run(
                [OMPD, "pid", str(process.pid)],
                env=environment(folder),
                stdout=subprocess.PIPE,
                encoding="utf-8",
                check=False,
            )
        finally:
            process.kill()
    assert done.returncode == CANNOT_TELL, done
    assert "poll with a limit of time in" in " ".join(done.stdout.split()), done
