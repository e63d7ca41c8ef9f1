# SPDX-License-Identifier: BSD-3-Clause
"""Files of HDF5."""
import gc

import numpy as np
import pytest

import op2


@pytest.fixture
def path(tmp_path, plain):
    try:
        op2.File(plain, tmp_path / "empty.h5", "w").close()
    except op2.UnavailableError as error:
        pytest.skip(str(error))
    return tmp_path / "mesh.h5"


def test_round_trip(plain, path):
    cells, nodes = op2.Set(plain, 2, "cells"), op2.Set(plain, 4, "nodes")
    corners = op2.Map(cells, nodes, [[0, 1, 2], [1, 2, 3]], "corners")
    x = op2.Dat(nodes, np.arange(8).reshape(4, 2), dtype="f4", name="x")
    with op2.File(plain, path, "w") as file:
        for each in (cells, nodes, corners, x):
            file.write(each)
        x.data[:] += 1
        file.write(x, "later")
        file.write_values("gamma", [1.5, 2.5])
    with op2.File(plain, str(path)) as file:
        assert file.shape("corners") == (2, 3, np.dtype("i4"))
        cells, nodes = file.read_set("cells"), file.read_set("nodes")
        corners = file.read_map(cells, nodes, "corners")
        x, later = file.read_dat(nodes, "x"), file.read_dat(nodes, "later")
        assert file.read_values("gamma").tolist() == [1.5, 2.5]
        assert file.read_rows("corners", 1, 1).tolist() == [[1, 2, 3]]
        assert "x" in file and "z" not in file
        assert file.read_set_of_rows("later", "points").size == 4
    assert (cells.size, nodes.size, corners.arity) == (2, 4, 3)
    assert x.dtype == np.float32 and np.array_equal(later.get(), x.get() + 1)
    seen = op2.Dat(cells, dim=3, dtype="i4")
    op2.par_loop(op2.Kernel(plain, "see", "void see(const int *e, int *x) "
                            "{ for (int i = 0; i < 3; i++) x[i] = e[i]; }"),
                 cells, op2.map_index(corners), seen(op2.WRITE))
    assert seen.get().tolist() == [[0, 1, 2], [1, 2, 3]]
    with op2.File(plain, path, "a") as file:
        x.fill(9)
        file.update(x)
    with op2.File(plain, path) as file:
        assert (file.read_dat(nodes, "x").get() == 9).all()


def test_maps_that_lead_nowhere(plain, path):
    cells = op2.Set(plain, 2, "cells")
    with op2.File(plain, path, "w") as file:
        file.write(cells)
        file.write(op2.Map(cells, cells, [[1, -1], [-1, -1]], "near", partial=True))
    with op2.File(plain, path) as file:
        with pytest.raises(op2.Error, match="entry -1 at row 0, column 1"):
            file.read_map(cells, cells, "near")
        near = file.read_map(cells, cells, "near", partial=True)
        assert near.values.tolist() == [[1, -1], [-1, -1]]


def test_whole_contexts(path):
    with op2.Context("sequential") as context:
        cells = op2.Set(context, 3, "cells")
        x = op2.Dat(cells, name="x")
        x.data[:] = [1, 2, 3]
        kept = [op2.Constant(context, "gamma_air", 1.4), op2.Global(context, [7, 8], name="least"),
                op2.Map(cells, cells, [1, 2, 0], "corners"), cells.subset([2, 0], "ends")]
        op2.dump(context, path)
        kept.clear()
        with op2.File(context, path) as file:
            assert file.read_dat(cells, "x").get().tolist() == [1, 2, 3]
    with op2.Context("sequential") as context, op2.File(context, path) as file:
        found = file.read_all()
        assert sorted(found) == ["cells", "corners", "ends", "gamma_air", "least", "x"]
        assert found["x"].set is found["cells"] and found["x"].get().tolist() == [1, 2, 3]
        assert found["corners"].source is found["corners"].target is found["cells"]
        assert found["corners"].values.tolist() == [[1], [2], [0]]
        assert found["ends"].base is found["cells"] and found["ends"].indices.tolist() == [0, 2]
        assert isinstance(found["ends"], op2.Subset) and not isinstance(found["cells"], op2.Subset)
        assert found["gamma_air"].value == 1.4 and found["least"].value.tolist() == [7, 8]


def test_matrices(path):
    with op2.Context("sequential") as context:
        edges, nodes = op2.Set(context, 2, "edges"), op2.Set(context, 3, "nodes")
        ends = op2.Map(edges, nodes, [[0, 1], [1, 2]], "ends")
        first = op2.Map(edges, nodes, [0, 1], "first")
        pattern = op2.Sparsity([(ends, ends), (first, ends)], "pattern")
        A, B = op2.Mat(pattern, name="A"), op2.Mat(pattern, (1, 2), "f4", "B")
        A.set_values([0, 1, 2], [1, 1, 2], [2.0, 3.0, 4.0])
        B.set_values([1], [2], [[5.0, 6.0]])
        dense = A.toarray(), B.toarray()
        op2.dump(context, path)
    with op2.Context("sequential") as context, op2.File(context, path) as file:
        with pytest.raises(op2.StateError, match="op2_file_read_all"):
            file.read_matrices()
        assert sorted(file.read_all()) == ["edges", "ends", "first", "nodes"]
        gc.collect()
        found = file.read_matrices()
        assert sorted(found) == ["A", "B", "pattern"]
        A, B, pattern = found["A"], found["B"], found["pattern"]
        assert A.sparsity is pattern and B.sparsity is pattern and B.block == (1, 2)
        ends, first = pattern.pairs[0][0], pattern.pairs[1][0]
        assert (ends.name, first.name, pattern.pairs[1][1]) == ("ends", "first", ends)
        assert np.array_equal(A.toarray(), dense[0]) and np.array_equal(B.toarray(), dense[1])
        ones = op2.Kernel(context, "ones", "void ones(double a[2][2]) { a[0][1] += 1; }")
        op2.par_loop(ones, ends.source, A(op2.INC, ends, ends))
        dense[0][[0, 1], [1, 2]] += 1
        assert np.array_equal(A.toarray(), dense[0])


def test_failures(plain, path):
    with pytest.raises(OSError):
        op2.File(plain, path)
    with pytest.raises(op2.OptionError):
        op2.File(plain, path, "x")
    with op2.File(plain, path, "w") as file:
        with pytest.raises(op2.ArgumentError):
            file.write(7)
    with pytest.raises(op2.ArgumentError):
        file.write(op2.Set(plain, 1, "cells"))
    with op2.File(plain, path) as file:
        with pytest.raises(op2.FileError, match="nowhere"):
            file.read_set("nowhere")


def test_files_that_are_not_closed(plain, path):
    file = op2.File(plain, path, "w")
    with pytest.warns(ResourceWarning):
        del file
        gc.collect()
    assert not path.exists()
