# SPDX-License-Identifier: Apache-2.0
"""What do `ompd record' and `ompd top' say where the sampler was built for another machine? What is
needed and what is here, in a sentence, before anything is started."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import machine
import pytest
from command import CANNOT_READ, is_an_error, ompd


@pytest.fixture(name="sampler")
def fixture_sampler(folder: Path) -> Path:
    """Its place in an installed tree, where there is none yet."""
    package = folder / "tree" / "share" / "ompd"
    shutil.copytree(machine.ROOT / "gdb-plugin", package)
    (folder / "tree" / "libexec" / "ompd").mkdir(parents=True)
    return folder / "tree" / "libexec" / "ompd" / "ompd-sampler"


def linked(sampler: Path, soname: str, *versions: str) -> None:
    """A program that needs of a library these versions, of a symbol each: it was linked with one of
    that name."""
    names = [f"made_up{number}" for number in range(max(len(versions), 1))]
    source, script, library = (sampler.parent / name for name in ("made.c", "map", "made.so"))
    source.write_text("".join(f"void {name}(void) {{}}\n" for name in names))
    script.write_text("".join(f"{of} {{ {name}; }};\n" for of, name in zip(versions, names)))
    given = [f"-Wl,-soname,{soname}", *([f"-Wl,--version-script={script}"] if versions else [])]
    machine.run("gcc", "-nostdlib", "-shared", "-fPIC", *given, source, "-o", library)
    calls = "".join(f"void {name}(void); {name}();" for name in names)
    source.write_text(f"void _start(void) {{ {calls} for (;;) {{}} }}\n")
    machine.run("gcc", "-nostdlib", source, library, "-o", sampler)


def refused(folder: Path, *words: str) -> None:
    """By a program and by a process, with nothing begun."""
    command, record = folder / "tree" / "share" / "ompd" / "bin" / "ompd", folder / "record"
    for target, status in ((("--", "true"), 125), ((str(os.getpid()),), CANNOT_READ)):
        answer = ompd("record", "-o", record, *target, folder=folder, command=command)
        is_an_error(answer, *words, status=status)
        assert answer.text == "" and not record.exists()


def test_newer_glibc(sampler: Path, folder: Path) -> None:
    """The newest that is needed is named, as numbers go, not as words do."""
    linked(sampler, "libc.so.6", "GLIBC_2.101", "GLIBC_2.99", "GLIBC_2.100")
    here = os.confstr("CS_GNU_LIBC_VERSION")
    refused(folder, f"ompd: ompd-sampler needs glibc 2.101; here is {here}. ")


def test_no_such_library(sampler: Path, folder: Path) -> None:
    linked(sampler, "libdw.so.99")
    refused(folder, "ompd: ompd-sampler needs libdw.so.99, which is not on this machine. ")


def test_older_library(sampler: Path, folder: Path) -> None:
    linked(sampler, "libelf.so.1", "ELFUTILS_9.5")
    refused(folder, "ompd: ompd-sampler needs elfutils 9.5; here is an older /", "libelf")


def test_another_processor(sampler: Path, folder: Path) -> None:
    shutil.copy("/bin/true", sampler)
    with open(sampler, "r+b") as file:
        file.seek(18)
        file.write(b"\x2a\x00")  # e_machine: a SuperH
    refused(folder, "ompd: ompd-sampler is for another machine: this is x86_64. ")


def test_no_glibc(sampler: Path, folder: Path) -> None:
    """Its dynamic linker is not there."""
    source = folder / "program.c"
    source.write_text("int main(void) { return 0; }")
    machine.run("gcc", source, "-Wl,--dynamic-linker=/nowhere/ld.so", "-o", sampler)
    refused(folder, "ompd: ompd-sampler needs glibc, which is not on this machine. ")
