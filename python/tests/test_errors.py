# SPDX-License-Identifier: BSD-3-Clause
"""Failures as exceptions: their classes, and the line of Python that queued what failed."""
import inspect

import numpy as np
import pytest

import op2


def line():
    """The number of the line that calls this."""
    return inspect.currentframe().f_back.f_lineno


def test_classes():
    bases = {op2.ArgumentError: ValueError, op2.RangeError: ValueError,
             op2.NameValueError: ValueError, op2.MismatchError: ValueError,
             op2.AccessError: ValueError, op2.OptionError: ValueError,
             op2.KernelSyntaxError: ValueError, op2.DataTypeError: TypeError,
             op2.ArityError: TypeError, op2.NoMemoryError: MemoryError, op2.FileError: OSError,
             op2.StateError: RuntimeError, op2.DivergedError: ArithmeticError}
    for kind, base in bases.items():
        assert issubclass(kind, op2.Error) and issubclass(kind, base)


def test_every_status_has_a_class():
    from op2._native import ffi, lib
    for value, name in ffi.typeof("op2_status").elements.items():
        assert name == "OP2_SUCCESS" or name in op2.errors.CLASSES
        assert ffi.string(lib.op2_status_name(value)).decode() == name


def test_refused_calls(plain):
    cells, nodes = op2.Set(plain, 2, "cells"), op2.Set(plain, 3, "nodes")
    x, y = op2.Dat(cells, name="x"), op2.Dat(nodes, name="y")
    kernel = op2.Kernel(plain, "twice", "void twice(double *x) { *x *= 2; }")
    reader = op2.Kernel(plain, "reader", "void reader(const double *x) {}")
    cases = [
        (op2.ArgumentError, lambda: op2.Set(plain, -1)),
        (op2.ArgumentError, lambda: op2.Set(plain, [1, 2])),
        (op2.RangeError, lambda: op2.Map(cells, nodes, [[0, 1], [1, 3]])),
        (op2.MismatchError, lambda: op2.Map(cells, nodes, [[0, 1]])),
        (op2.DataTypeError, lambda: op2.Map(cells, nodes, [0.5, 1])),
        (op2.RangeError, lambda: op2.Map(cells, nodes, [2**40, 1])),
        (op2.DataTypeError, lambda: op2.Dat(cells, dtype="c16")),
        (op2.DataTypeError, lambda: op2.Dat(cells, [0.5, 1], dtype="i4")),
        (op2.RangeError, lambda: op2.Dat(cells, [300, 1], dtype="u1")),
        (op2.MismatchError, lambda: op2.Dat(cells, [1, 2, 3])),
        (op2.MismatchError, lambda: op2.Dat(cells, [1, 2], dim=2)),
        (op2.MismatchError, lambda: x.set_values([1, 2, 3])),
        (op2.AccessError, lambda: op2.par_loop(reader, cells, x(op2.RW))),
        (op2.MismatchError, lambda: op2.par_loop(kernel, cells, y(op2.RW))),
        (op2.ArityError, lambda: op2.par_loop(kernel, cells)),
        (op2.ArityError, lambda: op2.par_loop(kernel, cells, x(op2.RW), x(op2.RW))),
        (op2.ArgumentError, lambda: op2.par_loop(kernel, cells, x)),
        (op2.ArgumentError, lambda: op2.par_loop(x, cells, x(op2.RW))),
        (op2.ArgumentError, lambda: op2.par_loop(kernel, x, x(op2.RW))),
        (op2.KernelSyntaxError, lambda: op2.Kernel(plain, "f", "void g(double *x) {}")),
        (op2.NameValueError, lambda: op2.Constant(plain, "while", 1)),
        (op2.OptionError, lambda: op2.Context("sequential", threads=-1)),
        (op2.OptionError, lambda: op2.Context("sequential", colour=1)),
        (op2.OptionError, lambda: op2.Context("abacus")),
    ]
    for kind, call in cases:
        with pytest.raises(kind):
            call()
    assert plain.queued == 0


def test_where_a_call_was_refused(plain):
    cells = op2.Set(plain, 2, "cells")
    x = op2.Dat(cells, name="x")
    kernel = op2.Kernel(plain, "read", "void read(const float *x) {}")
    with pytest.raises(op2.DataTypeError) as caught:
        queued = line() + 1
        op2.par_loop(kernel, cells, x(op2.READ))
    error = caught.value
    assert (error.file, error.argument, error.object) == (__file__, 0, "x")
    assert error.line == queued
    assert error.status == "OP2_ERR_TYPE" and f"{__file__}:{error.line}" in str(error)


def test_where_a_loop_was_queued(context):
    cells = op2.Set(context, 2, "cells")
    x, y = op2.Dat(cells, name="x"), op2.Dat(cells, [1.0, 2.0], name="y")
    text = """
      void broken(double *x) {
        *x = nowhere(*x);
      }
    """
    here = line() - 3
    broken = op2.Kernel(context, "broken", text)
    good = op2.Kernel(context, "twice", "void twice(double *x) { *x *= 2; }")
    doubled = 1
    with pytest.raises(op2.CompileError) as caught:
        queued = line() + 1
        op2.par_loop(broken, cells, x(op2.RW))
        op2.par_loop(good, cells, y(op2.RW))
        doubled = 2  # lazy contexts come here
        x.get()
    error = caught.value
    assert (error.file, error.line) == (__file__, queued)
    assert str(error).startswith(f"{__file__}:{queued}: loop 'broken' over 'cells'")
    assert "nowhere" in str(error)
    assert f"{__file__}:{here}" in str(error)
    with pytest.raises(op2.CompileError):
        x.get()
    x.set_values(4)
    assert x.get().tolist() == [4, 4]
    assert y.get().tolist() == [doubled, 2 * doubled]


def test_failures_are_not_lost():
    context = op2.Context("sequential", eager=False)
    cells = op2.Set(context, 2)
    broken = op2.Kernel(context, "broken", "void broken(double *x) { *x = nowhere(*x); }")
    op2.par_loop(broken, cells, op2.Dat(cells)(op2.RW))
    with pytest.raises(op2.CompileError):
        context.finalize()
    assert not context.initialised
    context.finalize()


def test_the_checked_mode():
    with op2.Context("check", eager=False) as context:
        cells = op2.Set(context, 2, "cells")
        x = op2.Dat(cells, name="x")
        kernel = op2.Kernel(context, "liar", "void liar(double *x) { *x += 1; }")
        op2.par_loop(kernel, cells, x(op2.WRITE))
        with pytest.raises(op2.KernelError, match="dat 'x', OP2_WRITE"):
            context.flush()


def test_ended_contexts_and_objects(plain):
    cells = op2.Set(plain, 2)
    x = op2.Dat(cells, np.ones(2))
    x.destroy()
    x.destroy()
    with pytest.raises(op2.ArgumentError):
        x.get()
    context = op2.Context("sequential")
    cells = op2.Set(context, 2)
    x = op2.Dat(cells)
    context.finalize()
    for use in (x.get, lambda: x.data, lambda: op2.Set(context, 1), context.flush):
        with pytest.raises(op2.Error):
            use()
    assert repr(context) == "<op2.Context ended>"


def test_the_error_of_a_block_is_kept(capfd):
    with pytest.raises(ZeroDivisionError):
        with op2.Context("sequential", eager=False) as context:
            cells = op2.Set(context, 2)
            broken = op2.Kernel(context, "broken", "void broken(double *x) { *x = nowhere(*x); }")
            op2.par_loop(broken, cells, op2.Dat(cells)(op2.RW))
            raise ZeroDivisionError
    assert "op2: " in capfd.readouterr().err
