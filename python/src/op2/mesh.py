# SPDX-License-Identifier: BSD-3-Clause
"""Sets and maps."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Iterable, Optional, Sequence, Tuple, Union

import numpy as np

from . import errors, structs
from ._native import ffi, lib
from ._object import Object, name_of, numbers, pointer, type_of

if TYPE_CHECKING:
    from .context import Context


class Set(Object):
    """A set of mesh elements: `size` of them, or four ends of sections.

    >>> import op2
    >>> with op2.Context("sequential") as context:
    ...     cells = op2.Set(context, 5, "cells")
    ...     left, odd = cells.subset([0, 1, 2]), cells.subset([1, 3])
    ...     [part.indices.tolist() for part in (left | odd, left & odd, left - odd, cells - left)]
    [[0, 1, 2, 3], [1], [0, 2], [3, 4]]
    """

    _kind = "set"

    def __init__(self, context: "Context", size: Union[int, Sequence[int]],
                 name: Optional[str] = None):
        super().__init__(context, name)
        if np.ndim(size):
            ends = _ends(size)
            self._create(lib.op2_set_create_sections, context._p, ends, name_of(name))
        else:
            self._create(lib.op2_set_create, context._p, size, name_of(name))

    @classmethod
    def _of(cls, context: "Context", name: Optional[str], function: Any,
            *arguments: Any) -> "Set":
        """A set that another function than op2_set_create() makes."""
        self = cls.__new__(cls)
        Object.__init__(self, context, name)
        self._create(function, *arguments)
        return self

    @classmethod
    def halo(cls, context: "Context", ends: Sequence[int], numbers_: Any, owner: Any = None,
             name: Optional[str] = None) -> "Set":
        """This rank's part of a set, by the program's own decomposition: the ends of its sections,
        the global numbers of its elements, and the ranks that own those of the halo."""
        self = cls.__new__(cls)
        Object.__init__(self, context, name)
        globals_ = numbers(numbers_, "i8")
        owners = None if owner is None else numbers(owner, "i4")
        self._create(lib.op2_set_create_halo, context._p, _ends(ends),
                     pointer(globals_, "int64_t[]"), pointer(owners, "int32_t[]"), name_of(name))
        return self

    @classmethod
    def single(cls, context: "Context", name: Optional[str] = None) -> "Set":
        """A set of one element that all ranks share, for unknowns of the whole mesh. Maps to it
        have no values: `op2.Map(cells, single, None, arity=1)`.

        >>> import op2
        >>> with op2.Context("sequential") as context:
        ...     edges, nodes = op2.Set(context, 2), op2.Set(context, 3)
        ...     whole = op2.Map(edges, op2.Set.single(context), None, arity=1)
        ...     row = op2.Mat(op2.Sparsity([(whole, op2.Map(edges, nodes, [[0, 1], [1, 2]]))]))
        ...     text = "void add(double *a) { a[0] += 1; a[1] += 2; }"
        ...     add = op2.Kernel(context, "add", text)
        ...     op2.par_loop(add, edges, row(op2.INC, *row.sparsity.pairs[0]))
        ...     row.toarray()
        array([[1., 3., 2.]])
        """
        return cls._of(context, name, lib.op2_set_create_single, context._p, name_of(name))

    @property
    def size(self) -> int:
        """The number of elements that this rank owns."""
        return lib.op2_set_size(self._p)

    def __len__(self) -> int:
        return max(self.size, 0)

    def __bool__(self) -> bool:
        return True

    @property
    def sections(self) -> Tuple[int, int, int, int]:
        """The ends of core, owned, exec halo and non-exec halo."""
        ends = ffi.new("int64_t[4]")
        self.context._do(lib.op2_set_sections, self._p, ends)
        core, owned, exec_halo, all_elements = ends
        return core, owned, exec_halo, all_elements

    @property
    def global_size(self) -> int:
        """The number of elements of the whole set, over all ranks."""
        return lib.op2_set_global_size(self._p)

    def _numbers(self, function: Any) -> np.ndarray:
        found = np.empty(self.sections[3], "i8")
        self.context._do(function, self._p, _room(found))
        return found

    @property
    def global_numbers(self) -> np.ndarray:
        """The global numbers of all elements that this rank has, halo included."""
        return self._numbers(lib.op2_set_global)

    @property
    def numbering(self) -> np.ndarray:
        """The order in which the library keeps and visits the elements."""
        return self._numbers(lib.op2_set_numbering)

    def subset(self, indices: Any, name: Optional[str] = None) -> "Subset":
        """The subset of these elements, in ascending order; of a subset, of these positions."""
        chosen = numbers(indices if len(indices) else np.empty(0, "i8"), "i8")
        return Subset._part(self, name, lib.op2_subset_create, self._p, chosen.size,
                          pointer(chosen, "int64_t[]"))

    def union(self, other: "Set", name: Optional[str] = None) -> "Subset":
        """The elements that are in this one, in the other, or in both."""
        return Subset._part(self, name, lib.op2_subset_create_union, self._p, other._p)

    def intersection(self, other: "Set", name: Optional[str] = None) -> "Subset":
        """The elements that are in both."""
        return Subset._part(self, name, lib.op2_subset_create_intersection, self._p, other._p)

    def difference(self, other: "Set", name: Optional[str] = None) -> "Subset":
        """The elements that are in this one and not in the other."""
        return Subset._part(self, name, lib.op2_subset_create_difference, self._p, other._p)

    def __or__(self, other: Any) -> "Subset":
        if not isinstance(other, Set):
            return NotImplemented
        return self.union(other)

    def __and__(self, other: Any) -> "Subset":
        if not isinstance(other, Set):
            return NotImplemented
        return self.intersection(other)

    def __sub__(self, other: Any) -> "Subset":
        if not isinstance(other, Set):
            return NotImplemented
        return self.difference(other)


class Subset(Set):
    """Some elements of a set, which can be looped over wherever the set can. Set.subset() and the
    operators `|`, `&` and `-` of sets make them."""

    #: The set that the elements are of.
    base: Set

    def __init__(self, parent: Set, indices: Any, name: Optional[str] = None):
        made = parent.subset(indices, name)
        self.__dict__.update(made.__dict__)
        made._owns = False

    @classmethod
    def _part(cls, parent: Set, name: Optional[str], function: Any, *arguments: Any) -> "Subset":
        self = cls.__new__(cls)
        Object.__init__(self, parent.context, name)
        self.base = getattr(parent, "base", parent)
        self._create(function, *arguments, name_of(name))
        return self

    @property
    def indices(self) -> np.ndarray:
        """The elements, in ascending order."""
        count, found = ffi.new("int64_t *"), ffi.new("const int64_t **")
        with self.context._lock:
            self.context._do(lib.op2_subset_indices, self._p, count, found)
            if not count[0]:
                return np.empty(0, "i8")
            return np.frombuffer(ffi.buffer(found[0], 8 * count[0]), "i8").copy()


class Map(Object):
    """`arity` elements of one set for every element of another.

    `values` has a row for each element of `source`, or is one-dimensional if the arity is one or
    given. Entries are numbers from `base` on, which is 0 or 1. With `partial`, entries below it lead
    nowhere: only arguments of matrices take such maps.

    >>> import op2
    >>> with op2.Context("sequential") as context:
    ...     edges, nodes = op2.Set(context, 2), op2.Set(context, 3)
    ...     ends = op2.Map(edges, nodes, [[0, 1], [1, 2]], "ends")
    ...     ends.arity, ends.rows
    (2, 2)
    >>> with op2.Context("sequential") as context:
    ...     op2.Map(op2.Set(context, 1, "edges"), op2.Set(context, 3, "nodes"), [[0, 7]], "ends")
    Traceback (most recent call last):
    ...
    op2.errors.RangeError: map 'ends' (edges -> nodes): entry 7 at row 0, column 1 is not in [0, 3)
    """

    _kind = "map"

    def __init__(self, source: Set, target: Set, values: Any, name: Optional[str] = None, *,
                 arity: Optional[int] = None, partial: bool = False, base: int = 0):
        super().__init__(source.context, name)
        self._of_entries(source, target, source.sections[3], values, arity, partial=partial,
                         base=base)

    def _of_entries(self, source: Set, target: Set, rows: int, values: Any, arity: Optional[int],
                    **options: Any) -> None:
        entries, arity = _rows(rows, values, arity, self)
        self.source, self.target = source, target
        kind = np.dtype("i4") if entries is None else entries.dtype
        how, _kept = structs.fill("op2_entries_desc", {"type": type_of(kind), **options})
        self._create(lib.op2_map_create_entries, source._p, target._p, arity, how,
                     _entries(entries), name_of(self.name))

    @classmethod
    def _of(cls, source: Set, target: Set, name: Optional[str], function: Any,
            *arguments: Any) -> "Map":
        self = cls.__new__(cls)
        Object.__init__(self, source.context, name)
        self.source, self.target = source, target
        self._create(function, *arguments)
        return self

    @classmethod
    def by_global_numbers(cls, source: Set, target: Set, values: Any, name: Optional[str] = None,
                          *, arity: Optional[int] = None, partial: bool = False,
                          base: int = 0) -> "Map":
        """A map by the global numbers of its targets, for Context.partition()."""
        self = cls.__new__(cls)
        Object.__init__(self, source.context, name)
        self._of_entries(source, target, source.size, values, arity, partial=partial, base=base,
                         **{"global": True})
        return self

    def permuted(self, order: Sequence[int], name: Optional[str] = None) -> "Map":
        """The map whose slot k is slot order[k] of this one."""
        slots = [int(slot) for slot in order]
        if len(slots) != self.arity:
            raise errors.RangeError(f"{self}: {len(slots)} slots, and the arity is {self.arity}")
        return Map._of(self.source, self.target, name, lib.op2_map_create_permuted, self._p, slots,
                       name_of(name))

    @staticmethod
    def composed(maps: Iterable["Map"], name: Optional[str] = None) -> "Map":
        """The first map after the second, after the third, and so on."""
        parts = list(maps)
        if not parts:
            raise errors.ArgumentError("Map.composed: there are no maps")
        return Map._of(parts[-1].source, parts[0].target, name, lib.op2_map_create_composed,
                       len(parts), [part._p for part in parts], name_of(name))

    def renumber(self) -> None:
        """Renumber the mesh, so that elements near in the mesh are near in memory."""
        self.context._settle_all()
        self.context._do(lib.op2_renumber, self._p)

    @property
    def arity(self) -> int:
        """The number of slots."""
        return self._shape()[0]

    @property
    def rows(self) -> int:
        """The number of rows that are here, halo included."""
        return self._shape()[1]

    @property
    def values(self) -> np.ndarray:
        """A copy of the entries: for each owned element its targets, by their positions among the
        elements that this rank has; -1 leads nowhere."""
        return self._entries(lib.op2_map_get, "int32_t *", "i4")

    @property
    def global_values(self) -> np.ndarray:
        """A copy of the entries by global numbers, in the order of Set.global_numbers."""
        return self._entries(lib.op2_map_get_global, "int64_t *", "i8")

    def _entries(self, function: Any, kind: str, dtype: str) -> np.ndarray:
        found = np.empty((self.source.size, self.arity), dtype)
        self.context._do(function, self._p, ffi.cast(kind, found.ctypes.data))
        return found

    def _shape(self) -> Tuple[int, int]:
        arity, rows = ffi.new("int *"), ffi.new("int64_t *")
        self.context._do(lib.op2_map_shape, self._p, arity, rows)
        return arity[0], rows[0]


def _ends(ends: Any) -> Any:
    given = [int(end) for end in ends]
    if len(given) != 4:
        raise errors.ArgumentError(f"{len(given)} ends of sections, and a set has 4")
    return ffi.new("int64_t[4]", given)


def _room(array: np.ndarray) -> Any:
    """The address of an array that C fills, never null."""
    return ffi.cast("int64_t *", array.ctypes.data)


def _entries(entries: Optional[np.ndarray]) -> Any:
    """The address of a map's entries. A map of an empty set has entries, too: none of them."""
    if entries is not None and not entries.size:
        return ffi.new("int64_t[]", 1)
    return pointer(entries)


def _rows(rows: int, values: Any, arity: Optional[int],
          owner: Any) -> Tuple[Optional[np.ndarray], int]:
    """The entries of a map, and its arity."""
    if values is None:
        if arity is None:
            raise errors.ArgumentError(f"{owner}: without values the arity has to be given")
        return None, arity
    given = np.asarray(values)
    entries = numbers(given, "i4" if given.dtype == np.int32 else "i8", owner)
    if arity is None:
        arity = int(np.prod(entries.shape[1:])) if entries.ndim > 1 else 1
    if entries.size != rows * arity:
        raise errors.MismatchError(f"{owner}: {entries.size} entries, and {rows} rows of {arity} "
                                   f"need {rows * arity}")
    return entries, arity
