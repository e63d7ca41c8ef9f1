# SPDX-License-Identifier: BSD-3-Clause
"""Maps between sets, and what an argument takes of a map."""
from __future__ import annotations

from typing import Any, Iterable, NamedTuple, Optional, Sequence, Tuple

import numpy as np

from .. import mesh
from ._checks import all_of, is_integer, name_for, values_for
from ._mixed import Mixed, Single
from ._single import single_set
from .exceptions import (ArityTypeError, DataValueError, IndexTypeError, IndexValueError,
                         MapTypeError, MapValueError, SetTypeError)
from .sets import MixedSet, Set


class IterationIndex(NamedTuple):
    """The index of an iteration space: `i[0]`, or `i[1]` for the columns of a matrix."""

    number: int


class _IterationIndices:
    """What makes iteration indices: `map[i[0]]` takes all slots in one packed buffer."""

    def __getitem__(self, number: Any) -> IterationIndex:
        if not is_integer(number) or number not in (0, 1):
            raise IndexValueError(f"i[{number!r}]: there are i[0] and i[1]")
        return IterationIndex(int(number))


i = _IterationIndices()


class Slot(NamedTuple):
    """A map with an index: `map[2]` or `map[i[0]]`."""

    map: Any
    slot: Any


class _Indexed(Single):
    """What maps and mixed maps have in common."""

    #: What extruded sets would need.
    offset: Any = None

    @property
    def arities(self) -> Tuple[int, ...]:
        """The arities of the parts."""
        return tuple(part.arity for part in self.split)

    @property
    def arange(self) -> Tuple[int, ...]:
        """The number of slots before each part, and of all."""
        return (0, *map(int, np.cumsum(self.arities)))


class Map(_Indexed):
    """`arity` elements of `toset` for each element of `iterset`. Negative values lead nowhere; only
    matrices take maps that have some.

    >>> from op2 import pyop2 as op2
    >>> edges, nodes = op2.Set(2), op2.Set(3)
    >>> ends = op2.Map(edges, nodes, 2, [0, 1, 1, 2])
    >>> ends.values.tolist(), op2.PermutedMap(ends, [1, 0]).values.tolist()
    ([[0, 1], [1, 2]], [[1, 0], [2, 1]])
    >>> op2.exit()
    """

    def __init__(self, iterset: Any, toset: Any, arity: int, values: Any = None,
                 name: Optional[str] = None, offset: Any = None,
                 offset_quotient: Any = None):
        for given in (iterset, toset):
            if not isinstance(given, Set):
                raise SetTypeError(f"Map: {given!r} is no set")
        if not is_integer(arity):
            raise ArityTypeError(f"Map: the arity is {arity!r}, and is an integer")
        if offset is not None or offset_quotient is not None:
            raise NotImplementedError("Map: offset is for extruded sets, which op2 does not have")
        name = name_for(name, "map")
        shape, entries = (iterset.total_size, int(arity)), None
        if values is not None:
            if np.ndim(values) == 0:
                raise DataValueError(f"map '{name}': {values!r} are no values of shape {shape}")
            entries = values_for(values, np.int32, shape, f"map '{name}'")
        partial = entries is not None and bool((entries < 0).any())
        self._take(iterset, toset, entries, name,
                   mesh.Map(iterset.op2, toset.op2, entries, name, arity=int(arity),
                            partial=partial))

    def _take(self, iterset: Set, toset: Set, entries: Optional[np.ndarray], name: str,
              made: mesh.Map) -> None:
        self.iterset, self.toset, self.name, self.op2 = iterset, toset, name, made
        self.arity = made.arity
        self._entries = entries

    @property
    def values(self) -> np.ndarray:
        """The entries of owned elements, a row for each."""
        return self.values_with_halo[:self.iterset.size]

    @property
    def values_with_halo(self) -> np.ndarray:
        """The entries of all elements that this rank has."""
        return np.empty((0, self.arity), np.int32) if self._entries is None else self._entries

    def __getitem__(self, index: Any) -> Slot:
        if isinstance(index, IterationIndex):
            return Slot(self, index)
        if not is_integer(index):
            raise IndexTypeError(f"{self}: the index {index!r} is neither an integer nor i[0]")
        if not 0 <= index < self.arity:
            raise IndexValueError(f"{self}: there is no slot {index}")
        return Slot(self, int(index))

    def __iter__(self) -> Any:
        return iter(self.split)

    def __str__(self) -> str:
        return (f"OP2 Map: {self.name} from ({self.iterset}) to ({self.toset}) with arity "
                f"{self.arity}")

    def __repr__(self) -> str:
        return (f"{type(self).__name__}({self.iterset!r}, {self.toset!r}, {self.arity!r}, None, "
                f"{self.name!r})")


