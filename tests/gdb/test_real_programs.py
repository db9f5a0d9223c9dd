# SPDX-License-Identifier: Apache-2.0
"""Are programs that people use ever accused? The distribution's own, made by GNU's compilers, run
on their own runtime and on LLVM's; each computes something of random data, and is looked at at
random moments."""

from __future__ import annotations

import random
import re
import time
import zlib
from dataclasses import dataclass
from pathlib import Path

import looks
import machine
import pytest
from agreement import Stop, score
from looks import Program

LOOKS = 20
SHELL_LOOKS = 5
THREADS = 4
PROTEIN, DNA = "ACDEFGHIKLMNPQRSTVWY", "ACGT"


@dataclass(frozen=True)
class Case:
    """What a program is given: sequences that are alike, and its arguments, with their file."""

    name: str
    args: str
    alphabet: str
    sequences: int
    length: int


CASES = [
    Case("clustalo", f"-i INPUT -o out --force --threads={THREADS}", PROTEIN, 1500, 500),
    Case("fasttreeMP", "-nt INPUT", DNA, 6000, 800),
    Case("iqtree2", "-s INPUT -nt 2 -redo -m GTR+G", DNA, 400, 2000),
    Case("muscle", f"-align INPUT -output out -threads {THREADS}", PROTEIN, 80, 700),
    Case("sumaclust", f"-p {THREADS} -t 0.9 INPUT", DNA, 6000, 600),
]


def write_sequences(case: Case, path: Path) -> None:
    generator = random.Random(case.name)
    usual = generator.choices(case.alphabet, k=case.length)
    with path.open("w", encoding="utf-8") as file:
        for number in range(case.sequences):
            letters = generator.choices(case.alphabet, k=case.length)
            mixed = [a if generator.random() < 0.3 else b for a, b in zip(letters, usual)]
            file.write(f">s{number}\n{''.join(mixed)}\n")


def program_of(case: Case, runtime: str, folder: Path) -> Program:
    home = machine.cached("programs")
    library = machine.cached(runtime)
    if not runtime.startswith("libgomp"):
        library = machine.as_libgomp(library, folder / "lib")
    given = folder / "input.fasta"
    write_sequences(case, given)
    begun = folder / "begun"
    begun.write_text("at once", encoding="utf-8")
    return Program(
        home / "bin" / case.name,
        case.args.replace("INPUT", str(given)).split(),
        {
            "LD_LIBRARY_PATH": f"{library}:{home / 'lib' / 'x86_64-linux-gnu'}",
            "OMP_NUM_THREADS": str(THREADS),
        },
        begun,
    )


def processor_time(pid: int) -> int:
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return int(fields[11]) + int(fields[12])


# A frame of the runtime's, as GDB shows it with our frame filter or without.
RUNTIME = re.compile(r"lib(omp|gomp)\.so")


def misplaced(stop: Stop) -> list[str]:
    """Threads that are told to wait, for certain, without a frame of the runtime's."""
    found = []
    stacks = re.split(r"^Thread (\d+) ", stop.stacks, flags=re.MULTILINE)
    by_number = dict(zip(stacks[1::2], stacks[2::2]))
    for name, (thread, member) in stop.threads().items():
        sure = "state" not in member.get("doubts", {})
        stack = by_number.get((thread["gdb"] or "").partition(".")[2], "")
        if sure and (member["state"] or "").startswith("wait_") and not RUNTIME.search(stack):
            found.append(f"{name} is in {member['state']}, and nowhere in the runtime:\n{stack}")
    return found


@pytest.mark.skipif(not machine.FULL, reason="the programs are fetched for --full only")
@pytest.mark.parametrize("runtime", ["libomp-14", "libomp-19", "libgomp-12"])
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_real_program(case: Case, runtime: str, folder: Path) -> None:
    program = program_of(case, runtime, folder)
    wrong = []
    with looks.running(program, folder) as pid:
        looks.wait_for_threads(pid, 2)
        seed = zlib.crc32(f"{case.name} {runtime}".encode())
        stops = looks.attached(program, pid, LOOKS, seed, folder)
        for _ in range(SHELL_LOOKS):
            before = processor_time(pid)
            answer = looks.by_shell("pid", str(pid), folder=folder)
            score.judge_status(answer.status)
            if answer.status not in (0, looks.CANNOT_TELL):
                wrong.append(answer.text)
            while processor_time(pid) == before:
                time.sleep(0.01)
    for stop in stops:
        found = [*score.judge_innocent(stop), *score.compare(stop), *misplaced(stop)]
        if found:
            wrong.append("\n".join(["moment 0:", *found, *stop.texts.values(), stop.stacks]))
    unknown = sum(stop.deadlock["verdict"] == "unknown" for stop in stops)
    print(f"{case.name}, {runtime}: {unknown} of {len(stops)} cannot tell")
    assert not wrong, "\n".join(wrong)
