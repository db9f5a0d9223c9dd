# SPDX-License-Identifier: Apache-2.0
"""Is it told which unit of Fortran's a thread waits for, and who has it?"""

from __future__ import annotations

import subprocess
import time
from pathlib import Path

import machine
import pytest
from command import CANNOT_TELL, FINDING, NOTHING_ODD, ompd

PROGRAM = """\
module m
contains
  integer function slow(n)
    integer, intent(in) :: n
    {barrier}
    slow = n
  end function
end module
program p
  use m
  use omp_lib
  integer :: i
  open (unit=17, file='out.txt')
  !$omp parallel num_threads(2) private(i)
  do i = 1, {times}
    if (omp_get_thread_num() == 0) then
      write (17, *) slow(1)
    else
      call sleep({seconds})
      write (17, *) 'other'
      {barrier}
    end if
    rewind (17)
  end do
  !$omp end parallel
end program
"""
BARRIER = "!$omp barrier"


def looked_at(folder: Path, words: list[str], barrier: str, times: int, seconds: int) -> str:
    source = folder / "unit.f90"
    text = PROGRAM.format(barrier=barrier, times=times, seconds=seconds)
    source.write_text(text, encoding="ascii")
    machine.run("gfortran", "-g", "-fopenmp", "-J", folder, *words, source, "-o", folder / "unit")
    with subprocess.Popen([folder / "unit"], cwd=folder) as process:
        try:
            time.sleep(1.5)
            answer = ompd("pid", str(process.pid), folder=folder)
        finally:
            machine.kill(process)
    assert (answer.status == FINDING) == bool(barrier), answer
    assert barrier or answer.status in (NOTHING_ODD, CANNOT_TELL)
    return " ".join(answer.text.split())


@pytest.mark.parametrize(
    "words",
    [
        [],
        pytest.param(
            ["-static-libgfortran"], marks=pytest.mark.skipif(not machine.FULL, reason="FULL")
        ),
    ],
)
def test_a_function_in_what_is_written_waits(words: list[str], folder: Path) -> None:
    text = looked_at(folder, words, BARRIER, 1, 1)
    assert "Whoever has the lock of unit 17 (out.txt) must not wait for a thread that uses" in text
    assert "R1.1 (T2) waits for the lock of unit 17 (out.txt) in p () at unit.f90:20" in text
    assert "which R1.0 (T1) holds." in text


def test_all_write_to_one_unit(folder: Path) -> None:
    assert "DEADLOCK" not in looked_at(folder, [], "", 1_000_000_000, 0)
