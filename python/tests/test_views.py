# SPDX-License-Identifier: BSD-3-Clause
"""Views of dats: scopes, when arrays become read-only, and memory that outlives objects."""
import gc

import numpy as np
import pytest

import op2

N = 1000


def doubled(context, x):
    op2.par_loop(op2.Kernel(context, "twice", "void twice(double *x) { *x *= 2; }"), x.set,
                 x(op2.RW))


def test_scopes(context):
    cells = op2.Set(context, N)
    x = op2.Dat(cells, np.arange(N), dtype="f8", name="x")
    with x.write() as array:
        assert array.shape == (N,) and array.flags.writeable
        array[0] = 5
        with pytest.raises(op2.StateError):
            doubled(context, x)
    assert not array.flags.writeable
    doubled(context, x)
    with x.read() as array:
        assert not array.flags.writeable and array[0] == 10 and array[1] == 2
        with pytest.raises(ValueError):
            array[0] = 1
        with x.read() as again:
            assert again[0] == 10
        with pytest.raises(op2.StateError):
            doubled(context, x)
    doubled(context, x)
    assert x.get()[0] == 20


def test_data_until_something_newer(context):
    cells = op2.Set(context, N)
    x, y = op2.Dat(cells, dim=2, name="x"), op2.Dat(cells, name="y")
    array, other = x.data, y.data
    assert x.data is array and array.shape == (N, 2)
    array[3] = [1, 2]
    other[:] = 3
    doubled_y = op2.ParLoop(op2.Kernel(context, "twice", "void twice(double *x) { *x *= 2; }"),
                            cells, y(op2.RW))
    doubled_y.enqueue()
    assert array.flags.writeable and not other.flags.writeable
    with pytest.raises(ValueError):
        other[0] = 1
    assert y.data_ro[0] == 6 and y.data[1] == 6
    for use in (x.get, lambda: x.set_values(x.data), lambda: x.data_ro,
                lambda: x.read().__enter__()):
        array = x.data
        use()
        assert not array.flags.writeable
        gc.collect()
    assert x.get()[3].tolist() == [1, 2]


def test_all_scopes_end_with_the_context():
    context = op2.Context("sequential")
    x = op2.Dat(op2.Set(context, N), name="x")
    array = x.data
    array[:] = 7
    context.finalize()
    assert not array.flags.writeable and array.sum() == 7 * N


def test_shapes(plain):
    cells = op2.Set(plain, 4)
    for dim, shape in ((None, (4,)), (1, (4,)), (3, (4, 3)), ((2, 2), (4, 2, 2)), ((1,), (4, 1))):
        x = op2.Dat(cells, dim=dim)
        assert x.shape == x.get().shape == x.data.shape == x.data_ro.shape == shape
        assert len(x) == 4
    x = op2.Dat(cells, np.arange(16).reshape(4, 2, 2))
    assert x.dim == 4 and x.dtype == np.int64
    assert np.array_equal(np.asarray(x), np.arange(16).reshape(4, 2, 2))
    assert np.asarray(x, "f4").dtype == np.float32
    x.set_values([[1, 2], [3, 4]])
    assert x.get()[2].tolist() == [[1, 2], [3, 4]]
    assert op2.Dat(op2.Set(plain, 0), dim=2).data.shape == (0, 2)
    assert op2.Global(plain, [[1, 2], [3, 4]]).value.tolist() == [[1, 2], [3, 4]]
    assert not op2.Dat(cells).allocated and x.allocated


def test_values_in_other_layouts(plain):
    cells = op2.Set(plain, 3)
    values = np.arange(6.0).reshape(2, 3).T
    assert np.array_equal(op2.Dat(cells, values).get(), values)
    assert np.array_equal(op2.Dat(cells, values.astype(">f8")).get(), values)
    assert np.array_equal(op2.Dat(cells, np.arange(6.0)[::2]).get(), [0, 2, 4])


@pytest.mark.parametrize("make", [lambda x: x.data, lambda x: x.data_ro,
                                  lambda x: x.read().__enter__()])
def test_arrays_outlive_everything(make):
    context = op2.Context("sequential")
    x = op2.Dat(op2.Set(context, 100_000), np.ones(100_000), name="x")
    array = make(x)
    part = array[5:]
    del x
    gc.collect()
    context.flush()
    context.finalize()
    del context, array
    gc.collect()
    assert part.sum() == 100_000 - 5


