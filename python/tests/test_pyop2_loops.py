# SPDX-License-Identifier: BSD-3-Clause
"""Loops and arithmetic of PyOP2's interface; expected values are NumPy's."""
import numpy as np
import pytest
from pyop2_case import N, Ring, everywhere, few, hosts, plain  # noqa: F401

import op2 as library
from op2 import pyop2 as op2
from op2.pyop2 import _signature


def run(text, set_, *args, name="k", **options):
    op2.par_loop(op2.Kernel(text, name, **options), set_, *args)


# Each form of the same kernel's first parameter, and how it names value `v` of slot `s`.
PACKED = [("double *x", "x[2 * {s} + {v}]"), ("double x[4]", "x[2 * {s} + {v}]"),
          ("double x[2][2]", "x[{s}][{v}]"), ("double (*x)[2]", "x[{s}][{v}]"),
          ("real *x", "x[2 * {s} + {v}]")]
POINTERS = [("double **x", "x[{s}][{v}]"), ("double *x[2]", "x[{s}][{v}]"),
            ("row *x", "x[{s}][{v}]")]


def spread(parameter, value):
    """A kernel that adds the length to the first value of both slots, and 1 to the second."""
    lines = " ".join(value.format(s=s, v=v) + (" += *l;" if v == 0 else " += 1;")
                     for s in (0, 1) for v in (0, 1))
    types = "typedef double real; typedef real *row;\n"
    return f"{types}static void k({parameter}, double *l) {{ {lines} }}"


def test_views(few):  # noqa: F811
    ring = Ring()
    x, y = op2.Dat(ring.nodes ** (2, 2)), op2.Dat(ring.nodes, np.arange(float(N)))
    view, length = op2.DatView(x, (1, 0)), op2.Dat(ring.edges, ring.length)
    assert (view.index, view.cdim, view.shape, view.dtype) == ((1, 0), 1, (N,), x.dtype)
    run("void k(double *a, double *l) { a[0] += *l; a[1] += 1; }", ring.edges,
        view(op2.INC, ring.map), length(op2.READ))
    expected = np.zeros((N, 2, 2))
    expected[:, 1, 0] = ring.sums(np.stack([ring.length, np.ones(N)], axis=1)[:, :, None])[:, 0]
    assert np.array_equal(x.data_ro, expected)
    view.axpy(2, y)
    view -= 1
    expected[:, 1, 0] += 2 * np.arange(N) - 1
    assert np.array_equal(view.data_ro, expected[:, 1, 0]) and np.array_equal(x.data_ro, expected)
    assert np.isclose(view.inner(y), expected[:, 1, 0] @ np.arange(N))
    assert np.isclose((y + view).norm, np.linalg.norm(expected[:, 1, 0] + np.arange(N)))
    view.data = 3
    view.data_with_halos[0] = 4
    expected[:, 1, 0] = [4] + [3] * (N - 1)
    assert np.array_equal(x.data_ro_with_halos, expected)
    for wrong in (0, (2, 0), (0, -1)):
        with pytest.raises(op2.IndexValueError, match=r"shape \(2, 2\)"):
            op2.DatView(x, wrong)
    assert op2.DatView(y, 0).data_ro[5] == 5


@pytest.mark.parametrize("form", PACKED + POINTERS, ids=lambda form: form[0])
def test_parameters_decide(plain, form):  # noqa: F811
    ring = Ring()
    x, length = op2.Dat(ring.nodes ** 2), op2.Dat(ring.edges, ring.length)
    run(spread(*form), ring.edges, x(op2.INC, ring.map), length(op2.READ))
    ends = np.repeat(np.stack([ring.length, np.ones(N)], axis=1), 2, axis=0).reshape(N, 2, 2)
    assert np.array_equal(x.data_ro, ring.sums(ends))


