# SPDX-License-Identifier: Apache-2.0
"""What is told while threads run, and does Ctrl-C in the middle of a command leave GDB sound?"""

from __future__ import annotations

import contextlib
import json
import os
import pty
import select
import signal
import struct
import time
from pathlib import Path
from typing import Any

import machine
import pytest
import sessions
import truth
from cells import GDBS
from sessions import ask, target

ASK = ["ompd threads -json", "ompd parallel -json"]
TEXTS = ["ompd", "ompd status", "ompd threads", "ompd threads -all", "ompd parallel"]


@pytest.mark.parametrize("gdb", GDBS)
def test_running_threads(gdb: str, folder: Path) -> None:
    """In non-stop mode: what memory tells is told, what needs a stopped thread is doubtful."""
    with target(
        "live", machine.compiled("nested"), (), machine.cached("libomp-14"), folder
    ) as made:
        before = ["set non-stop on", *made.before]
        commands = [*ASK, *TEXTS, "thread", "info threads"]
        answer = ask(gdb, commands, before, made.files, folder=folder)
        record = made.truth()
    threads = answer.document("ompd threads -json")
    running = [thread for thread in threads["threads"] if thread["running"]]
    assert len(running) == 5 and answer.text.count("(running)") == 5
    assert any("running" in note for note in threads["notes"])
    assert all("where" in thread["doubts"] and thread["where"] is None for thread in running)
    found = truth.mismatches(record, *(answer.document(c) for c in ASK))
    unexpected = [
        one for one in found if one.fact not in ("running", "doubts", "where", "where is known")
    ]
    assert not unexpected, truth.report(unexpected)


SLOT = struct.Struct("14i")  # struct churn_slot


@pytest.mark.parametrize("runtime", ["libomp-14", "libomp-19", "libomp-19-ompd"])
def test_attached_in_full_flight(runtime: str, folder: Path) -> None:
    """Regions come and go while GDB stops one thread after the other. Whoever is inside a region's
    body stays in it and in all regions around it: of these threads the truth must be told."""
    executable = machine.compiled("churn")
    inside = 0
    settings = {"KMP_BLOCKTIME": "0"}  # spinning, it would leave GDB no processor
    with target("attach", executable, (), machine.cached(runtime), folder, settings) as made:
        commands = [*ASK, *TEXTS, "dump binary value slots churn_slots"]
        for attempt in range(30):
            # A busy machine leaves the threads waiting for each other most of the time.
            if attempt >= 5 and inside > 5:
                break
            answer = ask("gdb", commands, made.before, folder=folder)
            slots = (folder / "slots").read_bytes()
            told = {thread["lwp"]: thread for thread in answer.document(ASK[0])["threads"]}
            for slot in SLOT.iter_unpack(slots):
                tid, is_inside = slot[:2]
                if is_inside:
                    inside += 1
                    is_told(slot, told[tid], answer)
    print(f"{inside} threads were inside a region")
    assert inside > 5, "nearly no thread was caught inside a region"


def is_told(slot: tuple[int, ...], thread: Any, answer: sessions.Answer) -> None:
    _, _, thread_num, level, active_level, size = slot[:6]
    numbers, sizes = slot[6:10], slot[10:14]
    assert len(thread["openmp"]) == 1, answer.everything
    member = thread["openmp"][0]
    facts = ("thread_num", "level", "active_level", "team_size")
    told = [member[fact] for fact in facts]
    assert told == [thread_num, level, active_level, size], f"{slot}\n{member}\n{answer.everything}"
    regions = {region["id"]: region for region in answer.document(ASK[1])["regions"]}
    around = [(outer["thread_num"], regions[outer["region"]]) for outer in member["ancestors"]]
    true = [(numbers[outer], sizes[outer]) for outer in reversed(range(level))]
    told_around = [(num, region["team_size"]) for num, region in around]
    assert told_around == true, f"{slot}\n{member}\n{answer.everything}"


