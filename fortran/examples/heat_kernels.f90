! SPDX-License-Identifier: BSD-3-Clause
!> The kernels of heat.f90 as subroutines that C can call, in place of those that it has as text.
module heat_kernels
  use, intrinsic :: iso_c_binding, only: c_double
  implicit none
  private
  public :: flow_address, advance_address, measure_address

contains

  subroutine flow_address(weight, ua, ub, ga, gb) bind(c)
    real(c_double), intent(in) :: weight, ua, ub
    real(c_double), intent(inout) :: ga, gb
    real(c_double) :: heat
    heat = weight*(ub - ua)
    ga = ga + heat
    gb = gb - heat
  end subroutine

  subroutine advance_address(rate, gain, u) bind(c)
    real(c_double), intent(in) :: rate, gain
    real(c_double), intent(inout) :: u
    u = u + rate*gain
  end subroutine

  subroutine measure_address(rate, gain, change) bind(c)
    real(c_double), intent(in) :: rate
    real(c_double), intent(inout) :: gain, change
    change = max(abs(rate*gain), change)
    gain = 0
  end subroutine
end module
