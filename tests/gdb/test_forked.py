# SPDX-License-Identifier: Apache-2.0
"""Is it told why a child of fork() hangs in its first region, and is a healthy child left alone?"""

from __future__ import annotations

import contextlib
import os
import subprocess
from pathlib import Path
from typing import Any, Iterator

import looks
import machine
import pytest
from sessions import ask, settle

ASK = ["ompd report -json", "ompd threads -json", "ompd", "ompd deadlock"]


@contextlib.contextmanager
def forked(way: str, runtime: str) -> Iterator[int]:
    """The process that goes on, where it stays."""
    compiler = machine.GCC if runtime.startswith("libgomp") else machine.CLANG
    environment = {
        **os.environ,
        "LD_LIBRARY_PATH": str(machine.cached(runtime)),
        "OMP_DYNAMIC": "false",
        "OMP_WAIT_POLICY": "passive",
    }
    executable = machine.compiled("forked", compiler=compiler)
    with subprocess.Popen(
        [executable, way], env=environment, stdout=subprocess.PIPE, encoding="ascii"
    ) as parent:
        assert parent.stdout is not None
        try:
            pid = int(parent.stdout.readline())
            settle(int(lwp) for lwp in os.listdir(f"/proc/{pid}/task"))
            yield pid
        finally:
            parent.kill()


def told(way: str, runtime: str, kind: str, folder: Path) -> tuple[dict[str, str], Any, str]:
    """The findings, the threads' document, and all text."""
    with forked(way, runtime) as pid:
        if kind == "core":
            core = looks.gcore(pid, folder)
            answer = ask("gdb", ASK, [], [f"/proc/{pid}/exe", core], folder=folder)
        else:
            answer = ask("gdb", ASK, [f"attach {pid}"], folder=folder)
    report = answer.documents[0]
    assert report is not None
    findings = {one["code"]: one["text"] for one in report["findings"]}
    return findings, answer.documents[1], " ".join(" ".join(answer.texts).split())


@pytest.mark.parametrize("kind", ["attach", "core"])
@pytest.mark.parametrize("way", ["region", "taken", "inside"])
def test_hangs(way: str, kind: str, folder: Path) -> None:
    findings, document, text = told(way, "libgomp-12", kind, folder)
    assert "is a child of fork()" in findings["thread_ended"]
    # It may have made threads since.
    assert "only the thread that forked" not in findings["thread_ended"]
    assert "Call exec() after fork()" in text and "NEVER GOES ON" in text
    kinds = [one["kind"] for one in document["threads"] if one["gdb"]]
    assert kinds == (["initial", "none"] if way == "taken" else kinds[:1])


def test_ended(folder: Path) -> None:
    """Of a team that has others left nothing is said of a fork."""
    findings, _, _ = told("exit", "libgomp-12", "attach", folder)
    assert findings == {
        "thread_ended": "R1.2 has ended, and others of R1 wait at a barrier for it."
    }


@pytest.mark.parametrize(
    "way, runtime",
    [("none", "libgomp-12"), ("one", "libgomp-12"), ("own", "libgomp-12"), ("region", "libomp-19")],
)
def test_innocent(way: str, runtime: str, folder: Path) -> None:
    findings, _, text = told(way, runtime, "attach", folder)
    assert not findings and "No problems found" in text
