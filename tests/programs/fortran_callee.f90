! SPDX-License-Identifier: Apache-2.0
!
! A Fortran frame between two C frames: relax calls back what it is given.

module fortran_callee
  use iso_c_binding
  implicit none
contains
  subroutine relax(callback, sweeps) bind(c, name="relax")
    type(c_funptr), value :: callback
    integer(c_int), value :: sweeps
    abstract interface
      subroutine body() bind(c)
      end subroutine body
    end interface
    procedure(body), pointer :: call_back
    integer :: sweep

    call c_f_procpointer(callback, call_back)
    do sweep = 1, sweeps
      call call_back()
    end do
  end subroutine relax
end module fortran_callee
