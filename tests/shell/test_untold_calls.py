# SPDX-License-Identifier: Apache-2.0
"""Is it said where the kernel does not tell in which system calls threads sleep? As in a sandbox
that has no such files, or where they may not be read."""

from __future__ import annotations

import subprocess
from pathlib import Path

import machine
import pytest
from command import OMPD
from ompd_core.formats import procfs
from ompd_gdb.target import sleeping
from sessions import PATIENCE

FUTEX = 202
SAID = "The kernel does not tell in which system calls the threads sleep"
PROGRAM = """\
#include <unistd.h>
int main(void)
{
    #pragma omp parallel num_threads(2)
    pause();
}
"""


def test_the_files_that_there_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(procfs, "ROOT", str(tmp_path))
    thread = tmp_path / "7" / "task" / "7"
    thread.mkdir(parents=True)
    (thread / "status").write_text("State:\tS (sleeping)\n", encoding="ascii")
    assert sleeping.untold(7) == f"{tmp_path}/7/syscall: No such file or directory"
    assert sleeping.look(7, FUTEX) is None
    of_process = tmp_path / "7" / "syscall"
    of_process.mkdir()
    assert sleeping.untold(7) == f"{of_process}: Is a directory"
    assert sleeping.look(7, FUTEX) is None, "what is not told is not: nobody sleeps"
    of_process.rmdir()
    of_process.write_text("", encoding="ascii")
    assert sleeping.untold(7) == f"{of_process} is empty"
    of_process.write_text("running\n", encoding="ascii")
    assert sleeping.untold(7) is None
    assert sleeping.look(7, FUTEX) == {7: sleeping.Task(0, (), (), False)}


def test_a_process_of_which_it_is_not_told(folder: Path) -> None:
    source = folder / "waits.c"
    source.write_text(PROGRAM, encoding="ascii")
    machine.run("gcc", "-g", "-fopenmp", source, "-o", folder / "waits")
    with subprocess.Popen([folder / "waits"]) as process:
        try:
            hidden = f"mount --bind /dev/null /proc/{process.pid}/syscall"
            looks = f"{OMPD} pid --timeout {PATIENCE} {process.pid}"
            words = ["unshare", "--mount", "sh", "-c", f"{hidden} || exit 99; {looks}"]
            done = subprocess.run(
                words,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
                check=False,
                timeout=PATIENCE,
            )
        finally:
            machine.kill(process)
    if not done.stdout:
        pytest.skip(f"nothing can be mounted there: {done.stderr}")
    text = " ".join(done.stdout.split())
    assert f"{SAID} (/proc/{process.pid}/syscall is empty)" in text, done
