! SPDX-License-Identifier: BSD-3-Clause
!> These calls, and all that op2_fortran_declarations has.
module op2_fortran_hdf5_declarations
  use op2_fortran_declarations
  use op2_compat_hdf5
  implicit none
end module
