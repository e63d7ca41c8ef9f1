# SPDX-License-Identifier: BSD-3-Clause
"""Sparsities, matrices and solvers of PyOP2's interface; expected values are NumPy's."""
import numpy as np
import pytest
from pyop2_case import N, Ring, few, hosts, plain  # noqa: F401

import op2 as library
from op2 import pyop2 as op2

TEXT = """
static void stiffness({0}, const double *l) {{
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 2; j++) {1} += i == j ? *l + 3 : -*l;
}}"""


class System:
    """The stiffness matrix of a ring with a mass term."""

    def __init__(self, parameter="double a[2][2]", value="a[i][j]", path=None):
        ring = self.ring = Ring()
        self.mat = op2.Mat(op2.Sparsity(ring.nodes ** 1, ring.map, "pattern"), name="A")
        op2.par_loop(op2.Kernel(TEXT.format(parameter, value), "stiffness"), ring.edges,
                     self.mat(op2.INC, path(ring.map) if path else (ring.map, ring.map)),
                     op2.Dat(ring.edges, ring.length)(op2.READ))

    def dense(self):
        made = np.zeros((N, N))
        for (i, j), k in zip(self.ring.ends, self.ring.length):
            made[np.ix_([i, j], [i, j])] += [[k + 3, -k], [-k, k + 3]]
        return made


def test_assembly(hosts):  # noqa: F811
    system = System()
    assert np.allclose(system.mat.values, system.dense(), rtol=1e-14)
    sparsity = system.mat.sparsity
    assert (sparsity.nz, sparsity.nrows, sparsity.dims) == (3 * N, N, (((1, 1),),))
    assert set(sparsity.nnz) == {3} and sparsity.colidx[:3].tolist() == [0, 1, N - 1]
    assert system.mat.nbytes == 24 * N


@pytest.mark.parametrize("parameter, value, path", [
    ("double *a", "a[2 * i + j]", None), ("double (*a)[2]", "a[i][j]", None),
    ("double a[2][2]", "a[i][j]", lambda map: (map[op2.i[0]], map[op2.i[1]]))],
    ids=["row", "rows", "indices"])
def test_forms_of_blocks(plain, parameter, value, path):  # noqa: F811
    system = System(parameter, value, path)
    assert np.allclose(system.mat.values, system.dense(), rtol=1e-14)


def test_rows_and_products(few):  # noqa: F811
    system = System()
    mat, dense, nodes = system.mat, system.dense(), system.ring.nodes
    x = op2.Dat(nodes, system.ring.x[:, 0])
    assert np.allclose((mat * x).data_ro, dense @ system.ring.x[:, 0], rtol=1e-13)
    mat.zero_rows(nodes([0, 4]), 2.0)
    mat.zero_rows([5])
    mat.set_local_diagonal_entries([7, 9], 11.0)
    dense[[0, 4, 5]] = 0
    dense[[0, 4, 5, 7, 9], [0, 4, 5, 7, 9]] = [2, 2, 1, 11, 11]
    assert np.allclose(mat.values, dense, rtol=1e-14)
    mat.zero()
    mat.assemble()
    assert not mat.values.any()


def test_vector_valued(plain):  # noqa: F811
    cells, nodes = op2.Set(2), op2.Set(3)
    ends = op2.Map(cells, nodes, 2, [0, 1, 1, 2])
    mat = op2.Mat(op2.Sparsity((nodes ** 2, nodes ** 1), (ends, ends)), np.float32)
    op2.par_loop(op2.Kernel("""
        void k(float a[4][2]) { for (int i = 0; i < 8; i++) a[i / 2][i % 2] += i; }""", "k"),
                 cells, mat(op2.INC, (ends, ends)))
    expected = np.zeros((6, 3), "f4")
    expected[:4, :2] += np.arange(8).reshape(4, 2)
    expected[2:, 1:] += np.arange(8).reshape(4, 2)
    assert np.array_equal(mat.values, expected) and (mat.nrows, mat.ncols) == (6, 3)
    square = op2.Mat(op2.Sparsity(nodes ** 2, ends))
    square.set_local_diagonal_entries([1], 5.0, idx=1)
    square.set_local_diagonal_entries([2], 6.0)
    assert square.values.diagonal().tolist() == [0, 0, 0, 5, 6, 6]


