# SPDX-License-Identifier: BSD-3-Clause
"""Sparsities, matrices and solvers."""
from __future__ import annotations

import contextlib
from typing import Any, Dict, Iterator, List, Optional, Tuple
from weakref import WeakValueDictionary

import numpy as np

from .. import loops, matrices, values
from ..enums import INC, READ, WRITE, Access
from . import _kernels, _single
from ._checks import C_TYPES, check_mode, name_for, type_for, values_for
from ._mixed import Single
from .arguments import Arg
from ._configuration import context
from ._wrapper import maps_of
from .data import Dat, MixedDat, vector
from .exceptions import (DataTypeError, DatTypeError, MapTypeError, MapValueError, MatTypeError,
                         SparsityTypeError)
from .maps import Map, MixedMap, Slot
from .scalars import Global
from .sets import DataSet, MixedDataSet, MixedSet, Set, Subset, data_set

Pair = Tuple[Map, Map]
#: The sparsities of the library, by their pairs of maps, as long as somebody has them.
_shared: "WeakValueDictionary[Any, matrices.Sparsity]" = WeakValueDictionary()


def _identity(set_: Set) -> Map:
    """The map of a set to itself, which gives each row a nonzero on the diagonal."""
    made = getattr(set_, "_identity", None)
    if made is None:
        made = Map(set_, set_, 1, np.arange(set_.total_size), f"identity_{set_.name}")
        setattr(set_, "_identity", made)
    return made


def _is_map(given: Any) -> bool:
    """True for a map or None, which stands for a global."""
    return given is None or isinstance(given, (Map, MixedMap))


def _pairs(maps: Any) -> List[Tuple[Any, Any]]:
    """Pairs of maps: of one map, of a pair, or of a list of maps, pairs and (rows, columns,
    regions)."""
    if isinstance(maps, (Map, MixedMap)):
        return [(maps, maps)]
    if isinstance(maps, tuple) and len(maps) == 2 and all(map(_is_map, maps)):
        return [(maps[0], maps[1])]
    pairs = []
    for given in maps if isinstance(maps, (list, tuple, set, frozenset)) else [maps]:
        pair = (given, given) if isinstance(given, (Map, MixedMap)) else given
        if not isinstance(pair, (tuple, list)) or len(pair) not in (2, 3) or \
                not all(map(_is_map, pair[:2])):
            raise MapTypeError(f"Sparsity: {given!r} is neither a map nor a pair of maps")
        pairs.append((pair[0], pair[1]))
    return pairs


def _blocks(maps: Any) -> Dict[Tuple[int, int], List[Pair]]:
    """The pairs of plain maps for each block, each pair once."""
    found: Dict[Tuple[int, int], List[Pair]] = {}
    if isinstance(maps, dict):
        found = {block: _pairs(list(pairs)) for block, pairs in maps.items()}
    else:
        for rows, columns in _pairs(maps):
            for i, row in enumerate(maps_of(rows)):
                for j, column in enumerate(maps_of(columns)):
                    found.setdefault((i, j), []).append((row, column))
    return {block: list(dict.fromkeys(pairs)) for block, pairs in found.items()}


def _target(map: Any) -> Set:
    return _single.single_set() if map is None else map.toset


def _op2_pair(row: Any, column: Any) -> Tuple[Any, Any]:
    """The op2.Maps of a pair, one of which may be None."""
    base = (column if row is None else row).iterset
    made = [_single.map_from(base) if map is None else map.op2 for map in (row, column)]
    return made[0], made[1]


