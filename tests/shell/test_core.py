# SPDX-License-Identifier: Apache-2.0
"""Does `ompd core' tell why a program died, whatever form the core file has and wherever its files
are? What happened is what the program recorded before it did it."""

from __future__ import annotations

import os
import random
import resource
import shutil
import signal
import subprocess
from pathlib import Path

import command
import machine
import pytest
from command import CANNOT_READ, CANNOT_TELL, FINDING, NOTHING_ODD, is_an_error, ompd
from ompd_core.formats.corefile import CoreFile
from sessions import kernel_core, parked, target

# How it ends: signal, does it have an address, words on the reason.
CRASHES = {
    "unmapped": ("SIGSEGV", True, "no memory is mapped"),
    "protected": ("SIGSEGV", True, "may only be read"),
    "file": ("SIGBUS", True, "end of a mapped file"),
    "division": ("SIGFPE", False, "division by zero"),
    "abort": ("SIGABRT", False, ""),
}


@pytest.mark.parametrize("how", CRASHES)
@pytest.mark.parametrize("runtime", ["libomp-14", "libomp-19"])
def test_crash(how: str, runtime: str, folder: Path) -> None:
    core = command.crashed(folder, how, runtime)
    line, address, lwp = command.truth(folder)
    name, has_address, reason = CRASHES[how]
    answer = ompd("core", "--json", core, folder=folder)
    assert answer.status == FINDING and "crash" in answer.codes()
    signal = answer.document["signal"]
    assert (signal["name"], signal["crash"], signal["lwp"]) == (name, True, lwp)
    assert (signal["id"], signal["where"]["line"]) == ("R1.2", line)
    assert reason in (signal["reason"] or "")
    if has_address:
        assert int(signal["address"], 0) == address
    shown = ompd("core", core, folder=folder)
    assert shown.status == FINDING
    first = " ".join(shown.text.split("Threads :")[0].split())
    assert first.startswith(f"Odd : The program crashed: {name}")
    assert "in R1.2 (T" in first and f"crashes.c:{line}" in first


def test_no_crash_but_the_end(folder: Path) -> None:
    """SIGQUIT is a user's wish."""
    core = command.crashed(folder, "quit")
    answer = ompd("core", core, "--json", folder=folder)
    assert answer.status == NOTHING_ODD and "crash" not in answer.codes()
    assert answer.document["signal"]["name"] == "SIGQUIT"
    assert (
        "Ended by: SIGQUIT (the program has sent it to itself), in R1.2"
        in ompd("core", core, folder=folder).text
    )


def test_closed_streams(folder: Path) -> None:
    """What is opened instead must not be taken for one."""
    core = command.crashed(folder, "abort")
    whole = ompd("core", core, folder=folder)
    closings = {"<&-": True, "2>&-": True, ">&-": False, ">&- 2>&-": False, "<&- >&- 2>&-": False}
    for closing, is_read in closings.items():
        script = folder / "closed"
        script.write_text(f'#!/bin/sh\nexec "{command.OMPD}" "$@" {closing}\n', encoding="utf-8")
        script.chmod(0o755)
        answer = ompd("core", core, folder=folder, command=script)
        assert (answer.status, answer.errors) == (FINDING, ""), closing
        assert answer.text == (whole.text if is_read else "")


@pytest.mark.parametrize("kind", ["core", "gcore"])
@pytest.mark.parametrize("scenario, finding", [("deadlock", "cannot_tell"), ("idle", None)])
def test_findings(scenario: str, finding: str | None, kind: str, folder: Path) -> None:
    """An idle pool is nothing odd. The kernel's core is of a program that was made to abort."""
    executable, home = machine.compiled("states"), machine.cached("libomp-14")
    with target(kind, executable, (scenario,), home, folder) as made:
        assert made.core is not None
        answer = ompd("core", "--json", made.core, folder=folder)
        codes = answer.codes() - {"crash"}
        assert codes == ({finding} if finding else set())
        assert ("crash" in answer.codes()) == (kind == "core")
        unproven = CANNOT_TELL if finding else NOTHING_ODD
        assert answer.status == (FINDING if kind == "core" else unproven)


