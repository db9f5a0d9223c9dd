# SPDX-License-Identifier: Apache-2.0
"""Is the build told what it lacks, and does it look again?"""

from __future__ import annotations

import shutil
from pathlib import Path

import machine
import pytest
from command import ompd

WITHOUT = """#!/bin/sh
# A compiler of a machine without libdw, until the file `libdw' is beside it.
case " $* " in *" -ldw "*) [ -e "${0%/*}/libdw" ] || exit 1 ;; esac
exec gcc "$@"
"""
COMMAND = "apt-get install libdw-dev"


def test_elfutils_that_come_later(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The one command that brings them is named, also by what wants them; then they are found."""
    if shutil.which("apt-get") is None:
        pytest.skip("on Debian and its kin")
    compiler, build = folder / "cc", folder / "a build"
    compiler.write_text(WITHOUT, encoding="utf-8")
    compiler.chmod(0o755)
    configure = ("cmake", "-S", machine.ROOT, "-B", build, "-DBUILD_TESTING=OFF")
    said = machine.run(*configure, f"-DCMAKE_C_COMPILER={compiler}")
    assert f"is not built: elfutils' libraries and headers are missing: {COMMAND}" in said
    monkeypatch.setenv("OMPD_BUILD", str(build))
    answer = ompd("record", "--", "true", folder=folder)
    assert answer.status == 125 and COMMAND in answer.errors
    (folder / "libdw").touch()
    assert "ompd-sampler" not in machine.run(*configure)
    assert not (build / "sampler-not-built.txt").exists()
    assert "ompd-sampler" in machine.run("cmake", "--build", build, "--target", "help")


def test_where_a_source_tree_is_built(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """README's build first, else that of tools/check, unless it is said."""
    monkeypatch.delenv("OMPD_BUILD")
    build = machine.source_tree.build
    assert build(str(folder)) == str(folder / "build")
    for name in ("build/check/gcc", "build"):
        (folder / name / "libompd").mkdir(parents=True)
        (folder / name / "libompd" / "libompd.so").touch()
        assert build(str(folder)) == str(folder / name)
    monkeypatch.setenv("OMPD_BUILD", str(folder / "other"))
    assert build(str(folder)) == str(folder / "other")
