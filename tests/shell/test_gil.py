# SPDX-License-Identifier: Apache-2.0
"""Python's GIL is a lock: a team that waits for it while its primary keeps it hangs for ever, and
one whose primary has given it away does not."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import machine
import pytest
from command import FINDING, OMPD, environment
from sessions import settle

SCRIPT = """\
import ctypes, sys
library = getattr(ctypes, sys.argv[2])(sys.argv[1])
library.calls_back.restype = ctypes.c_double
back = ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_int)(float)
print("begins", flush=True)
while True:
    library.calls_back(back, 1000000 if sys.argv[2] == 'CDLL' else 3000)
"""


@pytest.mark.parametrize("keeper, hangs", [("PyDLL", True), ("CDLL", False)])
def test_kept_while_others_call_back(keeper: str, hangs: bool, folder: Path) -> None:
    library = folder / "calls_back.so"
    source = machine.PROGRAMS / "calls_back.c"
    machine.run(machine.GCC, "-g", "-fopenmp", "-shared", "-fPIC", source, "-o", library)
    words = [sys.executable, "-c", SCRIPT, library, keeper]
    with subprocess.Popen(words, stdout=subprocess.PIPE) as process:
        try:
            assert process.stdout is not None and process.stdout.readline()
            if hangs:
                settle([process.pid])  # the primary: the others poll
            # The stacks are those of ctypes: `command.ompd' takes the name for one of ours.
            answer = subprocess.run(
                [OMPD, "pid", str(process.pid)],
                env=environment(folder),
                stdout=subprocess.PIPE,
                encoding="utf-8",
                check=False,
            )
        finally:
            process.kill()
    assert (answer.returncode == FINDING) == hangs, answer
    text = " ".join(answer.stdout.split())
    if hangs:
        assert "waits for Python's GIL" in text, answer
        assert "which R1.0 (T1) holds in <module> () at <string>:6" in text, answer
        assert "by ctypes.CDLL, `with nogil'" in text, answer
