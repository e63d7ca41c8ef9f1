# SPDX-License-Identifier: BSD-3-Clause
"""Kernels and loops."""
from __future__ import annotations

from enum import Enum
from typing import Any, Callable, List, Optional, Sequence, Tuple

import numpy as np

from .. import _place, calls, loops
from ..enums import ALL, INC, PACKED, READ, RW
from . import _kernels, _signature, _single
from ._wrapper import Wrapper
from .arguments import Arg
from ._configuration import context, packed_by_version, years
from .data import Dat, MixedDat
from .exceptions import (ConfigurationError, KernelTypeError, MapValueError, NameTypeError,
                         SetTypeError)
from .maps import IterationIndex
from .matrices import Mat
from .scalars import Global
from .sets import Set, Subset

# Kernels for dats in structure-of-arrays order say so. Rows of values are contiguous here.
_STRIDE = "#define OP2_STRIDE(array, index) ((array)[index])\n"


class IterationRegion(Enum):
    """Parts of extruded sets. Only ALL, the whole set, is taken."""

    BOTTOM = 1
    TOP = 2
    INTERIOR_FACETS = 3
    ALL = 4


ON_BOTTOM, ON_TOP = IterationRegion.BOTTOM, IterationRegion.TOP
ON_INTERIOR_FACETS, ON_ALL = IterationRegion.INTERIOR_FACETS, IterationRegion.ALL


class Kernel:
    """A function in C. `code` has it under this name, with whatever it needs.

    >>> from op2 import pyop2 as op2
    >>> edges, nodes = op2.Set(3), op2.Set(3)
    >>> ends = op2.Map(edges, nodes, 2, [0, 1, 1, 2, 2, 0])
    >>> length, total = op2.Dat(edges, [1.0, 10.0, 100.0]), op2.Dat(nodes)
    >>> spread = op2.Kernel('''
    ... static void spread(double *ends, const double *length) {
    ...   ends[0] += *length;
    ...   ends[1] += *length;
    ... }''', "spread")
    >>> op2.par_loop(spread, edges, total(op2.INC, ends), length(op2.READ))
    >>> total.data_ro
    array([101.,  11., 110.])
    >>> op2.exit()
    """

    def __init__(self, code: Any, name: str, opts: Any = None, include_dirs: Sequence[str] = (),
                 headers: Sequence[str] = (), user_code: str = "", ldargs: Sequence[str] = (),
                 cpp: bool = False, **_: Any):
        if not isinstance(name, str):
            raise NameTypeError(f"the kernel's name {name!r} is no string")
        text = code.gencode() if hasattr(code, "gencode") else code
        if not isinstance(text, str):
            raise NotImplementedError(f"kernel '{name}': {type(code).__name__}: kernels are text "
                                      "in C, or have gencode() that returns it")
        if cpp or ldargs:
            raise NotImplementedError(
                f"kernel '{name}': {'cpp' if cpp else 'ldargs'}: kernels are in C; "
                "op2.Kernel.by_address() takes compiled ones, and OP2_LDFLAGS options of the "
                "linker")
        #: The text in C.
        self.code = text
        self.name = name
        before = (_STRIDE if "OP2_STRIDE" in text else "") + (user_code + "\n" if user_code else "")
        self._source = before + text
        self._place = None if before else _place.of_text(text)
        self._headers = ("<math.h>", *(headers or ()))
        self._include_dirs = tuple(include_dirs or ())
        self._parameters = _signature.parameters(self._source, name)

    def _parameter(self, number: int) -> Optional[_signature.Parameter]:
        known = self._parameters
        return known[number] if known is not None and number < len(known) else None

    @property
    def op2(self) -> loops.Kernel:
        """The op2.Kernel."""
        return self._kernel(None)

    def _kernel(self, wrapper: Optional[Wrapper]) -> loops.Kernel:
        """The op2.Kernel, or one that is wrapped around it."""
        name = self.name + ("_mixed" if wrapper else "")
        text = self._source + (wrapper.text(self.name, name) if wrapper else "")
        return _kernels.kernel(name, text, self._headers, self._include_dirs, self._place)

    def __str__(self) -> str:
        return f"OP2 Kernel: {self.name}"

    def __repr__(self) -> str:
        return f'Kernel("""{self.code}""", {self.name!r})'


