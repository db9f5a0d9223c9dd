# SPDX-License-Identifier: Apache-2.0
"""Programs of the distribution that nobody here wrote, on its own libgomp, as they come: stripped.
Each works on and on."""

from __future__ import annotations

import contextlib
import shutil
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, Sequence

import machine
import pytest
from looks import Program
from sessions import PATIENCE

INPUTS = Path(__file__).with_name("inputs")
THREADS = 3
# A thread that has been on a processor for so long does more than begin.
WORK_NS = 10**8


@dataclass(frozen=True)
class Field:
    """name: as the table has it. words: INPUT is a file of the folder `inputs', or what prepare
    writes. packages: what has to be installed. by_default: without --full, too."""

    name: str
    words: Sequence[str]
    packages: Sequence[str]
    environment: tuple[tuple[str, str], ...] = ()
    prepare: Sequence[str] = ()
    by_default: bool = False

    def program(self, folder: Path) -> Program:
        missing = [name for name in self.packages if not _is_installed(name)]
        if missing:
            pytest.skip(f"not installed: {' '.join(missing)}")
        home = folder / self.name
        home.mkdir()
        words = [word.replace("INPUTS", str(INPUTS)) for word in self.words]
        for command in self.prepare:
            machine.run("sh", "-c", command.replace("INPUTS", str(INPUTS)), cwd=home)
        begun = home / "begun"
        begun.write_text("at once", encoding="utf-8")
        executable = shutil.which(words[0])
        assert executable, words[0]
        environment = {"OMP_NUM_THREADS": str(THREADS), "HOME": str(home), **dict(self.environment)}
        return Program(Path(executable), words[1:], environment, begun)


class Running(NamedTuple):
    field: Field
    pid: int


def _is_installed(package: str) -> bool:
    query = ["dpkg-query", "-W", "-f", "${db:Status-Status}", package]
    done = subprocess.run(query, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
    return done.stdout == b"installed"


def _python(name: str, script: str, *packages: str, by_default: bool = False) -> Field:
    words = ("/usr/bin/python3", f"INPUTS/{script}.py")
    return Field(name, words, ("python3", *packages), by_default=by_default)


# Not the BLAS that happens to be the system's.
_BLAS = "/usr/lib/x86_64-linux-gnu/openblas-openmp"

ALL = [
    Field(
        "numpy, OpenBLAS",
        ("/usr/bin/python3", "INPUTS/blas.py"),
        ("python3-numpy", "libopenblas0-openmp"),
        (("LD_LIBRARY_PATH", _BLAS),),
        by_default=True,
    ),
    Field(
        "GraphicsMagick",
        "gm benchmark -iterations 1000000 convert -size 900x900 gradient:red-blue -blur 0x6"
        " null:".split(),
        ("graphicsmagick",),
        by_default=True,
    ),
    _python("KMeans", "kmeans", "python3-sklearn"),
    _python("HistGradientBoosting", "boosting", "python3-sklearn"),
    _python("torch", "torch_train", "python3-torch"),
    _python("xgboost", "xgboost_train", "python3-xgboost"),
    _python("faiss", "faiss_search", "python3-faiss"),
    Field(
        "octave",
        ("octave-cli", "--no-init-file", "--quiet", "INPUTS/factorize.m"),
        ("octave", "libopenblas0-openmp"),
        (("LD_LIBRARY_PATH", _BLAS),),
    ),
    Field("R data.table", ("Rscript", "INPUTS/table.R"), ("r-cran-data.table",)),
    Field(
        "gromacs",
        ("gmx", "mdrun", "-ntmpi", "1", "-ntomp", str(THREADS), "-s", "run.tpr", "-nsteps", "-1"),
        ("gromacs",),
        prepare=(
            "gmx solvate -cs spc216.gro -box 4 4 4 -o water.gro",
            'n=$(grep -c OW water.gro); sed "s/MOLECULES/$n/" INPUTS/water.top >water.top',
            "gmx grompp -f INPUTS/water.mdp -c water.gro -p water.top -o run.tpr",
        ),
    ),
    Field("elk", ("elk-lapw",), ("elk-lapw",), prepare=("cp INPUTS/elk.in .",)),
]

CHOSEN = [one for one in ALL if one.by_default or machine.FULL]


def _worked(pid: int) -> list[int]:
    """Nanoseconds that each thread has had a processor."""
    found = []
    for task in Path(f"/proc/{pid}/task").iterdir():
        with contextlib.suppress(FileNotFoundError):  # it has ended
            found.append(int((task / "schedstat").read_text(encoding="ascii").split()[0]))
    return found


def state(pid: int) -> str:
    text = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    return text.rpartition(")")[2].split()[0]


def wait_for_work(pid: int) -> None:
    """Of more threads than one."""
    end = time.monotonic() + PATIENCE
    while sum(time_of > WORK_NS for time_of in _worked(pid)) < 2:
        assert time.monotonic() < end and state(pid) != "Z", "no second thread works"
        time.sleep(0.02)
    used = sum(_worked(pid))
    while sum(_worked(pid)) < used + WORK_NS:
        time.sleep(0.02)
