# SPDX-License-Identifier: Apache-2.0
"""Are the packages made from packaging/ what a distribution takes: by its own judges, installed,
used and removed again? All but the first test take long (`--full')."""

from __future__ import annotations

import fnmatch
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Callable

import chroot
import corpus
import facts
import machine
import pytest
from command import ompd

PACKAGING = machine.ROOT / "packaging"
PACKAGE = machine.ROOT / "tools" / "package"
ENTRIES = corpus.entries()
in_full = pytest.mark.skipif(not machine.FULL, reason="in --full")
pytestmark = pytest.mark.xdist_group("packages")  # they are built once


# ---- Which file is in which ----------------------------------------------------------------------

# What both leave out: their rules say why.
LEFT_OUT = ("share/modulefiles/*", "share/doc/ompd/LICENSE")
MACROS = {
    "%{_bindir}": "bin",
    "%{_datadir}": "share",
    "%{_docdir}": "share/doc",
    "%{_includedir}": "include",
    "%{_libdir}": "lib",
    "%{_libexecdir}": "libexec",
    "%{_sysconfdir}/gdbinit.d": "etc/gdb/gdbinit.d",
    "%{name}": "ompd",
}


def patterns_of_deb() -> list[str]:
    """As seen from the prefix."""
    lists = PACKAGING.glob("debian/*.install")
    words = " ".join(path.read_text(encoding="utf-8") for path in lists).split()
    return [re.sub("^usr/|/\\*(?=/)", "", word) + "*" for word in words]


def patterns_of_rpm() -> list[str]:
    files = (PACKAGING / "rpm" / "ompd.spec").read_text(encoding="utf-8").split("%files", 1)[1]
    found = re.findall(r"^%\{_.*", files, re.M)
    for macro, folder in MACROS.items():
        found = [one.replace(macro, folder) for one in found]
    found = [f"{one}*" if one.endswith("/") else one for one in found]
    return [expanded for one in found for expanded in braces(one)]


def braces(pattern: str) -> list[str]:
    before, _, rest = pattern.partition("{")
    inside, _, after = rest.partition("}")
    return [f"{before}{word}{after}" for word in inside.split(",")]


@pytest.mark.each("patterns")
@pytest.mark.parametrize("patterns", [patterns_of_deb, patterns_of_rpm])
def test_each_file_is_in_one(patterns: Callable[[], list[str]], folder: Path) -> None:
    prefix = machine.installed(folder)
    for path in prefix.rglob("*"):
        name = str(path.relative_to(prefix))
        if path.is_dir() or any(fnmatch.fnmatch(name, one) for one in LEFT_OUT):
            continue
        taken = [one for one in patterns() if fnmatch.fnmatch(name, one)]
        assert len(taken) == 1, f"{name}: {taken}"


# ---- Debian's ------------------------------------------------------------------------------------


