# SPDX-License-Identifier: BSD-3-Clause
"""Values: dats on sets, globals of no set, and constants."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, ContextManager, Optional, Tuple, Union, cast

import numpy as np

from . import errors
from ._native import ffi, lib
from ._object import Object, name_of, numbers, pointer, type_of
from ._scope import Scope, scope
from .arguments import Arg
from .enums import DataState, Place
from .vectors import DatVector, Vector

if TYPE_CHECKING:
    from .context import Context
    from .enums import Access
    from .mesh import Map, Set

Shape = Union[int, Tuple[int, ...]]

_DOUBLE, _DOUBLES = np.dtype("f8"), ffi.typeof("double *")


class _Values(Object):
    """What dats, globals and constants share: values of one type in an array of some shape."""

    #: The type of the values.
    dtype: np.dtype
    #: The number of values, of a dat for each element.
    dim: int

    def _declare(self, values: Any, dim: Optional[Shape], dtype: Any,
                 rows: Tuple[int, ...]) -> Any:
        """Settle the shape and the type of what is made, and return its values for C."""
        if values is None:
            array = None
            self.dtype = np.dtype("f8" if dtype is None else dtype)
            type_of(self.dtype)
            self._shape = () if dim is None or dim == 1 else _extents(dim)
        else:
            array = numbers(values, dtype, self)
            self.dtype = array.dtype
            if array.shape[:len(rows)] != rows:
                raise errors.MismatchError(f"{self}: values of shape {array.shape}, and there are "
                                           f"{rows[0]} elements")
            self._shape = array.shape[len(rows):]
            if dim is not None and _extents(dim) != (self._shape or (1,)):
                raise errors.MismatchError(f"{self}: values of shape {self._shape} for each "
                                           f"element, and dim is {dim}")
        self.dim = int(np.prod(self._shape, dtype=int))
        return pointer(array)

    def _wrap(self, array: np.ndarray, rows: Tuple[int, ...], function: Any, owner: Any) -> None:
        """Make an object of the values in an array, which stay there."""
        if not isinstance(array, np.ndarray) or not array.flags.carray:
            raise errors.ArgumentError(f"{self}: only contiguous, aligned arrays that can be "
                                       "written are wrapped")
        data = self._declare(array, None, None, rows)
        self._keeps = array
        self._create(function, owner, self.dim, type_of(self.dtype), data, name_of(self.name))

    def _fitting(self, values: Any, rows: Tuple[int, ...]) -> np.ndarray:
        """Values as an array of this type and shape, to which they are broadcast."""
        array, shape = numbers(values, self.dtype, self), rows + self._shape
        try:
            return np.array(np.broadcast_to(array, shape), order="C")
        except ValueError:
            raise errors.MismatchError(f"{self}: values of shape {array.shape} do not fit into "
                                       f"{shape}") from None


class _OnSet(_Values):
    """What dats and components of dats share: loops take them, and values of owned elements can be
    copied out and in."""

    _kind = "dat"
    #: The set that the values are on.
    set: "Set"

    def component(self, first: int, count: int = 1) -> "Component":
        """A component of each element's values, or `count` of them that follow each other, as an
        argument of loops. Values in a shape are numbered as they are in memory, the last index
        first."""
        return Component(cast("Union[Dat, Component]", self), first, count)

    def __call__(self, access: "Access", map: Optional["Map"] = None,
                 slot: int = lib.OP2_ALL) -> Arg:
        """An argument of a loop: the element's own values or, through a map, those of the element
        in this slot, of all (ALL), or of all in one private buffer (PACKED, ITER())."""
        if map is None:
            return Arg(lib.op2_arg_direct(self._p, access), self)
        return Arg(lib.op2_arg_dat(self._p, slot, map._p, access), self, map)

    def _copy_out(self, function: Any, halo: bool) -> np.ndarray:
        self._settle()
        out = np.empty(self._rows(halo) + self._shape, self.dtype)
        self.context._do(function, self._p, ffi.cast("void *", out.ctypes.data))
        return out

    def _copy_in(self, function: Any, values: Any, halo: bool) -> None:
        self._settle()
        array = self._fitting(values, self._rows(halo))
        self.context._do(function, self._p, ffi.cast("void *", array.ctypes.data))

    def _rows(self, halo: bool) -> Tuple[int]:
        return (self.set.sections[3 if halo else 1],)

    @property
    def changes(self) -> int:
        """A number that grows with every modification of the dat; while it stays the same, so do
        the values. Queued loops count when they are queued."""
        return lib.op2_dat_changes(self._p)

    @property
    def shape(self) -> Tuple[int, ...]:
        """The shape of arrays of the values of owned elements."""
        return self._rows(False) + self._shape

    def __len__(self) -> int:
        return self.set.size

    def __bool__(self) -> bool:
        return True


class Dat(_OnSet, DatVector):
    """Values on each element of a set.

    `values` has a row for each element; without it all values are zero, and `dim` says how many
    each element has: a number, or a shape. Values are copied.

    >>> import numpy, op2
    >>> with op2.Context("sequential") as context:
    ...     cells = op2.Set(context, 2, "cells")
    ...     flow = op2.Dat(cells, [[1.0, 2.0], [3.0, 4.0]], name="flow")
    ...     with flow.write() as array:
    ...         array[0] *= 10
    ...     flow.dim, flow.dtype, flow.get()
    (2, dtype('float64'), array([[10., 20.],
           [ 3.,  4.]]))
    """

    _lent: Optional[Scope] = None

    def __init__(self, set: "Set", values: Any = None, dim: Optional[Shape] = None,
                 dtype: Any = None, name: Optional[str] = None):
        super().__init__(set.context, name)
        self.set = set
        data = self._declare(values, dim, dtype, (set.sections[3],))
        self._create(lib.op2_dat_create, set._p, self.dim, type_of(self.dtype), data,
                     name_of(name))

    @classmethod
    def wrap(cls, set: "Set", array: np.ndarray, name: Optional[str] = None) -> "Dat":
        """A dat whose values stay in this array, which the program uses only in scopes of the dat
        from now on: with read(), write(), data and data_ro."""
        self = cls.__new__(cls)
        Object.__init__(self, set.context, name)
        self.set = set
        self._wrap(array, (set.sections[3],), lib.op2_dat_wrap, set._p)
        return self

    @classmethod
    def _lend(cls, set: "Set", dim: int, dtype: Any, handle: Any) -> "Dat":
        """A dat that belongs to the library."""
        self = cls.__new__(cls)
        Object.__init__(self, set.context, "lent")
        self.set = set
        self._declare(None, dim, dtype, ())
        self._p = handle
        return self

    @classmethod
    def _made(cls, set: "Set", dim: int, dtype: Any, name: Optional[str], function: Any,
              *arguments: Any) -> "Dat":
        """A dat that another function than op2_dat_create() makes."""
        self = cls.__new__(cls)
        Object.__init__(self, set.context, name)
        self.set = set
        self._declare(None, dim, dtype, ())
        self._create(function, *arguments)
        return self

    # ---- copies ----

    def get(self, *, halo: bool = False) -> np.ndarray:
        """A copy of the values of owned elements; with `halo`, of all elements."""
        return self._copy_out(lib.op2_dat_get_halo if halo else lib.op2_dat_get, halo)

    def set_values(self, values: Any, *, halo: bool = False) -> None:
        """Overwrite the values of owned elements; with `halo`, of all elements."""
        self._copy_in(lib.op2_dat_set_halo if halo else lib.op2_dat_set, values, halo)

    def get_block(self, first: int, count: int) -> np.ndarray:
        """A copy of the values of `count` elements from global number `first` on, whichever rank
        owns them."""
        self._settle()
        out = np.empty((count,) + self._shape, self.dtype)
        self.context._do(lib.op2_dat_get_block, self._p, first, count,
                         ffi.cast("void *", out.ctypes.data))
        return out

    def set_block(self, first: int, values: Any) -> None:
        """Overwrite the values of elements from global number `first` on, whichever rank owns
        them."""
        self._settle()
        array = self._fitting(values, np.shape(values)[:1])
        self.context._do(lib.op2_dat_set_block, self._p, first, len(array),
                         ffi.cast("void *", array.ctypes.data))

    def __array__(self, dtype: Any = None, copy: Optional[bool] = None) -> np.ndarray:
        if copy is False:
            raise ValueError("an array of a dat is a copy; read() and data_ro are none")
        return self.get() if dtype is None else self.get().astype(dtype)

    # ---- views ----

    def read(self, *, halo: bool = False) -> ContextManager[np.ndarray]:
        """A scope with a view of the values, which cannot be written: of owned elements, or with
        `halo` of all. Inside it loops that change the dat are refused."""
        return scope(self, False, self._rows(halo))

    def write(self, *, halo: bool = False) -> ContextManager[np.ndarray]:
        """A scope with a view of the values, which can be written. Inside it loops that use the
        dat are refused; after it the view cannot be written any more."""
        return scope(self, True, self._rows(halo))

    @property
    def data(self) -> np.ndarray:
        """A view of the values of owned elements, which can be written until something that uses
        the dat is queued or asked for; from then on this array is read-only. Arrays that were made
        of it, such as parts of it, do not notice: what is written to them then is lost, or changes
        values while loops use them."""
        return self._lend_rows(False)

    @property
    def data_with_halo(self) -> np.ndarray:
        """As data, with the values of all elements."""
        return self._lend_rows(True)

    @property
    def data_ro(self) -> np.ndarray:
        """A view of the values of owned elements, which cannot be written. What it shows after
        later loops have run is not defined; get() copies."""
        with self.read() as view:
            return view

    @property
    def data_ro_with_halo(self) -> np.ndarray:
        """As data_ro, with the values of all elements."""
        with self.read(halo=True) as view:
            return view

    def _lend_rows(self, halo: bool) -> np.ndarray:
        if self._lent is None:
            self._lent = Scope(self, True)
            self.context._lending.add(self)
        return self._lent.view(self._rows(halo))

    def _settle(self) -> None:
        """End the scope of `data`."""
        lent, self._lent = self._lent, None
        if lent is not None:
            self.context._lending.discard(self)
            lent.end()

    # ---- use ----

    @property
    def allocated(self) -> bool:
        """True if there is memory for the values; a dat without values gets it at first use."""
        return bool(lib.op2_dat_allocated(self._p))

    @property
    def state(self) -> DataState:
        """Where the values are now."""
        found = ffi.new("op2_data_state *")
        self.context._do(lib.op2_dat_state, self._p, found)
        return DataState(found[0])

    def to(self, place: Place) -> None:
        """Copy the values to a place before they are needed there."""
        self._settle()
        self.context._do(lib.op2_dat_to, self._p, int(place))

    def __del__(self) -> None:
        if self._lent is not None and (self._owns or self._part_of is not None):
            self.context._given_up("scope", self._lent.end)
        super().__del__()


class Component(_OnSet):
    """Some of the values that a dat has for each element, made by component(). Loops take it as a
    dat of its own; it has no memory, so that all other functions need the dat.

    >>> import op2
    >>> with op2.Context("sequential") as context:
    ...     cells = op2.Set(context, 2, "cells")
    ...     flow = op2.Dat(cells, [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], name="flow")
    ...     height, speed = flow.component(0), flow.component(1, 2)
    ...     halve = op2.Kernel(context, "halve", "void halve(double *h) { *h /= 2; }")
    ...     op2.par_loop(halve, cells, height(op2.RW))
    ...     speed.name, height.get(), flow.get()
    ('flow[1:3]', array([0.5, 2. ]), array([[0.5, 2. , 3. ],
           [2. , 5. , 6. ]]))
    """

    def __init__(self, of: Union[Dat, "Component"], first: int, count: int):
        super().__init__(of.context)
        #: The dat that has the values.
        self.whole: Dat = of if isinstance(of, Dat) else of.whole
        self.set = of.set
        self._declare(None, count, of.dtype, ())
        self._create(lib.op2_dat_component, of._p, first, count)

    def get(self) -> np.ndarray:
        """A copy of the values of owned elements."""
        return self._copy_out(lib.op2_dat_get, False)

    def set_values(self, values: Any) -> None:
        """Overwrite the values of owned elements. The dat's other values stay."""
        self._copy_in(lib.op2_dat_set, values, False)

    def _settle(self) -> None:
        self.whole._settle()