class PermutedMap(Map):
    """A map whose slot k is slot permutation[k] of another."""

    def __init__(self, map_: Map, permutation: Sequence[int]):
        if not isinstance(map_, Map):
            raise MapTypeError(f"PermutedMap: {map_!r} is no map")
        #: The other map.
        self.map_ = map_
        self.permutation = np.asarray(permutation, np.int32)
        if sorted(self.permutation.tolist()) != list(range(map_.arity)):
            raise MapValueError(f"PermutedMap: {permutation!r} does not name each slot of "
                                f"{map_.name} once")
        name = name_for(None, "permuted_map")
        entries = None if map_._entries is None else map_._entries[:, self.permutation]
        self._take(map_.iterset, map_.toset, entries, name,
                   map_.op2.permuted(self.permutation.tolist(), name))


class ComposedMap(Map):
    """The first map after the second, after the third, and so on. All but the first have arity
    one."""

    def __init__(self, *maps_: Map, name: Optional[str] = None):
        for outer, inner in zip(all_of(maps_, (Map,), MapTypeError, "ComposedMap"), maps_[1:]):
            if inner.toset is not outer.iterset:
                raise MapValueError(f"ComposedMap: {inner} does not lead to where {outer.name} "
                                    "begins")
            if inner.arity != 1:
                raise MapTypeError(f"ComposedMap: {inner} has another arity than one")
        #: The maps.
        self.maps_ = maps_
        name = name_for(name, "composed_map")
        self._take(maps_[-1].iterset, maps_[0].toset, self._entries_of(maps_), name,
                   mesh.Map.composed([each.op2 for each in maps_], name))

    @staticmethod
    def _entries_of(maps: Sequence[Map]) -> np.ndarray:
        """The composed entries. What a map that leads nowhere leads to is nowhere."""
        entries = maps[0].values_with_halo
        for each in maps[1:]:
            chosen = each.values_with_halo[:, 0]
            found = np.full((len(chosen), maps[0].arity), -1, np.int32)
            found[chosen >= 0] = entries[chosen[chosen >= 0]]
            entries = found
        return entries


class MixedMap(Mixed, _Indexed):
    """Several maps from one set as one, for mixed dats and matrices. None in place of a map stands
    for a global."""

    def __init__(self, maps: Iterable[Optional[Map]]):
        given = tuple(maps)
        plain = all_of([part for part in given if part is not None], (Map,), MapTypeError,
                       "MixedMap")
        if len({id(part.iterset) for part in plain}) > 1:
            raise MapTypeError("MixedMap: the maps begin at several sets")
        super().__init__(given)
        self._plain = plain

    def _each(self, attribute: str) -> Tuple[Any, ...]:
        return tuple(None if part is None else getattr(part, attribute) for part in self._parts)

    @property
    def arities(self) -> Tuple[int, ...]:
        """The arities of the parts, and one for a global."""
        return tuple(1 if part is None else part.arity for part in self._parts)

    @property
    def iterset(self) -> Set:
        """The set that all parts are from."""
        return self._plain[0].iterset

    @property
    def toset(self) -> MixedSet:
        """The sets that the parts lead to."""
        return MixedSet(tuple(single_set() if set_ is None else set_
                              for set_ in self._each("toset")))

    @property
    def arity(self) -> int:
        """The number of slots of all parts."""
        return sum(self.arities)

    @property
    def values(self) -> Tuple[np.ndarray, ...]:
        """The entries of each part."""
        return self._each("values")

    @property
    def values_with_halo(self) -> Tuple[np.ndarray, ...]:
        """The entries of each part, with those of the halo."""
        return self._each("values_with_halo")

    @property
    def name(self) -> Tuple[str, ...]:
        """The names of the parts."""
        return self._each("name")

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, IterationIndex):
            return Slot(self, index)
        return self._parts[index]

    def __str__(self) -> str:
        return f"OP2 MixedMap composed of Maps: {self._parts}"
