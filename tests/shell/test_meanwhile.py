# SPDX-License-Identifier: Apache-2.0
"""What a process does in the middle of two looks: it ends, forks, or executes another program. What
is said is true of what there is then, and nothing is left standing or lying about."""

from __future__ import annotations

import subprocess
from pathlib import Path

import machine
from command import FINDING, NOTHING_ODD, Answer, is_an_error, ompd


def looked_at(folder: Path, *words: str) -> Answer:
    program = folder / "at_look"
    source = machine.PROGRAMS / "at_look.c"
    machine.run(machine.GCC, "-g", "-O1", "-fopenmp", source, "-o", program)
    with subprocess.Popen([program, *words], cwd=folder, stdout=subprocess.PIPE) as process:
        try:
            assert process.stdout is not None and process.stdout.readline()
            answer = ompd("pid", str(process.pid), folder=folder)
            if process.poll() is None:
                status = Path(f"/proc/{process.pid}/status").read_text(encoding="utf-8")
                state = status.partition("State:")[2].split()[0]
                assert state not in ("T", "t"), "it was left standing"
        finally:
            process.kill()
    return answer


def text_of(answer: Answer) -> str:
    return " ".join(answer.text.split())


def test_it_is_killed_in_a_look(folder: Path) -> None:
    answer = looked_at(folder, "kill")
    is_an_error(answer, "There is no report: it ended while it was looked at")


def test_it_ends_between_two_looks(folder: Path) -> None:
    """Its wait did not last, as far as is known: that is no finding."""
    answer = looked_at(folder, "exit")
    assert answer.status == NOTHING_ODD, answer
    assert "It ended before it could be looked at a second time" in text_of(answer), answer


def test_it_forks_between_two_looks(folder: Path) -> None:
    answer = looked_at(folder, "fork")
    assert answer.status == FINDING and "nothing of it moved" in text_of(answer), answer


def test_it_executes_another_program_between_two_looks(folder: Path) -> None:
    """That one is looked at twice."""
    answer = looked_at(folder, "exec", "./at_look")
    assert answer.status == FINDING and "nothing of it moved" in text_of(answer), answer


def test_it_executes_others_again_and_again(folder: Path) -> None:
    answer = looked_at(folder, *["exec", "./at_look"] * 5)
    assert answer.status == NOTHING_ODD, answer
    assert "none was looked at twice" in text_of(answer), answer
