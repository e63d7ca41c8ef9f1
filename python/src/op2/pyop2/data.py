# SPDX-License-Identifier: BSD-3-Clause
"""Dats and mixed dats."""
from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Iterator, Optional, Tuple

import numpy as np

from .. import values
from ..enums import INC, MAX, MIN, READ, RW, WRITE, Access
from . import _pointwise
from ._arithmetic import Arithmetic
from ._checks import all_of, check_mode, known_type, name_for, values_for
from ._mixed import Mixed
from .arguments import Arg
from .exceptions import DataSetTypeError, DataValueError, IndexValueError, MapValueError
from .maps import MixedMap, Slot
from .scalars import Global
from .sets import DataSet, GlobalDataSet, MixedDataSet, MixedSet, Set, data_set

if TYPE_CHECKING:
    from .sets import Subset


class Dat(Arithmetic):
    """Values on each element of a set: `dataset` is `set ** dim`, or a set for one value each.
    Without `data` they are zero. A dat in its place makes a copy of it.

    >>> from op2 import pyop2 as op2
    >>> cells = op2.Set(3)
    >>> x = op2.Dat(cells, [1.0, 2.0, 3.0])
    >>> y = 2 * x - 1
    >>> y += x
    >>> y.data_ro, x.inner(y)
    (array([2., 5., 8.]), 36.0)
    >>> op2.exit()
    """

    _modes: Tuple[Access, ...] = (READ, WRITE, RW, INC, MIN, MAX)

    def __init__(self, dataset: Any, data: Any = None, dtype: Any = None,
                 name: Optional[str] = None, soa: bool = False):
        if isinstance(dataset, Dat):
            self.__init__(dataset.dataset, None, dataset.dtype, name)  # type: ignore[misc]
            dataset.copy(self)
            return
        if not isinstance(dataset, (Set, DataSet)):
            raise DataSetTypeError(f"Dat: {dataset!r} is neither a set nor a data set")
        self.dataset: Any = data_set(dataset)
        self.name: Any = name_for(name, "dat")
        shape = (self.dataset.total_size,) + self.dataset._shape
        array = None if data is None else values_for(data, dtype, shape, f"dat '{self.name}'")
        kind = known_type(dtype, np.float64) if array is None else known_type(array.dtype)
        #: The op2.Dat.
        self.op2 = values.Dat(self.dataset.set.op2, array, self.dataset._shape or 1, kind,
                               self.name)

    # ---- declaration ----

    @property
    def dtype(self) -> np.dtype:
        """The type of the values."""
        return self.op2.dtype

    @property
    def dim(self) -> Any:
        """The shape of the values of one element."""
        return self.dataset.dim

    @property
    def cdim(self) -> int:
        """The number of values of one element."""
        return self.dataset.cdim

    @property
    def shape(self) -> Tuple[int, ...]:
        """The shape of an array of all values, halo included."""
        return (self.dataset.total_size,) + self.dataset._shape

    @property
    def nbytes(self) -> int:
        """The size of all values in bytes."""
        return self.dtype.itemsize * self.cdim * self.dataset.total_size

    @property
    def dat_version(self) -> int:
        """A number that grows with every modification."""
        return self.op2.changes

    #: The library chooses the layout of values, and shows them as rows of elements.
    soa = False

    # ---- values ----

    @property
    def data(self) -> np.ndarray:
        """An array of the values of owned elements, which can be written until the dat is used."""
        return self.op2.data

    @data.setter
    def data(self, given: Any) -> None:
        self.op2.data[:] = given

    @property
    def data_ro(self) -> np.ndarray:
        """An array of the values of owned elements, which cannot be written."""
        return self.op2.data_ro

    @property
    def data_with_halos(self) -> np.ndarray:
        """As data, of all elements that this rank has."""
        return self.op2.data_with_halo

    @property
    def data_ro_with_halos(self) -> np.ndarray:
        """As data_ro, of all elements that this rank has."""
        return self.op2.data_ro_with_halo

    data_rw = data
    data_wo = data
    data_rw_with_halos = data_with_halos
    data_wo_with_halos = data_with_halos

    def _vec(self, access: Access) -> Any:
        from .. import petsc
        return petsc.vec(self.op2, access)

    @property
    def vec(self) -> Any:
        """A scope with the values of owned elements as a Vec of petsc4py: `with x.vec as v:`."""
        return self._vec(RW)

    @property
    def vec_ro(self) -> Any:
        """As vec, for reading."""
        return self._vec(READ)

    @property
    def vec_wo(self) -> Any:
        """As vec, for writing all values."""
        return self._vec(WRITE)

    vec_rw = vec

    def save(self, filename: str) -> None:
        """Write the values of owned elements into a file of NumPy."""
        np.save(filename, self.data_ro)

    def load(self, filename: str) -> None:
        """Read the values of owned elements from a file of NumPy."""
        self.data[:] = np.load(filename if filename.endswith(".npy") else filename + ".npy")

    # ---- loops ----

    def __call__(self, access: Access, path: Any = None) -> Arg:
        """An argument of a loop: the element's own values, or those that `path` leads to, which is
        a map, or a map with an index: `x(READ, map)`, `x(READ, map[0])`, `x(READ, map[i[0]])`."""
        check_mode(access, self._modes, f"dat '{self.name}'")
        map, index = path if isinstance(path, Slot) else (path, None)
        if map is not None and map.toset != self.dataset.set:
            raise MapValueError(f"dat '{self.name}' is on {self.dataset.set}, and {map} leads "
                                "elsewhere")
        return Arg(self, access, map, index)

    def __getitem__(self, number: int) -> "Dat":
        if number != 0:
            raise IndexValueError(f"dat '{self.name}' has one part, and number {number} was asked "
                                  "for")
        return self

    # ---- algebra ----

    def zero(self, subset: Optional["Subset"] = None) -> None:
        """Queue: the values become zero, of all elements or of a subset."""
        self._assign("=", 0, subset)

    def copy(self, other: "Dat", subset: Optional["Subset"] = None) -> None:
        """Queue: the other gets these values, on all elements or on a subset."""
        other._assign("=", self, subset)

    def assign(self, other: Any, subset: Optional["Subset"] = None) -> None:
        """Queue: the values become those of a dat or a global, or a number."""
        self._assign("=", other, subset)

    def _assign(self, operation: str, other: Any, subset: Any = None) -> None:
        _pointwise.apply(self, operation, other, subset)

    def _copied(self) -> "Dat":
        return Dat(self)

    def axpy(self, alpha: Any, other: "Dat") -> None:
        """Queue: add alpha times the other."""
        self._like(other)
        self.op2.axpy(alpha.op2 if isinstance(alpha, Global) else alpha, other.op2)

    def maxpy(self, alphas: Any, others: Any) -> None:
        """Queue: add each of several others times its number."""
        for alpha, other in zip(alphas, others):
            self.axpy(alpha, other)

    def inner(self, other: "Dat") -> Any:
        """The scalar product, which makes the queue run."""
        self._like(other)
        return self.op2.dot(other.op2).value

    @property
    def norm(self) -> float:
        """The Euclidean norm, which makes the queue run."""
        return self.op2.norm().value

    def _like(self, other: Any) -> None:
        if not isinstance(other, Dat) or other.dataset is not self.dataset:
            raise ValueError(f"{self} and {other} are on other data sets")

    def __str__(self) -> str:
        return f"OP2 Dat: {self.name} on ({self.dataset}) with datatype {self.dtype}"

    def __repr__(self) -> str:
        return f"Dat({self.dataset!r}, None, {self.dtype!r}, {self.name!r})"