def test_both_forms(everywhere):  # noqa: F811
    ring = Ring()
    x, length = op2.Dat(ring.nodes, ring.x[:, 0]), op2.Dat(ring.edges, ring.length)
    packed, rows = op2.Dat(ring.nodes), op2.Dat(ring.nodes)
    text = "static void k(double {0}, const double {1}, const double *l) {{ {2} }}"
    run(text.format("*y", "*x", "y[0] += x[1] + *l; y[1] += x[0];"), ring.edges,
        packed(op2.INC, ring.map), x(op2.READ, ring.map), length(op2.READ))
    run(text.format("**y", "*x[2]", "y[0][0] += x[1][0] + *l; y[1][0] += x[0][0];"), ring.edges,
        rows(op2.INC, ring.map), x(op2.READ, ring.map), length(op2.READ))
    values = ring.x[:, 0][ring.ends[:, ::-1]]
    values[:, 0] += ring.length
    assert np.allclose(packed.data_ro, ring.sums(values), rtol=1e-14)
    assert np.array_equal(packed.data_ro, rows.data_ro)


def test_versions_decide_where_parameters_do_not(plain):  # noqa: F811
    ring = Ring()
    (x, y) = op2.Dat(ring.nodes, ring.x[:, 0]), op2.Dat(ring.edges)
    here = op2.Kernel("static void k(unknown *x, double *y) { *y = x[1]; }", "k")
    with pytest.raises(op2.ConfigurationError) as caught:
        op2.par_loop(here, ring.edges, x(op2.READ, ring.map), y(op2.WRITE))
    for part in ("argument 0", "'unknown *x'", "double \\*", "double \\*\\*", "version=2016",
                 "version=2024", "since 2019", "until 2018"):
        assert part.replace("\\", "") in str(caught.value)
    text = "typedef {} (*shape);\nstatic void k(const shape x, double *y) {{ *y = {}; }}"
    for version, kind, value in ((2016, "double *", "x[1][0]"), (2024, "double", "x[1]")):
        op2.configure(version=version)
        run(text.format(kind, value), ring.edges, x(op2.READ, ring.map), y(op2.WRITE))
        assert np.array_equal(y.data_ro, ring.x[ring.ends[:, 1], 0])


@pytest.mark.parametrize("parameter, depth", [
    ("double *x", 1), ("const int *const *restrict x", 2), ("double c[][2]", 1), ("double*", 1),
    ("double *(x[2])", 2), ("unsigned int x[static 1]", 1), ("T *x", None), ("T **x", 2),
    ("T *x[3]", 2), ("T (*x)[2]", None), ("real *x", 1), ("row x[2]", 2), ("NUMBER *x", 1),
    ("double (*restrict c)[2]", 1), ("PetscScalar *x", 1)])
def test_depths_of_parameters(parameter, depth):
    text = ("typedef double real; /* ( */ typedef real *row;\n#define NUMBER float\n"
            f"double f(double k);\nstatic inline void k(int a, {parameter}) {{ k(1, 2); }}")
    (first, second) = _signature.parameters(text, "k")
    assert (first.depth, second.depth) == (0, depth)
    assert _signature.parameters(text, "other") is None


def test_slots(few):  # noqa: F811
    ring = Ring()
    x, y = op2.Dat(ring.nodes ** 2, ring.x), op2.Dat(ring.edges)
    run("void k(double *y, double *a, double *b) { *y = a[1] - b[0]; }", ring.edges,
        y(op2.WRITE), x(op2.READ, ring.map[1]), x(op2.READ, ring.map[0]))
    assert np.array_equal(y.data_ro, ring.x[ring.ends[:, 1], 1] - ring.x[ring.ends[:, 0], 0])


def test_iteration_indices(plain):  # noqa: F811
    ring = Ring()
    x, y = op2.Dat(ring.nodes, ring.x[:, 0]), op2.Dat(ring.nodes)
    run("void k(double *y, double *x) { y[0] += x[1]; y[1] += x[0]; }", ring.edges,
        y(op2.INC, ring.map[op2.i[0]]), x(op2.READ, ring.map[op2.i[0]]))
    assert np.allclose(y.data_ro, ring.sums(ring.x[:, 0][ring.ends[:, ::-1]]), rtol=1e-14)


def test_maps_made_of_maps(plain):  # noqa: F811
    ring = Ring()
    x, y = op2.Dat(ring.nodes, ring.x[:, 0]), op2.Dat(ring.edges)
    step = op2.Map(ring.edges, ring.edges, 1, np.roll(np.arange(N), 3))
    for map, values in ((op2.PermutedMap(ring.map, [1, 0]), ring.ends[:, ::-1]),
                        (op2.ComposedMap(ring.map, step), np.roll(ring.ends, 3, axis=0))):
        run("void k(double *y, double *x) { *y = x[0] - 2 * x[1]; }", ring.edges, y(op2.WRITE),
            x(op2.READ, map))
        assert np.array_equal(y.data_ro, ring.x[values[:, 0], 0] - 2 * ring.x[values[:, 1], 0])


