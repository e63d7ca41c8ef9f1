# SPDX-License-Identifier: BSD-3-Clause
"""Functions of Python among the loops."""
import gc
import threading

import numpy as np
import pytest

import op2

N = 50


@pytest.fixture
def x(context):
    return op2.Dat(op2.Set(context, N, "cells"), np.arange(N), dtype="f8", name="x")


def twice(x):
    op2.par_loop(op2.Kernel(x.context, "twice", "void twice(double *x) { *x *= 2; }"), x.set,
                 x(op2.RW))


def test_order(context, x):
    seen, total = [], op2.Global(context, 0.0)

    def look(array, number):
        seen.append((number, array[1]))

    def change(array, total):
        array += 100
        total[...] = array.sum()

    twice(x)
    op2.call(context, look, x(op2.READ), 1)
    twice(x)
    op2.call(context, look, x(op2.READ), 2)
    op2.call(context, change, x(op2.RW), total(op2.WRITE))
    twice(x)
    expected = 2 * (4 * np.arange(N) + 100)
    assert np.array_equal(x.get(), expected)
    assert total.value == expected.sum() / 2
    context.flush()
    assert seen == [(1, 2), (2, 4)]


def test_matrices(context):
    edges, nodes = op2.Set(context, 2), op2.Set(context, 3)
    ends = op2.Map(edges, nodes, [[0, 1], [1, 2]])
    A = op2.Mat(op2.Sparsity(ends), name="A")
    B = op2.Mat(A.sparsity, (1, 2), "f4", "B")
    ones = op2.ParLoop(op2.Kernel(context, "ones", "void ones(double a[2][2]) { for (int i = 0; "
                                  "i < 4; i++) a[i / 2][i % 2] += 1; }"), edges,
                       A(op2.INC, ends, ends))
    kept = []

    def double(a, b, factor):
        kept.append((a, b))
        assert a.starts.tolist() == [0, 2, 5, 7] and a.columns.tolist() == [0, 1, 0, 1, 2, 1, 2]
        assert a.values.tolist() == [1, 1, 1, 2, 1, 1, 1] and a.values.flags.writeable
        assert b.values.shape == (7, 1, 2) and b.values.dtype == np.float32
        assert not (a.starts.flags.writeable or b.columns.flags.writeable)
        a.values *= factor
        b.values = 7
        b.values[:, 0, 1] = a.columns

    def look(a):
        kept.append((a,))
        assert isinstance(a, op2.MatRows)
        with pytest.raises(ValueError):
            a.values *= 2

    ones.enqueue()
    op2.call(context, double, A(op2.RW), B(op2.WRITE), 3)
    op2.call(context, look, A(op2.READ))
    ones.enqueue()
    assert A.toarray().tolist() == [[4, 4, 0], [4, 8, 4], [0, 4, 4]]
    assert B.get()[:, 0].tolist() == [[7, column] for column in A.csr()[1]]
    context.flush()
    for rows in [rows for each in kept for rows in each]:
        assert not any(array.flags.writeable
                       for array in (rows.starts, rows.columns, rows.values))
    assert len(kept) == 2 and kept[1][0].values.tolist() == [3, 3, 3, 6, 3, 3, 3]


def test_matrices_without_rows(plain):
    nodes = op2.Set(plain, 0)
    A = op2.Mat(op2.Sparsity(op2.Map(nodes, nodes, np.zeros((0, 2), "i4"))))
    seen = []
    op2.call(plain, lambda a: seen.append([each.tolist() for each in (a.starts, a.columns,
                                                                      a.values)]), A(op2.RW))
    plain.flush()
    assert seen == [[[0], [], []]]


def test_arguments_of_loops_only(plain):
    nodes = op2.Set(plain, 2)
    ends = op2.Map(nodes, nodes, [[0, 1], [1, 0]])
    A = op2.Mat(op2.Sparsity(ends))
    x = op2.Dat(nodes, dim=2)
    for argument in (A(op2.INC, ends, ends), A(op2.INC), x.component(1)(op2.READ), op2.index(),
                     op2.map_index(ends), op2.opaque(np.zeros(1)), x(op2.READ, ends, 0),
                     op2.work(3)):
        with pytest.raises((op2.ArgumentError, op2.AccessError, op2.RangeError)):
            op2.call(plain, lambda array: None, argument)


