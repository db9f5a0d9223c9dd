# SPDX-License-Identifier: Apache-2.0
"""Is it right on another architecture? A real program on a real libomp for aarch64, run by an
emulator that GDB is connected to. There is no libthread_db, and no register is read: threads are
known by the kernel's ids."""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess
from pathlib import Path
from typing import Iterator

import machine
import pytest
from machine import CLANG, PROGRAMS
from sessions import Target, ask
from test_truth import told_truth

ASK = ["ompd threads -json", "ompd parallel -json", "ompd status", "ompd tasks"]
TARGET = "aarch64-linux-gnu"
SYSROOT = Path("/usr") / TARGET


@contextlib.contextmanager
def emulated(program: str, runtime: Path, folder: Path) -> Iterator[Target]:
    executable, record = folder / program, folder / "truth.json"
    flags = [f"--target={TARGET}", "-fuse-ld=lld", "-g", "-fopenmp", "-pthread", f"-L{runtime}"]
    machine.run(CLANG, *flags, PROGRAMS / f"{program}.c", "-o", executable)
    with socket.socket() as free:
        free.bind(("localhost", 0))
        port = free.getsockname()[1]
    settings = ["-E", f"LD_LIBRARY_PATH={runtime}", "-E", f"OMPD_TRUTH_FILE={record}"]
    command = ["qemu-aarch64", "-L", SYSROOT, *settings, "-g", str(port), executable]
    with subprocess.Popen([str(word) for word in command], env=dict(os.environ)) as process:
        try:
            before = [f"set sysroot {SYSROOT}", f"file {executable}"]
            before += [f"target remote :{port}", "break stop_here", "continue"]
            yield Target("gdbserver", executable, record, before, [], process.pid)
        finally:
            process.kill()


@pytest.mark.parametrize("release", ["14", "16", "19", "22"])
@pytest.mark.parametrize("stripped", [False, True], ids=["symbols", "stripped"])
def test_truth(stripped: bool, release: str, folder: Path) -> None:
    runtime = machine.cached(f"libomp-{release}-aarch64")
    if stripped:
        private = folder / "lib"
        private.mkdir()
        library = private / "libomp.so.5"
        machine.run(f"{TARGET}-strip", runtime / "libomp.so.5", "-o", library)
        (private / "libomp.so").symlink_to("libomp.so.5")
        runtime = private
    with emulated("nested", runtime, folder) as made:
        answer = ask("gdb-multiarch", ASK, made.before, made.files, folder=folder)
        found = told_truth(made.truth(), answer)
    assert found["runtimes"][0]["descriptors"] == ("recovered" if stripped else "symbols")
    assert f"libomp-{'19' if release == '22' else release}-aarch64" in answer.texts[2]
