# SPDX-License-Identifier: Apache-2.0
"""Do the sources of the packages say what the project says: its version, and what it needs?"""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]

# By what it is: where the project says it, and where a package does.
SAID = {
    "version": {
        "CMakeLists.txt": r"^project\(ompd VERSION ([\d.]+)",
        "packaging/debian/changelog": r"\Aompd \(([\d.]+)-",
        "packaging/rpm/ompd.spec": r"^Version: +([\d.]+)$",
        "packaging/spack/package.py": r'^    version\("([\d.]+)"',
        "packaging/conda/recipe.yaml": r'^  version: "([\d.]+)"$',
    },
    "CMake": {
        "CMakeLists.txt": r"^cmake_minimum_required\(VERSION ([\d.]+)\)$",
        "packaging/debian/control": r"^ cmake \(>= ([\d.]+)\),$",
        "packaging/rpm/ompd.spec": r"^BuildRequires: +cmake >= ([\d.]+)$",
        "packaging/spack/package.py": r'"cmake@([\d.]+):"',
        "packaging/conda/recipe.yaml": r"- cmake >=([\d.]+)$",
    },
    "Python": {
        "gdb-plugin/bin/ompd": r"^OLDEST = \((3, \d+)\)$",
        "packaging/debian/control": r"^X-Python3-Version: >= ([\d.]+)$",
        "packaging/rpm/ompd.spec": r"^Requires: +python3 >= ([\d.]+)$",
        "packaging/spack/package.py": r'"python@([\d.]+):"',
        "packaging/conda/recipe.yaml": r"- python >=([\d.]+)$",
    },
    "GDB": {
        "packaging/debian/control": r"^ gdb \(>= (\d+)\)",
        "packaging/rpm/ompd.spec": r"^Requires: +gdb >= (\d+)$",
        "packaging/spack/package.py": r'"gdb@(\d+):',
        "packaging/conda/recipe.yaml": r"- gdb >=(\d+)$",
    },
}


@pytest.mark.parametrize("what", SAID)
def test_agree(what: str) -> None:
    said = {}
    for name, pattern in SAID[what].items():
        text = (ROOT / name).read_text(encoding="utf-8")
        (found,) = re.findall(pattern, text, re.M)
        said[name] = found.replace(", ", ".")
    assert len(set(said.values())) == 1, said


def read(name: str) -> str:
    return (ROOT / "packaging" / name).read_text(encoding="utf-8")


def test_archive() -> None:
    """Spack's has the version in its name."""
    text = read("spack/package.py")
    assert set(re.findall(r"ompd-([\d.]+)\.tar", text)) == set(re.findall(r'version\("(.*)"', text))


def test_readable() -> None:
    """Their tools are not to be had everywhere, so that this is all that is sure here."""
    ast.parse(read("spack/package.py"))
    recipe = yaml.safe_load(read("conda/recipe.yaml"))
    assert recipe["schema_version"] == 1 and recipe["package"]["name"] == "ompd"


def test_one_maintainer() -> None:
    control = read("debian/control")
    (maintainer,) = re.findall(r"^Maintainer: (.*)$", control, re.M)
    for name in ("debian/changelog", "debian/copyright", "rpm/ompd.spec"):
        assert maintainer in read(name), name
