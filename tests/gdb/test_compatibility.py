# SPDX-License-Identifier: Apache-2.0
"""Do the parts work with LLVM's: our commands with its libompd, its GDB plugin with our libompd, on
either runtime?"""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path
from typing import Any

import machine
import pytest
from sessions import PATIENCE, ask, target

RUNTIME = "libomp-19-ompd"


def llvms_library() -> Path:
    return machine.cached(RUNTIME) / "libompd.so"


# ---- Our commands, LLVM's library ----------------------------------------------------------------

ASK = ["ompd threads -json", "ompd parallel -json", "ompd", "ompd status", "ompd tasks"]


def openmp_threads(record: Any) -> dict[int, Any]:
    return {one["tid"]: one for one in record["threads"] if one["kind"] == "openmp"}


@pytest.mark.parametrize("program", ["wide", "barrier", "reused"])
def test_standard_library(program: str, folder: Path) -> None:
    """Sizes, numbers and levels are right where regions are not serialized, and it is said what is
    missing. (Serialized regions and leagues LLVM's library tells wrong itself.)"""
    executable = machine.compiled(program)
    with target("live", executable, (), machine.cached(RUNTIME), folder) as made:
        commands = [f"set ompd library {llvms_library()}", *ASK]
        answer = ask("gdb", commands, made.before, made.files, folder=folder)
        recorded = openmp_threads(made.truth())
    threads = {one["lwp"]: one for one in answer.document(ASK[0])["threads"]}
    compared = 0
    for tid, truth in recorded.items():
        told = threads[tid]["openmp"][0]
        assert told["thread_num"] == truth["thread_num"]
        assert told["team_size"] == truth["num_threads"]
        assert told["level"] == truth["level"]
        compared += 1
    assert compared >= 2
    assert any("OMPD's own routines" in note for note in answer.document(ASK[0])["notes"])
    assert "OpenMP runtime" in answer.everything and "list no tasks" in answer.everything


def test_standard_library_and_locks(folder: Path) -> None:
    """It tells nothing of them: no lock is called free, and nobody said to be able to go on."""
    executable = machine.compiled("deadlocks")
    asked = ["ompd locks", "ompd deadlock", "ompd"]
    with target("live", executable, ("inversion2",), machine.cached(RUNTIME), folder) as made:
        commands = [f"set ompd library {llvms_library()}", *asked]
        answer = ask("gdb", commands, made.before, made.files, folder=folder)
    assert answer.everything.count("which list no locks") == 1
    assert "Cannot tell whether there is a deadlock" in answer.texts[2]
    assert "lock `lock_b'" in answer.everything
    assert "can go on" not in answer.everything and "No lock is" not in answer.everything


def test_standard_library_on_a_stripped_runtime(folder: Path) -> None:
    """LLVM's library cannot read one: said in a sentence."""
    executable = machine.compiled("wide")
    with target("live", executable, ("4",), machine.cached("libomp-19"), folder) as made:
        commands = [f"set ompd library {llvms_library()}", "ompd threads", "ompd status"]
        answer = ask("gdb", commands, made.before, made.files, folder=folder)
    assert "finds no OpenMP runtime that it can read" in answer.everything
    assert "none that can be read" in answer.everything


# ---- LLVM's plugin, our library ------------------------------------------------------------------

SCRIPT = """
set pagination off
set confirm off
set breakpoint pending on
ompd init
break stop_here
continue
thread 2
ompd threads
ompd parallel
ompd icvs
ompd bt on
bt
ompd bt off
kill
"""


def under_llvms_plugin(library: Path, folder: Path) -> str:
    """What it prints for a program of four threads; the library is found as `libompd.so'."""
    runtime, plugin = machine.cached(RUNTIME), machine.llvms_plugin()
    script = folder / "script.gdb"
    script.write_text(SCRIPT, encoding="utf-8")
    inside = {
        "LD_LIBRARY_PATH": str(runtime),
        "OMP_DEBUG": "enabled",
        "OMP_NUM_THREADS": "4,3,2",
        "OMPD_TRUTH_FILE": str(folder / "truth.json"),
    }
    settings = [f"set environment {name} {value}" for name, value in inside.items()]
    steps = [f"source {plugin}", *settings, f"source {script}"]
    command = ["gdb", "-nx", "-q", "-batch", *[word for step in steps for word in ("-ex", step)]]
    done = subprocess.run(
        [*command, "--args", str(machine.compiled("wide")), "4"],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        stdin=subprocess.DEVNULL,
        text=True,
        timeout=PATIENCE,
        env={**os.environ, "LD_LIBRARY_PATH": str(library.parent)},
        check=False,
    )
    return re.sub(r"0x[0-9a-f]+|LWP \d+|\(\d+\)|process \d+|ret == -2\n", "*", done.stdout)


