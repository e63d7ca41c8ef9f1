! SPDX-License-Identifier: BSD-3-Clause
!> Cases of the Fortran interface, which t173 runs on each backend, lazily and eagerly: shapes and
!> kinds of arrays, numbers that begin with 1, values against sums that are written here, errors by
!> `stat`, scopes, calls, reductions, matrices and solves. Without an argument it prints TAP; with
!> `stop` it makes an error without `stat`.
program fortran_cases
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: int8, int16, int32, int64, real32, real64
  use op2
  implicit none

  character(*), parameter :: spread_text = 'void spread(const double *length, double *a, double *b)'// &
    ' { *a += length[0]; *b += length[0]; }'
  integer :: checks = 0, failures = 0, ierr
  character(8) :: word
  type(op2_context) :: ctx
  type(op2_set) :: edges, nodes
  type(op2_map) :: ends
  type(op2_kernel) :: spread_kernel
  integer(c_int), target :: called = 0
  integer :: followed = 0

  call op2_init(ctx)
  call declare()
  call get_command_argument(1, word)
  if (word == 'stop') then
    call op2_set_create(ctx, -1, 'nowhere', nodes)
  end if
  call sums()
  call kinds()
  call scopes()
  call scopes_of_globals()
  call globals()
  call slots()
  call numbers()
  call queries()
  call calls()
  call addresses()
  call wrong_addresses()
  call errors()
  call wrong_arrays()
  call matrices()
  call reports()
  call op2_destroy(spread_kernel)
  call op2_destroy(ends)
  call op2_destroy(edges)
  call op2_destroy(nodes)
  call op2_finalize(ctx)
  call check('the context has ended', .not. op2_initialised(ctx))
  print '("1..", i0)', checks
  if (failures > 0) error stop 1

