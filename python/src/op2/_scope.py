# SPDX-License-Identifier: BSD-3-Clause
"""Access scopes of dats, and the arrays that show their memory."""
from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, Any, Dict, Tuple

import numpy as np

from ._native import ffi, lib

if TYPE_CHECKING:
    from .values import Dat


class Scope:
    """An open scope of a dat.

    Its arrays hold the memory that they show, so that they may outlive the scope and the dat. At
    the end of the scope they become read-only.
    """

    def __init__(self, dat: "Dat", writes: bool):
        kind = "write" if writes else "read"
        self._writes = writes
        self._end = getattr(lib, f"op2_dat_{kind}_end")
        self._data = ffi.new("void **" if writes else "const void **")
        self._context, self._p = dat.context, dat._p
        self._dtype, self._shape, self._wrapped = dat.dtype, dat._shape, dat._keeps
        self._views: Dict[Tuple[int], "weakref.ref[np.ndarray]"] = {}
        self._context._do(getattr(lib, f"op2_dat_{kind}_begin"), dat._p, self._data)

    def view(self, rows: Tuple[int]) -> np.ndarray:
        """An array of the values of the first so many elements."""
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
            return self._wrapped[:shape[0]].view()
        held = ffi.gc(lib.op2_dat_hold(self._p), lib.op2_python_release)
        size = int(np.prod(shape)) * self._dtype.itemsize
        return np.frombuffer(ffi.buffer(held, size), self._dtype).reshape(shape)

    def end(self) -> None:
        """End the scope, unless it has ended."""
        if self._data[0] == ffi.NULL:
            return
        for reference in self._views.values():
            array: Any = reference()
            if array is not None:
                array.flags.writeable = False
        self._context._do(self._end, self._p, self._data)
