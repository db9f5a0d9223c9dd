! SPDX-License-Identifier: Apache-2.0
!
! Regions, tasks and barriers of Fortran's, each recorded where it is passed, as in events.c: so often as the first
! argument says. Without it, where must `ompd step' and its like lead? As in steps.c: STEPS NAME COMPILERS THREAD@PLACE, then
! commands with the places where they end.

module events
  use iso_c_binding
  use omp_lib
  implicit none
  interface
    subroutine passed(what, line) bind(c)
      import :: c_int, c_char
      character(kind=c_char), intent(in) :: what(*)
      integer(c_int), value :: line
    end subroutine passed
    subroutine passed_by_team(what, line) bind(c)
      import :: c_int, c_char
      character(kind=c_char), intent(in) :: what(*)
      integer(c_int), value :: line
    end subroutine passed_by_team
    subroutine written() bind(c)
    end subroutine written
  end interface
  character(*), parameter :: BEGINS = "parallel begin" // c_null_char
  character(*), parameter :: ENDS = "parallel end" // c_null_char
  character(*), parameter :: TASK = "task begin" // c_null_char
  character(*), parameter :: BARRIER = "barrier" // c_null_char
  integer :: sink = 0, one = 1
contains

  ! STEPS through flang 0@before: next events::region@region 0.0; next events::region@first 0.0;
  !   step events::work@work 1.0; finish events::region@behind 0.0
  ! STEPS over flang 0@before: next_3 events::region@behind 0.0
  ! STEPS finish flang 0@second: finish events::region@behind 0.0
  ! STEPS call flang 0@second: step events::work@work 1.0
  ! STEPS part flang 1@second: next body@second 1.1; next error
  subroutine region()
    call work(one) ! PLACE before
    !$omp parallel num_threads(3) ! PLACE region
    call work(one) ! PLACE first
    !$omp barrier
    call work(one) ! PLACE second
    !$omp end parallel
    call work(one) ! PLACE behind
  end subroutine region

  ! STEPS critical flang 1@enter: next body@left 1.1
  subroutine one_by_one()
    !$omp parallel num_threads(3)
    call work(one) ! PLACE enter
    !$omp critical ! PLACE critical
    call work(one) ! PLACE inside
    !$omp end critical
    call work(one) ! PLACE left
    !$omp end parallel
  end subroutine one_by_one

  subroutine work(value) ! PLACE work
    integer, intent(in) :: value
    !$omp atomic
    sink = sink + value
  end subroutine work

  subroutine teams_of(size)
    integer, intent(in) :: size
    integer :: i, line
    line = __LINE__ + 1
    !$omp parallel num_threads(size) private(i)
    call passed_by_team(BEGINS, line)
    !$omp barrier
    call passed_by_team(BARRIER, 0)
    !$omp do
    do i = 1, 9
      call work(i)
    end do
    !$omp end do
    call passed_by_team(BARRIER, 0)
    !$omp do schedule(dynamic)
    do i = 1, 9
      call work(i)
    end do
    !$omp end do
    call passed_by_team(BARRIER, 0)
    !$omp single
    call work(size)
    !$omp end single
    call passed_by_team(BARRIER, 0)
    !$omp sections
    !$omp section
    call work(1)
    !$omp section
    call work(2)
    !$omp end sections
    call passed_by_team(BARRIER, 0)
    !$omp end parallel
    call passed(ENDS, line)
  end subroutine teams_of

  recursive subroutine deeper(depth)
    integer, intent(in) :: depth
    integer :: line
    line = __LINE__ + 1
    !$omp parallel num_threads(1 + mod(depth, 2))
    call passed_by_team(BEGINS, line)
    if (depth > 0 .and. omp_get_thread_num() == 0) call deeper(depth - 1)
    !$omp end parallel
    call passed(ENDS, line)
  end subroutine deeper

  subroutine alone(no)
    logical, intent(in) :: no
    integer :: line
    line = __LINE__ + 1
    !$omp parallel if(no)
    call passed_by_team(BEGINS, line)
    !$omp end parallel
    call passed(ENDS, line)
  end subroutine alone

  subroutine tasks(no)
    logical, intent(in) :: no
    integer :: line, here, undeferred, i
    line = __LINE__ + 1
    !$omp parallel num_threads(4) private(here, undeferred, i)
    call passed_by_team(BEGINS, line)
    !$omp master
    do i = 1, 3
      here = __LINE__ + 1
      !$omp task firstprivate(here)
      call passed(TASK, here)
      call work(i)
      !$omp end task
    end do
    undeferred = __LINE__ + 1
    !$omp task if(no) firstprivate(undeferred)
    call passed(TASK, undeferred)
    !$omp end task
    !$omp taskwait
    !$omp end master
    !$omp end parallel
    call passed(ENDS, line)
  end subroutine tasks
end module events

program passing
  use events
  implicit none
  character(20) :: argument
  integer :: round, rounds, status

  rounds = 0
  call get_command_argument(1, argument)
  read (argument, *, iostat=status) rounds
  call omp_set_max_active_levels(8)
  if (rounds == 0) then
    call region()
    call one_by_one()
  end if
  do round = 1, rounds
    call teams_of(4)
    call teams_of(2)
    call deeper(3)
    call alone(.false.)
    call tasks(.false.)
  end do
  call written()
end program passing
