! SPDX-License-Identifier: BSD-3-Clause
! A state that is computed in steps, for checkpoints.
! modules: op2-hdf5-fortran
! the page's definitions
program frame
  use, intrinsic :: iso_fortran_env, only: int64
  use op2
  use op2_hdf5
  implicit none
  integer, parameter :: steps = 100
  type(op2_context) :: ctx
  type(op2_set) :: nodes
  type(op2_dat) :: depth
  type(op2_kernel) :: rise
  type(op2_file) :: file
  type(op2_checkpoint) :: checkpoint
  integer(int64), target :: step = 0
  logical :: found, over = .false.
  double precision :: values(3)

  call op2_init(ctx)
  call op2_set_create(ctx, 3, 'nodes', nodes)
  call op2_dat_create(nodes, [1d0, 2d0, 3d0], 'depth', depth)
  call op2_kernel_create(ctx, 'rise', 'void rise(double *depth) { *depth += 1; }', rise)
  ! the page's statements
  call op2_dat_get(depth, values)
  if (step /= steps .or. found .or. any(abs(values - [101d0, 102d0, 103d0]) > 0)) stop 1
  call op2_finalize(ctx)
end program
