# SPDX-License-Identifier: BSD-3-Clause
"""Loops with every kind of argument, on each backend; expected values are NumPy's."""
import ctypes
import json
import math
import subprocess

import numpy as np
import pytest

import op2

N = 211


class Ring:
    """Nodes in a ring and the edges between them, with a value on each."""

    def __init__(self, context):
        self.context = context
        self.nodes, self.edges = op2.Set(context, N, "nodes"), op2.Set(context, N, "edges")
        here = np.arange(N)
        self.ends = np.stack([here, (here + 1) % N], axis=1)
        self.map = op2.Map(self.edges, self.nodes, self.ends, "ends")
        self.length = (here * 37 % 101).astype(float)
        self.lengths = op2.Dat(self.edges, self.length, name="length")

    def loop(self, set_, text, *arguments, name="kernel"):
        kernel = op2.Kernel(self.context, name, text)
        op2.par_loop(kernel, set_, *arguments)
        return kernel

    def sums(self):
        expected = np.zeros(N)
        np.add.at(expected, self.ends.ravel(), np.repeat(self.length, 2))
        return expected


@pytest.fixture
def ring(host):
    return Ring(host)


@pytest.fixture
def any_ring(context):
    return Ring(context)


def test_increments(any_ring):
    total = op2.Dat(any_ring.nodes, name="total")
    any_ring.loop(any_ring.edges, """
        void kernel(const double *length, double *a, double *b) {
          *a += *length;
          *b += *length;
        }""", any_ring.lengths(op2.READ), total(op2.INC, any_ring.map, 0),
                  total(op2.INC, any_ring.map, 1))
    assert np.array_equal(total.get(), any_ring.sums())


def test_all_slots(ring):
    total = op2.Dat(ring.nodes, name="total")
    ring.loop(ring.edges, """
        void kernel(const double *length, double *x[2]) {
          *x[0] += *length;
          *x[1] += *length;
        }""", ring.lengths(op2.READ), total(op2.INC, ring.map))
    assert np.array_equal(total.get(), ring.sums())


@pytest.mark.parametrize("slot", [op2.PACKED, op2.ITER(0)])
def test_private_buffers(ring, slot):
    x = op2.Dat(ring.nodes, np.arange(2.0 * N).reshape(N, 2), name="x")
    seen = op2.Dat(ring.edges, dim=4, name="seen")
    ring.loop(ring.edges, "void kernel(const double *x, double *s) "
              "{ for (int i = 0; i < 4; i++) s[i] = x[i]; }",
              x(op2.READ, ring.map, slot), seen(op2.WRITE))
    assert np.array_equal(seen.get(), x.get()[ring.ends].reshape(N, 4))


def test_reductions(any_ring):
    least = op2.Global(any_ring.context, math.inf, name="least")
    most = op2.Global(any_ring.context, -math.inf, name="most")
    total = op2.Global(any_ring.context, [0.0, 0.0], name="total")
    any_ring.loop(any_ring.edges, "void kernel(const double *l, double *n, double *m, double *t) {"
              " if (*l < *n) *n = *l; if (*l > *m) *m = *l; t[0] += *l; t[1] += 1; }",
              any_ring.lengths(op2.READ), least(op2.MIN), most(op2.MAX), total(op2.INC))
    assert (least.value, most.value) == (any_ring.length.min(), any_ring.length.max())
    assert total.value.tolist() == [any_ring.length.sum(), N]
    assert float(least) == any_ring.length.min() and int(most) == any_ring.length.max()


def test_where_the_least_is(ring):
    least, place = op2.Global(ring.context, 1e9), op2.Global(ring.context, -1, dtype="i4")
    ring.loop(ring.edges, "void kernel(const double *l, int i, double *m, int *at)"
              " { if (*l < *m) { *m = *l; *at = i; } }",
              ring.lengths(op2.READ), op2.index(), least(op2.MIN), place.info(2))
    assert place.value == ring.length.argmin()


def test_numbers_of_elements(ring):
    own, ends = op2.Dat(ring.edges, dtype="i8"), op2.Dat(ring.edges, dim=2, dtype="i4")
    one = op2.Dat(ring.edges, dtype="i4")
    ring.loop(ring.edges, "void kernel(int64_t i, const int *e, int b, int64_t *x, int *y, int *z)"
              " { *x = i; y[0] = e[0]; y[1] = e[1]; *z = b; }",
              op2.index(), op2.map_index(ring.map), op2.map_index(ring.map, 1),
              own(op2.WRITE), ends(op2.WRITE), one(op2.WRITE))
    assert np.array_equal(own.get(), np.arange(N))
    assert np.array_equal(ends.get(), ring.ends)
    assert np.array_equal(one.get(), ring.ends[:, 1])