class Global(_Values, Vector):
    """Values of no set: parameters of loops, and results of reductions.

    >>> import numpy, op2
    >>> with op2.Context("sequential") as context:
    ...     total = op2.Global(context, 0.0, name="total")
    ...     total.value = 3
    ...     float(total.value), op2.Global(context, dim=2, dtype="i4").value
    (3.0, array([0, 0], dtype=int32))
    >>> found = numpy.zeros(2)
    >>> with op2.Context("sequential") as context:
    ...     sums = op2.Global.wrap(context, found, "sums")
    ...     sums.value = [3.0, 4.0]
    ...     with sums.read():
    ...         print(found)
    [3. 4.]
    """

    _kind = "gbl"

    def __init__(self, context: "Context", values: Any = None, dim: Optional[Shape] = None,
                 dtype: Any = None, name: Optional[str] = None):
        super().__init__(context, name)
        data = self._declare(values, dim, dtype, ())
        self._create(lib.op2_gbl_create, context._p, self.dim, type_of(self.dtype), data,
                     name_of(name))

    @classmethod
    def wrap(cls, context: "Context", array: np.ndarray, name: Optional[str] = None) -> "Global":
        """A global whose values are those of this array, which the program uses only in scopes of
        the global from now on: with read() and write(). A scope fills the array, and so does the
        end of the global or of the context."""
        self = cls.__new__(cls)
        Object.__init__(self, context, name)
        self._wrap(array, (), lib.op2_gbl_wrap, context._p)
        return self

    def read(self) -> ContextManager[np.ndarray]:
        """A scope with a view of the values, which cannot be written. Inside it loops that change
        the global are refused, and so is setting its values."""
        return scope(self, False)

    def write(self) -> ContextManager[np.ndarray]:
        """A scope with a view of the values, which can be written. What is queued after the scope
        gets the values at its end. Inside it loops that use the global are refused; after it the
        view cannot be written any more."""
        return scope(self, True)

    def get(self) -> np.ndarray:
        """A copy of the values."""
        out = np.empty(self._shape, self.dtype)
        self.context._do(lib.op2_gbl_get, self._p, pointer(out))
        return out

    def set_values(self, values: Any) -> None:
        """Set the values for what is queued from now on; nothing runs."""
        if type(values) is float and self.dtype == _DOUBLE and not self._shape:
            made = ffi.new(_DOUBLES, values)  # what most programs do in each step
        else:
            made = pointer(self._fitting(values, ()))
        self.context._do(lib.op2_gbl_set, self._p, made)

    @property
    def value(self) -> Any:
        """The values: a number if there is one, else an array that is a copy. Assignment sets
        them for what is queued from now on."""
        return self.get()[()]

    @value.setter
    def value(self, values: Any) -> None:
        self.set_values(values)

    @property
    def state(self) -> DataState:
        """Where the values are now."""
        found = ffi.new("op2_data_state *")
        self.context._do(lib.op2_gbl_state, self._p, found)
        return DataState(found[0])

    @property
    def changes(self) -> int:
        """As Dat.changes."""
        return lib.op2_gbl_changes(self._p)

    def __float__(self) -> float:
        return float(self.get())

    def __int__(self) -> int:
        return int(self.get())

    def __call__(self, access: "Access") -> Arg:
        """An argument of a loop: read, or reduced into by INC, MIN or MAX."""
        return Arg(lib.op2_arg_gbl(self._p, access), self)

    def info(self, reduction: int) -> Arg:
        """An argument of a loop for what goes with the value that argument number `reduction`, a
        global in MIN or MAX, finds: where it was, for instance."""
        return Arg(lib.op2_arg_info(self._p, reduction), self)


