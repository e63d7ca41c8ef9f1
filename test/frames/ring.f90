! SPDX-License-Identifier: BSD-3-Clause
! Three edges, for statements in Fortran.
! modules: op2-fortran
program frame
  ! the page's definitions
  implicit none
  type(op2_context) :: ctx
  type(op2_set) :: edges, nodes
  type(op2_map) :: ends
  type(op2_dat) :: length, total, dat
  type(op2_kernel) :: spread
  integer(4) :: idx(2, 3) = reshape([1, 2, 2, 3, 3, 1], [2, 3])
  double precision :: x(2, 3) = 0, sums(3)

  call op2_init(ctx)
  call op2_set_create(ctx, 3, 'edges', edges)
  call op2_set_create(ctx, 3, 'nodes', nodes)
  call op2_dat_create(edges, [1d0, 10d0, 100d0], 'length', length)
  call op2_dat_create(nodes, 1, OP2_F64, 'total', total)
  call op2_kernel_create(ctx, 'spread', [character(70) :: &
    'void spread(const double *length, double *a) { *a += length[0]; }'], spread)
  ! the page's statements
  call op2_dat_get(total, sums)
  if (any(abs(sums - [1d0, 10d0, 100d0]) > 0)) stop 1
  call op2_finalize(ctx)
end program
