# SPDX-License-Identifier: Apache-2.0
"""In the handler of which signal does a thread hang, or has it crashed?"""

from __future__ import annotations

import signal
import subprocess
import time
from pathlib import Path

import machine
import pytest
from sessions import ask, kernel_core, settle

LIB = "libomp-14"


@pytest.mark.parametrize("number", [signal.SIGUSR1, signal.SIGTERM, 40])
@pytest.mark.parametrize("compiler", ["gcc", machine.CLANG])
def test_hangs(compiler: str, number: int, folder: Path) -> None:
    name = signal.Signals(number).name if number < 34 else f"signal {number}"
    executable = machine.compiled("handlers", compiler=compiler)
    with subprocess.Popen(
        [executable, str(int(number)), "critical"],
        env={"LD_LIBRARY_PATH": str(machine.cached(LIB)), "OMP_WAIT_POLICY": "passive"},
    ) as process:
        try:
            while len(tasks := list(Path(f"/proc/{process.pid}/task").iterdir())) < 4:
                assert process.poll() is None
                time.sleep(0.01)
            settle(int(task.name) for task in tasks)
            before = [f"attach {process.pid}"]
            answer = ask("gdb", ["ompd -json", "ompd"], before, [], folder=folder)
        finally:
            process.kill()
    texts = [one["text"] for one in answer.document("ompd -json")["summary"]["findings"]]
    assert any(f"in the handler of {name}." in text for text in texts), answer.text


# In the handler of another one it crashed, in that of the crash's own it gave up.
@pytest.mark.parametrize(
    "scenario, handler",
    [("null_in_handler", "SIGUSR1"), ("handled_null", "SIGSEGV"), ("null", None)],
)
def test_crashes(scenario: str, handler: str | None, folder: Path) -> None:
    executable = machine.compiled("overflows", "optimised", compiler="g++", link=("-pthread",))
    core = kernel_core(executable, (scenario,), {"OMP_STACKSIZE": "1M"}, folder)
    answer = ask("gdb", ["ompd report -json"], [], [executable, core], folder=folder)
    core.unlink()
    document = answer.document("ompd report -json")
    assert document["signal"]["handler_of"] == handler
    said = document["findings"][0]["text"]
    assert ("in the handler of" in said) == (handler is not None)