class Sparsity(Single):
    """Where matrices may have nonzeros. `dsets` are the data sets of rows and columns, or one for
    both; `maps` is a map, a pair of maps to rows and columns, a list of these, or lists by blocks:
    `{(i, j): [(rows, columns, regions)]}`. Square ones have the whole diagonal. Rows or columns on
    `GlobalDataSet(g)` are those of a global, and None is in place of a map to them."""

    def __init__(self, dsets: Any, maps: Any, name: Optional[str] = None, nest: Any = None,
                 block_sparse: Any = None):
        one = isinstance(dsets, (Set, DataSet, MixedSet, MixedDataSet))
        sides = (dsets, dsets) if one else tuple(dsets)
        self.dsets = tuple(data_set(side) for side in sides)
        self.name = name_for(name, "sparsity")
        self.shape = (len(self.dsets[0]), len(self.dsets[1]))
        #: The pairs of maps for each block.
        self.rcmaps = _blocks(maps)
        if self.shape == (1, 1):
            self._of = [[self]]
            self._make(self.rcmaps.get((0, 0), []))
        else:
            self._of = [[Sparsity((rows, columns), {(0, 0): self.rcmaps.get((i, j), [])},
                                  f"{self.name}_{i}_{j}")
                         for j, columns in enumerate(self.dsets[1])]
                        for i, rows in enumerate(self.dsets[0])]

    def _make(self, pairs: List[Pair]) -> None:
        rows, columns = self.dsets[0].set, self.dsets[1].set
        for row, column in pairs:
            if _target(row) is not rows or _target(column) is not columns:
                raise RuntimeError(f"sparsity '{self.name}': {row} and {column} do not lead to "
                                   f"{rows} and {columns}")
        # Every element leads to the only nonzero of two globals, so that no pair is needed.
        given = [pair for pair in pairs if any(map is not None for map in pair)]
        if rows is columns and rows.total_size:
            given.append((_identity(rows), _identity(rows)))
        if not given:
            none = Set(0)
            given.append((Map(none, rows, 1, []), Map(none, columns, 1, [])))
        op2_pairs = [_op2_pair(*pair) for pair in given]
        key = tuple((id(row), id(column)) for row, column in op2_pairs)
        made = _shared.get(key)
        if made is None:
            made = _shared[key] = matrices.Sparsity(op2_pairs, self.name)
        #: The op2.Sparsity.
        self.op2 = made

    def __getitem__(self, block: Any) -> Any:
        return self._of[block[0]][block[1]] if isinstance(block, tuple) else self._of[block]

    @property
    def split(self) -> Tuple[Any, ...]:
        """The sparsities of the blocks, row by row."""
        return tuple(block for row in self._of for block in row)

    @property
    def maps(self) -> List[Pair]:
        """The pairs of maps of the first block."""
        return self.rcmaps.get((0, 0), [])

    @property
    def dims(self) -> Tuple[Tuple[Tuple[int, int], ...], ...]:
        """The extents of each nonzero, for each block."""
        return tuple(tuple((row.cdim, column.cdim) for column in self.dsets[1])
                     for row in self.dsets[0])

    @property
    def nrows(self) -> int:
        """The number of rows of nonzeros that this rank owns."""
        return self.dsets[0].set.size

    @property
    def ncols(self) -> int:
        """The number of columns of nonzeros that this rank owns."""
        return self.dsets[1].set.size

    @property
    def rowptr(self) -> np.ndarray:
        """Where the nonzeros of each row start."""
        return self.op2.get()[0].astype(np.int32)

    @property
    def colidx(self) -> np.ndarray:
        """The column of each nonzero."""
        return self.op2.get()[1].astype(np.int32)

    @property
    def nnz(self) -> np.ndarray:
        """The number of nonzeros of each row."""
        return np.diff(self.rowptr)

    @property
    def nz(self) -> int:
        """The number of nonzeros."""
        return sum(block.op2.size[1] for block in self)

    def __str__(self) -> str:
        return f"OP2 Sparsity: {self.name}, dsets {self.dsets}, maps {self.rcmaps}"

    def __repr__(self) -> str:
        return f"Sparsity({self.dsets!r}, {self.rcmaps!r}, {self.name!r})"


