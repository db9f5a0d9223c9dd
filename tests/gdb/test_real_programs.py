# SPDX-License-Identifier: Apache-2.0
"""Are programs that people use ever accused? The distribution's own, made by GNU's compilers, run
on their own runtime and on LLVM's; each computes something of random data, and is looked at at
random moments."""

from __future__ import annotations

import itertools
import random
import re
import time
import zlib
from collections import Counter
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


@dataclass(frozen=True)
class Science:
    """Programs of other fields, which use GNU's runtime otherwise."""

    name: str
    program: str
    args: str
    settings: tuple[tuple[str, str], ...] = ()

    def __str__(self) -> str:
        return self.name


# Molecular dynamics: short regions one by one. Quantum chemistry in Fortran, whose libraries
# have threads of their own. C++ with tasks.
SCIENCE = [
    Science("lammps", "lmp", f"-in INPUT -sf omp -pk omp {THREADS} -log none"),
    Science("xtb", "xtb", "water.xyz --md", (("OMP_STACKSIZE", "64M"),)),
    Science("metabat", "metabat2", f"-i contigs.fa -a depth.txt -o bins/bin -t {THREADS}"),
]
MELT = """\
units lj
atom_style atomic
lattice fcc 0.8442
region box block 0 12 0 12 0 12
create_box 1 box
create_atoms 1 box
mass 1 1.0
velocity all create 3.0 87287
pair_style lj/cut 2.5
pair_coeff 1 1 1.0 1.0 2.5
neighbor 0.3 bin
fix 1 all nve
run 100000000
"""

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


def write_water(path: Path) -> None:
    """Molecules on a grid."""
    atoms = []
    for x, y, z in itertools.product(range(3), range(3), range(2)):
        oxygen = (3.1 * x, 3.1 * y, 3.1 * z)
        for element, dx, dy in (("O", 0.0, 0.0), ("H", 0.76, 0.59), ("H", -0.76, 0.59)):
            atoms.append(f"{element} {oxygen[0] + dx} {oxygen[1] + dy} {oxygen[2]}")
    path.write_text("\n".join([str(len(atoms)), "", *atoms, ""]), encoding="utf-8")


def write_contigs(contigs: Path, depth: Path) -> None:
    """Of thirty genomes, with how often three samples have each."""
    generator = random.Random("contigs")
    columns = ["contigName", "contigLen", "totalAvgDepth"]
    columns += [f"{name}.bam{of}" for name in ("a", "b", "c") for of in ("", "-var")]
    rows = ["\t".join(columns)]
    with contigs.open("w", encoding="utf-8") as file:
        for number in range(20000):
            genome = random.Random(number % 30)
            weights = [genome.random() + 0.2 for _ in DNA]
            letters = generator.choices(DNA, weights, k=generator.randint(3000, 5000))
            file.write(f">c{number}\n{''.join(letters)}\n")
            found = [genome.uniform(5, 50) * generator.uniform(0.9, 1.1) for _ in range(3)]
            words = [f"c{number}", str(len(letters)), f"{sum(found):.2f}"]
            rows.append("\t".join(words + [f"{one:.2f}\t{one / 3:.2f}" for one in found]))
    depth.write_text("\n".join([*rows, ""]), encoding="utf-8")


def program_of_science(case: Science, runtime: str, folder: Path) -> Program:
    home = machine.cached("science")
    libraries = home / "lib" / "x86_64-linux-gnu"
    given, begun = folder / "input.lmp", folder / "begun"
    given.write_text(MELT, encoding="utf-8")
    write_water(folder / "water.xyz")
    if case.name == "metabat":
        write_contigs(folder / "contigs.fa", folder / "depth.txt")
    begun.write_text("at once", encoding="utf-8")
    places = [machine.cached(runtime), libraries]
    places += [libraries / name for name in ("openblas-pthread", "blas", "lapack")]
    return Program(
        home / "bin" / case.program,
        case.args.replace("INPUT", str(given)).split(),
        {
            "LD_LIBRARY_PATH": ":".join(map(str, places)),
            "OMP_NUM_THREADS": str(THREADS),
            "XTBPATH": str(home / "share" / "xtb"),
            # It may be started as root, and alone.
            "OMPI_ALLOW_RUN_AS_ROOT": "1",
            "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
            "OPAL_PREFIX": str(home),
            **dict(case.settings),
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


def check(name: str, program: Program, folder: Path) -> None:
    """At random moments, by GDB that attaches and by the shell's ompd."""
    wrong = []
    with looks.running(program, folder) as pid:
        looks.wait_for_threads(pid, 2)
        stops = looks.attached(program, pid, LOOKS, zlib.crc32(name.encode()), folder)
        for _ in range(SHELL_LOOKS):
            before = processor_time(pid)
            answer = looks.by_shell("pid", str(pid), folder=folder)
            score.judge_status(answer.status)
            if answer.status not in (0, looks.CANNOT_TELL):
                wrong.append(answer.text)
            while processor_time(pid) == before:
                time.sleep(0.01)
    for number, stop in enumerate(stops):
        found = [*score.judge_innocent(stop), *score.compare(stop), *misplaced(stop)]
        if found:
            wrong.append(
                "\n".join([f"moment {number}:", *found, *stop.texts.values(), stop.stacks])
            )
    unknown = sum(stop.deadlock["verdict"] == "unknown" for stop in stops)
    states = Counter(m["state"] for s in stops for _, m in s.threads().values())
    print(f"{name}: {unknown} of {len(stops)} cannot tell; {dict(states)}")
    assert not wrong, "\n".join(wrong)


@pytest.mark.skipif(not machine.FULL, reason="the programs are fetched for --full only")
@pytest.mark.parametrize("runtime", ["libomp-14", "libomp-19", "libgomp-12"])
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_real_program(case: Case, runtime: str, folder: Path) -> None:
    check(f"{case.name}, {runtime}", program_of(case, runtime, folder), folder)


@pytest.mark.skipif(not machine.FULL, reason="the programs are fetched for --full only")
@pytest.mark.parametrize("runtime", ["libgomp-12", "libgomp-10"])
@pytest.mark.parametrize("case", SCIENCE, ids=str)
def test_science(case: Science, runtime: str, folder: Path) -> None:
    check(f"{case.name}, {runtime}", program_of_science(case, runtime, folder), folder)