def test_values_are_copied(any_ring):
    x = op2.Dat(any_ring.nodes, dim=3)
    offset = np.array([1.0, 2.0])
    any_ring.loop(any_ring.nodes, "void kernel(double a, const double *b, int64_t c, double *x)"
              " { x[0] = a; x[1] = b[0] + b[1]; x[2] = c; }", 0.5, offset, 7, x(op2.WRITE))
    offset[:] = 0
    assert np.array_equal(x.get(), np.tile([0.5, 3.0, 7.0], (N, 1)))


def test_constants(ring):
    factor = op2.Constant(ring.context, "factor", 2.0)
    table = op2.Constant(ring.context, "table", [1, 2, 3], dtype="i4")
    x, y = op2.Dat(ring.nodes), op2.Dat(ring.nodes)
    text = "void kernel(double *x) { *x = factor * table[2]; }"
    ring.loop(ring.nodes, text, x(op2.WRITE))
    factor.set_values(5)
    table.set_values([0, 0, -1])
    ring.loop(ring.nodes, text, y(op2.WRITE))
    assert (x.get()[0], y.get()[0]) == (6, -5)


def test_globals_are_captured(ring):
    g, x, y = op2.Global(ring.context, 1.0), op2.Dat(ring.nodes), op2.Dat(ring.nodes)
    text = "void kernel(const double *g, double *x) { *x = *g; }"
    ring.loop(ring.nodes, text, g(op2.READ), x(op2.WRITE))
    g.value = 4
    ring.loop(ring.nodes, text, g(op2.READ), y(op2.WRITE))
    assert (x.get()[0], y.get()[0]) == (1, 4)


@pytest.mark.parametrize("present", [False, True])
def test_optional_arguments(ring, present):
    x, y = op2.Dat(ring.nodes), op2.Dat(ring.nodes)
    ring.loop(ring.nodes, "void kernel(double *x, double *y) { *x = 1; if (y) *y = 2; }",
              x(op2.WRITE), op2.optional(present, y(op2.WRITE)))
    assert (x.get()[0], y.get()[0]) == (1, 2 * present)


