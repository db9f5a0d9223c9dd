# SPDX-License-Identifier: Apache-2.0
"""Does the release for AArch64 work there? Built on this machine, unpacked, loaded by Debian's own
GDB for arm64 in an emulator, which opens cores of a real kernel (`--full')."""

from __future__ import annotations

import struct
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


def built_for_aarch64() -> Path:
    """The build directory."""
    build = machine.BUILD / "aarch64"
    toolchain = machine.ROOT / "cmake" / "aarch64-linux-gnu.cmake"
    libraries = f"-DOMPD_FOREIGN_ROOT={machine.cached('libraries-arm64')}"
    given = ("--toolchain", toolchain, libraries, "-G", "Ninja")
    machine.run("cmake", "-S", machine.ROOT, "-B", build, *given)
    machine.run("cmake", "--build", build, "--target", "ompd", "ompd-sampler")
    return build


@pytest.fixture(name="prefix", scope="module")
def fixture_prefix(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder, build = tmp_path_factory.mktemp("release"), built_for_aarch64()
    machine.run("cpack", "-G", "TGZ", "-B", folder, "--config", build / "CPackConfig.cmake")
    (archive,) = folder.glob("ompd-*-linux-aarch64.tar.gz")
    machine.run("tar", "-xzf", archive, "-C", folder)
    return folder / archive.name[: -len(".tar.gz")]


def test_machine(prefix: Path) -> None:
    """What is compiled is for AArch64, all of it."""
    machines = {}
    for path in prefix.rglob("*"):
        head = path.read_bytes()[:20] if path.is_file() and not path.is_symlink() else b""
        if head.startswith(b"\x7fELF"):
            (machines[path.name],) = struct.unpack_from("<H", head, 18)
    assert machines == {"libompd.so": EM_AARCH64, "ompd-sampler": EM_AARCH64}


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
    machine.run("aarch64-linux-gnu-gcc", source, *flags, f"-Wl,-rpath,{prefix}/lib", "-o", tool)
    machine.run("qemu-aarch64", "-L", "/usr/aarch64-linux-gnu", tool)
