# SPDX-License-Identifier: Apache-2.0
"""Which lock does a call always pass? What the sampler reads of code is held against the symbols of
programs for both machines, and against what the plugin's decoder, which binutils' is the measure
of, makes of every call of a library."""

from __future__ import annotations

import os
import re
import struct
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Iterator, Sequence

import pytest
from conftest import BUILD, PROGRAMS, TREE

sys.path.append(str(TREE / "tests" / "gdb"))
sys.path.append(str(TREE / "gdb-plugin"))
import machine  # noqa: E402
from ompd_core.arch.aarch64.words import decode  # noqa: E402
from ompd_core.code.machine_code import Assign, Number, Register  # noqa: E402

PASSED = BUILD / "tests" / "unwind" / "passed"
FULL = os.environ.get("OMPD_FULL") == "1"
TARGET = "aarch64-linux-gnu"
# Which argument is the lock, or the critical construct's variable.
ENTRIES = {"omp_set_lock": 0, "__kmpc_critical": 2, "GOMP_critical_name_start": 0}
PIE, NO_PIE, STATIC = ("-fPIE", "-pie"), ("-fno-pie", "-no-pie"), ("-static",)


def output(*command: object, **more: object) -> str:
    return subprocess.run(
        [str(c) for c in command], check=True, capture_output=True, text=True, **more
    ).stdout


