# SPDX-License-Identifier: BSD-3-Clause
"""Functions of Python that run in order among the loops."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable, List, Optional, Sequence, Tuple, Union

import numpy as np

from ._native import ffi, lib
from ._object import DTYPES
from ._place import where
from .arguments import Arg, prepare
from .enums import Access
from .matrices import Mat
from .values import Dat, Global

if TYPE_CHECKING:
    from .context import Context


class MatRows:
    """The rows of a matrix that this rank owns, as a function of a call gets them: compressed, in
    the order of Sparsity.get()."""

    def __init__(self, starts: np.ndarray, columns: np.ndarray, values: np.ndarray):
        #: Where the nonzeros of each row start, and the number of all of them.
        self.starts = starts
        #: The column of each nonzero, as the global number of an element.
        self.columns = columns
        self._values = values

    @property
    def values(self) -> np.ndarray:
        """A value for each nonzero, or a block of values as Mat.get() has them. Assignment changes
        the values in this array."""
        return self._values

    @values.setter
    def values(self, given: Any) -> None:
        self._values[...] = given


def call(context: "Context", function: Callable[..., Any], *arguments: Any) -> None:
    """Queue a call of a function of Python, with an array of NumPy for each argument.

    It runs behind the loops that make what it reads, and before those that would overwrite it. A
    dat in READ, WRITE or RW is an array of all its rows, halo included; a global in these modes is
    an array as well; values are copied when the call is queued. A matrix in these modes is an
    op2.MatRows, three arrays that are copies: `starts`, `columns` and `values`. The values go back
    into the matrix after the call if its mode writes; in WRITE the function overwrites all of them.
    Arrays in READ cannot be written, nor can `starts` and `columns`. After the call none can. An
    exception that the function raises is the cause of the CallError that is raised where results of
    the call are needed.

    >>> import op2
    >>> with op2.Context("sequential") as context:
    ...     cells = op2.Set(context, 3)
    ...     x, y = op2.Dat(cells, [1.0, 2.0, 3.0]), op2.Dat(cells)
    ...     def cumulate(x, y, start):
    ...         y[:] = start + x.cumsum()
    ...     op2.call(context, cumulate, x(op2.READ), y(op2.WRITE), 10)
    ...     y.get()
    array([11., 13., 16.])
    """
    made, kept = prepare(arguments)
    queued = _Call(context, function, kept)
    name = getattr(function, "__name__", type(function).__name__).encode()
    try:
        context._do(lib.op2_call_at, queued.place, name, context._p, lib.op2_python_call,
                    queued.handle, len(kept), made)
    finally:
        context._keep_call(queued)


class _Call:
    """A call that was queued. It is kept until it has run."""

    def __init__(self, context: "Context", function: Callable[..., Any], kept: Sequence[Arg]):
        self.context, self.function, self.arguments = context, function, kept
        self.place = where()
        self.extents = [_extent(argument) for argument in kept]
        self.handle = ffi.new_handle(self)
        #: True if it has run. One that was cancelled never does.
        self.done = False

    def run(self, values: Any) -> int:
        context = self.context
        context._inside_call += 1
        lent: List[Union[_Lent, _LentRows]] = []
        try:
            for i, argument in enumerate(self.arguments):
                extent = self.extents[i]
                lent.append(_Lent(argument, *extent, values[i]) if extent else
                            _LentRows(argument, values[i]))
            self.function(*[each.given for each in lent])
        except BaseException as error:
            context._fails(self.place, error)
            return 1
        finally:
            for each in lent:
                each.end()
            context._inside_call -= 1
            self.done = True
        return 0


@ffi.def_extern(error=1)
def op2_python_call(data: Any, values: Any) -> int:
    """The function of all calls."""
    return ffi.from_handle(data).run(values)


def _extent(argument: Arg) -> Optional[Tuple[np.dtype, Tuple[int, ...]]]:
    """The type and shape of an argument's array. Inside the call sets do not answer, but a matrix
    says itself what it has. For arguments that the library refuses in calls there is none."""
    source = argument.source
    if isinstance(source, Dat):
        return source.dtype, source._rows(True) + source._shape
    if isinstance(source, Global):
        return source.dtype, source._shape
    if source is None and isinstance(argument.kept, np.ndarray):
        return argument.kept.dtype, argument.kept.shape
    return None


class _Lent:
    """An argument of a call that runs, as an array."""

    def __init__(self, argument: Arg, dtype: np.dtype, shape: Tuple[int, ...], memory: Any):
        self._copy_back: Any = None
        size = int(np.prod(shape, dtype=int)) * dtype.itemsize
        self.given = self._memory(argument.source, memory, size, dtype).reshape(shape)
        if argument._c.access == Access.READ:
            self._copy_back = None
            self.given.flags.writeable = False

    def _memory(self, source: Any, memory: Any, size: int, dtype: np.dtype) -> np.ndarray:
        """The values in memory that may outlive the call."""
        if not size:
            return np.empty(0, dtype)
        if isinstance(source, Dat):
            if source._keeps is not None and source._keeps.ctypes.data == _address(memory):
                return source._keeps.reshape(-1).view()
            held = lib.op2_dat_hold(source._p)
            if held != ffi.NULL:
                held = ffi.gc(held, lib.op2_python_release)
                if _address(held) == _address(memory):
                    return np.frombuffer(ffi.buffer(held, size), dtype)
        self._copy_back = ffi.buffer(memory, size)
        return np.frombuffer(bytearray(ffi.buffer(memory, size)), dtype)

    def end(self) -> None:
        if self._copy_back is not None:
            self._copy_back[:] = self.given.tobytes()
        self.given.flags.writeable = False


class _LentRows:
    """A matrix as an argument of a call that runs."""

    def __init__(self, argument: Arg, memory: Any):
        rows = ffi.cast("op2_mat_rows *", memory)
        starts = _numbers(rows.starts, rows.nrows + 1)
        count, block = int(starts[-1]), (rows.row_dim, rows.column_dim)
        shape = (count,) if block == (1, 1) else (count,) + block
        self._values = _Lent(argument, DTYPES[rows.type], shape, rows.values)
        #: What the function gets.
        self.given = MatRows(starts, _numbers(rows.columns, count), self._values.given)

    def end(self) -> None:
        self._values.end()


def _numbers(memory: Any, count: int) -> np.ndarray:
    """A copy of numbers in memory, which cannot be written."""
    return np.frombuffer(bytes(ffi.buffer(memory, 8 * count)), "i8")


def _address(pointer: Any) -> int:
    return int(ffi.cast("uintptr_t", pointer))
