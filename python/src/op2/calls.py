# SPDX-License-Identifier: BSD-3-Clause
"""Functions of Python that run in order among the loops."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable, List, Sequence, Tuple

import numpy as np

from ._native import ffi, lib
from ._object import DTYPES
from ._place import where
from .arguments import Arg, prepare
from .enums import Access
from .values import Dat, Global

if TYPE_CHECKING:
    from .context import Context


def call(context: "Context", function: Callable[..., Any], *arguments: Any) -> None:
    """Queue a call of a function of Python, with an array of NumPy for each argument.

    It runs behind the loops that make what it reads, and before those that would overwrite it. A
    dat in READ, WRITE or RW is an array of all its rows, halo included; a global in these modes is
    an array as well; values are copied when the call is queued. Arrays in READ cannot be written.
    After the call none can. An exception that the function raises is the cause of the CallError
    that is raised where results of the call are needed.

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
    context._keep_call(queued)
    context._do(lib.op2_call_at, queued.place, name, context._p, lib.op2_python_call,
                queued.handle, len(kept), made)


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
        lent: List[_Lent] = []
        try:
            for i, argument in enumerate(self.arguments):
                lent.append(_Lent(argument, *self.extents[i], values[i]))
            self.function(*[each.array for each in lent])
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


def _extent(argument: Arg) -> Tuple[np.dtype, Tuple[int, ...]]:
    """The type and shape of an argument's array. Inside the call sets do not answer."""
    source = argument.source
    if isinstance(source, Dat):
        return source.dtype, source._rows(True) + source._shape
    if isinstance(source, Global):
        return source.dtype, source._shape
    return DTYPES[argument._c.type], np.shape(argument.kept)


class _Lent:
    """An argument of a call that runs, as an array."""

    def __init__(self, argument: Arg, dtype: np.dtype, shape: Tuple[int, ...], memory: Any):
        self._copy_back: Any = None
        size = int(np.prod(shape, dtype=int)) * dtype.itemsize
        self.array = self._memory(argument.source, memory, size, dtype).reshape(shape)
        if argument._c.access == Access.READ:
            self._copy_back = None
            self.array.flags.writeable = False

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
            self._copy_back[:] = self.array.tobytes()
        self.array.flags.writeable = False


def _address(pointer: Any) -> int:
    return int(ffi.cast("uintptr_t", pointer))