class Constant(_Values):
    """Values that kernels see under the constant's name, an identifier of C.

    >>> import op2
    >>> with op2.Context("sequential") as context:
    ...     gamma = op2.Constant(context, "gamma_air", 1.4)
    ...     gamma.set_values(1.2)
    ...     op2.Constant(context, "sin", 1.4)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    op2.errors.NameValueError: constant 'sin': this is a function of <math.h>, ...
    """

    _kind = "const"

    def __init__(self, context: "Context", name: str, values: Any, dtype: Any = None):
        super().__init__(context, name)
        data = self._declare(values, None, dtype, ())
        self._create(lib.op2_const_create, context._p, self.dim, type_of(self.dtype), data,
                     name_of(name))

    @property
    def value(self) -> Any:
        """The values that loops get which are queued now: a number, or an array that is a copy.
        Assignment changes them."""
        out = np.empty(self._shape, self.dtype)
        self.context._do(lib.op2_const_get, self._p, ffi.cast("void *", out.ctypes.data))
        return out[()]

    @value.setter
    def value(self, values: Any) -> None:
        self.set_values(values)

    def set_values(self, values: Any) -> None:
        """Change the values for loops that are queued from now on."""
        array = self._fitting(values, ())
        self.context._do(lib.op2_const_set, self._p, ffi.cast("void *", array.ctypes.data))


def _extents(dim: Shape) -> Tuple[int, ...]:
    """A number of values, or a shape, as a shape."""
    return tuple(int(extent) for extent in np.atleast_1d(dim))
