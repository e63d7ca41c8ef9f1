! SPDX-License-Identifier: BSD-3-Clause
!> OP2's calls for HDF5 files in Fortran: what one run dumps another one reads. Maps in files are numbered
!> as the program's are, and a dump numbers from 0, so this program does.
!>   op2_files FILE write|read
program op2_files
  use OP2_FORTRAN_HDF5_DECLARATIONS
  use OP2_FORTRAN_RT_SUPPORT
  use, intrinsic :: ISO_C_BINDING
  use op2_check
  implicit none

  integer(4), parameter :: n = 60
  type(op_set) :: cells, faces
  type(op_map) :: pface, no_map
  type(op_dat) :: p_v, p_k, no_dat
  real(8) :: v(3, n)
  integer(4) :: i, first, last, count, status, ends(2, n), k(1, n), kept(2, n)
  character(256) :: file, what
  logical :: root

  do i = 1, n
    v(:, i) = [1d0, 0.5d0, -0.25d0]*i
    k(1, i) = mod(11*i, 17)
    ends(:, i) = [i - 1, mod(i, n)]
  end do
  call get_command_argument(1, file)
  call get_command_argument(2, what)
  call op_init_base(0, 0)
  if (what == 'write') then
    call write_file()
  else
    call read_file()
  end if
  root = op_is_root() == 1
  call op_exit()
  call checked(root)

contains

  subroutine write_file()
    call set_of(n, 'cells', cells)
    call set_of(n, 'faces', faces)
    call map_of(faces, cells, ends, 'pface', pface)
    call block_of(n, first, last)
    call op_decl_dat(cells, 3, 'real(8)', v(:, first:last), p_v, 'v')
    call op_decl_dat(faces, 1, 'integer(4)', k(:, first:last), p_k, 'k')
    call op_dump_to_hdf5(file)
    call check(.true., 'a file is written')
  end subroutine

  subroutine read_file()
    integer(4), pointer :: entries(:)
    call op_decl_set_hdf5(count, cells, file, 'cells')
    call op_decl_set_hdf5(faces, file, 'faces')
    call check(op_get_size(cells) == n .and. count == cells%setPtr%size, 'sets')
    call op_decl_map_hdf5(faces, cells, 2, pface, file, 'pface', status)
    call check(status == faces%setPtr%size, 'a map')
    call op_decl_map_hdf5(faces, cells, 2, no_map, file, 'no_map', status)
    call check(status == -1, 'no such map')
    call op_decl_dat_hdf5(cells, 3, p_v, 'real(8)', file, 'v', status)
    call op_decl_dat_hdf5(faces, 1, p_k, 'integer(4)', file, 'k', status)
    call check(status == faces%setPtr%size, 'dats')
    call op_decl_dat_hdf5(faces, 1, no_dat, 'integer(4)', file, 'no_dat', status)
    call check(status == -1, 'no such dat')
    call check(holds(p_v, v, 0d0), 'values of real(8)')
    call check(holds(p_k, k), 'values of integer(4)')
    call block_of(n, first, last)
    call c_f_pointer(pface%mapPtr%map, entries, [2*(last - first + 1)])
    kept(:, first:last) = reshape(entries, [2, last - first + 1])
    call check(all(kept(:, first:last) == ends(:, first:last)), 'entries of the map')
    call op_fetch_data_hdf5_file(p_v, trim(file)//'.values')
    call check(.true., 'a dat is written')
  end subroutine
end program
