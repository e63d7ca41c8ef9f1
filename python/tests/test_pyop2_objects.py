# SPDX-License-Identifier: BSD-3-Clause
"""Sets, maps, data sets, dats and globals of PyOP2's interface: shapes, values and refusals."""
import numpy as np
import pytest
from pyop2_case import plain  # noqa: F401

import op2 as library
from op2 import pyop2 as op2

pytestmark = pytest.mark.usefixtures("plain")


@pytest.mark.parametrize("size, sizes", [
    (7, (7, 7, 7)), ((5, 7, 9), (5, 7, 9)), ((5, 7, 8, 9), (5, 7, 8, 9))])
def test_sizes_of_sets(size, sizes):
    cells = op2.Set(size, "cells")
    assert cells.sizes == sizes
    assert (cells.size, cells.total_size) == (7, sizes[-1])
    assert len(cells) == 1 and cells[0] is cells and list(cells) == [cells]


def test_sizes_until_2017():
    op2.configure(version=2016)
    assert op2.Set(3).sizes == (3, 3, 3, 3)


@pytest.mark.parametrize("size", ["7", 2.5, (1, 2), (1, 2.5, 3), True])
def test_sizes_that_are_refused(size):
    with pytest.raises(op2.SizeTypeError, match="the size of a set"):
        op2.Set(size)


def test_algebra_of_sets():
    cells = op2.Set(8, "cells")
    a, b = cells([0, 1, 2, 5]), cells(2, 5, 7)
    assert a.union(b).indices.tolist() == [0, 1, 2, 5, 7]
    assert a.intersection(b).indices.tolist() == [2, 5]
    assert a.difference(b).indices.tolist() == [0, 1]
    assert a.symmetric_difference(b).indices.tolist() == [0, 1, 7]
    assert cells.difference(a).indices.tolist() == [3, 4, 6, 7]
    assert cells.symmetric_difference(a).indices.tolist() == [3, 4, 6, 7]
    assert cells.intersection(a) is a and a.intersection(cells) is a
    assert cells.union(a) is cells and a.union(cells) is cells
    nested = op2.Subset(a, [1, 3])
    assert nested.indices.tolist() == [1, 5] and nested.superset is cells
    assert op2.Subset(cells, [3, 1, 3]).indices.tolist() == [1, 3]
    assert op2.Subset(cells, []).size == 0
    with pytest.raises(TypeError, match="not of one set"):
        a.union(op2.Set(8)([1]))
    with pytest.raises(op2.SubsetIndexOutOfBounds, match="8 is none of them"):
        cells([8])


def test_what_is_refused_by_name():
    cells = op2.Set(2)
    with pytest.raises(NotImplementedError, match="extruded"):
        op2.ExtrudedSet(cells, layers=3)
    with pytest.raises(NotImplementedError, match="offset"):
        op2.Map(cells, cells, 1, [0, 1], offset=[1])
    with pytest.raises(NotImplementedError, match="halo="):
        op2.Set(2, halo=object())
    with pytest.raises(NotImplementedError, match="subset"):
        op2.Dat(cells([0]) ** 1)
    with pytest.raises(NotImplementedError, match="cpp"):
        op2.Kernel("void k(double *x) {}", "k", cpp=True)


def test_maps():
    cells, nodes = op2.Set(2, "cells"), op2.Set(4, "nodes")
    corners = op2.Map(cells, nodes, 3, [0, 1, 2, 1, 2, 3], "corners")
    turned = op2.PermutedMap(corners, [2, 0, 1])
    swapped = op2.ComposedMap(corners, op2.Map(cells, cells, 1, [1, 0]))
    assert corners.values.tolist() == [[0, 1, 2], [1, 2, 3]] and corners.arity == 3
    assert turned.values.tolist() == [[2, 0, 1], [3, 1, 2]]
    assert swapped.values.tolist() == [[1, 2, 3], [0, 1, 2]]
    assert swapped.iterset is cells and swapped.toset is nodes
    mixed = op2.MixedMap([corners, op2.Map(cells, cells, 1, [0, 1])])
    assert (mixed.arity, mixed.arities, mixed.arange) == (4, (3, 1), (0, 3, 4))
    assert mixed == op2.MixedMap(list(mixed)) and len(mixed) == 2


