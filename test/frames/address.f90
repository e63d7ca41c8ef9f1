! SPDX-License-Identifier: BSD-3-Clause
! Three edges, for a kernel that is a subroutine.
! modules: op2-fortran
! the page's definitions
program frame
  use, intrinsic :: iso_c_binding
  use op2
  use ring_kernels
  implicit none
  type(op2_context) :: ctx
  type(op2_set) :: edges, nodes
  type(op2_map) :: ends
  type(op2_dat) :: length, total
  type(op2_kernel) :: spread
  double precision :: sums(3)

  call op2_init(ctx)
  call op2_set_create(ctx, 3, 'edges', edges)
  call op2_set_create(ctx, 3, 'nodes', nodes)
  call op2_map_create(edges, nodes, reshape([1, 2, 2, 3, 3, 1], [2, 3]), 'ends', ends)
  call op2_dat_create(edges, [1d0, 10d0, 100d0], 'length', length)
  call op2_dat_create(nodes, 1, OP2_F64, 'total', total)
  ! the page's statements
  call op2_par_loop(spread, edges, [op2_arg_direct(length, OP2_READ), &
    op2_arg_dat(total, 1, ends, OP2_INC), op2_arg_dat(total, 2, ends, OP2_INC)])
  call op2_dat_get(total, sums)
  if (any(abs(sums - [101d0, 11d0, 110d0]) > 0)) stop 1
  call op2_finalize(ctx)
end program
