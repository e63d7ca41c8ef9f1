# SPDX-License-Identifier: BSD-3-Clause
"""PETSc's solvers, and objects of petsc4py."""
import numpy as np
import pytest

import op2

try:
    import op2.petsc
except op2.UnavailableError as error:
    pytest.skip(str(error), allow_module_level=True)
pytest.importorskip("petsc4py")

N = 20


@pytest.fixture
def system(plain):
    op2.petsc.use(plain, ["-ksp_rtol", "1e-12"])
    cells, nodes = op2.Set(plain, N - 1), op2.Set(plain, N)
    ends = op2.Map(cells, nodes, np.stack([np.arange(N - 1), np.arange(1, N)], axis=1))
    A = op2.Mat(op2.Sparsity(ends), name="A")
    kernel = op2.Kernel(plain, "add", """
      void add(double a[2][2]) {
        a[0][0] += 2; a[0][1] -= 1; a[1][0] -= 1; a[1][1] += 2;
      }""")
    op2.par_loop(kernel, cells, A(op2.INC, ends, ends))
    return A, op2.Dat(nodes, name="x"), op2.Dat(nodes, np.arange(N), dtype="f8", name="b")


def test_solve(plain, system):
    A, x, b = system
    solver = op2.Solver(plain)
    solver.solve(A, x, b)
    assert np.allclose(A.toarray() @ x.get(), np.arange(N), atol=1e-9)
    assert solver.result.reason > 0
    assert op2.petsc.ksp(solver).getIterationNumber() == solver.result.iterations


def test_objects(system):
    A, x, b = system
    dense = A.toarray()
    with op2.petsc.mat(A) as M, op2.petsc.vec(b) as v, op2.petsc.vec(x, op2.WRITE) as w:
        assert M.getSize() == (N, N) and np.allclose(M[:, :], dense)
        M.mult(v, w)
    assert np.allclose(x.get(), dense @ np.arange(N))
    with op2.petsc.vec(x, op2.RW) as w:
        w.scale(2)
        with pytest.raises(op2.StateError):
            x.fill(1)
    assert np.allclose(x.get(), 2 * dense @ np.arange(N))


def test_operators(plain, system):
    A, x, b = system
    double = op2.Operator(x.set, lambda u, y: (A.mult(u, y), y.scale(2)), [A(op2.READ)])
    M = op2.petsc.operator(double)
    with op2.petsc.vec(b) as v, op2.petsc.vec(x, op2.WRITE) as w:
        M.mult(v, w)
    assert np.allclose(x.get(), 2 * A.toarray() @ np.arange(N))