def test_maps_that_are_refused():
    cells, nodes = op2.Set(2), op2.Set(4)
    one = op2.Map(cells, nodes, 1, [0, 1])
    for error, make in [
            (op2.SetTypeError, lambda: op2.Map("cells", nodes, 1, [0, 1])),
            (op2.SetTypeError, lambda: op2.Map(cells, None, 1, [0, 1])),
            (op2.ArityTypeError, lambda: op2.Map(cells, nodes, 1.5, [0, 1])),
            (op2.DataValueError, lambda: op2.Map(cells, nodes, 1, [0])),
            (op2.DataValueError, lambda: op2.Map(cells, nodes, 1, "01")),
            (op2.NameTypeError, lambda: op2.Map(cells, nodes, 1, [0, 1], name=2)),
            (op2.IndexValueError, lambda: one[1]),
            (op2.IndexTypeError, lambda: one["0"]),
            (op2.IndexValueError, lambda: op2.i[2]),
            (op2.MapValueError, lambda: op2.PermutedMap(one, [1])),
            (op2.MapValueError, lambda: op2.ComposedMap(one, one)),
            (op2.MapTypeError, lambda: op2.MixedMap([one, "none"]))]:
        with pytest.raises(error):
            make()


def test_data_sets():
    cells = op2.Set(3, "cells")
    assert cells ** 2 is op2.DataSet(cells, 2) and op2.DataSet(cells, 2) in cells
    assert ((cells ** (2, 3)).dim, (cells ** (2, 3)).cdim) == ((2, 3), 6)
    assert (cells ** 1).dim == (1,)
    mixed = op2.MixedDataSet([cells, op2.Set(2)], [2, 1])
    assert (mixed.dim, mixed.cdim) == (((2,), (1,)), 3) and mixed[0] is cells ** 2
    assert mixed.set == op2.MixedSet([cells, mixed[1].set])
    for dim in ("2", 1.5, (1, "2")):
        with pytest.raises(op2.DimTypeError):
            op2.DataSet(cells, dim)
    with pytest.raises(op2.SetTypeError):
        op2.DataSet(None, 1)
    with pytest.raises(ValueError, match="3 dims for 2 sets"):
        op2.MixedDataSet([cells, cells], [1, 2, 3])


def test_mixed_sets():
    a, b = op2.Set((1, 2, 3)), op2.Set(4)
    mixed = op2.MixedSet([a, b])
    assert (mixed.core_size, mixed.size, mixed.total_size) == (5, 6, 7)
    assert mixed.sizes == (5, 6, 7) and mixed.split == (a, b)
    assert op2.MixedSet(mixed) == mixed and hash(op2.MixedSet([a, b])) == hash(mixed)
    assert op2.MixedSet([a]) != mixed
    assert (mixed ** 2).dim == ((2,), (2,))
    with pytest.raises(op2.SetTypeError):
        op2.MixedSet(["a"])


def test_values_of_dats():
    cells = op2.Set(3)
    x = op2.Dat(cells ** 2, range(6), np.float64, "x")
    assert x.data_ro.tolist() == [[0, 1], [2, 3], [4, 5]] and x.shape == (3, 2)
    assert (x.cdim, x.dim, x.nbytes, x.name) == (2, (2,), 48, "x")
    view = x.data
    view[0] = 7
    x.data[2, 1] = 8
    assert x.data_ro.tolist() == [[7, 7], [2, 3], [4, 8]]
    with pytest.raises(ValueError):
        view[0] = 1
    with pytest.raises(ValueError):
        x.data_ro[0] = 1
    assert op2.Dat(cells, [1, 2, 3]).dtype.kind == "i"
    assert op2.Dat(cells).data_ro.tolist() == [0, 0, 0]
    copied = op2.Dat(x)
    x.data[:] = 0
    assert copied.data_ro[0, 0] == 7


def test_halo_rows():
    cells = op2.Set((2, 3, 5))
    x = op2.Dat(cells, np.arange(5.0))
    assert x.data_ro.tolist() == [0, 1, 2]
    x.data_with_halos[4] = 9
    assert x.data_ro_with_halos.tolist() == [0, 1, 2, 3, 9]


def test_versions_of_dats():
    x, g = op2.Dat(op2.Set(2)), op2.Global(1)
    before = x.dat_version, g.dat_version
    x.data_ro, g.data_ro
    assert (x.dat_version, g.dat_version) == before
    x.data[0] = 1
    x += 1
    g.data = 3
    assert x.dat_version > before[0] and g.dat_version > before[1]


def test_dats_that_are_refused():
    cells = op2.Set(3)
    x = op2.Dat(cells)
    for error, make in [
            (op2.DataSetTypeError, lambda: op2.Dat("cells")),
            (op2.DataValueError, lambda: op2.Dat(cells, [1, 2])),
            (op2.DataValueError, lambda: op2.Dat(cells, ["a", "b", "c"], float)),
            (op2.DataTypeError, lambda: op2.Dat(cells, dtype="nothing")),
            (op2.DataTypeError, lambda: op2.Dat(cells, dtype=complex)),
            (op2.NameTypeError, lambda: op2.Dat(cells, name=3)),
            (op2.ModeValueError, lambda: x("READ")),
            (op2.ModeValueError, lambda: op2.Global(1)(op2.RW)),
            (op2.MapValueError, lambda: x(op2.READ, op2.Map(cells, op2.Set(1), 1, [0] * 3))),
            (op2.IndexValueError, lambda: x[1]),
            (op2.DataValueError, lambda: op2.MixedDat([x, op2.Dat(cells, dtype=int)])),
            (op2.DataSetTypeError, lambda: op2.MixedDat("x")),
            (TypeError, lambda: x + "1"),
            (ValueError, lambda: x + op2.Dat(op2.Set(3))),
            (ValueError, lambda: x.inner(op2.Dat(cells ** 2)))]:
        with pytest.raises(error):
            make()