class Mat(Single):
    """A matrix, zero at first. On mixed data sets it has blocks, `mat[i, j]`.

    >>> from op2 import pyop2 as op2
    >>> edges, nodes = op2.Set(2), op2.Set(3)
    >>> ends = op2.Map(edges, nodes, 2, [0, 1, 1, 2])
    >>> mat = op2.Mat(op2.Sparsity(nodes, ends))
    >>> ones = op2.Kernel('''
    ... static void ones(double a[2][2]) {
    ...   a[0][0] += 1; a[0][1] -= 1; a[1][0] -= 1; a[1][1] += 1;
    ... }''', "ones")
    >>> op2.par_loop(ones, edges, mat(op2.INC, (ends, ends)))
    >>> mat.values
    array([[ 1., -1.,  0.],
           [-1.,  2., -1.],
           [ 0., -1.,  1.]])
    >>> op2.exit()
    """

    _modes = (WRITE, INC)

    def __init__(self, sparsity: Sparsity, dtype: Any = None, name: Optional[str] = None):
        if not isinstance(sparsity, Sparsity):
            raise SparsityTypeError(f"Mat: {sparsity!r} is no sparsity")
        self.sparsity, self.name = sparsity, name_for(name, "mat")
        kind = type_for(np.float64 if dtype is None else dtype)
        if kind is None or kind.kind != "f" or kind not in C_TYPES:
            raise DataTypeError(f"matrix '{self.name}': values are floating-point numbers")
        self.dtype = kind
        if sparsity.shape == (1, 1):
            self._of = [[self]]
            #: The op2.Mat.
            self.op2 = matrices.Mat(sparsity.op2, sparsity.dims[0][0], kind, self.name)
        else:
            self._of = [[Mat(block, kind, f"{self.name}_{i}_{j}") for j, block in enumerate(row)]
                        for i, row in enumerate(sparsity._of)]

    def __getitem__(self, block: Any) -> Any:
        return self._of[block[0]][block[1]] if isinstance(block, tuple) else self._of[block]

    @property
    def split(self) -> Tuple[Any, ...]:
        """The blocks, row by row."""
        return tuple(block for row in self._of for block in row)

    @property
    def blocks(self) -> List[List[Any]]:
        """The blocks."""
        return self._of

    @property
    def dims(self) -> Any:
        """The extents of each nonzero, for each block."""
        return self.sparsity.dims

    @property
    def nrows(self) -> int:
        """The number of rows of values that this rank owns."""
        return sum(part.set.size * part.cdim for part in self.sparsity.dsets[0])

    @property
    def ncols(self) -> int:
        """The number of columns of values that this rank owns."""
        return sum(part.set.size * part.cdim for part in self.sparsity.dsets[1])

    @property
    def nbytes(self) -> int:
        """The size of the values in bytes."""
        extents = [rows * columns for line in self.dims for rows, columns in line]
        return self.dtype.itemsize * sum(
            block.sparsity.nz * extent for block, extent in zip(self, extents))

    @property
    def values(self) -> np.ndarray:
        """A copy with all zeros, for small matrices on one rank."""
        return np.block([[block.op2.toarray() for block in row] for row in self._of])

    def __call__(self, access: Access, path: Any, lgmaps: Any = None,
                 unroll_map: bool = False) -> Arg:
        """An argument of a loop: one dense block for the rows and columns that the maps of `path`
        lead to."""
        check_mode(access, self._modes, f"matrix '{self.name}'")
        if lgmaps is not None:
            raise NotImplementedError(
                f"matrix '{self.name}': lgmaps: maps with negative entries leave out rows and "
                "columns, and so does op2.Mat.drop() of the package op2")
        pair = tuple(_pairs_of_path(path))
        if len(pair) != 2:
            raise MapTypeError(f"matrix '{self.name}': {path!r} is no pair of maps")
        for i, row in enumerate(maps_of(pair[0])):
            for j, column in enumerate(maps_of(pair[1])):
                if (row, column) not in self.sparsity.rcmaps.get((i, j), []):
                    raise MapValueError(f"matrix '{self.name}': {row} and {column} are no pair of "
                                        f"{self.sparsity.name}")
        return Arg(self, access, pair)

    def zero(self) -> None:
        """Queue: all values become zero."""
        for block in self:
            block.op2.zero()

    def zero_rows(self, rows: Any, diag_val: float = 1.0) -> None:
        """Queue: rows, of a subset or a sequence, become zero, but for their diagonal."""
        self.op2.zero_rows(self._rows(rows).op2, diag_val)

    def set_local_diagonal_entries(self, rows: Any, diag_val: float = 1.0,
                                   idx: Optional[int] = None) -> None:
        """Queue: the diagonal of rows gets a value; with `idx` that of one value of each row."""
        rows = self._rows(rows)
        own, dim = _identity(rows.superset), self.sparsity.dsets[0].cdim
        # A block is written as a whole, so the values beside its diagonal are written once more.
        old = Dat(rows.superset ** (dim * dim), None, self.dtype)
        self.op2.diagonal(old.op2)
        kind, changed = C_TYPES[self.dtype], range(dim) if idx is None else [idx]
        sets = " ".join(f"a[{n * dim + n}] = *value;" for n in changed)
        kernel = _kernels.kernel("op2_set_diagonal", (
            f"static void op2_set_diagonal({kind} *a, const {kind} *old, const double *value) "
            f"{{ for (int n = 0; n < {dim * dim}; n++) a[n] = old[n]; {sets} }}"))
        loops.par_loop(kernel, rows.op2, self.op2(WRITE, own.op2, own.op2), old.op2(READ),
                       float(diag_val))

    def _rows(self, rows: Any) -> Subset:
        return rows if isinstance(rows, Subset) else Subset(self.sparsity.dsets[0].set, rows)

    def assemble(self) -> None:
        """Nothing: a matrix is assembled when its values are needed."""

    def mult(self, x: Any, y: Any) -> None:
        """Queue: y = A x, for dats and globals or, with blocks, mixed dats."""
        parts = [_vector(part) for part in x.split]
        for row, into in zip(self._of, y):
            with _Changed(into) as total:
                row[0].op2.mult(parts[0], total)
                for block, part in zip(row[1:], parts[1:]):
                    product = _zeros(into)
                    block.op2.mult(part, product)
                    total.axpy(1.0, product)

    def __mul__(self, x: Any) -> Any:
        rows = self.sparsity.dsets[0]
        product = MixedDat([vector(part, self.dtype) for part in rows]) \
            if isinstance(rows, MixedDataSet) else vector(rows, self.dtype)
        self.mult(x, product)
        return product

    def addto_values(self, rows: Any, cols: Any, values: Any) -> None:
        """Add a dense matrix of values to these rows and columns, by this rank's numbers. What is
        queued for the matrix runs first."""
        self.op2.add_values(*self._places(rows, cols, values))

    def set_values(self, rows: Any, cols: Any, values: Any) -> None:
        """Overwrite values, as addto_values() adds them."""
        self.op2.set_values(*self._places(rows, cols, values))

    def _places(self, rows: Any, cols: Any, values: Any) -> Tuple[Any, Any, Any]:
        """The global row and column of each block, and its values."""
        (height, width), numbers = self.dims[0][0], []
        for given, side in zip((rows, cols), self.sparsity.dsets):
            numbers.append(side.set.op2.global_numbers[np.atleast_1d(given)])
        down, across = len(numbers[0]), len(numbers[1])
        dense = values_for(values, self.dtype, (down * height, across * width),
                           f"matrix '{self.name}'")
        blocks = dense.reshape(down, height, across, width).transpose(0, 2, 1, 3)
        return np.repeat(numbers[0], across), np.tile(numbers[1], down), blocks

    @property
    def handle(self) -> Any:
        """Refused: PETSc gets a matrix for the time of a block."""
        raise NotImplementedError(
            f"matrix '{self.name}': handle: `with op2.petsc.mat(A.op2) as M:` gives PETSc a matrix "
            "for the time of a block (doc/python.md)")

    def __str__(self) -> str:
        return f"OP2 Mat: {self.name}, sparsity ({self.sparsity}), datatype {self.dtype}"

    def __repr__(self) -> str:
        return f"Mat({self.sparsity!r}, {self.dtype!r}, {self.name!r})"


