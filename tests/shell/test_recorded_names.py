# SPDX-License-Identifier: Apache-2.0
"""Does `ompd show' call functions and files what `ompd pid' calls them?"""

from __future__ import annotations

import subprocess
import time
from pathlib import Path
from typing import Any

import machine
import pytest
from command import NOTHING_ODD, ompd
from sessions import PATIENCE

FORTRAN = """\
module m
contains
  subroutine solve(n)
    integer, intent(in) :: n
    integer :: i
    real, save :: x(100000)
    !$omp parallel do num_threads(2)
    do i = 1, n
      x(i) = sqrt(x(i) + i)
    end do
  end subroutine
end module
program p
  use m
  integer :: k
  do k = 1, 1000000
    call solve(100000)
  end do
end program
"""
CXX = """\
#include <cmath>
namespace fem {
template <class Real> struct Mesh {
    static Real v[100000];
    static void relax(int n, const Real &more) {
        #pragma omp parallel for num_threads(2)
        for (int i = 0; i < n; i++)
            v[i] = std::sqrt(v[i] + more);
    }
};
template <class Real> Real Mesh<Real>::v[100000];
}
int main() { for (;;) fem::Mesh<double>::relax(100000, 1.0); }
"""
C = """\
#include <math.h>
static double v[100000];
int main(void)
{
    for (;;) {
        #pragma omp parallel for num_threads(2)
        for (int i = 0; i < 100000; i++)
            v[i] = sqrt(v[i] + i);
    }
}
"""
PROGRAMS = {
    "solve.f90": (FORTRAN, ["gfortran"], "m::solve"),
    "mesh.cc": (CXX, ["g++"], "fem::Mesh<double>::relax"),
    "a;b.c": (C, [machine.CLANG], "main"),
}


@pytest.mark.each("name")
@pytest.mark.parametrize("name", PROGRAMS)
def test_named_alike(name: str, folder: Path) -> None:
    text, compiler, function = PROGRAMS[name]
    (folder / name).write_text(text, encoding="ascii")
    options = ("-g", "-O1", "-fopenmp", folder / name, "-o", folder / "program", "-lm")
    machine.run(*compiler, *options, cwd=folder)  # where gfortran puts its modules
    with subprocess.Popen([folder / "program"]) as process:
        try:
            regions, end = [], time.monotonic() + PATIENCE
            while not regions:  # a busy machine lets it do little
                assert time.monotonic() < end
                regions = recorded(process.pid, folder)
            looked = ompd("pid", "--json", str(process.pid), folder=folder).document["regions"]
        finally:
            process.kill()
    assert named(regions) == {(function, name)}
    assert named([one for one in looked if one["loc"]]) <= {(function, name)}


def recorded(pid: int, folder: Path) -> Any:
    path = folder / "run.jsonl"
    answer = ompd("record", "-d", "0.5", "-o", path, str(pid), folder=folder)
    assert answer.status == NOTHING_ODD, answer
    return ompd("show", "--json", path, folder=folder).document["regions"]


def named(regions: Any) -> set[tuple[str, str]]:
    return {(one["loc"]["function"], Path(one["loc"]["file"]).name) for one in regions}
