! SPDX-License-Identifier: BSD-3-Clause
!> Files of HDF5, VTKHDF and checkpoints in Fortran, for t180: fortran_hdf5 CHANNEL prints TAP for
!> examples/channel.msh. `fortran_hdf5 run PATH FIRST LAST` computes on a ring from the newest checkpoint
!> of PATH, step 0 if there is none, which has to be step FIRST. It prints the bits after step LAST. If
!> LAST is negative, it sends itself the signal of a fifth argument at step -LAST.
program fortran_hdf5
  use, intrinsic :: iso_c_binding, only: c_f_pointer, c_int
  use, intrinsic :: iso_fortran_env, only: int32, int64, real32, real64
  use op2
  use op2_hdf5
  implicit none

  interface
    function c_raise(signal) bind(c, name="raise") result(answer)
      import
      integer(c_int), value :: signal
      integer(c_int) :: answer
    end function
  end interface

  character(*), parameter :: mix_text = 'void mix(const double *old, double *a, double *b)'// &
    ' { *a += 0.3 * old[0]; *b += 0.7 * old[0]; }'
  character(*), parameter :: next_text = 'void next(double *x, double *old, double *sum)'// &
    ' { *sum += *x; *old = *x * (1.0 / 3.0) + 1e-3; *x = 0; }'
  integer :: checks = 0, failures = 0, ierr
  character(500) :: word
  type(op2_context) :: ctx
  type(op2_set) :: edges, nodes
  type(op2_map) :: ends
  type(op2_dat) :: length, weight

  call get_command_argument(1, word)
  call op2_init(ctx)
  if (word == 'run') then
    call computed()
  else
    call written()
    call rows_read()
    call objects_read()
    call added()
    call dumped()
    call results(trim(word))
    call kept()
    call errors()
    print '("1..", i0)', checks
  end if
  call op2_finalize(ctx)
  if (failures > 0) error stop 1

