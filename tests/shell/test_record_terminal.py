# SPDX-License-Identifier: Apache-2.0
"""Ctrl-Z, `fg' and Ctrl-C, typed into a terminal whose shell has started `ompd record' or `ompd
top': is the terminal left as it was, does the program go on, and is the record true?"""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import time
from pathlib import Path
from typing import Iterator

import pytest
from command import OMPD
from terminal import Terminal
from test_record import environment, program, shown

COMMAND = shlex.quote(str(OMPD))
PAUSE = 1.5  # seconds
ENTERED, LEFT = "\x1b[?1049h", "\x1b[?1049l"
PROMPT = "ready> "
CTRL_C, CTRL_Z = "\x03", "\x1a"


class Shell(Terminal):
    """With job control."""

    def __init__(self, folder: Path) -> None:
        words = ["setsid", "-c", "-w", "bash", "--norc", "--noediting", "-i"]
        super().__init__(words, {**environment(), "PS1": PROMPT}, folder, alone=False)
        self.until(PROMPT)

    def do(self, line: str, until: str = PROMPT) -> str:
        """A whole line: what came behind it."""
        self.type(line + "\n")
        self.until(until)
        return self.seen


@pytest.fixture(name="shell")
def fixture_shell(folder: Path) -> Iterator[Shell]:
    found = Shell(folder)
    yield found
    found.kill()


@pytest.fixture(name="running")
def fixture_running() -> Iterator[int]:
    with subprocess.Popen(
        [program(), "100000", "50"],
        env={**os.environ, **environment()},
        stdout=subprocess.DEVNULL,
    ) as process:
        yield process.pid
        assert process.poll() is None, "the program has ended"
        process.kill()


def unknown_between(record: Path, since: float, until: float) -> float:
    """By the monotonic clock: of the busiest thread, the part of that time that has no state."""
    lines = [json.loads(line) for line in record.read_text("utf-8").splitlines()]
    start = int(lines[0]["monotonic"])
    states = {line["activity"]: line["state"] for line in lines if "activity" in line}
    sums = [line for line in lines if "sums" in line]
    busiest = max(sums, key=lambda one: one["schedstat_on"])["sums"]
    unknown = 0.0
    for line in lines:
        at = line.get("start", 0)
        for duration, activity, _ in line.get("rows", []):
            inside = min(start + at + duration, 1e9 * until) - max(start + at, 1e9 * since)
            if inside > 0 and states[activity] == "?" and line["segments"] == busiest:
                unknown += inside / 1e9
            at += duration
    return unknown / (until - since)


def used(pid: int) -> int:
    """Of processors, in ticks."""
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return int(fields[11]) + int(fields[12])


def test_record_pauses(shell: Shell, running: int, folder: Path) -> None:
    """The sampler stands, too: what the program did meanwhile is not known, and no state has it."""
    shell.type(f"{COMMAND} record -o x {running}\n")
    shell.until("MB; Ctrl-C ends it")
    shell.type(CTRL_Z)
    shell.until("Stopped")
    shell.until(PROMPT)
    before = used(running)
    while used(running) < before + 100:  # for so much the kernel has no room
        time.sleep(0.02)
    since = time.monotonic()
    time.sleep(PAUSE)
    until = time.monotonic()
    shell.do("fg", "MB; Ctrl-C ends it")
    shell.type(CTRL_C)
    shell.until("tells where the time went")
    shell.until(PROMPT)
    assert shell.do("echo $?").split("\r\n")[1] == "0"
    recording = shown(folder / "x", folder)["recording"]
    assert recording["complete"] and recording["ended"]["how"] == "interrupted"
    assert unknown_between(folder / "x", since, until - 0.1) > 0.9


def test_top_pauses(shell: Shell, running: int) -> None:
    """And gives the terminal back for that time."""
    before = shell.do("stty -g").split("\r\n")[1]
    shell.type(f"{COMMAND} top -i 0.2 {running}\n")
    shell.until("% of time")
    shell.type(CTRL_Z)
    shell.until("Stopped")
    shell.until(PROMPT)
    assert LEFT in shell.seen and shell.do("stty -g").split("\r\n")[1] == before
    shell.do("fg", ENTERED)
    shell.until("% of time")
    shell.type("q")
    shell.until(PROMPT)
    assert LEFT in shell.seen and shell.do("stty -g").split("\r\n")[1] == before


def test_program_and_record_end_together(shell: Shell, folder: Path) -> None:
    """Ctrl-C of a program that we started is the program's, too; its record is whole."""
    shell.type(f"{COMMAND} record -o x -- {shlex.quote(str(program()))} 100000 50\n")
    shell.until("MB; Ctrl-C ends it")
    shell.type(CTRL_C)
    shell.until("tells where the time went")
    shell.until(PROMPT)
    assert shell.do("echo $?").split("\r\n")[1] == "130"
    assert shown(folder / "x", folder)["recording"]["complete"]


@pytest.mark.full
def test_program_pauses_too(shell: Shell, folder: Path) -> None:
    """It is stopped with us, and goes on with us to its own end."""
    shell.type(f"{COMMAND} record -o x -- {shlex.quote(str(program()))} 12 50 7\n")
    shell.until("MB; Ctrl-C ends it")
    shell.type(CTRL_Z)
    shell.until("Stopped")
    shell.until(PROMPT)
    since = time.monotonic()
    time.sleep(PAUSE)
    until = time.monotonic()
    shell.do("fg", "tells where the time went")
    shell.until(PROMPT)
    assert shell.do("echo $?").split("\r\n")[1] == "7"
    recording = shown(folder / "x", folder)["recording"]
    assert recording["complete"] and recording["ended"]["how"] == "exited"
    lines = [json.loads(line) for line in (folder / "x").read_text("utf-8").splitlines()]
    on = {one["activity"]: one.get("on") for one in lines if "activity" in one}
    start = int(lines[0]["monotonic"])
    for line in lines:
        at = line.get("start", 0)
        for duration, activity, _ in line.get("rows", []):
            inside = min(start + at + duration, 1e9 * until) - max(start + at, 1e9 * since)
            assert inside < 1e8 or not on[activity], "nothing had a processor then"
            at += duration