def test_reductions(hosts):  # noqa: F811
    ring = Ring()
    length = op2.Dat(ring.edges, ring.length)
    total, least, most = op2.Global(2, [1.0, 0.0]), op2.Global(1, 1e9), op2.Global(1, -1e9)
    run("void k(double *l, double *t, double *n, double *m) { t[0] += *l; t[1] += 1;"
        " if (*l < *n) *n = *l; if (*l > *m) *m = *l; }", ring.edges, length(op2.READ),
        total(op2.INC), least(op2.MIN), most(op2.MAX))
    assert total.data_ro.tolist() == [1 + ring.length.sum(), N]
    assert (least.data[0], most.data[0]) == (ring.length.min(), ring.length.max())


def test_subsets(hosts):  # noqa: F811
    ring = Ring()
    even, x = ring.nodes(np.arange(0, N, 2)), op2.Dat(ring.nodes)
    run("void k(double *x) { *x += 1; }", even, x(op2.RW))
    expected = (np.arange(N) % 2 == 0).astype(float)
    assert np.array_equal(x.data_ro, expected)
    y = op2.Dat(ring.nodes, ring.x[:, 0])
    y.zero(even)
    x.copy(y, ring.nodes([1, 2]))
    expected = np.where(np.arange(N) % 2, ring.x[:, 0], 0)
    expected[[1, 2]] = 0, 1
    assert np.array_equal(y.data_ro, expected)


def test_globals_that_are_written_between(plain):  # noqa: F811
    ring = Ring()
    x, g = op2.Dat(ring.nodes), op2.Global(1, 1.0)
    kernel = op2.CStringLocalKernel("void k(double *x, double *g) { *x += *g; }", "k",
                                    [op2.RW, op2.READ], [x.dtype, g.dtype])
    loop = op2.ParLoop(kernel, ring.nodes, x(op2.RW), g(op2.READ))
    loop.enqueue()
    g.data[0] = 10
    loop.enqueue()
    g.data = 100
    loop()
    assert op2.context().queued == 0
    assert x.data_ro[0] == 111


def test_user_code_headers_and_strides(plain, tmp_path):  # noqa: F811
    (tmp_path / "half.h").write_text("static double half(double x) { return x / 2; }\n")
    x = op2.Dat(op2.Set(2) ** 2, [1.0, 2.0, 3.0, 4.0])
    run("void k(double *x) { OP2_STRIDE(x, 1) = 0; }", x.dataset.set, x(op2.RW))
    run("void k(double *x) { x[0] = half(twice(fabs(-x[0]))) + 1; }", x.dataset.set, x(op2.RW),
        user_code="static double twice(double x) { return 2 * x; }", headers=["half.h"],
        include_dirs=[str(tmp_path)])
    assert x.data_ro.tolist() == [[2, 0], [4, 0]]


def test_kernels_that_are_made_anew(plain):  # noqa: F811
    x, text = op2.Dat(op2.Set(2)), "void k(double *x) { *x += 1; }"
    first, second = op2.Kernel(text, "k"), op2.Kernel(text, "k")
    assert first.op2 is second.op2 and first.op2 is not op2.Kernel(text + " ", "k").op2
    for _ in range(3):
        run(text, x.dataset.set, x(op2.RW))
    assert x.data_ro.tolist() == [3, 3]


def test_loops_that_are_refused(plain):  # noqa: F811
    ring = Ring()
    x, k = op2.Dat(ring.nodes), op2.Kernel("void k(double *x) { *x = 1; }", "k")
    back = op2.Map(ring.nodes, ring.nodes, 1, np.arange(N))
    empty = op2.Map(ring.edges, ring.nodes, 2, None)
    for error, args in [
            (op2.KernelTypeError, ("k", ring.nodes, x(op2.RW))),
            (op2.SetTypeError, (k, "nodes", x(op2.RW))),
            (op2.SetTypeError, (k, op2.MixedSet([ring.nodes]), x(op2.RW))),
            (TypeError, (k, ring.nodes, x)),
            (op2.MapValueError, (k, ring.edges, x(op2.RW))),
            (op2.MapValueError, (k, ring.edges, x(op2.RW, back))),
            (op2.MapValueError, (k, ring.edges, x(op2.READ, empty))),
            (library.ArityError, (k, ring.nodes, x(op2.RW), x(op2.READ)))]:
        with pytest.raises(error):
            op2.par_loop(*args)
    with pytest.raises(NotImplementedError, match="extruded"):
        op2.par_loop(k, ring.nodes, x(op2.RW), iterate=op2.ON_BOTTOM)
    op2.par_loop(k, ring.nodes, x(op2.RW), iterate=op2.ALL)
    assert x.data_ro[0] == 1
    with pytest.raises(op2.NameTypeError):
        op2.Kernel("void k(void) { }", 3)


