# SPDX-License-Identifier: BSD-3-Clause
"""Failures, as exceptions: a class for each status of the library, all of them under Error.

Most are also under the class of Python's own that fits, so that `except ValueError` does what one
expects.

>>> import op2
>>> issubclass(op2.RangeError, op2.Error), issubclass(op2.RangeError, ValueError)
(True, True)
>>> op2.RangeError.status
'OP2_ERR_RANGE'
"""
from __future__ import annotations

from typing import Dict, List, Optional, Type

from ._native import ffi, lib


class Error(Exception):
    """A failure that the library, or this package on its behalf, has reported.

    The message names the loop, the argument, the set and so on. What is known beside it:
    """

    #: The name of the status, such as "OP2_ERR_RANGE".
    status: str = ""
    #: The place in the program that queued what failed; None: not known.
    file: Optional[str] = None
    line: int = 0
    #: Which argument of a loop or call was wrong, from 0; None: none, or not known.
    argument: Optional[int] = None
    #: The name of the object that was wrong; None: not known.
    object: Optional[str] = None


class ArgumentError(Error, ValueError):
    """A destroyed object, a negative size, something that is no argument of a loop."""
    status = "OP2_ERR_ARG"


class StateError(Error, RuntimeError):
    """The context has ended, or a scope is open."""
    status = "OP2_ERR_STATE"


class NoMemoryError(Error, MemoryError):
    """There is not enough memory."""
    status = "OP2_ERR_NOMEM"


class RangeError(Error, ValueError):
    """A map entry, slot or index of a subset that is out of range."""
    status = "OP2_ERR_RANGE"


class MismatchError(Error, ValueError):
    """Objects that do not belong together: sets, maps, dats, contexts, shapes."""
    status = "OP2_ERR_MISMATCH"


class AccessError(Error, ValueError):
    """An access mode that is not allowed for this kind of argument or parameter."""
    status = "OP2_ERR_ACCESS"


class DataTypeError(Error, TypeError):
    """Kernel parameter and argument disagree in type or shape, or the library has no such type."""
    status = "OP2_ERR_TYPE"


class ArityError(Error, TypeError):
    """The number of arguments is not that of the kernel's parameters."""
    status = "OP2_ERR_ARITY"


class NameValueError(Error, ValueError):
    """A name that is taken, empty or not an identifier."""
    status = "OP2_ERR_NAME"


class KernelSyntaxError(Error, ValueError):
    """A kernel's text has no usable function of the kernel's name."""
    status = "OP2_ERR_SYNTAX"


class OptionError(Error, ValueError):
    """An option or environment variable with a value that it cannot have."""
    status = "OP2_ERR_OPTION"


class UnavailableError(Error, RuntimeError):
    """A backend or a feature that this build or machine does not offer."""
    status = "OP2_ERR_UNAVAILABLE"


class FileError(Error, OSError):
    """A file could not be written or read."""
    status = "OP2_ERR_IO"


class CompileError(Error, RuntimeError):
    """The code of a loop did not compile or load."""
    status = "OP2_ERR_COMPILE"


class KernelError(Error, RuntimeError):
    """The checked mode has caught a kernel or a function that breaks its access modes."""
    status = "OP2_ERR_KERNEL"


class FatalError(Error, RuntimeError):
    """The context can do no more work."""
    status = "OP2_ERR_FATAL"


class CallError(Error, RuntimeError):
    """A function that the library called has failed; the exception that it raised is the cause."""
    status = "OP2_ERR_CALL"


class DivergedError(Error, ArithmeticError):
    """A system of equations was not solved."""
    status = "OP2_ERR_DIVERGED"


#: The class for each status.
CLASSES: Dict[str, Type[Error]] = {kind.status: kind for kind in Error.__subclasses__()}


def text(pointer) -> Optional[str]:
    """A string of C's; None for a null pointer."""
    return ffi.string(pointer).decode(errors="replace") if pointer else None


def last() -> Error:
    """The exception for the last failure on this thread."""
    found = ffi.new("op2_error *")
    lib.op2_error_get(found)
    name = text(lib.op2_status_name(found.status)) or ""
    error = CLASSES.get(name, Error)(text(found.message))
    error.status = name
    error.file, error.line = text(found.file), found.line
    error.argument = found.argument if found.argument >= 0 else None
    error.object = text(found.object)
    return error


def causes_of(error: Optional[BaseException]) -> List[BaseException]:
    """An exception, its cause, the cause of that and so on."""
    found: List[BaseException] = []
    while error is not None and not any(error is each for each in found):
        found.append(error)
        error = error.__cause__
    return found
