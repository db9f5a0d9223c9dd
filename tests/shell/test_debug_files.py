# SPDX-License-Identifier: Apache-2.0
"""Does a report end whatever a program, or its library, names as its separate debug information?"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import command
import machine
import pytest
from command import CANNOT_READ, is_an_error, ompd
from ompd_cli import debug_files
from ompd_core.errors import UserError

KINDS = ["pipe", "device", "holes"]
WORDS = {"pipe": "is a pipe", "device": "is a device", "holes": "is a file of 1024 GiB"}


def put(kind: str, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "device":
        path.symlink_to("/dev/zero")
    else:
        with open(path, "wb") as file:
            file.truncate(1 << 40)


def naming(file: Path, copy: Path, name: str) -> Path:
    """A copy that names a debug file."""
    content = copy.with_suffix(".section")
    content.write_bytes(name.encode() + b"\0" * (4 - len(name) % 4) + b"1234")
    words = ["--remove-section=.gnu_debuglink", f"--add-section=.gnu_debuglink={content}"]
    machine.run("objcopy", *words, file, copy)
    copy.chmod(0o755)
    return copy


def sharing(path: Path, name: str) -> Path:
    """A program whose debug information has parts in another file (dwz)."""
    source = path.with_suffix(".c")
    section = f'__attribute__((section(".gnu_debugaltlink"))) const char name[] = "{name}";'
    source.write_text(f"{section}\nint main(void) {{ return 0; }}\n", encoding="ascii")
    machine.run("gcc", source, "-o", path)
    return path


@pytest.mark.parametrize("kind", KINDS)
def test_of_a_process(kind: str, folder: Path) -> None:
    program = naming(Path("/bin/sleep"), folder / "sleep", "evil.debug")
    put(kind, folder / "evil.debug")
    with subprocess.Popen([program, "600"]) as process:
        try:
            answer = ompd("pid", str(process.pid), folder=folder)
            is_an_error(answer, str(folder / "evil.debug"), WORDS[kind], status=CANNOT_READ)
        finally:
            process.kill()
    answer = ompd("run", "--", program, "0", folder=folder)
    is_an_error(answer, WORDS[kind], status=125)


def test_of_a_core_and_its_library(folder: Path) -> None:
    """Also in the folder for debug files below its own, and by a link."""
    library = folder / "lib"
    library.mkdir()
    runtime = (machine.cached("libomp-14") / "libomp.so.5").resolve()
    naming(runtime, library / "libomp.so.5", "evil.debug")
    env = {**command.environment(folder), "LD_LIBRARY_PATH": str(library)}
    core = command.kernel_core(command.program(), ("abort",), env, folder)
    put("pipe", library / ".debug" / "evil.debug")
    answer = ompd("core", core, folder=folder)
    is_an_error(answer, str(library / ".debug" / "evil.debug"), "pipe")
    (library / ".debug" / "evil.debug").unlink()
    assert ompd("core", core, folder=folder).status == command.FINDING


def test_where_gdb_looks(folder: Path) -> None:
    program = sharing(folder / "program", "shared.dwz")
    debug_files.check([str(program), "/no/such/program", str(folder)])
    put("device", folder / "shared.dwz")
    with pytest.raises(UserError, match="shared.dwz"):
        debug_files.check([str(program)])
    # What a debug file that is one names itself.
    (folder / "sub").mkdir()
    other = naming(Path("/bin/sleep"), folder / "sub" / "sleep", "whole.debug")
    sharing(folder / "sub" / "whole.debug", "shared.dwz")
    debug_files.check([str(other)])
    put("pipe", folder / "sub" / "shared.dwz")
    with pytest.raises(UserError, match="shared.dwz"):
        debug_files.check([str(other)])
    # By the build-id, in the tree that the user names.
    build_id = machine.run("readelf", "-n", "/bin/sleep").split("Build ID: ")[1].split()[0]
    root = folder / "root"
    put("pipe", root / f"usr/lib/debug/.build-id/{build_id[:2]}/{build_id[2:]}.debug")
    with pytest.raises(UserError, match=build_id[2:]):
        debug_files.check(["/bin/sleep"], str(root))
    debug_files.check(["/bin/sleep"])
