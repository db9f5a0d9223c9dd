# SPDX-License-Identifier: Apache-2.0
"""Does the release for AArch64 work there? Built on this machine, unpacked, loaded by Debian's own
GDB for arm64 in an emulator, which opens cores of a real kernel (`--full')."""

from __future__ import annotations

import struct
import sys
from pathlib import Path

import corpus
import facts
import machine
import pytest
from command import ompd

pytestmark = [
    pytest.mark.skipif(not machine.FULL, reason="in --full"),
    pytest.mark.xdist_group("release-aarch64"),  # it is built once
]
ENTRIES = corpus.entries()
CORES = [
    "aarch64-critical-twice",
    "aarch64-teams",
    "aarch64-gomp-nested",
    "aarch64-gomp-lock-order",
]
EM_AARCH64 = 183


def for_aarch64() -> tuple[str, ...]:
    """Options of cmake."""
    toolchain = machine.ROOT / "cmake" / "aarch64-linux-gnu.cmake"
    libraries = machine.cached("libraries-arm64")
    return (f"-DCMAKE_TOOLCHAIN_FILE={toolchain}", f"-DOMPD_FOREIGN_ROOT={libraries}")


def built_for_aarch64() -> Path:
    """The build directory."""
    build = machine.variant("aarch64")
    machine.run("cmake", "-S", machine.ROOT, "-B", build, "-G", "Ninja", *for_aarch64())
    machine.run("cmake", "--build", build, "--target", "ompd", "ompd-sampler")
    return build


@pytest.fixture(name="prefix", scope="module")
def fixture_prefix(tmp_path_factory: pytest.TempPathFactory) -> Path:
    tarball = machine.release(*for_aarch64(), build=machine.BUILD / "release-aarch64")
    return machine.unpacked(tarball, tmp_path_factory.mktemp("release"))


def test_machine(prefix: Path) -> None:
    """What is compiled is for AArch64, all of it, and needs no newer C library there."""
    files = machine.elf_files(prefix)
    machines = {struct.unpack_from("<H", path.read_bytes()[:20], 18)[0] for path in files}
    assert len(files) == 2 and machines == {EM_AARCH64}
    machine.run(sys.executable, machine.ROOT / "tests" / "abi" / "check_glibc.py", *files)


def test_sampler(prefix: Path) -> None:
    """It needs no library of that machine: this one has none."""
    sampler = prefix / "libexec" / "ompd" / "ompd-sampler"
    assert "usage: ompd-sampler" in machine.run("qemu-aarch64", sampler, "--help")


@pytest.mark.parametrize("name", CORES)
def test_core(name: str, prefix: Path, folder: Path) -> None:
    """By the command that was unpacked, in a GDB of that machine."""
    core, program = corpus.unpack(ENTRIES[name], folder)
    gdb = machine.cached("gdb-13-arm64") / "gdb"
    given = ("--json", "--gdb", gdb, "--lib-search-root", folder, core, program)
    told = ompd("core", *given, folder=folder, command=prefix / "bin" / "ompd").document
    wrong = facts.Facts(ENTRIES[name], corpus.expected(name), told).compare()
    assert not wrong, "\n".join(wrong)
    assert told["unavailable"] == []


def test_tool(prefix: Path, folder: Path) -> None:
    """One that somebody builds on it runs."""
    source, tool = folder / "tool.c", folder / "tool"
    source.write_text(
        "#include <ompd.h>\n#include <ompd-ext.h>\n"
        "int main(void) { ompd_word_t version; return ompdx_get_version(&version); }\n",
        encoding="utf-8",
    )
    (config,) = prefix.rglob("ompd.pc")
    search = f"PKG_CONFIG_PATH={config.parent}"
    flags = machine.run("env", search, "pkg-config", "--cflags", "--libs", "ompd").split()
    machine.run("aarch64-linux-gnu-gcc", source, *flags, "-o", tool)
    machine.run("qemu-aarch64", "-L", "/usr/aarch64-linux-gnu", tool)
