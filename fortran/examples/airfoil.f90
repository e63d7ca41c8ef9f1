! SPDX-License-Identifier: BSD-3-Clause
!> Two-dimensional flow round an aerofoil, as bench/airfoil computes it, with the same bits:
!>   airfoil_fortran MESH STEPS [DUMP [address]]
!> MESH is a file of OP2's form, DUMP gets the flow and then the rms of the last change. With `address`
!> the kernels are the subroutines of module airfoil_kernels, else they are made from the text here.
program airfoil
  use, intrinsic :: iso_c_binding, only: c_funloc, c_funptr
  use, intrinsic :: iso_fortran_env, only: real64
  use airfoil_kernels
  use mesh_file
  use op2
  implicit none

  character(*), parameter :: save_soln_text(*) = [character(100) :: &
    'void save_soln(const double *q, double *qold) {', &
    '  for (int n = 0; n < 4; n++) qold[n] = q[n];', &
    '}']
  ! Area over time step: the wave speed normal to each side, times the side's length, summed over
  ! the sides.
  character(*), parameter :: adt_calc_text(*) = [character(100) :: &
    'void adt_calc(const double *x1, const double *x2, const double *x3, const double *x4,', &
    '    const double *q, double *adt) {', &
    '  double ri = 1.0 / q[0];', &
    '  double u = ri * q[1];', &
    '  double v = ri * q[2];', &
    '  double c = sqrt(gam * gm1 * (ri * q[3] - 0.5 * (u * u + v * v)));', &
    '  double dx = x2[0] - x1[0];', &
    '  double dy = x2[1] - x1[1];', &
    '  double sum = fabs(u * dy - v * dx) + c * sqrt(dx * dx + dy * dy);', &
    '  dx = x3[0] - x2[0];', &
    '  dy = x3[1] - x2[1];', &
    '  sum += fabs(u * dy - v * dx) + c * sqrt(dx * dx + dy * dy);', &
    '  dx = x4[0] - x3[0];', &
    '  dy = x4[1] - x3[1];', &
    '  sum += fabs(u * dy - v * dx) + c * sqrt(dx * dx + dy * dy);', &
    '  dx = x1[0] - x4[0];', &
    '  dy = x1[1] - x4[1];', &
    '  sum += fabs(u * dy - v * dx) + c * sqrt(dx * dx + dy * dy);', &
    '  *adt = (1.0 / cfl) * sum;', &
    '}']
  ! Flux through an interior edge, out of cell 1 and into cell 2.
  character(*), parameter :: res_calc_text(*) = [character(100) :: &
    'void res_calc(const double *x1, const double *x2, const double *q1, const double *q2,', &
    '    const double *adt1, const double *adt2, double *res1, double *res2) {', &
    '  double dx = x1[0] - x2[0];', &
    '  double dy = x1[1] - x2[1];', &
    '  double ri = 1.0 / q1[0];', &
    '  double p1 = gm1 * (q1[3] - 0.5 * ri * (q1[1] * q1[1] + q1[2] * q1[2]));', &
    '  double vol1 = ri * (q1[1] * dy - q1[2] * dx);', &
    '  ri = 1.0 / q2[0];', &
    '  double p2 = gm1 * (q2[3] - 0.5 * ri * (q2[1] * q2[1] + q2[2] * q2[2]));', &
    '  double vol2 = ri * (q2[1] * dy - q2[2] * dx);', &
    '  double mu = 0.5 * (*adt1 + *adt2) * eps;', &
    '  double f = 0.5 * (vol1 * q1[0] + vol2 * q2[0]) + mu * (q1[0] - q2[0]);', &
    '  res1[0] += f;', &
    '  res2[0] -= f;', &
    '  f = 0.5 * (vol1 * q1[1] + p1 * dy + vol2 * q2[1] + p2 * dy) + mu * (q1[1] - q2[1]);', &
    '  res1[1] += f;', &
    '  res2[1] -= f;', &
    '  f = 0.5 * (vol1 * q1[2] - p1 * dx + vol2 * q2[2] - p2 * dx) + mu * (q1[2] - q2[2]);', &
    '  res1[2] += f;', &
    '  res2[2] -= f;', &
    '  f = 0.5 * (vol1 * (q1[3] + p1) + vol2 * (q2[3] + p2)) + mu * (q1[3] - q2[3]);', &
    '  res1[3] += f;', &
    '  res2[3] -= f;', &
    '}']
  ! Flux through a boundary edge: pressure alone on the wall (bound 1), otherwise as between the
  ! cell and the free stream.
  character(*), parameter :: bres_calc_text(*) = [character(100) :: &
    'void bres_calc(const double *x1, const double *x2, const double *q1, const double *adt1,', &
    '    double *res1, const int32_t *bound) {', &
    '  double dx = x1[0] - x2[0];', &
    '  double dy = x1[1] - x2[1];', &
    '  double ri = 1.0 / q1[0];', &
    '  double p1 = gm1 * (q1[3] - 0.5 * ri * (q1[1] * q1[1] + q1[2] * q1[2]));', &
    '  if (*bound == 1) {', &
    '    res1[1] += p1 * dy;', &
    '    res1[2] -= p1 * dx;', &
    '  } else {', &
    '    double vol1 = ri * (q1[1] * dy - q1[2] * dx);', &
    '    ri = 1.0 / qinf[0];', &
    '    double p2 = gm1 * (qinf[3] - 0.5 * ri * (qinf[1] * qinf[1] + qinf[2] * qinf[2]));', &
    '    double vol2 = ri * (qinf[1] * dy - qinf[2] * dx);', &
    '    double mu = *adt1 * eps;', &
    '    res1[0] += 0.5 * (vol1 * q1[0] + vol2 * qinf[0]) + mu * (q1[0] - qinf[0]);', &
    '    res1[1] += 0.5 * (vol1 * q1[1] + p1 * dy + vol2 * qinf[1] + p2 * dy) +', &
    '               mu * (q1[1] - qinf[1]);', &
    '    res1[2] += 0.5 * (vol1 * q1[2] - p1 * dx + vol2 * qinf[2] - p2 * dx) +', &
    '               mu * (q1[2] - qinf[2]);', &
    '    res1[3] +=', &
    '        0.5 * (vol1 * (q1[3] + p1) + vol2 * (qinf[3] + p2)) + mu * (q1[3] - qinf[3]);', &
    '  }', &
    '}']
  ! One stage of the time step; the residual is cleared for the next one.
  character(*), parameter :: update_text(*) = [character(100) :: &
    'void update(const double *qold, double *q, double *res, const double *adt, double *rms) {', &
    '  double per_adt = 1.0 / *adt;', &
    '  for (int n = 0; n < 4; n++) {', &
    '    double del = per_adt * res[n];', &
    '    q[n] = qold[n] - del;', &
    '    res[n] = 0.0;', &
    '    *rms += del * del;', &
    '  }', &
    '}']

  type(op2_context) :: ctx
  type(op2_set) :: nodes, cells, edges, bedges
  type(op2_map) :: cell_nodes, edge_nodes, edge_cells, bedge_nodes, bedge_cells
  type(op2_dat) :: x, bound, q, qold, adt, res
  type(op2_gbl) :: rms
  type(op2_const) :: gam, gm1, cfl, eps, qinf
  type(op2_kernel) :: save_soln, adt_calc, res_calc, bres_calc, update
  type(mesh) :: m
  real(real64) :: begin, timed, change
  real(real64), allocatable :: flow(:, :)
  integer :: step, steps, warmup

  if (command_argument_count() < 2) error stop 'usage: airfoil_fortran MESH STEPS [DUMP [address]]'
  call mesh_read(argument(1), m)
  steps = integer_argument(2)
  call op2_init(ctx)
  call declare_mesh()
  call declare_constants()
  call declare_state()
  call declare_kernels()

  warmup = min(2, steps - 1)
  begin = clock_now()
  timed = begin
  do step = 1, steps
    call queue_step()
    if (mod(step, 100) == 0) print '(i0, 1x, es22.15)', step, rms_now()
    if (step /= warmup) cycle
    call op2_flush(ctx)
    timed = clock_now()
  end do
  call op2_flush(ctx)
  call print_times(begin, timed, steps - warmup)

  change = rms_now()
  allocate (flow(4, m%ncell))
  call op2_dat_get(q, flow)
  print '(a, es22.15)', 'rms ', change
  call dump(argument(3), flow, change)
  call destroy()
  call op2_finalize(ctx)