def _part_of(name: str) -> Any:
    """A property: the component's values in an array of the dat."""

    def get(view: "DatView") -> np.ndarray:
        array: np.ndarray = getattr(view._parent, name)
        index: Tuple[Any, ...] = (slice(None), *view.index)
        part: np.ndarray = array[index[:array.ndim]]
        return part

    def set_(view: "DatView", given: Any) -> None:
        get(view)[:] = given

    return property(get, set_, doc=getattr(Dat, name).__doc__)


class DatView(Dat):
    """One component of a dat, in place of a dat with one value for each element. `index` has a
    number for each dimension of the dat's values.

    >>> from op2 import pyop2 as op2
    >>> cells = op2.Set(2)
    >>> flow = op2.Dat(cells ** 2, [[1.0, 2.0], [3.0, 4.0]])
    >>> speed = op2.DatView(flow, 1)
    >>> speed *= 10
    >>> flow.data_ro, speed.norm
    (array([[ 1., 20.],
           [ 3., 40.]]), 44.721359549995796)
    >>> op2.exit()
    """

    def __init__(self, dat: Dat, index: Any):
        self.index: Tuple[int, ...] = tuple(index) if isinstance(index, (tuple, list)) else (index,)
        if len(self.index) != len(dat.dim) or \
                not all(0 <= number < extent for number, extent in zip(self.index, dat.dim)):
            raise IndexValueError(f"dat '{dat.name}' has values of shape {dat.dim}, and none at "
                                  f"{index}")
        self._parent = dat
        self.dataset = data_set(dat.dataset.set)
        #: The op2.Component.
        self.op2: Any = dat.op2.component(int(np.ravel_multi_index(self.index, dat.dim)))
        self.name = self.op2.name

    data = data_rw = data_wo = _part_of("data")
    data_ro = _part_of("data_ro")
    data_with_halos = data_rw_with_halos = data_wo_with_halos = _part_of("data_with_halos")
    data_ro_with_halos = _part_of("data_ro_with_halos")

    def axpy(self, alpha: Any, other: Dat) -> None:
        """Queue: add alpha times the other."""
        self._like(other)
        self._assign("+=", alpha * other)

    def inner(self, other: Dat) -> Any:
        """The scalar product, of a copy, which makes the queue run."""
        self._like(other)
        return Dat(self).inner(Dat(other))

    @property
    def norm(self) -> float:
        """The Euclidean norm, of a copy, which makes the queue run."""
        return Dat(self).norm