def test_diagonal_without_elements(plain):  # noqa: F811
    cells, nodes = op2.Set(1), op2.Set(3)
    ends = op2.Map(cells, nodes, 2, [0, 1])
    mat = op2.Mat(op2.Sparsity(nodes, [(ends, ends)]))
    mat.zero_rows([2], 4.0)
    assert mat.values[2].tolist() == [0, 0, 4]


def test_partial_maps(plain):  # noqa: F811
    cells, nodes = op2.Set(2), op2.Set(3)
    ends = op2.Map(cells, nodes, 2, [0, 1, 1, 2])
    free = op2.Map(cells, nodes, 2, [-1, 1, 1, 2])
    mat = op2.Mat(op2.Sparsity(nodes, [ends, free]))
    ones = op2.Kernel("void k(double *a) { for (int i = 0; i < 4; i++) a[i] += 1; }", "k")
    op2.par_loop(ones, cells, mat(op2.INC, (free, free)))
    assert mat.values.tolist() == [[0, 0, 0], [0, 2, 1], [0, 1, 1]]


def test_mixed(plain):  # noqa: F811
    ring = Ring()
    own = op2.Map(ring.edges, ring.edges, 1, np.arange(N))
    maps = op2.MixedMap([ring.map, own])
    sets = op2.MixedDataSet([ring.nodes ** 2, ring.edges ** 1])
    mat = op2.Mat(op2.Sparsity(sets, maps), name="A")
    element = np.arange(1.0, 26.0).reshape(5, 5)
    for text in ("double a[5][5]) { for (int i = 0; i < 25; i++) a[i / 5][i % 5] += i + *l; }",
                 "double *a) { for (int i = 0; i < 25; i++) a[i] += 1 - *l; }"):
        op2.par_loop(op2.Kernel(f"static void k(const double *l, {text}", "k"), ring.edges,
                     op2.Dat(ring.edges, ring.length)(op2.READ), mat(op2.INC, (maps, maps)))
    expected = np.zeros((3 * N, 3 * N))
    for e, (i, j) in enumerate(ring.ends):
        places = [2 * i, 2 * i + 1, 2 * j, 2 * j + 1, 2 * N + e]
        expected[np.ix_(places, places)] += element
    assert np.allclose(mat.values, expected, rtol=1e-13)
    assert mat.sparsity.shape == (2, 2) and np.allclose(mat[0, 1].values, expected[:2 * N, 2 * N:])
    assert mat.dims == (((2, 2), (2, 1)), ((1, 2), (1, 1))) and len(mat) == 4
    by_blocks = op2.Sparsity((sets, sets), {(0, 0): [(ring.map, ring.map, None)],
                                            (1, 1): [(own, own, None)]})
    assert by_blocks[0, 1].nz == 0 and by_blocks[0, 0].nz == 3 * N
    x, y = op2.MixedDat(sets), op2.MixedDat(sets)
    x.assign(2)
    mat.mult(x, y)
    assert np.allclose(np.concatenate([part.data_ro.ravel() for part in y]),
                       2 * expected.sum(axis=1))
    assert np.allclose((mat * x)[1].data_ro, y[1].data_ro, rtol=1e-15)
    mat.zero()
    assert not mat.values.any()


def test_values_of_the_host(plain):  # noqa: F811
    nodes = op2.Set(3)
    mat = op2.Mat(op2.Sparsity(nodes ** 2, op2.Map(op2.Set(1), nodes, 2, [0, 1])))
    dense = np.arange(16.0).reshape(4, 4)
    mat.set_values([0, 1], [0, 1], dense)
    mat.addto_values(1, 0, [[1, 2], [3, 4]])
    mat.addto_values([2], [2], 7)
    expected = np.zeros((6, 6))
    expected[:4, :4] = dense
    expected[2:4, :2] += [[1, 2], [3, 4]]
    expected[4:, 4:] = 7
    assert np.array_equal(mat.values, expected)