class CStringLocalKernel(Kernel):
    """A kernel, as PyOP2 has it since 2021. Accesses and types come from the loops' arguments."""

    def __init__(self, code: str, name: str, accesses: Any = None, dtypes: Any = None,
                 **options: Any):
        super().__init__(code, name, **options)


class ParLoop:
    """A kernel, a set and arguments, as a loop that can be queued any number of times."""

    def __init__(self, kernel: Kernel, iterset: Any, *args: Arg, iterate: Any = None):
        if not isinstance(kernel, Kernel):
            raise KernelTypeError(f"{kernel!r} is no kernel")
        _check(kernel.name, iterset, args, iterate)
        self.kernel, self.iterset = kernel, iterset
        #: The arguments, as they were given.
        self.args = args
        self._op2_kernel, self._flat = _flattened(kernel, args)
        self._loop: Optional[loops.ParLoop] = None

    @property
    def arguments(self) -> Tuple[Arg, ...]:
        """The arguments."""
        return self.args

    def _arguments(self) -> List[Any]:
        """The arguments for the library. What the program has written to the arrays of globals
        counts from now on."""
        return [_for_library(arg, packed, self.iterset.superset) for arg, packed in self._flat]

    def _object(self) -> loops.ParLoop:
        """The op2.ParLoop."""
        arguments = self._arguments()
        if self._loop is None:
            self._loop = loops.ParLoop(self._op2_kernel, self.iterset.op2, *arguments)
        return self._loop

    def enqueue(self) -> "ParLoop":
        """Queue the loop."""
        self._object().enqueue()
        return self

    def compute(self) -> None:
        """Run the loop now, after what it depends on."""
        self._object().compute()

    __call__ = compute

    def _once(self) -> None:
        """Queue a loop that no object is needed for."""
        loops.par_loop(self._op2_kernel, self.iterset.op2, *self._arguments())


def _check(name: str, iterset: Any, args: Sequence[Any], iterate: Any) -> None:
    """Refuse sets and arguments that do not belong together."""
    if not isinstance(iterset, (Set, Subset)):
        raise SetTypeError(f"loop '{name}': {iterset!r} is neither a set nor a subset")
    if iterate is not None and iterate is not ON_ALL:
        raise NotImplementedError(f"loop '{name}': iterate={iterate}: op2 has no extruded sets")
    for number, arg in enumerate(args):
        where = f"loop '{name}': argument {number}"
        if not isinstance(arg, Arg):
            raise TypeError(f"{where}: {arg!r} is no argument; x(op2.READ) makes one of x")
        _check_sets(where, iterset.superset, arg)


def _check_sets(where: str, base: Set, arg: Arg) -> None:
    for map in arg.maps:
        if map.iterset is not base:
            raise MapValueError(f"{where}: {map} does not begin at the loop's set, {base}")
        if map._entries is None and base.total_size:
            raise MapValueError(f"{where}: {map} has no values")
    if arg.map is None and isinstance(arg.data, (Dat, MixedDat)):
        for part in arg.data:
            if not isinstance(part, Global) and part.dataset.set is not base:
                raise MapValueError(f"{where}: {part} is not on the loop's set, {base}, and has no "
                                    "map")


def _packed(kernel: Kernel, number: int, arg: Arg) -> Optional[bool]:
    """True if an argument is one packed buffer, False if it is pointers; None: it is neither."""
    if not isinstance(arg.data, (Dat, MixedDat)) or isinstance(arg.index, int):
        return None
    if isinstance(arg.index, IterationIndex):
        return True
    parameter = kernel._parameter(number)
    shown = parameter.packed if parameter else None
    if arg.map is None:
        return None if isinstance(arg.data, Dat) else shown is not False
    shown = packed_by_version() if shown is None else shown
    if shown is None:
        declared = f"the parameter '{parameter.text}'" if parameter else "no parameter was found,"
        raise ConfigurationError(
            f"loop '{kernel.name}': argument {number}: {arg.data.name} through {arg.map.name}: "
            f"{declared} which does not show what the kernel wants: one packed buffer, as "
            f"`double *` or `double c[3][2]` ({years(True)}), or pointers to rows, as `double **` "
            f"({years(False)}); write it so, or call configure(version=2016) for pointers or "
            "configure(version=2024) for buffers")
    return shown


