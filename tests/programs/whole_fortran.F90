! SPDX-License-Identifier: Apache-2.0
!
! A program whose regions are Fortran's, two inside two; fortran_recorder.c records the truth. What call stacks are
! expected is written as in stacks.c.
!
! EXPECT nested 3: usleep; truth_stop; record_and_stop; main program; parallel; whole_fortran; parallel; whole_fortran
! EXPECT nested 1: stop_here; truth_stop; record_and_stop; main program; parallel; whole_fortran; parallel; whole_fortran

program whole_fortran
  use iso_c_binding
  implicit none
  interface
    subroutine construct(level, line) bind(c)
      import :: c_int
      integer(c_int), value :: level, line
    end subroutine construct
    subroutine record_and_stop() bind(c)
    end subroutine record_and_stop
  end interface

  call construct(1, __LINE__ + 1)
  !$omp parallel num_threads(2)
  call construct(2, __LINE__ + 1)
  !$omp parallel num_threads(2)
  call record_and_stop()
  !$omp end parallel
  !$omp end parallel
end program whole_fortran
