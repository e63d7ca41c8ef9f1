# SPDX-License-Identifier: BSD-3-Clause
"""Matrices, operators, solvers and vectors; expected values are NumPy's."""
import gc

import numpy as np
import pytest

import op2

N = 40


class Line:
    """A line of nodes, and the stiffness matrix of its elements with a mass term."""

    TEXT = """
      void stiffness(const double *x[2], double a[2][2]) {
        double k = 1 / (x[1][0] - x[0][0]);
        a[0][0] += k + 1; a[0][1] -= k; a[1][0] -= k; a[1][1] += k + 1;
      }"""

    def __init__(self, context):
        self.context = context
        self.cells, self.nodes = op2.Set(context, N - 1, "cells"), op2.Set(context, N, "nodes")
        self.ends = np.stack([np.arange(N - 1), np.arange(1, N)], axis=1)
        self.map = op2.Map(self.cells, self.nodes, self.ends, "ends")
        self.places = np.cumsum(1 + np.arange(N) % 3).astype(float)
        self.x = op2.Dat(self.nodes, self.places, name="x")
        self.A = op2.Mat(op2.Sparsity(self.map, "pattern"), name="A")
        self.kernel = op2.Kernel(context, "stiffness", self.TEXT)
        op2.par_loop(self.kernel, self.cells, self.x(op2.READ, self.map),
                     self.A(op2.INC, self.map, self.map))

    def dense(self):
        made = np.zeros((N, N))
        for i, j in self.ends:
            k = 1 / (self.places[j] - self.places[i])
            made[np.ix_([i, j], [i, j])] += [[k + 1, -k], [-k, k + 1]]
        return made


@pytest.fixture
def line(context):
    return Line(context)


def test_assembly(line):
    assert np.allclose(line.A.toarray(), line.dense(), rtol=1e-14)
    values, columns, starts = line.A.csr()
    assert starts[-1] == len(values) == len(columns) == line.A.sparsity.size[1]
    assert (line.A.block, line.A.dtype) == ((1, 1), np.float64)


def test_products_and_rows(line):
    u, y = op2.Dat(line.nodes, np.arange(N), dtype="f8"), op2.Dat(line.nodes)
    d = op2.Dat(line.nodes)
    line.A.mult(u, y)
    line.A.diagonal(d)
    dense = line.dense()
    assert np.allclose(y.get(), dense @ np.arange(N), rtol=1e-13)
    assert np.allclose(d.get(), dense.diagonal(), rtol=1e-14)
    line.A.zero_rows(line.nodes.subset([0, N - 1]), 3.0)
    dense[[0, N - 1]] = 0
    dense[0, 0] = dense[N - 1, N - 1] = 3
    assert np.allclose(line.A.toarray(), dense, rtol=1e-14)
    line.A.zero()
    assert not line.A.get().any()


def test_matrices_as_vectors(plain):
    line, dense = Line(plain), Line(plain).dense()
    A, B = line.A, op2.Mat(line.A.sparsity)
    x, y = op2.Dat(line.nodes, np.arange(N), dtype="f8"), op2.Dat(line.nodes)
    A.copy_to(B)
    B.scale(2)
    B.axpy(op2.Global(plain, 3.0), A)
    assert np.allclose(B.toarray(), 5 * dense, rtol=1e-14)
    B.set_values([0, 1], [1, 0], [7, 8])
    B.add_values(2, 2, 1)
    expected = 5 * dense
    expected[0, 1], expected[1, 0] = 7, 8
    expected[2, 2] += 1
    B.mult_transpose(x, y)
    assert np.allclose(y.get(), expected.T @ np.arange(N), rtol=1e-13)
    assert np.isclose(B.norm().value, np.linalg.norm(expected))
    with pytest.raises(op2.RangeError):
        B.set_values(0, N - 1, 1)
    with pytest.raises(op2.MismatchError):
        B.set_values([0, 1], [0], [1])