@pytest.mark.parametrize("method", ["cg", "gmres", "bcgs"])
def test_solvers(plain, method):  # noqa: F811
    system = System()
    wanted = np.sin(np.arange(N))
    x, b = op2.Dat(system.ring.nodes, 1e9), op2.Dat(system.ring.nodes, system.dense() @ wanted)
    solver = op2.Solver(ksp_type=method, ksp_rtol=1e-12)
    solver.solve(system.mat, x, b)
    assert np.allclose(x.data_ro, wanted, rtol=1e-8, atol=1e-9)
    assert 0 < solver.iterations <= 2 * N


def test_solver_of_blocks(plain):  # noqa: F811
    try:
        from op2 import petsc
    except library.UnavailableError as error:
        pytest.skip(str(error))
    petsc.use(op2.context())
    ring = Ring()
    own = op2.Map(ring.edges, ring.edges, 1, np.arange(N))
    maps, sets = op2.MixedMap([ring.map, own]), op2.MixedDataSet([ring.nodes, ring.edges])
    mat = op2.Mat(op2.Sparsity(sets, maps))
    op2.par_loop(op2.Kernel("""
        static void k(double a[3][3]) {
          for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++) a[i][j] += i == j ? 2 + i : -0.5;
        }""", "k"), ring.edges, mat(op2.INC, (maps, maps)))
    x, b = op2.MixedDat(sets), op2.MixedDat([op2.Dat(ring.nodes, ring.length),
                                             op2.Dat(ring.edges, 1.0)])
    op2.Solver(ksp_type="gmres", ksp_rtol=1e-12, pc_type="none").solve(mat, x, b)
    expected = np.linalg.solve(mat.values, np.concatenate([part.data_ro for part in b]))
    assert np.allclose(np.concatenate([part.data_ro for part in x]), expected, rtol=1e-8)


def test_parameters_of_solvers(plain):  # noqa: F811
    system = System()
    x, b = op2.Dat(system.ring.nodes), op2.Dat(system.ring.nodes, 1.0)
    op2.solve(system.mat, x, b)
    assert np.allclose(system.dense() @ x.data_ro, 1, rtol=1e-6)
    solver = op2.Solver({"ksp_max_it": 1})
    solver.solve(system.mat, x, op2.Dat(system.ring.nodes, system.ring.length))
    with pytest.raises(library.DivergedError):
        x.data_ro
    solver.update_parameters({"error_on_nonconvergence": False})
    solver.solve(system.mat, x, op2.Dat(system.ring.nodes, system.ring.length))
    assert np.isfinite(x.data_ro).all() and solver.iterations == 1
    with pytest.raises(RuntimeError, match="as a dictionary and as keywords"):
        op2.Solver({"ksp_type": "cg"}, ksp_rtol=1)
    with pytest.raises(library.OptionError, match="guess"):
        op2.Solver(ksp_type="guess").solve(system.mat, x, b)


