# SPDX-License-Identifier: Apache-2.0
"""Is every core file of the corpus told as its program recorded it, on any machine?"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Iterator

import corpus
import facts
import machine
import pytest
from command import CANNOT_READ, Answer, ompd

ENTRIES = corpus.entries()
FOREIGN = sorted(name for name, entry in ENTRIES.items() if entry.get("machine") == "aarch64")
OF_GNU = sorted(name for name in ENTRIES if "gomp-" in name)
if not machine.FULL:
    OF_GNU = [name for name in OF_GNU if name not in FOREIGN or name.endswith("-no-runtime")]
# Of these not all can be known: their own tests say what.
DAMAGED = {"no-runtime", "gomp-no-runtime", "aarch64-gomp-no-runtime", "truncated"}
WHOLE_FOREIGN = [name for name in FOREIGN if name not in DAMAGED]
RUNTIME = "/opt/program/lib/libomp.so.5"
GNUS = "/opt/program/lib/libgomp.so.1"
LARGEST = 10 << 20  # bytes, of all


def report(name: str, folder: Path, *options: str) -> Answer:
    core, program = corpus.unpack(ENTRIES[name], folder)
    found = ompd("core", *options, "--lib-search-root", folder, core, program, folder=folder)
    assert found.errors == "" and "another stop" not in found.text
    return found


def stem_of(name: str) -> str:
    """Of a core's name: what its program did, on whichever machine and runtime."""
    return name.replace("aarch64-", "").replace("gomp-", "")


@pytest.mark.each("stem")
@pytest.mark.parametrize(
    "stem, name", [(stem_of(name), name) for name in sorted(set(ENTRIES) - DAMAGED)]
)
def test_facts(stem: str, name: str, folder: Path) -> None:
    told = report(name, folder, "--json").document
    wrong = facts.Facts(ENTRIES[name], corpus.expected(name), told).compare()
    assert not wrong, "\n".join(wrong)
    assert told["unavailable"] == []
    if name == "no-headers":
        (note,) = told["notes"]
        assert "linked alike" in note and "/opt/program/lib/libomp.so.5" in note
    else:
        assert told["notes"] == []
    if name in FOREIGN:
        whole_stacks(told)


def nodes(tree: facts.Json) -> Iterator[facts.Json]:
    yield tree
    for child in tree["children"]:
        yield from nodes(child)


def whole_stacks(told: facts.Json) -> None:
    """Through code in assembler whose unwind information is wrong, and with signed addresses: all
    threads of a region are found to be called by main."""
    assert all(node["known"] for node in nodes(told["merged"]))
    (main,) = [child for child in told["merged"]["children"] if child["who"].startswith("R")]
    assert main["frame"]["loc"]["function"] == "main"


def test_another_processor(folder: Path) -> None:
    """A GDB that does not know it would tell nonsense."""
    core, program = corpus.unpack(ENTRIES["aarch64-lock-order"], folder)
    given = ("--lib-search-root", folder, core, program)
    refused = ompd("core", "--gdb", machine.gdb("gdb"), *given, folder=folder)
    assert refused.status == CANNOT_READ and refused.text == ""
    (sentence,) = refused.errors.splitlines()
    assert "does not know the processor of the core file, AArch64" in sentence
    assert "gdb-multiarch" in sentence
    plugin = ("-x", machine.PLUGIN, "-ex", f"core {core}", "-ex", "ompd threads", "-ex", "p 1")
    said = machine.run(machine.gdb("gdb"), "-nx", "-batch", program, *plugin)
    assert "This GDB does not know the processor of the core file, AArch64. Use" in said
    assert "(GDB knows no such thread)" not in said
    # Nor could it come to a process.
    live = [word for command in ("ompd", "ompd break parallel", "p 1") for word in ("-ex", command)]
    said = machine.run(machine.gdb("gdb"), "-nx", "-batch", program, "-x", machine.PLUGIN, *live)
    assert said.count("This GDB does not know the processor of the program, AArch64. Use") == 2


