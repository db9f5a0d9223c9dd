! SPDX-License-Identifier: Apache-2.0
!
! As location_specs.cc: each region is begun another power of two times.
module grid
  implicit none
  integer :: total = 0
contains
  subroutine Sweep(n)
    integer, intent(in) :: n
    !$omp parallel num_threads(2)
    !$omp atomic
    total = total + n
    !$omp end parallel
    call inner()
    call inner()
  contains
    subroutine inner()
      !$omp parallel num_threads(2)
      !$omp atomic
      total = total + 1
      !$omp end parallel
    end subroutine
  end subroutine
  integer function area(n)
    integer, intent(in) :: n
    !$omp parallel num_threads(2)
    !$omp atomic
    total = total + n
    !$omp end parallel
    area = total
  end function
end module

subroutine outside(n)
  use grid, only: total
  implicit none
  integer, intent(in) :: n
  !$omp parallel num_threads(2) ! THE LINE
  !$omp atomic
  total = total + n
  !$omp end parallel
end subroutine

program location_specs
  use grid
  implicit none
  integer :: i, ignored
  call Sweep(2)
  do i = 1, 4
    ignored = area(3)
  end do
  do i = 1, 8
    call outside(4)
  end do
end program
