# SPDX-License-Identifier: BSD-3-Clause
"""Loops with mixed dats of PyOP2's interface, and their arithmetic; expected values are NumPy's."""
import numpy as np
import pytest
from pyop2_case import N, Ring, few, plain  # noqa: F811,F401

from op2 import pyop2 as op2


class Mixture:
    """Two values on nodes and one on edges, each reached from edges."""

    def __init__(self):
        self.ring = Ring()
        own = op2.Map(self.ring.edges, self.ring.edges, 1, np.arange(N))
        self.map = op2.MixedMap([self.ring.map, own])
        self.dat = op2.MixedDat([op2.Dat(self.ring.nodes ** 2, self.ring.x),
                                 op2.Dat(self.ring.edges, self.ring.length)])

    def rows(self):
        """What each edge reaches: four values of nodes and one of its own."""
        return np.hstack([self.ring.x[self.ring.ends].reshape(N, 4), self.ring.length[:, None]])


FORMS = [("const double *x", "x[{n}]"), ("const double x[5][1]", "x[{n}][0]"),
         ("const double (*x)[1]", "x[{n}][0]")]


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form[0])
def test_packed_reads(plain, form):  # noqa: F811
    mixture = Mixture()
    seen = op2.Dat(mixture.ring.edges ** 5)
    lines = " ".join(f"s[{n}] = {form[1].format(n=n)};" for n in range(5))
    op2.par_loop(op2.Kernel(f"static void k({form[0]}, double *s) {{ {lines} }}", "k"),
                 mixture.ring.edges, mixture.dat(op2.READ, mixture.map), seen(op2.WRITE))
    assert np.array_equal(seen.data_ro, mixture.rows())


def test_increments(few):  # noqa: F811
    mixture = Mixture()
    made = op2.MixedDat([mixture.ring.nodes ** 2, mixture.ring.edges])
    coordinates = op2.Dat(mixture.ring.nodes ** 2, mixture.ring.x)
    op2.par_loop(op2.Kernel("""
        static void k(double *y, const double *x, const double c[2][2]) {
          for (int i = 0; i < 4; i++) y[i] += x[i] + c[1][i % 2];
          y[4] += 2 * x[4];
        }""", "k"), mixture.ring.edges, made(op2.INC, mixture.map),
        mixture.dat(op2.READ, mixture.map), coordinates(op2.READ, mixture.ring.map))
    rows, ring = mixture.rows(), mixture.ring
    nodes = rows[:, :4].reshape(N, 2, 2) + ring.x[ring.ends[:, 1]][:, None, :]
    assert np.allclose(made[0].data_ro, ring.sums(nodes), rtol=1e-13)
    assert np.array_equal(made[1].data_ro, 2 * ring.length)


def test_pointers(plain):  # noqa: F811
    mixture = Mixture()
    op2.par_loop(op2.Kernel("""
        static void k(double **x, const double *other[2]) {
          x[2][0] = x[0][0] - x[1][1] + other[1][0];
        }""", "k"), mixture.ring.edges, mixture.dat(op2.RW, mixture.map),
        op2.Dat(mixture.ring.nodes ** 2, mixture.ring.x)(op2.READ, mixture.ring.map))
    ends = mixture.ring.x[mixture.ring.ends]
    assert np.array_equal(mixture.dat[1].data_ro, ends[:, 0, 0] - ends[:, 1, 1] + ends[:, 1, 0])


def test_direct_arguments(plain):  # noqa: F811
    cells = op2.Set(3)
    both = op2.MixedDat([op2.Dat(cells ** 2, np.arange(6.0)), op2.Dat(cells, [7.0, 8.0, 9.0])])
    op2.par_loop(op2.Kernel("static void k(double *x) { x[2] += x[0]; x[0] = 5; }", "k"), cells,
                 both(op2.RW))
    assert both[0].data_ro[:, 0].tolist() == [5, 5, 5]
    assert both[1].data_ro.tolist() == [7, 10, 13]


def test_arithmetic_of_parts(plain):  # noqa: F811
    cells, nodes = op2.Set(3), op2.Set(2)
    a = op2.MixedDat([op2.Dat(cells, [1.0, 2.0, 3.0]), op2.Dat(nodes, [4.0, 5.0])])
    b = op2.MixedDat([cells, nodes])
    b += 2 * a
    b -= a
    a.copy(b)
    b.axpy(2.0, a)
    assert [part.tolist() for part in b.data_ro] == [[3, 6, 9], [12, 15]]
    assert (a.inner(b), a.norm ** 2) == (165, pytest.approx(55))
    copied = op2.MixedDat(a)
    a.zero()
    assert copied.data_ro[1].tolist() == [4, 5] and not a.data_ro[0].any()
    assert (a.nbytes, a.cdim, len(a), a.split[0] is a[0]) == (40, 2, 2, True)
    with pytest.raises(op2.MapValueError):
        a(op2.READ, op2.Map(cells, nodes, 1, [0, 1, 1]))
    with pytest.raises(op2.ModeValueError):
        a(op2.MIN)