@pytest.mark.parametrize("gdb", ["gdb-10", "gdb-16", "gdb-18"] if machine.FULL else ["gdb-18"])
@pytest.mark.parametrize("name", WHOLE_FOREIGN if machine.FULL else ["aarch64-critical-twice"])
def test_other_gdbs_of_another_processor(name: str, gdb: str, folder: Path) -> None:
    path = machine.gdb(f"{gdb}-multiarch")
    told = report(name, folder, "--json", "--gdb", path).document
    wrong = facts.Facts(ENTRIES[name], corpus.expected(name), told).compare()
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("gdb", ["gdb-10", "gdb-16", "gdb-18"])
@pytest.mark.parametrize("name", ["crash-nested", "lock-order"])
def test_other_gdbs(name: str, gdb: str, folder: Path) -> None:
    told = report(name, folder, "--json", "--gdb", machine.gdb(gdb)).document
    wrong = facts.Facts(ENTRIES[name], corpus.expected(name), told).compare()
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize(
    "name",
    ["crash-nested", "gcore", "task-graph", "teams", "threads-256", "aarch64-task-graph"]
    + (WHOLE_FOREIGN if machine.FULL else []),
)
def test_without_libthread_db(name: str, folder: Path) -> None:
    """Another machine's refuses a libc that is not its own: threads are known without it."""
    gdb, used = folder / "gdb", "gdb-multiarch" if name in FOREIGN else "gdb"
    setting = f"set libthread-db-search-path {folder}"
    gdb.write_text(f"#!/bin/sh\nexec {used} -iex '{setting}' \"$@\"\n", encoding="utf-8")
    gdb.chmod(0o755)
    told = report(name, folder, "--json", "--gdb", str(gdb)).document
    wrong = facts.Facts(ENTRIES[name], corpus.expected(name), told).compare()
    assert not wrong, "\n".join(wrong)


def test_truncated(folder: Path) -> None:
    """The list of libraries is lost; numbers and regions are not."""
    told = report("truncated", folder, "--json").document
    entry = ENTRIES["truncated"]
    wrong = facts.Facts(entry, corpus.expected("truncated"), told, damaged=True).compare()
    assert not wrong, "\n".join(wrong)
    (note,) = told["notes"]
    assert "truncated" in note and "`ulimit -c'" in note
    assert told["deadlock"]["verdict"] == "unknown"
    shown = report("truncated", folder, "--text").text
    assert "Unclear : It cannot be told" in shown and "No problems" not in shown


@pytest.mark.parametrize(
    "name",
    ["no-runtime", "crash-nested", "idle-pool", "lock-order", "task-graph", "teams", "no-table"],
)
def test_no_runtime(name: str, folder: Path) -> None:
    """What is in memory is told: numbers and regions, of a build that publishes its structures.
    What is missing is named."""
    core, program = corpus.unpack(ENTRIES[name], folder)
    for file in folder.rglob("libomp.so.5"):
        file.unlink()
    found = ompd("core", "--json", "--lib-search-root", folder, core, program, folder=folder)
    told = found.document
    (note,) = told["notes"]
    assert "libomp.so.5 (build-id " in note and "--lib-search-root" in note
    if name == "no-table":
        (missing,) = told["unavailable"]
        assert missing["section"] == "openmp" and "libomp.so.5" in missing["message"]
        assert all("kind" in thread["doubts"] for thread in told["threads"])
        return
    files = {**ENTRIES[name]["files"]}
    if name == "no-runtime":
        files["libomp.so.5"] = ENTRIES["barrier-divergence"]["files"][RUNTIME]
    entry = {**ENTRIES[name], "files": files}
    wrong = facts.Facts(entry, corpus.expected(name), told, damaged=True).compare()
    assert not wrong, "\n".join(wrong)
    # Where its frames cannot be followed it is not said that nothing is wrong.
    unclear = [m for t in told["threads"] for m in t["openmp"] if "state" in m.get("doubts", {})]
    assert not unclear or told["deadlock"]["verdict"] == "unknown"


