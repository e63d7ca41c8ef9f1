! SPDX-License-Identifier: BSD-3-Clause
!> What the programs in OP2's Fortran interface share: checks in TAP, which the first rank prints, and
!> blocks of sets for several ranks.
module op2_check
  use, intrinsic :: iso_c_binding, only: c_int
  use op2_fortran_declarations
  use op2_fortran_rt_support
  implicit none
  private
  public :: check, checked, block_of, set_of, map_of, holds

  interface
    !> True on all ranks if it is true on one.
    function any_rank(here) bind(c, name="op2_compat_any") result(answer)
      import
      integer(c_int), value :: here
      integer(c_int) :: answer
    end function
  end interface

  !> Whether a dat has the values that an array over the whole set has, to a part of the largest.
  interface holds
    module procedure :: holds_r8, holds_i4
  end interface

  integer :: checks = 0, failures = 0

contains

  subroutine check(good, name)
    logical, intent(in) :: good
    character(*), intent(in) :: name
    logical :: all_good
    all_good = any_rank(merge(0, 1, good)) == 0
    checks = checks + 1
    if (.not. all_good) failures = failures + 1
    if (op_is_root() == 1) print '(a, i0, 2a)', repeat('not ', merge(0, 1, all_good))//'ok ', checks, &
      ' - ', name
  end subroutine

  !> Print the number of checks; end with an error if one has failed. To be called after op_exit().
  subroutine checked(root)
    logical, intent(in) :: root
    if (root) print '("1..", i0)', checks
    if (failures > 0) error stop 1
  end subroutine

  !> The elements of a set of n that this rank declares.
  subroutine block_of(n, first, last)
    integer, intent(in) :: n
    integer, intent(out) :: first, last
    integer :: rank, ranks
    call op_mpi_rank(rank)
    ranks = op_mpi_size()
    first = n*rank/ranks + 1
    last = n*(rank + 1)/ranks
  end subroutine

  subroutine set_of(n, name, set)
    integer, intent(in) :: n
    character(*), intent(in) :: name
    type(op_set), intent(inout) :: set
    integer :: first, last
    call block_of(n, first, last)
    call op_decl_set(last - first + 1, set, name)
  end subroutine

  subroutine map_of(from, to, entries, name, map)
    type(op_set), intent(in) :: from, to
    integer, intent(in) :: entries(:, :)
    character(*), intent(in) :: name
    type(op_map), intent(inout) :: map
    integer :: first, last
    call block_of(size(entries, 2), first, last)
    call op_decl_map(from, to, size(entries, 1), entries(:, first:last), map, name)
  end subroutine

  function holds_r8(dat, values, tolerance) result(good)
    type(op_dat), intent(in) :: dat
    real(8), intent(in) :: values(:, :), tolerance
    logical :: good
    real(8), allocatable :: found(:, :)
    integer :: first, last
    call block_of(size(values, 2), first, last)
    allocate (found(size(values, 1), last - first + 1))
    call op_fetch_data(dat, found)
    good = all(abs(found - values(:, first:last)) <= tolerance*maxval(abs(values)))
  end function

  function holds_i4(dat, values) result(good)
    type(op_dat), intent(in) :: dat
    integer, intent(in) :: values(:, :)
    logical :: good
    integer, allocatable :: found(:, :)
    integer :: first, last
    call block_of(size(values, 2), first, last)
    allocate (found(size(values, 1), last - first + 1))
    call op_fetch_data(dat, found)
    good = all(found == values(:, first:last))
  end function
end module
