! SPDX-License-Identifier: BSD-3-Clause
!> Jacobi's iteration for the five-point matrix of a square, in OP2's Fortran interface: kernels are
!> procedures of the program, and reductions are in its variables.
!>   op2_jacobi [text|wrong]
!> With `text` the kernels have their texts in C, too; with `wrong` one of them computes something else.
program op2_jacobi
  use OP2_FORTRAN_DECLARATIONS
  use OP2_FORTRAN_REFERENCE
  use, intrinsic :: ISO_C_BINDING
  use op2_check
  implicit none

  integer(4), parameter :: side = 12, steps = 8
  integer(4) :: nnode, nedge, step, i, first, last
  integer(4), allocatable :: ends(:, :)
  real(8), allocatable :: a(:), r(:), u(:), du(:)
  real(8) :: u_sum, u_max, alpha, beta, want_sum, want_max
  type(op_set) :: nodes, edges
  type(op_map) :: ppedge
  type(op_dat) :: p_a, p_r, p_u, p_du
  logical :: root, sums_good
  character(8) :: how

  call get_command_argument(1, how)
  call op_init(merge(0, 1, how == ''))
  nnode = side*side
  call make_edges()
  allocate (r(nnode), u(nnode), du(nnode))
  do i = 1, nnode
    r(i) = mod(7*i, 11)/11d0
  end do
  u = 0.25d0*r
  du = 0
  alpha = 0.5d0
  beta = 1

  call set_of(nnode, 'nodes', nodes)
  call set_of(nedge, 'edges', edges)
  call map_of(edges, nodes, ends, 'ppedge', ppedge)
  call block_of(nedge, first, last)
  call op_decl_dat(edges, 1, 'real(8)', a(first:last), p_a, 'p_a')
  call block_of(nnode, first, last)
  call op_decl_dat(nodes, 1, 'real(8)', r(first:last), p_r, 'p_r')
  call op_decl_dat(nodes, 1, 'real(8)', u(first:last), p_u, 'p_u')
  call op_decl_dat(nodes, 1, 'real(8)', du(first:last), p_du)
  call op_decl_const(alpha, 1, merge('real(8)', 'alpha  ', how == ''))
  if (how /= '') call give_texts()

  sums_good = .true.
  do step = 1, steps
    call op_par_loop_4(res, edges, &
                       op_arg_dat(p_a, -1, OP_ID, 1, 'real(8)', OP_READ), &
                       op_arg_dat(p_u, 2, ppedge, 1, 'real(8)', OP_READ), &
                       op_arg_dat(p_du, 1, ppedge, 1, 'real(8)', OP_INC), &
                       op_arg_gbl(beta, 1, 'real(8)', OP_READ))
    u_sum = 0
    u_max = 0
    call op_par_loop_5(update, nodes, &
                       op_arg_dat(p_r, -1, OP_ID, 1, 'real(8)', OP_READ), &
                       op_arg_dat(p_du, -1, OP_ID, 1, 'real(8)', OP_RW), &
                       op_arg_dat(p_u, -1, OP_ID, 1, 'real(8)', OP_INC), &
                       op_arg_gbl(u_sum, 1, 'real(8)', OP_INC), &
                       op_arg_gbl(u_max, 1, 'real(8)', OP_MAX))
    call plain_step()
    sums_good = sums_good .and. abs(u_sum - want_sum) <= 1d-12*want_sum .and. &
                abs(u_max - want_max) <= 1d-12*want_max
    alpha = alpha + 0.1d0
  end do
  call check(sums_good, 'sums and maxima in each step')
  call check(holds(p_u, reshape(u, [1, nnode]), 1d-12), 'values of the iteration')
  root = op_is_root_here()
  call op_exit()
  call checked(root)

contains

  subroutine give_texts()
    character(*), parameter :: flux = '*du += *beta * *a * *u;'
    call op2_kernel_text(res, 'res', 'void res(const double *a, const double *u, double *du, '// &
      'const double *beta) { '//merge(flux, '*du -= *beta * *a * *u;', how == 'text')//' }')
    call op2_kernel_text(update, 'update', &
      'void update(const double *r, double *du, double *u, double *u_sum, double *u_max) {'// &
      '  *u = *u + *du + alpha * *r;'// &
      '  *du = 0;'// &
      '  *u_sum += *u * *u;'// &
      '  *u_max = fmax(*u_max, *u);'// &
      '}')
  end subroutine

  function op_is_root_here() result(answer)
    use OP2_FORTRAN_RT_SUPPORT
    logical :: answer
    answer = op_is_root() == 1
  end function

  !> The direct increment of u is read, as OP2 allows.
  subroutine update(r, du, u, u_sum, u_max)
    real(8), dimension(1) :: r, du, u, u_sum, u_max
    u(1) = u(1) + du(1) + alpha*r(1)
    du(1) = 0.0
    u_sum(1) = u_sum(1) + u(1)**2
    u_max(1) = max(u_max(1), u(1))
  end subroutine

  subroutine res(a, u, du, beta)
    real(8), intent(in) :: a, u, beta
    real(8), intent(inout) :: du
    du = du + beta*a*u
  end subroutine

  !> The same by plain loops over the whole mesh.
  subroutine plain_step()
    integer :: e
    do e = 1, nedge
      call res(a(e), u(ends(2, e)), du(ends(1, e)), beta)
    end do
    want_sum = 0
    want_max = 0
    do e = 1, nnode
      call plain_update(r(e), du(e), u(e))
    end do
  end subroutine

  subroutine plain_update(r, du, u)
    real(8), intent(in) :: r
    real(8), intent(inout) :: du, u
    u = u + du + alpha*r
    du = 0
    want_sum = want_sum + u**2
    want_max = max(want_max, u)
  end subroutine

  !> Edges from each node to itself and to its neighbours.
  subroutine make_edges()
    integer :: x, y, k, at
    integer, parameter :: dx(5) = [0, 1, -1, 0, 0], dy(5) = [0, 0, 0, 1, -1]
    allocate (ends(2, 5*nnode), a(5*nnode))
    nedge = 0
    do y = 1, side
      do x = 1, side
        at = x + (y - 1)*side
        do k = 1, 5
          if (min(x + dx(k), y + dy(k)) < 1 .or. max(x + dx(k), y + dy(k)) > side) cycle
          nedge = nedge + 1
          ends(:, nedge) = [at, at + dx(k) + dy(k)*side]
          a(nedge) = merge(-1d0, 0.25d0, k == 1)
        end do
      end do
    end do
    ends = ends(:, 1:nedge)
    a = a(1:nedge)
  end subroutine
end program
