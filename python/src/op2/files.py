# SPDX-License-Identifier: BSD-3-Clause
"""Meshes and values in files of HDF5, laid out as OP2's. They need libop2-hdf5."""
from __future__ import annotations

import os
import warnings
from typing import TYPE_CHECKING, Any, Dict, List, Optional, Tuple, Union

import numpy as np

from ._companions import companion
from ._native import ffi, lib
from ._object import DTYPES, name_of, numbers, pointer, type_of
from .errors import ArgumentError, OptionError, text
from .matrices import Mat, Sparsity
from .mesh import Map, Set, Subset
from .values import Constant, Dat, Global

if TYPE_CHECKING:
    from .context import Context

_KINDS: Dict[int, Any] = {lib.OP2_OBJECT_SET: Set, lib.OP2_OBJECT_MAP: Map,
                          lib.OP2_OBJECT_DAT: Dat, lib.OP2_OBJECT_GBL: Global,
                          lib.OP2_OBJECT_CONST: Constant}
_MODES = {"r": "READ", "w": "CREATE", "a": "ADD"}


class File:
    """An open file. `mode` is "r" to read it, "w" to write a new one, or "a" to read it and write
    more.

    What is written replaces a former file when this one is closed, and not before. A block of
    `with` closes it. Among ranks, all make the same calls.

    >>> import op2, tempfile
    >>> name = tempfile.mkdtemp() + "/mesh.h5"
    >>> with op2.Context("sequential") as context:
    ...     cells = op2.Set(context, 3, "cells")
    ...     with op2.File(context, name, "w") as file:
    ...         file.write(cells)
    ...         file.write(op2.Dat(cells, [1.0, 2.0, 3.0], name="x"))
    ...     with op2.File(context, name) as file:
    ...         cells = file.read_set("cells")
    ...         x = file.read_dat(cells, "x")
    ...     cells.size, x.get()
    (3, array([1., 2., 3.]))
    """

    _handle: Any = None

    def __init__(self, context: "Context", path: Union[str, "os.PathLike[str]"], mode: str = "r"):
        if mode not in _MODES:
            raise OptionError(f"mode is '{mode}', and is one of {', '.join(_MODES)}")
        #: The context that sets, maps and dats are of.
        self.context = context
        #: The path of the file.
        self.path = os.fspath(path)
        self._ffi, self._lib = companion("hdf5")
        made = self._ffi.new("op2_file *")
        context._call(self._lib.op2_file_open, context._p, os.fsencode(self.path),
                      getattr(self._lib, "OP2_FILE_" + _MODES[mode]), made)
        self._handle = made
        #: The maps that read_all() has made, by their names.
        self._maps: Dict[str, Map] = {}

    def close(self) -> None:
        """Close the file. If this fails, a former file is unchanged."""
        handle, self._handle = self._handle, None
        self._maps.clear()
        if handle is not None:
            self.context._do(self._lib.op2_file_close, handle)

    def __enter__(self) -> "File":
        return self

    def __exit__(self, *_error: Any) -> None:
        self.close()

    def __del__(self) -> None:
        # Closing is collective and writes, so that the collector of garbage must not do it.
        if self._handle is not None:
            warnings.warn(f"file '{self.path}' was not closed, and is not kept", ResourceWarning,
                          source=self)

    def _do(self, name: str, *arguments: Any) -> None:
        if self._handle is None:
            raise ArgumentError(f"file '{self.path}' is closed")
        self.context._do(getattr(self._lib, "op2_file_" + name), self._handle[0], *arguments)

    # ---- reading ----

    def shape(self, name: str) -> Tuple[int, int, np.dtype]:
        """The rows, the values in a row and the type of a dataset."""
        rows, columns = ffi.new("int64_t *"), ffi.new("int *")
        kind = self._ffi.new("op2_type *")
        self._do("shape", name.encode(), rows, columns, kind)
        return rows[0], columns[0], DTYPES[kind[0]]

    def read_set(self, name: str) -> Set:
        """The set of this name; among ranks, this rank's block of it."""
        return Set._of(self.context, name, self._reader("read_set"), name.encode())

    def __contains__(self, name: str) -> bool:
        found = self._ffi.new("bool *")
        self._do("has", name.encode(), found)
        return bool(found[0])

    def read_set_of_rows(self, dataset: str, name: str) -> Set:
        """A set with an element for each row of a dataset, for files without sets."""
        return Set._of(self.context, name, self._reader("read_set_rows"), dataset.encode(),
                       name.encode())

    def read_map(self, source: Set, target: Set, name: str, partial: bool = False) -> Map:
        """The map of this name. With `partial`, entries of -1 lead nowhere."""
        arity = self.shape(name)[1]
        reader = self._reader("read_map_partial") if partial else self._reader("read_map")
        return Map._of(source, target, name, reader, source._p, target._p, arity, name.encode())

    def read_dat(self, set: Set, name: str) -> Dat:
        """The dat of this name, with its values."""
        _, dim, dtype = self.shape(name)
        return Dat._made(set, dim, dtype, name, self._reader("read_dat"), set._p, dim,
                         type_of(dtype), name.encode())

    def read_values(self, name: str) -> np.ndarray:
        """Values that are kept without a set: those of constants, for instance."""
        rows, columns, dtype = self.shape(name)
        values = np.empty(rows * columns, dtype)
        self._do("read_const", rows * columns, type_of(dtype), name.encode(), _memory(values))
        return values

    def read_rows(self, name: str, first: int, count: int) -> np.ndarray:
        """Rows of a map or dat as they are in the file; each rank may ask for others."""
        _, columns, dtype = self.shape(name)
        rows = np.empty((count, columns), dtype)
        self._do("read_rows", name.encode(), first, count, columns, type_of(dtype), _memory(rows))
        return rows

    def read_all(self) -> Dict[str, Any]:
        """All that dump() has written but for sparsities and matrices, by its names: sets, subsets,
        maps, dats, globals and constants."""
        made: Dict[str, Any] = {}
        sets: Dict[int, Set] = {}
        for found, name in self._objects("read_all"):
            each = _KINDS[found.kind]._adopt(self.context, found.handle, name)
            if isinstance(each, Set):
                sets[_address(found.handle)] = each
            self._complete(each, sets)
            made[name] = each
        self._maps = {name: each for name, each in made.items() if isinstance(each, Map)}
        return made

    def read_matrices(self) -> Dict[str, Any]:
        """The sparsities and matrices that dump() has written, by their names. read_all() comes
        before, and among several ranks Context.partition() between both. Until the file is closed
        it keeps the maps that read_all() has made.

        >>> import op2, tempfile
        >>> name = tempfile.mkdtemp() + "/state.h5"
        >>> with op2.Context("sequential") as context:
        ...     edges, nodes = op2.Set(context, 1, "edges"), op2.Set(context, 2, "nodes")
        ...     ends = op2.Map(edges, nodes, [[0, 1]], "ends")
        ...     A = op2.Mat(op2.Sparsity(ends, "pattern"), name="A")
        ...     A.set_values([0, 1], [0, 1], [2.0, 3.0])
        ...     op2.dump(context, name)
        >>> with op2.Context("sequential") as context, op2.File(context, name) as file:
        ...     mesh, matrices = file.read_all(), file.read_matrices()
        ...     sorted(matrices), matrices["A"].toarray()
        (['A', 'pattern'], array([[2., 0.],
               [0., 3.]]))
        """
        objects = self._objects("read_matrices")
        pairs, of = self._parts_of_matrices()
        made: Dict[str, Any] = {}
        sparsities: Dict[str, Sparsity] = {}
        for found, name in objects:
            if found.kind == lib.OP2_OBJECT_SPARSITY:
                made[name] = sparsities[name] = Sparsity._found(found.handle, name, pairs[name])
            else:
                made[name] = Mat._found(found.handle, name, sparsities[of[name]])
        return made

    def _objects(self, function: str) -> List[Tuple[Any, str]]:
        """What a function of the library makes a list of, with the names."""
        count, list_ = ffi.new("int64_t *"), self._ffi.new("const op2_object **")
        self._do(function, count, list_)
        return [(found, text(found.name) or "")
                for found in self._ffi.unpack(list_[0], count[0])]

    def _parts_of_matrices(self) -> Tuple[Dict[str, List[Tuple[Map, Map]]], Dict[str, str]]:
        """The pairs of maps of each sparsity and the sparsity of each matrix, by the file's text
        (op2/io.h). A whole diagonal is a pair of no maps, and left out."""
        pairs: Dict[str, List[Tuple[Map, Map]]] = {}
        of: Dict[str, str] = {}
        written = self.read_values("op2_contents").tobytes().decode(errors="replace")
        for line in written.rstrip("\n").split("\n"):
            kind, name, *others = line.split("\t")
            if kind == "pair" and all(others):
                pairs.setdefault(name, []).append((self._maps[others[0]], self._maps[others[1]]))
            elif kind == "matrix":
                of[name] = others[0]
        return pairs, of

    @staticmethod
    def _complete(made: Any, sets: Dict[int, Set]) -> None:
        """What an object of this package has beside the handle."""
        info = made._info()
        if isinstance(made, Set):
            base = sets[_address(info.base)]
            if base is not made:
                made.__class__ = Subset
                setattr(made, "base", base)
        elif isinstance(made, Map):
            made.source = sets[_address(getattr(info, "from"))]
            made.target = sets[_address(info.to)]
        elif isinstance(made, Dat):
            made.set = sets[_address(info.set)]
        if not isinstance(made, (Set, Map)):
            made._declare(None, info.dim, DTYPES[info.type], ())

    def _reader(self, function: str) -> Any:
        return lambda *arguments: self._status(function, *arguments)

    def _status(self, function: str, *arguments: Any) -> int:
        if self._handle is None:
            raise ArgumentError(f"file '{self.path}' is closed")
        status: int = getattr(self._lib, "op2_file_" + function)(self._handle[0], *arguments)
        return status

    # ---- writing ----

    def write(self, what: Any, name: Optional[str] = None) -> None:
        """Write a set, map or dat, under its own name or another one."""
        kinds = {Set: "set", Map: "map", Dat: "dat"}
        kind = next((kind for cls, kind in kinds.items() if isinstance(what, cls)), None)
        if kind is None:
            raise ArgumentError(f"file '{self.path}': {what!r} is no set, map or dat")
        what._settle()
        self._do("write_" + kind, what._p, name_of(name))

    def update(self, dat: Dat, name: Optional[str] = None) -> None:
        """Write the values of a dat over those that the file has, if it has any."""
        dat._settle()
        self._do("update_dat", dat._p, name_of(name))

    def write_values(self, name: str, values: Any, dtype: Any = None) -> None:
        """Write values without a set."""
        array = numbers(values, dtype, f"file '{self.path}': '{name}'")
        self._do("write_const", array.size, type_of(array.dtype), name.encode(), pointer(array))


def dump(context: "Context", path: Union[str, "os.PathLike[str]"]) -> None:
    """Write a file of all sets, subsets, maps, dats, globals, constants and matrices of a context,
    under their names."""
    for dat in list(context._lending):
        dat._settle()
    context._do(companion("hdf5")[1].op2_file_dump, context._p, os.fsencode(os.fspath(path)))


def _address(handle: Any) -> int:
    return int(ffi.cast("uintptr_t", handle))


def _memory(array: np.ndarray) -> Any:
    return ffi.cast("void *", array.ctypes.data)
