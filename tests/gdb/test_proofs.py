# SPDX-License-Identifier: Apache-2.0
"""Is it no toy? The same truth for another user, on stripped runtimes that the other tests don't
use, with 300 threads at three levels, attached in mid-barrier, and from an installed tree.
`pytest -rP tests/gdb/test_proofs.py' also shows what each printed."""

from __future__ import annotations

import shutil
from pathlib import Path

import machine
import pytest
import sessions
from machine import Case
from sessions import ask, target
from test_truth import told_truth

ASK = ["ompd threads -json", "ompd parallel -json"]
SHOWN = [*ASK, "ompd status", "ompd threads", "ompd parallel"]


def show(answer: sessions.Answer) -> None:
    for command, text in zip(answer.commands, answer.texts):
        if text:
            print(f"(gdb) {command}\n{text}")


@pytest.mark.parametrize("runtime", ["libomp-13", "libomp-15"])
@pytest.mark.parametrize("kind", sessions.KINDS)
@pytest.mark.parametrize("case", [Case("nested"), Case("teams", args=("2", "nested"))], ids=str)
def test_runtimes_not_used_elsewhere(case: Case, kind: str, runtime: str, folder: Path) -> None:
    executable = machine.compiled(case.source)
    with target(kind, executable, case.args, machine.cached(runtime), folder) as made:
        answer = ask("gdb", SHOWN, made.before, made.files, folder=folder)
        threads = told_truth(made.truth(), answer)
    show(answer)
    assert threads["runtimes"][0]["version"] == runtime.rpartition("-")[2]
    assert threads["runtimes"][0]["descriptors"] == "recovered"


@pytest.mark.parametrize("runtime", ["libomp-17", "libomp-18", "libomp-19-cet", "libomp-23"])
@pytest.mark.parametrize("kind", ["live", "attach", "core"])
def test_runtimes_with_a_newer_libc(kind: str, runtime: str, folder: Path) -> None:
    """This machine's libthread_db does not fit that libc: threads are known by their registers."""
    home = machine.cached(runtime)
    loader = (
        f"-Wl,--dynamic-linker={home}/libc/ld-linux-x86-64.so.2",
        f"-Wl,-rpath,{home}:{home}/libc",
    )
    executable = machine.compiled("nested", link=loader)
    with target(kind, executable, (), Path("/nonexistent"), folder) as made:
        answer = ask("gdb", SHOWN, made.before, made.files, folder=folder)
        threads = told_truth(made.truth(), answer)
    show(answer)
    assert threads["runtimes"][0]["version"] == runtime.split("-")[1]


def test_runtime_built_by_gcc(folder: Path) -> None:
    """Stripped, with the descriptors in reverse order."""
    runtime = machine.cached("libomp-19-gcc")
    with target("core", machine.compiled("nested"), (), runtime, folder) as made:
        answer = ask("gdb", SHOWN, made.before, made.files, folder=folder)
        threads = told_truth(made.truth(), answer)
    show(answer)
    assert threads["runtimes"][0]["descriptors"] == "recovered"


@pytest.mark.parametrize("kind", ["live", "core"])
def test_runtime_without_descriptors(kind: str, folder: Path) -> None:
    """Link-time optimisation deleted them: the shipped record that fits tells the truth."""
    runtime = machine.cached("libomp-19-lto")
    with target(kind, machine.compiled("nested"), (), runtime, folder) as made:
        answer = ask("gdb", SHOWN, made.before, made.files, folder=folder)
        threads = told_truth(made.truth(), answer)
    assert threads["runtimes"][0]["descriptors"] == "record"


@pytest.mark.parametrize("kind", ["attach", "core"])
def test_300_threads_at_three_levels(kind: str, folder: Path) -> None:
    executable, runtime = machine.compiled("wide_nested"), machine.cached("libomp-13")
    with target(kind, executable, (), runtime, folder) as made:
        answer = ask("gdb", SHOWN, made.before, made.files, folder=folder)
        threads = told_truth(made.truth(), answer)
    show(answer)
    assert len(threads["threads"]) == 300
    lines = "\n".join(answer.texts).splitlines()
    assert (
        len(lines) < 60 and max(len(line) for line in lines) <= 100
    ), "300 threads are not readable"


@pytest.mark.parametrize("runtime", ["libomp-14", "libomp-15", "libomp-19"])
@pytest.mark.parametrize("blocktime", ["0", "infinite"], ids=["asleep", "spinning"])
def test_attached_in_mid_barrier(blocktime: str, runtime: str, folder: Path) -> None:
    executable = machine.compiled("barrier")
    settings = {"KMP_BLOCKTIME": blocktime}
    with target("attach", executable, ("20",), machine.cached(runtime), folder, settings) as made:
        answer = ask("gdb", SHOWN, made.before, made.files, folder=folder)
        threads = told_truth(made.truth(), answer)
    show(answer)
    assert [t["openmp"][0]["region"] for t in threads["threads"]] == ["R1"] * 20


@pytest.mark.parametrize("kind", ["live", "attach", "core"])
def test_installed_tree(kind: str, folder: Path) -> None:
    plugin = machine.installed(folder) / "share" / "ompd" / "ompd-gdb.py"
    with target(kind, machine.compiled("nested"), (), machine.cached("libomp-14"), folder) as made:
        answer = ask(
            "gdb", SHOWN, made.before, made.files, folder=folder, plugin=[f"source {plugin}"]
        )
        told_truth(made.truth(), answer)
    show(answer)
    assert str(folder / "prefix") in answer.texts[2], "the installed libompd is not the one in use"


@pytest.mark.parametrize("kind", ["live", "core"])
def test_another_user(kind: str, folder: Path) -> None:
    """An installed tree, a runtime and a program that are root's, and no HOME."""
    if shutil.which("runuser") is None or machine.run("id", "-u").strip() != "0":
        raise machine.Missing("Only root can become another user: run this test as root.")
    plugin = machine.installed(folder) / "share" / "ompd" / "ompd-gdb.py"
    executable, runtime = folder / "nested", folder / "lib"
    shutil.copy2(machine.compiled("nested"), executable)
    shutil.copytree(machine.cached("libomp-15"), runtime)
    machine.run("chmod", "-R", "a+rX", runtime)
    with target(kind, executable, (), runtime, folder) as made:
        if made.core:
            made.core.chmod(0o644)
        answer = ask(
            "gdb",
            ["shell id -un", "shell echo HOME=$HOME", *SHOWN],
            made.before,
            made.files,
            folder=folder,
            plugin=[f"source {plugin}"],
            as_user="nobody",
        )
        told_truth(made.truth(), answer)
    show(answer)
    assert answer.texts[:2] == ["nobody", "HOME="]
