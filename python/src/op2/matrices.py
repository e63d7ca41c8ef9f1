# SPDX-License-Identifier: BSD-3-Clause
"""Sparse matrices, operators that are given by functions, and solvers."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable, List, Optional, Sequence, Tuple, Union

import numpy as np

from . import structs
from ._native import ffi, lib
from ._object import DTYPES, Object, name_of, numbers, pointer, type_of
from ._place import where
from ._queue import handle, queue
from .arguments import Arg, prepare
from .enums import Access, Norm, Reason, Side
from .errors import ArgumentError, MismatchError, text
from .values import Dat, Global
from .vectors import Number, scalar

if TYPE_CHECKING:
    from .context import Context
    from .mesh import Map, Set

_SolveResult = structs.result("SolveResult", "op2_solve_result")


class SolveResult(_SolveResult):  # type: ignore[misc,valid-type]
    """The outcome of a solve: `reason`, `iterations`, `residual`."""


class Sparsity(Object):
    """The places at which matrices may have values other than zero: those that elements reach by
    pairs of maps, to the rows and to the columns. One map stands for a pair of it and itself."""

    _kind = "sparsity"

    def __init__(self, pairs: Union["Map", Sequence[Any]], name: Optional[str] = None):
        given = pairs if isinstance(pairs, (list, tuple)) else [pairs]
        if not given:
            raise ArgumentError("a sparsity needs a pair of maps")
        #: The pairs of maps.
        self.pairs: List[Tuple["Map", "Map"]] = []
        for pair in given:
            rows, columns = pair if isinstance(pair, tuple) else (pair, pair)
            self.pairs.append((rows, columns))
        super().__init__(self.pairs[0][0].context, name)
        made = ffi.new("op2_map_pair[]", [{"rows": rows._p, "columns": columns._p}
                                          for rows, columns in self.pairs])
        self._create(lib.op2_sparsity_create, len(self.pairs), made, name_of(name))

    @classmethod
    def _found(cls, handle: Any, name: str, pairs: List[Tuple["Map", "Map"]]) -> "Sparsity":
        """The owner of a sparsity that the library has made of these pairs."""
        self: Sparsity = cls._adopt(pairs[0][0].context, handle, name)
        self.pairs = pairs
        return self

    @property
    def size(self) -> Tuple[int, int]:
        """The number of rows of this rank, and of the nonzeros in them."""
        rows, places = ffi.new("int64_t *"), ffi.new("int64_t *")
        self.context._do(lib.op2_sparsity_size, self._p, rows, places)
        return rows[0], places[0]

    def get(self) -> Tuple[np.ndarray, np.ndarray]:
        """Where the nonzeros of each row start, and their columns."""
        rows, places = self.size
        starts, columns = np.empty(rows + 1, "i8"), np.empty(places, "i8")
        self.context._do(lib.op2_sparsity_get, self._p,
                         ffi.cast("int64_t *", starts.ctypes.data),
                         ffi.cast("int64_t *", columns.ctypes.data))
        return starts, columns


class Mat(Object):
    """A sparse matrix, zero at first. Each nonzero is a block of `block` values.

    >>> import op2
    >>> with op2.Context("sequential") as context:
    ...     edges, nodes = op2.Set(context, 2), op2.Set(context, 3)
    ...     ends = op2.Map(edges, nodes, [[0, 1], [1, 2]])
    ...     A = op2.Mat(op2.Sparsity(ends))
    ...     ones = op2.Kernel(context, "ones", '''
    ...         void ones(double a[2][2]) {
    ...           a[0][0] += 1; a[0][1] -= 1; a[1][0] -= 1; a[1][1] += 1;
    ...         }''')
    ...     op2.par_loop(ones, edges, A(op2.INC, ends, ends))
    ...     A.toarray()
    array([[ 1., -1.,  0.],
           [-1.,  2., -1.],
           [ 0., -1.,  1.]])
    """

    _kind = "mat"

    def __init__(self, sparsity: Sparsity, block: Union[int, Tuple[int, int]] = 1,
                 dtype: Any = "f8", name: Optional[str] = None):
        super().__init__(sparsity.context, name)
        #: The sparsity that it was made of.
        self.sparsity = sparsity
        rows, columns = (block, block) if isinstance(block, int) else block
        self._create(lib.op2_mat_create, sparsity._p, rows, columns, type_of(dtype), name_of(name))
        self._extents = self._shape()

    @classmethod
    def _found(cls, handle: Any, name: str, sparsity: Sparsity) -> "Mat":
        """The owner of a matrix that the library has made."""
        self: Mat = cls._adopt(sparsity.context, handle, name)
        self.sparsity, self._extents = sparsity, self._shape()
        return self

    def _shape(self) -> Tuple[int, int, np.dtype, int]:
        rows, columns = ffi.new("int *"), ffi.new("int *")
        kind, places = ffi.new("op2_type *"), ffi.new("int64_t *")
        self.context._do(lib.op2_mat_shape, self._p, rows, columns, kind, places)
        return rows[0], columns[0], DTYPES[kind[0]], places[0]

    @property
    def block(self) -> Tuple[int, int]:
        """The extents of each nonzero."""
        return self._extents[:2]

    @property
    def dtype(self) -> np.dtype:
        """The type of the values."""
        return self._extents[2]

    def __call__(self, access: Access, rows: Optional["Map"] = None,
                 columns: Optional["Map"] = None) -> Arg:
        """An argument of a loop: the nonzeros that an element reaches, as one dense block in INC or
        WRITE. Without maps, of an operator, which uses the matrix, or of a call: the function gets
        this rank's rows as an op2.MatRows."""
        maps = [ffi.NULL if map is None else map._p for map in (rows, columns)]
        return Arg(lib.op2_arg_mat(self._p, *maps, int(access)), self, kept=(rows, columns))

    def drop(self, access: Access, rows: "Map", columns: "Map", side: Side,
             subset: "Set") -> Arg:
        """An argument of a loop, which leaves out what elements have for rows or columns of a
        subset, as boundary conditions need it."""
        made = lib.op2_arg_mat_drop(self._p, rows._p, columns._p, int(access), int(side), subset._p)
        return Arg(made, self, kept=(rows, columns, subset))

    def zero(self) -> None:
        """Queue: all values become zero."""
        queue(self.context, lib.op2_mat_zero_at, self)

    def zero_rows(self, rows: "Set", diagonal: float = 1.0) -> None:
        """Queue: the rows of a subset become zero, but for their diagonal."""
        queue(self.context, lib.op2_mat_zero_rows_at, self, rows, diagonal)

    def zero_rows_columns(self, rows: "Set", diagonal: float = 1.0, x: Optional[Dat] = None,
                          b: Optional[Dat] = None) -> None:
        """Queue: rows and columns of a subset become zero, but for their diagonal; b is changed so
        that the solution has the values of x there."""
        queue(self.context, lib.op2_mat_zero_rows_columns_at, self, rows, diagonal,
              handle(x, Dat), handle(b, Dat))

    def diagonal(self, diagonal: Dat) -> None:
        """Queue: the diagonal goes into a dat."""
        queue(self.context, lib.op2_mat_diagonal_at, self, diagonal)

    def mult(self, x: Dat, y: Dat) -> None:
        """Queue: y = A x."""
        queue(self.context, lib.op2_mat_mult_at, self, x, y)

    def mult_transpose(self, x: Dat, y: Dat) -> None:
        """Queue: y = A^T x."""
        queue(self.context, lib.op2_mat_mult_transpose_at, self, x, y)

    def scale(self, a: Number) -> None:
        """Queue: A = a A."""
        queue(self.context, lib.op2_mat_scale_at, self, scalar(a))

    def axpy(self, a: Number, x: "Mat") -> None:
        """Queue: A = a X + A, for matrices of one sparsity."""
        queue(self.context, lib.op2_mat_axpy_at, self, scalar(a), x)

    def copy_to(self, y: "Mat") -> None:
        """Queue: Y = A, for matrices of one sparsity."""
        queue(self.context, lib.op2_mat_copy_at, self, y)

    def norm(self, norm: Norm = Norm.FROBENIUS, result: Optional[Global] = None) -> Global:
        """A norm, FROBENIUS or INF, as a global."""
        found = Global(self.context, dtype="f8") if result is None else result
        queue(self.context, lib.op2_mat_norm_at, self, int(norm), found)
        return found

    def set_values(self, rows: Any, columns: Any, values: Any) -> None:
        """Overwrite blocks by values of the program, by global rows and columns; each rank may give
        blocks of any rows."""
        self._by_rows(lib.op2_mat_set, rows, columns, values)

    def add_values(self, rows: Any, columns: Any, values: Any) -> None:
        """Add values of the program to blocks, as set_values() overwrites them."""
        self._by_rows(lib.op2_mat_add, rows, columns, values)

    def _by_rows(self, function: Any, rows: Any, columns: Any, values: Any) -> None:
        at = [np.atleast_1d(numbers(places, "i8", self)) for places in (rows, columns)]
        blocks = numbers(values, self.dtype, self)
        size = self.block[0] * self.block[1]
        if at[0].shape != at[1].shape or blocks.size != at[0].size * size:
            raise MismatchError(f"{self}: {at[0].size} rows, {at[1].size} columns and "
                                f"{blocks.size} values, of which each block has {size}")
        self.context._do(function, self._p, at[0].size, pointer(at[0], "int64_t[]"),
                         pointer(at[1], "int64_t[]"), pointer(blocks))

    def get(self) -> np.ndarray:
        """A copy of the values, a block for each nonzero, in the order of Sparsity.get()."""
        rows, columns, dtype, places = self._shape()
        shape = (places,) if rows == columns == 1 else (places, rows, columns)
        values = np.empty(shape, dtype)
        self.context._do(lib.op2_mat_get, self._p, ffi.cast("void *", values.ctypes.data))
        return values

    def csr(self) -> Tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Values, columns and starts of rows, as scipy.sparse.csr_array takes them, or bsr_array
        for blocks."""
        starts, columns = self.sparsity.get()
        return self.get(), columns, starts

    def toarray(self) -> np.ndarray:
        """A copy with all zeros, for small matrices on one rank."""
        values, columns, starts = self.csr()
        height, width = self.block
        rows = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
        extent = self.sparsity.pairs[0][1].target.size
        dense = np.zeros((len(starts) - 1, extent, height, width), self.dtype)
        dense[rows, columns] = values.reshape(-1, height, width)
        return dense.transpose(0, 2, 1, 3).reshape((len(starts) - 1) * height, extent * width)


class Operator(Object):
    """A square matrix that is given by a function of two dats, which queues y = A x.

    `uses` are what the function uses beside x and y, as arguments: dats with READ, WRITE or RW,
    globals with READ, matrices with READ. `preconditioner` is the matrix that preconditioners are
    made from. The two dats are lent: they are of no use when the function has returned. What the
    program gives up inside is freed after the solve.
    """

    _kind = "operator"

    def __init__(self, set: "Set", function: Callable[[Dat, Dat], Any], uses: Sequence[Arg] = (),
                 dim: int = 1, dtype: Any = "f8", preconditioner: Optional[Mat] = None,
                 name: Optional[str] = None):
        super().__init__(set.context, name)
        #: The set of the rows and columns.
        self.set = set
        args, _kept = prepare(uses)
        self._keeps = _Application(self, function, dim, dtype)
        desc = ffi.new("op2_operator_desc *", {
            "set": set._p, "dim": dim, "type": type_of(dtype), "apply": lib.op2_python_operator,
            "data": self._keeps.handle, "nargs": len(uses), "args": args,
            "preconditioner": handle(preconditioner, Mat)})
        self._create(lib.op2_operator_create, desc, name_of(name))


class _Application:
    """What a product with an operator needs, also after the operator was given up."""

    def __init__(self, operator: Operator, function: Callable[[Dat, Dat], Any], dim: int,
                 dtype: Any):
        self.set, self.function = operator.set, function
        self.dim, self.dtype = dim, dtype
        self.handle = ffi.new_handle(self)

    def apply(self, x: Any, y: Any) -> int:
        context = self.set.context
        lent = [Dat._lend(self.set, self.dim, self.dtype, p) for p in (x, y)]
        context._inside_call += 1
        try:
            self.function(*lent)
        except BaseException as error:
            context._raised_in_operators.append(error)
            return lib.OP2_ERR_CALL
        finally:
            context._inside_call -= 1
            for dat in lent:
                dat._settle()
                dat._p = ffi.NULL
        return lib.OP2_SUCCESS


@ffi.def_extern(error=lib.OP2_ERR_CALL)
def op2_python_operator(data: Any, x: Any, y: Any) -> int:
    """The function of all operators."""
    return ffi.from_handle(data).apply(x, y)


class Solver(Object):
    """A solver for systems of equations. Options are those of op2_solver_options (op2/solve.h):
    `method` is "cg", "minres", "gmres" or "bicgstab", `preconditioner` "none", "jacobi" or
    "block_jacobi".

    >>> import op2
    >>> with op2.Context("sequential") as context:
    ...     cells = op2.Set(context, 3)
    ...     half = op2.Operator(cells, lambda x, y: y.axpby(0.5, 0.0, x))
    ...     u, b = op2.Dat(cells), op2.Dat(cells, [1.0, 2.0, 3.0])
    ...     solver = op2.Solver(context, method="cg", preconditioner="none")
    ...     solver.solve(half, u, b)
    ...     u.get(), solver.result.reason, solver.result.iterations
    (array([2., 4., 6.]), <Reason.CONVERGED_ATOL: 2>, 1)
    """

    _kind = "solver"

    def __init__(self, context: "Context", name: Optional[str] = None, **options: Any):
        super().__init__(context, name)
        filled, _kept = structs.fill("op2_solver_options", options)
        self._create(lib.op2_solver_create, context._p, filled, name_of(name))

    def solve(self, A: Any, x: Any, b: Any) -> None:
        """Queue: solve A x = b, beginning with the present values of x. A is a matrix or an
        operator; or rows of these, None for zeros, and x and b are lists."""
        if isinstance(A, Operator):
            self._queue_with([A], lib.op2_solve_operator_at, A, handle(x, Dat), handle(b, Dat))
        elif isinstance(A, Mat):
            queue(self.context, lib.op2_solve_at, self, A, handle(x, Dat), handle(b, Dat))
        else:
            self._solve_nested(A, x, b)

    def _solve_nested(self, A: Sequence[Sequence[Union[Mat, Operator, None]]], x: Sequence[Dat],
                      b: Sequence[Dat]) -> None:
        if not len(A) == len(x) == len(b) or any(len(row) != len(x) for row in A):
            raise MismatchError(f"{self}: a system of {len(A)} rows, {len(x)} dats and {len(b)} "
                                "right-hand sides")
        blocks = [block for row in A for block in row]
        operators = [block if isinstance(block, Operator) else None for block in blocks]
        mats = [handle(None if operator else block, Mat)
                for block, operator in zip(blocks, operators)]
        vectors = [handle(each, Dat) for each in x], [handle(each, Dat) for each in b]
        if not any(operators):
            queue(self.context, lib.op2_solve_nested_at, self, len(A), mats, *vectors)
            return
        handles = [handle(each, Operator) for each in operators]
        self._queue_with([each for each in operators if each], lib.op2_solve_blocks_at, len(A),
                         mats, handles, *vectors)

    def _queue_with(self, operators: List[Operator], function: Any, *arguments: Any) -> None:
        """Queue a solve whose failures may be those of operators, which are kept until it has
        run."""
        place = where()
        self.context._solves.add((text(place.file), place.line))
        try:
            queue(self.context, function, self, *arguments)
        finally:
            for operator in operators:
                self.context._keep_until_done(operator._keeps)

    def monitor(self, function: Optional[Callable[[int, float], Any]]) -> None:
        """Follow the residuals of solves that run from now on, also of those that are queued: the
        function gets the number of an iteration, 0 at the beginning of a solve, and the norm of its
        residual. None ends it.

        It may use nothing of this context. What it raises does not end the solve, and is raised by
        what has run it; until then the function is not called any more. If that fails itself, the
        function's exception is among the causes of the failure (`__cause__`).

        >>> import op2
        >>> with op2.Context("sequential") as context:
        ...     cells = op2.Set(context, 3)
        ...     half = op2.Operator(cells, lambda x, y: y.axpby(0.5, 0.0, x))
        ...     u, b = op2.Dat(cells), op2.Dat(cells, [1.0, 2.0, 2.0])
        ...     solver = op2.Solver(context, method="cg", preconditioner="none")
        ...     solver.monitor(lambda iteration, residual: print(iteration, residual))
        ...     solver.solve(half, u, b)
        ...     context.flush()
        0 3.0
        1 0.0
        """
        keeps = None if function is None else _Monitor(self.context, function)
        if keeps is None:
            self.context._call(lib.op2_solver_monitor, self._p, ffi.NULL, ffi.NULL)
        else:
            self.context._call(lib.op2_solver_monitor, self._p, lib.op2_python_monitor,
                               keeps.handle)
        self._keeps = keeps

    @property
    def result(self) -> SolveResult:
        """The outcome of the solve that was queued last, which runs first if it has to."""
        made = ffi.new("op2_solve_result *")
        self.context._do(lib.op2_solver_result, self._p, made)
        return SolveResult(Reason(made.reason), made.iterations, made.residual)


class _Monitor:
    """The function that follows a solver's residuals."""

    def __init__(self, context: "Context", function: Callable[[int, float], Any]):
        self.context, self.function = context, function
        self.handle = ffi.new_handle(self)


@ffi.def_extern()
def op2_python_monitor(data: Any, iteration: int, residual: float) -> None:
    """The function of all monitors."""
    monitor = ffi.from_handle(data)
    context = monitor.context
    if monitor in context._raised_in_monitors:
        return
    context._inside_call += 1
    try:
        monitor.function(iteration, residual)
    except BaseException as error:
        context._raised_in_monitors[monitor] = error
    finally:
        context._inside_call -= 1
