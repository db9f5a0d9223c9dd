! SPDX-License-Identifier: Apache-2.0
!
! Fortran's constructs, a scenario of each, named by the first argument: threads declare what they are about to do,
! as in states.h, and stay there. The stacks that its author expects are written as in stacks.c.

! flang's loop waits at its own end, also where the region ends there.
#ifdef __flang__
#define END_OF_COMBINED "barrier_implicit_workshare"
#else
#define END_OF_COMBINED "barrier_implicit_parallel"
#endif

module declarations
  use iso_c_binding
  implicit none
  interface
    subroutine expect_threads(threads) bind(c)
      import :: c_int
      integer(c_int), value :: threads
    end subroutine expect_threads
    subroutine going_to_wait(state) bind(c)
      import :: c_char
      character(kind=c_char), intent(in) :: state(*)
    end subroutine going_to_wait
    subroutine working() bind(c)
    end subroutine working
    subroutine wait_for(flag, value) bind(c)
      import :: c_int
      integer(c_int) :: flag
      integer(c_int), value :: value
    end subroutine wait_for
    subroutine set_flag(flag, value) bind(c)
      import :: c_int
      integer(c_int) :: flag
      integer(c_int), value :: value
    end subroutine set_flag
    subroutine wait_for_declared(threads) bind(c)
      import :: c_int
      integer(c_int), value :: threads
    end subroutine wait_for_declared
    ! Workshare takes none but elemental functions.
    elemental integer function works(value)
      integer, intent(in) :: value
    end function works
    subroutine observed() bind(c)
    end subroutine observed
  end interface
  integer(c_int) :: flag = 0
