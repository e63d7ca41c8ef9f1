# SPDX-License-Identifier: BSD-3-Clause
"""Dats and globals as vectors."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Optional, Sequence, Union

import numpy as np

from ._native import ffi, lib
from ._object import Object
from ._queue import handle, queue
from .enums import Norm
from .errors import ArgumentError

if TYPE_CHECKING:
    from .values import Global


class Scalar:
    """What vectors are multiplied by: factor * numerator / denominator, where the globals are read
    when the operation runs. ratio() makes one."""

    def __init__(self, factor: float = 1.0, numerator: Optional["Global"] = None,
                 denominator: Optional["Global"] = None):
        self.factor = float(factor)
        self.numerator = numerator
        self.denominator = denominator

    def __neg__(self) -> "Scalar":
        return -1.0 * self

    def __mul__(self, factor: float) -> "Scalar":
        return Scalar(factor * self.factor, self.numerator, self.denominator)

    __rmul__ = __mul__

    def __repr__(self) -> str:
        return f"<op2.Scalar {self.factor} * {self.numerator} / {self.denominator}>"


def ratio(numerator: "Global", denominator: "Global") -> Scalar:
    """The quotient of two globals, 0 if the denominator is 0."""
    return Scalar(1.0, numerator, denominator)


Number = Union[float, Scalar, "Global"]
_SCALAR = ffi.typeof("op2_scalar *")


def scalar(given: Any) -> Any:
    """A number, a global or a Scalar for C."""
    if isinstance(given, Object):
        given = Scalar(1.0, given)  # type: ignore[arg-type]
    elif not isinstance(given, Scalar):
        return ffi.new(_SCALAR, (float(given),))[0]
    return ffi.new(_SCALAR, (given.factor, handle(given.numerator), handle(given.denominator)))[0]


class Vector(Object):
    """Operations on all values of a dat or a global.

    They are queued as loops are, and fused with these. Reductions return a global, which need not
    be read: it can be a scalar of the next operation. `result` may give one to use.

    >>> import op2
    >>> with op2.Context("sequential") as context:
    ...     cells = op2.Set(context, 3)
    ...     x, y = op2.Dat(cells, [1.0, 2.0, 3.0]), op2.Dat(cells, [1.0, 1.0, 1.0])
    ...     y.axpy(-op2.ratio(x.dot(y), y.dot(y)), x)
    ...     y.get(), float(x.norm()) ** 2, float(x.max())
    (array([-1., -3., -5.]), 14.0, 3.0)
    """

    dtype: np.dtype

    def _apply(self, name: str, *arguments: Any) -> None:
        queue(self.context, getattr(lib, f"op2_{self._kind}_{name}_at"), self, *arguments)

    def _reduce(self, name: str, result: Optional["Global"], dtype: Any,
                *arguments: Any) -> "Global":
        if result is None:
            from .values import Global
            result = Global(self.context, dtype=dtype)
        self._apply(name, *arguments, result)
        return result

    def fill(self, a: Number) -> None:
        """self = a"""
        self._apply("fill", scalar(a))

    def copy_to(self, y: "Vector") -> None:
        """y = self"""
        self._apply("copy", y)

    def scale(self, a: Number) -> None:
        """self = a self"""
        self._apply("scale", scalar(a))

    def axpy(self, a: Number, x: "Vector") -> None:
        """self = a x + self"""
        self._apply("axpy", scalar(a), x)

    def aypx(self, a: Number, x: "Vector") -> None:
        """self = a self + x"""
        self._apply("aypx", scalar(a), x)

    def axpby(self, a: Number, b: Number, x: "Vector") -> None:
        """self = a x + b self"""
        self._apply("axpby", scalar(a), scalar(b), x)

    def pointwise_mult(self, x: "Vector", y: "Vector") -> None:
        """self = x y, value by value"""
        self._apply("pointwise_mult", x, y)

    def pointwise_div(self, x: "Vector", y: "Vector") -> None:
        """self = x / y, value by value"""
        self._apply("pointwise_div", x, y)

    def dot(self, y: "Vector", result: Optional["Global"] = None) -> "Global":
        """The scalar product with y."""
        return self._reduce("dot", result, "f8", y)

    def norm(self, norm: Norm = Norm.TWO, result: Optional["Global"] = None) -> "Global":
        """A norm of all values."""
        return self._reduce("norm", result, "f8", int(norm))

    def sum(self, result: Optional["Global"] = None) -> "Global":
        """The sum of all values."""
        return self._reduce("sum", result, self.dtype.kind + "8")

    def min(self, result: Optional["Global"] = None) -> "Global":
        """The least value."""
        return self._reduce("min", result, self.dtype)

    def max(self, result: Optional["Global"] = None) -> "Global":
        """The greatest value."""
        return self._reduce("max", result, self.dtype)


class DatVector(Vector):
    """Operations on a dat and several others."""

    def maxpy(self, a: Number, x: Sequence["DatVector"]) -> None:
        """self = a[0] x[0] + ... + self; a is a number, or a global with a value for each."""
        self._apply("maxpy", scalar(a), len(x), [handle(each) for each in x])

    def mdot(self, y: Sequence["DatVector"], result: Optional["Global"] = None) -> "Global":
        """The scalar products with each of several dats: a global with a value for each."""
        if not len(y):
            raise ArgumentError(f"{self}: mdot needs a dat to multiply with")
        if result is None:
            from .values import Global
            result = Global(self.context, dim=len(y), dtype="f8")
        self._apply("mdot", len(y), [handle(each) for each in y], result)
        return result