def test_globals():
    g = op2.Global(2, [1, 2], np.float64, "g")
    assert (g.data_ro.tolist(), g.cdim, g.shape) == ([1, 2], 2, (2,))
    g.data[0] = 5
    g.data += 1
    assert g.data_ro.tolist() == [6, 3]
    lent = g.data
    lent[1] = 4
    assert (g + 1).data_ro.tolist() == [7, 5]
    with pytest.raises(ValueError):
        lent[1] = 9
    g.data = 2
    assert (2 * g - op2.Global(2, [1, 0], float)).data_ro.tolist() == [3, 4]
    assert (g.inner(g), (1 - g / 2).data_ro.tolist(), (-g).data_ro[0]) == (8, [0, 0], -2)
    assert op2.Global(1, 2.5).norm == 2.5 and float(op2.Global(1, 2.5)) == 2.5
    for wrong in ([1, 2, 3], "ab"):
        with pytest.raises(op2.DataValueError):
            op2.Global(2, wrong, float)


def test_read_only_globals():
    c, x = op2.Constant(1, 2.5), op2.Dat(op2.Set(2))
    op2.par_loop(op2.Kernel("void k(double *x, double *c) { *x = *c; }", "k"), x.dataset.set,
                 x(op2.WRITE), c(op2.READ))
    assert x.data_ro.tolist() == [2.5, 2.5]
    with pytest.raises(op2.ModeValueError):
        c(op2.INC)


def test_names_without_counterpart():
    with pytest.raises(AttributeError, match="no GlobalKernel: op2.ParLoop"):
        op2.GlobalKernel
    with pytest.raises(AttributeError, match="no attribute 'Nothing'"):
        op2.Nothing


def test_messages(caplog):
    op2.set_log_level("INFO")
    op2.info("step %d", 3)
    op2.debug("hidden")
    assert [record.getMessage() for record in caplog.records] == ["step 3"]


def test_constants():
    c = op2.Const(2, [1.0, 2.0], "pair_of_numbers")
    with pytest.raises(op2.Const.NonUniqueNameError):
        op2.Const(1, 1.0, "pair_of_numbers")
    x = op2.Dat(op2.Set(1))
    for expected in (3, 30):
        op2.par_loop(op2.Kernel("""
            void k(double *x) { *x = pair_of_numbers[0] + pair_of_numbers[1]; }""", "k"),
                     x.dataset.set, x(op2.WRITE))
        assert x.data_ro[0] == expected
        c.data = [10, 20]
    c.remove_from_namespace()
    assert op2.Const(1, 7, "pair_of_numbers").data.tolist() == [7]


def test_files(tmp_path):
    cells = op2.Set(3)
    x, y = op2.Dat(cells, [1.0, 2.0, 3.0]), op2.Dat(cells)
    x.save(str(tmp_path / "x"))
    y.load(str(tmp_path / "x"))
    assert y.data_ro.tolist() == [1, 2, 3]
    mixed, other = op2.MixedDat([x, y]), op2.MixedDat([cells, cells])
    mixed.save(str(tmp_path / "m"))
    other.load(str(tmp_path / "m"))
    assert other.data_ro[1].tolist() == [1, 2, 3]


def test_vectors_of_petsc():
    pytest.importorskip("petsc4py")
    try:
        from op2 import petsc  # noqa: F401
    except library.UnavailableError as error:
        pytest.skip(str(error))
    x = op2.Dat(op2.Set(2) ** 2, [1.0, 2.0, 3.0, 4.0])
    with x.vec as v:
        v.scale(2)
    with x.vec_ro as v:
        assert v.sum() == 20
    with x.vec_wo as v:
        v.set(3)
    assert x.data_ro.tolist() == [[3, 3], [3, 3]]


def test_contexts():
    first = op2.context()
    assert op2.initialised() and first.backend == "sequential"
    op2.init(log_level="INFO")
    with pytest.raises(RuntimeError, match="until exit"):
        op2.init(backend="openmp")
    with pytest.raises(op2.ConfigurationError, match="a year"):
        op2.configure(version=3)
    op2.exit()
    assert not op2.initialised()
    assert op2.Dat(op2.Set(1), 4.0).data_ro[0] == 4 and op2.context() is not first
