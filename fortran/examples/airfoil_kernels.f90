! SPDX-License-Identifier: BSD-3-Clause
!> The constants of the airfoil scheme, and its kernels as subroutines that C can call, in place of
!> those that airfoil.f90 has as text.
module airfoil_kernels
  use, intrinsic :: iso_c_binding, only: c_double, c_int32_t
  use, intrinsic :: iso_fortran_env, only: real32
  implicit none
  private
  public :: gamma_gas, gamma_less_one, courant, smoothing, far_stream
  public :: save_soln_address, adt_calc_address, res_calc_address, bres_calc_address, update_address

  ! These are single-precision literals widened to double, as in OP2's application.
  real(c_double), parameter :: gamma_gas = real(1.4_real32, c_double), gamma_less_one = gamma_gas - 1
  real(c_double), parameter :: courant = real(0.9_real32, c_double)
  real(c_double), parameter :: smoothing = real(0.05_real32, c_double)
  real(c_double), parameter :: mach = real(0.4_real32, c_double)
  real(c_double), parameter :: speed = sqrt(gamma_gas)*mach
  !> The free stream has Mach 0.4 along x, unit pressure and density.
  real(c_double), parameter :: far_stream(4) = &
    [1.0_c_double, speed, 0.0_c_double, 1/gamma_less_one + 0.5_c_double*speed*speed]

contains

  subroutine save_soln_address(q, qold) bind(c)
    real(c_double), intent(in) :: q(4)
    real(c_double), intent(out) :: qold(4)
    qold = q
  end subroutine

  subroutine adt_calc_address(x1, x2, x3, x4, q, adt) bind(c)
    real(c_double), intent(in) :: x1(2), x2(2), x3(2), x4(2), q(4)
    real(c_double), intent(out) :: adt
    real(c_double) :: ri, u, v, c, total
    ri = 1/q(1)
    u = ri*q(2)
    v = ri*q(3)
    c = sqrt(gamma_gas*gamma_less_one*(ri*q(4) - 0.5_c_double*(u*u + v*v)))
    total = wave(u, v, c, x1, x2)
    total = total + wave(u, v, c, x2, x3)
    total = total + wave(u, v, c, x3, x4)
    total = total + wave(u, v, c, x4, x1)
    adt = (1/courant)*total
  end subroutine

  !> The wave speed normal to the side from a to b, times the side's length.
  pure function wave(u, v, c, a, b) result(flux)
    real(c_double), intent(in) :: u, v, c, a(2), b(2)
    real(c_double) :: flux, dx, dy
    dx = b(1) - a(1)
    dy = b(2) - a(2)
    flux = abs(u*dy - v*dx) + c*sqrt(dx*dx + dy*dy)
  end function

  !> The pressure of a state.
  pure function pressure(q, ri) result(p)
    real(c_double), intent(in) :: q(4), ri
    real(c_double) :: p
    p = gamma_less_one*(q(4) - 0.5_c_double*ri*(q(2)*q(2) + q(3)*q(3)))
  end function

  !> The flux between two states through a side (dx, dy).
  pure function flux_between(q1, q2, dx, dy, mu) result(f)
    real(c_double), intent(in) :: q1(4), q2(4), dx, dy, mu
    real(c_double) :: f(4), ri, p1, p2, vol1, vol2
    ri = 1/q1(1)
    p1 = pressure(q1, ri)
    vol1 = ri*(q1(2)*dy - q1(3)*dx)
    ri = 1/q2(1)
    p2 = pressure(q2, ri)
    vol2 = ri*(q2(2)*dy - q2(3)*dx)
    f(1) = 0.5_c_double*(vol1*q1(1) + vol2*q2(1)) + mu*(q1(1) - q2(1))
    f(2) = 0.5_c_double*(vol1*q1(2) + p1*dy + vol2*q2(2) + p2*dy) + mu*(q1(2) - q2(2))
    f(3) = 0.5_c_double*(vol1*q1(3) - p1*dx + vol2*q2(3) - p2*dx) + mu*(q1(3) - q2(3))
    f(4) = 0.5_c_double*(vol1*(q1(4) + p1) + vol2*(q2(4) + p2)) + mu*(q1(4) - q2(4))
  end function

  subroutine res_calc_address(x1, x2, q1, q2, adt1, adt2, res1, res2) bind(c)
    real(c_double), intent(in) :: x1(2), x2(2), q1(4), q2(4), adt1, adt2
    real(c_double), intent(inout) :: res1(4), res2(4)
    real(c_double) :: f(4)
    f = flux_between(q1, q2, x1(1) - x2(1), x1(2) - x2(2), 0.5_c_double*(adt1 + adt2)*smoothing)
    res1 = res1 + f
    res2 = res2 - f
  end subroutine

  subroutine bres_calc_address(x1, x2, q1, adt1, res1, bound) bind(c)
    real(c_double), intent(in) :: x1(2), x2(2), q1(4), adt1
    real(c_double), intent(inout) :: res1(4)
    integer(c_int32_t), intent(in) :: bound
    real(c_double) :: dx, dy, p1
    dx = x1(1) - x2(1)
    dy = x1(2) - x2(2)
    if (bound == 1) then
      p1 = pressure(q1, 1/q1(1))
      res1(2) = res1(2) + p1*dy
      res1(3) = res1(3) - p1*dx
    else
      res1 = res1 + flux_between(q1, far_stream, dx, dy, adt1*smoothing)
    end if
  end subroutine

  subroutine update_address(qold, q, res, adt, rms) bind(c)
    real(c_double), intent(in) :: qold(4), adt
    real(c_double), intent(out) :: q(4)
    real(c_double), intent(inout) :: res(4), rms
    real(c_double) :: per_adt, del
    integer :: n
    per_adt = 1/adt
    do n = 1, 4
      del = per_adt*res(n)
      q(n) = qold(n) - del
      res(n) = 0
      rms = rms + del*del
    end do
  end subroutine
end module