@pytest.mark.parametrize("form", ["gzip", "xz", "zstd", "lz4"])
def test_packed(form: str, folder: Path) -> None:
    core = command.crashed(folder, "unmapped")
    packed = folder / "the core"  # its name says nothing
    with open(packed, "wb") as file:
        subprocess.run([form, "-1", "-c", core], stdout=file, check=True)
    core.unlink()
    answer = ompd("core", "--json", packed, folder=folder)
    assert answer.status == FINDING and "crash" in answer.codes()
    assert any("was unpacked" in note for note in answer.document["notes"])
    whole = packed.read_bytes()
    middle = len(whole) // 2
    for damaged in (whole[:middle], whole[:middle] + b"\x5a" * 64 + whole[middle + 64 :]):
        packed.write_bytes(damaged)
        is_an_error(ompd("core", packed, folder=folder), "cannot be unpacked")


@pytest.mark.parametrize("tool", ["zstd", "lz4"])
def test_missing_tool(tool: str, folder: Path) -> None:
    packed = folder / "core"
    packed.write_bytes({"zstd": b"\x28\xb5\x2f\xfd", "lz4": b"\x04\x22\x4d\x18"}[tool] + b"rest")
    bare = folder / "bin"
    bare.mkdir()
    for name in ("env", "python3"):
        (bare / name).symlink_to(f"/usr/bin/{name}")
    answer = ompd("core", packed, folder=folder, environment={"PATH": str(bare)})
    is_an_error(answer, f"Install {tool}")


@pytest.mark.parametrize(
    "name", ["two words", 'it\'s "quoted"', "a\nline", "täg $HOME `ls` \\n", "\x1b]0;steer\x07"]
)
def test_any_name(name: str, folder: Path) -> None:
    """Of program, core, and the folder that they are in."""
    inside = folder / name
    inside.mkdir()
    executable = inside / name
    shutil.copy2(command.program(), executable)
    core = kernel_core(executable, ("abort",), command.environment(folder), inside)
    core = core.rename(inside / f"{name} core")
    answer = ompd("core", "--json", core, folder=folder)
    assert answer.status == FINDING, answer
    assert answer.document["signal"]["id"] == "R1.2"
    assert answer.document["inferior"]["program"] == str(executable)
    shown = ompd("core", core, executable, folder=folder)
    assert shown.status == FINDING and shown.errors == ""
    executable.unlink()
    is_an_error(ompd("core", core, folder=folder), "is not here")


@pytest.mark.parametrize("gdb", ["gdb", "gdb-10", "gdb-16"])
def test_nothing_of_the_core_is_run(gdb: str, folder: Path) -> None:
    """Scripts that GDB would find beside the program; the older ones here trust every place."""
    executable, told = folder / "crashes", folder / "told"
    shutil.copy2(command.program(), executable)
    core = kernel_core(executable, ("abort",), command.environment(folder), folder)
    (folder / "crashes-gdb.py").write_text(f"open({str(told)!r}, 'w')\n", encoding="utf-8")
    (folder / "crashes-gdb.gdb").write_text(f"shell touch {told}\n", encoding="utf-8")
    (folder / ".gdbinit").write_text(f"shell touch {told}\n", encoding="utf-8")
    home = {"HOME": str(folder), "PYTHONSTARTUP": str(folder / "crashes-gdb.py")}
    answer = ompd("core", "--gdb", machine.gdb(gdb), core, folder=folder, environment=home)
    assert answer.status == FINDING
    assert not told.exists()


