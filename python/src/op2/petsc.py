# SPDX-License-Identifier: BSD-3-Clause
"""PETSc's solvers, and matrices, dats and solvers as objects of petsc4py.

They need libop2-petsc; objects also need petsc4py, built with the same PETSc.

    import op2.petsc
    op2.petsc.use(context, ["-ksp_type", "cg", "-pc_type", "gamg"])
    with op2.petsc.mat(A) as M, op2.petsc.vec(b) as v:
        print(M.norm(), v.norm())
"""
from __future__ import annotations

import ctypes
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Iterator, Optional, Sequence

from ._native import ffi as _ffi
from .enums import READ, Access
from .errors import UnavailableError

try:
    from ._native_petsc import ffi as _petsc_ffi, lib as _lib
except ImportError as error:
    raise UnavailableError(f"this package was built without libop2-petsc: {error}") from None

if TYPE_CHECKING:
    from .context import Context
    from .matrices import Mat, Operator, Solver
    from .values import Dat


def use(context: "Context", options: Sequence[str] = ()) -> None:
    """From now on PETSc solves this context's systems, but for those of solvers that request op2.
    The options are PETSc's, for when the library initialises it."""
    words = [_ffi.new("char[]", word.encode()) for word in [sys.argv[0] or "python", *options]]
    argv = _ffi.new("char *[]", words + [_ffi.NULL])
    context._kept += [words, argv]
    context._do(_lib.op2_petsc_use, context._p, len(words), argv)


@contextmanager
def mat(A: "Mat", access: Access = READ, type: Optional[str] = None) -> Iterator[Any]:
    """A matrix as a petsc4py.PETSc.Mat, in READ or RW, of type "aij" or "baij"."""
    kind = _ffi.NULL if type is None else _ffi.new("char[]", type.encode())
    with _opened(A, "Mat", "mat", int(access), kind) as found:
        yield found


@contextmanager
def vec(x: "Dat", access: Access = READ) -> Iterator[Any]:
    """The owned rows of a dat as a petsc4py.PETSc.Vec, in READ, RW or WRITE."""
    x._settle()
    with _opened(x, "Vec", "dat", int(access)) as found:
        yield found


@contextmanager
def _opened(source: Any, kind: str, name: str, *arguments: Any) -> Iterator[Any]:
    new = _constructor(kind)
    made = _petsc_ffi.new(kind + " *")
    source.context._call(getattr(_lib, f"op2_{name}_petsc"), source._p, *arguments, made)
    found = new(made[0])
    try:
        source.context._raise_from_monitors()
        yield found
    finally:
        found.destroy()  # gives up a reference: the object is the library's
        source.context._do(getattr(_lib, f"op2_{name}_petsc_end"), source._p, made)


def operator(op: "Operator") -> Any:
    """An operator as a petsc4py.PETSc.Mat, which is of use as long as the operator exists."""
    return _object(op, "Mat", _lib.op2_operator_petsc)


def ksp(solver: "Solver") -> Any:
    """The petsc4py.PETSc.KSP behind a solver, for settings that have no option."""
    return _object(solver, "KSP", _lib.op2_solver_petsc)


def _object(source: Any, kind: str, function: Any) -> Any:
    new = _constructor(kind)
    made = _petsc_ffi.new(kind + " *")
    source.context._do(function, source._p, made)
    return new(made[0])


def _constructor(kind: str) -> Any:
    """The function of petsc4py that makes an object of a pointer."""
    try:
        from petsc4py import PETSc
    except ImportError as error:
        raise UnavailableError(f"petsc4py is needed for objects of PETSc: {error}") from None
    _compare(PETSc)
    get = ctypes.pythonapi.PyCapsule_GetPointer
    get.restype, get.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    name = ctypes.pythonapi.PyCapsule_GetName
    name.restype, name.argtypes = ctypes.c_char_p, [ctypes.py_object]
    capsule = PETSc.__pyx_capi__[f"PyPetsc{kind}_New"]
    new = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p)(get(capsule, name(capsule)))
    return lambda pointer: new(int(_petsc_ffi.cast("uintptr_t", pointer)))


def _compare(PETSc: Any) -> None:
    """Refuse a petsc4py that has another PETSc loaded than libop2-petsc: handles of one mean
    nothing to the other."""
    text = _ffi.new("char[256]")
    _lib.op2_python_petsc_version(text)
    ours = _ffi.string(text).decode()
    numbers = ".".join(str(number) for number in PETSc.Sys.getVersion())
    if numbers not in ours or PETSc.ScalarType().itemsize != 8:
        raise UnavailableError(f"petsc4py has PETSc {numbers} of {PETSc.ScalarType.__name__}, and "
                               f"libop2-petsc {ours}")