@dataclass
class Binary:
    path: Path
    machine: str

    def tool(self, name: str) -> str:
        return name if self.machine == "x86_64" else f"{TARGET}-{name}"

    def section(self, name: str) -> tuple[int, bytes]:
        """Where it is, and what."""
        for line in output("readelf", "-SW", self.path).splitlines():
            fields = line.partition("]")[2].split()
            if fields[:1] == [name]:
                address, place, size = (int(word, 16) for word in fields[2:5])
                return address, self.path.read_bytes()[place : place + size]
        return 0, b""

    def code(self) -> tuple[int, bytes]:
        """All that is executed: where it is, and what."""
        for line in output("readelf", "-lW", self.path).splitlines():
            fields = line.split()
            if fields[:1] == ["LOAD"] and "E" in fields[6:-1]:
                place, address, _, size = (int(word, 16) for word in fields[1:5])
                return address, self.path.read_bytes()[place : place + size]
        return 0, b""

    def symbols(self) -> dict[str, int]:
        lines = [line.split() for line in output(self.tool("nm"), self.path).splitlines()]
        return {one[2].partition("@")[0]: int(one[0], 16) for one in lines if len(one) == 3}

    def slots(self) -> dict[int, int]:
        """What the dynamic linker writes into the table of addresses, if the file lies at 0."""
        symbols = self.symbols()
        start, table = self.section(".got")
        words = struct.unpack(f"<{len(table) // 8}Q", table[: len(table) // 8 * 8])
        found = {start + 8 * i: word for i, word in enumerate(words)}
        for line in output("readelf", "-rW", self.path).splitlines():
            fields = line.split()
            if len(fields) > 3 and re.search(r"_(RELATIVE|GLOB_DAT)$", fields[2]):
                place = int(fields[0], 16)
                value = symbols.get(fields[4].partition("@")[0]) if len(fields) > 4 else None
                told = int(fields[3], 16)
                found[place] = told if value is None else value
        return found

    def calls(self) -> Iterator[tuple[str, str, int]]:
        """The function that calls, what it calls, and the address behind that."""
        lines = output(self.tool("objdump"), "-d", "-w", self.path).splitlines()
        function, name = "", None
        for line in lines:
            begins = re.match(r"[0-9a-f]+ <([^>]+)>:$", line)
            at = re.match(r" *([0-9a-f]+):\t", line)
            if name and at:
                yield function, name, int(at[1], 16)
            name = None
            if begins:
                function = begins[1]
            found = re.search(r"\t(?:bl|call)\s.*<([^>+]+)>", line)
            if found:
                name = re.sub(r"^gomp_ialias_|@.*$", "", found[1])

    def passed(
        self, folder: Path, asked: Sequence[tuple[int, int]], loaded: bool = True
    ) -> list[int | None]:
        """loaded: what the dynamic linker has written is there."""
        start, code = self.code()
        (folder / "code").write_bytes(code)
        slots = [f"{at:x}={value:x}" for at, value in self.slots().items() if loaded]
        lines = "".join(f"{returns:x} {argument:x}\n" for returns, argument in asked)
        command = (PASSED, self.machine, folder / "code", f"{start:x}", *slots)
        told = output(*command, input=lines).split()
        assert len(told) == len(asked)
        return [None if word == "-" else int(word, 16) for word in told]


def compiled(source: Path, folder: Path, compiler: str, *options: str) -> Binary:
    """For AArch64."""
    words: list[object] = [f"{TARGET}-gcc"]
    if compiler == "clang":
        runtime = machine.cached("libomp-19-arm64")
        linking = (f"-L{runtime}", "-fuse-ld=lld", "-Wl,--allow-shlib-undefined")
        words = [machine.CLANG, f"--target={TARGET}", *linking]
    path = folder / "program"
    subprocess.run(
        [*map(str, words), *options, "-fopenmp", "-pthread", str(source), "-o", str(path)],
        check=True,
        capture_output=True,
    )
    return Binary(path, "aarch64")


BUILDS = [
    (compiler, level, how)
    for compiler in ("gcc", "clang")
    for level in ("-O0", "-O2")
    for how in (PIE, NO_PIE, STATIC)
    # LLVM's runtime for the machine is there as a library alone.
    if (compiler, how) != ("clang", STATIC)
]


@pytest.mark.parametrize("compiler, level, how", BUILDS if FULL else BUILDS[::3])
def test_locks_that_calls_always_pass(tmp_path, compiler, level, how) -> None:
    """The one lock and the critical construct's variable; never one of an array's."""
    binary = compiled(PROGRAMS / "holders.c", tmp_path, compiler, level, *how)
    symbols = binary.symbols()
    (variable,) = (at for name, at in symbols.items() if "gomp_critical_user_ledger" in name)
    of_program = [one for one in binary.calls() if one[1] in ENTRIES]
    functions = ("take", "main", "omp_outlined", ".omp_outlined.", "main._omp_fn.0")
    asked = [(name, at) for function, name, at in of_program if function in functions]
    told = binary.passed(tmp_path, [(at, ENTRIES[name]) for name, at in asked])
    found = {name: [value for (of, _), value in zip(asked, told) if of == name] for name in ENTRIES}
    # Two calls take locks: one of them the lock, one any of the array's.
    assert sorted(found["omp_set_lock"], key=str) == sorted([symbols["one"], None], key=str)
    critical = found["__kmpc_critical"] + found["GOMP_critical_name_start"]
    # With many registers in use gcc loads its address long before, and keeps it on the stack.
    spilled = (compiler, level) == ("gcc", "-O2") and how != NO_PIE
    assert critical == [None if spilled else variable]


@pytest.mark.parametrize("name", ["x86_64", "aarch64"])
@pytest.mark.parametrize("compiler", ["gcc", "clang"])
def test_ways_that_join_before_the_call(tmp_path, name, compiler) -> None:
    """One of them alone is not what is passed."""
    source = PROGRAMS / "joined.c"
    for level in ("-O1", "-O2"):
        options = (level, "-fno-inline", "-fno-optimize-sibling-calls")
        if name == "aarch64":
            binary = compiled(source, tmp_path, compiler, *options)
        else:
            words = {"gcc": "gcc", "clang": machine.CLANG}[compiler]
            output(words, *options, "-fopenmp", source, "-o", tmp_path / "program")
            binary = Binary(tmp_path / "program", name)
        calls = [(of, at) for of, called, at in binary.calls() if called == "omp_set_lock"]
        told = binary.passed(tmp_path, [(at, 0) for _, at in calls])
        found: dict[str, list[int | None]] = {}
        for (of, _), value in zip(calls, told):
            found.setdefault(of, []).append(value)
        assert found.pop("main") == [binary.symbols()["a"]]
        assert len(found) == 3
        for values in found.values():
            # A compiler may have made a call for each way.
            assert values == [None] or len(values) == 2


def by_plugins_decoder(words: Sequence[int], start: int, call: int) -> dict[str, int]:
    """What is in registers at the call, by the straight code in front of it."""
    known: dict[str, int] = {}

    def value(number: Number | None) -> int | None:
        if number is None:
            return None
        total = number.constant
        for atom, factor in number.terms:
            if not isinstance(atom, Register) or atom.name not in known:
                return None
            total += factor * known[atom.name]
        return total % (1 << 64)

    for index in range(max(call - 40, 0), call):
        one = decode(start + 4 * index, words[index]).instruction
        if one.flow in ("jump", "end"):
            known.clear()
        if one.flow == "call":
            known = {name: v for name, v in known.items() if 19 <= int(name[1:]) <= 29}
        for step in one.steps:
            if isinstance(step, Assign):
                made = value(step.value)
                known.pop(step.register, None)
                if made is not None and step.register.startswith("x"):
                    known[step.register] = made
    return known


@pytest.mark.parametrize("library", ("libgomp-12-arm64", "libomp-19-arm64")[: 2 if FULL else 1])
def test_calls_of_a_library(tmp_path, library) -> None:
    """What the sampler tells is what the plugin's decoder tells, and it tells most of that."""
    folder = machine.cached(library)
    path = next(one for one in folder.glob("lib*omp.so*") if one.is_file())
    binary = Binary(path, "aarch64")
    start, code = binary.section(".text")
    words = struct.unpack(f"<{len(code) // 4}I", code)
    calls = [index for index, word in enumerate(words) if word >> 26 == 0x25 and index > 40]
    assert len(calls) > 1000
    asked = [(start + 4 * (index + 1), argument) for index in calls for argument in range(3)]
    told = iter(binary.passed(tmp_path, asked, loaded=False))
    same = unknown = 0
    for index in calls:
        known = by_plugins_decoder(words, start, index)
        for argument in range(3):
            ours, theirs = next(told), known.get(f"x{argument}")
            assert ours in (None, theirs), (hex(start + 4 * index), argument, ours, theirs)
            same += ours is not None
            unknown += ours is None and (theirs or 0) > 0xFFF
    assert same > 500 and unknown < same / 4, (same, unknown)
