# SPDX-License-Identifier: Apache-2.0
"""Does what a release has run on other machines than the one that built it, and tells nothing of
that one? Are two builds of one source the same bytes (`--full')?"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

import machine
import pytest
from command import ompd

pytestmark = pytest.mark.xdist_group("release")  # it is built once


@pytest.fixture(name="prefix", scope="module")
def fixture_prefix(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return machine.unpacked(machine.release(), tmp_path_factory.mktemp("tarball"))


def test_an_old_system_is_enough(prefix: Path) -> None:
    files = machine.elf_files(prefix)
    names = {path.name.split(".so")[0] for path in files}
    assert names == {"libompd", "ompd-sampler"}
    machine.run(sys.executable, machine.ROOT / "tests" / "abi" / "check_glibc.py", *files)


def test_version(prefix: Path, folder: Path) -> None:
    """It is said in one place."""
    text = (machine.ROOT / "CMakeLists.txt").read_text(encoding="utf-8")
    (version,) = re.findall(r"^project\(ompd VERSION (\S+)", text, re.M)
    command = prefix / "bin" / "ompd"
    told = ompd("--version", folder=folder, command=command).text
    assert told.startswith((f"ompd {version} (commit ", f"ompd {version}\n")), told
    assert prefix.name == f"ompd-{version}-linux-x86_64"
    library = prefix / "lib" / "ompd" / "libompd.so"
    assert library.resolve().name == f"libompd.so.{version}"
    (soname,) = re.findall(r"soname: \[(.+)\]", machine.run("readelf", "--dynamic", library))
    assert library.with_name(soname).samefile(library.with_name("libgompd.so"))


def test_nothing_of_the_builder_is_in_it() -> None:
    """No path of this machine, no user, no time but the commit's."""
    build = machine.release().parent
    own = [str(path).encode() for path in (machine.ROOT, build, Path.home() / "x")]
    own[-1] = own[-1][:-1]  # the home itself may be `/'
    (date,) = (build / "date.txt").read_text(encoding="ascii").split()
    with tarfile.open(machine.release()) as tarball:
        for member in tarball:
            assert (member.uid, member.gid, member.uname, member.gname) == (0, 0, "", "")
            assert member.mtime == int(date)
            assert not member.name.endswith(".pyc")  # of one Python's, and it holds a path
            file = tarball.extractfile(member) if member.isfile() else None
            data = file.read() if file and "/doc/" not in member.name else b""
            for path in own:
                assert path not in data, f"{member.name} holds {path.decode()}"


def test_the_sampler_needs_no_library(prefix: Path, folder: Path) -> None:
    """Those that a user's modules put before the system's do not matter, and C++'s names are read
    without C++'s library."""
    for name in ("libdw.so.1", "libelf.so.1", "libstdc++.so.6"):
        (folder / name).write_text("not a library\n", encoding="ascii")
    program, record = folder / "program", folder / "record.jsonl"
    made = "namespace made_up { template <class T> void turn(T n) { while (n > 0) n -= T(1e-8); } }"
    source = folder / "program.cc"
    source.write_text(f"{made}\nint main() {{ made_up::turn<double>(1); }}\n", encoding="ascii")
    machine.run("g++", "-g", "-O0", "-static-libstdc++", "-static-libgcc", source, "-o", program)
    command = prefix / "bin" / "ompd"
    search = {"LD_LIBRARY_PATH": str(folder)}
    answer = ompd(
        *("record", "-o", record, "--", program), folder=folder, command=command, environment=search
    )
    assert answer.status == 0, answer
    assert "made_up::turn<double>(double)" in record.read_text(encoding="utf-8")


def test_no_tarball_of_another_build(folder: Path) -> None:
    """Its sampler would need this machine's libraries."""
    config = machine.BUILD / "CPackConfig.cmake"
    done = subprocess.run(
        ["cpack", "-G", "TGZ", "-B", folder, "--config", config],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    assert done.returncode != 0 and "-DOMPD_RELEASE=ON" in done.stdout
    assert not list(folder.glob("*.tar.gz"))


def digests(tarball: Path, folder: Path) -> dict[str, str]:
    """Of each file: what differs is named."""
    prefix = machine.unpacked(tarball, folder)
    files = [path for path in sorted(prefix.rglob("*")) if path.is_file()]
    return {
        str(path.relative_to(prefix)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in files
    }


@pytest.mark.skipif(not machine.FULL, reason="in --full")
def test_same_bytes(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two folders, times, umasks and seeds of Python's hashes."""
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    listed = ("ls-files", "--cached", "--others", "--exclude-standard")
    files = machine.run("git", "-C", machine.ROOT, *listed).split("\n")[:-1]
    tarballs, unpacked = [], []
    for number, name in enumerate(("one", "another with a blank")):
        source = folder / name / "source"
        for file in files:
            if not file.startswith(("corefiles/", "tests/")):
                (source / file).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(machine.ROOT / file, source / file)
                os.utime(source / file, (1e9 + number, 1e9 + number))
        monkeypatch.setenv("PYTHONHASHSEED", str(number))
        before = os.umask(0o022 if number else 0o077)
        try:
            tarballs.append(machine.release(source=source, build=folder / name / "build"))
        finally:
            os.umask(before)
        (folder / name / "unpacked").mkdir()
        unpacked.append(digests(tarballs[-1], folder / name / "unpacked"))
    assert unpacked[0] == unpacked[1]
    assert tarballs[0].read_bytes() == tarballs[1].read_bytes()


@pytest.mark.skipif(not machine.FULL, reason="in --full")
def test_same_bytes_of_packages(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Debian's, built in two folders. dpkg hides a folder if its name has no blank."""
    made = []
    for name in ("one", "another"):
        (folder / name / "work").mkdir(parents=True)
        monkeypatch.setenv("TMPDIR", str(folder / name / "work"))
        machine.run(machine.ROOT / "tools" / "package", "deb", folder / name, "-b")
        packages = sorted((folder / name).glob("*.deb"))
        made.append({path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in packages})
    assert made[0] and made[0] == made[1]
