! SPDX-License-Identifier: BSD-3-Clause
!> Contexts of several ranks of MPI, beside module op2.
module op2_mpi
  use, intrinsic :: iso_c_binding, only: c_int, c_ptr
  use op2, only: op2_context, op2_init_by, op2_options
  implicit none
  private
  public :: op2_init_mpi

  interface
    function c_op2_init_mpi_f(options, comm, ctx) bind(c, name="op2_init_mpi_f") result(answer)
      import
      type(c_ptr), value :: options
      integer(c_int), value :: comm
      type(c_ptr), intent(inout) :: ctx
      integer(c_int) :: answer
    end function
  end interface

contains

  !> Start a context that is one rank of several. `comm` is a communicator of mpif.h or module mpi;
  !> one of mpi_f08 has it as its component mpi_val.
  subroutine op2_init_mpi(ctx, comm, options, stat)
    type(op2_context), intent(inout) :: ctx
    integer, intent(in) :: comm
    type(op2_options), intent(in), optional :: options
    integer, intent(out), optional :: stat
    call op2_init_by(c_op2_init_mpi_f, ctx, comm, options, stat)
  end subroutine
end module