def test_rows_left_out(plain):
    line = Line(plain)
    A = op2.Mat(line.A.sparsity)
    op2.par_loop(line.kernel, line.cells, line.x(op2.READ, line.map),
                 A.drop(op2.INC, line.map, line.map, op2.Side.ROWS, line.nodes.subset([0, 3])))
    expected = line.dense()
    expected[[0, 3]] = 0
    assert np.allclose(A.toarray(), expected, rtol=1e-14)


@pytest.mark.parametrize("method", ["cg", "minres", "gmres", "bicgstab"])
def test_solve(plain, method):
    line = Line(plain)
    wanted = np.sin(np.arange(N))
    u, b = op2.Dat(line.nodes), op2.Dat(line.nodes, line.dense() @ wanted)
    solver = op2.Solver(plain, method=method, rtol=1e-12)
    solver.solve(line.A, u, b)
    assert plain.queued > 0
    assert np.allclose(u.get(), wanted, rtol=1e-9)
    assert solver.result.reason > 0 and 0 < solver.result.iterations <= N
    assert solver.result.residual < 1e-10


def test_system_of_two_dats(plain):
    first, second = Line(plain), Line(plain)
    u, p = op2.Dat(first.nodes), op2.Dat(second.nodes)
    wanted = np.cos(np.arange(N))
    f = op2.Dat(first.nodes, first.dense() @ wanted)
    g = op2.Dat(second.nodes, second.dense() @ (2 * wanted))
    solver = op2.Solver(plain, rtol=1e-12)
    solver.solve([[first.A, None], [None, second.A]], [u, p], [f, g])
    assert np.allclose(u.get(), wanted, rtol=1e-9)
    assert np.allclose(p.get(), 2 * wanted, rtol=1e-9)


def test_system_with_an_operator(plain):
    line = Line(plain)
    wanted = np.cos(np.arange(N))
    right = line.dense() @ wanted
    u, p = op2.Dat(line.nodes), op2.Dat(line.nodes)
    f, g = op2.Dat(line.nodes, right), op2.Dat(line.nodes, 3 * right)
    free = op2.Operator(line.nodes, lambda x, y: line.A.mult(x, y), [line.A(op2.READ)])
    op2.Solver(plain, rtol=1e-12).solve([[line.A, None], [None, free]], [u, p], [f, g])
    assert np.allclose(u.get(), wanted, rtol=1e-9)
    assert np.allclose(p.get(), 3 * wanted, rtol=1e-9)


def test_boundary_values(plain):
    line = Line(plain)
    u, b = op2.Dat(line.nodes), op2.Dat(line.nodes, np.ones(N))
    fixed = op2.Dat(line.nodes, np.full(N, 7.0))
    line.A.zero_rows_columns(line.nodes.subset([0]), 1.0, fixed, b)
    op2.Solver(plain, rtol=1e-13).solve(line.A, u, b)
    dense, right = line.dense(), np.ones(N)
    dense[0], right[0] = np.eye(N)[0], 7
    assert np.allclose(u.get(), np.linalg.solve(dense, right), rtol=1e-9)


def test_blocks(plain):
    cells, nodes = op2.Set(plain, 2), op2.Set(plain, 3)
    ends = op2.Map(cells, nodes, [[0, 1], [1, 2]])
    A = op2.Mat(op2.Sparsity([(ends, ends)]), block=(2, 2), dtype="f4")
    op2.par_loop(op2.Kernel(plain, "fill", """
        void fill(float a[4][4]) { for (int i = 0; i < 16; i++) a[i / 4][i % 4] += i; }"""),
                 cells, A(op2.INC, ends, ends))
    element = np.arange(16.0).reshape(4, 4)
    expected = np.zeros((6, 6))
    expected[:4, :4] += element
    expected[2:, 2:] += element
    assert np.array_equal(A.toarray(), expected) and A.get().shape == (7, 2, 2)