def test_wrapped(context):
    cells = op2.Set(context, N)
    memory = np.arange(N, dtype="f8")
    x = op2.Dat.wrap(cells, memory, "x")
    doubled(context, x)
    with x.read() as array:
        assert array[3] == 6
        assert np.shares_memory(array, memory)
    x.data[0] = 9
    doubled(context, x)
    del x
    gc.collect()
    context.flush()
    assert memory[0] == 18 and memory[3] == 12
    for bad in (memory[::2], [1.0] * N, np.frombuffer(bytes(8 * N))):
        with pytest.raises(op2.ArgumentError):
            op2.Dat.wrap(cells, bad)


@pytest.mark.parametrize("wrapped", [False, True], ids=["copied", "wrapped"])
def test_scopes_of_globals(context, wrapped):
    cells = op2.Set(context, N)
    memory = np.array([1.0, 2.0])
    g = op2.Global.wrap(context, memory, "g") if wrapped else op2.Global(context, memory, name="g")
    add = op2.Kernel(context, "add", "void add(double *g) { g[0] += 1; g[1] += 2; }")
    use = op2.Kernel(context, "use", "void use(const double *g, double *x) { *x = g[1]; }")
    x = op2.Dat(cells, name="x")
    op2.par_loop(add, cells, g(op2.INC))
    op2.par_loop(use, cells, g(op2.READ), x(op2.WRITE))
    with g.read() as array:
        assert array.tolist() == [1 + N, 2 + 2 * N] and not array.flags.writeable
        assert np.shares_memory(array, memory) == wrapped
        assert not wrapped or memory.tolist() == array.tolist()
        with g.read() as again:
            assert again.tolist() == array.tolist()
        for changed in (lambda: op2.par_loop(add, cells, g(op2.INC)), lambda: g.set_values(1)):
            with pytest.raises(op2.StateError):
                changed()
    with g.write() as array:
        array[1] = 7
        for used in (lambda: op2.par_loop(add, cells, g(op2.INC)), g.get):
            with pytest.raises(op2.StateError):
                used()
    assert not array.flags.writeable
    assert x.get().tolist() == [2 + 2 * N] * N
    op2.par_loop(use, cells, g(op2.READ), x(op2.WRITE))
    assert x.get().tolist() == [7] * N and g.value.tolist() == [1 + N, 7]


def test_memory_of_a_wrapped_global(context):
    """It has the values when the global has ended, and when the context has."""
    cells = op2.Set(context, N)
    add = op2.Kernel(context, "add", "void add(int64_t *g) { *g += 1; }", headers=["<stdint.h>"])
    memory = np.zeros((), "i8")
    g = op2.Global.wrap(context, memory)
    assert g.dim == 1 and g.value == 0
    op2.par_loop(add, cells, g(op2.INC))
    with pytest.raises(op2.ArgumentError):
        op2.Global.wrap(context, memory)
    del g
    gc.collect()
    context.flush()
    assert memory == N
    other = np.zeros(1, "i8")
    g = op2.Global.wrap(context, other)
    op2.par_loop(add, cells, g(op2.INC))
    context.finalize()
    assert other[0] == N
    for bad in ([1.0], np.arange(4.0)[::2], np.frombuffer(bytes(8))):
        with pytest.raises(op2.ArgumentError):
            op2.Global.wrap(context, bad)


def test_renumbered():
    try:
        with op2.Context("sequential") as context:
            nodes = op2.Set(context, N, "nodes")
            order = np.random.default_rng(1).permutation(N)
            pairs = np.stack([order, np.roll(order, 1)], axis=1)
            ring = op2.Map(nodes, nodes, pairs[np.argsort(order)])
            x = op2.Dat(nodes, np.arange(float(N)), name="x")
            array = x.data
            array[1] = 50
            ring.renumber()
            assert not array.flags.writeable
            doubled(context, x)
            expected = 2 * np.arange(float(N))
            expected[1] = 100
            with x.read() as seen:
                assert np.array_equal(seen, expected)
            with x.write() as seen:
                seen[2] = -1
            assert x.get()[2] == -1
            assert sorted(nodes.numbering) == list(range(N))
    except op2.UnavailableError as error:
        pytest.skip(str(error))


def test_halo_rows(plain):
    cells = op2.Set(plain, (1, 2, 3, 4))
    x = op2.Dat(cells, [1.0, 2.0, 3.0, 4.0])
    x.data_with_halo[3] = 7
    assert x.data.tolist() == [1, 2]
    assert x.data_ro_with_halo.tolist() == [1, 2, 3, 7]
    with pytest.raises(ValueError):
        x.data_ro_with_halo[0] = 1
