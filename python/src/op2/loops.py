# SPDX-License-Identifier: BSD-3-Clause
"""Kernels, and loops that apply them to every element of a set."""
from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Callable, Iterable, List, Optional, Sequence

from ._native import ffi, lib
from ._object import Object
from ._place import of_text, where
from .arguments import Arg, prepare, settle
from .errors import ArgumentError, ArityError, text

if TYPE_CHECKING:
    from .context import Context
    from .mesh import Set


class Kernel(Object):
    """A function in C that is applied to every element of a set.

    `source` is C text, with the function `name` and whatever it needs: other functions, types,
    directives. `headers` are names like "<math.h>" or paths, `include_dirs` folders of headers, and
    `libraries` are linked. If the text stands in the caller's file as it is, messages of the
    compiler name this file and the right line.

    >>> import op2
    >>> with op2.Context("sequential") as context:
    ...     nodes = op2.Set(context, 3, "nodes")
    ...     x = op2.Dat(nodes, [1.0, 2.0, 3.0], name="x")
    ...     double = op2.Kernel(context, "twice", "void twice(double *x) { *x *= 2; }")
    ...     op2.par_loop(double, nodes, x(op2.RW))
    ...     x.get()
    array([2., 4., 6.])
    """

    _kind = "kernel"

    def __init__(self, context: "Context", name: str, source: str, *,
                 headers: Sequence[str] = (), include_dirs: Sequence[str] = (),
                 libraries: Sequence[str] = (), file: Optional[str] = None, line: int = 0):
        super().__init__(context, name)
        #: The C text.
        self.source = source
        if file is None:
            file, line = of_text(source) or (None, 0)
        self._describe(headers=headers, includes=include_dirs, libraries=libraries, file=file,
                       line=line if file else 0)

    @classmethod
    def of_function(cls, context: "Context", function: Callable[..., Any]) -> "Kernel":
        """A kernel in a small subset of Python, translated to C (op2.translation): arithmetic,
        conditions and loops, `math`, elements of arrays, and functions of such text.

        >>> import math, op2
        >>> def wave(x: op2.array("f8"), t: float):
        ...     for i in range(2):
        ...         x[i] += math.cos(i + t)
        >>> with op2.Context("sequential") as context:
        ...     cells = op2.Set(context, 1)
        ...     x = op2.Dat(cells, dim=2)
        ...     op2.par_loop(op2.Kernel.of_function(context, wave), cells, x(op2.RW), 0.5)
        ...     x.get()[0].tolist() == [math.cos(0.5), math.cos(1.5)]
        True
        """
        from .translation import translate
        return cls(context, function.__name__, translate(function))

    @classmethod
    def by_address(cls, context: "Context", name: str, declaration: str, function: Any, *,
                   any_threads: bool = False) -> "Kernel":
        """A kernel that is compiled already: a pointer of cffi's, or an address as ctypes and Numba
        have it, with its declaration in C. The function must not call Python, and exists until the
        context has ended. Without `any_threads` it runs in one thread at a time."""
        self = cls.__new__(cls)
        Object.__init__(self, context, name)
        self.source = declaration
        context._kept.append(function)
        self._describe(function=ffi.cast("op2_function", function),
                       threads=lib.OP2_ANY_THREADS if any_threads else lib.OP2_ONE_THREAD)
        return self

    def _describe(self, **fields: Any) -> None:
        kept: List[Any] = []

        def string(value: str) -> Any:
            kept.append(ffi.new("char[]", os.fsencode(value)))
            return kept[-1]

        def strings(values: Iterable[str]) -> Any:
            kept.append(ffi.new("char *[]", [string(value) for value in values] + [ffi.NULL]))
            return kept[-1]

        desc = ffi.new("op2_kernel_desc *", {"name": string(str(self.name)),
                                             "source": string(self.source)})
        for key, value in fields.items():
            if isinstance(value, str):
                value = string(value)
            elif isinstance(value, (tuple, list)):
                value = strings(value) if value else None
            if value is not None:
                setattr(desc, key, value)
        self._create(lib.op2_kernel_create, self.context._p, desc)


def par_loop(kernel: Kernel, set: "Set", *arguments: Any) -> None:
    """Queue a loop: apply a kernel to every element of a set or subset.

    Nothing runs until results are asked for. Wrong arguments raise an exception here. What goes
    wrong when the loop runs raises one where its results are needed, and the exception names the
    line that queued the loop.
    """
    context = _context_of(kernel, set)
    made, kept = _checked(kernel, arguments)
    try:
        context._do(lib.op2_par_loop_at, where(), kernel._p, set._p, len(kept), made)
    finally:
        _keep(context, kept)


class ParLoop(Object):
    """A loop as an object, which can be queued any number of times.

    >>> import op2
    >>> with op2.Context("sequential") as context:
    ...     nodes = op2.Set(context, 3, "nodes")
    ...     x = op2.Dat(nodes, [1.0, 2.0, 3.0], name="x")
    ...     double = op2.Kernel(context, "twice", "void twice(double *x) { *x *= 2; }")
    ...     loop = op2.ParLoop(double, nodes, x(op2.RW))
    ...     loop.enqueue()
    ...     loop.compute()
    ...     x.get(), "twice" in loop.generate("c")
    (array([ 4.,  8., 12.]), True)
    """

    _kind = "loop"

    def __init__(self, kernel: Kernel, set: "Set", *arguments: Any):
        super().__init__(_context_of(kernel, set), kernel.name)
        made, self._arguments = _checked(kernel, arguments)
        self._create(lib.op2_loop_create_at, where(), kernel._p, set._p, len(arguments), made)

    def _run(self, function: Any) -> None:
        settle(self._arguments)
        try:
            self.context._do(function, self._p)
        finally:
            _keep(self.context, self._arguments)

    def enqueue(self) -> None:
        """Queue the loop."""
        self._run(lib.op2_loop_enqueue)

    def compute(self) -> None:
        """Run the loop now, after everything that it depends on."""
        self._run(lib.op2_loop_compute)

    def generate(self, target: str = "c") -> str:
        """The text that is generated: for "c", "simd", "check", "cuda", "hip" or "opencl"."""
        source = ffi.new("const char **")
        with self.context._lock:
            self.context._do(lib.op2_loop_generate, self._p, target.encode(), source)
            return text(source[0]) or ""


def _context_of(kernel: Kernel, set: "Set") -> "Context":
    if not isinstance(kernel, Kernel):
        raise ArgumentError(f"{kernel!r} is no op2.Kernel")
    if not hasattr(type(set), "sections"):
        raise ArgumentError(f"loop '{kernel.name}': {set!r} is no op2.Set")
    return kernel.context


def _checked(kernel: Kernel, arguments: Sequence[Any]) -> Any:
    if not arguments:
        raise ArityError(f"loop '{kernel.name}': there are no arguments")
    return prepare(arguments)


def _keep(context: "Context", arguments: Sequence[Arg]) -> None:
    """Keep what arguments lead to until the loop has run. It may be queued although an exception
    was raised, by a monitor."""
    for argument in arguments:
        if argument.lasting:
            context._keep_until_done(argument.kept)