def test_what_is_refused(plain):  # noqa: F811
    system = System()
    ring, mat = system.ring, system.mat
    other = op2.Map(ring.edges, ring.nodes, 2, ring.ends)
    for error, make in [
            (op2.SparsityTypeError, lambda: op2.Mat("pattern")),
            (op2.DataTypeError, lambda: op2.Mat(mat.sparsity, int)),
            (op2.DataSetTypeError, lambda: op2.Sparsity("nodes", ring.map)),
            (op2.MapTypeError, lambda: op2.Sparsity(ring.nodes, "ends")),
            (op2.NameTypeError, lambda: op2.Sparsity(ring.nodes, ring.map, 3)),
            (RuntimeError, lambda: op2.Sparsity(ring.edges, ring.map)),
            (op2.ModeValueError, lambda: mat(op2.READ, (ring.map, ring.map))),
            (op2.MapValueError, lambda: mat(op2.INC, (other, other))),
            (op2.MapTypeError, lambda: mat(op2.INC, ring.map)),
            (NotImplementedError, lambda: mat(op2.INC, (ring.map, ring.map), lgmaps=[])),
            (op2.DataValueError, lambda: mat.addto_values([0], [0], [1.0, 2.0])),
            (library.RangeError, lambda: mat.set_values([0], [5], [1.0])),
            (NotImplementedError, lambda: mat.handle),
            (op2.MatTypeError, lambda: op2.solve("A", None, None)),
            (op2.DatTypeError, lambda: op2.solve(mat, None, None))]:
        with pytest.raises(error):
            make()


class Multiplier:
    """A ring whose system has a row and a column of a global of two values."""

    G = 2

    def __init__(self, dtype=np.float64):
        ring = self.ring = Ring()
        self.g = op2.Global(self.G, [1.5, -2.0], dtype, "g")
        self.kind = "double" if dtype == np.float64 else "float"
        self.nodes, self.single = ring.nodes ** 1, op2.GlobalDataSet(self.g)
        self.length = op2.Dat(ring.edges, ring.length, dtype)
        paths = [[(ring.map, ring.map), (ring.map, None)], [(None, ring.map), (None, None)]]
        dsets = [self.nodes, self.single]
        self.mats = [[op2.Mat(op2.Sparsity((dsets[i], dsets[j]), [paths[i][j]]), dtype)
                      for j in range(2)] for i in range(2)]
        for i in range(2):
            for j in range(2):
                text = (f"static void add_{i}{j}({self.kind} a[2][2], const {self.kind} *l) "
                        "{ for (int r = 0; r < 2; r++) for (int c = 0; c < 2; c++) "
                        f"a[r][c] += {self.text(i, j)}; }}")
                op2.par_loop(op2.Kernel(text, f"add_{i}{j}"), ring.edges,
                             self.mats[i][j](op2.INC, paths[i][j]), self.length(op2.READ))

    @staticmethod
    def text(i, j):
        return [["r == c ? *l + 300 : -*l", "*l + 2 * r - c"],
                ["*l - r + 3 * c", "r == c ? 9000 : *l"]][i][j]

    @staticmethod
    def value(i, j, r, c, length):
        return [[length + 300 if r == c else -length, length + 2 * r - c],
                [length - r + 3 * c, 9000 if r == c else length]][i][j]

    def dense(self, i, j):
        sizes, places = (N, self.G), (self.ring.ends, np.tile(np.arange(self.G), (N, 1)))
        made = np.zeros((sizes[i], sizes[j]))
        for edge, length in enumerate(self.ring.length):
            for r in range(2):
                for c in range(2):
                    made[places[i][edge][r], places[j][edge][c]] += self.value(i, j, r, c, length)
        return made


def test_rows_and_columns_of_globals(hosts):  # noqa: F811
    system = Multiplier()
    x = op2.Dat(system.nodes, system.ring.x[:, 0])
    for i in range(2):
        for j in range(2):
            mat, dense = system.mats[i][j], system.dense(i, j)
            assert np.allclose(mat.values, dense, rtol=1e-13), (i, j)
            assert (mat.nrows, mat.ncols) == dense.shape
            given, values = (x, system.ring.x[:, 0]) if j == 0 else (system.g, [1.5, -2.0])
            product = mat * given
            assert isinstance(product, op2.Global if i else op2.Dat)
            assert np.allclose(product.data_ro, dense @ values, rtol=1e-12), (i, j)
            assert mat.dims == (((2 if i else 1, 2 if j else 1),),)
    system.mats[1][0].zero()
    assert not system.mats[1][0].values.any()
    system.mats[1][0].addto_values([0], [4], [[1.0], [2.0]])
    assert system.mats[1][0].values[:, 4].tolist() == [1, 2]


