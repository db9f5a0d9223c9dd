#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Make the fuzzer's seeds from real cores: make_seeds.py NAME...

NAME is CASE-RUNTIME, as "teams-2-flat-libomp-19": a case of tests/gdb/cells.py, or a program
without arguments, and a name of tools/test-runtimes; with "-tracked" behind it, the runtime tracks
states (OMP_DEBUG=enabled). "targets-libomptarget-19" is a program with threads in target
constructs. Or it is one of FAKES, for machines of which there is no core here. Of all the memory,
the seed has the pages that libompd reads, found out by record_seed.
OMPD_BUILD names the build directory, as in tests/gdb.
"""

from __future__ import annotations

import lzma
import re
import struct
import sys
import tempfile
from pathlib import Path
from typing import Iterator

HERE = Path(__file__).resolve().parent
sys.path[:0] = [
    *(str(HERE.parent / name) for name in ("gdb", "offload")),
    str(HERE.parents[1] / "gdb-plugin"),
]

# pylint: disable=wrong-import-position
import cells  # noqa: E402
import gpu  # noqa: E402
import machine  # noqa: E402
import sessions  # noqa: E402
from ompd_core.formats.corefile import CoreFile, Mapping  # noqa: E402
from ompd_core.formats.elf import PT_LOAD, ElfFile  # noqa: E402

# Everything, the pages of files too: libompd reads the runtime's symbols from memory.
COREDUMP_FILTER = "0x7f"
NT_PRSTATUS = 1
# In x86-64's struct elf_prstatus.
PR_PID, PR_FS_BASE = 32, 112 + 21 * 8
# What a debugger that reads symbol tables can find of what libompd asks for.
ASKED = re.compile(r"ompd_\w+|__kmp_(threads|threads_capacity|thread_pool|all_nth|nth)")
# Name: world and scenario of tests/fake.
FAKES = {
    "fake-nested-32-bit": ("published, 32 bit", "nested_everywhere"),
    "fake-nested-32-bit-big-endian": ("stripped, 32 bit big endian", "serialized_between"),
    "fake-teams-big-endian": ("published, 64 bit big endian", "teams"),
}
TRACKED = "-tracked"
OFFLOADS = "libomptarget"
IN_CONSTRUCTS = ("several", "0")  # of tests/programs/targets.c: with mappings on several devices
TOOLS = machine.BUILD / "tests" / "fuzz"


def memory(core: ElfFile) -> Iterator[bytes]:
    for segment in core.segments():
        if segment.kind == PT_LOAD and segment.file_size:
            start = struct.pack("<QI", segment.address, segment.file_size)
            yield b"M" + start + core.read(segment.offset, segment.file_size)


def threads(core: ElfFile) -> Iterator[bytes]:
    """With glibc the pthread id is the thread pointer."""
    for kind, offset, size in core.notes():
        if kind == NT_PRSTATUS:
            status = core.read(offset, size)
            (lwp,) = struct.unpack_from("<i", status, PR_PID)
            (fs_base,) = struct.unpack_from("<Q", status, PR_FS_BASE)
            yield b"T" + struct.pack("<QQ", fs_base, lwp)


def symbols(mappings: list[Mapping]) -> Iterator[bytes]:
    for mapping in mappings:
        name = Path(mapping.path).name
        if mapping.offset or not name.startswith(("ld-linux", "libomp", "libgomp")):
            continue
        for table in ([], ["-D"]):
            listed = machine.run("nm", *table, "--defined-only", mapping.path)
            for line in listed.splitlines():
                address, _, symbol = line.split(" ")[:3]
                symbol = symbol.split("@")[0]
                if symbol == "_r_debug" or (name.startswith("libomp") and ASKED.fullmatch(symbol)):
                    place = mapping.start + int(address, 16)
                    yield b"S" + struct.pack("<QB", place, len(symbol)) + symbol.encode()


def case_and_runtime(name: str) -> tuple[machine.Case, str]:
    for case in cells.CASES:
        if name.startswith(f"{case}-lib"):
            return case, name[len(f"{case}-") :]
    program, runtime = name.split("-", 1)
    return machine.Case(program, args=IN_CONSTRUCTS if OFFLOADS in runtime else ()), runtime


def from_core(name: str, whole: Path) -> None:
    case, runtime = case_and_runtime(name.removesuffix(TRACKED))
    environment = {
        "LD_LIBRARY_PATH": str(machine.cached(runtime)),
        "OMPD_TRUTH_FILE": str(whole.with_name("truth.json")),
    }
    if name.endswith(TRACKED):
        environment["OMP_DEBUG"] = "enabled"
    if OFFLOADS in runtime:
        environment["TMPDIR"] = str(whole.parent)  # the host plugin leaves the code that it loads
        program = gpu.compiled(case.source)
    else:
        program = machine.compiled(case.source)
    path = sessions.kernel_core(program, case.args, environment, whole.parent)
    core, mappings = ElfFile(str(path)), CoreFile(str(path)).mappings
    known = dict.fromkeys(symbols(mappings))
    whole.write_bytes(b"F\0" + b"".join([*threads(core), *known, *memory(core)]))


def make(name: str, folder: Path) -> None:
    whole, seed = folder / "whole", folder / "seed"
    if name in FAKES:
        machine.run(TOOLS / "dump_fake", *FAKES[name], whole)
    else:
        from_core(name, whole)
    machine.run(TOOLS / "record_seed", whole, seed)
    packed = HERE / "seeds" / f"{name}.image.xz"
    packed.write_bytes(lzma.compress(seed.read_bytes(), preset=9 | lzma.PRESET_EXTREME))
    print(f"{packed.name}: {seed.stat().st_size} bytes, packed {packed.stat().st_size}")


def main() -> None:
    Path("/proc/self/coredump_filter").write_text(COREDUMP_FILTER, encoding="ascii")
    for name in sys.argv[1:]:
        with tempfile.TemporaryDirectory() as folder:
            make(name, Path(folder))


if __name__ == "__main__":
    main()