def test_operators(host):
    context = host
    line = Line(context)
    wanted = np.cos(np.arange(N))
    twice = op2.Kernel(context, "twice", "void twice(double *x) { *x *= 2; }")
    seen = []

    def apply(x, y):
        line.A.mult(x, y)
        op2.par_loop(twice, line.nodes, y(op2.RW))
        seen.append((x, y))
        gc.collect()

    operator = op2.Operator(line.nodes, apply, [line.A(op2.READ)])
    u, b = op2.Dat(line.nodes), op2.Dat(line.nodes, 2 * line.dense() @ wanted)
    op2.Solver(context, preconditioner="none", rtol=1e-12).solve(operator, u, b)
    del operator, apply
    gc.collect()
    assert np.allclose(u.get(), wanted, rtol=1e-8)
    with pytest.raises(op2.ArgumentError):
        seen[0][0].get()


def test_exceptions_of_operators(host):
    cells = op2.Set(host, 3)

    def apply(x, y):
        raise LookupError("none")

    u, b = op2.Dat(cells), op2.Dat(cells, [1.0, 2.0, 3.0])
    with pytest.raises(op2.CallError) as caught:
        operator = op2.Operator(cells, apply)
        op2.Solver(host, preconditioner="none").solve(operator, u, b)
        u.get()
    assert isinstance(caught.value.__cause__, LookupError)


def test_divergence(plain):
    line = Line(plain)
    u, b = op2.Dat(line.nodes, name="u"), op2.Dat(line.nodes, np.ones(N))
    solver = op2.Solver(plain, "short", iterations=1, rtol=1e-14)
    solver.solve(line.A, u, b)
    assert solver.result.reason == op2.Reason.DIVERGED_ITERATIONS
    with pytest.raises(op2.DivergedError, match="short"):
        u.get()
    lenient = op2.Solver(plain, iterations=1, rtol=1e-14, allow_failure=True)
    u.set_values(0)
    lenient.solve(line.A, u, b)
    assert np.isfinite(u.get()).all()
    for options in ({"method": "guess"}, {"speed": 1}, {"rtol": -1.0}):
        with pytest.raises(op2.OptionError):
            op2.Solver(plain, **options)


def test_monitor(host):
    """The residuals are those of the method, and what a monitor raises ends nothing but itself."""
    line = Line(host)
    b = op2.Dat(line.nodes, np.ones(N))
    solver = op2.Solver(host, method="cg", preconditioner="none", rtol=1e-10, start_at_zero=True)
    seen = []
    solver.solve(line.A, op2.Dat(line.nodes), b)
    queued = host.queued > 0
    solver.monitor(lambda *now: seen.append(now))
    solver.solve(line.A, op2.Dat(line.nodes), b)
    iterations = solver.result.iterations
    host.flush()
    assert [iteration for iteration, _ in seen] == list(range(iterations + 1)) * (1 + queued)
    assert seen[:iterations + 1] == seen[-iterations - 1:]
    assert seen[0][1] == pytest.approx(np.sqrt(N))
    assert seen[-1][1] == pytest.approx(solver.result.residual, rel=1e-3)

    solver.monitor(None)
    u, count = op2.Dat(line.nodes), len(seen)
    solver.solve(line.A, u, b)
    assert u.get().any() and len(seen) == count

    def fails(iteration, residual):
        if iteration == 1:
            raise LookupError(residual)

    solver.monitor(fails)
    u.set_values(0)
    with pytest.raises(LookupError, match=str(seen[1][1])):
        solver.solve(line.A, u, b)
        del solver, fails
        gc.collect()
        u.get()
    assert np.allclose(line.dense() @ u.get(), 1, atol=1e-8)


def followed(context, function, **options):
    """A dat on which a solve is queued whose monitor is this function."""
    line = Line(context)
    u, b = op2.Dat(line.nodes, name="u"), op2.Dat(line.nodes, np.ones(N))
    solver = op2.Solver(context, "short", method="cg", preconditioner="none", **options)
    solver.monitor(function)
    solver.solve(line.A, u, b)
    return line, u


def fails_always(iteration, residual):
    raise LookupError(f"iteration {iteration}")


