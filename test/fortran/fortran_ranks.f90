! SPDX-License-Identifier: BSD-3-Clause
!> A ring of edges over ranks of MPI, which t175 starts: blocks of the sets, a map by global numbers,
!> a partition, sums along the edges, and values by global number. Rank 0 prints "sum N" and the
!> number of wrong values.
program fortran_ranks
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use op2
  use op2_mpi
  implicit none
  include 'mpif.h'

  integer, parameter :: n = 1000
  type(op2_context) :: ctx
  type(op2_set) :: edges, nodes
  type(op2_map) :: ends
  type(op2_dat) :: length, total
  type(op2_kernel) :: spread_kernel
  type(op2_partition_options) :: how
  type(op2_partition_report) :: report
  integer :: ierr, rank, ranks, first, last, i
  integer, allocatable :: idx(:, :)
  real(real64), allocatable :: lengths(:)
  real(real64) :: got(n), expected

  call MPI_Init(ierr)
  call op2_init_mpi(ctx, MPI_COMM_WORLD)
  rank = op2_rank(ctx)
  ranks = op2_ranks(ctx)
  first = n*rank/ranks + 1
  last = n*(rank + 1)/ranks
  allocate (idx(2, first:last), lengths(first:last))
  do i = first, last
    idx(:, i) = [i, mod(i, n) + 1]
    lengths(i) = i
  end do
  call op2_set_create(ctx, last - first + 1, 'edges', edges)
  call op2_set_create(ctx, last - first + 1, 'nodes', nodes)
  call op2_map_create_global(edges, nodes, int(idx, int64), 'ends', ends)
  call op2_dat_create(edges, lengths, 'length', length)
  call op2_dat_create(nodes, 1, OP2_F64, 'total', total)
  how%method = OP2_PARTITION_BLOCKS
  call op2_partition(ctx, how, report)
  call op2_kernel_create(ctx, 'spread', &
    'void spread(const double *l, double *a, double *b) { *a += *l; *b += *l; }', spread_kernel)
  call op2_par_loop(spread_kernel, edges, [op2_arg_direct(length, OP2_READ), &
    op2_arg_dat(total, 1, ends, OP2_INC), op2_arg_dat(total, 2, ends, OP2_INC)])
  call op2_dat_get_block(total, 1_int64, got)
  ierr = 0
  do i = 1, n
    expected = i + merge(n, i - 1, i == 1)
    if (abs(got(i) - expected) > 1e-9_real64) ierr = ierr + 1
  end do
  if (rank == 0) print '("ranks ", i0, ", sum ", f0.1, ", ", i0, " wrong, ", i0, " owned")', ranks, &
    sum(got), ierr, report%owned
  call op2_destroy(spread_kernel)
  call op2_destroy(length)
  call op2_destroy(total)
  call op2_destroy(ends)
  call op2_destroy(edges)
  call op2_destroy(nodes)
  call op2_finalize(ctx)
  call MPI_Finalize(ierr)
end program
