# SPDX-License-Identifier: Apache-2.0
"""Of a thread that sleeps on though its word has changed: does a look say so, and that the look
itself may let it go on?"""

from __future__ import annotations

import contextlib
import subprocess
from pathlib import Path
from typing import Iterator

import looks
import machine
import pytest
from command import CANNOT_TELL, FINDING, NOTHING_ODD, ompd
from sessions import PATIENCE, settle

NAMES = {"word": "word `word'", "semaphore": "semaphore `slots'"}
UNKNOWN = "has changed under a thread that sleeps, and it is not known who wakes it"
LETS_GO = "if a wake-up was lost, the hang is over once the program runs"


@contextlib.contextmanager
def asleep(way: str) -> Iterator[subprocess.Popen[str]]:
    executable = machine.compiled("lost_wakeup", compiler=machine.GCC)
    words = [executable, way]
    with subprocess.Popen(words, stdout=subprocess.PIPE, encoding="ascii") as process:
        assert process.stdout is not None
        try:
            assert int(process.stdout.readline()) == process.pid
            if way != "counted":
                settle([process.pid])
            yield process
        finally:
            process.kill()


@pytest.mark.parametrize("way", list(NAMES))
def test_process(way: str, folder: Path) -> None:
    with asleep(way) as process:
        answer = ompd("pid", str(process.pid), folder=folder)
        assert answer.status == FINDING, answer
        text = " ".join(answer.text.split())
        assert text.startswith("Odd : Nobody can go on: all 2 threads of the process sleep"), answer
        assert "What T2 waits for has changed, and nobody has woken it" in text, answer
        assert f"{NAMES[way]} {UNKNOWN}" in text and LETS_GO in text, answer
        assert "has gone on since this look" in text or "has ended" in text, answer
        assert process.wait(PATIENCE) == 0


def test_core(folder: Path) -> None:
    with asleep("word") as process:
        core = looks.gcore(process.pid, folder)
    answer = ompd("core", str(core), folder=folder)
    text = " ".join(answer.text.split())
    assert answer.status == CANNOT_TELL and UNKNOWN in text and LETS_GO not in text, answer


def test_healthy(folder: Path) -> None:
    with asleep("counted") as process:
        answer = ompd("pid", str(process.pid), folder=folder)
        assert process.poll() is None
    assert answer.status == NOTHING_ODD, answer
    assert LETS_GO in " ".join(answer.text.split())
