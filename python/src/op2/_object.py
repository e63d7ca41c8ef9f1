# SPDX-License-Identifier: BSD-3-Clause
"""What all objects of a context share: a handle, and its end."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Optional

import numpy as np

from ._companions import library_of
from ._native import ffi, lib
from .errors import DataTypeError, RangeError, text as string_at

if TYPE_CHECKING:
    from .context import Context

TYPES = {np.dtype(name): getattr(lib, "OP2_" + code) for name, code in (
    ("f8", "F64"), ("f4", "F32"), ("i1", "I8"), ("i2", "I16"), ("i4", "I32"), ("i8", "I64"),
    ("u1", "U8"), ("u2", "U16"), ("u4", "U32"), ("u8", "U64"))}
DTYPES = {code: dtype for dtype, code in TYPES.items()}


def type_of(dtype: Any) -> int:
    """The op2_type of a NumPy type."""
    try:
        return TYPES[np.dtype(dtype).newbyteorder("=")]
    except (KeyError, TypeError):
        raise DataTypeError(f"op2 has no values of type {dtype}") from None


def numbers(values: Any, dtype: Any = None, owner: Any = "op2") -> np.ndarray:
    """Values as a contiguous array of a type that the library has.

    Values that another type would change are refused: fractions for integers, and integers that are
    too large. The owner's name begins the message.
    """
    given = np.asarray(values)
    kind = given.dtype.newbyteorder("=") if dtype is None else np.dtype(dtype).newbyteorder("=")
    type_of(kind)
    if given.size and given.dtype.kind not in ("iuf" if kind.kind == "f" else "iu"):
        raise DataTypeError(f"{owner}: values of type {given.dtype} are none of {kind}")
    made = np.asarray(given, kind, order="C")
    if kind.kind != "f" and not np.array_equal(made, given):
        raise RangeError(f"{owner}: a value does not fit into {kind}")
    return made


def pointer(array: Optional[np.ndarray], kind: str = "char[]") -> Any:
    """The address of an array's values; null for None and for no values."""
    if array is None or not array.size:
        return ffi.NULL
    return ffi.from_buffer(kind, array)


def name_of(name: Optional[str]) -> Any:
    """A name for C; null: the library makes one up."""
    return ffi.NULL if name is None else str(name).encode()


#: The kinds of objects that have a name in any case.
_NAMED = {"set", "map", "dat", "gbl", "const"}


class Object:
    """The owner of a handle.

    The object is given up with the last reference to it, or by destroy(). Queued loops keep what
    they use, and the order in which objects are given up does not matter.
    """

    _kind = ""
    _p: Any = ffi.NULL
    _owns = False
    #: What C uses as long as a queued loop uses the object.
    _keeps: Any = None
    #: What owns the handle, if it is part of something larger.
    _part_of: Any = None

    def __init__(self, context: "Context", name: Optional[str] = None):
        #: The context that the object belongs to.
        self.context = context
        #: The name that it was given, or that the library has made up if it needs one.
        self.name = name

    def _create(self, function: Any, *arguments: Any) -> None:
        """Make the object: the function's last parameter gets the handle."""
        made = library_of(self._kind)[0].new(f"op2_{self._kind} *")
        self.context._call(function, *arguments, made)
        self._p, self._owns = made[0], True
        if self.name is None and self._kind in _NAMED:
            self.name = string_at(self._info().name)
        self.context._raise_from_monitors()

    @classmethod
    def _adopt(cls, context: "Context", handle: Any, name: str) -> Any:
        """The owner of an object that the library has made."""
        self = cls.__new__(cls)
        Object.__init__(self, context, name)
        self._p, self._owns = ffi.cast(f"op2_{cls._kind}", handle), True
        return self

    @classmethod
    def _borrow(cls, owner: "Object", handle: Any) -> Any:
        """An object whose handle belongs to another one, which is kept as long as this one is."""
        self = cls.__new__(cls)
        Object.__init__(self, owner.context)
        self._p, self._part_of = handle, owner
        self.name = string_at(self._info().name)
        return self

    def _return(self) -> None:
        """Give up a handle that was borrowed, as its owner is going to."""
        if self.context.initialised:
            self._settle()
        self._p = ffi.NULL

    def _info(self) -> Any:
        """What the library knows of the object: a structure op2_KIND_info."""
        own_ffi, own_lib = library_of(self._kind)
        found = own_ffi.new(f"op2_{self._kind}_info *")
        self.context._do(getattr(own_lib, f"op2_{self._kind}_info_get"), self._p, found)
        return found

    def destroy(self) -> None:
        """Give the object up now. Using it afterwards raises ArgumentError."""
        if self._owns:
            if self.context.initialised:
                self._settle()
            self._owns, handle, self._p = False, self._p, ffi.NULL
            self.context._destroy(self._kind, handle, self._keeps)

    def __del__(self) -> None:
        # The collector may run anywhere, so the handle is only put on a list here.
        if self._owns:
            self.context._given_up(self._kind, self._p, self._keeps)

    def _settle(self) -> None:
        """End what would be in the way of a use of the object."""

    def __str__(self) -> str:
        kind = type(self).__name__.lower()
        return kind if self.name is None else f"{kind} '{self.name}'"

    def __repr__(self) -> str:
        name = "" if self.name is None else f" '{self.name}'"
        return f"<op2.{type(self).__name__}{name}>"
