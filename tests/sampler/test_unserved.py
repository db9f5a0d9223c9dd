# SPDX-License-Identifier: Apache-2.0
"""Does the sampler end when it is told to, whatever the program has it read?"""

from __future__ import annotations

import os
import signal
import subprocess
import time
from contextlib import contextmanager
from pathlib import Path
from typing import Iterator

import pytest
from conftest import SAMPLER

STUCK = 7


def linked_to(program: Path, kind: str, folder: Path) -> Path:
    """A stripped copy that names a debug file: its own, or what is no regular file."""
    copy, debug = folder / "program", folder / "separate.debug"
    subprocess.run(["objcopy", "--only-keep-debug", program, debug], check=True)
    words = ["objcopy", "-S", "--remove-section=.note.gnu.build-id"]
    subprocess.run([*words, f"--add-gnu-debuglink={debug}", program, copy], check=True)
    if kind != "file":
        debug.unlink()
    if kind == "fifo":
        os.mkfifo(debug)
    elif kind == "device":
        debug.symlink_to("/dev/zero")
    elif kind == "other file":
        debug.write_bytes(program.read_bytes())
    return copy


@contextmanager
def working(program: Path, *arguments: str) -> Iterator[int]:
    with subprocess.Popen([program, *arguments], stdout=subprocess.DEVNULL) as process:
        try:
            time.sleep(0.3)
            yield process.pid
        finally:
            process.kill()


@pytest.mark.parametrize("kind", ["file", "fifo", "device", "other file"])
def test_debug_files_are_regular_files(kind: str, build, tmp_path: Path) -> None:
    program = linked_to(build("victim", "gcc"), kind, tmp_path)
    with working(program, "30000") as pid:
        done = subprocess.run(
            [SAMPLER, "-d", "0.5", "-p", str(pid)], capture_output=True, timeout=60, check=True
        )
    # What does not have the checksum is another program's.
    assert (b"victim.c" in done.stdout) == (kind == "file")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_memory_that_nobody_serves(number: signal.Signals, build) -> None:
    with subprocess.Popen([build("unserved")], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        if process.stdout.readline() != b"ready\n":
            pytest.skip("this kernel has no userfaultfd for us")
        words = [SAMPLER, "-p", str(process.pid)]
        with subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as sampler:
            time.sleep(0.5)
            sampler.send_signal(number)
            _, errors = sampler.communicate(timeout=60)
        process.kill()
    assert sampler.returncode == STUCK and b"nobody serves" in errors
