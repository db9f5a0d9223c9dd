# SPDX-License-Identifier: Apache-2.0
"""What can go wrong while a job is looked at: is it told in a sentence, of the one whom it hit, and
are the others told as ever? Nothing that a rank can choose is shown raw."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import time
from pathlib import Path
from typing import Any, Iterator

import command
import machine
import pytest
from command import CANNOT_READ, NOTHING_ODD, OMPD, Answer, is_an_error, ompd
from ompd_cli import guardian
from sessions import PATIENCE
from test_pid import Counting, as_nobody

ESCAPES = "\x1b]0;mine\x07\x1b[31m\x9b\r\n"


@contextlib.contextmanager
def counting(folder: Path, name: str, executable: Path | None = None) -> Iterator[Counting]:
    """name: of what it records. It is a rank as a launcher would start it."""
    rank = {"OMPI_COMM_WORLD_RANK": "1", "OMPI_COMM_WORLD_SIZE": "3", "SECRET": "of nobody's"}
    env = {**os.environ, **command.environment(folder), **rank}
    words = machine.in_background(executable or machine.compiled("counting"), 32, folder / name)
    with subprocess.Popen(words, env=env, cwd=folder) as process:
        made = Counting(process, folder / name)
        try:
            assert made.runs()
            yield made
        finally:
            process.kill()


def told(document: Any) -> dict[int, bool]:
    return {one["pid"]: one["failed"] for one in document["reports"]}


def test_a_rank_that_ends_meanwhile(folder: Path) -> None:
    """In the hands of GDB."""
    with counting(folder, "a") as dies, counting(folder, "b") as lives:
        words = [OMPD, "job", "--at-once", "2", "--json", "-o", "answer.json"]
        with subprocess.Popen(
            [*words, "--pid", str(dies.pid), str(lives.pid)],
            cwd=folder,
            env={**os.environ, "TMPDIR": str(folder)},
            stderr=subprocess.PIPE,
        ) as asking:
            while not dies.traced():
                assert asking.poll() is None
                time.sleep(0.001)
            os.kill(dies.pid, signal.SIGKILL)
            assert asking.wait(PATIENCE) == CANNOT_READ
        text = (folder / "answer.json").read_text(encoding="utf-8")
        command.check(text)
        document = Answer(0, text, "").document
        assert told(document) == {dies.pid: True, lives.pid: False}
        (why,) = document["unavailable"]
        assert f"Process {dies.pid} has ended" in f"{why['message']} {why['hint']}"
        assert lives.runs()


def test_a_full_disk(folder: Path) -> None:
    """Of the node, where GDB's report goes; and of whoever asks."""
    if os.geteuid() != 0:
        raise machine.Missing("Only root can make a small disk: run it as root.")
    (folder / "small").mkdir()
    with counting(folder, "a") as rank:
        for size in ("4k", "16k"):
            script = f'mount -t tmpfs -o size={size} none small && TMPDIR=$PWD/small exec "$@"'
            ask = [OMPD, "job", "--json", "--pid", str(rank.pid)]
            done = subprocess.run(
                ["unshare", "--mount", "sh", "-c", script, "sh", *ask],
                cwd=folder,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                check=False,
            )
            answer = Answer(done.returncode, done.stdout.decode(), done.stderr.decode())
            command.check(answer.text + answer.errors)
            assert answer.status == CANNOT_READ
            (why,) = answer.document["unavailable"]
            assert "No space left on device" in why["message"], why
            assert rank.runs()
        answer = ompd("job", "--pid", str(rank.pid), "-o", "/dev/full", folder=folder)
        is_an_error(answer, "/dev/full", "No space left on device")
        assert rank.runs()


@pytest.mark.full
def test_another_users_rank(folder: Path) -> None:
    with counting(folder, "a") as rank:
        ask = machine.installed(folder) / "bin" / "ompd"
        done = subprocess.run(
            as_nobody(ask, "job", "--json", "--pid", str(rank.pid), folder=folder),
            cwd=folder,
            env={"PATH": os.environ["PATH"], "TMPDIR": str(folder)},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            check=False,
        )
        answer = Answer(done.returncode, done.stdout.decode(), done.stderr.decode())
        assert answer.status == CANNOT_READ, answer
        (why,) = answer.document["unavailable"]
        assert why["code"] == "not_permitted" and "belongs to user root" in why["message"]
        assert rank.runs()


def test_nothing_raw(folder: Path) -> None:
    """The program's name is its own choice. And only OpenMP's variables leave the process."""
    strange = folder / f"a{ESCAPES.strip()}<b>"
    shutil.copy2(machine.compiled("counting"), strange)
    with counting(folder, "a", strange) as rank:
        for words in ((), ("--json",)):
            out, page = folder / "answer", folder / "page.html"
            asked = ("-o", out, "--html", page, "--pid", str(rank.pid))
            answer = ompd("job", *words, *asked, folder=folder)
            assert answer.status == NOTHING_ODD, answer
            for path in (out, page):
                assert path.stat().st_mode & 0o777 == 0o600
                text = path.read_text(encoding="utf-8")
                assert "of nobody's" not in text and "SECRET" not in text
                assert not set(text) & set("\x1b\x07\x9b\r")
                path.unlink()
        assert not guardian.is_stopped(rank.pid) and rank.runs()
