! SPDX-License-Identifier: BSD-3-Clause
!> Meshes of generators in Fortran, which t173 runs on each backend: fortran_meshes CHANNEL prints TAP
!> for examples/channel.msh, and writes channel.vtu and a series wave.pvd.
program fortran_meshes
  use, intrinsic :: iso_fortran_env, only: int32, int64, real64
  use op2
  implicit none

  character(*), parameter :: add_text = 'void add(const double *const *x, double *sum)'// &
    ' { *sum += x[1][0] - x[0][0]; }'
  integer :: checks = 0, failures = 0, ierr
  character(500) :: path
  type(op2_context) :: ctx
  type(op2_mesh) :: mesh
  type(op2_faces) :: faces

  call get_command_argument(1, path)
  call op2_init(ctx)
  call op2_mesh_read(ctx, path, mesh)
  call op2_faces_create(mesh, faces)
  call contents()
  call groups()
  call parts()
  call geometry()
  call results()
  call errors()
  call op2_destroy(mesh)
  call op2_destroy(mesh)
  call check('no mesh has no cells', op2_set_size(op2_mesh_cells(mesh)) < 0)
  call op2_finalize(ctx)
  print '("1..", i0)', checks
  if (failures > 0) error stop 1

contains

  subroutine check(name, good)
    character(*), intent(in) :: name
    logical, intent(in) :: good
    checks = checks + 1
    if (.not. good) failures = failures + 1
    print '(a, i0, 2a)', merge('ok     ', 'not ok ', good), checks, ' - ', name
  end subroutine

  subroutine contents()
    type(op2_mesh_info) :: info
    type(op2_set) :: triangles, prisms
    integer(int32) :: corners(3, 64)
    real(real64) :: x(2, 45)
    integer(int64) :: sizes(2)
    call op2_mesh_info_get(mesh, info)
    call check('dimensions', info%dimension == 2 .and. info%space == 2 .and. info%cell_nodes == 3)
    call check('sizes', info%nodes == 45 .and. info%cells == 64 .and. info%unused_nodes == 0)
    call check('types', info%cells_of(OP2_CELL_TRIANGLE + 1) == 64 .and. sum(info%cells_of) == 64)
    call op2_map_get(op2_mesh_cell_nodes(mesh), corners)
    call check('corners begin with 1', all(corners(:, 1) == [1, 2, 11]) .and. maxval(corners) == 45)
    call op2_dat_get(op2_mesh_coordinates(mesh), x)
    call check('coordinates', all(abs(x(:, 2) - [0.25_real64, 0.0_real64]) < 1e-15_real64))
    call op2_mesh_cells_of(mesh, OP2_CELL_TRIANGLE, triangles)
    call op2_mesh_cells_of(mesh, OP2_CELL_PRISM, prisms)
    sizes = [op2_set_size(triangles), op2_set_size(prisms)]
    call check('cells of a type', all(sizes == [64, 0]))
    call op2_destroy(triangles)
    call op2_destroy(prisms)
  end subroutine

  subroutine groups()
    type(op2_mesh_group_info) :: info
    type(op2_set) :: walls, others, wet
    type(op2_kernel) :: add
    type(op2_gbl) :: total
    real(real64) :: length(1)
    integer(int64) :: sizes(3)
    call op2_mesh_group_get(mesh, 1, info)
    call check('the first group', info%name == 'walls' .and. info%dimension == 1 .and. info%elements == 16)
    call op2_mesh_group_get(mesh, 5, info, stat=ierr)
    call check('a group past the last', ierr == OP2_ERR_RANGE)
    call op2_mesh_group(mesh, faces%boundary, walls, 'walls')
    call op2_mesh_group(mesh, faces%boundary, others)
    call op2_mesh_group(mesh, op2_mesh_nodes(mesh), wet, 'water')
    sizes = [op2_set_size(walls), op2_set_size(others), op2_set_size(wet)]
    call check('groups', all(sizes == [16, 0, 45]))
    call op2_kernel_create(ctx, 'add', add_text, add)
    call op2_gbl_create(ctx, [0.0_real64], 'total', total)
    call op2_par_loop(add, walls, [op2_arg_dat(op2_mesh_coordinates(mesh), OP2_ALL, faces%boundary_nodes, &
      OP2_READ), op2_arg_gbl(total, OP2_INC)])
    call op2_gbl_get(total, length)
    call check('a loop over a group: walls below go right, those above left', abs(length(1)) < 1e-12_real64)
    call op2_destroy(add)
    call op2_destroy(total)
    call op2_destroy(walls)
    call op2_destroy(others)
    call op2_destroy(wet)
  end subroutine

  subroutine parts()
    type(op2_set) :: edges
    type(op2_map) :: ends, neighbours
    integer(int32) :: near(3, 64)
    call op2_edges_create(mesh, edges, ends)
    call check('edges are faces in the plane', op2_set_size(edges) == &
      op2_set_size(faces%interior) + op2_set_size(faces%boundary))
    call op2_neighbours_create(mesh, neighbours)
    call op2_map_get(neighbours, near)
    call check('neighbours', all(near(:, 1) == [3, 2, 1]))
  end subroutine

  subroutine geometry()
    type(op2_dat) :: volume, centroid, normal
    real(real64) :: sizes(64), centres(2, 64), across(2, 24)
    call op2_dat_create(op2_mesh_cells(mesh), 1, OP2_F64, 'volume', volume)
    call op2_dat_create(op2_mesh_cells(mesh), 2, OP2_F64, 'centroid', centroid)
    call op2_dat_create(faces%boundary, 2, OP2_F64, 'normal', normal)
    call op2_mesh_geometry(mesh, volume)
    call op2_mesh_geometry(mesh, centroid=centroid)
    call op2_faces_geometry(mesh, faces%boundary, normal=normal)
    call op2_dat_get(volume, sizes)
    call op2_dat_get(centroid, centres)
    call op2_dat_get(normal, across)
    call check('volumes', all(abs(sizes - 2.0_real64 / 64) < 1e-12_real64))
    call check('centroids', all(centres > 0))
    call check('normals', all(abs(sum(across, 2)) < 1e-12_real64) .and. any(across > 0.2_real64))
    call op2_destroy(volume)
    call op2_destroy(centroid)
    call op2_destroy(normal)
  end subroutine

  subroutine results()
    type(op2_dat) :: depth
    type(op2_vtu_series) :: series
    type(op2_mesh) :: again
    type(op2_mesh_info) :: info
    logical :: there(2)
    call op2_dat_create(op2_mesh_cells(mesh), 1, OP2_F64, 'depth', depth)
    call op2_vtu_write(mesh, 'channel', [depth, op2_mesh_coordinates(mesh)])
    call op2_vtu_series_create(mesh, 'wave.pvd', series)
    call op2_vtu_series_write(series, 0.5_real64, [depth])
    call op2_vtu_series_write(series, 1.5_real64, [depth])
    call op2_destroy(series)
    call op2_flush(ctx)
    call op2_mesh_read(ctx, 'channel.vtu', again)
    call op2_mesh_info_get(again, info)
    call check('a file of results', info%cells == 64)
    call op2_destroy(again)
    inquire (file='wave-0001.vtu', exist=there(1))
    inquire (file='wave.pvd', exist=there(2))
    call check('a series', all(there))
    call op2_destroy(depth)
  end subroutine

  subroutine errors()
    character(:), allocatable :: message
    type(op2_mesh) :: nowhere
    type(op2_set) :: subset
    call op2_mesh_read(ctx, 'nowhere.msh', nowhere, stat=ierr)
    message = op2_error_message()
    call check('no such file', ierr == OP2_ERR_IO .and. index(message, 'nowhere.msh') > 0)
    call op2_mesh_group(mesh, faces%boundary, subset, 'beach', stat=ierr)
    message = op2_error_message()
    call check('no such group', ierr == OP2_ERR_NAME .and. index(message, 'outlet') > 0)
  end subroutine
end program
