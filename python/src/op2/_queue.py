# SPDX-License-Identifier: BSD-3-Clause
"""Queueing of operations that are no loops of kernels."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Type

from ._native import ffi
from ._object import Object
from ._place import where
from .errors import ArgumentError

if TYPE_CHECKING:
    from .context import Context

def handle(given: Any, kind: Type[Object] = Object) -> Any:
    """The handle of an object, for a call of the library that uses it; null for None."""
    if given is None:
        return ffi.NULL
    if not isinstance(given, kind):
        raise ArgumentError(f"{given!r} is no op2.{kind.__name__}")
    given._settle()
    return given._p


def queue(context: "Context", function: Any, *arguments: Any) -> None:
    """Queue an operation on objects and numbers, at the place of the program's call."""
    context._do(function, where(), *[handle(argument) if isinstance(argument, Object) else argument
                                     for argument in arguments])