def _flattened(kernel: Kernel, args: Sequence[Arg]) -> Tuple[loops.Kernel,
                                                            List[Tuple[Arg, Optional[bool]]]]:
    """The kernel and the arguments for the library, which knows nothing mixed. With each argument,
    whether it is packed."""
    kinds = [_packed(kernel, number, arg) for number, arg in enumerate(args)]
    if not any(len(arg.data) > 1 for arg in args):
        return kernel.op2, list(zip(args, kinds))
    wrapper = Wrapper()
    for number, (arg, packed) in enumerate(zip(args, kinds)):
        parameter = kernel._parameter(number)
        if isinstance(arg.data, Mat):
            wrapper.matrix(arg, parameter)
        elif not isinstance(arg.data, MixedDat):
            wrapper.plain(arg, packed, parameter)
        elif packed:
            wrapper.packed(arg, parameter)
        else:
            wrapper.pointers(arg, parameter)
    return kernel._kernel(wrapper), wrapper.arguments


def _for_library(arg: Arg, packed: Optional[bool], base: Set) -> Any:
    """An argument of the package op2, of a loop over this set. A matrix has no map to a global."""
    if isinstance(arg.data, Mat):
        return arg.data.op2(arg.access, *[_single.map_from(base) if map is None else map.op2
                                          for map in arg.map])
    if arg.map is None:
        return arg.data.op2(arg.access)
    slot = arg.index if packed is None else PACKED if packed else ALL
    return arg.data.op2(arg.access, arg.map.op2, slot)


class PyParLoop:
    """A function of Python for each element of a set, queued as one call. It gets arrays with the
    element's values. Matrices cannot be among the arguments."""

    def __init__(self, kernel: Callable[..., Any], iterset: Any, *args: Arg, iterate: Any = None):
        name = getattr(kernel, "__name__", type(kernel).__name__)
        _check(name, iterset, args, iterate)
        for number, arg in enumerate(args):
            if not isinstance(arg.data, (Dat, Global)):
                raise NotImplementedError(f"loop '{name}': argument {number}: {arg.data}: "
                                          "functions of Python take dats and globals")
        self.kernel, self.iterset, self.args = kernel, iterset, args
        #: The dats and globals, each once.
        self._data = list({id(arg.data): arg.data for arg in args}.values())
        self._places = [next(n for n, data in enumerate(self._data) if data is arg.data)
                        for arg in args]

    def enqueue(self) -> "PyParLoop":
        """Queue the loop."""
        accesses = [READ if all(arg.access == READ for arg in self.args if arg.data is data) else RW
                    for data in self._data]
        calls.call(context(), self._run, *[data.op2(access)
                                           for data, access in zip(self._data, accesses)])
        return self

    def compute(self) -> None:
        """Run the loop now, after what it depends on."""
        self.enqueue()
        context().flush()

    __call__ = compute

    def _run(self, *arrays: np.ndarray) -> None:
        elements: Any = self.iterset.owned_indices if isinstance(self.iterset, Subset) else \
            range(self.iterset.size)
        for element in elements:
            lent = []
            for arg, place in zip(self.args, self._places):
                at = _at(arg, element)
                values = np.array(arrays[place][at], ndmin=1)
                if arg.access == INC:
                    values[...] = 0
                values.flags.writeable = arg.access != READ
                lent.append((arg, arrays[place], at, values))
            self.kernel(*[values for _, _, _, values in lent])
            for arg, array, at, values in lent:
                _put(arg, array, at, values)


def _at(arg: Arg, element: int) -> Any:
    """The rows of an array that an argument takes for an element."""
    if isinstance(arg.data, Global):
        return slice(None)
    if arg.map is None:
        return element
    rows = arg.map.values_with_halo[element]
    return rows[arg.index] if isinstance(arg.index, int) else rows


def _put(arg: Arg, array: np.ndarray, at: Any, values: np.ndarray) -> None:
    """Copy the values of an element back."""
    if arg.access == READ:
        return
    fitting = values.reshape(np.shape(array[at]))
    if arg.access == INC:
        np.add.at(array, at, fitting)
    else:
        array[at] = fitting


def par_loop(kernel: Any, iterset: Any, *args: Arg, **options: Any) -> None:
    """Queue a loop: apply a kernel, or a function of Python, to each element of a set or subset."""
    if callable(kernel) and not isinstance(kernel, Kernel):
        PyParLoop(kernel, iterset, *args, **options).enqueue()
    else:
        ParLoop(kernel, iterset, *args, **options)._once()


parloop = par_loop
Parloop = LegacyParloop = ParLoop