@pytest.fixture(name="debs", scope="module")
def fixture_debs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Sources, too."""
    folder = tmp_path_factory.mktemp("debs")
    machine.run(PACKAGE, "deb", folder)
    return folder


@in_full
def test_lintian(debs: Path) -> None:
    (changes,) = debs.glob("*.changes")
    told = machine.run("lintian", "--allow-root", "--fail-on=none", changes)
    assert not re.findall("^[EW]: .*", told, re.M), told


@in_full
@pytest.mark.each("release")
@pytest.mark.parametrize("release", ["bookworm", "trixie"])
def test_in_debian(release: str, debs: Path, folder: Path) -> None:
    """Nothing is left of it, also when root's GDB and root's `ompd' have run."""
    fresh = chroot.made(release, folder)
    (ours,) = debs.glob("ompd_*.deb")
    (for_debuggers,) = debs.glob("libompd-dev_*.deb")
    tests = PACKAGING / "debian" / "tests"
    fresh.put(ours, for_debuggers, tests)
    needed = machine.run("dpkg-deb", "-f", ours, "Depends")
    needed += "," + (tests / "control").read_text(encoding="utf-8").split("Depends:")[1]
    names = {re.sub("[ |:(].*", "", word.strip()) for word in needed.split(",")}
    fresh.install(*names - {"ompd", "libompd-dev"})
    before = fresh.files()
    fresh.run("dpkg -i /tmp/*.deb")
    fresh.run("/tmp/tests/installed")
    added = fresh.files() - before
    assert [one for one in added if re.fullmatch(r"usr/share/ompd/.*\.pyc", one)]
    assert [one for one in added if one.endswith("/libompd.so")] and not [
        one for one in added if re.fullmatch(r"usr/lib/libg?ompd\.so.*", one)
    ]
    fresh.run("dpkg -r libompd-dev ompd")
    assert fresh.files() == before


def names_of_code(root: Path) -> set[str]:
    return {path.name.split(".so")[0] for path in machine.elf_files(root / "usr")}


def works_in(root: Path, core: str, gdb: Path | str, folder: Path) -> None:
    """By the command that is installed there. core: of the corpus."""
    opened, program = corpus.unpack(ENTRIES[core], folder)
    given = ("--json", "--gdb", gdb, "--lib-search-root", folder, opened, program)
    told = ompd("core", *given, folder=folder, command=root / "usr" / "bin" / "ompd").document
    wrong = facts.Facts(ENTRIES[core], corpus.expected(core), told).compare()
    assert not wrong and told["unavailable"] == [], wrong


@in_full
def test_debian_for_aarch64(debs: Path, folder: Path) -> None:
    """Made on this machine as Debian makes packages for another one."""
    builder = folder / "builder"
    builder.mkdir()
    fresh = chroot.made("bookworm", builder)
    fresh.put(*debs.glob("ompd_*.dsc"), *debs.glob("*.tar.*"))
    fresh.run("dpkg --add-architecture arm64")
    fresh.install("crossbuild-essential-arm64", "dpkg-dev")
    fresh.run(
        "cd /tmp; dpkg-source -x *.dsc source; apt-get -qq -y build-dep -aarm64 ./source;"
        "cd source; dpkg-buildpackage -aarm64 -b -us -uc"
    )
    root = folder / "root"
    for name in ("info", "updates"):
        (root / "var" / "lib" / "dpkg" / name).mkdir(parents=True)
    (root / "var" / "lib" / "dpkg" / "status").touch()
    (package,) = (fresh.root / "tmp").glob("ompd_*_arm64.deb")
    # Nothing that it depends on is in this root, and it is another machine's.
    machine.run("dpkg-deb", "-x", package, root)
    assert names_of_code(root) == {"libompd", "ompd-sampler"}
    depends = machine.run("dpkg-deb", "-f", package, "Depends")
    assert re.search(r"libc6 \(>= 2\.\d+\).*libdw1", depends), depends
    works_in(root, "aarch64-teams", machine.cached("gdb-13-arm64") / "gdb", folder)


# ---- rpm's ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Kind:
    processor: str
    tools: str  # what names of binutils begin with
    core: str  # of the corpus

    def options(self) -> list[str]:
        """Of rpmbuild, on Debian: its own database knows no packages, its script that compresses is
        written for another shell, and the one that strips leaves symbols."""
        code = r"-type f -name libompd.so.\* -o -name ompd-sampler"
        given = [
            "--nodeps",
            "--define=__brp_compress /bin/bash /usr/lib/rpm/brp-compress /usr",
            f"--define=__brp_strip find %{{buildroot}} {code} | xargs {self.tools}strip",
        ]
        if self.processor == "x86_64":
            return given
        toolchain = machine.ROOT / "cmake" / "aarch64-linux-gnu.cmake"
        libraries = f"-DOMPD_FOREIGN_ROOT={machine.cached('libraries-arm64')}"
        cmake = f"--define=cmake_options --toolchain {toolchain} {libraries}"
        return [*given, "--target", self.processor, cmake]

    def gdb(self) -> Path | str:
        """One that runs there."""
        if self.processor == "x86_64":
            return machine.gdb("gdb")
        return machine.cached("gdb-13-arm64") / "gdb"


KINDS = [Kind("x86_64", "", "teams"), Kind("aarch64", "aarch64-linux-gnu-", "aarch64-teams")]


@in_full
@pytest.mark.each("kind")
@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.processor)
def test_rpm(kind: Kind, folder: Path) -> None:
    made, root = folder / "rpms", folder / "root"
    machine.run(PACKAGE, "rpm", made, *kind.options())
    sources = PACKAGING / "rpm"
    packages = sorted(made.glob("*.rpm"))
    judged = ("--config", sources / "rpmlint.toml", sources / "ompd.spec", *packages)
    assert " 0 errors, 0 warnings" in machine.run("rpmlint", *judged)
    root.mkdir()
    # Nothing that they depend on is in this root, and they may be another machine's.
    force = ["--nodeps", "--ignorearch", "--noscripts"]
    machine.run("rpm", "--root", root, "-i", *force, *made.glob(f"ompd-*.{kind.processor}.rpm"))
    told = machine.run("rpm", "--root", root, "-q", "--requires", "--provides", "ompd")
    assert {"gdb", "libc.so.6()(64bit)", "libdw.so.1()(64bit)"} <= set(told.split())
    assert "libompd" not in told
    files = machine.run("rpm", "--root", root, "-ql", "ompd", "ompd-devel").splitlines()
    assert not [one for one in files if re.fullmatch(r"/usr/lib(64)?/[^/]*\.so.*", one)]
    # rpm itself makes links by build-ids in all packages.
    ours = [one for one in files if "/.build-id" not in one]
    assert [one for one in ours if (root / one[1:]).is_dir() and "ompd" not in one] == []
    assert names_of_code(root) == {"libompd", "ompd-sampler"}
    works_in(root, kind.core, kind.gdb(), folder)
    machine.run("rpm", "--root", root, "-e", "--noscripts", "ompd", "ompd-devel")
    assert [path for path in root.rglob("*") if "ompd" in path.name] == []