@pytest.mark.parametrize("gdb", GDBS)
def test_interrupted_in_the_middle(gdb: str, folder: Path) -> None:
    """Ctrl-C at many moments of a command on 300 threads: Quit, and GDB goes on with the truth."""
    with target(
        "live", machine.compiled("wide"), ("300",), machine.cached("libomp-14"), folder
    ) as made:
        with Terminal(gdb, made, folder) as terminal:
            terminal.type("ompd threads -all")
            started = time.monotonic()
            terminal.until_prompt()
            lasts = time.monotonic() - started - Terminal.SETTLES
            quits = 0
            for step in range(TRIES):
                # What changes memory drops what was kept of the stop: all is read anew.
                terminal.type("set variable truth_lines[15] = 0")
                terminal.until_prompt()
                command, last_words = INTERRUPTED[step % 3]
                terminal.type(command)
                time.sleep(lasts * (step + 0.5) / TRIES)
                terminal.interrupt()
                told = terminal.until_prompt()
                quits += "Quit" in told and last_words not in told
            print(f"{quits} of {TRIES} commands of {lasts:.2f} s were interrupted")
            assert (
                quits >= 3
            ), f"only {quits} of {TRIES} were interrupted: too late to prove anything"
            for command in ASK:
                terminal.type(f"{command} {folder}/{command.split()[1]}.json")
                terminal.until_prompt()
            terminal.type("thread")
            assert "thread is " in terminal.until_prompt()
            everything = terminal.seen
    met = sessions.FORBIDDEN.search(everything)
    assert met is None, f"GDB printed `{met.group() if met else ''}':\n{everything}"
    documents = [
        json.loads((folder / f"{command.split()[1]}.json").read_text(encoding="utf-8"))
        for command in ASK
    ]
    found = truth.mismatches(made.truth(), *documents)
    assert not found, truth.report(found)


TRIES = 18
INTERRUPTED = [
    ("ompd threads -all", "300 threads:"),
    ("ompd parallel", "region beside"),
    ("ompd", "Next    :"),
]


class Terminal:
    """GDB as a user has it: on a terminal, where Ctrl-C is a signal."""

    PROMPT = "(gdb) "
    SETTLES = 0.1  # seconds of silence behind a prompt

    def __init__(self, gdb: str, made: sessions.Target, folder: Path, term: str = "dumb") -> None:
        self.seen = ""
        self._read_to = 0
        self._pid, self._fd = pty.fork()
        if self._pid == 0:
            os.chdir(folder)
            words = [machine.gdb(gdb), "-nx", "-q", "-iex", "set debuginfod enabled off"]
            for step in ["set pagination off", "set width 0", *sessions.sourcing(), *made.before]:
                words += ["-ex", step]
            os.execvpe(words[0], [*words, *map(str, made.files)], {**os.environ, "TERM": term})
        self.until_prompt()

    def __enter__(self) -> Terminal:
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._fd)  # hangs up: GDB ends, and kills the program
        with contextlib.suppress(ProcessLookupError):
            os.kill(self._pid, signal.SIGTERM)
        os.waitpid(self._pid, 0)

    def type(self, line: str) -> None:
        os.write(self._fd, f"{line}\n".encode())

    def interrupt(self) -> None:
        os.write(self._fd, b"\x03")

    def until_prompt(self) -> str:
        """What was printed since the last time; GDB must come back to its prompt and stay there."""
        end = time.monotonic() + sessions.PATIENCE
        while True:
            told = self.seen[self._read_to :]
            ready, _, _ = select.select(
                [self._fd], [], [], self.SETTLES if told.endswith(self.PROMPT) else 1
            )
            if ready:
                try:
                    self.seen += os.read(self._fd, 1 << 16).decode(errors="replace")
                except OSError:
                    raise AssertionError(f"GDB is gone:\n{self.seen}") from None
            elif told.endswith(self.PROMPT):
                self._read_to = len(self.seen)
                return told
            assert time.monotonic() < end, f"no prompt comes:\n{self.seen}"


ALONE = ["ompd barriers -json", "ompd locks -json", "ompd barriers", "ompd locks", "ompd deadlock"]


@pytest.mark.parametrize("runtime", ["libgomp-12", "libomp-19"])
def test_what_runs_may_wait(runtime: str, folder: Path) -> None:
    """Of running threads it is not said that they hold nothing, and wait nowhere."""
    compiler = machine.GCC if runtime.startswith("libgomp") else machine.CLANG
    program = machine.compiled("apart", compiler=compiler)
    before = [
        "set non-stop on",
        f"set environment LD_LIBRARY_PATH {machine.cached(runtime)}",
        "set environment OMP_WAIT_POLICY passive",
        "break stop_here",
        "run",
    ]
    answer = ask("gdb", ALONE, before, [program], folder=folder)
    runs = "R1.0,2-3 run: only stopped threads tell"
    assert not answer.document(ALONE[0])["barriers"]
    for text in answer.texts[2:]:
        assert runs in " ".join(text.split()) or "L1" in text, answer.everything
    for lock in answer.document(ALONE[1])["locks"]:
        assert lock["holder"] is None and "run: their code" in lock["doubts"]["holder"]["why"]
