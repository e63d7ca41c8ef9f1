# SPDX-License-Identifier: BSD-3-Clause
"""Arithmetic of dats, value by value: small kernels, which are fused with the loops around."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Tuple

import numpy as np

from .. import loops
from ..arguments import value
from ..enums import READ, RW, WRITE
from . import _kernels
from ._checks import C_TYPES

if TYPE_CHECKING:
    from .data import Dat

#: The names of kernels for each assignment.
_NAMES = {"=": "assign", "+=": "add", "-=": "subtract", "*=": "multiply", "/=": "divide"}


def _kernel(operation: str, into: np.dtype, values: np.dtype, cdim: int,
            index: str) -> loops.Kernel:
    """The kernel that does `x[n] operation y[index]` for all values of an element."""
    name = "op2_" + _NAMES[operation]
    return _kernels.kernel(name, (
        f"static void {name}({C_TYPES[into]} *x, const {C_TYPES[values]} *y) "
        f"{{ for (int n = 0; n < {cdim}; n++) x[n] {operation} y[{index}]; }}"))


def apply(x: "Dat", operation: str, y: Any, over: Any = None) -> None:
    """Queue `x operation y` over the set of x, or over a subset. y is a dat with as many values, or
    with one, a global likewise, or a number."""
    argument, kind, cdim = _operand(x, operation, y)
    index = "n" if cdim > 1 else "0"
    loops.par_loop(_kernel(operation, x.dtype, kind, x.cdim, index), (over or x.dataset.set).op2,
                   x.op2(WRITE if operation == "=" else RW), argument)


def _operand(x: "Dat", operation: str, y: Any) -> Tuple[Any, np.dtype, int]:
    """What is on the right: an argument, the type of its values, and how many there are."""
    from .data import Dat
    from .scalars import Global
    if not isinstance(y, (Dat, Global)):
        number = np.asarray(y)
        if number.ndim or number.dtype.kind not in "iuf":
            raise TypeError(f"{x.name} {operation} {y!r}: this is no dat, global or number")
        return value(number.reshape(1)), number.dtype, 1
    elsewhere = isinstance(y, Dat) and y.dataset.set is not x.dataset.set
    if elsewhere or y.cdim not in (1, x.cdim):
        raise ValueError(f"{x.name} {operation} {y.name}: {y} and {x} have other sets or dims")
    return y.op2(READ), y.dtype, y.cdim
