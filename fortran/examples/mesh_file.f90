! SPDX-License-Identifier: BSD-3-Clause
!> Meshes from OP2's text files, as `airfoil --write-mesh FILE` writes them, and what the examples
!> share: arguments, a clock, declarations of kernels, and files of results.
module mesh_file
  use, intrinsic :: iso_fortran_env, only: int32, int64, real64
  implicit none
  private
  public :: mesh, mesh_read, argument, integer_argument, clock_now, print_times
  public :: declaration_of, dump

  !> Numbers of elements begin with 1.
  type :: mesh
    integer :: nnode = 0, ncell = 0, nedge = 0, nbedge = 0
    real(real64), allocatable :: x(:, :)        !< coordinates of nodes
    integer(int32), allocatable :: cell(:, :)   !< the 4 nodes of each cell, in order
    integer(int32), allocatable :: edge(:, :)   !< the 2 nodes of each edge
    integer(int32), allocatable :: ecell(:, :)  !< the 2 cells of each edge
    integer(int32), allocatable :: bedge(:, :)  !< the 2 nodes of each boundary edge
    integer(int32), allocatable :: becell(:, :) !< the cell of each boundary edge
    integer(int32), allocatable :: bound(:)     !< its type: 1 on the wall
  end type

contains

  subroutine mesh_read(path, m)
    character(*), intent(in) :: path
    type(mesh), intent(out) :: m
    integer :: unit, i
    open (newunit=unit, file=path, status='old', action='read')
    read (unit, *) m%nnode, m%ncell, m%nedge, m%nbedge
    allocate (m%x(2, m%nnode), m%cell(4, m%ncell), m%edge(2, m%nedge), m%ecell(2, m%nedge))
    allocate (m%bedge(2, m%nbedge), m%becell(1, m%nbedge), m%bound(m%nbedge))
    read (unit, *) m%x
    read (unit, *) m%cell
    do i = 1, m%nedge
      read (unit, *) m%edge(:, i), m%ecell(:, i)
    end do
    do i = 1, m%nbedge
      read (unit, *) m%bedge(:, i), m%becell(:, i), m%bound(i)
    end do
    close (unit)
    ! In the file, numbers begin with 0.
    m%cell = m%cell + 1
    m%edge = m%edge + 1
    m%ecell = m%ecell + 1
    m%bedge = m%bedge + 1
    m%becell = m%becell + 1
  end subroutine

  !> Argument i of the command line; empty if there are not so many.
  function argument(i) result(text)
    integer, intent(in) :: i
    character(:), allocatable :: text
    integer :: length
    call get_command_argument(i, length=length)
    allocate (character(length) :: text)
    call get_command_argument(i, text)
  end function

  function integer_argument(i) result(value)
    integer, intent(in) :: i
    integer :: value
    character(:), allocatable :: text
    text = argument(i)
    read (text, *) value
  end function

  !> Seconds on the clock.
  function clock_now() result(seconds)
    real(real64) :: seconds
    integer(int64) :: count, rate
    call system_clock(count, rate)
    seconds = real(count, real64)/real(rate, real64)
  end function

  !> Print the time since the time loop began at `begin`, and for each of the last `steps` steps, which
  !> began at `timed`, when all loops had been compiled.
  subroutine print_times(begin, timed, steps)
    real(real64), intent(in) :: begin, timed
    integer, intent(in) :: steps
    real(real64) :: end
    end = clock_now()
    print '(a, f0.6, a)', 'time loop ', end - begin, ' s'
    if (steps > 0) print '(a, f0.6)', 'time_per_iteration_ms ', 1000*(end - timed)/steps
  end subroutine

  !> What a kernel's text has before its body.
  function declaration_of(text) result(head)
    character(*), intent(in) :: text(:)
    character(:), allocatable :: head
    integer :: i, brace
    head = ''
    do i = 1, size(text)
      brace = index(text(i), '{')
      if (brace > 0) exit
      head = head//trim(text(i))//' '
    end do
    if (i <= size(text)) head = head//text(i)(:brace - 1)
  end function

  !> Write values and then `last` to a file, in binary, unless `path` is empty.
  subroutine dump(path, values, last)
    character(*), intent(in) :: path
    real(real64), intent(in) :: values(:, :), last
    integer :: unit
    if (path == '') return
    open (newunit=unit, file=path, access='stream', form='unformatted', status='replace')
    write (unit) values, last
    close (unit)
  end subroutine
end module