def test_systems_with_globals(few):  # noqa: F811
    system = Multiplier()
    ring, g = system.ring, system.g
    dsets = op2.MixedDataSet([system.nodes, system.single])
    mixed = op2.MixedMap([ring.map, None])
    sparsity = op2.Sparsity((dsets, dsets), {
        (i, j): [(row, column, None)] for i, row in enumerate(mixed)
        for j, column in enumerate(mixed)})
    mat = op2.Mat(sparsity)
    lines = "".join(f"for (int r = 0; r < 2; r++) for (int c = 0; c < 2; c++) "
                    f"a[r + {2 * i}][c + {2 * j}] += {system.text(i, j)};\n"
                    for i in range(2) for j in range(2))
    text = f"static void add(double a[4][4], const double *l) {{ {lines} }}"
    op2.par_loop(op2.Kernel(text, "add"), ring.edges, mat(op2.INC, (mixed, mixed)), system.length(op2.READ))
    dense = np.block([[system.dense(i, j) for j in range(2)] for i in range(2)])
    assert np.allclose(mat.values, dense, rtol=1e-13)
    exact = op2.MixedDat([op2.Dat(system.nodes, ring.x[:, 0]), g])
    b = mat * exact
    assert isinstance(b[1], op2.Global) and isinstance(b, op2.MixedDat)
    flat = np.concatenate([ring.x[:, 0], g.data_ro])
    assert np.allclose(np.concatenate(b.data_ro), dense @ flat, rtol=1e-12)
    x = op2.MixedDat(dsets)
    op2.Solver(ksp_type="gmres", ksp_rtol=1e-12, ksp_gmres_restart=60).solve(mat, x, b)
    assert np.allclose(np.concatenate(x.data_ro), flat, rtol=1e-6)


def test_mixed_dats_with_globals(few):  # noqa: F811
    ring = Ring()
    mixed = op2.MixedDat([op2.Dat(ring.nodes, ring.x[:, 0]), op2.Global(1, 2.0)])
    copied = op2.MixedDat(mixed)
    copied += mixed
    copied.axpy(0.5, mixed)
    assert np.allclose(copied[0].data_ro, 2.5 * ring.x[:, 0])
    assert copied[1].data_ro.tolist() == [5] and mixed[1].data_ro.tolist() == [2]
    assert np.isclose(mixed.inner(mixed), (ring.x[:, 0] ** 2).sum() + 4)
    total = op2.MixedDat([op2.Dat(ring.nodes), op2.Global(1)])
    path = op2.MixedMap([ring.map, None])
    add = op2.Kernel("static void add(double *s, const double *x) "
                     "{ s[0] += x[0]; s[1] += x[1]; s[2] += x[2]; }", "add")
    op2.par_loop(add, ring.edges, total(op2.INC, path), mixed(op2.READ, path))
    assert np.allclose(total[0].data_ro, 2 * ring.x[:, 0])
    assert total[1].data_ro.tolist() == [2 * N]


def test_globals_that_are_refused(plain):  # noqa: F811
    system = Multiplier()
    ring = system.ring
    for error, make in [
            (TypeError, lambda: op2.GlobalDataSet(ring.nodes)),
            (RuntimeError, lambda: op2.Sparsity((system.nodes, system.nodes), [(ring.map, None)])),
            (RuntimeError, lambda: op2.Sparsity((system.nodes, system.single),
                                                [(ring.map, ring.map)])),
            (op2.MapValueError, lambda: system.mats[0][1](op2.INC, (None, ring.map))),
            (op2.MapTypeError, lambda: op2.MixedMap([None, None]))]:
        with pytest.raises(error):
            make()
    corner = system.mats[1][1](op2.WRITE, (None, None))
    with pytest.raises(library.AccessError, match="can only be INC"):
        op2.par_loop(op2.Kernel("static void set(double *a) { a[0] = 1; }", "set"), ring.edges,
                     corner)