contains

  subroutine check(name, good)
    character(*), intent(in) :: name
    logical, intent(in) :: good
    checks = checks + 1
    if (.not. good) failures = failures + 1
    print '(a, i0, 2a)', merge('ok     ', 'not ok ', good), checks, ' - ', name
  end subroutine

  !> A ring of n nodes.
  subroutine ring(n)
    integer, intent(in) :: n
    integer :: i
    call op2_set_create(ctx, n, 'edges', edges)
    call op2_set_create(ctx, n, 'nodes', nodes)
    call op2_map_create(edges, nodes, reshape([(i, mod(i, n) + 1, i=1, n)], [2, n]), 'ends', ends)
  end subroutine

  subroutine written()
    type(op2_file) :: file
    call ring(3)
    call op2_dat_create(edges, [1.0_real64, 10.0_real64, 100.0_real64], 'length', length)
    call op2_dat_create(nodes, reshape([1, 2, 3, 4, 5, 6], [2, 3]), 'weight', weight)
    call op2_file_open(ctx, 'ring.h5', OP2_FILE_CREATE, file)
    call op2_file_write_set(file, edges)
    call op2_file_write_set(file, nodes)
    call op2_file_write_map(file, ends)
    call op2_file_write_map(file, ends, 'maps/ends')
    call op2_file_write_dat(file, length)
    call op2_file_write_dat(file, weight, 'values/weight')
    call op2_file_write_const(file, 'gravity', [0.0_real32, -9.81_real32])
    call op2_file_write_const(file, 'count', 42)
    call op2_file_close(file)
    call check('a file is closed once', .not. is_open(file))
    call op2_file_close(file)
  end subroutine

  logical function is_open(file)
    use, intrinsic :: iso_c_binding, only: c_associated
    type(op2_file), intent(in) :: file
    is_open = c_associated(file%handle)
  end function

  subroutine rows_read()
    type(op2_file) :: file
    integer(int64) :: rows
    integer(int32) :: columns, type, pairs(2, 2), count
    real(real64) :: flat(2)
    real(real32) :: gravity(2)
    logical :: there(2)
    call op2_file_open(ctx, 'ring.h5', OP2_FILE_READ, file)
    call op2_file_has(file, 'maps/ends', there(1))
    call op2_file_has(file, 'maps/starts', there(2))
    call check('what a file has', there(1) .and. .not. there(2))
    call op2_file_shape(file, 'values/weight', rows, columns, type)
    call check('the shape of a dataset', rows == 3 .and. columns == 2 .and. type == OP2_I32)
    call op2_file_read_rows(file, 'values/weight', 2_int64, pairs)
    call check('rows begin with 1', all(pairs == reshape([3, 4, 5, 6], [2, 2])))
    call op2_file_read_rows(file, 'length', 1_int64, flat)
    call check('rows of one value', all(flat == [1, 10]))
    call op2_file_read_rows(file, 'maps/ends', 3_int64, pairs(:, :1))
    call check('a file has entries as C numbers them', all(pairs(:, 1) == [2, 0]))
    call op2_file_read_rows(file, 'length', 3_int64, flat, stat=ierr)
    call check('rows past the last', ierr == OP2_ERR_RANGE)
    call op2_file_read_const(file, 'gravity', gravity)
    call op2_file_read_const(file, 'count', count)
    call check('constants', all(gravity == [0.0_real32, -9.81_real32]) .and. count == 42)
    call op2_file_close(file)
  end subroutine

  subroutine objects_read()
    type(op2_file) :: file
    type(op2_set) :: more_edges, more_nodes, rows
    type(op2_map) :: more_ends, partial
    type(op2_dat) :: again
    integer(int32) :: entries(2, 3), values(2, 3)
    integer(int64) :: sizes(3)
    call op2_file_open(ctx, 'ring.h5', OP2_FILE_READ, file)
    call op2_file_read_set(file, 'edges', more_edges)
    call op2_file_read_set(file, 'nodes', more_nodes)
    call op2_file_read_set_rows(file, 'length', 'rows', rows)
    sizes = [op2_set_size(more_edges), op2_set_size(more_nodes), op2_set_size(rows)]
    call check('sets', all(sizes == 3))
    call op2_file_read_map(file, more_edges, more_nodes, 2, 'ends', more_ends)
    call op2_map_get(more_ends, entries)
    call check('a map', all(entries == reshape([1, 2, 2, 3, 3, 1], [2, 3])))
    call op2_file_read_map_partial(file, more_edges, more_nodes, 2, 'maps/ends', partial)
    call op2_file_read_dat(file, more_nodes, 2, OP2_I32, 'values/weight', again)
    call op2_dat_get(again, values)
    call check('a dat', all(values == reshape([1, 2, 3, 4, 5, 6], [2, 3])))
    call op2_file_close(file)
    call op2_destroy(again)
    call op2_destroy(partial)
    call op2_destroy(more_ends)
    call op2_destroy(rows)
    call op2_destroy(more_nodes)
    call op2_destroy(more_edges)
  end subroutine

  subroutine added()
    type(op2_file) :: file
    integer(int32) :: values(2, 3)
    call op2_dat_set(weight, reshape([6, 5, 4, 3, 2, 1], [2, 3]))
    call op2_file_open(ctx, 'ring.h5', OP2_FILE_ADD, file)
    call op2_file_update_dat(file, weight, 'values/weight')
    call op2_file_update_dat(file, weight)
    call op2_file_close(file)
    call op2_file_open(ctx, 'ring.h5', OP2_FILE_READ, file)
    call op2_file_read_rows(file, 'values/weight', 1_int64, values)
    call check('values are written over', all(values == reshape([6, 5, 4, 3, 2, 1], [2, 3])))
    call op2_file_read_rows(file, 'weight', 1_int64, values)
    call check('and under a name that was not there', values(1, 1) == 6)
    call op2_file_close(file)
  end subroutine

  !> All objects of a context, read by another one.
  subroutine dumped()
    type(op2_sparsity) :: pattern
    type(op2_mat) :: mat
    type(op2_context) :: other
    type(op2_file) :: file
    type(op2_object), allocatable :: objects(:), matrices(:)
    type(op2_dat) :: dat
    real(real64) :: values(3)
    integer :: i
    call op2_sparsity_create([ends], [ends], 'pattern', pattern)
    call op2_mat_create(pattern, 1, 1, OP2_F64, 'mat', mat)
    call op2_file_dump(ctx, 'all.h5')
    call op2_destroy(mat)
    call op2_destroy(pattern)
    call op2_init(other)
    call op2_file_open(other, 'all.h5', OP2_FILE_READ, file)
    call op2_file_read_all(file, objects)
    call check('objects of a file', size(objects) == 5 .and. count(objects%kind == OP2_OBJECT_SET) == 2)
    values = 0
    do i = 1, size(objects)
      if (objects(i)%name /= 'length') cycle
      dat%handle = objects(i)%handle
      call op2_dat_get(dat, values)
    end do
    call check('an object is found by its name', all(values == [1, 10, 100]))
    call op2_file_read_matrices(file, matrices)
    call check('matrices', size(matrices) == 2 .and. matrices(2)%name == 'mat')
    call op2_file_close(file)
    call op2_finalize(other)
  end subroutine

  !> A series of VTKHDF, read by its datasets.
  subroutine results(path)
    character(*), intent(in) :: path
    type(op2_mesh) :: mesh, again
    type(op2_mesh_info) :: info
    type(op2_xdmf) :: xdmf
    type(op2_dat) :: depth
    type(op2_vtkhdf) :: series
    type(op2_file) :: file
    real(real64) :: times(2), values(64), depths(64)
    integer(int64) :: rows
    integer(int32) :: columns, type
    call op2_mesh_read(ctx, path, mesh)
    depths = 1
    call op2_dat_create(op2_mesh_cells(mesh), depths, 'depth', depth)
    call op2_vtkhdf_create(mesh, 'wave.vtkhdf', series)
    call op2_vtkhdf_write(series, 0.5_real64, [depth, op2_mesh_coordinates(mesh)])
    call op2_flush(ctx)
    call op2_dat_set(depth, 2*depths)
    call op2_vtkhdf_write(series, 1.5_real64, [depth, op2_mesh_coordinates(mesh)])
    call op2_destroy(series)
    call op2_flush(ctx)
    call op2_file_open(ctx, 'wave.vtkhdf', OP2_FILE_READ, file)
    call op2_file_read_rows(file, 'VTKHDF/Steps/Values', 1_int64, times)
    call check('times of a series', all(times == [0.5_real64, 1.5_real64]))
    call op2_file_shape(file, 'VTKHDF/CellData/depth', rows, columns, type)
    call check('values of two times', rows == 128 .and. columns == 1 .and. type == OP2_F64)
    call op2_file_read_rows(file, 'VTKHDF/CellData/depth', 65_int64, values)
    call check('those of the second time', all(values == 2))
    call op2_file_shape(file, 'VTKHDF/Points', rows, columns, type)
    call check('points', rows == 45 .and. columns == 3)
    call op2_file_close(file)
    call op2_xdmf_create(mesh, 'wave.xdmf', xdmf)
    call op2_xdmf_write(xdmf, 0.5_real64, [depth])
    call op2_destroy(xdmf)
    call op2_mesh_read(ctx, 'wave.xdmf', again)
    call op2_mesh_info_get(again, info)
    call check('a series with an XDMF file', info%cells == 64 .and. info%nodes == 45)
    call op2_destroy(again)
    call op2_destroy(depth)
    call op2_destroy(mesh)
  end subroutine

  !> A checkpoint of each kind of thing, read in the same program.
  subroutine kept()
    type(op2_checkpoint) :: checkpoint
    type(op2_checkpoint_options) :: options
    type(op2_checkpoint_info) :: info
    type(op2_gbl) :: total
    type(op2_const) :: factor
    integer(int64), target :: step
    real(real64), target :: times(2)
    real(real64) :: sums(1), factors(1), lengths(3)
    logical :: found
    call op2_gbl_create(ctx, [3.5_real64], 'total', total)
    call op2_const_create(ctx, [0.25_real64], 'factor', factor)
    options%keep = 1
    options%signal = -1
    call op2_checkpoint_create(ctx, 'state', checkpoint, options)
    call op2_checkpoint_add_dat(checkpoint, length)
    call op2_checkpoint_add_gbl(checkpoint, total)
    call op2_checkpoint_add_const(checkpoint, factor)
    call op2_checkpoint_add_counter(checkpoint, 'step', step)
    call op2_checkpoint_add_counter(checkpoint, 'times', times)
    call op2_checkpoint_read(checkpoint, found)
    call check('there is no checkpoint yet', .not. found)
    step = 7
    times = [0.5_real64, 0.125_real64]
    call op2_checkpoint_write(checkpoint)
    step = 0
    times = 0
    call op2_dat_set(length, [0.0_real64, 0.0_real64, 0.0_real64])
    call op2_gbl_set(total, [0.0_real64])
    call op2_const_set(factor, [0.0_real64])
    call op2_checkpoint_read(checkpoint, found)
    call op2_dat_get(length, lengths)
    call op2_gbl_get(total, sums)
    call op2_const_get(factor, factors)
    call check('counters are read into their variables', found .and. step == 7 .and. &
      all(times == [0.5_real64, 0.125_real64]))
    call check('so are objects', all(lengths == [1, 10, 100]) .and. sums(1) == 3.5_real64 .and. &
      factors(1) == 0.25_real64)
    call op2_checkpoint_info_get(checkpoint, info)
    call check('what was done', info%written == 1 .and. info%read == 1 .and. info%failed == 0)
    call op2_checkpoint_step(checkpoint)
    call op2_checkpoint_add_all(checkpoint)
    call op2_destroy(checkpoint)
    call op2_destroy(checkpoint)
    call op2_destroy(total)
    call op2_destroy(factor)
  end subroutine

  subroutine errors()
    character(:), allocatable :: message
    type(op2_file) :: file
    type(op2_dat) :: dat
    type(op2_checkpoint) :: checkpoint
    type(op2_checkpoint_options) :: options
    logical :: found
    call op2_file_open(ctx, 'nowhere.h5', OP2_FILE_READ, file, stat=ierr)
    message = op2_error_message()
    call check('no such file', ierr == OP2_ERR_IO .and. index(message, 'nowhere.h5') > 0)
    call op2_file_open(ctx, 'ring.h5', OP2_FILE_READ, file)
    call op2_file_read_dat(file, nodes, 3, OP2_I32, 'weight', dat, stat=ierr)
    call check('another dim', ierr == OP2_ERR_MISMATCH)
    call op2_file_write_dat(file, weight, stat=ierr)
    call check('a file that is read is not written', ierr == OP2_ERR_STATE)
    found = .true.
    call op2_file_has(file, '', found, stat=ierr)
    call check('an output is untouched on error', ierr == OP2_ERR_NAME .and. found)
    call op2_file_close(file)
    options%keep = -3
    call op2_checkpoint_create(ctx, 'state', checkpoint, options, stat=ierr)
    call check('an option that has no such value', ierr == OP2_ERR_OPTION)
  end subroutine

  !> Compute, with a checkpoint at every third step.
  subroutine computed()
    integer, parameter :: n = 1000
    type(op2_kernel) :: mix, next
    type(op2_dat) :: x, old
    type(op2_gbl) :: total
    type(op2_checkpoint) :: checkpoint
    type(op2_checkpoint_options) :: options
    integer(int64), target :: step
    real(real64) :: values(n), sums(1)
    logical :: found, stop_now
    integer :: i, first, last, signal
    call get_command_argument(3, word)
    read (word, *) first
    call get_command_argument(4, word)
    read (word, *) last
    signal = 0
    call get_command_argument(5, word)
    if (word /= '') read (word, *) signal
    call get_command_argument(2, word)
    call ring(n)
    call op2_dat_create(nodes, [(1/real(i, real64), i=1, n)], 'old', old)
    call op2_dat_create(nodes, [(0.0_real64, i=1, n)], 'x', x)
    call op2_gbl_create(ctx, [0.0_real64], 'total', total)
    call op2_kernel_create(ctx, 'mix', mix_text, mix)
    call op2_kernel_create(ctx, 'next', next_text, next)
    options%calls = 3
    call op2_checkpoint_create(ctx, trim(word), checkpoint, options)
    call op2_checkpoint_add_all(checkpoint)
    step = 0
    call op2_checkpoint_add_counter(checkpoint, 'step', step)
    call op2_checkpoint_read(checkpoint, found)
    if (found .neqv. first > 0 .or. step /= first) error stop 'it begins at another step'
    stop_now = .false.
    do while (step /= abs(last) .and. .not. stop_now)
      call op2_par_loop(mix, edges, [op2_arg_dat(old, 1, ends, OP2_READ), op2_arg_dat(x, 1, ends, OP2_INC), &
        op2_arg_dat(x, 2, ends, OP2_INC)])
      call op2_par_loop(next, nodes, [op2_arg_direct(x, OP2_RW), op2_arg_direct(old, OP2_WRITE), &
        op2_arg_gbl(total, OP2_INC)])
      step = step + 1
      if (step == -last) ierr = c_raise(signal)
      call op2_checkpoint_step(checkpoint, stop_now)
    end do
    if (last < 0 .neqv. stop_now) error stop 'the signal is not seen'
    call op2_dat_get(old, values)
    call op2_gbl_get(total, sums)
    print '(i0, 2(1x, z16.16))', step, transfer(sum(values), 0_int64), transfer(sums(1), 0_int64)
    call op2_destroy(checkpoint)
  end subroutine
end program