contains
  subroutine waits(state)
    character(*), intent(in) :: state
    call going_to_wait("wait_" // state // c_null_char)
  end subroutine waits
end module declarations

module constructs
  use iso_c_binding
  use declarations
  use omp_lib
  implicit none
  type pair
    integer(omp_lock_kind) :: left, right
  end type pair
  integer(omp_lock_kind) :: door
  type(pair) :: doors(2)
  integer :: total = 0, copy
  !$omp threadprivate(copy)
contains

  ! EXPECT explicit 1: usleep; until; stay; work; working; constructs::explicit@explicit_works; parallel@explicit;
  !   constructs::explicit; main program@run_explicit
  ! EXPECT explicit 1: <barrier>; constructs::explicit; parallel@explicit; constructs::explicit; main
  !   program@run_explicit
  subroutine explicit()
    !$omp parallel num_threads(2) ! PLACE explicit
    if (omp_get_thread_num() == 1) then
      call working() ! PLACE explicit_works
    else
      call waits("barrier_explicit")
    end if
    !$omp barrier
    call set_flag(flag, 1)
    !$omp end parallel
  end subroutine explicit

  ! EXPECT loop 1: usleep; until; stay; work; working; constructs::loop@loop_works; parallel@loop;
  !   constructs::loop; main program@run_loop
  ! EXPECT loop 1: <barrier, implicit, end of worksharing>; constructs::loop; parallel@loop; constructs::loop;
  !   main program@run_loop
  subroutine loop()
    integer :: i, j, number
    number = 7
    !$omp parallel num_threads(2) ! PLACE loop
    !$omp do collapse(2) schedule(static, 1)
    do i = 1, 2
      do j = 1, 1
        if (i == 2) then
          call working() ! PLACE loop_works
        else
          call waits("barrier_implicit_workshare")
        end if
      end do
    end do
    !$omp end do
    call set_flag(flag, number)
    !$omp end parallel
  end subroutine loop

  ! EXPECT all_in_one 1: usleep; until; stay; work; working; constructs::all_in_one@all_in_one_works;
  !   parallel@all_in_one; constructs::all_in_one; main program@run_all_in_one
  ! EXPECT all_in_one 1: <barrier, implicit, end of worksharing>; constructs::all_in_one; parallel@all_in_one;
  !   constructs::all_in_one; main program@run_all_in_one
  subroutine all_in_one()
    integer :: i, j
    !$omp parallel do num_threads(2) collapse(2) schedule(dynamic, 1) ! PLACE all_in_one
    do i = 1, 2
      do j = 1, 1
        if (i == 2) then
          call working() ! PLACE all_in_one_works
        else
          call waits(END_OF_COMBINED)
        end if
      end do
    end do
    !$omp end parallel do
  end subroutine all_in_one

  ! EXPECT parts 1: usleep; until; stay; work; working; constructs::parts@parts_works; parallel@parts;
  !   constructs::parts; main program@run_parts
  ! EXPECT parts 1: <barrier, implicit, end of worksharing>; constructs::parts; parallel@parts; constructs::parts;
  !   main program@run_parts
  subroutine parts()
    !$omp parallel num_threads(2) ! PLACE parts
    !$omp sections
    !$omp section
    call wait_for_declared(1)
    call working() ! PLACE parts_works
    !$omp section
    call waits("barrier_implicit_workshare")
    !$omp end sections
    call set_flag(flag, 1)
    !$omp end parallel
  end subroutine parts

  ! EXPECT alone 1: usleep; until; stay; work; working; constructs::alone@alone_works; parallel@alone;
  !   constructs::alone; main program@run_alone
  ! EXPECT alone 1: <barrier, implicit, end of worksharing>; constructs::alone; parallel@alone; constructs::alone;
  !   main program@run_alone
  subroutine alone()
    !$omp parallel num_threads(2) ! PLACE alone
    !$omp single
    call working() ! PLACE alone_works
    !$omp end single
    call set_flag(flag, 1)
    !$omp end parallel
  end subroutine alone

  ! EXPECT copied 1: usleep; until; stay; work; working; constructs::copied@copied_works; parallel@copied;
  !   constructs::copied; main program@run_copied
  ! EXPECT copied 1: <barrier, implicit, end of single>; constructs::copied; parallel@copied;
  !   constructs::copied; main program@run_copied
  subroutine copied()
    !$omp parallel num_threads(2) ! PLACE copied
    !$omp single
    call working() ! PLACE copied_works
    copy = 1
    !$omp end single copyprivate(copy)
    call set_flag(flag, copy)
    !$omp end parallel
  end subroutine copied

  ! EXPECT shared 1: usleep; until; stay; work; works_; constructs::shared@shared_works; parallel@shared;
  !   constructs::shared; main program@run_shared
  ! EXPECT shared 1: <barrier, implicit, end of worksharing>; constructs::shared; parallel@shared;
  !   constructs::shared; main program@run_shared
  subroutine shared()
    integer :: values(1)
    !$omp parallel num_threads(2) ! PLACE shared
    !$omp workshare
    values(1) = works(1) ! PLACE shared_works
    !$omp end workshare
    call set_flag(flag, values(1))
    !$omp end parallel
  end subroutine shared

  ! EXPECT update 1: usleep; until; stay; work; working; constructs::update@update_works; parallel@update;
  !   constructs::update; main program@run_update
  ! EXPECT update 1: <critical update>; constructs::update; parallel@update; constructs::update; main
  !   program@run_update
  subroutine update()
    !$omp parallel num_threads(2) ! PLACE update
    if (omp_get_thread_num() == 0) then
      call wait_for(flag, 1)
      call waits("critical")
    end if
    !$omp critical (update)
    if (omp_get_thread_num() == 1) then
      call set_flag(flag, 1)
      call wait_for_declared(1)
      call working() ! PLACE update_works
    end if
    total = total + 1
    !$omp end critical (update)
    call set_flag(flag, 2)
    !$omp end parallel
  end subroutine update

  ! EXPECT unnamed 1: usleep; until; stay; work; working; constructs::unnamed@unnamed_works; parallel@unnamed;
  !   constructs::unnamed; main program@run_unnamed
  ! EXPECT unnamed 1: <critical (unnamed)>; constructs::unnamed; parallel@unnamed; constructs::unnamed; main
  !   program@run_unnamed
  subroutine unnamed()
    !$omp parallel num_threads(2) ! PLACE unnamed
    if (omp_get_thread_num() == 0) then
      call wait_for(flag, 1)
      call waits("critical")
    end if
    !$omp critical
    if (omp_get_thread_num() == 1) then
      call set_flag(flag, 1)
      call wait_for_declared(1)
      call working() ! PLACE unnamed_works
    end if
    total = total + 1
    !$omp end critical
    call set_flag(flag, 2)
    !$omp end parallel
  end subroutine unnamed

  ! EXPECT locked 1: usleep; until; stay; work; working; constructs::locked@locked_works; parallel@locked;
  !   constructs::locked; main program@run_locked
  ! EXPECT locked 1: <lock wait `constructs::door'>; constructs::locked; parallel@locked; constructs::locked; main
  !   program@run_locked
  subroutine locked()
    call omp_init_lock(door)
    !$omp parallel num_threads(2) ! PLACE locked
    if (omp_get_thread_num() == 0) then
      call wait_for(flag, 1)
      call waits("lock")
      call omp_set_lock(door)
    else
      call omp_set_lock(door)
      call set_flag(flag, 1)
      call wait_for_declared(1)
      call working() ! PLACE locked_works
    end if
    call omp_unset_lock(door)
    call set_flag(flag, 2)
    !$omp end parallel
  end subroutine locked

  ! EXPECT in_turn 1: usleep; until; stay; work; working; constructs::in_turn@in_turn_works; parallel@in_turn;
  !   constructs::in_turn; main program@run_in_turn
  ! EXPECT in_turn 1: <ordered>; constructs::in_turn; parallel@in_turn; constructs::in_turn; main
  !   program@run_in_turn
  subroutine in_turn()
    integer :: i
    !$omp parallel num_threads(2) ! PLACE in_turn
    !$omp do ordered schedule(static, 1)
    do i = 1, 2
      if (i == 2) then
        call wait_for(flag, 1)
        call waits("ordered")
      end if
      !$omp ordered
      if (i == 1) then
        call set_flag(flag, 1)
        call wait_for_declared(1)
        call working() ! PLACE in_turn_works
      end if
      total = total + 1
      !$omp end ordered
    end do
    !$omp end do
    call set_flag(flag, 2)
    !$omp end parallel
  end subroutine in_turn

  ! EXPECT summed 1: usleep; until; stay; work; working; constructs::summed@summed_works; parallel@summed;
  !   constructs::summed; main program@run_summed
  ! EXPECT summed 1: <barrier of a reduction>; constructs::summed; parallel@summed; constructs::summed; main
  !   program@run_summed
  subroutine summed()
    integer :: sum
    sum = 0
    !$omp parallel num_threads(2) reduction(+:sum) ! PLACE summed
    if (omp_get_thread_num() == 1) then
      call working() ! PLACE summed_works
    else
      call waits("barrier_implementation")
    end if
    sum = sum + 1
    !$omp end parallel
    total = sum
  end subroutine summed

  ! EXPECT tasks 1: <taskwait>; constructs::outer; constructs::tasks@runs_outer; task@outer; constructs::tasks;
  !   parallel@tasks; constructs::tasks; main program@run_tasks
  ! EXPECT tasks 1: usleep; until; stay; work; working; constructs::outer@runs_inner; task@inner_task;
  !   constructs::outer; constructs::tasks@runs_outer; task@outer; constructs::tasks; parallel@tasks;
  !   constructs::tasks; main program@run_tasks
  subroutine tasks()
    !$omp parallel num_threads(2) ! PLACE tasks
    if (omp_get_thread_num() == 0) then
      !$omp task if(.false.) ! PLACE outer
      call outer() ! PLACE runs_outer
      !$omp end task
    end if
    !$omp barrier
    call set_flag(flag, 1)
    !$omp end parallel
  end subroutine tasks

  subroutine outer()
    !$omp task ! PLACE inner_task
    call working() ! PLACE runs_inner
    !$omp end task
    call wait_for_declared(1)
    call waits("taskwait")
    !$omp taskwait
    call set_flag(flag, 1)
  end subroutine outer

  ! EXPECT grouped 1: <taskgroup>; constructs::grouped; parallel@grouped; constructs::grouped; main
  !   program@run_grouped
  ! EXPECT grouped 1: usleep; until; stay; work; working; constructs::grouped@runs_grouped; task@in_group;
  !   constructs::grouped; parallel@grouped; constructs::grouped; main program@run_grouped
  subroutine grouped()
    !$omp parallel num_threads(2) ! PLACE grouped
    !$omp master
    !$omp taskgroup
    !$omp task ! PLACE in_group
    call working() ! PLACE runs_grouped
    !$omp end task
    call wait_for_declared(1)
    call waits("taskgroup")
    !$omp end taskgroup
    !$omp end master
    !$omp barrier
    call set_flag(flag, 1)
    !$omp end parallel
  end subroutine grouped

  ! EXPECT nested 4: usleep; until; stay; work; working; descend::bottom@bottom; parallel serialized@third;
  !   descend::bottom; constructs::descend@leads_to_bottom; parallel@second; constructs::descend;
  !   constructs::descend@deeper; parallel@second; constructs::descend; main program@run_nested
  recursive subroutine descend(level)
    integer, intent(in) :: level
    !$omp parallel num_threads(2) ! PLACE second
    if (level == 0) then
      call bottom() ! PLACE leads_to_bottom
    else
      call descend(level - 1) ! PLACE deeper
    end if
    call set_flag(flag, level)
    !$omp end parallel
  contains
    subroutine bottom()
      !$omp parallel num_threads(1) ! PLACE third
      call working() ! PLACE bottom
      call set_flag(flag, level)
      !$omp end parallel
    end subroutine bottom
  end subroutine descend

  ! Each has what the other wants.
  subroutine crossed()
    integer :: i
    do i = 1, 2
      call omp_init_lock(doors(i)%left)
      call omp_init_lock(doors(i)%right)
    end do
    !$omp parallel num_threads(2) ! PLACE crossed
    if (omp_get_thread_num() == 0) then
      call omp_set_lock(doors(1)%left)
      call waits("lock")
      call wait_for_declared(2)
      call omp_set_lock(doors(2)%right)
    else
      call omp_set_lock(doors(2)%right)
      call waits("lock")
      call wait_for_declared(2)
      call omp_set_lock(doors(1)%left)
    end if
    !$omp end parallel
  end subroutine crossed
end module constructs

  ! EXPECT external 2: usleep; until; stay; work; working; beyond::within@within; beyond@calls_within;
  !   parallel@outside; beyond; main program@run_external
subroutine beyond()
  use declarations
  implicit none
  !$omp parallel num_threads(2) ! PLACE outside
  call within() ! PLACE calls_within
  call set_flag(flag, 1)
  !$omp end parallel
contains
  subroutine within()
    call working() ! PLACE within
    call set_flag(flag, 2)
  end subroutine within
end subroutine beyond

  ! EXPECT contained 4: usleep; until; stay; work; working; inner@inner_works; parallel@inner; inner; main
  !   program@calls_inner; parallel@in_main; main program
program main_of_constructs
  use constructs
  implicit none
  character(20) :: scenario

  call omp_set_max_active_levels(8)
  call get_command_argument(1, scenario)
  select case (scenario)
  case ("explicit")
    call expect_threads(2)
    call explicit() ! PLACE run_explicit
  case ("loop")
    call expect_threads(2)
    call loop() ! PLACE run_loop
  case ("all_in_one")
    call expect_threads(2)
    call all_in_one() ! PLACE run_all_in_one
  case ("parts")
    call expect_threads(2)
    call parts() ! PLACE run_parts
  case ("alone")
    call expect_threads(1)
    call alone() ! PLACE run_alone
  case ("copied")
    call expect_threads(1)
    call copied() ! PLACE run_copied
  case ("shared")
    call expect_threads(1)
    call shared() ! PLACE run_shared
  case ("update")
    call expect_threads(2)
    call update() ! PLACE run_update
  case ("unnamed")
    call expect_threads(2)
    call unnamed() ! PLACE run_unnamed
  case ("locked")
    call expect_threads(2)
    call locked() ! PLACE run_locked
  case ("in_turn")
    call expect_threads(2)
    call in_turn() ! PLACE run_in_turn
  case ("summed")
    call expect_threads(2)
    call summed() ! PLACE run_summed
  case ("tasks")
    call expect_threads(2)
    call tasks() ! PLACE run_tasks
  case ("grouped")
    call expect_threads(2)
    call grouped() ! PLACE run_grouped
  case ("nested")
    call expect_threads(4)
    call descend(1) ! PLACE run_nested
  case ("crossed")
    call expect_threads(2)
    call crossed() ! PLACE run_crossed
  case ("external")
    call expect_threads(2)
    call beyond() ! PLACE run_external
  case ("contained")
    call expect_threads(4)
    !$omp parallel num_threads(2) ! PLACE in_main
    call inner(omp_get_thread_num()) ! PLACE calls_inner
    call set_flag(flag, 1)
    !$omp end parallel
  end select
  call observed()
contains
  subroutine inner(number)
    integer, intent(in) :: number
    !$omp parallel num_threads(2) ! PLACE inner
    call working() ! PLACE inner_works
    call set_flag(flag, number)
    !$omp end parallel
  end subroutine inner
end program main_of_constructs
