# SPDX-License-Identifier: BSD-3-Clause
"""Globals and constants: values of no set."""
from __future__ import annotations

from typing import Any, Optional, Tuple

import numpy as np

from .. import values
from ..enums import INC, MAX, MIN, READ, Access
from ..errors import NameValueError
from ._arithmetic import Arithmetic
from ._checks import check_mode, dims, known_type, name_for, values_for
from ._configuration import context
from ._mixed import Single
from .arguments import Arg
from .exceptions import IndexValueError, MapValueError
from .sets import GlobalDataSet


class Global(Arithmetic):
    """Values of no set: parameters of loops, and results of reductions. A global in place of `dim`
    makes a copy of it."""

    _modes: Tuple[Access, ...] = (READ, INC, MIN, MAX)
    dim: Tuple[int, ...]

    def __init__(self, dim: Any, data: Any = None, dtype: Any = None, name: Optional[str] = None,
                 comm: Any = None):
        if isinstance(dim, Global):
            self.__init__(dim.dim, None, dim.dtype, name)  # type: ignore[misc]
            dim.copy(self)
            return
        self.dim = dims(dim)
        self.name = name_for(name, "global")
        given = np.zeros((), known_type(dtype, np.float64)) if data is None else data
        array = values_for(given, dtype, self.dim, f"global '{self.name}'")
        known_type(array.dtype)
        self._gbl = values.Global(context(), array, name=self.name)
        #: The array that the program may write to, with the values that it had at first.
        self._lent: Optional[Tuple[np.ndarray, np.ndarray]] = None

    @property
    def dtype(self) -> np.dtype:
        """The type of the values."""
        return self._gbl.dtype

    @property
    def cdim(self) -> int:
        """The number of values."""
        return int(np.prod(self.dim))

    @property
    def dataset(self) -> GlobalDataSet:
        """The rows or columns of matrices that belong to it."""
        return GlobalDataSet(self)

    @property
    def shape(self) -> Tuple[int, ...]:
        """The shape of the values."""
        return self.dim

    @property
    def nbytes(self) -> int:
        """The size of the values in bytes."""
        return self.dtype.itemsize * self.cdim

    @property
    def dat_version(self) -> int:
        """A number that grows with every modification."""
        return self.op2.changes

    @property
    def data(self) -> np.ndarray:
        """An array of the values. What is written to it counts from the global's next use on, and
        then it cannot be written any more. Assignment sets the values."""
        if self._lent is None:
            lent = self._gbl.get()
            self._lent = lent, lent.copy()
        return self._lent[0]

    @data.setter
    def data(self, given: Any) -> None:
        self.op2.set_values(values_for(given, self.dtype, self.dim, str(self.name)))

    @property
    def data_ro(self) -> np.ndarray:
        """An array of the values, which cannot be written."""
        found = self.op2.get()
        found.flags.writeable = False
        return found

    data_with_halos = data
    data_ro_with_halos = data_ro

    @property
    def op2(self) -> values.Global:
        """The op2.Global, with what the program has written to the array that it was lent."""
        lent, self._lent = self._lent, None
        if lent is not None:
            lent[0].flags.writeable = False
            if not np.array_equal(lent[0].view("u1"), lent[1].view("u1")):
                self._gbl.set_values(lent[0])
        return self._gbl

    def __call__(self, access: Access, path: Any = None) -> Arg:
        """An argument of a loop."""
        check_mode(access, self._modes, f"global '{self.name}'")
        if path is not None:
            raise MapValueError(f"global '{self.name}' is on no set, and takes no map")
        return Arg(self, access)

    def __getitem__(self, number: int) -> "Global":
        if number != 0:
            raise IndexValueError(f"global '{self.name}' has one part, and number {number} was "
                                  "asked for")
        return self

    def zero(self) -> None:
        """Queue: the values become zero."""
        self.op2.fill(0.0)

    def copy(self, other: "Global") -> None:
        """Queue: the other gets these values."""
        self.op2.copy_to(other.op2)

    def duplicate(self) -> "Global":
        """A copy."""
        return Global(self)

    _copied = duplicate

    def _assign(self, operation: str, other: Any) -> None:
        x, y = self.op2, self._operand(other).op2
        if operation == "=":
            y.copy_to(x)
        elif operation in ("+=", "-="):
            x.axpy(1.0 if operation == "+=" else -1.0, y)
        else:
            {"*=": x.pointwise_mult, "/=": x.pointwise_div}[operation](x, y)

    def _operand(self, other: Any) -> "Global":
        if not isinstance(other, Global):
            return Global(self.dim, other, self.dtype)
        if other.dim != self.dim:
            raise ValueError(f"globals '{self.name}' and '{other.name}' have dims {self.dim} and "
                             f"{other.dim}")
        return other

    def assign(self, other: Any) -> None:
        """Queue: the values become those of another global, or numbers."""
        self._assign("=", other)

    def axpy(self, alpha: Any, other: "Global") -> None:
        """Queue: add alpha times the other."""
        self.op2.axpy(float(alpha), self._operand(other).op2)

    def inner(self, other: "Global") -> Any:
        """The scalar product."""
        return self.op2.dot(self._operand(other).op2).value

    @property
    def norm(self) -> float:
        """The Euclidean norm."""
        return self.op2.norm().value

    def __float__(self) -> float:
        return float(self.data_ro.reshape(()))

    def __str__(self) -> str:
        return (f"OP2 Global Argument: {self.name} with dim {self.dim} and value "
                f"{self.data_ro}")

    def __repr__(self) -> str:
        return f"Global({self.dim!r}, {self.data_ro!r}, {self.dtype!r}, {self.name!r})"


class Constant(Global):
    """Values that loops only read."""

    _modes = (READ,)


class Const(Single):
    """Values that all kernels see under the constant's name, as PyOP2 had it until 2017."""

    class NonUniqueNameError(ValueError):
        """There is a constant of this name."""

    def __init__(self, dim: Any, data: Any, name: str, dtype: Any = None):
        self.dim, self.name = dims(dim), name_for(name, "const")
        array = values_for(data, dtype, self.dim, f"constant '{self.name}'")
        self._values = array.copy()
        try:
            #: The op2.Constant.
            self.op2 = values.Constant(context(), self.name, array)
        except NameValueError as error:
            raise Const.NonUniqueNameError(str(error)) from error

    @property
    def dtype(self) -> np.dtype:
        """The type of the values."""
        return self.op2.dtype

    @property
    def cdim(self) -> int:
        """The number of values."""
        return int(np.prod(self.dim))

    @property
    def data(self) -> np.ndarray:
        """An array of the values, which cannot be written. Assignment changes them for loops that
        are queued from then on."""
        shown = self._values.view()
        shown.flags.writeable = False
        return shown

    @data.setter
    def data(self, given: Any) -> None:
        self._values = values_for(given, self.dtype, self.dim, f"constant '{self.name}'").copy()
        self.op2.set_values(self._values)

    def remove_from_namespace(self) -> None:
        """Give the constant up, so that another may have the name."""
        self.op2.destroy()

    def __str__(self) -> str:
        return (f"OP2 Const: {self.name} of dim {self.dim} and type {self.dtype} with value "
                f"{self._values}")

    def __repr__(self) -> str:
        return f"Const({self.dim!r}, {self._values!r}, {self.name!r})"
