# SPDX-License-Identifier: BSD-3-Clause
"""Meshes from files of mesh generators, and results on them."""
import gc
import shutil

import numpy as np
import pytest

import op2

N = 4


def text_of_mesh():
    """A square of N * N squares of two triangles, for Gmsh: its left side is the group "inlet", the
    lower one is "wall"."""
    nodes = [f"{1 + i + (N + 1) * j} {i} {j} 0" for j in range(N + 1) for i in range(N + 1)]
    lines = [(1, 1, 1 + (N + 1) * j, 1 + (N + 1) * (j + 1)) for j in range(N)]
    lines += [(1, 2, 1 + i, 2 + i) for i in range(N)]
    corners = [1 + i + (N + 1) * j for j in range(N) for i in range(N)]
    cells = [cell for a in corners
             for cell in ((2, 3, a, a + 1, a + N + 2), (2, 3, a, a + N + 2, a + N + 1))]
    elements = [f"{number} {kind} 2 {group} {group} {' '.join(map(str, corners))}"
                for number, (kind, group, *corners) in enumerate(lines + cells, 1)]
    return "\n".join(["$MeshFormat", "2.2 0 8", "$EndMeshFormat", "$PhysicalNames", "3",
                      '1 1 "inlet"', '1 2 "wall"', '2 3 "water"', "$EndPhysicalNames", "$Nodes",
                      str(len(nodes)), *nodes, "$EndNodes", "$Elements", str(len(elements)),
                      *elements, "$EndElements", ""])


@pytest.fixture
def path(tmp_path):
    file = tmp_path / "square.msh"
    file.write_text(text_of_mesh())
    return file


def read(context, path):
    try:
        return op2.read_mesh(context, path)
    except op2.UnavailableError as error:
        pytest.skip(str(error))


def test_contents(plain, path):
    mesh = read(plain, path)
    assert (mesh.dimension, mesh.unused_nodes, mesh.path) == (2, 0, str(path))
    assert mesh.cell_counts == {"triangle": 2 * N * N}
    assert mesh.groups == [("inlet", 1, N), ("wall", 1, N), ("water", 2, 2 * N * N)]
    assert (mesh.nodes.size, mesh.cells.size) == ((N + 1) ** 2, 2 * N * N)
    assert mesh.cell_nodes.source is mesh.cells and mesh.cell_nodes.target is mesh.nodes
    assert mesh.cell_nodes.values[:2].tolist() == [[0, 1, N + 2], [0, N + 2, N + 1]]
    x = mesh.coordinates
    assert x.set is mesh.nodes and (x.dim, x.dtype) == (2, np.float64)
    assert x.get()[N:N + 2].tolist() == [[N, 0], [0, 1]]
    assert mesh.cells_of("triangle").size == 2 * N * N and not mesh.cells_of("pyramid").size


def test_loops_over_faces_and_groups(context, path):
    mesh = read(context, path)
    faces = mesh.faces()
    assert mesh.faces() is faces and faces.boundary.size == 4 * N
    inlet, wall = (mesh.group(name, faces.boundary) for name in ("inlet", "wall"))
    assert inlet.base is faces.boundary and (inlet & wall).size == 0
    assert mesh.group(None, faces.boundary).size == 2 * N
    assert mesh.group("inlet", mesh.nodes).size == N + 1
    flux = op2.Dat(mesh.cells, name="flux")
    across = op2.Kernel(context, "across", """
        void across(const double *const *x, double *a, double *b) {
          *a += x[1][1] - x[0][1];
          *b -= x[1][1] - x[0][1];
        }""")
    into = op2.Kernel(context, "into", """
        void into(const double *const *x, double *a) { *a += 10 * (x[1][1] - x[0][1]); }""")
    op2.par_loop(across, faces.interior, mesh.coordinates(op2.READ, faces.nodes),
                 flux(op2.INC, faces.cells, 0), flux(op2.INC, faces.cells, 1))
    op2.par_loop(into, inlet, mesh.coordinates(op2.READ, faces.boundary_nodes),
                 flux(op2.INC, faces.boundary_cell, 0))
    expected = np.zeros((N, N, 2))
    expected[:, 0, 1], expected[:, -1, 0] = 1 - 10, -1
    assert np.array_equal(flux.get().reshape(N, N, 2), expected)


def test_edges_neighbours_and_geometry(plain, path):
    mesh = read(plain, path)
    edges, ends = mesh.edges()
    assert mesh.edges().nodes is ends and ends.source is edges
    assert edges.size == mesh.faces().interior.size + mesh.faces().boundary.size
    near = mesh.neighbours()
    assert mesh.neighbours() is near and near.arity == 3 and near.values[0].tolist() == [3, 1, 0]
    volume, centroid = mesh.geometry()
    assert (volume.get() == 0.5).all() and np.allclose(centroid.get()[0], [2 / 3, 1 / 3])
    given = op2.Dat(mesh.cells, name="volume")
    assert mesh.geometry(given)[0] is given and (given.get() == 0.5).all()
    normal, centre = mesh.faces_geometry(mesh.faces().boundary)
    assert np.allclose(normal.get().sum(axis=0), 0) and np.allclose(centre.get().mean(axis=0), N / 2)
    with pytest.raises(op2.MismatchError):
        mesh.faces_geometry(mesh.faces().boundary, op2.Dat(mesh.cells, dim=2))


