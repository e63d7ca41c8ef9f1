# SPDX-License-Identifier: BSD-3-Clause
"""The companion libraries that the package may have been built with."""
from __future__ import annotations

import importlib
from typing import Any, Tuple

from . import _native
from .errors import UnavailableError

#: The companion library of each kind of objects that are not of libop2 itself.
_COMPANIONS = {"mesh": "meshfile", "vtu_series": "meshfile", "vtkhdf": "hdf5", "xdmf": "hdf5",
               "checkpoint": "hdf5"}


def companion(name: str) -> Tuple[Any, Any]:
    """The declarations and functions of a companion library."""
    try:
        found = importlib.import_module(f"op2._native_{name}")
    except ImportError as error:
        raise UnavailableError(f"this package was built without libop2-{name}: {error}") from None
    return found.ffi, found.lib


def library_of(kind: str) -> Tuple[Any, Any]:
    """The declarations and functions of the library that has this kind of objects."""
    if kind in _COMPANIONS:
        return companion(_COMPANIONS[kind])
    return _native.ffi, _native.lib
