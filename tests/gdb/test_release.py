# SPDX-License-Identifier: Apache-2.0
"""Does the release work where it is unpacked, for GDB and for those who build on it?"""

from __future__ import annotations

import os
from pathlib import Path

import machine
import pytest
from sessions import ask, target
from test_truth import told_truth

ASK = ["ompd threads -json", "ompd parallel -json", "ompd status"]


@pytest.fixture(name="prefix", scope="module")
def fixture_prefix(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return machine.unpacked(machine.release(), tmp_path_factory.mktemp("release"))


@pytest.mark.parametrize("file", ["share/ompd/ompd-gdb.py", "etc/gdb/gdbinit.d/ompd.py"])
@pytest.mark.parametrize("kind", ["live", "core"])
def test_unpacked_anywhere(kind: str, file: str, prefix: Path, folder: Path) -> None:
    """Also by the link that GDB reads by itself, where the prefix is GDB's."""
    elsewhere = folder / "else where"
    machine.run("cp", "-r", prefix, elsewhere)
    plugin = [f"source {elsewhere}/{file}"]
    with target(kind, machine.compiled("nested"), (), machine.cached("libomp-14"), folder) as made:
        answer = ask("gdb", ASK, made.before, made.files, folder=folder, plugin=plugin)
        told_truth(made.truth(), answer)
    assert f"{elsewhere}/lib/ompd/libompd.so" in " ".join(answer.texts[2].split())


def test_pkg_config(prefix: Path, folder: Path) -> None:
    source = folder / "tool.c"
    source.write_text(
        "#include <ompd.h>\n#include <ompd-ext.h>\n"
        "int main(void) { ompd_word_t version; return ompdx_get_version(&version); }\n",
        encoding="utf-8",
    )
    (config,) = prefix.rglob("ompd.pc")
    os.environ["PKG_CONFIG_PATH"] = str(config.parent)
    flags = machine.run("pkg-config", "--cflags", "--libs", "ompd").split()
    tool = folder / "tool"
    machine.run("gcc", source, *flags, "-o", tool)
    machine.run(tool)


def test_man_page_and_module_file(prefix: Path) -> None:
    (page,) = prefix.rglob("ompd-gdb.1")
    text = machine.run("man", "--warnings", "-l", page)
    assert "ompd parallel" in text and "warning" not in text
    (module,) = prefix.rglob("modulefiles/ompd/*")
    script = module.read_text(encoding="utf-8")
    assert "../../.." not in script and "ompd-gdb.py" in script and "@" not in script
