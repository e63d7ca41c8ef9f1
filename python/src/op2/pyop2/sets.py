# SPDX-License-Identifier: BSD-3-Clause
"""Sets, subsets and data sets."""
from __future__ import annotations

from typing import Any, Dict, Iterable, Optional, Sequence, Tuple, Union

import numpy as np

from .. import mesh
from ._checks import all_of, dims, is_integer, name_for
from ._mixed import Mixed, Single
from ._configuration import configuration, context
from .exceptions import (DataSetTypeError, IndexValueError, SetTypeError, SizeTypeError,
                         SubsetIndexOutOfBounds)

Size = Union[int, Sequence[int]]


def _sections(size: Any) -> Tuple[int, ...]:
    """The ends of core, owned, exec halo and all, from one, three or four sizes."""
    given = (size,) if is_integer(size) else size
    if not isinstance(given, (tuple, list, np.ndarray)) or not all(map(is_integer, given)) or \
            len(given) not in (1, 3, 4):
        raise SizeTypeError(f"the size of a set is {size!r}, and is an integer, a tuple of three "
                            "(core, owned, all), or of four (core, owned, exec halo, all)")
    ends = tuple(int(end) for end in given)
    return {1: ends * 4, 3: ends[:2] + ends[1:], 4: ends}[len(ends)]


class _Elements(Single):
    """What sets and subsets have in common."""

    name: Any
    #: The op2.Set.
    op2: mesh.Set
    _ends: Tuple[int, ...]
    _four = False

    @property
    def core_size(self) -> int:
        """The number of owned elements that need no halo."""
        return self._ends[0]

    @property
    def size(self) -> int:
        """The number of owned elements."""
        return self._ends[1]

    @property
    def exec_size(self) -> int:
        """The number of owned elements and those of the exec halo."""
        return self._ends[2]

    @property
    def total_size(self) -> int:
        """The number of all elements that this rank has."""
        return self._ends[3]

    @property
    def sizes(self) -> Tuple[int, ...]:
        """(core, owned, all), or with the exec halo in third place if the set was made so, or for
        versions until 2017."""
        return self._ends if self._four else self._ends[:2] + self._ends[3:]

    @property
    def superset(self) -> "Set":
        """The set that the elements are of."""
        raise NotImplementedError

    #: The number of layers of an extruded set; a set has one.
    layers = 1

    def __getitem__(self, number: int) -> Any:
        if number != 0:
            raise IndexError(f"{self} has one part, and number {number} was asked for")
        return self

    def _named(self, other: Any) -> "_Elements":
        if not isinstance(other, _Elements) or other.superset is not self.superset:
            raise TypeError(f"{self} and {other} are not of one set")
        return other

    def _combined(self, other: Any, operation: str) -> "Subset":
        made = getattr(self.op2, operation)(self._named(other).op2)
        return Subset._of(self.superset, made)

    def union(self, other: Any) -> Any:
        """The elements that are in this one, in the other, or in both."""
        whole = other is self.superset
        return other if whole else self._combined(other, "union")

    def intersection(self, other: Any) -> Any:
        """The elements that are in both."""
        whole = other is self.superset
        return self if whole else self._combined(other, "intersection")

    def difference(self, other: Any) -> Any:
        """The elements that are in this one and not in the other."""
        return self._combined(other, "difference")

    def symmetric_difference(self, other: Any) -> Any:
        """The elements that are in one of the two and not in both."""
        return self.difference(other).union(self._named(other).difference(self))


class Set(_Elements):
    """Elements of the mesh. `size` is their number, or the ends of sections, as since 2017 (core,
    owned, all) or as before (core, owned, exec halo, all).

    >>> from op2 import pyop2 as op2
    >>> cells = op2.Set(4, "cells")
    >>> cells.sizes, cells([1, 3]).indices, cells([1, 3]).union(cells([0, 1])).indices
    ((4, 4, 4), array([1, 3], dtype=int32), array([0, 1, 3], dtype=int32))
    >>> op2.exit()
    """

    def __init__(self, size: Size, name: Optional[str] = None, halo: Any = None, comm: Any = None):
        self.name = name_for(name, "set")
        self._ends = _sections(size)
        if halo is not None:
            raise NotImplementedError(
                f"set '{self.name}': halo={halo!r}: ranks share sets by op2.Set.halo() and "
                "Context.partition() of the package op2 (doc/python.md)")
        if comm is not None and comm.size != context().ranks:
            raise NotImplementedError(
                f"set '{self.name}': a communicator of {comm.size} ranks, and the context has "
                f"{context().ranks}: init(comm=...) makes a context for one communicator")
        version = configuration["version"]
        self._four = len(np.atleast_1d(size)) == 4 or (version is not None and version < 2017)
        ends: Any = self._ends if len(set(self._ends)) > 1 else self._ends[0]
        #: The op2.Set.
        self.op2 = mesh.Set(context(), ends, self.name)
        #: Which data sets were made of this one, by their dims.
        self._data_sets: Dict[Tuple[int, ...], "DataSet"] = {}

    @property
    def superset(self) -> "Set":
        """The set itself."""
        return self

    def union(self, other: Any) -> "Set":
        """The set itself."""
        return self._named(other).superset

    def intersection(self, other: Any) -> Any:
        """The other."""
        return self._named(other)

    def __call__(self, *indices: Any) -> "Subset":
        """A subset, of elements given one by one or as a sequence."""
        chosen = indices[0] if len(indices) == 1 and not is_integer(indices[0]) else indices
        return Subset(self, chosen)

    def __contains__(self, other: Any) -> bool:
        return other is self or getattr(other, "set", None) is self

    def __pow__(self, dim: Any) -> "DataSet":
        return DataSet(self, dim)

    def __str__(self) -> str:
        return f"OP2 Set: {self.name} with size {self.size}"

    def __repr__(self) -> str:
        sizes = self.size if len(set(self._ends)) == 1 else self.sizes
        return f"Set({sizes!r}, {self.name!r})"