def values(text: str) -> dict[str, str]:
    """The table of ICVs, without the scopes."""
    return dict(re.findall(r"^([\w-]+-var) +\w+ +(.*)$", text, re.MULTILINE))


def test_llvms_plugin_with_our_library(folder: Path) -> None:
    ours = under_llvms_plugin(machine.BUILD / "libompd" / "libompd.so", folder)
    theirs = under_llvms_plugin(llvms_library(), folder)
    assert "Traceback" not in ours and "Error" not in ours, ours
    told, expected = values(ours), values(theirs)
    assert len(expected) == 30
    # A default that LLVM's library does not know.
    assert told.pop("tool-verbose-init-var") == "disabled"
    expected.pop("tool-verbose-init-var")
    assert {name: told[name] for name in expected} == expected
    assert list(told)[: len(expected)] == list(expected)
    for line in theirs.splitlines():
        if re.search(r"OpenMP thread|ompt_state|Nesting|@thread \d+: \.omp_outlined", line):
            # Of the frames inside, who comes last to the stop has others than who waits there.
            said = re.sub(r"^#\d+ +", "", line)
            assert said in ours, f"{said}\n--- ours:\n{ours}"


# ---- LLVM's plugin, our library, GNU's runtime ---------------------------------------------------


def block(language: str) -> str:
    """What docs/other-debuggers.md shows of it."""
    text = (machine.ROOT / "docs" / "other-debuggers.md").read_text(encoding="utf-8")
    (found,) = re.findall(rf"^```{language}\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    return str(found)


def test_llvms_plugin_on_libgomp(folder: Path) -> None:
    """By the shim and the script of the documentation."""
    source, shim, script = folder / "shim.c", folder / "shim.so", folder / "threads.py"
    source.write_text(block("c"), encoding="utf-8")
    script.write_text(block("python"), encoding="utf-8")
    machine.run("cc", "-shared", "-fPIC", source, "-o", shim)
    (folder / "libgompd.so").symlink_to(machine.library())  # as it is installed
    plugin = machine.llvms_plugin()
    commands = ["ompd init", "ompd threads", f"source {script}", "ompd threads"]
    commands += ["ompdtestapi ompd_get_curr_parallel_handle", "ompdtestapi ompd_get_thread_id"]
    commands += ["ompdtestapi ompd_get_curr_task_handle", "ompdtestapi ompd_get_omp_version_string"]
    record = folder / "truth.json"
    inside = {"LD_PRELOAD": shim, "OMPD_TRUTH_FILE": record}
    steps = [f"source {plugin}", *(f"set environment {n} {v}" for n, v in inside.items())]
    steps += ["break stop_here", "run", *commands]
    words = ["gdb", "-nx", "-q", "-batch", *(word for step in steps for word in ("-ex", step))]
    executable = machine.compiled("wide", compiler=machine.GCC)
    done = subprocess.run(
        [*words, "--args", str(executable), "4"],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        stdin=subprocess.DEVNULL,
        text=True,
        timeout=PATIENCE,
        env={**os.environ, "LD_LIBRARY_PATH": str(folder)},
        check=False,
    )
    assert "Loaded OMPD lib successfully" in done.stdout, done.stdout
    numbers = re.findall(r"Thread \d+ \((\d+)\) is an OpenMP thread", done.stdout)
    # At first all are called strangers, in the end none.
    assert done.stdout.count("is no OpenMP thread") == 4
    assert sorted(map(int, numbers)) == sorted(openmp_threads(json.loads(record.read_text())))
    assert "Failed" not in done.stdout and done.stdout.count("With Correct Arguments") == 4
