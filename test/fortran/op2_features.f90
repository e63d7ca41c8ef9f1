! SPDX-License-Identifier: BSD-3-Clause
!> What OP2's Fortran interface has beside loops over dats: reductions of each kind, minima and where
!> they are, arguments that are absent, numbers of elements, all slots of a map, scratch memory,
!> temporaries, ranges of values, files, maps that are numbered from 0, loops of twenty arguments.
!>   op2_features BASE [FILE [OPTION]]
!> BASE is the number of the first element in maps, 0 or 1. FILE gets the values of a dat as text, and
!> FILE.json the sections of the program. OPTION is one of OP2's, which gives the base in place of a
!> call.
module feature_kernels
  use, intrinsic :: iso_c_binding
  implicit none
  real(8) :: scale = 1

contains

  subroutine reduce(x, y, n, total, least, most, total4, least4, count, fewest)
    real(8), intent(in) :: x
    real(4), intent(in) :: y
    integer(4), intent(in) :: n
    real(8), intent(inout) :: total(2), least, most
    real(4), intent(inout) :: total4, least4
    integer(4), intent(inout) :: count, fewest
    total = total + [x, 2*x]
    least = min(least, x)
    most = max(most, x)
    total4 = total4 + y
    least4 = min(least4, y)
    count = count + n
    fewest = min(fewest, n)
  end subroutine

  subroutine find(x, number, least, place)
    real(8), intent(in) :: x
    integer(4), intent(in) :: number
    real(8), intent(inout) :: least
    integer(4), intent(out) :: place
    if (x < least) then
      least = x
      place = number
    end if
  end subroutine

  subroutine maybe(x, extra, y, total)
    real(8), intent(in) :: x
    real(8), intent(in), optional :: extra
    real(8), intent(out) :: y
    real(8), intent(inout), optional :: total
    y = x
    if (present(extra)) y = y + extra
    if (present(total)) total = total + x
  end subroutine

  subroutine numbers(own, second, out)
    integer(4), intent(in) :: own, second
    integer(4), intent(out) :: out(2)
    out = [own, second]
  end subroutine

  !> The first argument has a pointer to the value in each slot.
  subroutine slots(x, room, factor, y)
    type(c_ptr), intent(in) :: x(2)
    real(8), intent(inout) :: room(2)
    real(8), intent(in) :: factor(2)
    real(8), intent(out) :: y
    real(8), pointer :: value
    integer :: k
    do k = 1, 2
      call c_f_pointer(x(k), value)
      room(k) = factor(k)*value
    end do
    y = room(1) - room(2)
  end subroutine

  subroutine twice(x, t)
    real(8), intent(in) :: x
    real(8), intent(out) :: t
    t = 2*scale*x
  end subroutine

  subroutine add(t, x)
    real(8), intent(in) :: t
    real(8), intent(inout) :: x
    x = x + t
  end subroutine

  subroutine choose(on, x)
    logical, intent(in) :: on
    real(8), intent(inout) :: x
    if (on) x = -x
  end subroutine

  subroutine twenty(a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, a17, a18, &
                    a19, total)
    real(8), intent(in) :: a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, a17, &
                           a18, a19
    real(8), intent(inout) :: total
    total = total + a1 + 2*a2 + 3*a3 + 4*a4 + 5*a5 + 6*a6 + 7*a7 + 8*a8 + 9*a9 + 10*a10 + 11*a11 + &
            12*a12 + 13*a13 + 14*a14 + 15*a15 + 16*a16 + 17*a17 + 18*a18 + 19*a19
  end subroutine
end module