@pytest.mark.parametrize("name", OF_GNU)
def test_no_libgomp(name: str, folder: Path) -> None:
    """A build that is known by its build-id: all is told that no stack has to show."""
    core, program = corpus.unpack(ENTRIES[name], folder)
    for file in folder.rglob("libgomp.so.1"):
        file.unlink()
    told = ompd(
        "core", "--json", "--lib-search-root", folder, core, program, folder=folder
    ).document
    (note,) = told["notes"]
    assert "libgomp.so.1 (build-id " in note and "--lib-search-root" in note
    files = {**ENTRIES[name]["files"]}
    if name in DAMAGED:
        files[GNUS] = ENTRIES[name.replace("no-runtime", "crash")]["files"][GNUS]
    entry = {**ENTRIES[name], "files": files}
    wrong = facts.Facts(entry, corpus.expected(name), told, damaged=True).compare()
    assert not wrong, "\n".join(wrong)
    unclear = [m for t in told["threads"] for m in t["openmp"] if "state" in m.get("doubts", {})]
    assert not unclear or told["deadlock"]["verdict"] in ("unknown", "deadlock")


def test_other_build_of_a_library_without_build_id(folder: Path) -> None:
    """The core has no first pages, and the file that is here is of another release."""
    core, program = corpus.unpack(ENTRIES["no-headers"], folder)
    (runtime,) = folder.rglob("libomp.so.5")
    runtime.unlink()
    corpus.unpack(ENTRIES["serialized"], folder / "other")
    found = ompd("core", "--json", "--lib-search-root", folder, core, program, folder=folder)
    assert any("in other builds, which are not used" in note for note in found.document["notes"])
    wrong = facts.Facts(ENTRIES["no-headers"], corpus.expected("no-headers"), found.document)
    assert found.document["runtimes"] == [] or not wrong.compare()


def test_size() -> None:
    sizes = [path.stat().st_size for path in corpus.HERE.rglob("*.xz")]
    assert sum(sizes) <= LARGEST


def test_every_file_has_its_origin() -> None:
    """In LICENSES: the source package, its version, the licence. What is stored is used."""
    licenses = (corpus.HERE / "LICENSES").read_text(encoding="utf-8")
    told = dict(re.findall(r"^files/(\S+)\n((?:    .+\n?)+)", licenses, re.MULTILINE))
    stored = {path.name for path in corpus.FILES.iterdir()}
    used = {f"{file}.xz" for entry in ENTRIES.values() for file in entry["files"].values()}
    assert set(told) == stored == used
    for file, lines in told.items():
        name, source, licence = (line.strip() for line in lines.splitlines())
        own = source.startswith("tests/programs/")
        assert licence == "Apache-2.0" if own else re.search(r" \d+[.:]\d|_\d+\.\d", source), file
    cores = {path.parent.name for path in corpus.HERE.glob("*/core.xz")}
    assert cores == set(ENTRIES)


@pytest.mark.full
def test_no_path_of_the_machine_it_was_made_on(folder: Path) -> None:
    """In the programs' debug information and in the cores: they would differ from machine to
    machine."""
    for name in ENTRIES:
        core, program = corpus.unpack(ENTRIES[name], folder / name)
        for file in (core, program):
            found = re.search(rb"/(root|home|work|build|tmp)/[\w/.-]{4,}", file.read_bytes())
            assert found is None, f"{name}: {file.name} names {found[0].decode()}"


def test_unpack(folder: Path) -> None:
    """As the README tells: the command that it prints works."""
    said = machine.run(corpus.HERE / "unpack", "lock-order", folder / "it").splitlines()
    words = said[0].split()
    assert words[:2] == ["ompd", "core"]
    assert "DEADLOCK" in ompd(*words[1:], folder=folder).text
