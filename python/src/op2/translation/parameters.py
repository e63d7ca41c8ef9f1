# SPDX-License-Identifier: BSD-3-Clause
"""What annotations say of the parameters of kernels in Python."""
from __future__ import annotations

from typing import Any, Optional, Tuple, Union

import numpy as np

from .._object import type_of
from ..errors import ArgumentError

_FLOATS = {"f8": "double", "f4": "float"}


def c_type(dtype: np.dtype) -> str:
    """The C type of values of this type."""
    code = dtype.str[1:]
    return _FLOATS.get(code) or f"{'u' if code[0] == 'u' else ''}int{8 * int(code[1])}_t"


class Parameter:
    """The type of a parameter's values, and the range that integers are promised to be in."""

    def __init__(self, dtype: Any, within: Optional[Tuple[int, int]]):
        type_of(dtype)
        self.dtype = np.dtype(dtype)
        self.kind = "float" if self.dtype.kind == "f" else "int"
        self.range: Optional[Tuple[int, int]] = None
        if self.kind == "int":
            limits = np.iinfo(self.dtype)
            self.range = (int(limits.min), int(limits.max))
        if within is not None:
            low, high = within
            if self.range is None or not self.range[0] <= low <= high <= self.range[1]:
                raise ArgumentError(f"within is {within}, which are no bounds of {self.dtype}")
            self.range = (int(low), int(high))


class Number(Parameter):
    """A number, which a kernel gets by value."""


class Array(Parameter):
    """An array of `extents`, where None is an unknown extent."""

    def __init__(self, dtype: Any, extents: Tuple[Optional[int], ...], slots: bool,
                 within: Optional[Tuple[int, int]]):
        super().__init__(dtype, within)
        self.extents, self.slots = extents, slots


class List(Parameter):
    """A list of floats of the function that calls this one, of a fixed length."""

    def __init__(self, length: int):
        super().__init__("f8", None)
        self.length = length


def of_kind(kind: str) -> Number:
    """What a function of Python gets that a kernel calls: a float, an int or a bool."""
    made = Number("f8" if kind == "float" else "i8", None)
    made.kind = kind
    return made


def number(dtype: Any, within: Optional[Tuple[int, int]] = None) -> Any:
    """The annotation of a number. The annotations `float` and `int` stand for number("f8") and
    number("i8").

    With `within` the program promises that the number is in [within[0], within[1]], so that what
    is computed from it can be seen not to overflow.
    """
    return Number(dtype, within)


def array(dtype: Any = "f8", shape: Union[None, int, Tuple[int, ...]] = None, *,
          slots: bool = False, within: Optional[Tuple[int, int]] = None) -> Any:
    """The annotation of an array of values of this type.

    An element is read as a float or an int of Python, as it is from array.array, and written as
    there. `shape` is its length, or two extents for a block of a matrix; constant indices are
    compared with it. With `slots` the first index is a slot of a map and the second one a value.
    `within` is as for number(), for elements that are read.
    """
    if shape is None:
        extents: Tuple[Optional[int], ...] = (None,)
    else:
        extents = (shape,) if isinstance(shape, int) else tuple(shape)
    if slots:
        extents = (None, *extents)
    if len(extents) > 2 or any(extent is not None and extent < 1 for extent in extents):
        raise ArgumentError(f"an array of a kernel has one or two extents, not {shape}")
    return Array(dtype, extents, slots, within)