program op2_features
  use OP2_FORTRAN_DECLARATIONS
  use OP2_FORTRAN_REFERENCE
  use OP2_FORTRAN_RT_SUPPORT
  use, intrinsic :: ISO_C_BINDING
  use feature_kernels
  use op2_check
  implicit none

  integer(4), parameter :: n = 200
  type(op_set) :: nodes, edges
  type(op_map) :: pedge
  type(op_dat) :: p_x, p_y, p_n
  integer(4) :: i, first, last, base, ends(2, n), whole(n)
  real(8) :: x(n)
  real(4) :: y(n)
  character(256) :: file
  logical :: root

  call get_command_argument(1, file)
  read (file, *) base
  call get_command_argument(2, file)
  do i = 1, n
    x(i) = mod(37*i, 101) - 20.25d0
    y(i) = mod(13*i, 17) - 3.5
    whole(i) = mod(5*i, 23) + 2
    ends(:, i) = [i, mod(7*i + 3, n) + 1]
  end do
  if (base == 1 .or. command_argument_count() > 2) then
    call op_init(0)
  else
    call op_init_base(0, 0)
  end if
  call declare()
  call reductions()
  call places()
  call absent()
  call numbered()
  call all_slots()
  call temporaries()
  call flags()
  call many()
  call other_arguments()
  call parts()
  call sections()
  root = op_is_root() == 1
  call op_exit()
  call checked(root)

