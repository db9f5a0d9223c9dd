! SPDX-License-Identifier: Apache-2.0
!
! Variables of every kind that Fortran has.
module grid
  implicit none
  integer, save :: own_copy = 0
  real(8), allocatable, save :: own_list(:)
  integer :: everybodys = 77
  integer :: in_common, copied
  real(8) :: real_in_common
  common /shared_block/ in_common, real_in_common
  common /own_block/ copied
  !$omp threadprivate(own_copy, own_list, /own_block/)
  type point
    integer :: id
    real(8) :: at(3)
    real(8), allocatable :: weights(:)
  end type
contains
  subroutine attributes(n, given, assumed, text)
    use omp_lib
    integer, intent(in) :: n
    real(8) :: given(n), assumed(:, :)
    character(len=*) :: text
    real(8) :: automatic(n + 1)
    real(8), allocatable :: alloc(:), own(:)
    real(8), pointer :: section(:)
    real(8), target :: whole(6)
    type(point) :: p, q
    integer :: me, mine, count, total, i
    integer, save :: saved = 31
    integer, save :: saved_copy
    !$omp threadprivate(saved_copy)
    real(8) :: part
    complex(8) :: z
    logical :: flag

    allocate (alloc(0:n))
    alloc = 2.5d0
    allocate (own(-1:2))
    own = 4d0
    allocate (p%weights(2))
    p%weights = 8d0
    p%id = 5
    p%at = 1d0
    q%id = 6
    q%at = 3d0
    whole = [1d0, 2d0, 3d0, 4d0, 5d0, 6d0]
    section => whole(2:6:2)
    automatic = 0.125d0
    count = 40
    total = 0
    in_common = 12
    real_in_common = 1.25d0
    everybodys = 78
    call say_sharing('n everybodys in_common real_in_common saved q alloc given', 'shared')
    call say_sharing('own_copy copied saved_copy own_list', 'threadprivate')
    call say_sharing('mine count part own p', 'private')
    call say_sharing('total', 'reduction')
    !$omp parallel num_threads(3) private(me, mine, part, z, flag, i) &
    !$omp firstprivate(count, p, own) reduction(+:total)
    me = omp_get_thread_num()
    mine = me*10
    count = count + me
    part = 0.5d0 + me
    z = cmplx(1.5d0, me, 8)
    flag = me == 1
    own_copy = 500 + me
    copied = 600 + me
    saved_copy = 650 + me
    if (allocated(own_list)) deallocate (own_list)
    allocate (own_list(3))
    own_list = 30d0 + me
    p%id = 70 + me
    p%at(2) = 20d0 + me
    p%weights(1) = 90d0 + me
    own(-1) = 7d0 + me
    total = total + me + 1
    call say_integer('me', me)
    call say_integer('mine', mine)
    call say_integer('count', count)
    call say_integer('own_copy', own_copy)
    call say_integer('copied', copied)
    call say_integer('saved_copy', saved_copy)
    call say_integer('saved', saved)
    call say_integer('p%id', p%id)
    call say_real('p%at(2)', p%at(2))
    call say_real('p%weights(1)', p%weights(1))
    call say_real('own(-1)', own(-1))
    call say_real('own(2)', own(2))
    call say_integer('total', total)
    call say_integer('n', n)
    call say_integer('everybodys', everybodys)
    call say_integer('in_common', in_common)
    call say_real('real_in_common', real_in_common)
    call say_integer('q%id', q%id)
    call say_real('q%at(3)', q%at(3))
    call say_real('given(2)', given(2))
    call say_real('assumed(2,1)', assumed(2, 1))
    call say_real('own_list(3)', own_list(3))
    call say_real('part', part)
    call say_real('automatic(3)', automatic(3))
    call say_real('alloc(0)', alloc(0))
    call say_real('section(2)', section(2))
    call say_text('flag', trim(merge('.TRUE. ', '.FALSE.', flag)))
    call say_text('text', "'some text'")
    !$omp barrier
    if (me == 1) call stop_here()
    !$omp barrier
    if (count + mine + me < -1) print *, p%weights, own, own_list, z, flag, own_copy, part
    if (count + mine < -1) print *, automatic, alloc, section, text, copied, q%at, p%at, saved_copy
    !$omp end parallel
    if (n < 0) print *, total, count, text, saved
  end subroutine

  subroutine loops()
    integer :: i, j, last, arrived, now, mine
    arrived = 0
    call say_sharing('mine', 'private')
    call say_sharing('last', 'lastprivate')
    !$omp parallel do num_threads(3) schedule(dynamic) private(mine, now) lastprivate(last)
    do i = 1, 3
      mine = i*100
      last = i + 7
      call say_integer('i', i)
      call say_integer('mine', mine)
      call say_integer('last', last)
      !$omp atomic capture
      arrived = arrived + 1
      now = arrived
      !$omp end atomic
      if (now == 3) then
        call stop_here()
        !$omp atomic update
        arrived = arrived + 1
      end if
      do
        !$omp atomic read
        now = arrived
        if (now > 3) exit
      end do
      if (mine < 0) print *, mine, last
    end do
    !$omp end parallel do
    if (last < 0) print *, last
  end subroutine

  recursive subroutine deeper(depth, values)
    use omp_lib
    integer, intent(in) :: depth
    real(8), intent(inout) :: values(:)
    integer :: local
    local = depth*10 + omp_get_thread_num()
    if (depth > 0) then
      call deeper(depth - 1, values)
      return
    end if
    values(1) = 5.5d0 + local
    call say_integer('depth', depth)
    call say_integer('local', local)
    call say_real('values(1)', values(1))
    !$omp barrier
    if (omp_get_thread_num() == 1) call stop_here()
    !$omp barrier
    if (local < -1) print *, local, values
  end subroutine

  subroutine commons()
    use omp_lib
    integer :: here, own_here, mine
    real(8) :: list_here(3)
    common /block_here/ here, list_here
    common /own_block_here/ own_here
    !$omp threadprivate(/own_block_here/)
    here = 21
    list_here = 0.5d0
    call say_sharing('here list_here', 'shared')
    call say_sharing('own_here', 'threadprivate')
    !$omp parallel num_threads(3) private(mine)
    mine = omp_get_thread_num()
    own_here = 700 + mine
    !$omp single
    here = 22
    list_here(2) = 1.5d0
    !$omp end single
    call say_integer('here', here)
    call say_real('list_here(2)', list_here(2))
    call say_integer('own_here', own_here)
    call say_integer('mine', mine)
    !$omp barrier
    if (mine == 1) call stop_here()
    !$omp barrier
    if (mine < 0) print *, here, own_here, list_here
    !$omp end parallel
  end subroutine

  subroutine called()
    real(8) :: here(2)
    !$omp parallel num_threads(3) private(here)
    here = 0
    call deeper(2, here)
    if (here(1) < 0) print *, here
    !$omp end parallel
  end subroutine

  subroutine tasks()
    use omp_lib
    integer :: arrived, now, label, inside
    arrived = 0
    !$omp parallel num_threads(3) private(label)
    label = 200 + omp_get_thread_num()
    !$omp task firstprivate(label) shared(arrived) private(now, inside)
    inside = label + 300
    call say_integer('label', label)
    call say_integer('inside', inside)
    !$omp atomic capture
    arrived = arrived + 1
    now = arrived
    !$omp end atomic
    if (now == 3) then
      call stop_here()
      !$omp atomic update
      arrived = arrived + 1
    end if
    do
      !$omp atomic read
      now = arrived
      if (now > 3) exit
    end do
    if (inside < 0) print *, inside, label
    !$omp end task
    !$omp end parallel
  end subroutine
end module

program oracle_fortran
  use grid
  implicit none
  real(8) :: a(4), b(3, 2)
  a = [1d0, 2d0, 3d0, 4d0]
  b = reshape([1d0, 2d0, 3d0, 4d0, 5d0, 6d0], [3, 2])
  call attributes(4, a, b, 'some text')
  call loops()
  call called()
  call tasks()
  call commons()
end program
