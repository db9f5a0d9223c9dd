# SPDX-License-Identifier: Apache-2.0
"""Does the shell's command name code of libraries that have no symbols, as GDB with the plugin
does: by the library and the place in it?"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
from pathlib import Path

import machine
import pytest
from command import FINDING, OMPD, ompd
from place_libraries import are_right, crashed, made

NAMED = re.compile(r"(lib\w+\.so)\+0x([0-9a-f]+)")
PAGE = 0x1000


@pytest.mark.each("apart")
@pytest.mark.parametrize("apart", [False, True], ids=["loaded", "in a namespace of its own"])
def test_library_without_symbols(apart: bool, folder: Path) -> None:
    executable, shared = made(folder, "gcc", "-g", "gcc")
    core, truth = crashed(executable, ["region", str(shared)], folder, apart=apart)
    answer = ompd("core", core, "--json", folder=folder)
    assert answer.status == FINDING
    are_right(answer.document["threads"], truth, answer.text)
    shown = ompd("core", core, folder=folder).text.split("Parallel regions")[0]
    assert "?? ()" not in shown and "R1.1-2" in shown
    offsets = {int(at, 16) % PAGE for name, at in NAMED.findall(shown) if name == shared.name}
    waiting = {
        int(one["where"]["pc"], 16) % PAGE
        for one in answer.document["threads"]
        if one["openmp"] and one["openmp"][0]["state"].startswith("wait_barrier")
    }
    assert waiting and waiting <= offsets, shown


WAITING = """\
#include <omp.h>
#include <stdio.h>
#include <unistd.h>
{more}
void solve(void)
{{
#pragma omp parallel num_threads(2)
    if (omp_get_thread_num() == 0) {{
        puts("there");
        fflush(stdout);
        sleep(600);
    }}
}}
"""
LOADING = """\
#include <dlfcn.h>
int main(int count, char **words)
{
    ((void (*)(void))dlsym(dlopen(words[1], RTLD_NOW), "solve"))();
    return count;
}
"""


def library_of(source: Path, library: Path, more: str) -> None:
    source.write_text(WAITING.format(more=more), encoding="ascii")
    flags = ["-g", "-O1", "-fopenmp", "-fPIC", "-shared"]
    machine.run("gcc", *flags, source, "-o", library)


# Of root's rights, that by which the kernel's own links to mapped files can be followed.
WITHOUT_LINKS = """\
#!/bin/sh
exec setpriv --bounding-set=-sys_admin,-checkpoint_restore {ompd} "$@"
"""


@pytest.mark.each("right")
@pytest.mark.parametrize("right", [True, False], ids=["links are followed", "they are not"])
def test_gone_while_it_runs(right: bool, folder: Path) -> None:
    """Another build in its place: nothing that the new file tells of the code is so. Or nothing."""
    if os.geteuid() != 0 and right:
        raise machine.Missing("The kernel's links to mapped files are root's: run it as root.")
    asking = OMPD
    if os.geteuid() == 0 and not right:
        asking = folder / "ompd"
        asking.write_text(WITHOUT_LINKS.format(ompd=shlex.quote(str(OMPD))), encoding="utf-8")
        asking.chmod(0o755)
    program, library = folder / "program", folder / "libwaits.so"
    (folder / "program.c").write_text(LOADING, encoding="ascii")
    machine.run("gcc", folder / "program.c", "-o", program, "-ldl")
    library_of(folder / "first.c", library, "")
    with subprocess.Popen([program, library], stdout=subprocess.PIPE) as process:
        try:
            assert process.stdout is not None and process.stdout.readline() == b"there\n"
            as_it_was = ompd("pid", str(process.pid), folder=folder).text
            library.unlink()
            library_of(folder / "second.c", library, "int other(int a) { return a ? a + 7 : 3; }\n")
            replaced = ompd("pid", str(process.pid), "--json", folder=folder, command=asking)
            library.unlink()
            deleted = ompd("pid", str(process.pid), folder=folder, command=asking).text
        finally:
            process.kill()
    assert "solve () at first.c:11" in as_it_was and str(library) not in as_it_was
    (where,) = [one["where"] for one in replaced.document["threads"] if one["where"]]
    assert where["objfile"] == str(library)
    notes = " ".join(replaced.document["notes"])
    if right:
        assert (where["function"], where["line"]) == ("solve", 11), replaced.text
        assert "solve () at first.c:11" in deleted and str(library) not in notes + deleted
    else:
        assert where["function"] is where["line"] is None
        assert re.search(rf"cannot be reached: {library}\.", notes), notes
        assert re.search(r"libwaits\.so\+0x1[0-9a-f]+ \(\), in sleep", deleted), deleted
        assert f"cannot be reached: {library}" in re.sub(r"\s+", " ", deleted)


@pytest.mark.each("name")
@pytest.mark.parametrize("name", ["./libwaits.so", "../beside/libwaits.so"])
def test_name_that_begins_in_the_programs_folder(name: str, folder: Path) -> None:
    """Another build is there by that name from where the command is."""
    there, here = folder / "there", folder / "here"
    for one in (there, here, folder / "beside"):
        one.mkdir()
    library, program = (there / name).resolve(), there / "program"
    (folder / "program.c").write_text(LOADING, encoding="ascii")
    machine.run("gcc", folder / "program.c", "-o", program, "-ldl")
    library_of(folder / "right.c", library, "")
    library_of(folder / "other.c", here / "libwaits.so", "int other(int a) { return a * 7; }\n")
    with subprocess.Popen([program, name], cwd=there, stdout=subprocess.PIPE) as process:
        try:
            assert process.stdout is not None and process.stdout.readline() == b"there\n"
            living = ompd("pid", str(process.pid), "--json", folder=here)
            machine.run("gcore", "-o", folder / "core", str(process.pid))
        finally:
            process.kill()
    core = ompd("core", folder / f"core.{process.pid}", program, "--json", folder=here)
    for answer in (living, core):
        (where,) = [one["where"] for one in answer.document["threads"] if one["where"]]
        assert (where["function"], where["line"]) == ("solve", 11), answer.text
        assert where["objfile"] == str(library)
        (region,) = [one for one in answer.document["regions"] if one["generator"] == "parallel"]
        assert region["loc"]["function"] == "solve", region
