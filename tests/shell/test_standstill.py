# SPDX-License-Identifier: Apache-2.0
"""Is it the first that a report says where nobody can go on, and does its exit status say so?"""

from __future__ import annotations

import contextlib
import subprocess
import sys
from pathlib import Path
from typing import Iterator, Sequence

import looks
import machine
import pytest
from command import CANNOT_TELL, FINDING, NOTHING_ODD, Answer, ompd
from sessions import settle


@contextlib.contextmanager
def asleep(words: Sequence[str | Path]) -> Iterator[int]:
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        try:
            settle([process.pid])
            yield process.pid
        finally:
            process.kill()


@contextlib.contextmanager
def hanging(scenario: str, compiler: str = machine.GCC) -> Iterator[int]:
    environment = ["env", "OMP_WAIT_POLICY=passive", "KMP_BLOCKTIME=0"]
    with asleep([*environment, machine.compiled("asleep", compiler=compiler), scenario]) as pid:
        yield pid


def first_words(answer: Answer) -> str:
    return " ".join(answer.text.split("\nThreads :")[0].split())


@pytest.mark.parametrize("compiler", [machine.GCC, machine.CLANG])
def test_in_a_region(compiler: str, folder: Path) -> None:
    with hanging("in_region", compiler) as pid:
        answer = ompd("pid", str(pid), folder=folder)
        document = ompd("pid", "--json", str(pid), folder=folder)
        core = looks.gcore(pid, folder)
    assert answer.status == FINDING, answer
    text = first_words(answer)
    assert text.startswith("Odd : Nobody can go on: all 3 threads of the process sleep, each"), text
    assert (
        "R1.1: semaphore `slots' (its count is 0, 1 thread waits) in wait_for_post () at asleep.c"
        in text
    ), text
    assert "R1.0,2: barrier in in_region" in text and ", for R1.1." in text, text
    assert document.codes() == {"standstill"}
    assert document.document["deadlock"]["verdict"] == "standstill"
    assert document.document["deadlock"]["certainty"] == "certain"
    check_core(ompd("core", str(core), folder=folder))
    page = folder / "page.html"
    ompd("core", "--html", str(page), str(core), folder=folder)
    assert "<h2>Nobody can go on" in page.read_text(encoding="utf-8")


def check_core(answer: Answer) -> None:
    """It does not hold who has handlers."""
    text = first_words(answer)
    assert answer.status == FINDING, answer
    assert text.startswith("Odd : Nobody can go on (likely): all 3 threads"), text
    assert "Not certain: a core file does not tell which signals have handlers" in text, text


@pytest.mark.parametrize("scenario", ["missed_signal", "fault_handlers"])
def test_without_regions(scenario: str, folder: Path) -> None:
    """The program uses no OpenMP by then."""
    with hanging(scenario) as pid:
        answer = ompd("pid", str(pid), folder=folder)
    assert answer.status == FINDING, answer
    if scenario == "missed_signal":
        told = "Nobody can go on: the only thread of the process sleeps until another one wakes it"
        assert told in first_words(answer), answer
    else:
        assert "DEADLOCK: 2 threads" in first_words(answer), answer


@pytest.mark.each("scenario")
@pytest.mark.parametrize("scenario", ["by_signal", "shared", "one_reads"])
def test_what_else_wakes(scenario: str, folder: Path) -> None:
    with hanging(scenario) as pid:
        answer = ompd("pid", str(pid), folder=folder)
        core = looks.gcore(pid, folder)
    text = first_words(answer)
    assert "Nobody can go on" not in answer.text, answer
    if scenario == "by_signal":
        assert answer.status == CANNOT_TELL, answer
        assert "only a signal could wake one (SIGUSR1 has a handler)" in text, text
    else:
        assert answer.status == NOTHING_ODD, answer
    assert ompd("core", str(core), folder=folder).status == NOTHING_ODD


def test_another_language(folder: Path) -> None:
    """Without an OpenMP runtime."""
    hung = "import signal, threading; signal.signal(signal.SIGINT, signal.SIG_DFL)"
    with asleep([sys.executable, "-c", f"{hung}; threading.Event().wait()"]) as pid:
        answer = ompd("pid", str(pid), folder=folder)
    assert answer.status == FINDING, answer
    assert "Nobody can go on: the only thread of the process sleeps" in first_words(answer)