def test_places_of_errors(plain):  # noqa: F811
    x = op2.Dat(op2.Set(1))
    op2.par_loop(op2.Kernel("void k(double *x) { *x = missing(); }", "k"), x.dataset.set,
                 x(op2.RW))
    with pytest.raises(library.CompileError) as caught:
        x.data_ro
    assert caught.value.file == __file__ and caught.value.line


@pytest.mark.parametrize("dtype", ["f8", "i4"])
def test_arithmetic(plain, dtype):  # noqa: F811
    cells = op2.Set(4)
    a, b = np.array([8, 6, 4, 2], dtype), np.array([1, 2, 4, 1], dtype)
    x, y, g = op2.Dat(cells, a), op2.Dat(cells, b), op2.Global(1, 3, dtype)
    for made, expected in [(x + y, a + b), (x - y, a - b), (x * y, a * b), (x * g, a * 3),
                           (x + 2, a + 2), (2 - x, 2 - a), (3 * x, 3 * a), (-x, -a), (+x, a),
                           (x / y, a // b if dtype[0] == "i" else a / b),
                           (np.float64(3) * x, 3 * a)]:
        assert made.dtype == dtype and np.array_equal(made.data_ro, expected)
    x += y
    x *= 2
    x -= g
    assert np.array_equal(x.data_ro, 2 * (a + b) - 3)
    x.assign(y)
    assert np.array_equal(x.data_ro, b)
    x.assign(5)
    x.zero(cells([1]))
    assert x.data_ro.tolist() == [5, 0, 5, 5]


def test_arithmetic_of_vectors(few):  # noqa: F811
    ring = Ring()
    v, s = op2.Dat(ring.nodes ** 2, ring.x), op2.Dat(ring.nodes, ring.length)
    v *= s
    assert np.array_equal(v.data_ro, ring.x * ring.length[:, None])
    whole = op2.Dat(ring.nodes ** 2, ring.x)
    whole += op2.Dat(ring.nodes ** 2, np.arange(2 * N), dtype="i4")
    assert np.array_equal(whole.data_ro, ring.x + np.arange(2 * N).reshape(N, 2))
    whole.axpy(2.0, v)
    whole.maxpy([1.0, op2.Global(1, -3.0)], [v, v])
    expected = ring.x + np.arange(2 * N).reshape(N, 2)
    assert np.allclose(whole.data_ro, expected, rtol=1e-12)
    assert np.isclose(v.inner(v), (v.data_ro ** 2).sum())
    assert np.isclose(v.norm, np.linalg.norm(v.data_ro))


def test_functions_of_python(plain):  # noqa: F811
    ring = Ring()
    x, y, total = op2.Dat(ring.nodes, ring.x[:, 0]), op2.Dat(ring.nodes), op2.Global(1, 0.0)

    def spread_it(x, y, first, total):
        y[0] += x[1]
        y[1] += first[0]
        total += 1

    args = (x(op2.READ, ring.map), y(op2.INC, ring.map), x(op2.READ, ring.map[0]), total(op2.INC))
    op2.par_loop(spread_it, ring.edges, *args)
    assert np.allclose(y.data_ro, ring.sums(ring.x[:, 0][ring.ends[:, ::-1]]), rtol=1e-14)
    assert total.data_ro[0] == N

    def overwrite(x):
        x[:] = 4

    op2.par_loop(overwrite, ring.nodes([2, 3]), y(op2.WRITE))
    assert y.data_ro[2:4].tolist() == [4, 4]
    op2.par_loop(overwrite, ring.nodes, x(op2.READ))
    with pytest.raises(library.CallError):
        op2.context().flush()
