! SPDX-License-Identifier: BSD-3-Clause
! Heat in a ring, in Fortran. Maps count from 1, and arrays of a dat are (dim, elements).
program ring
  use op2
  implicit none
  integer, parameter :: n = 100, steps = 500
  integer :: i, step
  integer(4) :: idx(2, n)
  double precision :: start(n), heat(n), most(1) = 0
  type(op2_context) :: ctx
  type(op2_set) :: nodes, edges
  type(op2_map) :: ends
  type(op2_dat) :: u, flow
  type(op2_gbl) :: hottest
  type(op2_kernel) :: conduct, update, find

  do i = 1, n
    idx(:, i) = [i, mod(i, n) + 1]
    start(i) = merge(1d0, 0d0, i <= n / 2)
  end do

  call op2_init(ctx)
  call op2_set_create(ctx, n, 'nodes', nodes)
  call op2_set_create(ctx, n, 'edges', edges)
  call op2_map_create(edges, nodes, idx, 'ends', ends)
  call op2_dat_create(nodes, start, 'u', u)
  call op2_dat_create(nodes, 1, OP2_F64, 'flow', flow)
  call op2_gbl_create(ctx, most, 'hottest', hottest)
  call op2_kernel_create(ctx, 'conduct', [character(90) :: &
    'void conduct(const double *l, const double *r, double *a, double *b) {', &
    '  const double f = 0.25 * (*r - *l);', &
    '  *a += f;', &
    '  *b -= f;', &
    '}'], conduct)
  call op2_kernel_create(ctx, 'update', [character(90) :: &
    'void update(double *flow, double *u) {', &
    '  *u += *flow;', &
    '  *flow = 0;', &
    '}'], update)
  call op2_kernel_create(ctx, 'find', [character(90) :: &
    'void find(const double *u, double *most) { if (*u > *most) *most = *u; }'], find)

  do step = 1, steps
    call op2_par_loop(conduct, edges, [op2_arg_dat(u, 1, ends, OP2_READ), &
      op2_arg_dat(u, 2, ends, OP2_READ), op2_arg_dat(flow, 1, ends, OP2_INC), &
      op2_arg_dat(flow, 2, ends, OP2_INC)])
    call op2_par_loop(update, nodes, [op2_arg_direct(flow, OP2_RW), op2_arg_direct(u, OP2_RW)])
  end do
  call op2_par_loop(find, nodes, [op2_arg_direct(u, OP2_READ), op2_arg_gbl(hottest, OP2_MAX)])
  call op2_dat_get(u, heat)
  call op2_gbl_get(hottest, most)
  print '(a, f0.3, a, f5.3)', 'heat ', sum(heat), ', the hottest node has ', most(1)
  call op2_finalize(ctx)
end program
