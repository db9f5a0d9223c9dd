! SPDX-License-Identifier: Apache-2.0
! In each round thread 1 of two works longer than thread 0, which waits for it at the end of the region.
program uneven
  use omp_lib
  implicit none
  integer :: round

  do round = 1, 20
    call solve()
  end do
  print '(a)', 'done'
contains
  subroutine solve()
    real :: total

    total = 0
    !$omp parallel num_threads(2) reduction(+:total) ! REGION
    if (omp_get_thread_num() == 1) then
      call slow_part(0.05, total)
    else
      call slow_part(0.01, total)
    end if
    !$omp end parallel
    if (total < 0) print *, total
  end subroutine solve

  subroutine slow_part(seconds, sum)
    real, intent(in) :: seconds
    real, intent(inout) :: sum
    real :: now, end
    integer :: i

    end = omp_get_wtime() - begin() + seconds
    now = 0
    do while (now < end)
      do i = 1, 10000
        sum = sum + 1e-6
      end do
      now = omp_get_wtime() - begin()
    end do
  end subroutine slow_part

  double precision function begin()
    double precision, save :: first = 0

    !$omp critical(clock)
    if (first == 0) first = omp_get_wtime()
    begin = first
    !$omp end critical(clock)
  end function begin
end program uneven
