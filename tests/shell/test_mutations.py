# SPDX-License-Identifier: Apache-2.0
"""Would the corpus show a mistake in what is known of AArch64? The plugin or the library is copied
with one, and a core file has to be told wrongly; without one, the copy tells it right."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

import corpus
import facts
import machine
import pytest
import test_aarch64
import test_corpus
from command import ompd

ENTRIES = corpus.entries()
ARCH = "gdb-plugin/ompd_core/arch/aarch64/"


@dataclass(frozen=True)
class Mutation:
    name: str
    core: str
    file: str
    text: str
    instead: str


MUTATIONS = [
    Mutation(
        "two_registers_swapped",
        "aarch64-teams",
        ARCH + "memory_words.py",
        "        loads = [_load(rt, ",
        "        rt, rt2 = rt2, rt\n        loads = [_load(rt, ",
    ),
    Mutation(
        "no_signature_handed_on",
        "aarch64-critical-twice",
        ARCH + "registers.py",
        '"pauth_dmask", "pauth_cmask", ',
        "",
    ),
    Mutation(
        "no_rule_for_the_empty_entry",
        "aarch64-crash-nested",
        "gdb-plugin/ompd_gdb/target/unwinding.py",
        "and not self._has_wrong_unwind_info(pc, machine)",
        "",
    ),
    Mutation(
        "arguments_swapped",
        "aarch64-gomp-lock-order",
        ARCH + "registers.py",
        '(NEXT, _NUMBER, "x0", "x1", ',
        '(NEXT, _NUMBER, "x1", "x0", ',
    ),
    Mutation(
        "distance_shifted",
        "aarch64-gomp-idle-pool",
        "libompd/target/libc.c",
        "rc = target_read_unsigned(target, address, 4, distance);",
        "rc = target_read_unsigned(target, address, 4, distance), *distance += 16;",
    ),
]


@pytest.fixture(autouse=True)
def build_of_the_copy(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OMPD_BUILD", str(folder / "build"))


def copied(folder: Path) -> Path:
    """The command, of a copy of the plugin with the library of this build beside it."""
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(machine.ROOT / "gdb-plugin", folder / "gdb-plugin", ignore=ignored)
    (folder / "build").symlink_to(machine.BUILD)
    return folder / "gdb-plugin" / "bin" / "ompd"


def with_sources(folder: Path) -> None:
    for name in ("libompd", "include"):
        shutil.copytree(machine.ROOT / name, folder / name)


def compile_library(folder: Path) -> None:
    sources = sorted((folder / "libompd").rglob("*.c"))
    (folder / "build").unlink()
    library = folder / "build" / "libompd" / "libompd.so"
    library.parent.mkdir(parents=True)
    flags = ["-O0", "-shared", "-fPIC", "-fvisibility=hidden", '-DOMPD_VERSION_STRING="0"']
    places = [f"-I{folder / 'include'}", f"-I{folder / 'libompd'}"]
    machine.run(machine.GCC, *flags, *places, *sources, "-o", library)


def is_right(name: str, command: Path, folder: Path) -> bool:
    core, program = corpus.unpack(ENTRIES[name], folder)
    given = ("--json", "--lib-search-root", folder, core, program)
    told = ompd("core", *given, folder=folder, command=command).document
    assert told["runtimes"], "there is nothing that could be wrong"
    wrong = facts.Facts(ENTRIES[name], corpus.expected(name), told).compare()
    if wrong or told["unavailable"]:
        return False
    try:
        test_corpus.whole_stacks(told)
    except AssertionError:
        return False
    return True


@pytest.fixture(autouse=True)
def uncounted(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is told wrongly here is no mistake of ours."""
    monkeypatch.setattr(facts, "score", facts.Score())


def test_copy(folder: Path) -> None:
    assert is_right("aarch64-teams", copied(folder), folder)


def mutated(one: Mutation, folder: Path) -> Path:
    """The command, of a copy with that mistake."""
    command = copied(folder)
    of_library = one.file.startswith("libompd/")
    if of_library:
        with_sources(folder)
    file = folder / one.file
    text = file.read_text(encoding="utf-8")
    assert text.count(one.text) == 1
    file.write_text(text.replace(one.text, one.instead), encoding="utf-8")
    if of_library:
        compile_library(folder)
    return command


@pytest.mark.parametrize("one", MUTATIONS, ids=lambda one: one.name)
def test_mutation(one: Mutation, folder: Path) -> None:
    if one.file.startswith("libompd/") and not machine.FULL:
        pytest.skip("in --full: the library is compiled")
    assert not is_right(one.core, mutated(one, folder), folder)


DISTANCE_OF_LIBOMP = Mutation(
    "distance_of_libomp",
    "",
    "libompd/runtime/llvm/globals.c",
    "at_distance(build, pool, (enum global)global);",
    "at_distance(build, pool, (enum global)global) + 16;",
)


@pytest.mark.skipif(not machine.FULL, reason="in --full: the library is compiled")
def test_distance_of_libomp(folder: Path) -> None:
    """The truth about ICVs is in no core of the corpus: a program in an emulator has it."""
    mutated(DISTANCE_OF_LIBOMP, folder)
    plugin = [f"source {folder / 'gdb-plugin' / 'ompd-gdb.py'}"]
    with pytest.raises(AssertionError, match="display-affinity-var|affinity-format-var"):
        test_aarch64.true_or_unknown(
            *("libomp-19-arm64", test_aarch64.SETTINGS, test_aarch64.BY_GETTERS),
            *(folder, plugin),
        )