def _pairs_of_path(path: Any) -> Iterator[Any]:
    """The maps of a matrix's argument. Their iteration indices say nothing: blocks are whole."""
    for given in path if isinstance(path, (tuple, list)) else ():
        found = given.map if isinstance(given, Slot) else given
        if not _is_map(found):
            raise MapTypeError(f"{found!r} is no map")
        yield found


def _vector(part: Any) -> values.Dat:
    """The op2.Dat of a dat, or one with the values of a global."""
    return _single.dat_of(part) if isinstance(part, Global) else part.op2


def _zeros(part: Any) -> values.Dat:
    """An op2.Dat like that of a dat or of a global."""
    return _single.dat_like(part) if isinstance(part, Global) else \
        Dat(part.dataset, None, part.dtype).op2


class _Changed:
    """The op2.Dat of a dat, or one whose values a global gets at the end."""

    def __init__(self, part: Any):
        self._part, self._dat = part, _vector(part)

    def __enter__(self) -> values.Dat:
        return self._dat

    def __exit__(self, error: Any, *_: Any) -> None:
        if error is None and isinstance(self._part, Global):
            _single.store(self._dat, self._part)


#: What a solver does unless it is told otherwise, as in PyOP2.
DEFAULT_SOLVER_PARAMETERS = {
    "ksp_type": "cg", "pc_type": "jacobi", "ksp_rtol": 1.0e-7, "ksp_atol": 1.0e-50,
    "ksp_divtol": 1.0e4, "ksp_max_it": 10000, "ksp_gmres_restart": 30,
    "error_on_nonconvergence": True}