contains

  subroutine declare_mesh()
    call op2_set_create(ctx, m%nnode, 'nodes', nodes)
    call op2_set_create(ctx, m%ncell, 'cells', cells)
    call op2_set_create(ctx, m%nedge, 'edges', edges)
    call op2_set_create(ctx, m%nbedge, 'bedges', bedges)
    call op2_map_create(cells, nodes, m%cell, 'cell_nodes', cell_nodes)
    call op2_map_create(edges, nodes, m%edge, 'edge_nodes', edge_nodes)
    call op2_map_create(edges, cells, m%ecell, 'edge_cells', edge_cells)
    call op2_map_create(bedges, nodes, m%bedge, 'bedge_nodes', bedge_nodes)
    call op2_map_create(bedges, cells, m%becell, 'bedge_cells', bedge_cells)
    call op2_dat_create(nodes, m%x, 'x', x)
    call op2_dat_create(bedges, m%bound, 'bound', bound)
  end subroutine

  subroutine declare_constants()
    call op2_const_create(ctx, gamma_gas, 'gam', gam)
    call op2_const_create(ctx, gamma_less_one, 'gm1', gm1)
    call op2_const_create(ctx, courant, 'cfl', cfl)
    call op2_const_create(ctx, smoothing, 'eps', eps)
    call op2_const_create(ctx, far_stream, 'qinf', qinf)
  end subroutine

  !> At the start the free stream is everywhere, and there is no residual.
  subroutine declare_state()
    real(real64), pointer :: start(:, :)
    call op2_dat_create(cells, 4, OP2_F64, 'q', q)
    call op2_dat_create(cells, 4, OP2_F64, 'qold', qold)
    call op2_dat_create(cells, 1, OP2_F64, 'adt', adt)
    call op2_dat_create(cells, 4, OP2_F64, 'res', res)
    call op2_gbl_create(ctx, 0.0_real64, 'rms', rms)
    call op2_dat_write_begin(q, start)
    start = spread(far_stream, 2, m%ncell)
    call op2_dat_write_end(q, start)
  end subroutine

  subroutine declare_kernels()
    call declare_kernel('save_soln', save_soln_text, c_funloc(save_soln_address), save_soln)
    call declare_kernel('adt_calc', adt_calc_text, c_funloc(adt_calc_address), adt_calc)
    call declare_kernel('res_calc', res_calc_text, c_funloc(res_calc_address), res_calc)
    call declare_kernel('bres_calc', bres_calc_text, c_funloc(bres_calc_address), bres_calc)
    call declare_kernel('update', update_text, c_funloc(update_address), update)
  end subroutine

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
    integer :: stage
    call op2_par_loop(save_soln, cells, [op2_arg_direct(q, OP2_READ), &
      op2_arg_direct(qold, OP2_WRITE)])
    do stage = 1, 2
      call queue_stage()
    end do
  end subroutine

  subroutine queue_stage()
    call op2_par_loop(adt_calc, cells, [op2_arg_dat(x, 1, cell_nodes, OP2_READ), &
      op2_arg_dat(x, 2, cell_nodes, OP2_READ), op2_arg_dat(x, 3, cell_nodes, OP2_READ), &
      op2_arg_dat(x, 4, cell_nodes, OP2_READ), op2_arg_direct(q, OP2_READ), &
      op2_arg_direct(adt, OP2_WRITE)])
    call op2_par_loop(res_calc, edges, [op2_arg_dat(x, 1, edge_nodes, OP2_READ), &
      op2_arg_dat(x, 2, edge_nodes, OP2_READ), op2_arg_dat(q, 1, edge_cells, OP2_READ), &
      op2_arg_dat(q, 2, edge_cells, OP2_READ), op2_arg_dat(adt, 1, edge_cells, OP2_READ), &
      op2_arg_dat(adt, 2, edge_cells, OP2_READ), op2_arg_dat(res, 1, edge_cells, OP2_INC), &
      op2_arg_dat(res, 2, edge_cells, OP2_INC)])
    call op2_par_loop(bres_calc, bedges, [op2_arg_dat(x, 1, bedge_nodes, OP2_READ), &
      op2_arg_dat(x, 2, bedge_nodes, OP2_READ), op2_arg_dat(q, 1, bedge_cells, OP2_READ), &
      op2_arg_dat(adt, 1, bedge_cells, OP2_READ), op2_arg_dat(res, 1, bedge_cells, OP2_INC), &
      op2_arg_direct(bound, OP2_READ)])
    call op2_gbl_set(rms, 0.0_real64)
    call op2_par_loop(update, cells, [op2_arg_direct(qold, OP2_READ), &
      op2_arg_direct(q, OP2_WRITE), op2_arg_direct(res, OP2_RW), op2_arg_direct(adt, OP2_READ), &
      op2_arg_gbl(rms, OP2_INC)])
  end subroutine

  !> The rms of the change in the last update; the loops that it depends on run here.
  function rms_now() result(value)
    real(real64) :: value
    call op2_gbl_get(rms, value)
    value = sqrt(value/m%ncell)
  end function

  subroutine destroy()
    call op2_destroy(save_soln)
    call op2_destroy(adt_calc)
    call op2_destroy(res_calc)
    call op2_destroy(bres_calc)
    call op2_destroy(update)
    call op2_destroy(gam)
    call op2_destroy(gm1)
    call op2_destroy(cfl)
    call op2_destroy(eps)
    call op2_destroy(qinf)
    call op2_destroy(x)
    call op2_destroy(bound)
    call op2_destroy(q)
    call op2_destroy(qold)
    call op2_destroy(adt)
    call op2_destroy(res)
    call op2_destroy(rms)
    call op2_destroy(cell_nodes)
    call op2_destroy(edge_nodes)
    call op2_destroy(edge_cells)
    call op2_destroy(bedge_nodes)
    call op2_destroy(bedge_cells)
    call op2_destroy(nodes)
    call op2_destroy(cells)
    call op2_destroy(edges)
    call op2_destroy(bedges)
  end subroutine
end program
