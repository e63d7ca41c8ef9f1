! SPDX-License-Identifier: BSD-3-Clause
!> OP2's calls for HDF5 files in Fortran, on libop2-compat-hdf5.
module op2_compat_hdf5
  use, intrinsic :: iso_c_binding
  use op2_compat_base
  implicit none
  private
  public :: op_decl_set_hdf5, op_decl_map_hdf5, op_decl_dat_hdf5, op_dump_to_hdf5
  public :: op_fetch_data_hdf5_file

  interface
    function c_decl_set(file, name) bind(c, name="op_decl_set_hdf5") result(answer)
      import
      character(kind=c_char), intent(in) :: file(*), name(*)
      type(c_ptr) :: answer
    end function
    function c_decl_map(from, to, dim, file, name) bind(c, name="op_decl_map_hdf5") result(answer)
      import
      type(c_ptr), value :: from, to
      integer(c_int), value :: dim
      character(kind=c_char), intent(in) :: file(*), name(*)
      type(c_ptr) :: answer
    end function
    function c_decl_dat(set, dim, type, file, name) bind(c, name="op_decl_dat_hdf5") result(answer)
      import
      type(c_ptr), value :: set
      integer(c_int), value :: dim
      character(kind=c_char), intent(in) :: type(*), file(*), name(*)
      type(c_ptr) :: answer
    end function
    subroutine c_dump(file) bind(c, name="op_dump_to_hdf5")
      import
      character(kind=c_char), intent(in) :: file(*)
    end subroutine
    subroutine c_fetch(dat, file) bind(c, name="op_fetch_data_hdf5_file")
      import
      type(c_ptr), value :: dat
      character(kind=c_char), intent(in) :: file(*)
    end subroutine
  end interface

  interface op_decl_set_hdf5
    module procedure :: set_of, op_decl_set_hdf5_size
  end interface

contains

  subroutine set_of(set, filename, setname)
    type(op_set), intent(inout) :: set
    character(*), intent(in) :: filename, setname
    set%setCptr = c_decl_set(trim(filename)//c_null_char, trim(setname)//c_null_char)
    call c_f_pointer(set%setCptr, set%setPtr)
  end subroutine

  !> The same, with the number of this rank's elements.
  subroutine op_decl_set_hdf5_size(setsize, set, filename, setname)
    integer(c_int), intent(inout) :: setsize
    type(op_set), intent(inout) :: set
    character(*), intent(in) :: filename, setname
    call set_of(set, filename, setname)
    setsize = set%setPtr%size
  end subroutine

  !> `status` is the number of this rank's elements, or -1 if the file lacks the map. So it is with
  !> dats.
  subroutine op_decl_map_hdf5(from, to, mapdim, map, filename, mapname, status)
    type(op_set), intent(in) :: from, to
    integer(c_int), intent(in) :: mapdim
    type(op_map), intent(inout) :: map
    character(*), intent(in) :: filename, mapname
    integer(c_int), intent(inout) :: status
    map = op2_compat_map(c_decl_map(from%setCptr, to%setCptr, mapdim, trim(filename)//c_null_char, &
      trim(mapname)//c_null_char))
    status = merge(from%setPtr%size, -1, map%status == 0)
  end subroutine

  subroutine op_decl_dat_hdf5(set, datdim, data, typ, filename, datname, status)
    type(op_set), intent(in) :: set
    integer(c_int), intent(in) :: datdim
    type(op_dat), intent(inout) :: data
    character(*), intent(in) :: typ, filename, datname
    integer(c_int), intent(inout) :: status
    data = op2_compat_dat(c_decl_dat(set%setCptr, datdim, trim(typ)//c_null_char, &
      trim(filename)//c_null_char, trim(datname)//c_null_char))
    status = merge(set%setPtr%size, -1, data%status == 0)
  end subroutine

  subroutine op_dump_to_hdf5(file_name)
    character(*), intent(in) :: file_name
    call c_dump(trim(file_name)//c_null_char)
  end subroutine

  !> A dat that the file has already is an error.
  subroutine op_fetch_data_hdf5_file(data, file_name)
    type(op_dat), intent(in) :: data
    character(*), intent(in) :: file_name
    call c_fetch(data%dataCptr, trim(file_name)//c_null_char)
  end subroutine
end module