@pytest.mark.parametrize("dtype", ["f8", "f4", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8"])
def test_types(plain, dtype):
    cells = op2.Set(plain, 3)
    x = op2.Dat(cells, [1, 2, 3], dtype=dtype)
    kinds = {"f8": "double", "f4": "float"}
    kind = kinds.get(dtype, f"{'u' if dtype[0] == 'u' else ''}int{8 * int(dtype[1])}_t")
    op2.par_loop(op2.Kernel(plain, "triple", f"void triple({kind} *x) {{ *x *= 3; }}"), cells,
                 x(op2.RW))
    assert x.dtype == np.dtype(dtype) and x.get().dtype == np.dtype(dtype)
    assert x.get().tolist() == [3, 6, 9]


def test_subsets(ring):
    even = ring.nodes.subset(np.arange(0, N, 2), "even")
    third = ring.nodes.subset(np.arange(0, N, 3))
    text = "void kernel(double *x) { *x += 1; }"
    for chosen in (even, third, even | third, even & third, even - third, ring.nodes - even,
                   op2.Subset(even, [0, 1])):
        x = op2.Dat(ring.nodes)
        ring.loop(chosen, text, x(op2.RW))
        expected = np.zeros(N)
        expected[chosen.indices] = 1
        assert np.array_equal(x.get(), expected) and chosen.base is ring.nodes
    assert (even & third).indices.tolist() == list(range(0, N, 6))
    assert ring.nodes.subset([]).size == 0


def test_loops_as_objects(ring):
    x = op2.Dat(ring.nodes)
    more = op2.Kernel(ring.context, "more", "void more(double a, double *x) { *x += a; }")
    loop = op2.ParLoop(more, ring.nodes, 2.0, x(op2.RW))
    for _ in range(3):
        loop.enqueue()
    loop.compute()
    assert ring.context.queued == 0
    assert x.get()[0] == 8
    assert "more" in loop.generate() and "__global" in loop.generate("opencl")


def test_opaque_memory(plain):
    seen = np.zeros(5)
    cells = op2.Set(plain, 5)
    text = "void note(double *all, int i) { all[i] = 10 * i; }"
    op2.par_loop(op2.Kernel(plain, "note", text), cells, op2.opaque(seen), op2.index())
    op2.par_loop(op2.Kernel(plain, "note", text), cells, op2.opaque(np.zeros(5)), op2.index())
    plain.flush()
    assert seen.tolist() == [0, 10, 20, 30, 40]


def test_kernels_by_address(plain, tmp_path):
    (tmp_path / "f.c").write_text("void add(double *x, double a) { *x += a; }\n")
    library = tmp_path / "f.so"
    subprocess.run(["cc", "-shared", "-fPIC", "-o", library, tmp_path / "f.c"], check=True)
    function = ctypes.CDLL(str(library)).add
    address = ctypes.cast(function, ctypes.c_void_p).value
    cells = op2.Set(plain, 3)
    x = op2.Dat(cells)
    kernel = op2.Kernel.by_address(plain, "add", "void add(double *x, double a)", address,
                                   any_threads=True)
    op2.par_loop(kernel, cells, x(op2.RW), 3.0)
    assert x.get().tolist() == [3, 3, 3]


def test_headers_and_libraries(plain, tmp_path):
    (tmp_path / "half.h").write_text("double half(double x);\n")
    (tmp_path / "half.c").write_text("double half(double x) { return x / 2; }\n")
    library = tmp_path / "libhalf.so"
    subprocess.run(["cc", "-shared", "-fPIC", "-o", library, tmp_path / "half.c"], check=True)
    cells = op2.Set(plain, 3)
    x = op2.Dat(cells, [2.0, 4.0, 6.0])
    kernel = op2.Kernel(plain, "halve", "void halve(double *x) { *x = half(*x); }",
                        headers=["half.h"], include_dirs=[str(tmp_path)], libraries=[str(library)])
    op2.par_loop(kernel, cells, x(op2.RW))
    assert x.get().tolist() == [1, 2, 3]


def test_maps(plain):
    cells, nodes = op2.Set(plain, 2, "cells"), op2.Set(plain, 4, "nodes")
    corners = op2.Map(cells, nodes, [[0, 1, 2], [1, 2, 3]], "corners")
    assert (corners.arity, corners.rows) == (3, 2)
    first = op2.Map(cells, cells, [1, 0], "swap")
    swapped = op2.Map.composed([corners, first])
    turned = corners.permuted([2, 0, 1])
    assert swapped.source is cells and swapped.target is nodes
    seen = {}
    for which in (corners, swapped, turned):
        at = op2.Dat(cells, dim=3, dtype="i4")
        op2.par_loop(op2.Kernel(plain, "see", "void see(const int *e, int *x) "
                                "{ for (int i = 0; i < 3; i++) x[i] = e[i]; }"),
                     cells, op2.map_index(which), at(op2.WRITE))
        seen[which] = at.get().tolist()
    assert seen[swapped] == [[1, 2, 3], [0, 1, 2]]
    assert seen[turned] == [[2, 0, 1], [3, 1, 2]]
    assert op2.Map(op2.Set(plain, 0), nodes, np.empty((0, 2), int)).arity == 2
    for dtype in ("i4", "i8", "u2"):
        from_one = op2.Map(cells, nodes, np.array([[1, 2, 3], [2, 3, 4]], dtype), base=1)
        assert np.array_equal(from_one.values, corners.values)
    assert op2.Map(cells, nodes, [[1, 0], [4, 3]], base=1, partial=True).values.tolist() == \
        [[0, -1], [3, 2]]
    assert op2.Map.by_global_numbers(cells, nodes, [[1, 2], [0, 4]], base=1,
                                     partial=True).arity == 2
    with pytest.raises(op2.RangeError, match="entry 5 at row 1, column 0"):
        op2.Map(cells, nodes, [[1], [5]], base=1)
    with pytest.raises(op2.ArgumentError):
        op2.Map(cells, nodes, [[1], [2]], base=2)


def test_work_arrays(ring):
    x = op2.Dat(ring.nodes, np.arange(2.0 * N).reshape(N, 2))
    ring.loop(ring.nodes, "void kernel(double *x, double *w) "
              "{ w[0] = x[0]; x[0] = x[1]; x[1] = w[0]; }", x(op2.RW), op2.work(1))
    assert np.array_equal(x.get(), np.arange(2.0 * N).reshape(N, 2)[:, ::-1])


def test_what_is_known_of_objects(plain):
    ring = Ring(plain)
    assert np.array_equal(ring.map.values, ring.ends)
    assert np.array_equal(ring.map.global_values, ring.ends)
    constant = op2.Constant(plain, "pair", [1, 2])
    constant.value = 3, 4
    assert constant.value.tolist() == [3, 4]
    assert op2.Constant(plain, "one", 1.5).value == 1.5
    x, g = op2.Dat(ring.nodes), op2.Global(plain, 1.0)
    assert x.name and g.name and op2.Set(plain, 1).name and str(x) == f"dat '{x.name}'"
    before = x.changes, g.changes
    x.get()
    assert (x.changes, g.changes) == before
    x.fill(1)
    g.value = 2
    assert x.changes > before[0] and g.changes > before[1]


def test_reports(plain):
    ring = Ring(plain)
    total = op2.Dat(ring.nodes, name="total")
    kernel = ring.loop(ring.edges, "void spread(const double *l, double *a) { *a += *l; }",
                       ring.lengths(op2.READ), total(op2.INC, ring.map, 0), name="spread")
    assert "spread" in plain.graph() and plain.queued == 1
    total.get()
    assert "spread" in plain.explain() and "spread" in plain.report()
    (loop,) = json.loads(plain.report(json=True))["loops"]
    assert (loop["kernel"], loop["set"], loop["calls"]) == (kernel.name, "edges", 1)
    (line,) = plain.profile()
    assert (line.kernel, line.set, line.calls, line.elements) == (kernel.name, "edges", 1, N)
    assert plain.times().total > 0 and plain.comm_stats().messages == 0
    assert "OP2_BACKEND" in op2.environment()
