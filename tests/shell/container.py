# SPDX-License-Identifier: Apache-2.0
"""A container as container engines make them: own users, processes, mounts and root. In the root
are libraries of another release, at the paths where this machine has its own."""

from __future__ import annotations

import contextlib
import shutil
import subprocess
from pathlib import Path
from typing import Iterator

import machine
import pytest

LIBRARIES = "lib/x86_64-linux-gnu"
LOADER = "lib64/ld-linux-x86-64.so.2"
NAMESPACES = ("unshare", "--user", "--map-root-user", "--mount", "--pid", "--fork")
NAMESPACES += ("--kill-child=KILL", "--propagation=private")

# Whatever shell there is outside: inside is none.
PIVOT = """
mount --rbind "$0" "$0" && cd "$0" && mount -t proc proc proc &&
exec ./{loader} --library-path {libraries} ./start "$@"
"""
START = """\
#include <sys/mount.h>
#include <sys/syscall.h>
#include <unistd.h>
int main(int count, char **words)
{
    if (syscall(SYS_pivot_root, ".", "old") || chdir("/") || umount2("/old", MNT_DETACH))
        return count;
    execv(words[1], words + 1);
    return 1;
}
"""
CHROOT = """exec chroot "$0" "$@" """

# Of four threads one never comes to the barrier.
STAYING = """\
#include <omp.h>
#include <stdio.h>
#include <unistd.h>
int main(void)
{
#pragma omp parallel num_threads(4)
    {
        if (omp_get_thread_num() == 2) {
            puts("stays");
            fflush(stdout);
            pause();
        }
#pragma omp barrier
        if (omp_get_thread_num() == 9)
            puts("never");
    }
    return 0;
}
"""
PARALLEL, PAUSES, BARRIER = 6, 11, 13  # lines of it


def root_of(runtime: str, folder: Path) -> Path:
    """With the program /staying, whose source is /src/staying.c."""
    root, home = folder / "root", machine.cached(runtime)
    for name in (LIBRARIES, "lib64", "proc", "old", "src"):
        (root / name).mkdir(parents=True)
    shutil.copy(home / "libc" / Path(LOADER).name, root / LOADER)
    for library in ("libc.so.6", "libm.so.6", "libpthread.so.0", "libdl.so.2"):
        shutil.copy(home / "libc" / library, root / LIBRARIES / library)
    shutil.copy(home / "libgomp.so.1", root / LIBRARIES / "libgomp.so.1")
    (root / "src" / "staying.c").write_text(STAYING, encoding="ascii")
    (folder / "start.c").write_text(START, encoding="ascii")
    machine.run("gcc", folder / "start.c", "-o", root / "start")
    flags = ["-g", "-O1", "-fopenmp", f"-fdebug-prefix-map={root}="]
    machine.run("gcc", *flags, root / "src" / "staying.c", "-o", root / "staying")
    return root


@contextlib.contextmanager
def running(root: Path, pivots: bool = True, program: str = "/staying") -> Iterator[int]:
    """The process, by its number on this machine. pivots: else it has another root than its mount
    namespace."""
    enter = PIVOT.format(loader=LOADER, libraries=LIBRARIES) if pivots else CHROOT
    with entered("sh", "-c", enter, root, program) as pid:
        yield pid


@contextlib.contextmanager
def entered(*words: str | Path) -> Iterator[int]:
    """Its first process, by its number on this machine."""
    with subprocess.Popen(
        [*NAMESPACES, *words],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None and process.stderr is not None
        try:
            if process.stdout.readline() != "stays\n":
                why = process.stderr.read().strip()
                pytest.skip(f"no container can be made here, for which user namespaces are: {why}")
            (pid,) = children(process.pid)
            yield pid
        finally:
            # What is in the container ends with its first process.
            process.kill()


def children(pid: int) -> list[int]:
    listed = Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii")
    return [int(word) for word in listed.split()]