@pytest.mark.parametrize("place", ["program", "library"])
def test_core_that_names_a_pipe(place: str, folder: Path) -> None:
    """Whoever opens it waits for ever: nothing is opened that is no file of the program's."""
    executable, library = folder / "crashes", folder / "lib"
    shutil.copy2(command.program(), executable)
    shutil.copytree(machine.cached("libomp-14"), library)
    env = {**command.environment(folder), "LD_LIBRARY_PATH": str(library)}
    core = kernel_core(executable, ("abort",), env, folder)
    piped = executable if place == "program" else library / "libomp.so.5"
    piped.unlink()
    os.mkfifo(piped)
    answer = ompd("core", "--json", core, command.program(), folder=folder)
    assert answer.status == FINDING and answer.document["signal"]["name"] == "SIGABRT"
    if place == "library":
        assert any(f"{piped} (build-id" in note for note in answer.document["notes"])
    else:
        assert answer.document["signal"]["id"] == "R1.2"


@pytest.mark.parametrize("seed", range(40 if machine.FULL else 6))
def test_damaged(seed: int, folder: Path) -> None:
    """Bytes of its headers and notes are others: a report, or one clear sentence."""
    core = command.crashed(folder, "abort")
    chance = random.Random(seed)
    with open(core, "r+b") as file:
        front = file.read(16384)
        for _ in range(chance.choice((1, 4, 16))):
            file.seek(chance.randrange(64, len(front)))
            file.write(chance.choice((b"\xff" * 8, bytes(8), chance.randbytes(8))))
    answer = ompd("core", core, command.program(), folder=folder)
    if answer.status == CANNOT_READ and not answer.text:
        is_an_error(answer)


@pytest.mark.full
def test_program_is_somewhere_else(folder: Path) -> None:
    """It is told which one is wanted, and is taken from where it is named, if it is that one."""
    there, here = folder / "there", folder / "here" / "deep"
    there.mkdir()
    here.mkdir(parents=True)
    executable = there / "crashes"
    shutil.copy2(command.program(), executable)
    core = kernel_core(executable, ("abort",), command.environment(folder), folder)
    executable.rename(here / "crashes")
    is_an_error(ompd("core", core, folder=folder), f"{executable} with build-id", "ompd core CORE")
    assert ompd("core", core, here / "crashes", folder=folder).status == FINDING
    shutil.copy2(machine.compiled("states"), executable)
    is_an_error(ompd("core", core, folder=folder), "any more", "build-id")
    is_an_error(ompd("core", core, executable, folder=folder), "is not the program of this core")
    found = ompd("core", "--json", "--lib-search-root", folder / "here", core, folder=folder)
    assert found.status == FINDING
    assert found.document["inferior"]["program"] == str(here / "crashes")


@pytest.mark.full
def test_libraries_of_another_machine(folder: Path) -> None:
    """The runtime was elsewhere: what is missing is named, and found below a search root."""
    elsewhere, kept = folder / "elsewhere", folder / "kept" / "lib" / "deep"
    shutil.copytree(machine.cached("libomp-14"), elsewhere)
    env = {**command.environment(folder), "LD_LIBRARY_PATH": str(elsewhere)}
    core = kernel_core(command.program(), ("abort",), env, folder)
    shutil.move(elsewhere, kept)
    alone = ompd("core", "--json", core, folder=folder)
    assert any("libomp.so.5 (build-id " in note for note in alone.document["notes"]), alone.text
    found = ompd("core", "--json", "--lib-search-root", folder / "kept", core, folder=folder)
    assert found.document["notes"] == []
    assert found.document["signal"]["id"] == "R1.2"
    # Another build in its place is not taken for it.
    shutil.copytree(machine.cached("libomp-16"), elsewhere)
    wrong = ompd("core", "--json", core, folder=folder)
    assert any("in other builds" in note for note in wrong.document["notes"]), wrong.text
    # What the core has of the runtime's own memory is told all the same.
    assert wrong.document["signal"]["id"] == "R1.2"
    (runtime,) = wrong.document["runtimes"]
    assert runtime["build_id"] == alone.document["runtimes"][0]["build_id"]
    assert runtime["version"] is None and runtime["descriptors"] == "recovered"
    found = ompd("core", "--json", "--lib-search-root", folder / "kept", core, folder=folder)
    assert found.document["notes"] == [] and found.document["runtimes"][0]["version"] == "14"
    assert found.document["signal"]["id"] == "R1.2"
    # The same tree as an image of that machine.
    root = folder / "root"
    for path in (str(command.program()), *_libraries(core)):
        copy = root / path.lstrip("/")
        copy.parent.mkdir(parents=True, exist_ok=True)
        source = path.replace(str(elsewhere), str(kept))
        shutil.copy2(source, copy)
    answer = ompd("core", "--json", "--sysroot", root, core, folder=folder)
    assert answer.document["notes"] == [] and answer.document["signal"]["id"] == "R1.2"
    assert answer.document["inferior"]["program"].startswith(str(root))