class GlobalSet(Set):
    """The one element that all ranks share, whose rows and columns are those of globals."""

    def __init__(self) -> None:
        self.name, self._four, self._data_sets = name_for(None, "globals"), False, {}
        self.op2 = mesh.Set.single(context(), self.name)
        self._ends = self.op2.sections

    def __repr__(self) -> str:
        return "GlobalSet()"


class Subset(_Elements):
    """Some elements of a set, in ascending order, or of a subset by their positions in it."""

    def __init__(self, superset: Any, indices: Any):
        if not isinstance(superset, _Elements) or isinstance(superset, MixedSet):
            raise TypeError(f"{superset!r} is neither a set nor a subset, and has no subsets")
        chosen = np.unique(np.asarray(list(indices), np.int64))
        outside = chosen[(chosen < 0) | (chosen >= superset.total_size)]
        if outside.size:
            raise SubsetIndexOutOfBounds(f"{superset} has {superset.total_size} elements, and "
                                         f"{outside[0]} is none of them")
        self._take(superset.superset, superset.op2.subset(chosen))

    @classmethod
    def _of(cls, superset: "Set", made: mesh.Subset) -> "Subset":
        self = cls.__new__(cls)
        self._take(superset, made)
        return self

    def _take(self, superset: "Set", made: mesh.Subset) -> None:
        self._superset, self.op2 = superset, made
        self.name, self._four = name_for(None, "subset"), superset._four
        self._ends = made.sections
        self._indices = made.indices.astype(np.int32)

    @property
    def superset(self) -> Set:
        """The set that the elements are of."""
        return self._superset

    @property
    def indices(self) -> np.ndarray:
        """The elements, in ascending order."""
        return self._indices

    @property
    def owned_indices(self) -> np.ndarray:
        """The elements that this rank owns."""
        return self._indices[self._indices < self.superset.size]

    def __pow__(self, dim: Any) -> Any:
        raise NotImplementedError(f"{self}: dats are on sets, and a subset has none of its own")

    def __str__(self) -> str:
        return f"OP2 Subset: {self.name} with sizes {self.sizes}"

    def __repr__(self) -> str:
        return f"Subset({self._superset!r}, {self._indices!r})"


class ExtrudedSet:
    """Refused: op2 has no extruded sets."""

    def __init__(self, parent: Any, layers: Any = None, **_: Any):
        raise NotImplementedError(
            f"ExtrudedSet({parent!r}): op2 has no extruded sets; a set of all cells of all layers, "
            "with maps that say which values each has, gives the same results")


class MixedSet(Mixed):
    """Several sets as one."""

    layers = 1

    def __init__(self, sets: Iterable[Any]):
        parts = all_of(sets, (Single,), SetTypeError, "MixedSet")
        flat = tuple(part for each in parts for part in each)
        super().__init__(all_of(flat, (Set,), SetTypeError, "MixedSet"))

    @property
    def core_size(self) -> int:
        """The number of owned elements of all parts that need no halo."""
        return sum(self._each("core_size"))

    @property
    def size(self) -> int:
        """The number of owned elements of all parts."""
        return sum(self._each("size"))

    @property
    def exec_size(self) -> int:
        """The number of elements of all parts that loops may run over."""
        return sum(self._each("exec_size"))

    @property
    def total_size(self) -> int:
        """The number of all elements of all parts that this rank has."""
        return sum(self._each("total_size"))

    @property
    def sizes(self) -> Tuple[int, ...]:
        """The sums of the parts' sizes."""
        return tuple(map(sum, zip(*self._each("sizes"))))

    @property
    def name(self) -> Tuple[str, ...]:
        """The names of the parts."""
        return self._each("name")

    def __pow__(self, dim: Any) -> "MixedDataSet":
        return MixedDataSet(self, dim)

    def __str__(self) -> str:
        return f"OP2 MixedSet composed of Sets: {self._parts}"


