# SPDX-License-Identifier: BSD-3-Clause
"""Access scopes of dats and globals, and the arrays that show their memory."""
from __future__ import annotations

import weakref
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Dict, Iterator, Tuple, Union

import numpy as np

from ._native import ffi, lib

if TYPE_CHECKING:
    from .values import Dat, Global


class Scope:
    """An open scope of a dat or global.

    Its arrays hold the memory that they show, so that they may outlive the scope and the object.
    The memory of a global cannot be held, so its array is a copy, which goes back at the end of the
    scope. Then arrays become read-only.
    """

    def __init__(self, source: Union["Dat", "Global"], writes: bool):
        name = f"op2_{source._kind}_{'write' if writes else 'read'}"
        self._writes, self._holds = writes, source._kind == "dat"
        self._end = getattr(lib, name + "_end")
        self._data = ffi.new("void **" if writes else "const void **")
        self._context, self._p = source.context, source._p
        self._dtype, self._shape, self._wrapped = source.dtype, source._shape, source._keeps
        self._views: Dict[Tuple[int, ...], "weakref.ref[np.ndarray]"] = {}
        self._copy: Any = None
        self._context._call(getattr(lib, name + "_begin"), source._p, self._data)
        try:
            self._context._raise_from_monitors()
        except BaseException:
            self.end()  # nobody else could
            raise

    def view(self, rows: Tuple[int, ...]) -> np.ndarray:
        """An array of the values of the first so many elements, or of a global."""
        known = self._views.get(rows, lambda: None)()
        if known is not None:
            return known
        made = self._array(rows + self._shape)
        made.flags.writeable = self._writes
        self._views[rows] = weakref.ref(made)
        return made

    def _array(self, shape: Tuple[int, ...]) -> np.ndarray:
        if 0 in shape or self._data[0] == ffi.NULL:
            return np.empty(shape, self._dtype)
        if self._wrapped is not None:
            return (self._wrapped[:shape[0]] if self._holds else self._wrapped).view()
        size = int(np.prod(shape)) * self._dtype.itemsize
        if not self._holds:
            self._copy = bytearray(ffi.buffer(self._data[0], size))
            return np.frombuffer(self._copy, self._dtype).reshape(shape)
        held = ffi.gc(lib.op2_dat_hold(self._p), lib.op2_python_release)
        return np.frombuffer(ffi.buffer(held, size), self._dtype).reshape(shape)

    def end(self) -> None:
        """End the scope, unless it has ended."""
        if self._data[0] == ffi.NULL:
            return
        for reference in self._views.values():
            array: Any = reference()
            if array is not None:
                array.flags.writeable = False
        if self._writes and self._copy is not None:
            ffi.memmove(self._data[0], self._copy, len(self._copy))
        self._context._do(self._end, self._p, self._data)


@contextmanager
def scope(source: Union["Dat", "Global"], writes: bool,
          rows: Tuple[int, ...] = ()) -> Iterator[np.ndarray]:
    """An open scope as a context manager, whose value is a view."""
    source._settle()
    made = Scope(source, writes)
    try:
        yield made.view(rows)
    finally:
        made.end()