def test_files_of_results(plain, path, tmp_path):
    mesh = read(plain, path)
    u = op2.Dat(mesh.cells, np.arange(2 * N * N), dtype="f8", name="height")
    mesh.write_vtu(tmp_path / "once", [u, mesh.coordinates])
    u.data[:] += 1
    with mesh.series(tmp_path / "wave.pvd") as series:
        series.write(0.5, [u])
        series.write(1.5, u)
    plain.flush()
    assert b'Name="height"' in (tmp_path / "once.vtu").read_bytes()
    again = op2.read_mesh(plain, tmp_path / "once.vtu")
    assert np.array_equal(again.cell_nodes.values, mesh.cell_nodes.values)
    listed = (tmp_path / "wave.pvd").read_text()
    assert 'timestep="0.5"' in listed and 'file="wave-0001.vtu"' in listed
    with pytest.raises(op2.ArgumentError):
        series.write(2, [u])


def test_series_in_one_file(plain, path, tmp_path):
    mesh = read(plain, path)
    u = op2.Dat(mesh.cells, name="height")
    try:
        series = mesh.series(tmp_path / "wave.vtkhdf")
    except op2.UnavailableError as error:
        pytest.skip(str(error))
    for time in 0.5, 1.5:
        u.fill(time)
        series.write(time, [u])
    with pytest.raises(op2.MismatchError):
        series.write(2.5, [mesh.coordinates])
    del series
    plain.flush()
    h5py = pytest.importorskip("h5py")
    with h5py.File(tmp_path / "wave.vtkhdf") as file:
        assert file["VTKHDF/Steps/Values"][:].tolist() == [0.5, 1.5]
        heights = file["VTKHDF/CellData/height"][:].ravel()
        assert heights.tolist() == [0.5] * (2 * N * N) + [1.5] * (2 * N * N)


def test_series_with_xdmf(plain, path, tmp_path):
    mesh = read(plain, path)
    u = op2.Dat(mesh.cells, name="height")
    edges = op2.Dat(mesh.faces().boundary, name="flux")
    try:
        series = mesh.series(tmp_path / "wave.xdmf")
    except op2.UnavailableError as error:
        pytest.skip(str(error))
    with series:
        for time in 0.5, 1.5:
            u.fill(time)
            series.write(time, [u])
        with pytest.raises(op2.MismatchError, match="flux"):
            series.write(2.5, [edges])
    text = (tmp_path / "wave.xdmf").read_text()
    assert text.count("<Time ") == 2 and "wave-0001.h5:/height" in text and "0002" not in text
    again = op2.read_mesh(plain, tmp_path / "wave.xdmf")
    assert np.array_equal(again.cell_nodes.values, mesh.cell_nodes.values)
    with pytest.raises(op2.OptionError, match="xdmf"):
        mesh.series(tmp_path / "wave", format="none")


def test_lifetimes(path, tmp_path):
    with op2.Context("sequential", eager=False) as context:
        mesh = read(context, path)
        mesh.coordinates.data[:] *= 2
        cells, x = mesh.cells, mesh.coordinates
        subset, boundary = mesh.group("water", cells), mesh.faces().boundary
        series = mesh.series(tmp_path / "wave")
        series.write(0, [x])
        del mesh
        gc.collect()
        assert x.get()[N].tolist() == [2 * N, 0] and boundary.size == 4 * N
        x.data[:] /= 2
        series.write(1, [x])
        x.data[:] = 0
        del x, cells, boundary
        gc.collect()
        context.flush()
        assert (tmp_path / "wave-0001.vtu").exists() and subset.size == 2 * N * N
        kept = op2.read_mesh(context, path)
        u = op2.Dat(kept.cells, name="u")
    del kept, u, subset, series
    gc.collect()


def test_destroy(plain, path, tmp_path):
    mesh = read(plain, path)
    cells, x, faces, wall = mesh.cells, mesh.coordinates, mesh.faces(), mesh.group("wall", mesh.nodes)
    series = mesh.series(tmp_path / "wave")
    u = op2.Dat(cells, name="u")
    op2.par_loop(op2.Kernel(plain, "one", "void one(double *u) { *u = 1; }"), cells, u(op2.WRITE))
    array = x.data
    mesh.destroy()
    mesh.destroy()
    assert not array.flags.writeable and wall.size == N + 1
    for use in (x.get, lambda: mesh.dimension, lambda: series.write(0, [u]), mesh.edges,
                lambda: op2.Dat(faces.boundary), lambda: mesh.group("wall", cells)):
        with pytest.raises(op2.ArgumentError):
            use()
    plain.flush()


def test_failures(plain, path, tmp_path):
    mesh = read(plain, path)
    with pytest.raises(OSError, match="nowhere.msh"):
        op2.read_mesh(plain, tmp_path / "nowhere.msh")
    with pytest.raises(op2.NameValueError, match="inlet"):
        mesh.group("outlet", mesh.faces().boundary)
    with pytest.raises(op2.MismatchError):
        mesh.group("wall", op2.Set(plain, 3))
    with pytest.raises(op2.ArgumentError):
        mesh.group("wall", mesh.coordinates)
    with pytest.raises(op2.OptionError, match="quadrilateral"):
        mesh.cells_of("square")
    with pytest.raises(op2.OptionError, match="vtkhdf"):
        mesh.series(tmp_path / "wave", "hdf")
    with pytest.raises(op2.NameValueError, match="xmf"):
        mesh.series(tmp_path / "wave", "xdmf")
    with pytest.raises(op2.MismatchError):
        mesh.write_vtu(tmp_path / "once", [op2.Dat(op2.Set(plain, 3))])
    with pytest.raises(op2.ArgumentError):
        mesh.write_vtu(tmp_path / "once", [mesh.cells])
    folder = tmp_path / "gone"
    folder.mkdir()
    mesh.write_vtu(folder / "once", [mesh.coordinates])
    shutil.rmtree(folder)
    with pytest.raises(op2.CallError):
        plain.flush()