contains

  subroutine check(name, good)
    character(*), intent(in) :: name
    logical, intent(in) :: good
    checks = checks + 1
    if (.not. good) failures = failures + 1
    print '(a, i0, 2a)', merge('ok     ', 'not ok ', good), checks, ' - ', name
  end subroutine

  !> A ring of three edges.
  subroutine declare()
    integer(int32) :: idx(2, 3) = reshape([1, 2, 2, 3, 3, 1], [2, 3])
    call op2_set_create(ctx, 3, 'edges', edges)
    call op2_set_create(ctx, 3_int64, 'nodes', nodes)
    call op2_map_create(edges, nodes, idx, 'ends', ends)
    call op2_kernel_create(ctx, 'spread', spread_text, spread_kernel)
  end subroutine

  subroutine sums()
    type(op2_dat) :: length, total
    real(real64) :: got(3), wide(1, 3)
    call op2_dat_create(edges, [1.0_real64, 10.0_real64, 100.0_real64], 'length', length)
    call op2_dat_create(nodes, 1, OP2_F64, 'total', total)
    call op2_par_loop(spread_kernel, edges, [op2_arg_direct(length, OP2_READ), &
      op2_arg_dat(total, 1, ends, OP2_INC), op2_arg_dat(total, 2, ends, OP2_INC)], &
      where=op2_here('fortran_cases.f90', 1))
    call op2_dat_get(total, got)
    call check('sums along the edges of a ring', all(abs(got - [101, 11, 110]) < 1e-12_real64))
    call op2_dat_get(total, wide)
    call check('the same in an array of rank 2', all(abs(wide(1, :) - got) < 1e-12_real64))
    call op2_destroy(length)
    call op2_destroy(total)
  end subroutine

  !> Values of each kind and rank are found again.
  subroutine kinds()
    type(op2_dat) :: d
    real(real64) :: r8(2, 3) = reshape([1, 2, 3, 4, 5, 6], [2, 3]), r8_got(2, 3)
    real(real32) :: r4(3) = [1, 2, 3], r4_got(3)
    integer(int8) :: i1(3) = [1_int8, -2_int8, 3_int8], i1_got(3)
    integer(int16) :: i2(3) = [1_int16, -2_int16, 3_int16], i2_got(3)
    integer(int32) :: i4(3) = [1, -2, 3], i4_got(3)
    integer(int64) :: i8(3) = [1_int64, -2_int64, 2_int64**40], i8_got(3)
    logical :: l4(3) = [.true., .false., .true.], l4_got(3)
    integer(c_int) :: dim, type
    integer(int64) :: owned, total
    call op2_dat_create(nodes, r8, 'r8', d)
    call op2_dat_get(d, r8_got)
    call op2_dat_shape(d, dim, type, owned, total)
    call check('real64 of rank 2', all(r8_got == r8))
    call check('its shape', dim == 2 .and. type == OP2_F64 .and. owned == 3 .and. total == 3)
    call op2_dat_set(d, 2*r8)
    call op2_dat_get_halo(d, r8_got)
    call check('values that are set', all(r8_got == 2*r8))
    call op2_dat_get_block(d, 2_int64, r8_got(:, 1:2))
    call check('a block by number', all(r8_got(:, 1:2) == 2*r8(:, 2:3)))
    call op2_destroy(d)
    call op2_dat_create(nodes, r4, 'r4', d)
    call op2_dat_get(d, r4_got)
    call check('real32', all(r4_got == r4))
    call op2_destroy(d)
    call op2_dat_create(nodes, i1, 'i1', d)
    call op2_dat_get(d, i1_got)
    call check('int8', all(i1_got == i1))
    call op2_destroy(d)
    call op2_dat_create(nodes, i2, 'i2', d)
    call op2_dat_get(d, i2_got)
    call check('int16', all(i2_got == i2))
    call op2_destroy(d)
    call op2_dat_create(nodes, i4, 'i4', d)
    call op2_dat_get(d, i4_got)
    call check('int32', all(i4_got == i4))
    call op2_destroy(d)
    call op2_dat_create(nodes, i8, 'i8', d)
    call op2_dat_get(d, i8_got)
    call check('int64', all(i8_got == i8))
    call op2_destroy(d)
    call op2_dat_create(nodes, l4, 'l4', d)
    call op2_dat_get(d, l4_got)
    call check('logical', all(l4_got .eqv. l4))
    call op2_destroy(d)
    call op2_dat_create(nodes, 1, OP2_U8, 'u8', d)
    call op2_dat_set(d, i1)
    call op2_dat_get(d, i1_got)
    call check('bytes of an unsigned dat', all(i1_got == i1))
    call op2_destroy(d)
    call op2_dat_create(nodes, r8(:, 3:1:-1), 'backwards', d)
    call op2_dat_get(d, r8_got)
    call check('an array that is not contiguous', all(r8_got == r8(:, 3:1:-1)))
    call op2_destroy(d)
  end subroutine

  subroutine scopes()
    type(op2_dat) :: d, w
    real(real64), pointer :: p(:, :), q(:), none(:)
    real(real64), target :: own(2, 3) = 5
    real(real64) :: got(2, 3)
    integer(int32), pointer :: wrong(:)
    call op2_dat_create(nodes, 2, OP2_F64, 'd', d)
    call op2_dat_write_begin(d, p)
    call check('the extents of a scope', all(shape(p) == [2, 3]))
    p(:, 2) = [7, 8]
    call op2_dat_write_end(d, p)
    call check('the pointer after its end', .not. associated(p))
    call op2_dat_read_begin(d, p)
    call check('values that a scope has written', all(p(:, 2) == [7, 8]) .and. all(p(:, 1) == 0))
    call op2_dat_read_end(d, p)
    nullify (none, wrong)
    call op2_dat_read_begin(d, none, stat=ierr)
    call check('a scope of rank 1 over two values', ierr == OP2_ERR_MISMATCH)
    call op2_dat_read_begin(d, wrong, stat=ierr)
    call check('a scope of another kind', ierr == OP2_ERR_TYPE .and. .not. associated(wrong))
    call op2_destroy(d)
    call op2_dat_create(nodes, [1.0_real64, 2.0_real64, 3.0_real64], 'e', d)
    call op2_dat_read_begin(d, q)
    call check('a scope of rank 1', all(q == [1, 2, 3]))
    call op2_dat_read_end(d, q)
    call op2_destroy(d)
    call op2_dat_wrap(nodes, own, 'w', w)
    call op2_dat_get(w, got)
    call check('memory of the program', all(got == 5))
    call op2_destroy(w)
  end subroutine

  subroutine scopes_of_globals()
    type(op2_gbl) :: g, h
    real(real64), pointer :: p(:)
    real(real64), pointer :: one
    real(real64), target :: own(2), single
    real(real64) :: got
    own = [1, 2]
    single = 4
    call op2_gbl_wrap(ctx, own, 'own', g)
    nullify (one, p)
    call op2_gbl_read_begin(g, one, stat=ierr)
    call check('a scalar scope over two values', ierr == OP2_ERR_MISMATCH .and. .not. associated(one))
    call op2_gbl_set(g, [3.0_real64, 7.0_real64])
    call op2_gbl_read_begin(g, p)
    call check('memory that a scope fills', all(own == [3, 7]) .and. size(p) == 2 .and. associated(p, own))
    call op2_gbl_read_end(g, p)
    call check('the pointer after the end of the scope', .not. associated(p))
    call op2_destroy(g)
    call op2_gbl_wrap(ctx, single, 'single', h)
    call op2_gbl_write_begin(h, one)
    one = one + 1
    call op2_gbl_write_end(h, one)
    call op2_gbl_get(h, got)
    call check('a value that a scope has written', got == 5 .and. single == 5)
    call op2_destroy(h)
  end subroutine

  subroutine globals()
    character(*), parameter :: text(*) = [character(60) :: &
      'void sum(const double *x, const double *by, double *s) {', '  *s += *factor * *by * *x;', '}']
    character(*), parameter :: scalar(*) = [character(60) :: &
      'void sum(const double *x, const double *by, double *s) {', '  *s += factor * *by * *x;', '}']
    type(op2_dat) :: x
    type(op2_gbl) :: s
    type(op2_const) :: factor
    type(op2_kernel) :: k, refused
    real(real64), target :: by
    real(real64) :: got, pair(2)
    by = 3
    call op2_dat_create(nodes, [1.0_real64, 2.0_real64, 3.0_real64], 'x', x)
    call op2_gbl_create(ctx, 10.0_real64, 's', s)
    call op2_const_create(ctx, 2.0_real64, 'factor', factor)
    call op2_kernel_create(ctx, 'sum', scalar, k)
    call op2_par_loop(k, nodes, [op2_arg_direct(x, OP2_READ), op2_arg_val(by), &
      op2_arg_gbl(s, OP2_INC)])
    call op2_gbl_get(s, got)
    call check('a sum with a constant and a value', abs(got - 46) < 1e-12_real64)
    call op2_const_set(factor, 1.0_real64)
    call op2_gbl_set(s, 0.0_real64)
    call op2_par_loop(k, nodes, [op2_arg_direct(x, OP2_READ), op2_arg_val(by), &
      op2_arg_gbl(s, OP2_INC)])
    call op2_gbl_get(s, got)
    call check('the same with other ones', abs(got - 18) < 1e-12_real64)
    call op2_dat_dot(x, x, s)
    call op2_dat_axpy(x, op2_scalar_times(-1.0_real64, op2_scalar_value(1.0_real64)), x)
    call op2_gbl_get(s, got)
    call check('a scalar product', abs(got - 14) < 1e-12_real64)
    call op2_gbl_get(s, pair, stat=ierr)
    call check('a global of another dim', ierr == OP2_ERR_MISMATCH)
    call op2_kernel_create(ctx, 'other', text, refused, stat=ierr)
    call check('a kernel of another name', ierr == OP2_ERR_SYNTAX)
    call op2_destroy(k)
    call op2_destroy(factor)
    call op2_destroy(s)
    call op2_destroy(x)
  end subroutine

  !> Slots of maps begin with 1; all of them and permuted ones.
  subroutine slots()
    character(*), parameter :: text = &
      'void both(const int *x[2], int *first, const int *second) { *first = x[0][0] * 10 + *second; }'
    type(op2_dat) :: x, y
    type(op2_map) :: turned
    type(op2_kernel) :: k
    integer(int32) :: got(3)
    call op2_dat_create(nodes, [4, 5, 6], 'x', x)
    call op2_dat_create(edges, 1, OP2_I32, 'y', y)
    call op2_map_create_permuted(ends, [2, 1], 'turned', turned)
    call op2_kernel_create(ctx, 'both', text, k)
    call op2_par_loop(k, edges, [op2_arg_dat(x, OP2_ALL, ends, OP2_READ), &
      op2_arg_direct(y, OP2_WRITE), op2_arg_dat(x, 1, turned, OP2_READ)])
    call op2_dat_get(y, got)
    call check('slots', all(got == [45, 56, 64]))
    call op2_par_loop(k, edges, [op2_arg_dat(x, OP2_ALL, ends, OP2_READ), &
      op2_arg_direct(y, OP2_WRITE), op2_arg_dat(x, 0, turned, OP2_READ)], stat=ierr)
    call check('slot 0 is none', ierr == OP2_ERR_RANGE)
    call op2_map_create_permuted(ends, [1, 2, 3], 'turned', turned, stat=ierr)
    call check('a permutation that is too long', ierr == OP2_ERR_MISMATCH)
    call op2_destroy(k)
    call op2_destroy(turned)
    call op2_destroy(x)
    call op2_destroy(y)
  end subroutine

  subroutine numbers()
    type(op2_set) :: some, rest
    integer(int64), allocatable :: idx(:)
    integer(int64) :: sections(4), order(3)
    call op2_subset_create(nodes, [3, 1], 'some', some)
    call op2_subset_indices(some, idx)
    call check('the elements of a subset', size(idx) == 2)
    call check('begin with 1', all(idx == [1, 3]))
    call op2_subset_create_difference(nodes, some, 'rest', rest)
    call op2_subset_indices(rest, idx)
    call check('the others', size(idx) == 1 .and. idx(1) == 2)
    call op2_set_sections(nodes, sections)
    call check('sections', all(sections == 3))
    call check('the size of a set', op2_set_size(nodes) == 3)
    call op2_set_global(nodes, order)
    call check('global numbers begin with 1', all(order == [1, 2, 3]))
    call op2_set_numbering(nodes, order)
    call check('the order of the elements', all(order == [1, 2, 3]))
    call op2_destroy(some)
    call op2_destroy(rest)
  end subroutine

  !> Declarations, entries that begin with 1, and objects in the order of their making.
  subroutine queries()
    type(op2_set_info) :: set
    type(op2_map_info) :: map
    type(op2_object) :: object
    type(op2_dat) :: x
    type(op2_map) :: made
    integer(int32) :: idx(2, 3), short(2, 2), flat(1, 3)
    integer(int64) :: global(2, 3), before
    call op2_set_info_get(nodes, set)
    call check('what is known of a set', set%name == 'nodes' .and. all(set%ends == 3))
    call op2_map_info_get(ends, map)
    call check('what is known of a map', map%arity == 2 .and. map%origin == OP2_MAP_DECLARED)
    call check('the sets of a map', op2_set_size(map%from) == 3)
    call op2_map_get(ends, idx)
    call check('entries begin with 1', all(idx == reshape([1, 2, 2, 3, 3, 1], [2, 3])))
    call op2_map_get_global(ends, global)
    call check('so do global ones', all(global == idx))
    call op2_map_get(ends, short, stat=ierr)
    call check('too few rows for entries', ierr == OP2_ERR_MISMATCH)
    call op2_map_get(ends, flat, stat=ierr)
    call check('too few slots for entries', ierr == OP2_ERR_MISMATCH)
    call op2_map_create_entries(edges, nodes, idx, 'made', made)
    call op2_map_get_global(made, global)
    call check('a map by entries as they are', all(global == idx))
    call op2_destroy(made)
    global(2, 1) = -5
    global(1, 3) = 0
    call op2_map_create_entries(edges, nodes, global, 'made', made, partial=.true.)
    call op2_map_get(made, idx)
    call check('entries below 1 lead nowhere', all(idx == reshape([1, 0, 2, 3, 0, 1], [2, 3])))
    call op2_destroy(made)
    global(1, 2) = 2_int64**32 + 1
    call op2_map_create_entries(edges, nodes, global, 'made', made, partial=.true., stat=ierr)
    call check('an entry that 32 bits cannot hold', ierr == OP2_ERR_RANGE)
    call op2_map_create_entries(edges, nodes, short, 'made', made, stat=ierr)
    call check('too few rows of entries', ierr == OP2_ERR_MISMATCH)
    call op2_dat_create(nodes, [4, 5, 6], 'x', x)
    before = op2_dat_changes(x)
    call op2_dat_set(x, [7, 8, 9])
    call check('a dat has changed', op2_dat_changes(x) > before)
    call op2_object_get(ctx, OP2_OBJECT_SET, 1, object)
    call check('the first set', object%name == 'edges' .and. object%kind == OP2_OBJECT_SET)
    call op2_object_get(ctx, OP2_OBJECT_SET, int(op2_objects(ctx, OP2_OBJECT_SET)) + 1, object, &
      stat=ierr)
    call check('past the last set', ierr == OP2_ERR_RANGE)
    call op2_destroy(x)
  end subroutine

  subroutine calls()
    type(op2_dat) :: x
    integer(int32), target :: factor
    factor = 7
    call op2_dat_create(nodes, [1, 2, 3], 'x', x)
    call op2_call(ctx, take, [op2_arg_direct(x, OP2_READ), op2_arg_val(factor)], &
      data=c_loc(called), name='take')
    call op2_flush(ctx)
    call check('a function that is called', called == 42)
    call op2_call(ctx, take, [op2_arg_direct(x, OP2_READ), op2_arg_val(factor)], &
      data=c_loc(called), destroy=clear)
    call op2_flush(ctx)
    call check('data that are destroyed', called == -1)
    call op2_call(ctx, refuse, [op2_arg_direct(x, OP2_READ)], stat=ierr)
    if (ierr == OP2_SUCCESS) call op2_flush(ctx, stat=ierr)
    call check('one that returns an error', ierr == OP2_ERR_CALL)
    call op2_destroy(x)
  end subroutine

  function take(data, values) bind(c) result(answer)
    type(c_ptr), value :: data
    type(c_ptr), intent(in) :: values(*)
    integer(c_int) :: answer
    integer(c_int), pointer :: out, x(:), factor
    call c_f_pointer(data, out)
    call c_f_pointer(values(1), x, [3])
    call c_f_pointer(values(2), factor)
    out = factor*sum(x)
    answer = 0
  end function

  subroutine clear(data) bind(c)
    type(c_ptr), value :: data
    integer(c_int), pointer :: value
    call c_f_pointer(data, value)
    value = -1
  end subroutine

  function refuse(data, values) bind(c) result(answer)
    type(c_ptr), value :: data
    type(c_ptr), intent(in) :: values(*)
    integer(c_int) :: answer
    answer = merge(1, 2, c_associated(data) .and. c_associated(values(1)))
  end function

  !> Subroutines with bind(c) as kernels: increments, a reduction, a value, all slots of a map, an
  !> argument that is absent, the number of the element.
  subroutine addresses()
    type(op2_dat) :: length, total, number
    type(op2_gbl) :: longest
    type(op2_kernel) :: spread_f, look_f
    real(real64) :: got(3), most
    real(real64), target :: factor
    integer(int32) :: numbers(3)
    factor = 2
    call op2_dat_create(edges, [1.0_real64, 10.0_real64, 100.0_real64], 'length', length)
    call op2_dat_create(nodes, 1, OP2_F64, 'total', total)
    call op2_dat_create(edges, 1, OP2_I32, 'number', number)
    call op2_gbl_create(ctx, 0.0_real64, 'longest', longest)
    call op2_kernel_create(ctx, 'spread_f', 'void spread_f(const double *length, double *a, '// &
      'double *b, double *longest, double factor)', c_funloc(spread_f_address), spread_f, OP2_ANY_THREADS)
    call op2_kernel_create(ctx, 'look_f', 'void look_f(const double *const total[2], '// &
      'const double *absent, int number, int *out)', c_funloc(look_f_address), look_f)
    call op2_par_loop(spread_f, edges, [op2_arg_direct(length, OP2_READ), &
      op2_arg_dat(total, 1, ends, OP2_INC), op2_arg_dat(total, 2, ends, OP2_INC), &
      op2_arg_gbl(longest, OP2_MAX), op2_arg_val(factor)])
    call op2_par_loop(look_f, edges, [op2_arg_dat(total, OP2_ALL, ends, OP2_READ), &
      op2_arg_opt(0, op2_arg_direct(length, OP2_READ)), op2_arg_idx(), &
      op2_arg_direct(number, OP2_WRITE)])
    call op2_dat_get(total, got)
    call check('a kernel by address', all(abs(got - 2*[101, 11, 110]) < 1e-12_real64))
    call op2_gbl_get(longest, most)
    call check('a maximum by address', abs(most - 100) < 1e-12_real64)
    call op2_dat_get(number, numbers)
    call check('pointers and the number by address', all(numbers == [224, 242 + 1, 422 + 2]))
    call op2_destroy(spread_f)
    call op2_destroy(look_f)
    call op2_destroy(longest)
    call op2_destroy(length)
    call op2_destroy(total)
    call op2_destroy(number)
  end subroutine

  subroutine spread_f_address(length, a, b, longest, factor) bind(c)
    real(c_double), intent(in) :: length
    real(c_double), intent(inout) :: a, b, longest
    real(c_double), value :: factor
    a = a + factor*length
    b = b + factor*length
    longest = max(longest, length)
  end subroutine

  subroutine look_f_address(totals, absent, number, out) bind(c)
    type(c_ptr), intent(in) :: totals(2)
    real(c_double), intent(in), optional :: absent
    integer(c_int), value :: number
    integer(c_int), intent(out) :: out
    real(c_double), pointer :: first, second
    call c_f_pointer(totals(1), first)
    call c_f_pointer(totals(2), second)
    out = number + nint(first + second)
    if (present(absent)) out = -1
  end subroutine

  subroutine wrong_addresses()
    type(op2_kernel) :: none
    character(*), parameter :: declaration = 'void spread_f(const double *length, double *a, '// &
      'double *b, double *longest, double factor)'
    call op2_kernel_create(ctx, 'spread_f', declaration, c_null_funptr, none, stat=ierr)
    call check('no function', ierr == OP2_ERR_ARG)
    call check('its name', index(op2_error_message(), 'spread_f') > 0)
    call op2_kernel_create(ctx, 'spread_f', declaration//' { }', c_funloc(spread_f_address), none, stat=ierr)
    call check('a body beside a function', ierr == OP2_ERR_SYNTAX)
    call check('its message', index(op2_error_message(), 'both a function and a body') > 0)
    call op2_kernel_create(ctx, 'other', declaration, c_funloc(spread_f_address), none, stat=ierr)
    call check('another name', ierr == OP2_ERR_SYNTAX)
    call op2_kernel_create(ctx, 'spread_f', declaration, c_funloc(spread_f_address), none, 9, stat=ierr)
    call check('unknown threads', ierr == OP2_ERR_ARG)
  end subroutine

  subroutine errors()
    type(op2_set) :: none
    type(op2_dat) :: unmade
    type(op2_context) :: other
    type(op2_options) :: options
    call op2_set_create(ctx, -5, 'bad', none, stat=ierr)
    call check('a size below 0', ierr == OP2_ERR_ARG)
    call check('its message', index(op2_error_message(), 'bad') > 0)
    call check('its name', op2_status_name(ierr) == 'OP2_ERR_ARG')
    call op2_dat_create(none, 1, OP2_F64, 'd', unmade, stat=ierr)
    call check('a set that does not exist', ierr == OP2_ERR_ARG)
    options%backend = 'abacus'
    call op2_init(other, options, stat=ierr)
    call check('an option', ierr == OP2_ERR_OPTION)
    call check('there is no context then', .not. op2_initialised(other))
    call check('its value in the message', index(op2_error_message(), 'abacus') > 0)
    call check('success after that', op2_backend_unavailable('sequential') == '')
  end subroutine

  !> Arrays of the wrong extents or kind never reach C.
  subroutine wrong_arrays()
    type(op2_dat) :: d, none
    type(op2_map) :: bad
    real(real64) :: short(2) = 0, wide(3, 3) = 0
    integer(int32) :: whole(3) = 0
    call op2_dat_create(nodes, 1, OP2_F64, 'd', d)
    call op2_dat_get(d, short, stat=ierr)
    call check('too few elements', ierr == OP2_ERR_MISMATCH)
    call check('the extents in the message', &
      index(op2_error_message(), '2 elements, expected 3') > 0)
    call op2_dat_get(d, wide, stat=ierr)
    call check('another dim', ierr == OP2_ERR_MISMATCH)
    call op2_dat_set(d, whole, stat=ierr)
    call check('another kind', ierr == OP2_ERR_TYPE)
    call op2_dat_create(nodes, short, 'none', none, stat=ierr)
    call check('a dat of too few values', ierr == OP2_ERR_MISMATCH)
    call op2_map_create(edges, nodes, reshape([1, 2, 3, 1], [2, 2]), 'bad', bad, stat=ierr)
    call check('a map of too few rows', ierr == OP2_ERR_MISMATCH)
    call op2_map_create(edges, nodes, reshape([1, 2, 2, 3, 3, 4], [2, 3]), 'bad', bad, stat=ierr)
    call check('an entry past the end', ierr == OP2_ERR_RANGE)
    call check('a later message is the library''s', index(op2_error_message(), 'bad') > 0)
    call op2_map_create(edges, nodes, reshape([0, 2, 2, 3, 3, 1], [2, 3]), 'bad', bad, stat=ierr)
    call check('an entry 0', ierr == OP2_ERR_RANGE)
    call op2_destroy(d)
  end subroutine

  subroutine follow(data, iteration, residual) bind(c)
    type(c_ptr), value :: data
    integer(c_int), value :: iteration
    real(c_double), value :: residual
    if (.not. c_associated(data) .and. iteration == followed .and. residual >= 0) followed = followed + 1
  end subroutine

  !> The mass matrix of the ring, of blocks 1 x 1: 2 on the diagonal, 1 beside it.
  subroutine matrices()
    character(*), parameter :: text = 'void mass(double a[2][2]) { a[0][0] += 1; a[1][1] += 1;'// &
      ' a[0][1] += 0.5; a[1][0] += 0.5; }'
    type(op2_sparsity) :: pattern
    type(op2_mat) :: a
    type(op2_kernel) :: k
    type(op2_dat) :: x, b
    type(op2_solver) :: solver
    type(op2_solve_result) :: outcome
    type(op2_solver_options) :: options
    integer(int64) :: rows, places, starts(4), columns(9)
    real(real64) :: values(9), got(3), short(4)
    call op2_sparsity_create([ends], [ends], 'pattern', pattern)
    call op2_sparsity_size(pattern, rows, places)
    call check('rows and nonzeros', rows == 3 .and. places == 9)
    call op2_sparsity_get(pattern, starts, columns)
    call check('where rows start', all(starts == [1, 4, 7, 10]))
    call check('their columns', all(columns == [1, 2, 3, 1, 2, 3, 1, 2, 3]))
    call op2_mat_create(pattern, 1, 1, OP2_F64, 'a', a)
    call op2_kernel_create(ctx, 'mass', text, k)
    call op2_par_loop(k, edges, [op2_arg_mat(a, ends, ends, OP2_INC)])
    call op2_mat_get(a, values)
    call check('a matrix', all(abs(values - [4, 1, 1, 1, 4, 1, 1, 1, 4]/2.0_real64) < 1e-12_real64))
    call op2_mat_set(a, [1_int64, 3_int64], [2_int64, 3_int64], [7.0_real64, 8.0_real64])
    call op2_mat_add(a, [1_int64], [1_int64], [1.0_real64])
    call op2_mat_get(a, values)
    call check('values by rows and columns', &
      all(abs(values - [6, 14, 1, 1, 4, 1, 1, 1, 16]/2.0_real64) < 1e-12_real64))
    call op2_mat_add(a, [1_int64], [1_int64], [1.0_real64, 2.0_real64], stat=ierr)
    call check('too many values for them', ierr == OP2_ERR_MISMATCH)
    call op2_mat_set(a, [1_int64, 1_int64, 3_int64], [1_int64, 2_int64, 3_int64], &
      [2.0_real64, 0.5_real64, 2.0_real64])
    call op2_mat_get(a, short, stat=ierr)
    call check('too few values for it', ierr == OP2_ERR_MISMATCH)
    call op2_dat_create(nodes, [3.0_real64, 3.0_real64, 3.0_real64], 'b', b)
    call op2_dat_create(nodes, 1, OP2_F64, 'x', x)
    options%rtol = 1e-12_real64
    options%method = OP2_METHOD_CG
    call op2_solver_create(ctx, 'solver', solver, options)
    call op2_solver_monitor(solver, follow)
    call op2_solve(solver, a, x, b)
    call op2_solver_result(solver, outcome)
    call check('residuals of the solve', followed == outcome%iterations + 1)
    call op2_solver_monitor(solver)
    call op2_dat_get(x, got)
    call check('a system that is solved', outcome%reason > 0 .and. all(abs(got - 1) < 1e-9_real64))
    call op2_destroy(solver)
    call op2_destroy(x)
    call op2_destroy(b)
    call op2_destroy(k)
    call op2_destroy(a)
    call op2_destroy(pattern)
  end subroutine

  subroutine reports()
    type(op2_times) :: times
    type(op2_profile) :: profile
    type(op2_dat) :: length, total
    character(40) :: line
    integer :: unit, i
    logical :: found
    call op2_dat_create(nodes, 1, OP2_F64, 'length', length)
    call op2_dat_create(nodes, 1, OP2_F64, 'sum', total)
    call op2_par_loop(spread_kernel, nodes, [op2_arg_direct(length, OP2_READ), &
      op2_arg_direct(total, OP2_INC), op2_arg_direct(total, OP2_INC)])
    call op2_flush(ctx)
    call op2_times_get(ctx, times)
    call check('times', times%total > 0)
    found = .false.
    i = 1
    do
      call op2_profile_get(ctx, i, profile, stat=ierr)
      if (ierr /= OP2_SUCCESS) exit
      found = found .or. (profile%kernel == 'spread' .and. profile%set == 'nodes' .and. profile%calls >= 1)
      i = i + 1
    end do
    call check('a line of the profile', found)
    call op2_destroy(length)
    call op2_destroy(total)
    call op2_profile_get(ctx, 1000000, profile, stat=ierr)
    call check('a line past the last', ierr == OP2_ERR_RANGE)
    call op2_explain(ctx, 'fortran-explain.txt')
    open (newunit=unit, file='fortran-explain.txt', status='old')
    read (unit, '(a)') line
    close (unit, status='delete')
    call check('an explanation', len_trim(line) > 0)
    call op2_explain(ctx, '/nowhere/file', stat=ierr)
    call check('a file that cannot be written', ierr == OP2_ERR_IO)
    call check('the backend', len(op2_backend_name(ctx)) > 0)
    call check('its workers', op2_workers(ctx) >= 1)
    call check('the version', OP2_VERSION_MAJOR >= 0)
    call op2_flush(ctx)
    call check('nothing is queued after a flush', op2_queued(ctx) == 0)
  end subroutine
end program