def vector(given: Any, dtype: Any = None) -> Any:
    """A dat of zeros on a data set, a global on that of a global, or a copy of either."""
    if isinstance(given, Global):
        return Global(given)
    if isinstance(given, GlobalDataSet):
        return Global(given.dim, None, dtype)
    return Dat(given) if isinstance(given, Dat) else Dat(given, None, dtype)


class MixedDat(Mixed, Arithmetic):
    """Several dats of one type as one, of dats and globals, or of sets and data sets that get one
    each."""

    _modes = (READ, WRITE, RW, INC)

    def __init__(self, parts: Any):
        given = parts if isinstance(parts, (MixedDat, MixedSet, MixedDataSet)) else \
            all_of(parts, (Dat, Global, Set, DataSet), DataSetTypeError, "MixedDat")
        copied = isinstance(parts, MixedDat)
        made = tuple(part if isinstance(part, (Dat, Global)) and not copied else vector(part)
                     for part in given)
        if len({part.dtype for part in made}) > 1:
            raise DataValueError("MixedDat: the dats have several types")
        super().__init__(made)

    __hash__ = object.__hash__

    def __eq__(self, other: Any) -> bool:
        return isinstance(other, MixedDat) and all(
            a is b for a, b in zip(self, other)) and len(self) == len(other)

    @property
    def dataset(self) -> MixedDataSet:
        """The data sets of the parts."""
        return MixedDataSet(self._each("dataset"))

    @property
    def dtype(self) -> np.dtype:
        """The type of the values."""
        return self._parts[0].dtype

    @property
    def name(self) -> Tuple[str, ...]:
        """The names of the parts."""
        return self._each("name")

    @property
    def cdim(self) -> int:
        """The sum of the numbers of values that the parts have for each element."""
        return sum(self._each("cdim"))

    @property
    def nbytes(self) -> int:
        """The size of all values in bytes."""
        return sum(self._each("nbytes"))

    @property
    def dat_version(self) -> int:
        """A number that grows with every modification."""
        return sum(self._each("dat_version"))

    @property
    def data(self) -> Tuple[np.ndarray, ...]:
        """Arrays of the values of each part, as Dat.data."""
        return self._each("data")

    @property
    def data_ro(self) -> Tuple[np.ndarray, ...]:
        """Arrays of the values of each part, as Dat.data_ro."""
        return self._each("data_ro")

    @property
    def data_with_halos(self) -> Tuple[np.ndarray, ...]:
        """Arrays of the values of each part, as Dat.data_with_halos."""
        return self._each("data_with_halos")

    @property
    def data_ro_with_halos(self) -> Tuple[np.ndarray, ...]:
        """Arrays of the values of each part, as Dat.data_ro_with_halos."""
        return self._each("data_ro_with_halos")

    def __call__(self, access: Access, path: Any = None) -> Arg:
        """An argument of a loop: the values of all parts, one part after the other."""
        check_mode(access, self._modes, f"mixed dat {self.name}")
        map, index = path if isinstance(path, Slot) else (path, None)
        if map is not None:
            if not isinstance(map, MixedMap) or map.toset != self.dataset.set:
                raise MapValueError(f"mixed dat {self.name}: {map} is no mixed map to its sets")
        return Arg(self, access, map, index)

    def zero(self) -> None:
        """Queue: all values become zero."""
        self._assign("=", 0)

    def assign(self, other: Any) -> None:
        """Queue: the values become those of another mixed dat, or a number."""
        self._assign("=", other)

    def copy(self, other: "MixedDat") -> None:
        """Queue: the other gets these values."""
        other._assign("=", self)

    def _pairs(self, other: Any) -> Iterator[Tuple[Dat, Any]]:
        """Each part, with the part of another mixed dat, or with the other itself."""
        if not isinstance(other, MixedDat):
            return ((part, other) for part in self)
        if len(other) != len(self):
            raise ValueError(f"mixed dats of {len(self)} and {len(other)} parts")
        return zip(self, other)

    def _assign(self, operation: str, other: Any) -> None:
        for part, its in self._pairs(other):
            part._assign(operation, its)

    def _copied(self) -> "MixedDat":
        return MixedDat(self)

    def axpy(self, alpha: Any, other: "MixedDat") -> None:
        """Queue: add alpha times the other."""
        for part, its in self._pairs(other):
            part.axpy(alpha, its)

    def inner(self, other: "MixedDat") -> Any:
        """The scalar product, which makes the queue run."""
        return sum(part.inner(its) for part, its in self._pairs(other))

    @property
    def norm(self) -> float:
        """The Euclidean norm, which makes the queue run."""
        return math.sqrt(sum(part.norm ** 2 for part in self))

    def save(self, filename: str) -> None:
        """Write the values of each part into a file of NumPy."""
        for number, part in enumerate(self):
            part.save(f"{filename}.{number}")

    def load(self, filename: str) -> None:
        """Read the values of each part from a file of NumPy."""
        for number, part in enumerate(self):
            part.load(f"{filename}.{number}")

    def __str__(self) -> str:
        return f"OP2 MixedDat composed of Dats: {self._parts}"
