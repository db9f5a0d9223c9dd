# SPDX-License-Identifier: Apache-2.0
"""Is a lock not taken to be free, in a core file that has zeros where it was? gcore writes them for
memory that it cannot read."""

from __future__ import annotations

import struct
import subprocess
import time
from pathlib import Path

import machine
from command import CANNOT_TELL, FINDING, ompd

PROGRAM = """\
#include <omp.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
static union {
    pthread_mutex_t mutex;
    char page[4096];
} blank __attribute__((aligned(4096))) = {PTHREAD_MUTEX_INITIALIZER};
static pthread_mutex_t other = PTHREAD_MUTEX_INITIALIZER;
int main(void)
{
    printf("%p\\n", (void *)&blank);
    fflush(stdout);
    #pragma omp parallel num_threads(2)
    {
        int mine = omp_get_thread_num();
        pthread_mutex_t *mutex = mine ? &other : &blank.mutex;
        pthread_mutex_lock(mutex);
        #pragma omp barrier
        pthread_mutex_lock(mine ? &blank.mutex : &other);
    }
}
"""
_LOAD = 1


def blank(core: Path, address: int) -> None:
    """The page there. The file is of 64 bits, little-endian."""
    data = bytearray(core.read_bytes())
    (at,) = struct.unpack_from("<Q", data, 32)
    size, count = struct.unpack_from("<HH", data, 54)
    for number in range(count):
        kind, _, offset, start, _, length = struct.unpack_from("<IIQQQQ", data, at + number * size)
        if kind == _LOAD and start <= address < start + length:
            place = offset + address - start
            data[place : place + 4096] = bytes(4096)
            core.write_bytes(data)
            return
    raise AssertionError(f"{address:#x} is not in the core file")


def test_a_lock_in_a_page_of_zeros(folder: Path) -> None:
    source, program = folder / "locks.c", folder / "locks"
    source.write_text(PROGRAM, encoding="ascii")
    machine.run("gcc", "-g", "-fopenmp", source, "-o", program)
    with subprocess.Popen([program], stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            address = int(process.stdout.readline(), 16)
            time.sleep(0.5)
            machine.run("gcore", "-o", folder / "core", str(process.pid))
        finally:
            machine.kill(process)
    core = folder / f"core.{process.pid}"
    whole = ompd("core", core, program, folder=folder)
    assert (whole.status, "DEADLOCK" in whole.text) == (FINDING, True), whole
    blank(core, address)
    left = ompd("core", core, program, folder=folder)
    assert left.status == CANNOT_TELL, left
    text = " ".join(left.text.split())
    assert "mutex `blank' cannot be read, or is damaged" in text, left
