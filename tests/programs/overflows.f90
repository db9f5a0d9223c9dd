! SPDX-License-Identifier: Apache-2.0
!
! Stacks that overflow in Fortran, the first argument says how: fixed (an array of constant size), automatic, recursion;
! and index, a wild index that is no such thing. Thread 1 of a region does it; the test sets OMP_STACKSIZE=1M.
program overflows
  use omp_lib
  implicit none
  character(20) :: how
  real(8), allocatable :: row(:)
  integer(omp_lock_kind) :: lock

  call get_command_argument(1, how)
  allocate(row(10))
  call omp_init_lock(lock)
  call omp_set_lock(lock)
  !$omp parallel num_threads(3)
  if (omp_get_thread_num() == 1) then
    select case (how)
    case ('fixed')
      call fixed()
    case ('automatic')
      call automatic(400000)
    case ('recursion')
      print *, deeper(1)
    case ('index')
      call set(row, -1500000000)
    end select
  else
    call omp_set_lock(lock) ! never given up
  end if
  !$omp end parallel
contains
  subroutine fixed()
    real(8) :: grid(400000)

    grid = 1
    call show(grid)
  end subroutine

  subroutine automatic(n)
    integer, intent(in) :: n
    real(8) :: grid(n)

    grid = 1
    call show(grid)
  end subroutine

  subroutine show(grid)
    real(8), intent(in) :: grid(:)

    print *, sum(grid)
  end subroutine

  recursive integer function deeper(n) result(found)
    integer, intent(in) :: n
    integer :: row(100)

    row = n
    found = deeper(n + 1) + row(mod(n, 100) + 1)
  end function

  subroutine set(row, n)
    real(8) :: row(*)
    integer, value :: n

    row(n) = 1
  end subroutine
end program