# The library's options for PETSc's, and what PETSc calls the choices.
_OPTIONS = {"ksp_type": "method", "pc_type": "preconditioner", "ksp_rtol": "rtol",
            "ksp_atol": "atol", "ksp_divtol": "dtol", "ksp_max_it": "iterations",
            "ksp_gmres_restart": "restart"}
_CHOICES = {"bcgs": "bicgstab", "bjacobi": "block_jacobi", "pbjacobi": "block_jacobi"}


class Solver:
    """A solver for systems of equations, as PyOP2 had it until 2017, with PETSc's names of
    parameters. The library's own methods solve, or PETSc after op2.petsc.use(context())."""

    def __init__(self, parameters: Optional[Dict[str, Any]] = None, **kwargs: Any):
        if parameters and kwargs:
            raise RuntimeError("Solver: parameters were given as a dictionary and as keywords")
        self.parameters = {**DEFAULT_SOLVER_PARAMETERS, **(parameters or kwargs)}
        self._made: Optional[matrices.Solver] = None

    def update_parameters(self, parameters: Dict[str, Any]) -> None:
        """Change parameters for the next solve."""
        self.parameters.update(parameters)
        self._made = None

    def _solver(self) -> matrices.Solver:
        if self._made is None or self._made.context is not context():
            options: Dict[str, Any] = {name: self.parameters[given] for given, name in _OPTIONS.items()}
            for name in ("method", "preconditioner"):
                options[name] = _CHOICES.get(options[name], options[name])
            self._made = matrices.Solver(
                context(), None, start_at_zero=1,
                allow_failure=not self.parameters["error_on_nonconvergence"], **options)
        return self._made

    def solve(self, A: Mat, x: Any, b: Any) -> None:
        """Queue: solve A x = b, beginning at zero. A may have blocks."""
        if not isinstance(A, Mat):
            raise MatTypeError(f"Solver: {A!r} is no matrix")
        for given in (x, b):
            if not isinstance(given, (Dat, Global, MixedDat)):
                raise DatTypeError(f"Solver: {given!r} is neither a dat nor a global")
        right = [_vector(part) for part in b]
        with contextlib.ExitStack() as stack:
            left = [stack.enter_context(_Changed(part)) for part in x]
            if A.sparsity.shape == (1, 1):
                self._solver().solve(A.op2, left[0], right[0])
            else:
                self._solver().solve([[block.op2 for block in row] for row in A.blocks], left,
                                     right)

    @property
    def iterations(self) -> int:
        """The number of iterations of the last solve, which runs first if it has to."""
        return self._solver().result.iterations


def solve(A: Mat, x: Any, b: Any) -> None:
    """Queue: solve A x = b with the default parameters."""
    Solver().solve(A, x, b)
