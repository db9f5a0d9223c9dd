# SPDX-License-Identifier: Apache-2.0
"""Can the system's package managers install what CPack makes, for both machines, and does it work
there? Into a root of its own (`--full')."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import corpus
import facts
import machine
import pytest
from command import ompd
from test_release_aarch64 import built_for_aarch64

pytestmark = [
    pytest.mark.skipif(not machine.FULL, reason="in --full"),
    pytest.mark.xdist_group("release-aarch64"),  # it is built once
]
ENTRIES = corpus.entries()


@dataclass(frozen=True)
class Kind:
    processor: str
    debians: str
    core: str  # of the corpus

    def build(self) -> Path:
        return machine.BUILD if self.processor == "x86_64" else built_for_aarch64()

    def gdb(self) -> str:
        """One that runs there."""
        if self.processor == "x86_64":
            return machine.gdb("gdb")
        return str(machine.cached("gdb-13-arm64") / "gdb")


KINDS = [Kind("x86_64", "amd64", "teams"), Kind("aarch64", "arm64", "aarch64-teams")]


def packed(form: str, build: Path, folder: Path) -> Path:
    config = build / "CPackConfig.cmake"
    machine.run("cpack", "-G", form, "-B", folder / "made", "--config", config)
    (package,) = (folder / "made").glob(f"*.{form.lower()}")
    return package


def installed_by_dpkg(package: Path, kind: Kind, root: Path) -> None:
    state = root / "var" / "lib" / "dpkg"
    for name in ("info", "updates"):
        (state / name).mkdir(parents=True)
    (state / "status").touch()
    # Nothing that it depends on is in this root, and it may be another machine's.
    force = ["--force-depends", "--force-architecture"]
    machine.run("dpkg", f"--root={root}", *force, "-i", package)
    told = machine.run("dpkg-deb", "-f", package, "Architecture", "Depends")
    assert f"Architecture: {kind.debians}" in told
    (libc,) = re.findall(r"libc6 \(>= 2\.(\d+)\)", told)
    needed = {int(one) for path in machine.elf_files(root) for one in versions_of_libc(path)}
    assert needed and max(needed) <= int(libc), needed


def installed_by_rpm(package: Path, kind: Kind, root: Path) -> None:
    root.mkdir()
    machine.run("rpm", "--root", root, "-i", "--nodeps", "--ignorearch", package)
    told = machine.run("rpm", "-qp", "--requires", "--qf", "%{ARCH}\n", package)
    assert told.startswith(f"{kind.processor}\n") or f"\n{kind.processor}\n" in told
    assert {"gdb", "libc.so.6()(64bit)", "libdw.so.1()(64bit)"} <= set(told.split()), told


def versions_of_libc(file: Path) -> set[str]:
    return set(re.findall(r"GLIBC_2\.(\d+)", machine.run("readelf", "--version-info", file)))


INSTALL = {"DEB": installed_by_dpkg, "RPM": installed_by_rpm}


@pytest.mark.parametrize("form", INSTALL)
@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.processor)
def test_package(kind: Kind, form: str, folder: Path) -> None:
    root = folder / "root"
    INSTALL[form](packed(form, kind.build(), folder), kind, root)
    names = {path.name.split(".so")[0] for path in machine.elf_files(root / "usr")}
    assert names == {"libompd", "ompd-sampler"}
    # What the system's GDB loads by itself.
    link = root / "etc" / "gdb" / "gdbinit.d" / "ompd.py"
    assert link.samefile(root / "usr" / "share" / "ompd" / "ompd-gdb.py")
    assert not (root / "usr" / "etc").exists()
    core, program = corpus.unpack(ENTRIES[kind.core], folder)
    given = ("--json", "--gdb", kind.gdb(), "--lib-search-root", folder, core, program)
    told = ompd("core", *given, folder=folder, command=root / "usr" / "bin" / "ompd").document
    wrong = facts.Facts(ENTRIES[kind.core], corpus.expected(kind.core), told).compare()
    assert not wrong and told["unavailable"] == [], wrong