@pytest.mark.parametrize("access", ["read", "write"])
def test_a_monitor_fails_where_a_scope_begins(plain, access):
    line, u = followed(plain, fails_always)
    with pytest.raises(LookupError, match="iteration 0"):
        with getattr(u, access)():
            raise AssertionError("the block must not run")
    op2.par_loop(op2.Kernel(plain, "twice", "void twice(double *x) { *x *= 2; }"), line.nodes,
                 u(op2.RW))
    assert np.allclose(line.dense() @ u.get(), 2, atol=1e-4)


def test_a_monitor_fails_and_the_solve_too(plain):
    _, u = followed(plain, fails_always, iterations=1, rtol=1e-14)
    with pytest.raises(op2.DivergedError, match="short") as failure:
        u.get()
    assert repr(failure.value.__cause__) == "LookupError('iteration 0')"
    x = op2.Dat(u.set, np.ones(N))
    assert x.get().sum() == N


def test_two_monitors_fail(plain):
    parts = [followed(plain, fails_always)[1] for _ in range(2)]
    with pytest.raises(LookupError) as failure:
        plain.flush()
    assert isinstance(failure.value.__cause__, LookupError)
    assert failure.value.__cause__.__cause__ is None
    assert all(u.get().any() for u in parts)


def test_a_monitor_ends_the_program(plain):
    def stops(iteration, residual):
        raise KeyboardInterrupt

    _, u = followed(plain, stops, iterations=1, rtol=1e-14)
    with pytest.raises(KeyboardInterrupt) as end:
        u.get()
    assert isinstance(end.value.__cause__, op2.DivergedError)


def test_a_monitor_fails_at_the_end_of_the_context():
    context = op2.Context("sequential", eager=False)
    cells = op2.Set(context, 2)
    u, b = op2.Dat(cells), op2.Dat(cells, [1.0, 2.0])
    half = op2.Operator(cells, lambda x, y: y.axpby(0.5, 0.0, x))
    solver = op2.Solver(context, method="cg", preconditioner="none")
    solver.monitor(lambda iteration, residual: {}["a name"])
    solver.solve(half, u, b)
    with pytest.raises(KeyError, match="a name"):
        context.finalize()
    assert not context.initialised


def test_vectors(host):
    context = host
    cells = op2.Set(context, N)
    a, b = np.linspace(1, 2, N), np.linspace(-1, 3, N)
    x, y, z = op2.Dat(cells, a), op2.Dat(cells, b), op2.Dat(cells)
    two = op2.Global(context, 2.0)
    z.fill(3)
    z.axpy(two, x)
    z.aypx(-op2.ratio(two, two), y)
    z.axpby(0.5, 2, x)
    expected = 0.5 * a + 2 * (b - (3 + 2 * a))
    assert np.allclose(z.get(), expected, rtol=1e-14)
    y.copy_to(z)
    z.scale(two)
    x.pointwise_mult(x, z)
    x.pointwise_div(x, y)
    assert np.allclose(x.get(), 2 * a, rtol=1e-14)
    assert np.isclose(x.dot(y).value, 2 * a @ b) and np.isclose(x.sum().value, 2 * a.sum())
    assert np.isclose(y.norm().value, np.linalg.norm(b))
    assert np.isclose(y.norm(op2.Norm.ONE).value, abs(b).sum())
    assert (y.norm(op2.Norm.INF).value, y.min().value, y.max().value) == (3, -1, 3)
    assert np.allclose(x.mdot([x, y]).value, [4 * a @ a, 2 * a @ b])
    x.maxpy(op2.Global(context, [1.0, 2.0]), [y, y])
    assert np.allclose(x.get(), 2 * a + 3 * b)
    numbers = op2.Dat(cells, np.arange(N), dtype="i4")
    assert numbers.sum().value == N * (N - 1) // 2 and numbers.sum().dtype == np.int64
    assert op2.Dat(cells, np.arange(N), dtype="u2").sum().dtype == np.uint64


def test_globals_as_vectors(plain):
    g, h = op2.Global(plain, [1.0, 2.0]), op2.Global(plain, [3.0, 5.0])
    g.axpy(2, h)
    assert g.value.tolist() == [7, 12]
    assert g.dot(h).value == 81 and h.max().value == 5
