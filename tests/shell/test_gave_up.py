# SPDX-License-Identifier: Apache-2.0
"""Is it reported where a library ended a program by exit (), with the program's own status? And not
where the program itself wanted to end."""

from __future__ import annotations

from pathlib import Path

import machine
import pytest
from command import ompd

FORTRAN = """\
program ends
  implicit none
  integer :: a(4), i
  character(8) :: way
  call get_command_argument(1, way)
  a = 0
  !$omp parallel do num_threads(2) shared(a)
  do i = 1, 2
    if (i == 2) call work(way, a)
  end do
  if (way == 'after') stop 3
contains
  subroutine work(way, a)
    character(*), intent(in) :: way
    integer, intent(inout) :: a(:)
    select case (way)
    case ('index')
      a(size(a) + 1) = 1 ! here: index
    case ('error')
      error stop 'bad row' ! here: error
    case ('stop')
      stop 4 ! here: stop
    case ('file')
      read (99, *) a ! here: file
    case ('exit')
      call exit(5)
    end select
  end subroutine
end program
"""
SAYS = {
    "index": "libgfortran says `Index '5' of dimension 1 of array 'a' above upper bound of 4'.",
    "error": "it ends all threads.",
    "stop": "it ends all threads.",
    "file": "libgfortran has ended it, and what it printed tells why.",
}
OPENS = {"error": "`ERROR STOP' ended the program", "stop": "`STOP' ended the program"}
STATUS = {"index": 2, "error": 1, "stop": 4, "file": 2, "exit": 5, "after": 3}
FORKS = """\
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
int main(void)
{
    int status;
    #pragma omp parallel
    { }
    if (fork() == 0)
        exit(6);
    wait(&status);
    return WIFEXITED(status) && system("exit 1") ? WEXITSTATUS(status) : 1;
}
"""
FULL = ("stop", "file", "after")


@pytest.fixture(name="program", scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("gave-up")
    (folder / "ends.f90").write_text(FORTRAN, encoding="ascii")
    flags = ("-g", "-O1", "-fopenmp", "-fcheck=bounds")
    machine.run("gfortran", *flags, folder / "ends.f90", "-o", folder / "ends", cwd=folder)
    return folder / "ends"


@pytest.mark.each("way")
@pytest.mark.parametrize(
    "way", [pytest.param(w, marks=pytest.mark.full) if w in FULL else w for w in STATUS]
)
def test_fortran(way: str, program: Path, folder: Path) -> None:
    answer = ompd("run", program, way, folder=folder)
    said = " ".join(answer.errors.split())
    assert answer.status == STATUS[way], answer
    if way not in SAYS:
        assert "gave up" not in said and "OpenMP" not in said
        return
    line = next(i for i, row in enumerate(FORTRAN.split("\n"), 1) if f"! here: {way}" in row)
    assert f"{OPENS.get(way, 'The program gave up')}, in R1.1 (T2)" in said
    assert f"at ends.f90:{line}: {SAYS[way]}" in said


def test_children(folder: Path) -> None:
    """A child of fork() ends as it likes, and so does its parent."""
    (folder / "forks.c").write_text(FORKS, encoding="ascii")
    machine.run("gcc", "-fopenmp", folder / "forks.c", "-o", folder / "forks")
    answer = ompd("run", folder / "forks", folder=folder)
    assert (answer.status, answer.errors) == (6, "")