def test_shapes_and_rights(plain):
    cells = op2.Set(plain, N)
    v = op2.Dat(cells, dim=(2, 2), dtype="f4")
    g, h = op2.Global(plain, [1, 2]), op2.Global(plain, 5)
    kept = []

    def function(v, g, h, single, several):
        assert v.shape == (N, 2, 2) and v.dtype == np.float32 and v.flags.writeable
        assert g.tolist() == [1, 2] and not g.flags.writeable
        assert h.shape == () and h == 5
        h += 1
        assert single.shape == () and single == 3.5 and not single.flags.writeable
        assert several.tolist() == [7, 8]
        v[:] = 1
        kept.extend((v, g, h, single, several))

    op2.call(plain, function, v(op2.WRITE), g(op2.READ), h(op2.RW), 3.5, [7, 8])
    assert h.value == 6 and v.get().sum() == 4 * N
    assert not any(array.flags.writeable for array in kept)
    del v, cells
    gc.collect()
    plain.flush()
    assert kept[0].sum() == 4 * N


def test_exceptions(host):
    context = host
    x = op2.Dat(op2.Set(context, N), np.ones(N), name="x")

    def fails(array):
        raise KeyError("no such thing")

    def skipped(array):
        raise AssertionError("cancelled calls do not run")

    with pytest.raises(op2.CallError) as caught:
        op2.call(context, fails, x(op2.RW))
        op2.call(context, skipped, x(op2.RW))
        x.get()
    assert isinstance(caught.value.__cause__, KeyError)
    assert caught.value.file == __file__ and "call 'fails'" in str(caught.value)
    x.set_values(1)
    assert x.get()[0] == 1
    context.flush()


def test_exits_are_passed_on(plain):
    x = op2.Dat(op2.Set(plain, N), name="x")
    op2.call(plain, lambda array: (_ for _ in ()).throw(KeyboardInterrupt), x(op2.READ))
    with pytest.raises(KeyboardInterrupt):
        plain.flush()


def test_garbage_inside(context):
    """Objects are given up, and collected in cycles, while functions run and loops are queued."""
    cells = op2.Set(context, N)
    total = op2.Dat(cells)
    heap = [op2.Dat(cells, np.full(N, i)) for i in range(6)]
    for each in heap:
        each.cycle = [each]

    def collect(array, x):
        heap.pop()
        array += x.sum() / N
        gc.collect()

    for i in range(6):
        op2.call(context, collect, total(op2.RW), op2.Dat(cells, np.full(N, 1.0))(op2.READ))
        gc.collect()
    assert total.get()[0] == 6
    context.flush()
    assert not heap and not context._calls


def test_the_context_is_closed_inside(plain):
    x = op2.Dat(op2.Set(plain, N))
    errors = []

    def function(array):
        for use in (plain.flush, x.get, plain.finalize, lambda: twice(x)):
            try:
                use()
            except op2.StateError as error:
                errors.append(error)

    op2.call(plain, function, x(op2.READ))
    plain.flush()
    assert len(errors) == 4 and plain.initialised


def test_other_threads_run_meanwhile(plain):
    """The function waits for a thread that needs the lock of Python, not the context's."""
    met = threading.Barrier(2, timeout=30)
    x = op2.Dat(op2.Set(plain, N))
    op2.call(plain, lambda array: met.wait(), x(op2.READ))
    other = threading.Thread(target=met.wait)
    other.start()
    plain.flush()
    other.join()
    assert not met.broken


def test_wrapped(plain):
    memory = np.ones(N)
    x = op2.Dat.wrap(op2.Set(plain, N), memory)
    shared = []

    def add(array):
        shared.append(np.shares_memory(array, memory))
        array += 1

    op2.call(plain, add, x(op2.RW))
    assert x.get()[0] == 2 and shared == [True]
