# SPDX-License-Identifier: BSD-3-Clause
"""Arguments of loops and calls. Dats, globals and matrices make those of themselves when they are
called with an access mode."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, List, Optional, Sequence, Tuple

from ._native import ffi, lib
from ._object import Object, numbers, pointer, type_of
from .errors import ArgumentError

if TYPE_CHECKING:
    from .mesh import Map


class Arg:
    """One argument of a loop or call, which can be given to any number of them."""

    __slots__ = ("_c", "source", "kept", "lasting")

    def __init__(self, c: Any, source: Optional[Object] = None, kept: Any = None,
                 lasting: bool = False):
        self._c = c
        #: The dat, global or matrix that the argument stands for; None: none.
        self.source = source
        #: What has to exist until the argument is given to a loop or call.
        self.kept = kept
        #: True if that has to exist until the loop or call has run.
        self.lasting = lasting


def value(values: Any, dtype: Any = None) -> Arg:
    """Values that are copied when the loop is queued. A number of Python's is a double or an
    int64_t; numbers and arrays may also be given to loops as they are."""
    array = numbers(values, dtype)
    return Arg(lib.op2_arg_val(pointer(array), array.size, type_of(array.dtype)), kept=array)


def index() -> Arg:
    """The number of the element that the kernel is applied to."""
    return Arg(lib.op2_arg_idx())


def map_index(map: "Map", slot: int = lib.OP2_ALL) -> Arg:
    """The number of the element in a slot of a map, or those in all slots."""
    return Arg(lib.op2_arg_map_idx(map._p, slot), kept=map)


def work(dim: int, dtype: Any = "f8") -> Arg:
    """Values for the kernel to work with, which each of its calls has for itself."""
    return Arg(lib.op2_arg_work(dim, type_of(dtype)))


def opaque(memory: Any) -> Arg:
    """A pointer that reaches the kernel unchanged: to the memory of an array or of anything else
    with a buffer, a pointer of cffi's, or an address. An object exists until the loop has run."""
    if isinstance(memory, int):
        address = ffi.cast("void *", memory)
    elif isinstance(memory, ffi.CData):
        address = memory
    else:
        address = ffi.from_buffer(memory)
    return Arg(lib.op2_arg_opaque(address), kept=(memory, address), lasting=True)


def optional(present: bool, argument: Any) -> Arg:
    """An argument that may be absent; then the kernel gets a null pointer."""
    if present:
        return as_argument(argument)
    return Arg(lib.op2_arg_opt(0, as_argument(argument)._c))


def as_argument(given: Any) -> Arg:
    """An argument: as it is, or for values, which are copied."""
    if isinstance(given, Arg):
        return given
    if callable(given):
        raise ArgumentError(f"{given!r} is no argument; with an access mode, as in x(op2.READ), it "
                            "makes one")
    return value(given)


#: The type of the arguments for C.
_ARGUMENTS = ffi.typeof("op2_arg[]")


def settle(arguments: Sequence[Arg]) -> None:
    """End the scopes of Dat.data on the dats of these arguments."""
    for argument in arguments:
        source = argument.source
        if source is not None:
            source._settle()


def prepare(given: Sequence[Any]) -> Tuple[Any, List[Arg]]:
    """Arguments for C, and what has to be kept until they have been taken. Scopes of Dat.data on
    their dats end."""
    arguments = [each if type(each) is Arg else as_argument(each) for each in given]
    settle(arguments)
    return ffi.new(_ARGUMENTS, [argument._c for argument in arguments]), arguments
