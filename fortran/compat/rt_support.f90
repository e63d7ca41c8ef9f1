! SPDX-License-Identifier: BSD-3-Clause
!> Other calls, which this library has in op2_fortran_declarations.
module op2_fortran_rt_support
  use op2_fortran_declarations
  implicit none
end module
