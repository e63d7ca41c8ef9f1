# SPDX-License-Identifier: BSD-3-Clause
"""The operators of dats, mixed dats and globals."""
from __future__ import annotations

from typing import Any

from ._mixed import Single


class Arithmetic(Single):
    """Operators, of _assign(operation, other) and _copied(). Nothing runs."""

    #: NumPy's numbers leave the operators to this class.
    __array_ufunc__ = None

    def _assign(self, operation: str, other: Any) -> None:
        raise NotImplementedError

    def _copied(self) -> Any:
        raise NotImplementedError

    def _changed(self, operation: str, other: Any) -> Any:
        self._assign(operation, other)
        return self

    def __iadd__(self, other: Any) -> Any:
        return self._changed("+=", other)

    def __isub__(self, other: Any) -> Any:
        return self._changed("-=", other)

    def __imul__(self, other: Any) -> Any:
        return self._changed("*=", other)

    def __itruediv__(self, other: Any) -> Any:
        return self._changed("/=", other)

    def __add__(self, other: Any) -> Any:
        return self._copied()._changed("+=", other)

    def __sub__(self, other: Any) -> Any:
        return self._copied()._changed("-=", other)

    def __mul__(self, other: Any) -> Any:
        return self._copied()._changed("*=", other)

    def __truediv__(self, other: Any) -> Any:
        return self._copied()._changed("/=", other)

    __radd__ = __add__
    __rmul__ = __mul__

    def __neg__(self) -> Any:
        return self._copied()._changed("*=", -1)

    def __rsub__(self, other: Any) -> Any:
        return (-self)._changed("+=", other)

    def __pos__(self) -> Any:
        return self._copied()
