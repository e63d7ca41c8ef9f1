! SPDX-License-Identifier: BSD-3-Clause
!> Heat that spreads over a mesh, as bench/heat computes it, with the same bits:
!>   heat_fortran MESH STEPS [DUMP [address]]
!> MESH is a file of OP2's form, DUMP gets the temperatures and then the last change. With `address`
!> the kernels are the subroutines of module heat_kernels, else they are made from the text here.
program heat
  use, intrinsic :: iso_c_binding, only: c_funloc, c_funptr
  use, intrinsic :: iso_fortran_env, only: int32, int64, real64
  use heat_kernels
  use mesh_file
  use op2
  implicit none

  character(*), parameter :: flow_text(*) = [character(100) :: &
    'void flow(const double *weight, const double *ua, const double *ub, double *ga, double *gb) {', &
    '  double heat = *weight * (*ub - *ua);', &
    '  *ga += heat;', &
    '  *gb -= heat;', &
    '}']
  character(*), parameter :: advance_text(*) = [character(100) :: &
    'void advance(const double *rate, const double *gain, double *u) {', &
    '  *u += *rate * *gain;', &
    '}']
  ! The gains are set to zero for the next time step.
  character(*), parameter :: measure_text(*) = [character(100) :: &
    'void measure(const double *rate, double *gain, double *change) {', &
    '  double size = fabs(*rate * *gain);', &
    '  *change = size > *change ? size : *change;', &
    '  *gain = 0.0;', &
    '}']

  type(op2_context) :: ctx
  type(op2_set) :: nodes, edges
  type(op2_map) :: edge_nodes
  type(op2_dat) :: weight, rate, u, gain
  type(op2_gbl) :: change
  type(op2_kernel) :: flow, advance, measure
  type(mesh) :: m
  real(real64), allocatable :: widths(:), areas(:), rates(:), temperatures(:)
  real(real64) :: largest, begin, timed
  integer :: step, steps, warmup

  if (command_argument_count() < 2) error stop 'usage: heat_fortran MESH STEPS [DUMP [address]]'
  call mesh_read(argument(1), m)
  steps = integer_argument(2)
  largest = 0
  call set_problem()

  call op2_init(ctx)
  call op2_set_create(ctx, m%nnode, 'nodes', nodes)
  call op2_set_create(ctx, m%nedge, 'edges', edges)
  call op2_map_create(edges, nodes, m%edge, 'edge_nodes', edge_nodes)
  call op2_dat_create(edges, widths, 'weight', weight)
  call op2_dat_create(nodes, rates, 'rate', rate)
  call op2_dat_create(nodes, temperatures, 'u', u)
  call op2_dat_create(nodes, 1, OP2_F64, 'gain', gain)
  call op2_gbl_create(ctx, 0.0_real64, 'change', change)
  call declare_kernel('flow', flow_text, c_funloc(flow_address), flow)
  call declare_kernel('advance', advance_text, c_funloc(advance_address), advance)
  call declare_kernel('measure', measure_text, c_funloc(measure_address), measure)

  warmup = min(2, steps - 1)
  begin = clock_now()
  timed = begin
  do step = 1, steps
    call queue_step()
    call op2_gbl_get(change, largest)
    if (mod(step, 100) == 0) print '(i0, 1x, es22.15)', step, largest
    if (step == warmup) timed = clock_now()
  end do
  call print_times(begin, timed, steps - warmup)

  call op2_dat_get(u, temperatures)
  print '(a, es22.15)', 'heat ', sum(areas*temperatures)
  call dump(argument(3), reshape(temperatures, [1, m%nnode]), largest)
  call destroy()
  call op2_finalize(ctx)

contains

  !> A kernel by its address is declared as its text begins, up to the function's body.
  subroutine declare_kernel(name, text, address, kernel)
    character(*), intent(in) :: name, text(:)
    type(c_funptr), value :: address
    type(op2_kernel), intent(inout) :: kernel
    if (argument(4) == 'address') then
      call op2_kernel_create(ctx, name, declaration_of(text), address, kernel, OP2_ANY_THREADS)
    else
      call op2_kernel_create(ctx, name, text, kernel)
    end if
  end subroutine

  subroutine queue_step()
    call op2_gbl_set(change, 0.0_real64)
    call op2_par_loop(flow, edges, [op2_arg_direct(weight, OP2_READ), &
      op2_arg_dat(u, 1, edge_nodes, OP2_READ), op2_arg_dat(u, 2, edge_nodes, OP2_READ), &
      op2_arg_dat(gain, 1, edge_nodes, OP2_INC), op2_arg_dat(gain, 2, edge_nodes, OP2_INC)])
    call op2_par_loop(advance, nodes, [op2_arg_direct(rate, OP2_READ), &
      op2_arg_direct(gain, OP2_READ), op2_arg_direct(u, OP2_RW)])
    call op2_par_loop(measure, nodes, [op2_arg_direct(rate, OP2_READ), &
      op2_arg_direct(gain, OP2_RW), op2_arg_gbl(change, OP2_MAX)])
  end subroutine

  subroutine destroy()
    call op2_destroy(flow)
    call op2_destroy(advance)
    call op2_destroy(measure)
    call op2_destroy(change)
    call op2_destroy(weight)
    call op2_destroy(rate)
    call op2_destroy(u)
    call op2_destroy(gain)
    call op2_destroy(edge_nodes)
    call op2_destroy(edges)
    call op2_destroy(nodes)
  end subroutine

  !> Areas of the volumes round the nodes, widths of the edges, the length of time steps, and the
  !> temperatures at the start.
  subroutine set_problem()
    real(real64) :: step_length, twice, x, y
    integer :: i, k, c
    allocate (areas(m%nnode), rates(m%nnode), temperatures(m%nnode), widths(m%nedge))
    areas = 0
    do c = 1, m%ncell
      twice = 0
      do k = 1, 4
        twice = twice + cross(m%x(:, m%cell(k, c)), m%x(:, m%cell(mod(k, 4) + 1, c)))
      end do
      do k = 1, 4
        areas(m%cell(k, c)) = areas(m%cell(k, c)) + 0.125_real64*abs(twice)
      end do
    end do
    rates = 0
    do i = 1, m%nedge
      widths(i) = distance(centre(m%ecell(1, i)), centre(m%ecell(2, i)))/ &
                  distance(m%x(:, m%edge(1, i)), m%x(:, m%edge(2, i)))
      do k = 1, 2
        rates(m%edge(k, i)) = rates(m%edge(k, i)) + widths(i)
      end do
    end do
    step_length = huge(step_length)
    do i = 1, m%nnode
      if (rates(i) > 0) step_length = min(step_length, 0.5_real64*areas(i)/rates(i))
    end do
    do i = 1, m%nnode
      rates(i) = step_length/areas(i)
      x = m%x(1, i) + 0.5_real64
      y = m%x(2, i)
      temperatures(i) = 1/(1 + 4*(x*x + y*y))
    end do
  end subroutine

  pure function cross(a, b) result(area)
    real(real64), intent(in) :: a(2), b(2)
    real(real64) :: area
    area = a(1)*b(2) - a(2)*b(1)
  end function

  pure function distance(a, b) result(length)
    real(real64), intent(in) :: a(2), b(2)
    real(real64) :: length
    length = hypot(a(1) - b(1), a(2) - b(2))
  end function

  function centre(c) result(at)
    integer(int32), intent(in) :: c
    real(real64) :: at(2)
    integer :: k
    at = 0
    do k = 1, 4
      at = at + 0.25_real64*m%x(:, m%cell(k, c))
    end do
  end function
end program