class DataSet(Single):
    """A set with the shape of the values that each element has. `Set ** dim` makes one, and there
    is one for each set and dim."""

    set: Set
    dim: Tuple[int, ...]

    def __new__(cls, iter_set: Any, dim: Any = 1, name: Optional[str] = None) -> "DataSet":
        if isinstance(iter_set, DataSet):
            return iter_set
        if isinstance(iter_set, Subset):
            raise NotImplementedError(f"{iter_set}: dats are on sets, not on subsets")
        if not isinstance(iter_set, Set):
            raise SetTypeError(f"DataSet: {iter_set!r} is no set")
        shape = dims(dim)
        made = iter_set._data_sets.get(shape)
        if made is None:
            made = iter_set._data_sets[shape] = super().__new__(cls)
            made.set, made.dim, made.name = iter_set, shape, name_for(name, "dset")
        return made

    name: Any

    @property
    def cdim(self) -> int:
        """The number of values for each element."""
        return int(np.prod(self.dim))

    @property
    def size(self) -> int:
        """The number of owned elements."""
        return self.set.size

    @property
    def total_size(self) -> int:
        """The number of all elements that this rank has."""
        return self.set.total_size

    @property
    def _shape(self) -> Tuple[int, ...]:
        """The shape of the values of one element in arrays."""
        return () if self.cdim == 1 else self.dim

    def __getitem__(self, number: int) -> "DataSet":
        if number != 0:
            raise IndexValueError(f"{self} has one part, and number {number} was asked for")
        return self

    def __contains__(self, dat: Any) -> bool:
        return getattr(dat, "dataset", None) is self

    def __str__(self) -> str:
        return f"OP2 DataSet: {self.name} on set {self.set}, with dim {self.dim}"

    def __repr__(self) -> str:
        return f"DataSet({self.set!r}, {self.dim!r}, {self.name!r})"


class GlobalDataSet(DataSet):
    """The rows or columns of a matrix that belong to a global: `Sparsity((nodes ** 1,
    GlobalDataSet(g)), [(map, None)])`. A null map stands for them."""

    def __new__(cls, global_: Any) -> "GlobalDataSet":
        from ._single import single_set
        if not hasattr(global_, "_gbl"):
            raise TypeError(f"GlobalDataSet: {global_!r} is no global")
        made = object.__new__(cls)
        made.set, made.dim, made.name = single_set(), global_.dim, name_for(None, "gdset")
        return made

    def __contains__(self, given: Any) -> bool:
        return getattr(given, "dim", None) == self.dim and hasattr(given, "_gbl")

    def __eq__(self, other: Any) -> bool:
        return isinstance(other, GlobalDataSet) and (self.set, self.dim) == (other.set, other.dim)

    def __hash__(self) -> int:
        return hash((self.set, self.dim))

    def __str__(self) -> str:
        return f"OP2 GlobalDataSet: {self.name}, with dim {self.dim}"

    def __repr__(self) -> str:
        return f"GlobalDataSet(Global({self.dim!r}))"


class MixedDataSet(Mixed):
    """Several data sets as one, of sets or data sets; `dims` belong to sets: one for all, or one
    for each."""

    def __init__(self, parts: Any, dims: Any = None):
        given = all_of(parts, (Set, DataSet), DataSetTypeError, "MixedDataSet")
        if dims is None:
            dims = [1] * len(given)
        elif any(isinstance(part, DataSet) for part in given):
            raise TypeError("MixedDataSet: data sets have dims, and were given others")
        elif is_integer(dims):
            dims = [dims] * len(given)
        if len(dims) != len(given):
            raise ValueError(f"MixedDataSet: {len(dims)} dims for {len(given)} sets")
        super().__init__(tuple(DataSet(part, dim) for part, dim in zip(given, dims)))

    @property
    def set(self) -> MixedSet:
        """The sets of the parts."""
        return MixedSet(self._each("set"))

    @property
    def dim(self) -> Tuple[Tuple[int, ...], ...]:
        """The dims of the parts."""
        return self._each("dim")

    @property
    def cdim(self) -> int:
        """The sum of the numbers of values that the parts have for each element."""
        return sum(self._each("cdim"))

    @property
    def name(self) -> Tuple[str, ...]:
        """The names of the parts."""
        return self._each("name")

    def __str__(self) -> str:
        return f"OP2 MixedDataSet composed of DataSets: {self._parts}"


def data_set(given: Any) -> Any:
    """What a dat or a sparsity is declared on: a set has one value for each element."""
    if isinstance(given, (DataSet, MixedDataSet)):
        return given
    if isinstance(given, Set):
        return DataSet(given, 1)
    if isinstance(given, MixedSet):
        return MixedDataSet(given)
    raise DataSetTypeError(f"{given!r} is neither a set nor a data set")
