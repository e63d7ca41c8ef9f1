# SPDX-License-Identifier: BSD-3-Clause
"""Checks of what programs give, shared by all classes."""
from __future__ import annotations

import itertools
import numbers
from typing import Any, Iterator, Optional, Tuple, Type

import numpy as np

from ..enums import Access
from .exceptions import DataTypeError, DataValueError, DimTypeError, ModeValueError, NameTypeError

#: The name of each type in C.
C_TYPES = {np.dtype(name): text for name, text in (
    ("f8", "double"), ("f4", "float"), ("i1", "int8_t"), ("i2", "int16_t"), ("i4", "int32_t"),
    ("i8", "int64_t"), ("u1", "uint8_t"), ("u2", "uint16_t"), ("u4", "uint32_t"),
    ("u8", "uint64_t"))}

_made = itertools.count()


def is_integer(value: Any) -> bool:
    """True for integers of Python and NumPy, and not for truth values."""
    return isinstance(value, numbers.Integral) and not isinstance(value, bool)


def name_for(name: Optional[str], kind: str) -> str:
    """The name, or one that is made up."""
    if name is None:
        return f"{kind}_{next(_made)}"
    if not isinstance(name, str):
        raise NameTypeError(f"the name {name!r} is no string")
    return name


def dims(dim: Any) -> Tuple[int, ...]:
    """A dim as a tuple of integers."""
    given = (dim,) if is_integer(dim) else dim
    if not isinstance(given, (tuple, list, np.ndarray)) or not all(map(is_integer, given)):
        raise DimTypeError(f"dim {dim!r} is neither an integer nor a tuple of integers")
    return tuple(int(extent) for extent in given)


def type_for(dtype: Any) -> Optional[np.dtype]:
    """A type of NumPy; None for None."""
    try:
        return None if dtype is None else np.dtype(dtype)
    except TypeError:
        raise DataTypeError(f"{dtype!r} is no type of values") from None


def known_type(dtype: Any, default: Any = None) -> np.dtype:
    """A type of values that the library has."""
    found = type_for(default if dtype is None else dtype)
    if found not in C_TYPES:
        raise DataTypeError(f"op2 has no values of type {found}")
    return found


def values_for(data: Any, dtype: Any, shape: Tuple[int, ...], owner: str) -> np.ndarray:
    """Values as an array of this type and shape. One number stands for all of them."""
    kind = type_for(dtype)
    try:
        array = np.asarray(list(data) if isinstance(data, Iterator) else data)
        array = array if kind is None else array.astype(kind)
    except (TypeError, ValueError):
        raise DataValueError(f"{owner}: {data!r} are no values of type {kind}") from None
    if array.dtype.kind not in "iuf":
        raise DataValueError(f"{owner}: values of type {array.dtype}")
    if array.ndim == 0:
        return np.full(shape, array)
    if array.size != np.prod(shape, dtype=int):
        raise DataValueError(f"{owner}: {array.size} values, and shape {shape} needs "
                             f"{np.prod(shape, dtype=int)}")
    return np.ascontiguousarray(array.reshape(shape))


def check_mode(access: Any, allowed: Tuple[Access, ...], owner: str) -> None:
    """Refuse access modes that are not allowed for an argument."""
    if not isinstance(access, Access) or access not in allowed:
        names = ", ".join(mode.name for mode in allowed)
        raise ModeValueError(f"{owner}: the access mode is {access!r}, and is one of {names}")


def all_of(parts: Any, kinds: Tuple[type, ...], error: Type[Exception],
           owner: str) -> Tuple[Any, ...]:
    """The parts of something mixed, which are of these classes."""
    given = () if isinstance(parts, str) else tuple(parts)
    if not given or not all(isinstance(part, kinds) for part in given):
        names = " and ".join(kind.__name__ for kind in kinds)
        raise error(f"{owner}: {parts!r} is no sequence of {names} objects")
    return given