contains

  subroutine declare()
    call set_of(n, 'nodes', nodes)
    call set_of(n, 'edges', edges)
    call map_of(edges, nodes, ends - 1 + base, 'pedge', pedge)
    call block_of(n, first, last)
    call op_decl_dat(nodes, 1, 'real(8)', x(first:last), p_x, 'p_x')
    call op_decl_dat(nodes, 1, 'real(4)', y(first:last), p_y, 'p_y')
    call op_decl_dat(nodes, 1, 'integer(4)', whole(first:last), p_n, 'p_n')
    call check(op_get_size(nodes) == n .and. nodes%setPtr%size == last - first + 1 .and. &
               op_get_size_local(nodes) == last - first + 1 .and. &
               op_get_global_set_offset(nodes) == first - 1, 'sizes of sets')
    call check(pedge%mapPtr%dim == 2 .and. p_x%dataPtr%dim == 1, 'members of maps and dats')
    call op_partition('INERTIAL', '', nodes, pedge, p_x)
  end subroutine

  subroutine reductions()
    real(8) :: total(2), least, most
    real(4) :: total4, least4
    integer(4) :: count, fewest
    total = [1, 0]
    least = 1000
    most = -1000
    total4 = 0
    least4 = 1000
    count = 5
    fewest = 1000
    call op_par_loop_10(reduce, nodes, &
                        op_arg_dat(p_x, -1, OP_ID, 1, 'real(8)', OP_READ), &
                        op_arg_dat(p_y, -1, OP_ID, 1, 'real(4)', OP_READ), &
                        op_arg_dat(p_n, -1, OP_ID, 1, 'integer(4)', OP_READ), &
                        op_arg_gbl(total, 2, 'real(8)', OP_INC), &
                        op_arg_gbl(least, 1, 'real(8)', OP_MIN), &
                        op_arg_gbl(most, 1, 'real(8)', OP_MAX), &
                        op_arg_gbl(total4, 1, 'real(4)', OP_INC), &
                        op_arg_gbl(least4, 1, 'real(4)', OP_MIN), &
                        op_arg_gbl(count, 1, 'integer(4)', OP_INC), &
                        op_arg_gbl(fewest, 1, 'integer(4)', OP_MIN))
    call check(maxval(abs(total - [1 + sum(x), 2*sum(x)])) <= 1d-12*sum(abs(x)), 'sums of real(8)')
    call check(abs(least - minval(x)) + abs(most - maxval(x)) <= 0, 'a minimum and a maximum')
    call check(abs(total4 - sum(y)) <= 1e-5*sum(abs(y)), 'a sum of real(4)')
    call check(abs(least4 - minval(y)) <= 0, 'a minimum of real(4)')
    call check(count == 5 + sum(whole) .and. fewest == minval(whole), 'a sum and a minimum of integer(4)')
  end subroutine

  !> The element that a minimum belongs to; where several are equal, the first.
  subroutine places()
    real(8) :: least
    integer(4) :: place
    least = 1000
    place = -1
    call op_par_loop_4(find, nodes, &
                       op_arg_dat(p_x, -1, OP_ID, 1, 'real(8)', OP_READ), &
                       op_arg_idx(-1, OP_ID), &
                       op_arg_gbl(least, 1, 'real(8)', OP_MIN), &
                       op_arg_info(place, 1, 'integer(4)', 3))
    call check(abs(least - minval(x)) <= 0 .and. place == minloc(x, 1), 'a minimum and its element')
  end subroutine

  subroutine absent()
    type(op_dat) :: p_out
    real(8) :: total
    integer :: on
    call op_decl_dat_temp(nodes, 1, 'real(8)', p_out, 'out')
    do on = 0, 1
      total = 0
      call op_par_loop_4(maybe, nodes, &
                         op_arg_dat(p_x, -1, OP_ID, 1, 'real(8)', OP_READ), &
                         op_opt_arg_dat(on == 1, p_x, -1, OP_ID, 1, 'real(8)', OP_READ), &
                         op_arg_dat(p_out, -1, OP_ID, 1, 'real(8)', OP_WRITE), &
                         op_opt_arg_gbl(on == 0, total, 1, 'real(8)', OP_INC))
      call check(holds(p_out, reshape((1 + on)*x, [1, n]), 0d0), 'an optional dat')
      call check(abs(total - merge(sum(x), 0d0, on == 0)) <= 1d-12*sum(abs(x)), 'an optional sum')
    end do
    call check(op_free_dat_temp(p_out) == 0, 'a dat is given up')
  end subroutine

  !> The element's own number, which begins with 1, and those of a map, which begin as the map's do.
  subroutine numbered()
    type(op_dat) :: p_out
    integer(4) :: want(2, n)
    call block_of(n, first, last)
    want = 0
    call op_decl_dat(edges, 2, 'integer(4)', want(:, first:last), p_out, 'numbers')
    call op_par_loop_3(numbers, edges, op_arg_idx(-1, OP_ID), op_arg_idx(2, pedge), &
                       op_arg_dat(p_out, -1, OP_ID, 2, 'integer(4)', OP_WRITE))
    do i = 1, n
      want(:, i) = [i, ends(2, i) - 1 + base]
    end do
    call check(holds(p_out, want), 'numbers of elements')
  end subroutine

  subroutine all_slots()
    type(op_dat) :: p_out
    real(8) :: factor(2), room(2)
    factor = [2, 3]
    call op_decl_dat_temp(edges, 1, 'real(8)', p_out, 'differences')
    call op_par_loop_4(slots, edges, &
                       op_arg_dat(p_x, -2, pedge, 1, 'real(8)', OP_READ), &
                       op_arg_gbl(room, 2, 'real(8)', OP_WORK), &
                       op_arg_gbl(factor, 2, 'real(8)', OP_READ), &
                       op_arg_dat(p_out, -1, OP_ID, 1, 'real(8)', OP_WRITE))
    call check(holds(p_out, reshape(2*x(ends(1, :)) - 3*x(ends(2, :)), [1, n]), 1d-12), &
               'all slots of a map, and scratch memory')
  end subroutine

  !> Temporaries, and a variable of a module that changes between loops.
  subroutine temporaries()
    type(op_dat) :: t
    integer :: step
    do step = 1, 5
      scale = 0.125d0*step
      call op_decl_dat_temp(nodes, 1, 'real(8)', t, 't')
      call op_par_loop_2(twice, nodes, op_arg_dat(p_x, -1, OP_ID, 1, 'real(8)', OP_READ), &
                         op_arg_dat(t, -1, OP_ID, 1, 'real(8)', OP_WRITE))
      call op_par_loop_2(add, nodes, op_arg_dat(t, -1, OP_ID, 1, 'real(8)', OP_READ), &
                         op_arg_dat(p_x, -1, OP_ID, 1, 'real(8)', OP_RW))
      x = x + 2*scale*x
      if (op_free_dat_temp(t) /= 0) error stop 'op_free_dat_temp'
    end do
    call check(holds(p_x, reshape(x, [1, n]), 1d-12), 'temporaries, and a variable that changes')
  end subroutine

  subroutine flags()
    logical :: on
    on = .true.
    call op_par_loop_2(choose, nodes, op_arg_gbl(on, 1, 'logical', OP_READ), &
                       op_arg_dat(p_x, -1, OP_ID, 1, 'real(8)', OP_RW))
    x = -x
    call check(holds(p_x, reshape(x, [1, n]), 1d-12), 'a logical')
  end subroutine

  subroutine many()
    type(op_arg) :: own
    real(8) :: total
    own = op_arg_dat(p_x, -1, OP_ID, 1, 'real(8)', OP_READ)
    total = 0
    call op_par_loop_20(twenty, nodes, own, own, own, own, own, own, own, own, own, own, own, own, own, &
                        own, own, own, own, own, own, op_arg_gbl(total, 1, 'real(8)', OP_INC))
    call check(abs(total - 190*sum(x)) <= 1d-10*sum(abs(x)), 'a loop of twenty arguments')
  end subroutine

  !> A kernel that ran before, with arguments of other modes, through another map, and of other numbers.
  subroutine other_arguments()
    type(op_dat) :: t, p_out
    integer(4) :: want(2, n)
    call op_decl_dat_temp(edges, 1, 'real(8)', t, 't')
    call op_par_loop_2(twice, edges, op_arg_dat(p_x, 2, pedge, 1, 'real(8)', OP_READ), &
                       op_arg_dat(t, -1, OP_ID, 1, 'real(8)', OP_WRITE))
    call op_par_loop_2(add, edges, op_arg_dat(t, -1, OP_ID, 1, 'real(8)', OP_RW), &
                       op_arg_dat(p_x, 1, pedge, 1, 'real(8)', OP_INC))
    x(ends(1, :)) = x(ends(1, :)) + 2*scale*x(ends(2, :))
    call check(holds(p_x, reshape(x, [1, n]), 1d-12), 'a kernel with arguments of other modes')
    call block_of(n, first, last)
    want = 0
    call op_decl_dat(edges, 2, 'integer(4)', want(:, first:last), p_out, 'numbers')
    call op_par_loop_3(numbers, edges, op_arg_idx(-1, OP_ID), op_arg_idx(-1, OP_ID), &
                       op_arg_dat(p_out, -1, OP_ID, 2, 'integer(4)', OP_WRITE))
    want = spread([(i, i=1, n)], 1, 2)
    call check(holds(p_out, want), 'and of other numbers')
  end subroutine

  subroutine parts()
    real(8) :: some(3)
    real(8), pointer :: values(:)
    real(8) :: start, stop
    call op_fetch_data_idx(p_x, some, 5, 7)
    call check(maxval(abs(some - x(5:7))) <= 1d-12*maxval(abs(x)), 'some values')
    call c_f_pointer(transfer(op_get_data_ptr(p_x), c_null_ptr), values, [nodes%setPtr%size])
    if (op_mpi_size() == 1) call check(maxval(abs(values - x)) <= 1d-12*maxval(abs(x)), 'values in place')
    call op_timers(start)
    call op_timers(stop)
    call check(stop >= start, 'clocks')
    call op_barrier()
    if (file /= '') call op_print_dat_to_txtfile(p_x, file)
  end subroutine

  !> Sections by both of their names: 'outer' runs once, and 'inner' twice in it.
  subroutine sections()
    real(8) :: total
    integer :: i
    call op_timing2_start('features ')
    call op_timing2_enter('outer')
    do i = 1, 2
      call op_profile_enter('inner')
      total = 0
      call op_par_loop_2(add, nodes, op_arg_dat(p_x, -1, OP_ID, 1, 'real(8)', OP_READ), &
                         op_arg_gbl(total, 1, 'real(8)', OP_INC))
      call op_profile_exit()
      call check(abs(total - sum(x)) <= 1d-12*sum(abs(x)), 'a loop in a section')
    end do
    call op_timing2_next('last')
    call op_timing2_finish()
    call op_timing2_output()
    call op_print('# the table of kernels')
    call op_timing_output()
    if (file /= '') call op_profile_output_json(trim(file)//'.json')
  end subroutine
end program
