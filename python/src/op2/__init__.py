# SPDX-License-Identifier: BSD-3-Clause
"""Parallel loops over unstructured meshes, queued and run when their results are needed.

>>> import op2
>>> context = op2.Context("sequential")
>>> edges, nodes = op2.Set(context, 3, "edges"), op2.Set(context, 3, "nodes")
>>> ends = op2.Map(edges, nodes, [[0, 1], [1, 2], [2, 0]], "ends")
>>> length = op2.Dat(edges, [1.0, 10.0, 100.0], name="length")
>>> total = op2.Dat(nodes, name="total")
>>> spread = op2.Kernel(context, "spread", '''
... void spread(const double *length, double *a, double *b) {
...   *a += *length;
...   *b += *length;
... }''')
>>> op2.par_loop(spread, edges, length(op2.READ), total(op2.INC, ends, 0), total(op2.INC, ends, 1))
>>> total.get()
array([101.,  11., 110.])
>>> context.finalize()
"""
from . import errors
from .arguments import Arg, index, map_index, opaque, optional, value, work
from .calls import MatRows, call
from .checkpoints import Checkpoint
from .context import Context, environment, unavailable, version
from .enums import (ALL, INC, ITER, MAX, MIN, PACKED, READ, RW, WRITE, Access, DataState, Norm,
                    PartitionMethod, Place, Reason, Side)
from .errors import (AccessError, ArgumentError, ArityError, CallError, CompileError,
                     DataTypeError, DivergedError, Error, FatalError, FileError, KernelError,
                     KernelSyntaxError, MismatchError, NameValueError, NoMemoryError, OptionError,
                     RangeError, StateError, UnavailableError)
from .files import File, dump
from .loops import Kernel, ParLoop, par_loop
from .matrices import Mat, Operator, Solver, SolveResult, Sparsity
from .mesh import Map, Set, Subset
from .meshfile import Mesh, Series, read_mesh
from .translation import array, number, translate
from .values import Component, Constant, Dat, Global
from .vectors import Scalar, ratio

__all__ = [
    "ALL", "Access", "AccessError", "Arg", "ArgumentError", "ArityError", "CallError", "Checkpoint",
    "CompileError", "Component", "Constant", "Context", "Dat", "DataState", "DataTypeError",
    "DivergedError", "Error", "FatalError", "File", "FileError", "Global", "INC", "ITER", "Kernel",
    "KernelError", "KernelSyntaxError", "MAX", "MIN", "Map", "Mat", "MatRows", "Mesh",
    "MismatchError", "NameValueError", "NoMemoryError", "Norm", "Operator", "OptionError", "PACKED",
    "ParLoop", "PartitionMethod", "Place", "READ", "RW", "RangeError", "Reason", "Scalar", "Series",
    "Set", "Side", "SolveResult", "Solver", "Sparsity", "StateError", "Subset", "UnavailableError",
    "WRITE", "array", "call", "dump", "environment", "errors", "index", "map_index", "number",
    "opaque", "optional", "par_loop", "ratio", "read_mesh", "translate", "unavailable", "value",
    "version", "work",
]
