! SPDX-License-Identifier: BSD-3-Clause
! A loop in OP2's interface for Fortran, whose kernel also has a text.
! modules: op2-compat-fortran
module frame_kernels
contains
  subroutine save_soln(q, qold)
    real(8) :: q(4), qold(4)
    qold = q
  end subroutine
end module

program frame
  use op2_fortran_declarations
  use op2_fortran_reference
  use op2_fortran_rt_support
  use frame_kernels
  implicit none
  real(8) :: gam = 1.4d0, values(12) = 1, zeros(12) = 0
  type(op_set) :: cells
  type(op_dat) :: q, qold

  call op_init(0)
  call op_decl_set(3, cells, 'cells')
  call op_decl_dat(cells, 4, 'real(8)', values, q, 'q')
  call op_decl_dat(cells, 4, 'real(8)', zeros, qold, 'qold')
  ! the page's statements
  call op_par_loop_2(save_soln, cells, op_arg_dat(q, -1, OP_ID, 4, 'real(8)', OP_READ), &
    op_arg_dat(qold, -1, OP_ID, 4, 'real(8)', OP_WRITE))
  call op_fetch_data(qold, zeros)
  if (any(abs(zeros - 1) > 0)) stop 1
  call op_exit()
end program
