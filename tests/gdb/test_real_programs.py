# SPDX-License-Identifier: Apache-2.0
"""Are programs that people use ever accused? The distribution's own, made by GNU's compilers, run
on their own runtime and on LLVM's; each computes something of random data, and is looked at at
random moments."""

from __future__ import annotations

import itertools
import re
import time
import zlib
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Callable

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
    """A program, its arguments, and who writes the input that they name."""

    name: str
    args: str
    write: Callable[[Random, Path], None]
    input: str = "input.fasta"


def sequences(alphabet: str, count: int, length: int) -> Callable[[Random, Path], None]:
    """That are alike."""

    def write(generator: Random, path: Path) -> None:
        usual = generator.choices(alphabet, k=length)
        with path.open("w", encoding="utf-8") as file:
            for number in range(count):
                letters = generator.choices(alphabet, k=length)
                mixed = [a if generator.random() < 0.3 else b for a, b in zip(letters, usual)]
                file.write(f">s{number}\n{''.join(mixed)}\n")

    return write


def contigs(generator: Random, path: Path) -> None:
    """Parts of genomes of four kinds, and in another file how often each was read."""
    with path.open("w", encoding="utf-8") as file, open(f"{path}.depth", "w") as depths:
        depths.write("contigName\tcontigLen\ttotalAvgDepth\ta.bam\ta.bam-var\n")
        for number in range(12000):
            gc = generator.choice((0.3, 0.4, 0.5, 0.6))
            weights = [(1 - gc) / 2, gc / 2, gc / 2, (1 - gc) / 2]
            letters = generator.choices(DNA, weights, k=3000)
            depth = generator.uniform(5, 50)
            file.write(f">c{number}\n{''.join(letters)}\n")
            depths.write(f"c{number}\t3000\t{depth:.2f}\t{depth:.2f}\t{depth:.2f}\n")


def water(_: Random, path: Path) -> None:
    """Molecules on a grid."""
    lines = []
    for place in itertools.product((0.0, 3.1, 6.2, 9.3, 12.4), repeat=3):
        for atom, shift in (("O", (0, 0)), ("H", (0.76, 0.59)), ("H", (-0.76, 0.59))):
            x, y, z = place[0] + shift[0], place[1] + shift[1], place[2]
            lines.append(f"{atom} {x:.2f} {y:.2f} {z:.2f}")
    path.write_text("\n".join([str(len(lines)), "", *lines, ""]), encoding="utf-8")


# Its positions are written at every step: Debian's has threads only for that.
MELT = """units lj
atom_style atomic
lattice fcc 0.8442
region box block 0 16 0 16 0 16
create_box 1 box
create_atoms 1 box
mass 1 1.0
velocity all create 3.0 87287
pair_style lj/cut 2.5
pair_coeff 1 1 1.0 1.0 2.5
fix 1 all nve
variable pass loop 1000000
label again
dump all all custom/mpiio 1 positions id type x y z vx vy vz
run 50
undump all
next pass
jump SELF again
"""


def melt(_: Random, path: Path) -> None:
    path.write_text(MELT, encoding="utf-8")


CASES = [
    Case(
        "clustalo",
        f"-i INPUT -o out --force --threads={THREADS}",
        sequences(PROTEIN, 1500, 500),
    ),
    Case("fasttreeMP", "-nt INPUT", sequences(DNA, 6000, 800)),
    Case("iqtree2", "-s INPUT -nt 2 -redo -m GTR+G", sequences(DNA, 400, 2000)),
    Case("muscle", f"-align INPUT -output out -threads {THREADS}", sequences(PROTEIN, 80, 700)),
    Case("sumaclust", f"-p {THREADS} -t 0.9 INPUT", sequences(DNA, 6000, 600)),
    # Molecular dynamics, beside MPI's own threads; quantum chemistry in Fortran; tasks in C++.
    Case("lmp", "-in INPUT -log none", melt),
    Case("xtb", f"INPUT --md --parallel {THREADS}", water, "input.xyz"),
    Case("metabat2", f"-i INPUT -a INPUT.depth -o out -t {THREADS} -s 1000", contigs),
]


def programs() -> Path:
    return machine.cached("programs")


def program_of(case: Case, runtime: str, folder: Path) -> Program:
    libraries = programs() / "lib" / "x86_64-linux-gnu"
    library = machine.cached(runtime)
    if not runtime.startswith("libgomp"):
        library = machine.as_libgomp(library, folder / "lib")
    given = folder / case.input
    case.write(Random(case.name), given)
    begun = folder / "begun"
    begun.write_text("at once", encoding="utf-8")
    return Program(
        programs() / "bin" / case.name,
        case.args.replace("INPUT", str(given)).split(),
        {
            "LD_LIBRARY_PATH": f"{library}:{libraries}:{libraries / 'openblas-pthread'}",
            "OMP_NUM_THREADS": str(THREADS),
            "XTBPATH": str(programs() / "share" / "xtb"),
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
@pytest.mark.parametrize("runtime", ["libomp-14", "libomp-19", "libgomp-12", "libgomp-16-built"])
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_real_program(case: Case, runtime: str, folder: Path) -> None:
    look_at(
        program_of(case, runtime, folder), f"{case.name} {runtime}", (LOOKS, SHELL_LOOKS), folder
    )


def page(generator: Random, path: Path) -> None:
    """Black strokes on white, in lines: letters of no script."""
    width, height = 1200, 1600
    rows = [bytearray(b"\xff" * width) for _ in range(height)]
    for top, left in itertools.product(range(20, height - 40, 40), range(20, width - 30, 22)):
        for _ in range(3):
            if generator.random() < 0.5:
                for row in rows[top + generator.randrange(24) :][:3]:
                    row[left : left + 16] = bytes(16)
            else:
                column = left + generator.randrange(13)
                for row in rows[top : top + 26]:
                    row[column : column + 3] = bytes(3)
    path.write_bytes(b"P5 %d %d 255\n" % (width, height) + b"".join(rows))


def test_on_old_libgomp(folder: Path) -> None:
    """A program, its libraries and the libgomp of GCC 7 as somebody else built them, all stripped:
    it reads letters, in regions that last no longer than those of a layer of neurons."""
    home = machine.cached("libgomp-7").parent / "program"
    page(Random("page"), folder / "page.pgm")
    pages, begun = folder / "pages", folder / "begun"
    pages.write_text(f"{folder / 'page.pgm'}\n" * 50, encoding="utf-8")
    begun.write_text("at once", encoding="utf-8")
    settings = {
        "LD_LIBRARY_PATH": str(home / "lib"),
        "TESSDATA_PREFIX": str(home / "tessdata"),
        "OMP_NUM_THREADS": str(THREADS),
    }
    program = Program(home / "tesseract", [pages, folder / "read"], settings, begun)
    look_at(program, "tesseract", (LOOKS, SHELL_LOOKS) if machine.FULL else (2, 1), folder)


def look_at(program: Program, name: str, how_often: tuple[int, int], folder: Path) -> None:
    """By GDB and by the shell's `ompd'."""
    wrong = []
    with looks.running(program, folder) as pid:
        looks.wait_for_threads(pid, 2)
        stops = looks.attached(program, pid, how_often[0], zlib.crc32(name.encode()), folder)
        for _ in range(how_often[1]):
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
    print(f"{name}: {unknown} of {len(stops)} cannot tell")
    assert not wrong, "\n".join(wrong)
