! SPDX-License-Identifier: BSD-3-Clause
!> All calls but the loops, and what iso_c_binding has, as in OP2.
module op2_fortran_declarations
  use, intrinsic :: iso_c_binding
  use op2_compat_base
  implicit none
end module
