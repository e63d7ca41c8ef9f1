# SPDX-License-Identifier: BSD-3-Clause
"""Components of dats: arguments of loops that have some of each element's values."""
import gc

import numpy as np
import pytest

import op2

GRID = np.arange(8.0).reshape(2, 4)


def test_loops(context):
    cells, nodes = op2.Set(context, 1, "cells"), op2.Set(context, 2, "nodes")
    corners = op2.Map(cells, nodes, [[0, 1]], "corners")
    x, y = op2.Dat(nodes, GRID, name="x"), op2.Dat(cells, dim=2, name="y")
    pair = x.component(1, 2)
    assert (pair.name, pair.dim, pair.shape, pair.dtype) == ("x[1:3]", 2, (2, 2), x.dtype)
    op2.par_loop(op2.Kernel(context, "sum", "void sum(const double *a, const double *b, double *y) "
                            "{ for (int i = 0; i < 2; i++) y[i] = a[i] + b[i]; }"), cells,
                 pair(op2.READ, corners, 0), pair(op2.READ, corners, 1), y(op2.WRITE))
    assert y.get().tolist() == [[6, 8]]
    before = x.changes
    op2.par_loop(op2.Kernel(context, "set", "void set(double *a) { *a = -1; }"), nodes,
                 pair.component(1)(op2.WRITE))
    assert pair.changes == x.changes > before
    assert x.get().tolist() == [[0, 1, -1, 3], [4, 5, -1, 7]]


def test_values_and_lifetimes(plain):
    cells = op2.Set(plain, 2, "cells")
    x = op2.Dat(cells, GRID.reshape(2, 2, 2), name="x")
    last, middle = x.component(3), x.component(1, 2)
    array = x.data
    array[1, 1, 1] = 9
    assert last.get().tolist() == [3, 9] and not array.flags.writeable
    middle.set_values([7, 8])
    assert x.get().reshape(2, 4).tolist() == [[0, 7, 8, 3], [4, 7, 8, 9]]
    part = middle.component(1)
    assert part.name == "x[2]" and part.whole is x and part.set is cells
    del x, middle
    gc.collect()
    assert part.get().tolist() == [8, 8]


def test_failures(plain):
    cells = op2.Set(plain, 2, "cells")
    x = op2.Dat(cells, GRID, name="x")
    with pytest.raises(op2.RangeError, match="2 from 3 on"):
        x.component(3, 2)
    with pytest.raises(op2.MismatchError):
        x.component(3).set_values([1, 2, 3])
    with pytest.raises(op2.ArgumentError):
        x.axpy(1, x.component(0))
