# SPDX-License-Identifier: Apache-2.0
"""A program that a library has ended, or whose instruction the processor refused: is the cause
told, in which words, and never another?"""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple, Optional

import machine
import pytest
from sessions import ask, kernel_core


class Ended(NamedTuple):
    signal: str
    words: str  # of the finding
    refused: Optional[str] = None
    terminated: Optional[str] = None
    said_by: Optional[str] = None


LIBC, LIBOMP = "the C library", "LLVM libomp"
WAYS = {
    "assertion": Ended("SIGABRT", 'Assertion `zero == 1 && "rows add up"\' failed.', said_by=LIBC),
    "pure_virtual": Ended(
        "SIGABRT", "a virtual function was called that has no code", terminated="pure_virtual"
    ),
    "stack_smashed": Ended("SIGABRT", "*** stack smashing detected ***", said_by=LIBC),
    "fortified": Ended("SIGABRT", "*** buffer overflow detected ***", said_by=LIBC),
    "freed_twice": Ended("SIGABRT", "free(): double free detected", said_by=LIBC),
    "freed_elsewhere": Ended("SIGABRT", "free(): invalid pointer", said_by=LIBC),
    "aborted": Ended("SIGABRT", "SIGABRT, in R1.1"),
    "lock_not_set": Ended("SIGABRT", "LLVM libomp says `OMP: Error #", said_by=LIBOMP),
    "trap": Ended("SIGILL", "(`ud2' is the compiler's way to end a program", "trap"),
    "divides_by_zero": Ended("SIGFPE", "(integer division by zero)", "division_by_zero"),
    "result_too_large": Ended("SIGFPE", "division does not fit", "result_too_large"),
    "not_supported": Ended(
        "SIGILL", "(the processor does not have `vexp2pd %zmm0,%zmm1'", "not_supported"
    ),
    "not_aligned": Ended("SIGSEGV", "needs an aligned address, and 0x", "not_aligned"),
    "privileged": Ended("SIGSEGV", "(a program may not execute `hlt')", "privileged"),
    "returns_nowhere": Ended("SIGSEGV", "was overwritten: 0x4141414141414141", "returns_nowhere"),
    "no_address": Ended("SIGSEGV", "(no memory can be at 0x4141414141414141)", "no_address"),
    "calls_null": Ended("SIGSEGV", "(a null pointer was called)", "calls_nothing"),
    "calls_data": Ended("SIGSEGV", ", which was called or returned to)", "calls_nothing"),
    "null_pointer": Ended("SIGSEGV", "(no memory is mapped at 0x18: likely a null pointer)"),
    "wild_pointer": Ended("SIGSEGV", "(no memory is mapped at 0x41414141)"),
    "read_only": Ended("SIGSEGV", " may only be read)"),
    "closed": Ended("SIGSEGV", " may neither be read nor written)"),
    "sends_segv": Ended("SIGSEGV", "(the program has sent it to itself)"),
    "sends_fpe": Ended("SIGFPE", "(the program has sent it to itself)"),
    "sends_ill": Ended("SIGILL", "(the program has sent it to itself)"),
}
# Which rights the memory had.
NOT_IN_GCORE = ("read_only", "closed")
BUILDS = [
    (compiler, build, flags)
    for compiler in ("g++", machine.CLANG)
    for build, flags in (("debug", ()), ("optimised", ()), ("release", ("-s",)))
]


def program(compiler: str, build: str, flags: tuple[str, ...]) -> Path:
    return machine.compiled(
        "ended", build, compiler=compiler, link=("-fstack-protector-all", *flags)
    )


def settings(compiler: str) -> dict[str, str]:
    if compiler == "g++":
        return {}
    home = machine.cached("libomp-14")
    return {"LD_LIBRARY_PATH": str(home), "KMP_CONSISTENCY_CHECK": "all"}


def mine(number: int, compiler: str) -> list[str]:
    """All of them in each build in --full, else each in one."""
    ways = list(WAYS) if machine.FULL else list(WAYS)[number % 3 :: 3]
    return [way for way in ways if compiler != "g++" or way != "lock_not_set"]


def check(way: str, document: Any, has_lines: bool) -> None:
    signal, truth = document["signal"], WAYS[way]
    said = " ".join(document["findings"][0]["text"].split())
    found = Ended(signal["name"], "", *(signal[name] for name in Ended._fields[2:]))
    assert found == truth._replace(words=""), f"{way}: {said}"
    assert said.startswith("The program crashed: ") and truth.words in said, said
    assert signal["stack_overflow"] is None and signal["exception"] is None, said
    assert [one["code"] for one in document["findings"]] == ["crash"], document["findings"]
    assert not has_lines or ", in R1.1 (T" in said, said


@pytest.mark.parametrize("compiler, build, flags", BUILDS)
def test_live(compiler: str, build: str, flags: tuple[str, ...], folder: Path) -> None:
    names = mine(BUILDS.index((compiler, build, flags)), compiler)
    before = [f"set environment {name} {value}" for name, value in settings(compiler).items()]
    asked = [one for name in names for one in (f"run {name}", "ompd report -json")]
    files = [program(compiler, build, flags)]
    answer = ask("gdb", asked, before, files, folder=folder)
    for name, document in zip(names, answer.documents[1::2]):
        check(name, document, build != "release")


@pytest.mark.parametrize("compiler, build, flags", BUILDS)
def test_in_cores(compiler: str, build: str, flags: tuple[str, ...], folder: Path) -> None:
    """The kernel's and gcore's."""
    executable = program(compiler, build, flags)
    number = BUILDS.index((compiler, build, flags)) + 1
    names = mine(number, compiler)
    for way in names if machine.FULL else names[number // 3 :: 3]:
        core = kernel_core(executable, (way,), settings(compiler), folder)
        check(way, reported(executable, core, folder), build != "release")
        core.unlink()
        environment = [f"set environment {n} {v}" for n, v in settings(compiler).items()]
        made = folder / "made"
        before = [*environment, f"run {way}", f"gcore {made}"]
        ask("gdb", ["echo"], before, [executable], folder=folder)
        document = reported(executable, made, folder)
        if way in NOT_IN_GCORE:
            assert "may not be used in this way" in document["findings"][0]["text"]
        else:
            check(way, document, build != "release")
        made.unlink()


def reported(executable: Path, core: Path, folder: Path) -> Any:
    answer = ask("gdb", ["ompd report -json"], [], [executable, core], folder=folder)
    return answer.document("ompd report -json")
