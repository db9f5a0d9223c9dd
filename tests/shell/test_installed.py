# SPDX-License-Identifier: Apache-2.0
"""Does the command work where it is installed, under any prefix, by its link, from any place?"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import command
import machine
import pytest
from command import FINDING, Answer, is_an_error, ompd


@pytest.fixture(name="prefix")
def fixture_prefix(folder: Path) -> Path:
    prefix = folder / "some where"
    machine.run("cmake", "--install", machine.BUILD, "--prefix", prefix)
    return prefix


def test_installed(prefix: Path, folder: Path) -> None:
    core = command.crashed(folder, "abort")
    answer = ompd("core", "--json", core, folder=folder, command=prefix / "bin" / "ompd")
    assert answer.status == FINDING, answer
    library = prefix / "lib" / "ompd" / "libompd.so"
    assert answer.document["library"]["path"] == str(library)
    assert library.with_name("libgompd.so").samefile(library)
    # Moved, and called by a link of the user's.
    moved, link = folder / "moved", folder / "by-link"
    shutil.move(prefix, moved)
    link.symlink_to(moved / "bin" / "ompd")
    page = folder / "page.html"
    answer = ompd("core", "--json", "--html", page, core, folder=folder, command=link)
    assert "</html>" in page.read_text(encoding="utf-8"), "its parts are not installed"
    assert answer.document["library"]["path"] == str(moved / "lib" / "ompd" / "libompd.so")


def test_uninstalled(prefix: Path, folder: Path) -> None:
    """Of ours nothing is left, and what was there before is."""
    # CMake writes such a list, but other tests install from the same build.
    files = [path for path in prefix.rglob("*") if not path.is_dir()]
    names = [f"{path}\n" for path in files if path.suffix != ".pyc"]
    (folder / "install_manifest.txt").write_text("".join(names), encoding="utf-8")
    assert "uninstall" in machine.run("cmake", "--build", machine.BUILD, "--target", "help")
    other = prefix / "bin" / "other"
    other.touch()
    machine.run("python3", "-m", "compileall", "-q", prefix / "share" / "ompd")
    machine.run("cmake", f"-Dbuild={folder}", "-P", machine.ROOT / "cmake" / "uninstall.cmake")
    assert [path for path in prefix.rglob("*") if not path.is_dir()] == [other]
    assert not list(prefix.rglob("ompd"))


def test_man_page(prefix: Path) -> None:
    (page,) = prefix.rglob("ompd.1")
    text = machine.run("man", "--warnings", "-l", page)
    for word in ("ompd core", "ompd merge", "--lib-search-root", "EXIT STATUS"):
        assert word in text
    assert "warning" not in text


@pytest.mark.each("words")
@pytest.mark.parametrize("words", [(), ("core",), ("pid",), ("run",), ("merge",)], ids=str)
def test_help(words: tuple[str, ...], folder: Path) -> None:
    answer = ompd(*words, "--help", folder=folder)
    assert answer.status == 0 and "exit status:" in answer.text
    assert all(len(line) <= 100 for line in answer.text.splitlines())


def test_version(prefix: Path, folder: Path) -> None:
    """As `find_package' has it too; with what it would run."""
    (package,) = prefix.rglob("ompdConfigVersion.cmake")
    expected = re.findall('PACKAGE_VERSION "([0-9.]+)"', package.read_text(encoding="utf-8"))[0]
    for where in (prefix / "bin" / "ompd", command.OMPD):
        lines = ompd("--version", folder=folder, command=where).text.splitlines()
        own, python, gdb, sampler = lines
        assert re.fullmatch(rf"ompd {expected}( \(commit [0-9a-f]{{10}}(, changed)?\))?", own)
        assert re.fullmatch(r"Python 3\..*; 3\.9 or newer is needed", python)
        assert re.fullmatch(r"GNU gdb .*[0-9] \(/.*gdb\), Python 3\..*; 10 or newer is .*", gdb)
        assert re.fullmatch(r"ompd-sampler: /.*/ompd-sampler", sampler)
    alone = {"PATH": "/nowhere"}
    words = [sys.executable, command.OMPD, "--version"]
    done = subprocess.run(words, env=alone, stdout=subprocess.PIPE, text=True, check=True)
    assert done.stdout.splitlines()[2].startswith("GDB: there is none; install gdb")


OLDER = """
import runpy, sys
sys.version_info = (3, 6, 8)
sys.argv = sys.argv[1:]
runpy.run_path(sys.argv[0])
"""


def test_older_python(folder: Path) -> None:
    """Of a Python that is too old, on a machine that has others in PATH."""
    shims, pythons = folder / "shims", folder / "pythons"
    shims.mkdir()
    pythons.mkdir()
    answers = {}
    # A version manager's launcher for a Python that it does not have; then there is one.
    (shims / "python3.15").write_text("#!/bin/sh\necho no such version >&2; exit 127\n")
    (shims / "python3.15").chmod(0o755)
    for here in ("nothing", "newer"):
        if here == "newer":
            (pythons / "python3.11").symlink_to(sys.executable)
        answers[here] = subprocess.run(
            [sys.executable, "-c", OLDER, command.OMPD, "--version"],
            env={"PATH": f"{shims}:{pythons}"},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert answers["newer"].returncode == 0 and answers["newer"].stdout.startswith("ompd ")
    assert answers["newer"].stderr == "" == answers["nothing"].stdout
    (words,) = answers["nothing"].stderr.splitlines()
    assert words == "ompd: this is Python 3.6, and 3.9 is needed. PATH has no newer one."
    assert answers["nothing"].returncode == command.CANNOT_READ


def test_mistakes(folder: Path) -> None:
    for words in (
        (),
        ("merge",),
        ("cores",),
        ("core",),
        ("pid", "1", "2"),
        ("pid", "word"),
        ("pid", "--timeout", "soon", "1"),
        ("core", "--text", "--json", "x"),
    ):
        is_an_error(ompd(*words, folder=folder), "--help")
    many = ompd("merge", "a.json", "--all", *["b.json"] * 1000, folder=folder)
    is_an_error(many, "unrecognized", "--help")
    assert len(many.errors) < 400


def test_output_cannot_be_written(folder: Path) -> None:
    core = command.crashed(folder, "abort")
    is_an_error(ompd("core", "-o", folder, core, folder=folder), "cannot be written")
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            [command.OMPD, "core", core],
            cwd=folder,
            env={**os.environ, "TMPDIR": str(folder)},
            stdout=full,
            stderr=subprocess.PIPE,
            check=False,
        )
    is_an_error(Answer(done.returncode, "", done.stderr.decode()), "No space left")
