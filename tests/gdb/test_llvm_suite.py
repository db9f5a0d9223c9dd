# SPDX-License-Identifier: Apache-2.0
"""Does our library pass LLVM's own tests of OMPD, under LLVM's GDB plugin?

Read more strictly than LLVM's runner does: GDB itself has to survive, and tests that LLVM leaves
out for want of determinism are run as well.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import machine
import pytest
from sessions import PATIENCE

RUNTIME, SUITE = "libomp-19-ompd", "ompd-suite-19"
TESTS = 47

# LLVM's library does not pass this one either: it wants another line of the innermost construct.
FAIL_WITH_ANY_LIBRARY = {"openmp_examples/ompd_parallel.c"}


@dataclass(frozen=True)
class Run:
    """One session of a test's: GDB with these commands."""

    commands: Path
    prefix: str  # of what it checks
    variables: dict[str, str] = field(default_factory=dict)


def run_lines(source: Path) -> list[str]:
    """The test's command lines; the comment may go on in the next line."""
    text = source.read_text(encoding="utf-8")
    joined = re.sub(r"(\\|\| tee)\n// (?:RUN:)?", r"\1 ", text).replace("\\ ", " ")
    return re.findall(r"^// RUN: (.*)$", joined, re.MULTILINE)


def runs(source: Path) -> Iterator[Run]:
    for line in run_lines(source):
        if "FileCheck" not in line:
            continue
        named = re.search(r"--?check-prefix[= ](\w+)", line)
        prefix = named.group(1) if named else "CHECK"
        given = re.search(r"-x (\S+)", line)
        commands = given.group(1) if given else str(source.parents[1] / "test.cmd")
        commands = commands.replace("%s", str(source)).replace("%S", str(source.parent))
        words = shlex.split(line.split("%gdb")[0])
        variables = dict(word.split("=", 1) for word in words if "=" in word)
        yield Run(Path(commands), prefix, variables)


def pattern(text: str) -> str:
    """As FileCheck reads it: {{}} holds an expression, and blanks are all alike."""
    parts = re.split(r"\{\{(.*?)\}\}", text.strip())
    said = [part if number % 2 else re.escape(part) for number, part in enumerate(parts)]
    return re.sub(r"(\\ )+", " +", "".join(said))


def wrong(source: Path, prefix: str, output: str) -> list[str]:
    """What the output should have and has not, or the other way round."""
    directive = re.compile(rf"^\s*// {prefix}(-NOT)?: (.*)$", re.MULTILINE)
    forbidden: list[str] = []
    found, start = [], 0
    for is_not, text in directive.findall(source.read_text(encoding="utf-8")):
        if is_not:
            forbidden.append(text)
            continue
        match = re.compile(pattern(text)).search(output, start)
        if match is None:
            return [*found, f"not found: {text}"]
        between = output[start : match.start()]
        found += [f"there: {one}" for one in forbidden if re.search(pattern(one), between)]
        forbidden, start = [], match.end()
    return found + [f"there: {one}" for one in forbidden if re.search(pattern(one), output[start:])]


def executable(source: Path, folder: Path) -> Path:
    runtime = machine.cached(RUNTIME)
    made = folder / source.stem
    include = [f"-I{machine.cached(SUITE)}", f"-I{runtime.parent / 'include'}"]
    flags = ["-fopenmp", "-g", "-gdwarf-4", *include, f"-L{runtime}"]
    machine.run(machine.CLANG, *flags, source, "-o", made)
    return made


def failures(source: Path, library: Path, folder: Path) -> list[str]:
    """Of all its sessions."""
    program = executable(source, folder)
    paths = f"{library.parent}:{machine.cached(RUNTIME)}"
    found = []
    for run in runs(source):
        done = subprocess.run(
            [
                "gdb",
                "-nx",
                "-q",
                "-x",
                str(machine.llvms_plugin()),
                "-x",
                str(run.commands),
                str(program),
            ],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
            text=True,
            errors="replace",
            timeout=PATIENCE,
            cwd=folder,
            env={
                **os.environ,
                "LD_LIBRARY_PATH": paths,
                "OMP_DEBUG": "enabled",
                "OMP_NUM_THREADS": "4,3,2",
                **run.variables,
            },
            check=False,
        )
        said = wrong(source, run.prefix, done.stdout)
        if done.returncode:
            said.append(f"GDB ended with {done.returncode}")
        found += [f"{run.commands.name}: {one}\n{done.stdout}" for one in said]
    return found


def sources() -> list[Path]:
    suite = machine.cached(SUITE)
    return sorted([*suite.glob("api_tests/*.c"), *suite.glob("openmp_examples/*.c")])


def test_the_whole_suite_is_there() -> None:
    assert len(sources()) == TESTS


@pytest.mark.each("part")
@pytest.mark.parametrize("part", range(8) if machine.FULL else (0, 3, 5))
def test_llvms_suite(part: int, folder: Path) -> None:
    """In parts, so that they run side by side."""
    library = machine.library()
    failed = {}
    for source in sources()[part::8]:
        name = f"{source.parent.name}/{source.name}"
        said = failures(source, library, folder)
        if said and name not in FAIL_WITH_ANY_LIBRARY:
            failed[name] = said
    assert not failed, "\n".join(f"{name}: {one}" for name, all_ in failed.items() for one in all_)