def _libraries(core: Path) -> list[str]:
    return sorted({m.path for m in CoreFile(str(core)).mappings if ".so" in m.path})


def test_what_is_no_core(folder: Path) -> None:
    is_an_error(ompd("core", folder / "none", folder=folder), "does not exist")
    is_an_error(ompd("core", folder, folder=folder), "is not a regular file")
    is_an_error(ompd("core", command.program(), folder=folder), "core file")
    empty = folder / "empty"
    empty.touch()
    is_an_error(ompd("core", empty, folder=folder), "empty")
    pipe = folder / "pipe"
    os.mkfifo(pipe)
    is_an_error(ompd("core", pipe, folder=folder), "regular")
    core = command.crashed(folder, "abort")
    is_an_error(ompd("core", core, "none", folder=folder), "There is no program")
    is_an_error(ompd("core", core, pipe, folder=folder), "There is no program")
    is_an_error(ompd("core", core, "--gdb", "no-gdb", folder=folder), "--gdb PATH")
    is_an_error(ompd("core", core, "--gdb", "true", folder=folder), "GDB 10")
    failed = ompd("core", folder / "none", "--json", folder=folder)
    assert failed.status == CANNOT_READ and failed.document["error"]["code"] == "core_unreadable"


def test_truncated(folder: Path) -> None:
    core = command.crashed(folder, "abort")
    whole = core.stat().st_size
    for part in (64, 4096, whole // 3, whole - 4096):
        os.truncate(core, max(part, 64)) if part < core.stat().st_size else None
        shutil.copy2(core, folder / "cut")
        os.truncate(folder / "cut", part)
        answer = ompd("core", folder / "cut", command.program(), folder=folder)
        assert answer.status in (FINDING, CANNOT_READ)
        if answer.status == FINDING:
            assert "truncated" in answer.text


def test_a_core_that_somebody_wanted(folder: Path) -> None:
    """A signal from elsewhere is no crash of the program's."""
    executable, record = machine.compiled("nested"), folder / "truth.json"
    env = {**command.environment(folder), "OMPD_TRUTH_FILE": str(record)}
    unlimited = (resource.RLIM_INFINITY, resource.RLIM_INFINITY)
    resource.setrlimit(resource.RLIMIT_CORE, unlimited)
    with parked(executable, (), env, folder, record) as pid:
        os.kill(pid, signal.SIGABRT)
        os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
    (core,) = folder.glob("core*")
    answer = ompd("core", "--json", core, folder=folder)
    assert answer.status == NOTHING_ODD and answer.codes() == set()
    assert answer.document["signal"]["sender"] == os.getpid()
    assert answer.document["signal"]["reason"] == f"sent by process {os.getpid()}"


def test_without_openmp(folder: Path) -> None:
    """Its crash is told all the same."""
    source, executable = folder / "plain.c", folder / "plain"
    source.write_text("int main(void) { *(volatile int *)8 = 1; }\n", encoding="utf-8")
    machine.run("gcc", "-g", source, "-o", executable)
    core = kernel_core(executable, (), {}, folder)
    answer = ompd("core", "--json", core, folder=folder)
    assert answer.status == FINDING and answer.codes() == {"crash"}
    (missing,) = answer.document["unavailable"]
    assert (missing["section"], missing["code"]) == ("openmp", "no_openmp")
    assert {thread["kind"] for thread in answer.document["threads"]} == {"none"}
