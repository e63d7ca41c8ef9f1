# SPDX-License-Identifier: BSD-3-Clause
"""Places in the program: the file and line that queue a loop, and where a kernel's text stands."""
from __future__ import annotations

import linecache
import os
import sys
from types import FrameType
from typing import Any, Dict, Optional, Tuple

from ._native import ffi

_HERE = os.path.dirname(os.path.abspath(__file__)) + os.sep
#: For each name of a file, whether the file is in this package.
_inside: Dict[str, bool] = {}
# The library keeps the pointers to file names, so they live as long as the program.
_files: Dict[str, Any] = {}
_places: Dict[Tuple[str, int], Any] = {}


def caller() -> Any:
    """The innermost frame outside this package, or None."""
    frame: Optional[FrameType] = sys._getframe(1)
    while frame is not None:
        name = frame.f_code.co_filename
        inside = _inside.get(name)
        if inside is None:
            inside = _inside[name] = name.startswith(_HERE)
        if not inside:
            break
        frame = frame.f_back
    return frame


def where() -> Any:
    """The op2_where of the line that called into this package."""
    frame = caller()
    key = (frame.f_code.co_filename, frame.f_lineno) if frame else ("?", 0)
    place = _places.get(key)
    if place is None:
        name = _files.setdefault(key[0], ffi.new("char[]", os.fsencode(key[0])))
        place = _places[key] = ffi.new("op2_where *", {"file": name, "line": key[1]})[0]
    return place


def of_text(source: str) -> Optional[Tuple[str, int]]:
    """The file and line on which a text begins, if it stands once in the caller's file as it is."""
    frame = caller()
    if frame is None:
        return None
    name = frame.f_code.co_filename
    whole = "".join(linecache.getlines(name, frame.f_globals))
    if not source.strip() or whole.count(source) != 1:
        return None
    return name, whole.count("\n", 0, whole.index(source)) + 1
